//! The filter URLRewrite: a new hostname, a new path or a new prefix.

use crate::api::http_route_rule_filter::{
    HttpPathModifier as ApiPathModifier, HttpPathModifierType, HttpRouteRuleFilter, HttpUrlRewriteFilter,
};
use crate::diagnostic::FieldPath;
use crate::gatewayapi::decision::RouteFault;
use crate::gatewayapi::routes::filters::redirect::unknown_path_type;
use crate::gatewayapi::routes::filters::{Filters, Place};
use crate::gatewayapi::routes::hostname;
use crate::gatewayapi::routes::outcome::reason;
use crate::gatewayapi::routes::scope::Scope;
use crate::ir::redirect::HttpPathModifier;
use crate::ir::url_rewrite::{ExtendedHttpPathModifier, HttpHostModifier, UrlRewrite};

/// Adds the rewrite; a rule rewrites the host once and the path once.
pub fn apply(_: &Scope<'_, '_>, _: Place<'_>, filter: &HttpRouteRuleFilter, filters: &mut Filters) -> Vec<RouteFault> {
    let Some(rewrite) = &filter.url_rewrite else { return Vec::new() };
    let fault = match &filters.url_rewrite {
        Some(there) if conflicts(rewrite, there) => Some(twice()),
        _ => merge(rewrite, &mut filters.url_rewrite).err().map(|fault| fault.within("urlRewrite")),
    };
    fault.into_iter().collect()
}

/// A second rewrite of what is rewritten already.
pub fn twice() -> RouteFault {
    let message = "a rule rewrites the host once and the path once: remove this rewrite or the one before it";
    RouteFault::accepted(FieldPath::root(), reason::UNSUPPORTED_VALUE, message)
}

/// Whether there is a URLRewrite before this one, or an HTTPRouteFilter that rewrites the same thing.
fn conflicts(rewrite: &HttpUrlRewriteFilter, there: &UrlRewrite) -> bool {
    let second = (core_path(there) || core_host(there)) && (rewrite.hostname.is_some() || rewrite.path.is_some());
    second || (rewrite.hostname.is_some() && extended_host(there)) || (rewrite.path.is_some() && extended_path(there))
}

/// Whether a URLRewrite changes the path.
pub fn core_path(rewrite: &UrlRewrite) -> bool {
    rewrite
        .path
        .as_ref()
        .is_some_and(|path| path.path.full_replace.is_some() || path.path.prefix_match_replace.is_some())
}

/// Whether a URLRewrite changes the host.
pub fn core_host(rewrite: &UrlRewrite) -> bool {
    rewrite.host.as_ref().is_some_and(|host| host.name.is_some())
}

/// Whether an HTTPRouteFilter changes the path.
pub fn extended_path(rewrite: &UrlRewrite) -> bool {
    rewrite.path.as_ref().is_some_and(|path| path.regex_match_replace.is_some())
}

/// Whether an HTTPRouteFilter changes the host.
pub fn extended_host(rewrite: &UrlRewrite) -> bool {
    rewrite
        .host
        .as_ref()
        .is_some_and(|host| host.header.is_some() || host.backend.is_some() || host.path_regex.is_some())
}

/// Adds the rewrite to what is there. What is wrong with the path leaves the host rewritten.
fn merge(filter: &HttpUrlRewriteFilter, there: &mut Option<UrlRewrite>) -> Result<(), RouteFault> {
    let HttpUrlRewriteFilter { hostname, path } = filter;
    if let Some(name) = hostname {
        if let Some(fault) = hostname::fault(name) {
            return Err(RouteFault::accepted(FieldPath::field("hostname"), reason::UNSUPPORTED_VALUE, fault));
        }
        let rewrite = there.get_or_insert_default();
        rewrite
            .host
            .get_or_insert_with(|| HttpHostModifier { name: Some(name.clone()), ..HttpHostModifier::default() });
    }
    if let Some(path) = path {
        let path = path_modifier(path).map_err(|fault| fault.within("path"))?;
        let rewrite = there.get_or_insert_default();
        rewrite.path.get_or_insert(ExtendedHttpPathModifier { path, regex_match_replace: None });
    }
    Ok(())
}

/// The change of the path: exactly the value that its type asks for.
fn path_modifier(path: &ApiPathModifier) -> Result<HttpPathModifier, RouteFault> {
    let ApiPathModifier { r#type, replace_full_path, replace_prefix_match } = path;
    let fault = |field: &'static str, message: String| {
        Err(RouteFault::accepted(FieldPath::field(field), reason::UNSUPPORTED_VALUE, message))
    };
    let (wanted, other, wanted_field, other_field) = match r#type {
        HttpPathModifierType::ReplaceFullPath => {
            (replace_full_path, replace_prefix_match, "replaceFullPath", "replacePrefixMatch")
        }
        HttpPathModifierType::ReplacePrefixMatch => {
            (replace_prefix_match, replace_full_path, "replacePrefixMatch", "replaceFullPath")
        }
        HttpPathModifierType::Other(other) => return Err(unknown_path_type(other)),
    };
    if other.is_some() {
        return fault(other_field, format!("{other_field} has no meaning with type {}: remove it", r#type.as_str()));
    }
    if wanted.is_none() {
        return fault(wanted_field, format!("type {} needs {wanted_field}", r#type.as_str()));
    }
    Ok(HttpPathModifier { full_replace: replace_full_path.clone(), prefix_match_replace: replace_prefix_match.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(r#type: HttpPathModifierType, full: Option<&str>, prefix: Option<&str>) -> HttpUrlRewriteFilter {
        HttpUrlRewriteFilter {
            hostname: None,
            path: Some(ApiPathModifier {
                r#type,
                replace_full_path: full.map(str::to_owned),
                replace_prefix_match: prefix.map(str::to_owned),
            }),
        }
    }

    #[test]
    fn a_path_needs_the_value_of_its_type_and_no_other() {
        let fault = |filter: &HttpUrlRewriteFilter| merge(filter, &mut None).unwrap_err().diagnostic.path.to_string();
        assert_eq!(fault(&path(HttpPathModifierType::ReplaceFullPath, None, None)), "path.replaceFullPath");
        assert_eq!(
            fault(&path(HttpPathModifierType::ReplaceFullPath, Some("/a"), Some("/b"))),
            "path.replacePrefixMatch"
        );
        assert_eq!(fault(&path(HttpPathModifierType::ReplacePrefixMatch, Some("/a"), None)), "path.replaceFullPath");
        assert_eq!(fault(&path(HttpPathModifierType::Other("X".to_owned()), None, None)), "path.type");
    }

    #[test]
    fn host_and_path_come_together_from_two_filters_and_a_second_host_is_refused() {
        let host = HttpUrlRewriteFilter { hostname: Some("a.example.com".to_owned()), path: None };
        let mut there = None;
        merge(&host, &mut there).unwrap();
        let rewrite = there.unwrap();
        assert!(core_host(&rewrite) && !core_path(&rewrite));
        assert!(conflicts(&host, &rewrite));
        let by_header = UrlRewrite {
            host: Some(HttpHostModifier { header: Some("x".to_owned()), ..HttpHostModifier::default() }),
            ..UrlRewrite::default()
        };
        assert!(conflicts(&host, &by_header));
        assert!(!conflicts(&path(HttpPathModifierType::ReplaceFullPath, Some("/"), None), &by_header));
    }
}

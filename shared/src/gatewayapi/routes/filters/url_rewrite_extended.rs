//! `urlRewrite` of an HTTPRouteFilter: the path by a regular expression, the host from a header, the backend or the path.

use crate::api::http_route_filter::{
    EnvoyHttpPathModifier, EnvoyHttpUrlRewriteFilter, HttpHostnameModifier, HttpHostnameModifierType,
};
use crate::diagnostic::FieldPath;
use crate::gatewayapi::decision::RouteFault;
use crate::gatewayapi::routes::filters::Filters;
use crate::gatewayapi::routes::filters::url_rewrite::{core_host, core_path, extended_host, extended_path, twice};
use crate::gatewayapi::routes::outcome::reason;
use crate::gatewayapi::routes::regex;
use crate::ir::url_rewrite::{ExtendedHttpPathModifier, HttpHostModifier, RegexMatchReplace, UrlRewrite};

/// Adds the rewrite to what is there.
///
/// # Errors
/// It rewrites what is rewritten already, or a value is missing or wrong. Paths begin at the HTTPRouteFilter's `spec`.
pub fn merge(rewrite: &EnvoyHttpUrlRewriteFilter, filters: &mut Filters) -> Result<(), RouteFault> {
    let EnvoyHttpUrlRewriteFilter { hostname, path, append_x_forwarded_host } = rewrite;
    if filters.url_rewrite.as_ref().is_some_and(|there| conflicts(rewrite, there)) {
        return Err(twice());
    }
    if let Some(path) = path {
        let path = path_modifier(path).map_err(|fault| fault.within("path").within("urlRewrite"))?;
        filters.url_rewrite.get_or_insert_default().path.get_or_insert(path);
    }
    if let Some(hostname) = hostname {
        let host = host_modifier(hostname).map_err(|fault| fault.within("hostname").within("urlRewrite"))?;
        filters.url_rewrite.get_or_insert_default().host.get_or_insert(host);
    }
    if append_x_forwarded_host.is_some() {
        filters.url_rewrite.get_or_insert_default().append_x_forwarded_host = *append_x_forwarded_host;
    }
    Ok(())
}

/// Whether there is an HTTPRouteFilter with a rewrite before this one, or a URLRewrite of the same thing.
fn conflicts(rewrite: &EnvoyHttpUrlRewriteFilter, there: &UrlRewrite) -> bool {
    let second =
        (extended_path(there) || extended_host(there)) && (rewrite.hostname.is_some() || rewrite.path.is_some());
    second || (rewrite.hostname.is_some() && core_host(there)) || (rewrite.path.is_some() && core_path(there))
}

fn unsupported(path: FieldPath, message: String) -> RouteFault {
    RouteFault::accepted(path, reason::UNSUPPORTED_VALUE, message)
}

fn path_modifier(path: &EnvoyHttpPathModifier) -> Result<ExtendedHttpPathModifier, RouteFault> {
    let EnvoyHttpPathModifier { r#type: _, replace_regex_match } = path;
    let Some(replace) = replace_regex_match.as_ref().filter(|replace| !replace.pattern.is_empty()) else {
        let message = "type ReplaceRegexMatch needs replaceRegexMatch.pattern".to_owned();
        return Err(unsupported(FieldPath::field("pattern").within("replaceRegexMatch"), message));
    };
    check(&replace.pattern, "replaceRegexMatch")?;
    Ok(ExtendedHttpPathModifier {
        regex_match_replace: Some(RegexMatchReplace {
            pattern: replace.pattern.clone(),
            substitution: replace.substitution.clone(),
        }),
        ..ExtendedHttpPathModifier::default()
    })
}

fn host_modifier(hostname: &HttpHostnameModifier) -> Result<HttpHostModifier, RouteFault> {
    let HttpHostnameModifier { r#type, header, path_regex } = hostname;
    let none = HttpHostModifier::default();
    match r#type {
        HttpHostnameModifierType::Header => match header {
            Some(header) => Ok(HttpHostModifier { header: Some(header.clone()), ..none }),
            None => Err(unsupported(FieldPath::field("header"), "type Header needs the name of a header".to_owned())),
        },
        HttpHostnameModifierType::Backend => Ok(HttpHostModifier { backend: Some(true), ..none }),
        HttpHostnameModifierType::PathRegex => match path_regex {
            Some(replace) if !replace.pattern.is_empty() && !replace.substitution.is_empty() => {
                check(&replace.pattern, "pathRegex")?;
                let (pattern, substitution) = (replace.pattern.clone(), replace.substitution.clone());
                Ok(HttpHostModifier { path_regex: Some(RegexMatchReplace { pattern, substitution }), ..none })
            }
            _ => {
                let message = "type PathRegex needs both a pattern and a substitution".to_owned();
                Err(unsupported(FieldPath::field("pathRegex"), message))
            }
        },
    }
}

fn check(pattern: &str, field: &'static str) -> Result<(), RouteFault> {
    regex::fault(pattern).map_or(Ok(()), |fault| {
        let message = format!("{pattern:?} is no regular expression that Envoy takes (RE2): {fault}");
        Err(unsupported(FieldPath::field("pattern").within(field), message))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::http_route_filter::{EnvoyHttpPathModifierType, ReplaceRegexMatch};

    fn by_regex(pattern: &str) -> EnvoyHttpUrlRewriteFilter {
        EnvoyHttpUrlRewriteFilter {
            path: Some(EnvoyHttpPathModifier {
                r#type: EnvoyHttpPathModifierType::ReplaceRegexMatch,
                replace_regex_match: Some(ReplaceRegexMatch {
                    pattern: pattern.to_owned(),
                    substitution: "/x".to_owned(),
                }),
            }),
            ..EnvoyHttpUrlRewriteFilter::default()
        }
    }

    #[test]
    fn a_path_by_regular_expression() {
        let mut filters = Filters::default();
        merge(&by_regex("^/a"), &mut filters).unwrap();
        assert!(extended_path(filters.url_rewrite.as_ref().unwrap()));
        assert_eq!(merge(&by_regex("^/b"), &mut filters).unwrap_err().diagnostic.path.to_string(), "", "a second one");
        for pattern in ["", "a("] {
            let fault = merge(&by_regex(pattern), &mut Filters::default()).unwrap_err();
            assert_eq!(fault.diagnostic.path.to_string(), "urlRewrite.path.replaceRegexMatch.pattern");
        }
    }
}

//! The filter ExtensionRef: an HTTPRouteFilter in the route's namespace, and what its parts do.

use crate::api::http_route_filter::{HttpRouteFilterResource, HttpRouteFilterResourceSpec};
use crate::api::http_route_rule_filter::HttpRouteRuleFilter;
use crate::api::metadata::{Object, ObjectKey};
use crate::diagnostic::FieldPath;
use crate::gatewayapi::decision::RouteFault;
use crate::gatewayapi::routes::filters::{Filters, Place, credential_injection, direct_response, url_rewrite_extended};
use crate::gatewayapi::routes::outcome::reason;
use crate::gatewayapi::routes::scope::Scope;

/// Adds what the object it refers to says. An object that isn't there, or isn't of a kind we know, has requests
/// answered with 500.
pub fn apply(
    scope: &Scope<'_, '_>,
    _: Place<'_>,
    filter: &HttpRouteRuleFilter,
    filters: &mut Filters,
) -> Vec<RouteFault> {
    let Some(reference) = &filter.extension_ref else {
        let message = "a filter of type ExtensionRef needs extensionRef: the object it stands for";
        return vec![filters.refuse(RouteFault::accepted(
            FieldPath::field("extensionRef"),
            reason::UNSUPPORTED_VALUE,
            message,
        ))];
    };
    let ours = reference.group == HttpRouteFilterResource::GROUP && reference.kind == HttpRouteFilterResource::KIND;
    let of_extension = scope
        .view
        .config()
        .extension_kinds
        .iter()
        .any(|(group, kind)| *group == reference.group && *kind == reference.kind);
    if !ours && !of_extension {
        let message = format!(
            "{}/{} is no kind of filter; use {}/{}, or name the kind in extensionManager.resources of the configuration",
            reference.group,
            reference.kind,
            HttpRouteFilterResource::GROUP,
            HttpRouteFilterResource::KIND
        );
        return vec![filters.refuse(RouteFault::accepted(
            FieldPath::field("kind").within("extensionRef"),
            reason::UNSUPPORTED_VALUE,
            message,
        ))];
    }
    let key = ObjectKey::new(&scope.route.namespace, &reference.name);
    let object = if ours { scope.view.http_route_filter(&key) } else { None };
    match object {
        Some(object) => spec(scope, &key, &object.spec, filters)
            .err()
            .map(|fault| fault.about(&key).within("extensionRef"))
            .into_iter()
            .collect(),
        None => {
            let message = format!("there is no {} {key}: create it, or correct the reference", reference.kind);
            vec![filters.refuse(RouteFault::reference(
                FieldPath::field("name").within("extensionRef"),
                reason::UNSUPPORTED_VALUE,
                message,
            ))]
        }
    }
}

/// Adds the parts of an HTTPRouteFilter, up to the first one that can't be used.
fn spec(
    scope: &Scope<'_, '_>,
    key: &ObjectKey,
    spec: &HttpRouteFilterResourceSpec,
    filters: &mut Filters,
) -> Result<(), RouteFault> {
    let HttpRouteFilterResourceSpec { url_rewrite, direct_response, credential_injection, matches } = spec;
    if !matches.is_empty() {
        if !filters.matches.is_empty() {
            let message = "a rule takes one HTTPRouteFilter with matches: put all of them into one";
            return Err(RouteFault::accepted(FieldPath::field("matches"), reason::UNSUPPORTED_VALUE, message));
        }
        filters.matches.clone_from(matches);
    }
    if let Some(rewrite) = url_rewrite {
        url_rewrite_extended::merge(rewrite, filters)?;
    }
    if let Some(response) = direct_response {
        direct_response::apply(scope, response, filters)?;
    }
    if let Some(injection) = credential_injection {
        credential_injection::apply(scope, key, injection, filters)?;
    }
    Ok(())
}

impl RouteFault {
    /// The same fault, found in the HTTPRouteFilter `key`: its path is inside that object, so the words say so, and the
    /// route's own path ends at the reference.
    fn about(mut self, key: &ObjectKey) -> Self {
        let inside = self.diagnostic.path.clone();
        self.diagnostic.path = FieldPath::root();
        let field = if inside.is_root() { String::new() } else { format!(", spec.{inside}") };
        self.diagnostic.message = format!("HTTPRouteFilter {key}{field}: {}", self.diagnostic.message);
        self
    }
}

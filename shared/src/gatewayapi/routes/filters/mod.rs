//! The filters of a rule or backendRef: one registry, in which each kind of filter stands once.

pub mod conflicts;
pub mod cors;
pub mod credential_injection;
pub mod direct_response;
pub mod extension_ref;
pub mod header_modifier;
pub mod mirror;
pub mod redirect;
pub mod request_headers;
pub mod response_headers;
pub mod url_rewrite;
pub mod url_rewrite_extended;

use crate::api::http_route_filter::HttpRouteMatchFilter;
use crate::api::http_route_rule_filter::HttpRouteRuleFilter;
use crate::diagnostic::FieldPath;
use crate::gatewayapi::decision::RouteFault;
use crate::gatewayapi::routes::outcome::reason;
use crate::gatewayapi::routes::scope::Scope;
use crate::ir::credential_injection::CredentialInjection;
use crate::ir::custom_response::CustomResponse;
use crate::ir::header::AddHeader;
use crate::ir::http_route::HttpRoute as IrRoute;
use crate::ir::mirror::MirrorPolicy;
use crate::ir::redirect::Redirect;
use crate::ir::security::cors::Cors;
use crate::ir::url_rewrite::UrlRewrite;

/// What the filters seen so far amount to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filters {
    /// A response without a backend; once there is one, further filters don't matter.
    pub direct_response: Option<CustomResponse>,
    /// A redirect.
    pub redirect: Option<Redirect>,
    /// A credential for the backend.
    pub credential_injection: Option<CredentialInjection>,
    /// A rewrite of host and path.
    pub url_rewrite: Option<UrlRewrite>,
    /// Headers to add or set on requests.
    pub add_request_headers: Vec<AddHeader>,
    /// Headers to remove from requests.
    pub remove_request_headers: Vec<String>,
    /// Headers to add or set on responses.
    pub add_response_headers: Vec<AddHeader>,
    /// Headers to remove from responses.
    pub remove_response_headers: Vec<String>,
    /// Copies of requests.
    pub mirrors: Vec<MirrorPolicy>,
    /// Cross-origin rules.
    pub cors: Option<Cors>,
    /// Conditions on requests besides those of the rule.
    pub matches: Vec<HttpRouteMatchFilter>,
}

/// What a filter is applied to: the rule it belongs to and its place there.
#[derive(Clone, Copy, Debug)]
pub struct Place<'p> {
    /// The IR name of the rule; what the filter makes is named after it.
    pub rule: &'p str,
    /// Its index in the list of filters.
    pub index: usize,
}

/// One kind of filter.
struct Step {
    /// The filter's `type`.
    kind: &'static str,
    /// Adds it to what is there. Faults have paths that begin at the filter.
    apply: fn(&Scope<'_, '_>, Place<'_>, &HttpRouteRuleFilter, &mut Filters) -> Vec<RouteFault>,
}

/// Every kind of filter we serve.
const STEPS: &[Step] = &[
    Step { kind: "RequestHeaderModifier", apply: request_headers::apply },
    Step { kind: "ResponseHeaderModifier", apply: response_headers::apply },
    Step { kind: "RequestRedirect", apply: redirect::apply },
    Step { kind: "URLRewrite", apply: url_rewrite::apply },
    Step { kind: "RequestMirror", apply: mirror::apply },
    Step { kind: "CORS", apply: cors::apply },
    Step { kind: "ExtensionRef", apply: extension_ref::apply },
];

/// What the filters of a rule (IR name `rule`) or backendRef amount to, and what is wrong with them. Faults have paths
/// that begin at the rule.
#[must_use]
pub fn filters(scope: &Scope<'_, '_>, rule: &str, list: &[HttpRouteRuleFilter]) -> (Filters, Vec<RouteFault>) {
    let mut filters = Filters::default();
    let mut faults = Vec::new();
    for (index, filter) in list.iter().enumerate() {
        if filters.direct_response.is_some() {
            break;
        }
        let found = match STEPS.iter().find(|step| step.kind == filter.r#type.as_str()) {
            Some(step) => (step.apply)(scope, Place { rule, index }, filter, &mut filters),
            None => {
                let known = STEPS.iter().map(|step| step.kind).collect::<Vec<_>>().join(", ");
                let message =
                    format!("filters of type {:?} are not served; use one of {known}", filter.r#type.as_str());
                vec![filters.refuse(RouteFault::accepted(FieldPath::field("type"), reason::UNSUPPORTED_VALUE, message))]
            }
        };
        faults.extend(found.into_iter().map(|fault| fault.within_item("filters", index)));
    }
    faults.extend(conflicts::between(&mut filters));
    (filters, faults)
}

impl Filters {
    /// Has requests answered with 500, because a filter can't do what it was meant to do.
    fn refuse(&mut self, fault: RouteFault) -> RouteFault {
        self.direct_response = Some(CustomResponse { status_code: Some(500), ..CustomResponse::default() });
        fault
    }

    /// Puts the filters on an IR route.
    pub fn put_on(&self, route: &mut IrRoute) {
        let Self {
            direct_response,
            redirect,
            credential_injection,
            url_rewrite,
            add_request_headers,
            remove_request_headers,
            add_response_headers,
            remove_response_headers,
            mirrors,
            cors,
            matches: _,
        } = self;
        route.direct_response = direct_response.clone().map(Box::new);
        route.redirect = redirect.clone().map(Box::new);
        route.credential_injection = credential_injection.clone().map(Box::new);
        route.url_rewrite = url_rewrite.clone().map(Box::new);
        route.add_request_headers.clone_from(add_request_headers);
        route.remove_request_headers.clone_from(remove_request_headers);
        route.add_response_headers.clone_from(add_response_headers);
        route.remove_response_headers.clone_from(remove_response_headers);
        route.mirrors.clone_from(mirrors);
        route.cors = cors.clone().map(Box::new);
    }
}

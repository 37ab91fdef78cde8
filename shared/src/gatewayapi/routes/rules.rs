//! One rule of an HTTPRoute → its IR routes, without hostnames, and where they go.

use std::sync::Arc;

use crate::api::http_route::{HttpBackendRef, HttpRoute, HttpRouteRule};
use crate::diagnostic::FieldPath;
use crate::gatewayapi::backends::{Destination, Target, destination};
use crate::gatewayapi::decision::{FaultCondition, RouteFault};
use crate::gatewayapi::metadata::resource_metadata;
use crate::gatewayapi::routes::filters::{Filters, filters};
use crate::gatewayapi::routes::matches::{Combination, combinations, put_on};
use crate::gatewayapi::routes::outcome::reason;
use crate::gatewayapi::routes::scope::Scope;
use crate::gatewayapi::routes::stat_name::stat_name;
use crate::gatewayapi::routes::{cors_preflight, retry, session_persistence, timeout};
use crate::ir::custom_response::CustomResponse;
use crate::ir::destination::{BackendWeights, DestinationSetting, RouteDestination};
use crate::ir::http_route::HttpRoute as IrRoute;
use crate::ir::metadata::ResourceMetadata;

/// What the rules of one route became under one Gateway.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rules {
    /// IR routes, rule by rule and match by match, without hostnames.
    pub routes: Vec<IrRoute>,
    /// What is wrong. Paths begin at the route.
    pub faults: Vec<RouteFault>,
    /// The rules that aren't accepted, by index, in order.
    pub dropped: Vec<usize>,
}

impl Rules {
    /// No rules.
    pub const NONE: Self = Self { routes: Vec::new(), faults: Vec::new(), dropped: Vec::new() };
}

/// All rules of a route.
#[must_use]
pub fn rules(scope: &Scope<'_, '_>, route: &HttpRoute) -> Rules {
    let mut rules = Rules::default();
    for (index, rule) in route.spec.rules.iter().enumerate() {
        let made = one(scope, route, index, rule);
        if made.faults.iter().any(|fault| fault.condition == FaultCondition::Accepted) {
            rules.dropped.push(index);
        }
        rules.routes.extend(made.routes);
        rules.faults.extend(made.faults.into_iter().map(|fault| fault.within_item("rules", index).within("spec")));
    }
    rules
}

/// One rule's part.
#[derive(Default)]
struct Rule {
    routes: Vec<IrRoute>,
    faults: Vec<RouteFault>,
}

fn one(scope: &Scope<'_, '_>, route: &HttpRoute, index: usize, rule: &HttpRouteRule) -> Rule {
    let name = rule_name(scope, index);
    let (filters, mut faults) = filters(scope, &name, &rule.filters);
    // A mirror without endpoints leaves the rule working.
    let filters_failed = faults.iter().any(|fault| fault.condition != FaultCondition::BackendsAvailable);
    let metadata = Arc::new(resource_metadata(route, rule.name.clone()));
    let mut routes = match matched_routes(rule, &name, &filters, &metadata) {
        Ok(routes) => routes,
        Err(fault) => {
            faults.push(fault);
            return Rule { routes: Vec::new(), faults };
        }
    };
    let backends = backends(scope, &name, &rule.backend_refs, &mut faults);
    if filters_failed {
        for route in &mut routes {
            route.direct_response = Some(status(500));
        }
        return Rule { routes, faults };
    }
    match backends.verdict(&filters, &mut faults) {
        Verdict::Answer(code) => {
            for route in routes.iter_mut().filter(|route| !is_answered(route)) {
                route.direct_response = Some(status(code));
            }
        }
        Verdict::Forward => {
            if routes.iter().any(|route| !is_answered(route)) {
                let stat_name = stat_name(scope, index, rule.name.as_deref(), &backends.names).map(Arc::from);
                let destination = Arc::new(RouteDestination {
                    name: name.into(),
                    stat_name,
                    settings: backends.settings,
                    backend_cluster_refs: Vec::new(),
                    metadata: Some(metadata),
                });
                for route in routes.iter_mut().filter(|route| !is_answered(route)) {
                    route.destination = Some(Arc::clone(&destination));
                }
            }
        }
    }
    Rule { routes, faults }
}

/// The IR name of a rule and its destination: `httproute/namespace/name/rule/0`.
fn rule_name(scope: &Scope<'_, '_>, index: usize) -> String {
    let kind = scope.kind.kind().to_lowercase();
    format!("{kind}/{}/{}/rule/{index}", scope.route.namespace, scope.route.name)
}

/// Whether Envoy answers itself.
fn is_answered(route: &IrRoute) -> bool {
    route.direct_response.is_some() || route.redirect.is_some()
}

fn status(code: u32) -> Box<CustomResponse> {
    Box::new(CustomResponse { status_code: Some(code), ..CustomResponse::default() })
}

/// One IR route for each combination of matches, with the rule's features; a rule without matches takes every request.
fn matched_routes(
    rule: &HttpRouteRule,
    name: &str,
    filters: &Filters,
    metadata: &Arc<ResourceMetadata>,
) -> Result<Vec<IrRoute>, RouteFault> {
    let session =
        rule.session_persistence.as_ref().map(|session| session_persistence::session_persistence(session, name));
    let session = session.transpose()?;
    let template = |suffix: &dyn std::fmt::Display| {
        let mut route = IrRoute {
            name: format!("{name}/match/{suffix}").into(),
            metadata: Some(Arc::clone(metadata)),
            session_persistence: session.clone().map(Box::new),
            timeout: timeout::timeout(rule),
            retry: retry::retry(rule).map(Box::new),
            ..IrRoute::default()
        };
        filters.put_on(&mut route);
        route
    };
    let combinations = combinations(&rule.matches, &filters.matches);
    if combinations.is_empty() {
        return Ok(vec![template(&-1)]);
    }
    let mut routes = Vec::with_capacity(combinations.len());
    for (index, combination) in combinations.into_iter().enumerate() {
        let mut route = template(&index);
        put_on(&mut route, combination)?;
        let Combination { rule: rule_match, cookies: _ } = combination;
        let preflight = cors_preflight::preflight(&route, rule_match.map(|(_, rule_match)| rule_match));
        routes.push(route);
        routes.extend(preflight);
    }
    Ok(routes)
}

/// The backends of a rule that take part in the traffic.
struct Backends {
    settings: Vec<DestinationSetting>,
    /// `namespace/name` of each backendRef, and nothing for one with weight 0.
    names: Vec<String>,
    weights: BackendWeights,
    /// Whether a reference is broken, and whether one has no endpoints.
    broken: bool,
    without_endpoints: bool,
    /// How many references there are, those with weight 0 included.
    refs: usize,
}

/// What a rule does with its requests.
enum Verdict {
    Forward,
    Answer(u32),
}

fn backends(scope: &Scope<'_, '_>, rule: &str, refs: &[HttpBackendRef], faults: &mut Vec<RouteFault>) -> Backends {
    let mut backends = Backends {
        settings: Vec::with_capacity(refs.len()),
        names: vec![String::new(); refs.len()],
        weights: BackendWeights::default(),
        broken: false,
        without_endpoints: false,
        refs: refs.len(),
    };
    let wants_names = scope.envoy_proxy().is_some_and(|proxy| proxy.telemetry.is_some());
    for (index, reference) in refs.iter().enumerate() {
        let target = Target::from(reference);
        let Destination { mut setting, fault } = destination(scope, &target, format!("{rule}/backend/{index}").into());
        if let Some(fault) = fault {
            if fault.condition == FaultCondition::BackendsAvailable {
                backends.without_endpoints = true;
            } else {
                backends.broken = true;
                setting.invalid = true;
            }
            faults.push(fault.within_item("backendRefs", index));
        }
        if setting.weight == Some(0) {
            continue;
        }
        if wants_names && let Some(name) = backends.names.get_mut(index) {
            *name = format!("{}/{}", target.namespace.unwrap_or(&scope.route.namespace), target.name);
        }
        count(&mut backends.weights, &setting);
        backends.settings.push(setting);
    }
    backends
}

/// Adds the weight of a setting to those of its sort.
fn count(weights: &mut BackendWeights, setting: &DestinationSetting) {
    let sum = if setting.invalid {
        &mut weights.invalid
    } else if setting.is_dynamic_resolver || setting.is_custom_backend || !setting.endpoints.is_empty() {
        &mut weights.valid
    } else {
        &mut weights.no_endpoints
    };
    *sum = sum.saturating_add(setting.weight.unwrap_or(0));
}

impl Backends {
    /// Forwards requests where a usable backend has a share; 503 is for backends without endpoints, 500 for all else.
    fn verdict(&self, filters: &Filters, faults: &mut Vec<RouteFault>) -> Verdict {
        if self.weights.valid == 0 {
            return Verdict::Answer(if self.without_endpoints && !self.broken { 503 } else { 500 });
        }
        let resolver = self.settings.iter().position(|setting| setting.is_dynamic_resolver);
        let Some(resolver) = resolver else { return Verdict::Forward };
        let host_from_path = filters
            .url_rewrite
            .as_ref()
            .and_then(|rewrite| rewrite.host.as_ref())
            .is_some_and(|host| host.path_regex.is_some());
        let fault = if host_from_path {
            // The host would come from the path, where nothing keeps it away from loopback addresses.
            let message =
                "a dynamic resolver can't take its host from the path: remove the hostname rewrite of type PathRegex";
            RouteFault::reference(FieldPath::field("filters"), reason::UNSUPPORTED_VALUE, message)
        } else if self.refs > 1 {
            let message = "a dynamic resolver has to be the only backend of a rule: move it to a rule of its own";
            RouteFault::reference(FieldPath::root(), reason::INVALID_BACKEND_REF, message)
                .within_item("backendRefs", resolver)
        } else {
            return Verdict::Forward;
        };
        faults.push(fault);
        Verdict::Answer(500)
    }
}

//! One rule of an HTTPRoute → its IR routes, without hostnames, and where they go.

use std::sync::Arc;

use crate::api::http_route::{HttpBackendRef, HttpRoute, HttpRouteRule};
use crate::diagnostic::FieldPath;
use crate::gatewayapi::backends::{Destination, Target, destination};
use crate::gatewayapi::decision::{FaultCondition, RouteFault};
use crate::gatewayapi::metadata::resource_metadata;
use crate::gatewayapi::routes::filters::{Filters, filters};
use crate::gatewayapi::routes::fragment::Rules;
use crate::gatewayapi::routes::matches::{Combination, combinations, put_on};
use crate::gatewayapi::routes::outcome::reason;
use crate::gatewayapi::routes::scope::Scope;
use crate::gatewayapi::routes::stat_name::stat_name;
use crate::gatewayapi::routes::{cors_preflight, retry, session_persistence, timeout};
use crate::ir::custom_response::CustomResponse;
use crate::ir::destination::{BackendWeights, DestinationSetting, RouteDestination};
use crate::ir::http_route::HttpRoute as IrRoute;
use crate::ir::metadata::ResourceMetadata;

/// All rules of a route: IR routes, rule by rule and match by match, without hostnames.
#[must_use]
pub fn rules(scope: &Scope<'_, '_>, route: &HttpRoute) -> Rules<Vec<IrRoute>> {
    let mut rules: Rules<Vec<IrRoute>> = Rules::default();
    for (index, rule) in route.spec.rules.iter().enumerate() {
        let made = one(scope, route, index, rule);
        if made.faults.iter().any(|fault| fault.condition == FaultCondition::Accepted) {
            rules.dropped.push(index);
        }
        rules.pieces.extend(made.routes);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::any_object::AnyObject;
    use crate::api::metadata::{Object, ObjectKey};
    use crate::config::Config;
    use crate::gatewayapi::decision::RouteKind;
    use crate::gatewayapi::view::{Attachments, View};
    use crate::resources::{Resources, decode};

    const BACKENDS: &str = "
apiVersion: v1
kind: Service
metadata: {name: good, namespace: shop}
spec: {ports: [{name: http, port: 80}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: good-1, namespace: shop, labels: {kubernetes.io/service-name: good}}
addressType: IPv4
ports: [{name: http, port: 8080, protocol: TCP}]
endpoints: [{addresses: [10.0.0.1]}]
---
apiVersion: v1
kind: Service
metadata: {name: empty, namespace: shop}
spec: {ports: [{name: http, port: 80}]}
---
apiVersion: v1
kind: Service
metadata: {name: elsewhere, namespace: shop}
spec: {type: ExternalName, externalName: example.com, ports: [{port: 80}]}
---
apiVersion: v1
kind: Service
metadata: {name: far, namespace: other}
spec: {ports: [{name: http, port: 80}]}
---
";

    /// What a route with these rules (YAML) becomes beside [`BACKENDS`].
    fn made(rules_text: &str) -> Rules<Vec<IrRoute>> {
        let route = format!(
            "{BACKENDS}apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {{name: cart, namespace: shop}}\nspec:\n  rules:\n{rules_text}"
        );
        let decoded = decode::manifests("test.yaml", &route);
        assert_eq!(decoded.errors, []);
        let objects: Vec<AnyObject> = decoded.objects.into_iter().map(|found| found.object).collect();
        let resources: Resources = objects.into_iter().collect();
        let (attachments, config) = (Attachments::default(), Config::default());
        let view = View::new(&resources, &attachments, &config);
        let route = Arc::clone(resources.http_routes().get(&ObjectKey::new("shop", "cart")).unwrap());
        rules(&Scope { view: &view, kind: RouteKind::Http, route: &route.key(), gateway: None }, &route)
    }

    fn with_backends(refs: &str) -> Rules<Vec<IrRoute>> {
        made(&format!("  - backendRefs: [{refs}]\n"))
    }

    /// The status requests are answered with; none where they are forwarded.
    fn answer(made: &Rules<Vec<IrRoute>>) -> Option<u32> {
        let [route] = made.pieces.as_slice() else { panic!("one route: {:?}", made.pieces) };
        assert_ne!(route.destination.is_some(), route.direct_response.is_some());
        route.direct_response.as_ref().and_then(|response| response.status_code)
    }

    #[test]
    fn requests_are_answered_where_no_backend_can_take_them() {
        for (refs, code, found) in [
            ("{name: good, port: 80}", None, ""),
            ("", Some(500), ""),
            ("{name: good, port: 80, weight: 0}", Some(500), ""),
            ("{name: gone, port: 80}", Some(500), "BackendNotFound spec.rules[0].backendRefs[0].name"),
            ("{name: good}", Some(500), "PortNotSpecified spec.rules[0].backendRefs[0].port"),
            ("{name: good, port: 81}", Some(500), "PortNotFound spec.rules[0].backendRefs[0].port"),
            ("{name: elsewhere, port: 80}", Some(500), "UnsupportedValue spec.rules[0].backendRefs[0].name"),
            (
                "{name: far, namespace: other, port: 80}",
                Some(500),
                "RefNotPermitted spec.rules[0].backendRefs[0].namespace",
            ),
            ("{name: x, kind: Pod}", Some(500), "InvalidKind spec.rules[0].backendRefs[0].kind"),
            ("{name: x, group: apps, kind: Service}", Some(500), "InvalidKind spec.rules[0].backendRefs[0].group"),
            ("{name: empty, port: 80}", Some(503), "EndpointsNotFound spec.rules[0].backendRefs[0].name"),
            (
                "{name: good, port: 80}, {name: empty, port: 80}",
                None,
                "EndpointsNotFound spec.rules[0].backendRefs[1].name",
            ),
        ] {
            let made = with_backends(refs);
            assert_eq!(answer(&made), code, "{refs}");
            let shown: Vec<_> =
                made.faults.iter().map(|f| format!("{} {}", f.diagnostic.reason, f.diagnostic.path)).collect();
            assert_eq!(shown.join(";"), found, "{refs}");
            assert!(made.dropped.is_empty(), "{refs}");
        }
    }

    #[test]
    fn a_broken_reference_keeps_its_share() {
        let made = with_backends("{name: good, port: 80, weight: 3}, {name: gone, port: 80, weight: 1}");
        let destination = made.pieces[0].destination.as_ref().unwrap();
        let shares: Vec<_> = destination.settings.iter().map(|s| (s.weight, s.invalid, s.endpoints.len())).collect();
        assert_eq!(shares, [(Some(3), false, 1), (Some(1), true, 0)]);
        let both = with_backends("{name: empty, port: 80}, {name: gone, port: 80}");
        assert_eq!(answer(&both), Some(500), "a broken reference is worse than one without endpoints");
    }

    #[test]
    fn the_matches_of_a_rule_share_one_destination() {
        let made = made(
            "  - matches: [{path: {value: /a}}, {path: {value: /b}}]\n    backendRefs: [{name: good, port: 80}]\n",
        );
        let names: Vec<_> = made.pieces.iter().map(|route| &*route.name).collect();
        assert_eq!(names, ["httproute/shop/cart/rule/0/match/0", "httproute/shop/cart/rule/0/match/1"]);
        let [a, b] = [0, 1].map(|index| made.pieces[index].destination.as_ref().unwrap());
        assert!(Arc::ptr_eq(a, b));
        assert_eq!(
            (&*a.name, &*a.settings[0].name),
            ("httproute/shop/cart/rule/0", "httproute/shop/cart/rule/0/backend/0")
        );
    }

    #[test]
    fn a_rule_that_cant_be_used_takes_no_other_with_it() {
        let made = made(
            "  - matches: [{path: {type: RegularExpression, value: 'a('}}]
  - filters: [{type: Magic}]
    backendRefs: [{name: good, port: 80}]
  - filters: [{type: RequestMirror, requestMirror: {backendRef: {name: empty, port: 80}}}]
    backendRefs: [{name: good, port: 80}]
",
        );
        assert_eq!(made.dropped, [0, 1]);
        let answers: Vec<_> = made.pieces.iter().map(|route| route.direct_response.is_some()).collect();
        assert_eq!(answers, [true, false], "no route for the first rule, an answer for the second");
        let paths: Vec<_> = made.faults.iter().map(|fault| fault.diagnostic.path.to_string()).collect();
        assert_eq!(
            paths,
            [
                "spec.rules[0].matches[0].path.value",
                "spec.rules[1].filters[0].type",
                "spec.rules[2].filters[0].requestMirror.backendRef.name"
            ]
        );
        assert!(made.pieces[1].mirrors.is_empty());
    }
}

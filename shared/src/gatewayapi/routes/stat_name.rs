//! The name a destination's statistics go by, made from the pattern `telemetry.metrics.clusterStatName`.

use crate::gatewayapi::routes::scope::Scope;

/// The name for rule `rule` of the route, if its EnvoyProxy has a pattern. `backends` are `namespace/name`.
#[must_use]
pub fn stat_name(scope: &Scope<'_, '_>, rule: usize, rule_name: Option<&str>, backends: &[String]) -> Option<String> {
    let metrics = scope.envoy_proxy()?.telemetry.as_ref()?.metrics.as_ref()?;
    let pattern = metrics.cluster_stat_name.as_deref().filter(|pattern| !pattern.is_empty())?;
    Some(
        pattern
            .replace("%ROUTE_NAME%", &scope.route.name)
            .replace("%ROUTE_NAMESPACE%", &scope.route.namespace)
            .replace("%ROUTE_KIND%", &scope.kind.kind().to_lowercase())
            .replace("%ROUTE_RULE_NAME%", rule_name.unwrap_or("-"))
            .replace("%ROUTE_RULE_NUMBER%", &rule.to_string())
            .replace("%BACKEND_REFS%", &backends.join("|")),
    )
}

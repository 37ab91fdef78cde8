//! Features of routes and listeners that the IR knows and this version doesn't build. They are reported, and where one of
//! them protects a route, the route answers 500 rather than being served without it.

use crate::ir::{EnvoyExtensionFeatures, HttpListener, HttpRoute, SecurityFeatures, TrafficFeatures};

/// A feature that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::xds) struct Missing {
    /// Its name in the IR.
    pub(in crate::xds) feature: &'static str,
    /// Whether the route must not be served without it.
    pub(in crate::xds) protects: bool,
}

/// What a route asks for that isn't built.
pub(in crate::xds) fn of_route(route: &HttpRoute) -> Vec<Missing> {
    let mut missing = Vec::new();
    let mut note = |absent: bool, feature, protects| {
        if !absent {
            missing.push(Missing { feature, protects });
        }
    };
    if let Some(traffic) = route.traffic.as_deref() {
        let TrafficFeatures {
            cluster: _,
            rate_limit,
            bandwidth_limit,
            fault_injection,
            retry: _,
            response_override,
            compression,
            http_upgrade: _,
            telemetry: _,
            request_buffer,
        } = traffic;
        note(rate_limit.is_none(), "traffic.rateLimit", false);
        note(bandwidth_limit.is_none(), "traffic.bandwidthLimit", false);
        note(fault_injection.is_none(), "traffic.faultInjection", false);
        note(response_override.is_none(), "traffic.responseOverride", false);
        note(compression.is_empty(), "traffic.compression", false);
        note(request_buffer.is_none(), "traffic.requestBuffer", false);
    }
    if let Some(security) = route.security.as_deref() {
        let SecurityFeatures { cors: _, csrf, jwt, oidc, api_key_auth, basic_auth, ext_auth, authorization } = security;
        note(csrf.is_none(), "security.csrf", true);
        note(jwt.is_none(), "security.jwt", true);
        note(oidc.is_none(), "security.oidc", true);
        note(api_key_auth.is_none(), "security.apiKeyAuth", true);
        note(basic_auth.is_none(), "security.basicAuth", true);
        note(ext_auth.is_none(), "security.extAuth", true);
        note(authorization.is_none(), "security.authorization", true);
    }
    if let Some(extensions) = route.envoy_extensions.as_deref() {
        let EnvoyExtensionFeatures { ext_procs, wasms, luas, dynamic_modules } = extensions;
        note(ext_procs.is_empty(), "envoyExtensions.extProcs", true);
        note(wasms.is_empty(), "envoyExtensions.wasms", true);
        note(luas.is_empty(), "envoyExtensions.luas", true);
        note(dynamic_modules.is_empty(), "envoyExtensions.dynamicModules", true);
    }
    missing
}

/// What a listener asks for that isn't built.
pub(in crate::xds) fn of_listener(listener: &HttpListener) -> Option<Missing> {
    listener.geo_ip_provider.as_ref().map(|_| Missing { feature: "geoIPProvider", protects: false })
}

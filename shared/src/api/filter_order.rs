//! Where HTTP filters stand in the chain.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::rules::rule;
use crate::api::string_enum::string_enum;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::Serialize;

/// Puts one HTTP filter before or after another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule("(has(self.before) || has(self.after))", "set before or after"),
    rule(
        "(has(self.before) && !has(self.after)) || (!has(self.before) && has(self.after))",
        "set before or after, not both",
    ),
]))]
pub struct FilterPosition {
    #[schemars(schema_with = "placeable")]
    pub name: EnvoyFilter,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "placeable")]
    pub before: Option<EnvoyFilter>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "placeable")]
    pub after: Option<EnvoyFilter>,
}

/// All filters but the router, which is always the last.
fn placeable(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = EnvoyFilter::json_schema(generator);
    if let Some(serde_json::Value::Array(names)) = schema.get_mut("enum") {
        names.retain(|name| name != EnvoyFilter::Router.as_str());
    }
    schema
}

string_enum! {
    /// An HTTP filter, by the name Envoy has for it.
    pub open enum EnvoyFilter {
        CustomResponse = "envoy.filters.http.custom_response",
        HealthCheck = "envoy.filters.http.health_check",
        Fault = "envoy.filters.http.fault",
        Cors = "envoy.filters.http.cors",
        Csrf = "envoy.filters.http.csrf",
        HeaderMutation = "envoy.filters.http.header_mutation",
        ExtAuthz = "envoy.filters.http.ext_authz",
        ApiKeyAuth = "envoy.filters.http.api_key_auth",
        BasicAuth = "envoy.filters.http.basic_auth",
        Oauth2 = "envoy.filters.http.oauth2",
        JwtAuthn = "envoy.filters.http.jwt_authn",
        SessionPersistence = "envoy.filters.http.stateful_session",
        Buffer = "envoy.filters.http.buffer",
        Lua = "envoy.filters.http.lua",
        ExtProc = "envoy.filters.http.ext_proc",
        Wasm = "envoy.filters.http.wasm",
        DynamicModules = "envoy.filters.http.dynamic_modules",
        GeoIp = "envoy.filters.http.geoip",
        Rbac = "envoy.filters.http.rbac",
        LocalRateLimit = "envoy.filters.http.local_ratelimit",
        RateLimit = "envoy.filters.http.ratelimit",
        BandwidthLimit = "envoy.filters.http.bandwidth_limit",
        GrpcWeb = "envoy.filters.http.grpc_web",
        GrpcStats = "envoy.filters.http.grpc_stats",
        CredentialInjector = "envoy.filters.http.credential_injector",
        Compressor = "envoy.filters.http.compressor",
        DynamicForwardProxy = "envoy.filters.http.dynamic_forward_proxy",
        Router = "envoy.filters.http.router",
    }
}

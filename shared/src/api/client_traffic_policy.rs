//! The ClientTrafficPolicy kind: how listeners treat clients.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::client_connection::ClientConnection;
use crate::api::client_connection::ClientTimeout;
use crate::api::client_tls::ClientTlsSettings;
use crate::api::client_traffic::ClientIpDetectionSettings;
use crate::api::client_traffic::HealthCheckSettings;
use crate::api::client_traffic::PathEscapedSlashAction;
use crate::api::client_traffic::RequestIdAction;
use crate::api::client_traffic::WithUnderscoresAction;
use crate::api::client_traffic::XfccCertData;
use crate::api::client_traffic::XfccForwardMode;
use crate::api::http_route_rule_filter::HttpHeader;
use crate::api::http2::Http2Settings;
use crate::api::metadata::ObjectMeta;
use crate::api::metadata::object;
use crate::api::policy_status::PolicyStatus;
use crate::api::policy_target::LocalPolicyTargetReferenceWithSectionName;
use crate::api::policy_target::TargetSelector;
use crate::api::rules::rule;
use crate::api::rules::target_rules;
use crate::api::string_enum::string_enum;
use crate::api::string_match::StringMatch;
use crate::api::tcp_keepalive::TcpKeepalive;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// How listeners treat clients.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientTrafficPolicy {
    #[serde(default)]
    #[schemars(!default)]
    pub metadata: ObjectMeta,
    pub spec: ClientTrafficPolicySpec,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<PolicyStatus>,
}

/// What the policy is attached to and what it sets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = target_rules(
    &["Gateway", "ListenerSet"],
    &[],
    &[],
)))]
pub struct ClientTrafficPolicySpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_ref: Option<LocalPolicyTargetReferenceWithSectionName>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub target_refs: Vec<LocalPolicyTargetReferenceWithSectionName>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub target_selectors: Vec<TargetSelector>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcp_keepalive: Option<TcpKeepalive>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enable_proxy_protocol: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy_protocol: Option<ProxyProtocolSettings>,
    #[serde(rename = "clientIPDetection", default, skip_serializing_if = "Option::is_none")]
    pub client_ip_detection: Option<ClientIpDetectionSettings>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<ClientTlsSettings>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathSettings>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headers: Option<HeaderSettings>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<ClientTimeout>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<ClientConnection>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http1: Option<Http1Settings>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http2: Option<Http2Settings>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http3: Option<Http3Settings>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grpc: Option<GrpcSettings>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health_check: Option<HealthCheckSettings>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheme: Option<SchemeHeaderTransform>,
}

/// The PROXY protocol on connections of clients.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("minProperties" = 0))]
pub struct ProxyProtocolSettings {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optional: Option<bool>,
}

/// What happens to paths before anything else looks at them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PathSettings {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escaped_slashes_action: Option<PathEscapedSlashAction>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disable_merge_slashes: Option<bool>,
}

/// What happens to headers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule(
        "!(has(self.preserveXRequestID) && has(self.requestID))",
        "set requestID; preserveXRequestID is its deprecated form",
    ),
]))]
pub struct HeaderSettings {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enable_envoy_headers: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disable_rate_limit_headers: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x_forwarded_client_cert: Option<XForwardedClientCert>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with_underscores_action: Option<WithUnderscoresAction>,
    #[serde(rename = "preserveXRequestID", default, skip_serializing_if = "Option::is_none")]
    pub preserve_x_request_id: Option<bool>,
    #[serde(rename = "requestID", default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<RequestIdAction>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub early_request_headers: Option<EnvoyHttpHeaderFilter>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_response_headers: Option<EnvoyHttpHeaderFilter>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<HostSettings>,
}

/// Changes to headers, beyond those the Gateway API knows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyHttpHeaderFilter {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 64))]
    #[schemars(extend("x-kubernetes-list-map-keys" = ["name"], "x-kubernetes-list-type" = "map"))]
    pub set: Vec<HttpHeader>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 64))]
    #[schemars(extend("x-kubernetes-list-map-keys" = ["name"], "x-kubernetes-list-type" = "map"))]
    pub add: Vec<HttpHeader>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 64))]
    #[schemars(extend("x-kubernetes-list-map-keys" = ["name"], "x-kubernetes-list-type" = "map"))]
    pub add_if_absent: Vec<HttpHeader>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 64), extend("x-kubernetes-list-type" = "set"))]
    pub remove: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 64))]
    pub remove_on_match: Vec<StringMatch>,
}

/// How certificates of clients are passed on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule(
        "(has(self.certDetailsToAdd) && self.certDetailsToAdd.size() > 0) ? (self.mode == 'AppendForward' || \
         self.mode == 'SanitizeSet') : true",
        "certDetailsToAdd needs mode AppendForward or SanitizeSet",
    ),
]))]
pub struct XForwardedClientCert {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<XfccForwardMode>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 5))]
    pub cert_details_to_add: Vec<XfccCertData>,
}

/// What happens to the host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HostSettings {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strip_trailing_host_dot: Option<bool>,
}

/// HTTP/1 on connections of clients.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Http1Settings {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enable_trailers: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preserve_header_case: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http10: Option<Http10Settings>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disable_safe_max_connection_duration: Option<bool>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored_upgrade_types: Vec<StringMatch>,
}

/// HTTP/1.0 on connections of clients.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Http10Settings {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub use_default_host: Option<bool>,
}

/// HTTP/3; it has no settings, being there switches it on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Http3Settings {}

/// gRPC on connections of clients.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GrpcSettings {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enable_web: Option<bool>,
}

string_enum! {
    /// What happens to `:scheme`.
    pub closed enum SchemeHeaderTransform {
        Preserve = "Preserve",
        MatchBackend = "MatchBackend",
    }
}

object!(ClientTrafficPolicy, "gateway.envoyproxy.io", "v1alpha1", "ClientTrafficPolicy", "clienttrafficpolicies", true);

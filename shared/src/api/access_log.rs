//! Access log settings of EnvoyProxy: which sinks get which lines.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::cluster_settings::ClusterSettings;
use crate::api::cluster_settings::EnvoyBackendRef;
use crate::api::http_route_rule_filter::HttpHeader;
use crate::api::references::BackendObjectReference;
use crate::api::rules::ONLY_BACKEND_REFS;
use crate::api::rules::SOME_BACKEND_OR_HOST;
use crate::api::rules::TELEMETRY_GROUPS;
use crate::api::rules::TELEMETRY_KINDS;
use crate::api::rules::exactly_for;
use crate::api::rules::rule;
use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;
use std::collections::BTreeMap;

/// Access logs of the proxies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProxyAccessLog {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disable: Option<bool>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 50))]
    pub settings: Vec<ProxyAccessLogSetting>,
}

/// One format, with the sinks that get it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProxyAccessLogSetting {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<ProxyAccessLogFormat>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 10))]
    pub matches: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 50), !default, !skip_serializing_if)]
    pub sinks: Vec<ProxyAccessLogSink>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#type: Option<ProxyAccessLogType>,
}

/// A place for access logs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    exactly_for("ALS", "als"),
    exactly_for("File", "file"),
    exactly_for("OpenTelemetry", "openTelemetry"),
]))]
pub struct ProxyAccessLogSink {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#type: Option<ProxyAccessLogSinkType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub als: Option<AlsEnvoyProxyAccessLog>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FileEnvoyProxyAccessLog>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_telemetry: Option<OpenTelemetryEnvoyProxyAccessLog>,
}

/// Form of a line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule("has(self.type) && self.type == 'Text' ? has(self.text) : true", "type Text needs text"),
    rule("has(self.type) && self.type == 'Text' ? !has(self.json) : true", "type Text takes no json"),
    rule("has(self.type) && self.type == 'JSON' ? has(self.json) : true", "type JSON needs json"),
    rule("has(self.type) && self.type == 'JSON' ? !has(self.text) : true", "type JSON takes no text"),
    rule("!has(self.type) ? (has(self.text) || has(self.json)) : true", "set text or json"),
]))]
pub struct ProxyAccessLogFormat {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#type: Option<ProxyAccessLogFormatType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub json: BTreeMap<String, String>,
}

string_enum! {
    /// Whether listeners or routes log.
    pub closed enum ProxyAccessLogType {
        Listener = "Listener",
        Route = "Route",
        Upstream = "Upstream",
    }
}

string_enum! {
    /// Kind of place.
    pub closed enum ProxyAccessLogSinkType {
        Als = "ALS",
        File = "File",
        OpenTelemetry = "OpenTelemetry",
    }
}

/// A gRPC access log service.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule("self.type == 'HTTP' || !has(self.http)", "http needs type HTTP"),
    ONLY_BACKEND_REFS,
    rule("has(self.backendRefs) && self.backendRefs.size() > 0", "set backendRefs"),
    TELEMETRY_KINDS,
    TELEMETRY_GROUPS,
]))]
pub struct AlsEnvoyProxyAccessLog {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend_ref: Option<BackendObjectReference>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    pub backend_refs: Vec<EnvoyBackendRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend_settings: Option<ClusterSettings>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub log_name: Option<String>,
    pub r#type: AlsEnvoyProxyAccessLogType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<AlsEnvoyProxyHttpAccessLogConfig>,
}

string_enum! {
    /// Whether HTTP or TCP is logged there.
    pub closed enum AlsEnvoyProxyAccessLogType {
        Http = "HTTP",
        Tcp = "TCP",
    }
}

/// A file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileEnvoyProxyAccessLog {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub path: Option<String>,
}

/// An OpenTelemetry collector for access logs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    SOME_BACKEND_OR_HOST,
    ONLY_BACKEND_REFS,
    TELEMETRY_KINDS,
    TELEMETRY_GROUPS,
    rule(
        "!has(self.resources) || !has(self.resourceAttributes)",
        "set resourceAttributes; resources is its deprecated form",
    ),
]))]
pub struct OpenTelemetryEnvoyProxyAccessLog {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend_ref: Option<BackendObjectReference>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    pub backend_refs: Vec<EnvoyBackendRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend_settings: Option<ClusterSettings>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), extend("default" = 4317))]
    pub port: Option<i32>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub resources: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub resource_attributes: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 32))]
    pub headers: Vec<HttpHeader>,
}

string_enum! {
    /// Text or JSON.
    pub closed enum ProxyAccessLogFormatType {
        Text = "Text",
        Json = "JSON",
    }
}

/// Which headers the service gets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AlsEnvoyProxyHttpAccessLogConfig {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub request_headers: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub response_headers: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub response_trailers: Vec<String>,
}

//! External processors.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::cluster_settings::ClusterSettings;
use crate::api::cluster_settings::EnvoyBackendRef;
use crate::api::constraints::ErrorStatus;
use crate::api::duration::Duration;
use crate::api::references::BackendObjectReference;
use crate::api::rules::BACKEND_GROUPS;
use crate::api::rules::BACKEND_KINDS;
use crate::api::rules::ONLY_BACKEND_REFS;
use crate::api::rules::rule;
use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

string_enum! {
    /// How a body is sent to an external processor.
    pub closed enum ExtProcBodyProcessingMode {
        Streamed = "Streamed",
        Buffered = "Buffered",
        FullDuplexStreamed = "FullDuplexStreamed",
        BufferedPartial = "BufferedPartial",
    }
}

/// A service that reads and changes requests and answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    ONLY_BACKEND_REFS,
    BACKEND_KINDS,
    BACKEND_GROUPS,
    rule(
        "!(has(self.failOpen) && self.failOpen == true && has(self.processingMode) && \
         ((has(self.processingMode.request) && has(self.processingMode.request.body) && \
         self.processingMode.request.body == 'FullDuplexStreamed') || (has(self.processingMode.response) && \
         has(self.processingMode.response.body) && self.processingMode.response.body == 'FullDuplexStreamed')))",
        "body mode FullDuplexStreamed can't fail open: set failOpen to false",
    ),
    rule(
        "!(has(self.shadowMode) && self.shadowMode == true && has(self.processingMode) && \
         ((has(self.processingMode.request) && has(self.processingMode.request.body) && \
         self.processingMode.request.body != 'Streamed') || (has(self.processingMode.response) && \
         has(self.processingMode.response.body) && self.processingMode.response.body != 'Streamed')))",
        "shadowMode needs body mode Streamed, or none",
    ),
]))]
pub struct ExtProc {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend_ref: Option<BackendObjectReference>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    pub backend_refs: Vec<EnvoyBackendRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend_settings: Option<ClusterSettings>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_timeout: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub fail_open: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processing_mode: Option<ExtProcProcessingMode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shadow_mode: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<ExtProcMetadata>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ErrorStatus")]
    pub status_on_error: Option<i32>,
}

/// What is sent to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExtProcProcessingMode {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<ProcessingModeOptions>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<ProcessingModeOptions>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_mode_override: bool,
}

/// What is sent of requests, or of answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProcessingModeOptions {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<ExtProcBodyProcessingMode>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(regex(
        pattern = r"^(connection\.|source\.|destination\.|request\.|response\.|upstream\.|xds\.route_)[a-z_1-9]*$"
    )))]
    pub attributes: Vec<String>,
}

/// Dynamic metadata it may read and write, by namespace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExtProcMetadata {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accessible_namespaces: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 8), extend("x-kubernetes-validations" = [
        rule(
            "self.all(f, !f.startsWith('envoy.filters.http'))",
            "namespaces of Envoy's own HTTP filters can't be written",
        ),
    ]))]
    pub writable_namespaces: Vec<String>,
}

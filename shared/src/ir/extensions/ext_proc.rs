//! External processors.

use crate::api::duration::Duration;
use crate::api::ext_proc::ExtProcBodyProcessingMode;
use crate::ir::absence::is_default;
use crate::ir::destination::RouteDestination;
use crate::ir::traffic::TrafficFeatures;
use serde::Deserialize;
use serde::Serialize;
use std::sync::Arc;

/// A service that reads and changes requests and responses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExtProc {
    /// Unique name; the filter goes by it.
    #[serde(default)]
    pub name: String,
    /// The server.
    #[serde(default)]
    pub destination: RouteDestination,
    /// How the server is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic: Option<Arc<TrafficFeatures>>,
    /// The authority header.
    #[serde(default)]
    pub authority: String,
    /// How long each answer may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_timeout: Option<Duration>,
    /// Whether its answers are ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shadow_mode: Option<bool>,
    /// Whether requests pass when it fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail_open: Option<bool>,
    /// Whether it sees request headers.
    #[serde(default, skip_serializing_if = "is_default")]
    pub request_header_processing: bool,
    /// How it sees request bodies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_body_processing_mode: Option<ExtProcBodyProcessingMode>,
    /// Whether it sees response headers.
    #[serde(default, skip_serializing_if = "is_default")]
    pub response_header_processing: bool,
    /// How it sees response bodies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_body_processing_mode: Option<ExtProcBodyProcessingMode>,
    /// Attributes it is told with requests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub request_attributes: Vec<String>,
    /// Attributes it is told with responses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub response_attributes: Vec<String>,
    /// Metadata it is told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forwarding_metadata_namespaces: Vec<String>,
    /// Metadata it may set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub receiving_metadata_namespaces: Vec<String>,
    /// Whether it may change what it sees.
    #[serde(default, skip_serializing_if = "is_default")]
    pub allow_mode_override: bool,
    /// The status when it fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_on_error: Option<i32>,
}

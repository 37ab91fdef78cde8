//! Extension servers in the EnvoyGateway configuration: what they get called for and how they are reached.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::backend::FqdnEndpoint;
use crate::api::backend::IpEndpoint;
use crate::api::backend::UnixSocket;
use crate::api::duration::Duration;
use crate::api::fraction::Fraction;
use crate::api::quantity::Quantity;
use crate::api::references::SecretObjectReference;
use crate::api::string_enum::string_enum;
use serde::Deserialize;
use serde::Serialize;

/// An extension server and what it takes part in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExtensionManager {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<GroupVersionKind>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub policy_resources: Vec<GroupVersionKind>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub backend_resources: Vec<GroupVersionKind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hooks: Option<ExtensionHooks>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<ExtensionService>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fail_open: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_message_size: Option<Quantity>,
}

/// A kind of object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupVersionKind {
    pub group: String,
    pub version: String,
    pub kind: String,
}

/// Points at which an extension server is called.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExtensionHooks {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub xds_translator: Option<XdsTranslatorHooks>,
}

/// How an extension server is reached.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExtensionService {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hostname: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fqdn: Option<FqdnEndpoint>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip: Option<IpEndpoint>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unix: Option<UnixSocket>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<ExtensionTls>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<ExtensionServiceRetry>,
}

/// Points inside the translation to xDS.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct XdsTranslatorHooks {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pre: Vec<XdsTranslatorHook>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub post: Vec<XdsTranslatorHook>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translation: Option<TranslationConfig>,
}

string_enum! {
    /// A point inside the translation to xDS.
    pub closed enum XdsTranslatorHook {
        VirtualHost = "VirtualHost",
        Route = "Route",
        HttpListener = "HTTPListener",
        Cluster = "Cluster",
        Endpoints = "Endpoints",
        Translation = "Translation",
    }
}

/// TLS towards an extension server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExtensionTls {
    pub certificate_ref: SecretObjectReference,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_certificate_ref: Option<SecretObjectReference>,
}

/// Retries of calls to an extension server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExtensionServiceRetry {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial_backoff: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_backoff: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backoff_multiplier: Option<Fraction>,
    #[serde(rename = "RetryableStatusCodes", default, skip_serializing_if = "Vec::is_empty")]
    pub retryable_status_codes: Vec<String>,
}

/// Which resources the translation hook gets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TranslationConfig {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listener: Option<ListenerTranslationConfig>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route: Option<RouteTranslationConfig>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<ClusterTranslationConfig>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<SecretTranslationConfig>,
}

/// Whether the hook gets listeners.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListenerTranslationConfig {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include_all: Option<bool>,
}

/// Whether the hook gets routes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RouteTranslationConfig {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include_all: Option<bool>,
}

/// Whether the hook gets clusters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClusterTranslationConfig {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include_all: Option<bool>,
}

/// Whether the hook gets secrets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SecretTranslationConfig {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include_all: Option<bool>,
}

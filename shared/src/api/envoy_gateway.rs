//! The EnvoyGateway configuration file.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::duration::Duration;
use crate::api::envoy_gateway_extension::ExtensionManager;
use crate::api::envoy_gateway_provider::EnvoyGatewayProvider;
use crate::api::envoy_gateway_rate_limit::EnvoyGatewayRateLimit;
use crate::api::envoy_gateway_telemetry::EnvoyGatewayMetrics;
use crate::api::envoy_gateway_telemetry::EnvoyGatewayTraces;
use crate::api::envoy_proxy::EnvoyProxySpec;
use crate::api::log_level::LogLevel;
use crate::api::quantity::Quantity;
use crate::api::string_enum::string_enum;
use serde::Deserialize;
use serde::Serialize;
use std::collections::BTreeMap;

/// The whole configuration file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyGateway {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gateway: Option<EnvoyGatewayController>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<EnvoyGatewayProvider>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logging: Option<EnvoyGatewayLogging>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub admin: Option<EnvoyGatewayAdmin>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub telemetry: Option<EnvoyGatewayTelemetry>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub xds_server: Option<XdsServer>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<EnvoyGatewayRateLimit>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extension_manager: Option<ExtensionManager>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extension_managers: Vec<ExtensionManager>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extension_apis: Option<ExtensionApiSettings>,
    #[serde(rename = "gatewayAPI", default, skip_serializing_if = "Option::is_none")]
    pub gateway_api: Option<GatewayApiSettings>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime_flags: Option<RuntimeFlags>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub envoy_proxy: Option<EnvoyProxySpec>,
}

/// The name this controller answers to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyGatewayController {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub controller_name: Option<String>,
}

/// Logs of the control plane.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyGatewayLogging {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub level: BTreeMap<String, LogLevel>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoder: Option<EnvoyGatewayLogEncoder>,
}

/// The admin endpoint of the control plane.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyGatewayAdmin {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<EnvoyGatewayAdminAddress>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub enable_dump_config: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub enable_pprof: bool,
}

/// Metrics and traces of the control plane.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyGatewayTelemetry {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<EnvoyGatewayMetrics>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traces: Option<EnvoyGatewayTraces>,
}

/// Limits of the xDS server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct XdsServer {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_connection_age: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_connection_age_grace: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_receive_message_size: Option<Quantity>,
}

/// Which extension APIs are switched on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExtensionApiSettings {
    #[serde(default)]
    pub enable_envoy_patch_policy: bool,
    #[serde(default)]
    pub enable_backend: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disable_lua: Option<bool>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub enable_lua: bool,
    #[serde(rename = "enableSDSSecretRef", default)]
    pub enable_sds_secret_ref: bool,
}

/// Which experimental Gateway API kinds are switched on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GatewayApiSettings {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub enabled: Vec<String>,
}

/// Flags that change behaviour during migrations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RuntimeFlags {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub enabled: Vec<RuntimeFlag>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disabled: Vec<RuntimeFlag>,
}

string_enum! {
    /// One of these flags.
    pub open enum RuntimeFlag {
        XdsNameSchemeV2 = "XDSNameSchemeV2",
        EndpointSliceIndex = "EndpointSliceIndex",
        PerResourceSystemCaSecret = "PerResourceSystemCASecret",
    }
}

string_enum! {
    /// Form of log lines.
    pub closed enum EnvoyGatewayLogEncoder {
        Text = "Text",
        Json = "JSON",
    }
}

/// Where the admin endpoint listens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyGatewayAdminAddress {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
}

//! How listeners treat clients: the pieces of ClientTrafficPolicy that the IR carries on.

use crate::api::constraints::Cidr;
use crate::api::rules::rule;
use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

string_enum! {
    /// What happens to `%2F`, `%2f`, `%5C` and `%5c` in a path.
    pub closed enum PathEscapedSlashAction {
        KeepUnchanged = "KeepUnchanged",
        RejectRequest = "RejectRequest",
        UnescapeAndRedirect = "UnescapeAndRedirect",
        UnescapeAndForward = "UnescapeAndForward",
    }
}

string_enum! {
    /// What happens to headers with underscores in their name.
    pub closed enum WithUnderscoresAction {
        Allow = "Allow",
        RejectRequest = "RejectRequest",
        DropHeader = "DropHeader",
    }
}

string_enum! {
    /// What happens to `x-request-id`.
    pub closed enum RequestIdAction {
        PreserveOrGenerate = "PreserveOrGenerate",
        Preserve = "Preserve",
        Generate = "Generate",
        Disable = "Disable",
    }
}

string_enum! {
    /// What happens to `x-forwarded-client-cert`.
    pub closed enum XfccForwardMode {
        Sanitize = "Sanitize",
        ForwardOnly = "ForwardOnly",
        AppendForward = "AppendForward",
        SanitizeSet = "SanitizeSet",
        AlwaysForwardOnly = "AlwaysForwardOnly",
    }
}

string_enum! {
    /// A part of the client's certificate.
    pub closed enum XfccCertData {
        Subject = "Subject",
        Cert = "Cert",
        Chain = "Chain",
        Dns = "DNS",
        Uri = "URI",
    }
}

/// How the client's address is found. One way is set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule(
        "[has(self.xForwardedFor), has(self.customHeader), has(self.directSourceIP)].filter(x, x).size() == 1",
        "set exactly one of xForwardedFor, customHeader and directSourceIP",
    ),
]))]
pub struct ClientIpDetectionSettings {
    /// From `x-forwarded-for`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x_forwarded_for: Option<XForwardedForSettings>,
    /// From another header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom_header: Option<CustomHeaderExtensionSettings>,
    /// From the connection alone.
    #[serde(rename = "directSourceIP", default, skip_serializing_if = "Option::is_none")]
    pub direct_source_ip: Option<DirectSourceIpSettings>,
}

/// The client's address is the connection's; this has no options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DirectSourceIpSettings {}

/// Which entry of `x-forwarded-for` is the client. One way to tell is set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule(
        "(has(self.numTrustedHops) && !has(self.trustedCIDRs)) || (!has(self.numTrustedHops) && \
         has(self.trustedCIDRs))",
        "set numTrustedHops or trustedCIDRs, not both",
    ),
]))]
pub struct XForwardedForSettings {
    /// The one before so many trusted proxies.
    #[schemars(extend("minimum" = null))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub num_trusted_hops: Option<u32>,
    /// The last one outside of these ranges.
    #[schemars(with = "Vec<Cidr>", length(min = 1))]
    #[serde(rename = "trustedCIDRs", default, skip_serializing_if = "Vec::is_empty")]
    pub trusted_cidrs: Vec<String>,
    /// Whether the header is left as it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disable_x_forwarded_for_append: Option<bool>,
}

/// A header that holds the client's address.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomHeaderExtensionSettings {
    /// Its name.
    #[schemars(length(min = 1, max = 255), regex(pattern = "^[A-Za-z0-9-]+$"))]
    pub name: String,
    /// Whether requests without it are refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail_closed: Option<bool>,
}

/// A path on which the proxy itself answers health checks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HealthCheckSettings {
    /// The path.
    #[schemars(length(min = 1, max = 1024))]
    pub path: String,
}

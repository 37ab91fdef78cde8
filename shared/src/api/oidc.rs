//! Login by OpenID Connect: cookies and requests that are not redirected.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::cluster_settings::ClusterSettings;
use crate::api::cluster_settings::EnvoyBackendRef;
use crate::api::constraints::HeaderName;
use crate::api::duration::Duration;
use crate::api::references::BackendObjectReference;
use crate::api::references::SecretObjectReference;
use crate::api::rules::NO_RETRY_STATUSES;
use crate::api::rules::NO_RETRY_TIMEOUT;
use crate::api::rules::ONLY_BACKEND_REFS;
use crate::api::rules::rule;
use crate::api::string_match::StringMatch;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// Names of the cookies tokens are kept in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OidcCookieNames {
    /// The access token's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_token: Option<String>,
    /// The id token's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id_token: Option<String>,
}

/// Attributes of the cookies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OidcCookieConfig {
    /// `SameSite`: Lax, Strict or None.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["Lax", "Strict", "None"]))]
    pub same_site: Option<String>,
}

/// Requests that get 401 instead of a redirect to the login.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OidcDenyRedirect {
    /// Those with one of these headers.
    #[serde(default)]
    #[schemars(length(min = 1, max = 16), !default)]
    pub headers: Vec<OidcDenyRedirectHeader>,
}

/// A header and what it must be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OidcDenyRedirectHeader {
    /// Its name.
    #[schemars(length(min = 1))]
    pub name: String,
    /// How its value is compared.
    #[serde(flatten)]
    pub string_match: StringMatch,
}

/// Clients known by a login.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule(
        "(has(self.clientID) && !has(self.clientIDRef)) || (!has(self.clientID) && has(self.clientIDRef))",
        "set clientID or clientIDRef, not both",
    ),
    rule(
        "!(has(self.forwardAccessToken) && self.forwardAccessToken && has(self.forwardIDToken) && \
         self.forwardIDToken.header.lowerAscii() == 'authorization')",
        "forwardAccessToken uses the Authorization header: choose another one for forwardIDToken",
    ),
]))]
pub struct Oidc {
    pub provider: OidcProvider,
    #[serde(rename = "clientID", default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub client_id: Option<String>,
    #[serde(rename = "clientIDRef", default, skip_serializing_if = "Option::is_none")]
    pub client_id_ref: Option<SecretObjectReference>,
    pub client_secret: SecretObjectReference,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cookie_names: Option<OidcCookieNames>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cookie_config: Option<OidcCookieConfig>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"))]
    pub cookie_domain: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<String>,
    #[serde(rename = "redirectURL", default, skip_serializing_if = "Option::is_none")]
    pub redirect_url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deny_redirect: Option<OidcDenyRedirect>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logout_path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forward_access_token: Option<bool>,
    #[serde(rename = "forwardIDToken", default, skip_serializing_if = "Option::is_none")]
    pub forward_id_token: Option<OidcTokenForwarding>,
    #[serde(rename = "defaultTokenTTL", default, skip_serializing_if = "Option::is_none")]
    pub default_token_ttl: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = true))]
    pub refresh_token: Option<bool>,
    #[serde(rename = "defaultRefreshTokenTTL", default, skip_serializing_if = "Option::is_none")]
    pub default_refresh_token_ttl: Option<Duration>,
    #[serde(rename = "csrfTokenTTL", default, skip_serializing_if = "Option::is_none")]
    pub csrf_token_ttl: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disable_token_encryption: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass_through_auth_header: Option<bool>,
}

/// Where the login is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    ONLY_BACKEND_REFS,
    NO_RETRY_TIMEOUT,
    NO_RETRY_STATUSES,
]))]
pub struct OidcProvider {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend_ref: Option<BackendObjectReference>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    pub backend_refs: Vec<EnvoyBackendRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend_settings: Option<ClusterSettings>,
    #[schemars(length(min = 1))]
    pub issuer: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorization_endpoint: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_endpoint: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_session_endpoint: Option<String>,
}

/// The header a token is passed on in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OidcTokenForwarding {
    #[schemars(with = "HeaderName", extend("x-kubernetes-validations" = [
        rule("self.lowerAscii() != 'host'", "the host can't be replaced: use another header"),
    ]))]
    pub header: String,
}

//! Login by OpenID Connect.

use crate::api::duration::Duration;
use crate::api::oidc::OidcCookieConfig;
use crate::api::oidc::OidcCookieNames;
use crate::api::oidc::OidcDenyRedirect;
use crate::ir::absence::is_default;
use crate::ir::bytes::PrivateBytes;
use crate::ir::destination::RouteDestination;
use crate::ir::traffic::TrafficFeatures;
use serde::Deserialize;
use serde::Serialize;
use std::sync::Arc;

/// Login by OpenID Connect.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Oidc {
    /// Unique name; the filter goes by it.
    #[serde(default)]
    pub name: String,
    /// Who logs people in.
    #[serde(default)]
    pub provider: OidcProvider,
    /// The client's id there.
    #[serde(rename = "clientID", default)]
    pub client_id: String,
    /// The client's secret there.
    #[serde(default, skip_serializing_if = "PrivateBytes::is_empty")]
    pub client_secret: PrivateBytes,
    /// The key that signs cookies.
    #[serde(default, skip_serializing_if = "PrivateBytes::is_empty")]
    pub hmac_secret: PrivateBytes,
    /// Scopes asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// Resources asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<String>,
    /// Where the provider sends people back to.
    #[serde(rename = "redirectURL", default, skip_serializing_if = "String::is_empty")]
    pub redirect_url: String,
    /// Its path.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub redirect_path: String,
    /// The path that logs people out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub logout_path: String,
    /// Whether the access token is sent upstream.
    #[serde(default, skip_serializing_if = "is_default")]
    pub forward_access_token: bool,
    /// The header in which the id token is sent upstream.
    #[serde(rename = "forwardIDTokenHeader", default, skip_serializing_if = "Option::is_none")]
    pub forward_id_token_header: Option<String>,
    /// Lifetime of tokens that don't tell theirs.
    #[serde(rename = "defaultTokenTTL", default, skip_serializing_if = "Option::is_none")]
    pub default_token_ttl: Option<Duration>,
    /// Whether tokens are renewed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub refresh_token: bool,
    /// Lifetime of refresh tokens that don't tell theirs.
    #[serde(rename = "defaultRefreshTokenTTL", default, skip_serializing_if = "Option::is_none")]
    pub default_refresh_token_ttl: Option<Duration>,
    /// Lifetime of the CSRF token.
    #[serde(rename = "csrfTokenTTL", default, skip_serializing_if = "Option::is_none")]
    pub csrf_token_ttl: Option<Duration>,
    /// What keeps this filter's cookies apart from others'.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cookie_suffix: String,
    /// Names of cookies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cookie_name_overrides: Option<OidcCookieNames>,
    /// Domain of cookies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cookie_domain: Option<String>,
    /// Attributes of cookies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cookie_config: Option<OidcCookieConfig>,
    /// Whether requests that carry a token skip the login.
    #[serde(default, skip_serializing_if = "is_default")]
    pub pass_through_auth_header: bool,
    /// Whether tokens stand in cookies as they are.
    #[serde(default, skip_serializing_if = "is_default")]
    pub disable_token_encryption: bool,
    /// Requests that get 401 instead of a redirect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deny_redirect: Option<OidcDenyRedirect>,
}

/// Who logs people in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OidcProvider {
    /// The server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination: Option<Arc<RouteDestination>>,
    /// How the server is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic: Option<Arc<TrafficFeatures>>,
    /// Where people log in.
    #[serde(default)]
    pub authorization_endpoint: String,
    /// Where tokens are had.
    #[serde(default)]
    pub token_endpoint: String,
    /// Where people are logged out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_session_endpoint: Option<String>,
}

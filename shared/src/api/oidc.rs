//! Login by OpenID Connect: cookies and requests that are not redirected.

use crate::api::string_match::StringMatch;
use serde::Deserialize;
use serde::Serialize;

/// Names of the cookies tokens are kept in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OidcCookieConfig {
    /// `SameSite`: Lax, Strict or None.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_site: Option<String>,
}

/// Requests that get 401 instead of a redirect to the login.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OidcDenyRedirect {
    /// Those with one of these headers.
    #[serde(default)]
    pub headers: Vec<OidcDenyRedirectHeader>,
}

/// A header and what it must be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OidcDenyRedirectHeader {
    /// Its name.
    pub name: String,
    /// How its value is compared.
    #[serde(flatten)]
    pub string_match: StringMatch,
}

//! How a client stays with its endpoint.

use crate::api::duration::Duration;
use serde::Deserialize;
use serde::Serialize;

/// How a client stays with its endpoint. One of both is set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionPersistence {
    /// By a cookie.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cookie: Option<CookieBasedSessionPersistence>,
    /// By a header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<HeaderBasedSessionPersistence>,
}

/// A session kept in a cookie.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CookieBasedSessionPersistence {
    /// The cookie's name.
    #[serde(default)]
    pub name: String,
    /// How long it lives; a session cookie when not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<Duration>,
}

/// A session kept in a header.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HeaderBasedSessionPersistence {
    /// The header's name.
    #[serde(default)]
    pub name: String,
}

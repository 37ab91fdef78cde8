//! Keeping a client on one endpoint.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::duration::Duration;
use crate::api::string_enum::string_enum;
use serde::Deserialize;
use serde::Serialize;

/// Keeps the requests of a session on one endpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionPersistence {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absolute_timeout: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#type: Option<SessionPersistenceType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cookie_config: Option<CookieConfig>,
}

string_enum! {
    /// What carries the session.
    pub open enum SessionPersistenceType {
        Cookie = "Cookie",
        Header = "Header",
    }
}

/// The session cookie.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CookieConfig {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lifetime_type: Option<CookieLifetimeType>,
}

string_enum! {
    /// Whether the cookie outlives the browser session.
    pub open enum CookieLifetimeType {
        Session = "Session",
        Permanent = "Permanent",
    }
}

//! What security policies say of a route.

pub mod api_key_auth;
pub mod authorization;
pub mod basic_auth;
pub mod cors;
pub mod csrf;
pub mod ext_auth;
pub mod jwt;
pub mod oidc;

use crate::ir::security::api_key_auth::ApiKeyAuth;
use crate::ir::security::authorization::Authorization;
use crate::ir::security::basic_auth::BasicAuth;
use crate::ir::security::cors::Cors;
use crate::ir::security::csrf::Csrf;
use crate::ir::security::ext_auth::ExtAuth;
use crate::ir::security::jwt::Jwt;
use crate::ir::security::oidc::Oidc;
use serde::Deserialize;
use serde::Serialize;

/// Everything security policies say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SecurityFeatures {
    /// Cross-origin rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cors: Option<Box<Cors>>,
    /// Protection against forged cross-site requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub csrf: Option<Box<Csrf>>,
    /// Tokens to check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jwt: Option<Box<Jwt>>,
    /// Login.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oidc: Option<Box<Oidc>>,
    /// API keys to check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key_auth: Option<Box<ApiKeyAuth>>,
    /// Passwords to check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basic_auth: Option<Box<BasicAuth>>,
    /// A service to ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ext_auth: Option<Box<ExtAuth>>,
    /// Who may do what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorization: Option<Box<Authorization>>,
}

//! What a fleet's configuration changes about the bootstrap.

use serde_json::Value;

use super::to_yaml;
use crate::api::envoy_proxy_bootstrap::{BootstrapType, ProxyBootstrap};
use crate::diagnostic::{Diagnostic, FieldPath};

/// The reason of every fault found here.
const INVALID: &str = "Invalid";

/// The text of the bootstrap after what `said` changes about `document`.
///
/// # Errors
/// When the change can't be made; the path begins at `bootstrap`.
pub fn customized(document: Value, said: Option<&ProxyBootstrap>) -> Result<String, Diagnostic> {
    let Some(ProxyBootstrap { r#type, value, json_patches: _ }) = said else { return Ok(to_yaml(&document)) };
    let fault =
        |field: &str, message: &str| Diagnostic::new(FieldPath::field(field).within("bootstrap"), INVALID, message);
    match r#type.unwrap_or(BootstrapType::Replace) {
        BootstrapType::Replace => {
            value.clone().ok_or_else(|| fault("value", "there is nothing to replace the bootstrap with; write a value"))
        }
        BootstrapType::Merge | BootstrapType::JsonPatch => {
            Err(fault("type", "only Replace is built; write the whole bootstrap"))
        }
    }
}

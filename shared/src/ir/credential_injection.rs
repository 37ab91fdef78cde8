//! Credentials added to requests.

use crate::diagnostic::Diagnostic;
use crate::ir::bytes::PrivateBytes;
use crate::ir::validation::fault;
use serde::Deserialize;
use serde::Serialize;

/// A credential to add to requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CredentialInjection {
    /// Unique name; the filter and secret go by it.
    #[serde(default)]
    pub name: String,
    /// The header to write; Authorization when not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// Whether an existing header is replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overwrite: Option<bool>,
    /// The header's value.
    #[serde(default)]
    pub credential: PrivateBytes,
}

impl CredentialInjection {
    /// Faults: there must be a credential.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        if self.credential.is_empty() {
            return vec![fault("credential", "there is no credential to inject; check the Secret it comes from")];
        }
        Vec::new()
    }
}

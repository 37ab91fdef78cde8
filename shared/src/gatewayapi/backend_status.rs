//! The status of a Backend: whether it can be used as it is written.

use crate::api::backend::{Backend, BackendStatus};
use crate::config::Config;
use crate::gatewayapi::backends::validity;
use crate::status::{fails, holds};

/// The status of a Backend. Envoy Gateway writes a refusal as a condition `Invalid` with reason `Accepted`, and people's
/// scripts look for that.
#[must_use]
pub fn backend_status(config: &Config, backend: &Backend) -> BackendStatus {
    let generation = backend.metadata.generation;
    let fault = if config.backend_enabled {
        validity::fault(backend, config.running_on_host).map(|fault| fault.to_string())
    } else {
        Some("Backends are switched off: set extensionApis.enableBackend in the configuration".to_owned())
    };
    let condition = match fault {
        Some(fault) => fails("Invalid", "Accepted", fault, generation),
        None => holds("Accepted", "Accepted", "The Backend can be used", generation),
    };
    BackendStatus { conditions: vec![condition] }
}

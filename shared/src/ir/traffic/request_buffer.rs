//! Buffering of requests.

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use serde::Deserialize;
use serde::Serialize;

/// Requests are read whole before they go on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestBuffer {
    /// The largest body, as a Kubernetes quantity.
    #[serde(default)]
    pub limit: Quantity,
}

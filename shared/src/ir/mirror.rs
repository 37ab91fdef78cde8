//! Copies of requests to other upstreams.

use crate::ir::destination::RouteDestination;
use serde::Deserialize;
use serde::Serialize;
use std::sync::Arc;

/// Where copies of requests go.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MirrorPolicy {
    /// Their upstream.
    pub destination: Arc<RouteDestination>,
    /// How many requests are copied, in percent; all when not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentage: Option<f32>,
}

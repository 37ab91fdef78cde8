//! What a fleet is made of outside of xDS: the bootstrap of its Envoys and, for Kubernetes, its objects.

mod arguments;
mod autoscaler;
pub mod bootstrap;
mod config_map;
mod daemon_set;
mod deployment;
mod disruption_budget;
mod envoy_container;
mod fleet;
pub mod labels;
pub mod object;
mod patch;
mod pod;
pub mod render;
mod service;
mod service_account;
pub mod settings;
mod shutdown_container;
mod strategic_merge;
mod volumes;

pub use arguments::{LogLevels, log_levels};

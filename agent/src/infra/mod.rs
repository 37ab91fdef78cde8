//! Where fleets run.

pub mod host;
pub mod kube;

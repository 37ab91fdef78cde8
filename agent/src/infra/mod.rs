//! Where fleets run.

pub mod host;

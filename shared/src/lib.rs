//! The pure core of the gateway: no IO, no clock, no randomness.
//!
//! Modules stand in the order data flows through them; a module imports only what stands above it.

pub mod api;
pub mod config;
pub mod crds;
pub mod diagnostic;
pub mod explain;
pub mod gatewayapi;
pub mod infra;
pub mod install;
pub mod ir;
pub mod json_operations;
pub mod names;
pub mod pipeline;
pub mod proto;
pub mod resources;
pub mod status;
pub mod xds;

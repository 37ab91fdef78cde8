//! The daemon as a library, so that tests can run all of it in one process.

pub mod access;
pub mod admin;
pub mod admin_client;
pub mod agent;
pub mod api;
pub mod args;
pub mod backoff;
pub mod certificates;
pub mod cluster;
pub mod events;
pub mod evidence;
pub mod explain_service;
pub mod infra;
pub mod leader;
pub mod logging;
pub mod metrics;
pub mod provider;
pub mod runtime;
pub mod settings;
pub mod shutdown_manager;
pub mod status_writer;
pub mod tls;
pub mod topology_webhook;
pub mod translation;
mod waiting;
mod watching;
pub mod xds;

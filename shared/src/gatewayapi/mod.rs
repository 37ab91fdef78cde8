//! From objects to decisions and intermediate representation.
//!
//! A *fleet* is what shares one IR key: one Gateway, or with `mergeGateways` all Gateways of a class. Fleets are made
//! first, from Gateways alone; then each route meets the listeners of the fleets; then assembly puts the routes' pieces
//! into their fleet's listeners. Each piece is made by a function that reaches other objects through a [`view::View`]
//! alone, which notes what it looked up, so that a piece is made again only when an answer changed.

pub mod assembly;
pub mod attachment;
pub mod backend_status;
pub mod backends;
mod ca_certificates;
pub mod classes;
pub mod decision;
pub mod envoy_proxy;
pub mod fleet;
pub mod fleets;
mod frontend_validation;
mod gateway_tls;
mod infra;
mod ip_family;
mod listeners;
mod member;
pub mod memo;
mod metadata;
pub mod object_status;
mod observability;
pub mod overlaps;
pub mod precedence;
mod programmed;
mod proxy_service;
pub mod reference_grants;
pub mod route_statuses;
pub mod routes;
mod sds;
mod service_setting;
mod status_changes;
pub mod statuses;
pub mod subjects;
mod supported_features;
pub mod translate;
pub mod view;

//! The xDS server: what each fleet is served, how the protocol is spoken, and what each proxy said about it.
//!
//! [`cache`] holds one snapshot for each IR key. [`stream`] is the protocol as a state machine without IO: it is told of
//! requests and snapshots and asked for the next response; [`delta`] and [`sotw`] translate its two dialects, [`push`]
//! decides what may go out now and what has to wait. [`session`] drives one machine from one gRPC stream, [`service`]
//! is the tonic side, [`ledger`] remembers what every proxy acknowledged or rejected.

pub mod authentication;
pub mod cache;
pub mod delta;
pub mod ledger;
pub mod metrics;
pub mod node;
pub mod push;
pub mod references;
pub mod rejection;
pub mod service;
pub mod session;
pub mod sotw;
pub mod stream;
pub mod subscription;
pub mod tls;

#[cfg(test)]
mod client;
#[cfg(test)]
mod tests;

//! TLS, from clients and towards upstreams.

pub(super) mod downstream;
pub(super) mod parameters;
pub(super) mod sds;
pub(super) mod secrets;
pub(super) mod upstream;

//! What the tests share: a whole agent in one process, a real xDS client, and the real Envoy.

pub mod echo;
pub mod http;

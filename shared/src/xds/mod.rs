//! From the intermediate representation to encoded Envoy resources.

pub mod encode;
pub mod json;
pub mod table;

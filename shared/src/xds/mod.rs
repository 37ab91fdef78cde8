//! From the intermediate representation to encoded Envoy resources.

pub mod table;

//! Layer 1: which Gateways and listeners a route meets, and why not the others.

pub mod hostnames;
pub mod kinds;
pub mod namespaces;
pub mod parents;

pub use parents::{Meeting, parent_outcome};

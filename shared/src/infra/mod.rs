//! What a fleet is made of outside of xDS: the bootstrap of its Envoys and, for Kubernetes, its objects.

pub mod bootstrap;
pub mod object;
pub mod render;
pub mod settings;

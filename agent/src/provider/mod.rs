//! Where objects come from.

pub mod file;

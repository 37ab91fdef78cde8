//! The input: every object translation may look at, as one immutable snapshot with the look-ups it needs.

pub mod decode;
mod kind;
mod read;
mod store;

pub use kind::Kind;
pub use read::{Read, ReadKind};
pub use store::{Resources, ServiceOwner};

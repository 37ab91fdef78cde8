//! Questions and answers: why an object serves or doesn't, layer by layer.
//!
//! Nothing is decided here. Decisions were made once, by translation, and are values; this turns them into words, with
//! what they rest on and a fix.

pub mod evidence;
pub mod findings;
pub mod report;

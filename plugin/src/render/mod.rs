//! How answers look: one printer for all output, the symbols, and each view.

pub mod printer;
pub mod report;
pub mod status;
pub mod style;
pub mod text;

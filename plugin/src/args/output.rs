//! How an answer is printed: `-o`.

use clap::ValueEnum;

/// The formats of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Document {
    /// YAML.
    Yaml,
    /// JSON, indented.
    Json,
}

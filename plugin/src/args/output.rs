//! How an answer is printed: `-o`.

use clap::ValueEnum;

/// The formats of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Document {
    /// YAML
    Yaml,
    /// JSON, indented
    Json,
}

/// The formats of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Table,
    /// For people with wide terminals
    Wide,
    /// The report as JSON
    Json,
    /// The report as YAML
    Yaml,
    /// The names of the objects, one a line
    Name,
}

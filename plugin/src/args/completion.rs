//! `completion`: what may be asked of it, and kubectl's own way of asking.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// What `completion` is asked.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  # Let kubectl complete `kubectl gateway …` (writes kubectl_complete-gateway beside this program):
  {name} completion --install

  # Let bash complete the program under its own name:
  source <({name} completion bash)
")]
pub struct Completion {
    /// The shell
    #[arg(value_enum, required_unless_present = "install", conflicts_with = "install")]
    pub shell: Option<Shell>,

    /// Write the program kubectl asks for completions, kubectl_complete-gateway
    #[arg(long)]
    pub install: bool,

    /// Where to write it, which must be on PATH (default: beside this program)
    #[arg(long, value_name = "FOLDER", requires = "install")]
    pub into: Option<PathBuf>,
}

/// The shells whose completion is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// GNU bash
    Bash,
    /// zsh
    Zsh,
    /// fish
    Fish,
}

/// The words so far; the last is the one to complete and may be empty.
#[derive(Debug, Args)]
pub struct Complete {
    /// What was typed after `kubectl gateway`.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<OsString>,
}

//! How a run ends: the exit codes, and failures with what to do about them.

use std::fmt;
use std::process::ExitCode;

/// The exit codes, the same for every command and output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// All is well.
    Fine,
    /// The question was answered, and the answer is that something is wrong.
    Problem,
    /// The question could not be answered.
    Undetermined,
    /// No answer came in time.
    TimedOut,
    /// The command line is wrong.
    Usage,
    /// An input file is wrong.
    BadInput,
}

impl Exit {
    /// The number the process ends with.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Problem => 1,
            Self::Undetermined => 3,
            Self::TimedOut => 4,
            Self::Usage => 64,
            Self::BadInput => 65,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Why a command gave up.
#[derive(Debug)]
pub enum Failure {
    /// Said on stderr as `error: …`, with lines that help, and ends with `exit`.
    Told {
        /// How the process ends.
        exit: Exit,
        /// What is wrong, and where.
        message: String,
        /// What to do next, one line each.
        hints: Vec<String>,
    },
    /// Whoever read our output has gone; nothing is left to say.
    ReaderGone,
}

impl Failure {
    /// A failure without hints.
    #[must_use]
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self::Told { exit, message: message.into(), hints: Vec::new() }
    }

    /// The same failure with one more line on what to do.
    #[must_use]
    pub fn hint(mut self, line: impl Into<String>) -> Self {
        if let Self::Told { hints, .. } = &mut self {
            hints.push(line.into());
        }
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Told { message, .. } => f.write_str(message),
            Self::ReaderGone => f.write_str("the reader of the output has gone"),
        }
    }
}

/// Only output is written through `?`: a broken pipe is no fault of anybody's, anything else is.
impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            Self::ReaderGone
        } else {
            Self::new(Exit::Undetermined, format!("the output could not be written: {error}"))
        }
    }
}

/// What a command returns.
pub type Outcome = Result<Exit, Failure>;

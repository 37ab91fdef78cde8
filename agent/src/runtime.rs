//! The whole daemon: who is started, in which order, and who is told what.

use std::ffi::OsStr;
use std::path::Path;
use std::process::ExitCode;

use crate::infra::host::{EXEC_MODE, GUARD_MODE, guard};

/// Runs the program: the agent, or under a hidden subcommand a guard of one Envoy.
#[must_use]
pub fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let outcome = match arguments.as_slice() {
        [mode, directory] if mode == OsStr::new(GUARD_MODE) => guard::run(Path::new(directory)),
        [mode, guard, program, rest @ ..] if mode == OsStr::new(EXEC_MODE) => {
            let guard = guard.to_str().and_then(|pid| pid.parse().ok()).unwrap_or_default();
            Err(guard::become_envoy(guard, Path::new(program), rest))
        }
        _ => Ok(()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

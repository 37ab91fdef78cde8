//! The daemon's entry point: everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    gateway_agent::runtime::main()
}

//! The agent's program once more, under a name that cargo tells the tests of this package and builds before they run.

use std::process::ExitCode;

fn main() -> ExitCode {
    gateway_agent::runtime::main()
}

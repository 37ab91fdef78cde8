//! The program: hands the process's arguments, environment and streams to the library and exits with its answer.

use std::process::ExitCode;

fn main() -> ExitCode {
    kubectl_gateway::main().into()
}

//! The daemon's entry point: everything is in the library.

use std::process::ExitCode;

/// Thousands of small pieces are kept for long: this allocator packs them tighter, and gives back what isn't used.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    gateway_agent::runtime::main()
}

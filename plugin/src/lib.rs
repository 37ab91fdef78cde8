//! The kubectl plugin as a library, so that tests can call its commands.

pub mod args;
pub mod client;
pub mod cluster;
pub mod commands;
pub mod exit;
pub mod input;
pub mod installation;
pub mod offline;
pub mod reach;
pub mod render;

use std::ffi::OsString;
use std::io::{IsTerminal, Write, stderr, stdin, stdout};

use crate::exit::{Exit, Failure};
use crate::render::printer::Printer;
use crate::render::style::{Environment, Style};

/// Runs the command that the process's arguments ask for.
#[must_use]
pub fn main() -> Exit {
    let environment = Environment::of_process(stdout().is_terminal());
    run(std::env::args_os().collect(), &environment, &mut stdin().lock(), &mut stdout().lock(), &mut stderr())
}

/// Runs the command that `words` ask for (the first is the program's own name).
pub fn run(
    words: Vec<OsString>,
    environment: &Environment,
    stdin: &mut dyn std::io::Read,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Exit {
    let program = args::program_name(words.first());
    let cli = match args::parse(words, program) {
        Ok(cli) => cli,
        Err(told) => return tell_usage(&told, environment, out, err),
    };
    let style = Style::resolve(cli.color, environment);
    let mut printer = Printer::new(out, err, style);
    match commands::dispatch(cli, program, &mut input::Reader::new(stdin), &mut printer) {
        Ok(exit) => exit,
        Err(Failure::ReaderGone) => Exit::Fine,
        Err(Failure::Told { exit, message, hints }) => {
            printer.error(&message, &hints);
            exit
        }
    }
}

/// Prints what the argument parser has to say: help and version on stdout, mistakes on stderr.
fn tell_usage(told: &clap::Error, environment: &Environment, out: &mut dyn Write, err: &mut dyn Write) -> Exit {
    let rendered = told.render();
    let text = if Style::resolve(args::Color::Auto, environment).color {
        rendered.ansi().to_string()
    } else {
        rendered.to_string()
    };
    // A stream that is gone leaves nobody to tell.
    if told.use_stderr() {
        let _ = err.write_all(text.as_bytes());
        Exit::Usage
    } else {
        let _ = out.write_all(text.as_bytes());
        Exit::Fine
    }
}

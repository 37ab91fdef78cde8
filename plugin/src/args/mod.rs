//! The command line: what may be typed, and the help that teaches it.

pub mod completion;
pub mod connection;
pub mod explain;
pub mod install;
pub mod output;
pub mod selection;
pub mod source;
pub mod status;
pub mod translate;
pub mod uninstall;
pub mod version;

use std::ffi::OsString;
use std::path::Path;

use clap::{ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

/// How examples and usage call the program when kubectl started it.
const AS_PLUGIN: &str = "kubectl gateway";

/// How examples and usage call the program under any other name.
const AS_PROGRAM: &str = "gateway";

/// What stands for the program's name in the examples.
const NAME: &str = "{name}";

/// Help begins with what the command is for, then shows it, then lists what can be set.
const HELP: &str = "\
{about-with-newline}
{before-help}{all-args}

Usage:
  {usage}{after-help}
";

/// Says whether a Route that is accepted also serves, and if not, which layer stopped it.
#[derive(Debug, Parser)]
#[command(
    name = "kubectl-gateway",
    disable_version_flag = true,
    disable_help_subcommand = true,
    disable_help_flag = true,
    subcommand_required = true,
    before_help = "\
Examples:
  # Why doesn't this Route serve? Asked of files, without any cluster:
  {name} explain httproute/checkout -n shop -f manifests/

  # The same, asked of a running agent:
  {name} explain httproute/checkout -n shop

  # Everything there is, worst first:
  {name} status -A

  # Install the agent into the cluster:
  {name} install

  # What manifests become: statuses, intermediate representation, Envoy resources:
  {name} translate -f manifests/ --to status,ir,xds
"
)]
pub struct Cli {
    /// When to use colour; `auto` means on a terminal, unless NO_COLOR is set or TERM is `dumb`
    #[arg(long, value_enum, default_value_t = Color::Auto, global = true, value_name = "WHEN", help_heading = "Global options")]
    pub color: Color,

    /// Print this help
    #[arg(short, long, action = ArgAction::HelpShort, global = true, help_heading = "Global options")]
    pub help: Option<bool>,

    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// When output carries colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal that can show it
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The verbs; each has a file of the same name in `commands/`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Say why an object serves or doesn't: the layer that stops it, and what fixes it
    Explain(explain::Explain),
    /// List objects, one line each, worst first
    Status(status::Status),
    /// Show what manifests become: statuses, intermediate representation, Envoy resources
    Translate(translate::Translate),
    /// Install the agent: check the cluster, show what will be created, and wait until it is ready
    Install(Box<install::Install>),
    /// Bring the agent to this program's version or to other settings
    Upgrade(Box<install::Upgrade>),
    /// Remove the agent, and keep what is yours
    Uninstall(uninstall::Uninstall),
    /// Print the versions of this program and of what it is compatible with
    Version(version::Version),
    /// Print the completion script of a shell, or install kubectl's
    Completion(completion::Completion),
    /// Print the choices for the last word, as kubectl asks for them
    #[command(name = "__complete", hide = true, disable_help_flag = true)]
    Complete(completion::Complete),
}

/// How the program calls itself, from the name it was started by.
#[must_use]
pub fn program_name(argv0: Option<&OsString>) -> &'static str {
    let stem = argv0.and_then(|word| Path::new(word).file_stem()).and_then(|name| name.to_str());
    if stem.is_some_and(|name| name.starts_with("kubectl-")) { AS_PLUGIN } else { AS_PROGRAM }
}

/// The whole command line, calling itself `program` in help.
#[must_use]
pub fn command(program: &'static str) -> clap::Command {
    named(Cli::command(), program, program.to_owned())
}

/// Gives `command` and what is below it the name `path` in usage, and `program` in examples.
fn named(command: clap::Command, program: &str, path: String) -> clap::Command {
    let examples = command.get_before_help().map(|text| text.to_string().replace(NAME, program));
    let below: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    let mut command = command.bin_name(path.clone()).help_template(HELP);
    if let Some(examples) = examples {
        command = command.before_help(examples);
    }
    for name in below {
        let path = format!("{path} {name}");
        command = command.mut_subcommand(name, |sub| named(sub, program, path));
    }
    command
}

/// Reads the command line.
///
/// # Errors
/// What the parser has to say: help that was asked for, or what is wrong.
pub fn parse(words: Vec<OsString>, program: &'static str) -> Result<Cli, clap::Error> {
    let mut command = command(program);
    let matches = command.try_get_matches_from_mut(words)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command(AS_PLUGIN).debug_assert();
    }

    #[test]
    fn the_name_is_kubectls_when_kubectl_started_us() {
        assert_eq!(program_name(Some(&OsString::from("/usr/local/bin/kubectl-gateway"))), "kubectl gateway");
        assert_eq!(program_name(Some(&OsString::from("kubectl-envoy_gateway.exe"))), "kubectl gateway");
        assert_eq!(program_name(Some(&OsString::from("gateway"))), "gateway");
        assert_eq!(program_name(None), "gateway");
    }

    #[test]
    fn help_shows_examples_before_options_under_our_name() {
        for verb in command(AS_PLUGIN).get_subcommands().filter(|verb| !verb.is_hide_set()) {
            let words = ["kubectl-gateway", verb.get_name(), "--help"].map(OsString::from).to_vec();
            let help = parse(words, AS_PLUGIN).unwrap_err().to_string();
            let examples = help.find("Examples:").unwrap();
            let options = help.find("\nOptions:").or_else(|| help.find("\nGlobal options:")).unwrap();
            let usage = help.find("\nUsage:").unwrap();
            assert!(examples < options && options < usage, "{help}");
            assert!(help.contains(&format!("kubectl gateway {}", verb.get_name())), "{help}");
            assert!(!help.contains(NAME), "{help}");
        }
    }
}

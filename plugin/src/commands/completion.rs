//! `completion`: scripts for shells, and the program kubectl asks for choices.

use std::path::{Path, PathBuf};

use crate::args::completion::{Complete, Completion, Shell};
use crate::exit::{Exit, Failure, Outcome};
use crate::render::printer::Printer;

/// The name under which kubectl looks for a plugin's completions.
const SHIM: &str = "kubectl_complete-gateway";

/// What kubectl reads after the choices: "offer no file names" and "let the shell offer file names".
const NO_FILES: &str = ":4";
const FILES: &str = ":0";

/// Prints a shell's script, or installs kubectl's shim.
///
/// # Errors
/// When the shim or stdout can't be written.
pub fn run(asked: &Completion, program: &'static str, printer: &mut Printer<'_>) -> Outcome {
    let Completion { shell, install: _, into } = asked;
    let Some(shell) = shell else { return install(into.as_deref(), program, printer) };
    let shell = match shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Zsh => clap_complete::Shell::Zsh,
        Shell::Fish => clap_complete::Shell::Fish,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut crate::args::command(program), "kubectl-gateway", &mut script);
    printer.data(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Fine)
}

/// Writes the shim, which only calls this program again.
fn install(into: Option<&Path>, program: &str, printer: &mut Printer<'_>) -> Outcome {
    let here = std::env::current_exe()
        .map_err(|error| Failure::new(Exit::Undetermined, format!("this program's own path is unknown: {error}")))?;
    let folder = match into {
        Some(folder) => folder.to_path_buf(),
        None => here.parent().map(Path::to_path_buf).unwrap_or_default(),
    };
    let shim = folder.join(if cfg!(windows) { format!("{SHIM}.cmd") } else { SHIM.to_owned() });
    let text = if cfg!(windows) {
        format!("@\"{}\" __complete %*\r\n", here.display())
    } else {
        format!("#!/bin/sh\nexec '{}' __complete \"$@\"\n", here.display().to_string().replace('\'', r"'\''"))
    };
    write_executable(&shim, &text).map_err(|error| {
        Failure::new(Exit::Undetermined, format!("{} could not be written: {error}", shim.display()))
            .hint(format!("give a folder on PATH that you may write: {program} completion --install --into ~/bin"))
    })?;
    printer.note(&format!("wrote {}", shim.display()));
    if !is_on_path(&folder) {
        printer.warning(&format!("{} is not on PATH, so kubectl will not find it there", folder.display()));
    }
    Ok(Exit::Fine)
}

/// Writes a file that may be run.
fn write_executable(path: &Path, text: &str) -> std::io::Result<()> {
    std::fs::write(path, text)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

/// Whether programs in `folder` are found by name.
fn is_on_path(folder: &Path) -> bool {
    let Some(path) = std::env::var_os("PATH") else { return false };
    let canonical = |path: PathBuf| path.canonicalize().unwrap_or(path);
    let wanted = canonical(folder.to_path_buf());
    std::env::split_paths(&path).any(|entry| canonical(entry) == wanted)
}

/// Prints the choices for the last word, one a line, then what kubectl shall do beside them.
///
/// # Errors
/// When stdout can't be written.
pub fn complete(asked: &Complete, program: &'static str, printer: &mut Printer<'_>) -> Outcome {
    let Complete { words } = asked;
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let (before, last) = match words.split_last() {
        Some((last, before)) => (before, last.as_str()),
        None => (&[][..], ""),
    };
    let (choices, directive) = choices(&crate::args::command(program), before, last);
    let mut text = String::new();
    for choice in choices {
        text.push_str(&choice);
        text.push('\n');
    }
    text.push_str(directive);
    text.push('\n');
    printer.data(&text)?;
    Ok(Exit::Fine)
}

/// The kinds that can be asked about, as they begin a `TYPE/NAME`.
const KINDS: [&str; 3] = ["httproute/", "gateway/", "gatewayclass/"];

/// What `last` can become after the words `before`.
fn choices(root: &clap::Command, before: &[String], last: &str) -> (Vec<String>, &'static str) {
    let mut command = root;
    let mut open: Option<&clap::Arg> = None;
    for word in before {
        if open.take().is_some() {
            continue;
        }
        if let Some(flag) = find_flag(command, root, word) {
            open = takes_value(flag).then_some(flag);
        } else if let Some(sub) = command.find_subcommand(word) {
            command = sub;
        }
    }
    if let Some(flag) = open {
        return values(flag, last, "");
    }
    if let Some((name, typed)) = last.split_once('=')
        && let Some(flag) = find_flag(command, root, name)
    {
        return values(flag, typed, &format!("{name}="));
    }
    if last.starts_with('-') {
        let longs = flags(command, root).filter_map(clap::Arg::get_long).map(|long| format!("--{long}"));
        return (longs.filter(|choice| choice.starts_with(last)).collect(), NO_FILES);
    }
    let verbs = command.get_subcommands().filter(|sub| !sub.is_hide_set()).map(|sub| sub.get_name().to_owned());
    let positional = command.get_positionals().flat_map(|argument| {
        argument.get_possible_values().into_iter().map(|value| value.get_name().to_owned()).collect::<Vec<_>>()
    });
    let asks_kind = command.get_positionals().any(|argument| argument.get_id() == "object");
    let kinds = KINDS.iter().filter(|_| asks_kind).map(|kind| (*kind).to_owned());
    (verbs.chain(positional).chain(kinds).filter(|choice| choice.starts_with(last)).collect(), NO_FILES)
}

/// The flags of `command`, and those of the root that hold everywhere.
fn flags<'a>(command: &'a clap::Command, root: &'a clap::Command) -> impl Iterator<Item = &'a clap::Arg> {
    let own = command.get_arguments().filter(|argument| !argument.is_positional() && !argument.is_hide_set());
    let global = root.get_arguments().filter(move |argument| {
        argument.is_global_set() && !command.get_arguments().any(|own| own.get_id() == argument.get_id())
    });
    own.chain(global)
}

/// The flag that `word` is.
fn find_flag<'a>(command: &'a clap::Command, root: &'a clap::Command, word: &str) -> Option<&'a clap::Arg> {
    let long = word.strip_prefix("--");
    let short = word.strip_prefix('-').filter(|rest| rest.chars().count() == 1).and_then(|rest| rest.chars().next());
    flags(command, root).find(|argument| {
        (long.is_some() && argument.get_long() == long) || (short.is_some() && argument.get_short() == short)
    })
}

/// Whether the next word belongs to `flag`.
fn takes_value(flag: &clap::Arg) -> bool {
    matches!(flag.get_action(), clap::ArgAction::Set | clap::ArgAction::Append)
}

/// What `typed`, the value of `flag`, can become.
fn values(flag: &clap::Arg, typed: &str, prefix: &str) -> (Vec<String>, &'static str) {
    let known = flag.get_possible_values();
    if known.is_empty() {
        return (Vec::new(), FILES);
    }
    let (done, open) = match (flag.get_value_delimiter(), typed.rfind(',')) {
        (Some(_), Some(comma)) => typed.split_at(comma + 1),
        _ => ("", typed),
    };
    let choices = known.iter().map(clap::builder::PossibleValue::get_name);
    (choices.filter(|name| name.starts_with(open)).map(|name| format!("{prefix}{done}{name}")).collect(), NO_FILES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(words: &[&str]) -> String {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let Some((last, before)) = words.split_last() else { return String::new() };
        let (choices, directive) = choices(&crate::args::command("kubectl gateway"), before, last);
        format!("{} {directive}", choices.join(" "))
    }

    #[test]
    fn verbs_flags_and_values_are_offered() {
        assert_eq!(ask(&["completion", "z"]), "zsh :4");
        assert_eq!(ask(&["version", "--col"]), "--color :4");
    }
}

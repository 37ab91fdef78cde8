//! Colour, symbols and width: what the terminal and the user's wishes allow.

use std::collections::BTreeMap;

use crate::args::Color;

/// Columns used where the terminal doesn't say.
pub const DEFAULT_WIDTH: usize = 80;

/// What of the process's surroundings decides how output looks.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// Environment variables by name.
    pub variables: BTreeMap<String, String>,
    /// Whether stdout is a terminal.
    pub terminal: bool,
    /// Columns of that terminal.
    pub columns: Option<usize>,
}

impl Environment {
    /// That of this process.
    #[must_use]
    pub fn of_process(terminal: bool) -> Self {
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let columns = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        Self { variables, terminal, columns: columns.filter(|_| terminal) }
    }

    /// The variable `name`, where an empty one counts as unset.
    fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Whether the locale's characters are UTF-8, by the first of the variables that is set (POSIX order).
    fn is_utf8(&self) -> bool {
        ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| self.get(name)).is_some_and(|locale| {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        })
    }
}

/// How output looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether to use colour.
    pub color: bool,
    /// Whether symbols beyond ASCII may be used.
    pub unicode: bool,
    /// Columns to wrap prose at.
    pub width: usize,
    /// Columns a table has to fit in; none where output isn't a terminal, so that scripts get whole cells.
    pub table_width: Option<usize>,
}

impl Style {
    /// What `wish` and `environment` come to.
    #[must_use]
    pub fn resolve(wish: Color, environment: &Environment) -> Self {
        let color = match wish {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                environment.terminal && environment.get("NO_COLOR").is_none() && environment.get("TERM") != Some("dumb")
            }
        };
        let width = environment.columns.unwrap_or(DEFAULT_WIDTH).max(40);
        Self {
            color,
            unicode: environment.is_utf8(),
            width: width.min(120),
            table_width: environment.columns.map(|_| width),
        }
    }

    /// `text` in `tone`, if colour is on.
    #[must_use]
    pub fn paint(&self, tone: Tone, text: &str) -> String {
        if self.color { format!("\u{1b}[{}m{text}\u{1b}[0m", tone.code()) } else { text.to_owned() }
    }

    /// The sign for `mark`, which never stands without its word.
    #[must_use]
    pub const fn sign(&self, mark: Mark) -> &'static str {
        match (mark, self.unicode) {
            (Mark::Yes, true) => "✓",
            (Mark::Yes, false) => "+",
            (Mark::No, true) => "✗",
            (Mark::No, false) => "x",
            (Mark::Warning, true) => "‼",
            (Mark::Warning, false) => "!",
            (Mark::Unknown, _) => "?",
            (Mark::NotReached, true) => "·",
            (Mark::NotReached, false) => "-",
        }
    }

    /// The sign for `mark` in its colour.
    #[must_use]
    pub fn painted_sign(&self, mark: Mark) -> String {
        self.paint(mark.tone(), self.sign(mark))
    }
}

/// What a sign says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Good.
    Yes,
    /// Broken.
    No,
    /// Works, but not as it should or not yet.
    Warning,
    /// Nobody knows.
    Unknown,
    /// Nobody looked.
    NotReached,
}

impl Mark {
    /// The colour that goes with it.
    #[must_use]
    pub const fn tone(self) -> Tone {
        match self {
            Self::Yes => Tone::Good,
            Self::No => Tone::Bad,
            Self::Warning | Self::Unknown => Tone::Doubtful,
            Self::NotReached => Tone::Faint,
        }
    }
}

/// What colours are used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Green.
    Good,
    /// Red.
    Bad,
    /// Yellow.
    Doubtful,
    /// Faint.
    Faint,
    /// Bold.
    Strong,
}

impl Tone {
    /// The parameter of the escape sequence.
    const fn code(self) -> &'static str {
        match self {
            Self::Good => "32",
            Self::Bad => "31",
            Self::Doubtful => "33",
            Self::Faint => "2",
            Self::Strong => "1",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(terminal: bool, variables: &[(&str, &str)]) -> Environment {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Environment { variables, terminal, columns: terminal.then_some(100) }
    }

    #[test]
    fn colour_needs_a_terminal_that_wants_it() {
        let color = |wish, terminal, variables| Style::resolve(wish, &environment(terminal, variables)).color;
        assert!(color(Color::Auto, true, &[("TERM", "xterm")]));
        assert!(!color(Color::Auto, false, &[("TERM", "xterm")]));
        assert!(!color(Color::Auto, true, &[("NO_COLOR", "1")]));
        assert!(color(Color::Auto, true, &[("NO_COLOR", "")]));
        assert!(!color(Color::Auto, true, &[("TERM", "dumb")]));
        assert!(color(Color::Always, false, &[("NO_COLOR", "1")]));
        assert!(!color(Color::Never, true, &[]));
    }

    #[test]
    fn symbols_are_ascii_unless_the_locale_is_utf8() {
        let sign = |variables| Style::resolve(Color::Never, &environment(false, variables)).sign(Mark::Yes);
        assert_eq!(sign(&[("LANG", "en_US.UTF-8")]), "✓");
        assert_eq!(sign(&[("LC_ALL", "C"), ("LANG", "en_US.UTF-8")]), "+");
        assert_eq!(sign(&[("LC_ALL", ""), ("LC_CTYPE", "C.utf8")]), "✓");
        assert_eq!(sign(&[]), "+");
    }

    #[test]
    fn a_table_is_cut_only_on_a_terminal() {
        assert_eq!(Style::resolve(Color::Never, &environment(false, &[])).table_width, None);
        assert_eq!(Style::resolve(Color::Never, &environment(true, &[])).table_width, Some(100));
    }
}

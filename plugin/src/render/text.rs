//! Words on lines: wrapping with a hanging indent.

/// How many columns `text` takes.
#[must_use]
pub fn width(text: &str) -> usize {
    text.chars().count()
}

/// `text` broken at spaces into lines of at most `columns`; a longer word gets a line of its own.
#[must_use]
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split(' ').filter(|word| !word.is_empty()) {
            if !line.is_empty() && width(&line) + 1 + width(word) > columns {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    if lines.is_empty() {
        lines.push(String::new());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_spaces() {
        assert_eq!(wrap("a bb ccc", 4), ["a bb", "ccc"]);
        assert_eq!(wrap("a-long-word b", 4), ["a-long-word", "b"]);
        assert_eq!(wrap("", 4), [""]);
        assert_eq!(wrap("a\nb", 9), ["a", "b"]);
    }
}

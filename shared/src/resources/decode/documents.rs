//! A file cut into its documents, so that a broken one takes no other with it.

/// One document of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Document<'a> {
    /// Which one, from 0; documents without content don't count.
    pub(super) index: usize,
    /// The line of the file its text begins on, from 1.
    pub(super) line: usize,
    /// Its text.
    pub(super) text: &'a str,
}

/// Cuts at the lines YAML ends a document with: `---` or `...` in the first column, which it allows nowhere else.
pub(super) fn documents(text: &str) -> Vec<Document<'_>> {
    let mut found = Vec::new();
    let (mut start, mut start_line, mut has_content) = (0, 1, false);
    let mut offset = 0;
    let mut push = |from: usize, to: usize, line: usize, has_content: bool| {
        if has_content && let Some(text) = text.get(from..to) {
            found.push(Document { index: found.len(), line, text });
        }
    };
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if let Some(rest) = line.strip_prefix("---").or_else(|| line.strip_prefix("..."))
            && rest.chars().next().is_none_or(char::is_whitespace)
        {
            push(start, offset, start_line, has_content);
            // What stands behind the marker on its line belongs to the document.
            (start, start_line, has_content) = (offset + 3, number + 1, is_content(rest));
        } else {
            has_content |= is_content(line);
        }
        offset += line.len();
    }
    push(start, text.len(), start_line, has_content);
    found
}

/// Whether a line is more than a comment, a directive or nothing.
fn is_content(line: &str) -> bool {
    let line = line.trim_start();
    !line.is_empty() && !line.starts_with('#') && !line.starts_with('%')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_know_their_line_and_empty_ones_do_not_count() {
        let text = "# licence\n---\na: 1\n--- # next\nb: |\n  ---\n  text\n---\n\n...\n--- {c: 1}\n";
        let found: Vec<_> = documents(text).into_iter().map(|d| (d.index, d.line, d.text)).collect();
        assert_eq!(found, [(0, 2, "\na: 1\n"), (1, 4, " # next\nb: |\n  ---\n  text\n"), (2, 11, " {c: 1}\n")]);
    }

    #[test]
    fn nothing_has_no_documents() {
        assert!(documents("").is_empty());
        assert!(documents("---\n# only a comment\n---\n").is_empty());
    }
}

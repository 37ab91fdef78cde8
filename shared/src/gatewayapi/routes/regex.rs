//! Whether a regular expression is one that Envoy (RE2) takes, found out without compiling it.
//!
//! Envoy Gateway asks Go's `regexp`, which has RE2's syntax. The parser used here differs in four things that people
//! write, and those are brought into line first: a `{` that begins no repetition is a plain brace (`/users/{id}`),
//! `\Q…\E` quotes, a `[` inside a class is a plain bracket, and a repetition goes up to 1,000.

use std::borrow::Cow;
use std::iter::Peekable;
use std::str::Chars;

use regex_syntax::ast::Ast;

/// The most a repetition may ask for in RE2.
const MAX_REPETITION: u32 = 1_000;

/// Why Envoy would refuse `expression`, if so.
#[must_use]
pub fn fault(expression: &str) -> Option<String> {
    let expression = match in_our_syntax(expression) {
        Ok(expression) => expression,
        Err(fault) => return Some(fault),
    };
    let parsed = regex_syntax::ast::parse::Parser::new().parse(&expression);
    match parsed {
        Ok(ast) if repeats_a_repetition(&ast) => {
            Some("a repetition of a repetition: put the inner one in parentheses".to_owned())
        }
        Ok(ast) => regex_syntax::hir::translate::Translator::new()
            .translate(&expression, &ast)
            .err()
            .map(|error| error.kind().to_string()),
        Err(error) => Some(error.kind().to_string()),
    }
}

/// Whether a repetition follows a repetition (`a**`), which RE2 refuses.
fn repeats_a_repetition(ast: &Ast) -> bool {
    let mut left = vec![ast];
    while let Some(ast) = left.pop() {
        match ast {
            Ast::Repetition(repetition) => {
                if matches!(*repetition.ast, Ast::Repetition(_)) {
                    return true;
                }
                left.push(&repetition.ast);
            }
            Ast::Group(group) => left.push(&group.ast),
            Ast::Alternation(alternation) => left.extend(&alternation.asts),
            Ast::Concat(concat) => left.extend(&concat.asts),
            _ => {}
        }
    }
    false
}

/// The expression with braces and quotes as the parser here wants them.
fn in_our_syntax(expression: &str) -> Result<Cow<'_, str>, String> {
    if !expression.contains(['{', '[']) && !expression.contains("\\Q") {
        return Ok(Cow::Borrowed(expression));
    }
    let mut out = String::with_capacity(expression.len() + 8);
    let mut rest = expression;
    let mut in_class = false;
    while let Some(next) = rest.chars().next() {
        let after = rest.get(next.len_utf8()..).unwrap_or_default();
        match next {
            '\\' if after.starts_with('Q') => {
                let quoted = after.get(1..).unwrap_or_default();
                let (literal, behind) = quoted.split_once("\\E").unwrap_or((quoted, ""));
                out.push_str(&regex_syntax::escape(literal));
                rest = behind;
                continue;
            }
            '\\' => {
                // Whatever is escaped goes along, and the braces of a class such as \p{Greek} with it.
                let escaped = after.chars().next().map_or(0, char::len_utf8);
                let braces = match after.get(escaped..) {
                    Some(tail) if matches!(after.get(..escaped), Some("p" | "P" | "x")) && tail.starts_with('{') => {
                        tail.find('}').map_or(0, |end| end + 1)
                    }
                    _ => 0,
                };
                let end = escaped + braces;
                out.push('\\');
                out.push_str(after.get(..end).unwrap_or_default());
                rest = after.get(end..).unwrap_or_default();
                continue;
            }
            '[' if !in_class => {
                in_class = true;
                // The first bracket of a class is one of its members.
                let negation = if after.starts_with('^') { "^" } else { "" };
                let member =
                    if after.get(negation.len()..).is_some_and(|tail| tail.starts_with(']')) { "]" } else { "" };
                out.push('[');
                out.push_str(negation);
                out.push_str(if member.is_empty() { "" } else { "\\]" });
                rest = after.get(negation.len() + member.len()..).unwrap_or_default();
                continue;
            }
            '[' if after.starts_with(':') => {
                let end = after.find(":]").map_or(0, |end| end + 2);
                out.push('[');
                out.push_str(after.get(..end).unwrap_or_default());
                rest = after.get(end..).unwrap_or_default();
                continue;
            }
            '[' => out.push_str("\\["),
            ']' => {
                in_class = false;
                out.push(']');
            }
            '&' | '~' if in_class => {
                out.push('\\');
                out.push(next);
            }
            '{' if !in_class => {
                if let Some(length) = repetition(after)? {
                    out.push('{');
                    out.push_str(after.get(..length).unwrap_or_default());
                    rest = after.get(length..).unwrap_or_default();
                    continue;
                }
                out.push_str("\\{");
            }
            '{' => out.push_str("\\{"),
            '}' => out.push_str("\\}"),
            other => out.push(other),
        }
        rest = after;
    }
    Ok(Cow::Owned(out))
}

/// The length of the repetition that `text`, what follows a brace, begins with: `2}`, `2,}` or `2,5}`.
fn repetition(text: &str) -> Result<Option<usize>, String> {
    let mut chars = text.chars().peekable();
    let Some(from) = number(&mut chars) else { return Ok(None) };
    let to = match chars.next() {
        Some('}') => None,
        Some(',') => {
            let to = number(&mut chars);
            if chars.next() != Some('}') {
                return Ok(None);
            }
            to
        }
        _ => return Ok(None),
    };
    if from.max(to.unwrap_or(0)) > MAX_REPETITION {
        return Err(format!("a repetition goes up to {MAX_REPETITION}"));
    }
    Ok(text.find('}').map(|end| end + 1))
}

/// The decimal number that comes next; too big a one saturates.
fn number(chars: &mut Peekable<Chars<'_>>) -> Option<u32> {
    let mut number = None;
    while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
        number = Some(number.unwrap_or(0_u32).saturating_mul(10).saturating_add(digit));
        chars.next();
    }
    number
}

#[cfg(test)]
mod tests {
    use super::fault;

    #[test]
    fn what_envoy_takes() {
        for expression in [
            "/api/v[0-9]+",
            "/users/{id}",
            r"/\Q(a.b\E",
            "a{2,5}",
            r"\p{Greek}+",
            "(?i)a",
            "a{,2}",
            ".*",
            "[a[b]",
            "[]&&]",
            "[[:alpha:]{]+",
            r"\d{3}-\{",
        ] {
            assert_eq!(fault(expression), None, "{expression}");
        }
    }

    #[test]
    fn what_envoy_refuses() {
        for expression in ["a(", "*", "[a", "(?=a)", r"(a)\1", "a{1001}", "a{2,1}", r"\y", "a**", "(a*+)?"] {
            assert!(fault(expression).is_some(), "{expression}");
        }
    }
}

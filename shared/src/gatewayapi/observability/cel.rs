//! Whether an expression is CEL at all. What it means, Envoy finds out.

/// What stands between brackets at most this deep.
const DEPTH: usize = 250;
/// Operators between two operands, longest first.
const BINARY: [&str; 14] = ["&&", "||", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "?"];
/// Words that can't be names.
const RESERVED: [&str; 17] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// Checks the form of an expression.
///
/// # Errors
/// What is wrong, in words, with the place (in characters from the beginning).
pub(super) fn check(expression: &str) -> Result<(), String> {
    let mut parser = Parser { rest: expression, depth: 0 };
    let place = |parser: &Parser<'_>| expression.len() - parser.rest.len();
    parser.expression().map_err(|wanted| match parser.rest.chars().next() {
        Some(found) => format!("{wanted} is missing at {found:?}, place {}", place(&parser)),
        None => format!("{wanted} is missing at the end"),
    })?;
    parser.space();
    if parser.rest.is_empty() {
        Ok(())
    } else {
        Err(format!("{:?} is one too many, place {}", parser.rest, place(&parser)))
    }
}

struct Parser<'e> {
    rest: &'e str,
    depth: usize,
}

impl<'e> Parser<'e> {
    fn space(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            let Some(comment) = self.rest.strip_prefix("//") else { return };
            self.rest = comment.split_once('\n').map_or("", |(_, rest)| rest);
        }
    }

    /// Takes `text` if it comes next.
    fn take(&mut self, text: &str) -> bool {
        self.space();
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, text: &'static str) -> Result<(), &'static str> {
        if self.take(text) { Ok(()) } else { Err(text) }
    }

    /// Takes the characters at the beginning that `belongs`.
    fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> &'e str {
        let end = self.rest.find(|character| !belongs(character)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at_checked(end).unwrap_or(("", self.rest));
        self.rest = rest;
        taken
    }

    /// The next word, if there is one.
    fn word(&mut self) -> Option<&'e str> {
        self.space();
        let begins = self.rest.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        begins.then(|| self.take_while(|character| character.is_ascii_alphanumeric() || character == '_'))
    }

    fn expression(&mut self) -> Result<(), &'static str> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err("an end of brackets");
        }
        self.operand()?;
        while let Some(operator) = self.binary() {
            if operator == "?" {
                self.expression()?;
                self.expect(":")?;
                self.expression()?;
                break;
            }
            self.operand()?;
        }
        self.depth -= 1;
        Ok(())
    }

    fn binary(&mut self) -> Option<&'static str> {
        if let Some(operator) = BINARY.into_iter().find(|operator| self.take(operator)) {
            return Some(operator);
        }
        let before = self.rest;
        if self.word() == Some("in") {
            return Some("in");
        }
        self.rest = before;
        None
    }

    fn operand(&mut self) -> Result<(), &'static str> {
        if self.take("!") {
            while self.take("!") {}
        } else if self.take("-") {
            while self.take("-") {}
        }
        self.primary()?;
        loop {
            if self.take(".") {
                self.take("?");
                if !self.take("`") {
                    self.word().ok_or("a name")?;
                } else {
                    self.take_while(|character| character != '`');
                    self.expect("`")?;
                }
                if self.take("(") {
                    self.list(")")?;
                }
            } else if self.take("[") {
                self.take("?");
                self.expression()?;
                self.expect("]")?;
            } else if self.take("{") {
                self.fields()?;
            } else {
                return Ok(());
            }
        }
    }

    fn primary(&mut self) -> Result<(), &'static str> {
        if self.take("(") {
            self.expression()?;
            return self.expect(")");
        }
        if self.take("[") {
            return self.list("]");
        }
        if self.take("{") {
            return self.fields();
        }
        if self.string()? || self.number() {
            return Ok(());
        }
        self.take(".");
        let name = self.word().ok_or("a value")?;
        if RESERVED.contains(&name) || name == "in" {
            return Err("a value");
        }
        if self.take("(") { self.list(")") } else { Ok(()) }
    }

    /// Values with commas between them, up to `end`.
    fn list(&mut self, end: &'static str) -> Result<(), &'static str> {
        while !self.take(end) {
            self.take("?");
            self.expression()?;
            if !self.take(",") {
                return self.expect(end);
            }
        }
        Ok(())
    }

    /// Pairs of names or keys and values, up to the closing brace.
    fn fields(&mut self) -> Result<(), &'static str> {
        while !self.take("}") {
            self.take("?");
            self.expression()?;
            self.expect(":")?;
            self.expression()?;
            if !self.take(",") {
                return self.expect("}");
            }
        }
        Ok(())
    }

    /// Text or bytes, raw or not, in one or three quotes; `false` when something else comes.
    fn string(&mut self) -> Result<bool, &'static str> {
        self.space();
        let before = self.rest;
        let prefix = self.take_while(|character| matches!(character, 'r' | 'R' | 'b' | 'B'));
        let Some(quote) = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| self.rest.starts_with(quote)) else {
            self.rest = before;
            return Ok(false);
        };
        let raw = prefix.contains(['r', 'R']);
        self.rest = self.rest.strip_prefix(quote).unwrap_or_default();
        loop {
            if let Some(rest) = self.rest.strip_prefix(quote) {
                self.rest = rest;
                return Ok(true);
            }
            let mut characters = self.rest.chars();
            match characters.next() {
                None => return Err("a closing quote"),
                Some('\n') if quote.len() == 1 => return Err("a closing quote"),
                Some('\\') if !raw => drop(characters.next()),
                Some(_) => {}
            }
            self.rest = characters.as_str();
        }
    }

    fn number(&mut self) -> bool {
        self.space();
        let fraction = self.rest.strip_prefix('.').is_some_and(|rest| rest.starts_with(|it: char| it.is_ascii_digit()));
        if !fraction && !self.rest.starts_with(|first: char| first.is_ascii_digit()) {
            return false;
        }
        let digits = self.take_while(|character| character.is_ascii_alphanumeric());
        if self.rest.starts_with('.') && !digits.starts_with("0x") {
            let after = self.rest.strip_prefix('.').unwrap_or_default();
            if after.starts_with(|it: char| it.is_ascii_digit()) {
                self.rest = after;
                self.take_while(|character| character.is_ascii_alphanumeric());
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cel_passes() {
        for expression in [
            "response.code >= 400",
            "'x-envoy-logged' in request.headers",
            "request.headers['x-a'].startsWith(\"b\") && !(response.code == 200 || connection.mtls)",
            "size(request.path) > 3 ? true : false",
            "[1, 2.5, 0x1F, 3u].exists(n, n % 2 == 0)",
            "{'a': -1}.a == r'\\d' // why",
            "google.rpc.Status{code: 5}.code in [5]",
        ] {
            assert_eq!(check(expression), Ok(()), "{expression}");
        }
    }

    #[test]
    fn what_is_not_says_where() {
        assert_eq!(check(")++++").unwrap_err(), "a value is missing at ')', place 0");
        assert_eq!(check("a ==").unwrap_err(), "a value is missing at the end");
        assert_eq!(check("a b").unwrap_err(), "\"b\" is one too many, place 2");
        for expression in ["", "a &", "f(1", "'open", "a ? b", "while", "[1,,2]"] {
            assert!(check(expression).is_err(), "{expression}");
        }
        assert!(check(&"(".repeat(10_000)).is_err());
    }
}

//! String matchers.

use super::pb::matcher;
use crate::ir::StringMatch;

/// Envoy's matcher for a string; without any comparison it has none.
pub(super) fn string_matcher(source: &StringMatch) -> matcher::StringMatcher {
    use matcher::string_matcher::MatchPattern;
    let pattern = if let Some(exact) = &source.exact {
        Some(MatchPattern::Exact(exact.clone()))
    } else if let Some(prefix) = &source.prefix {
        Some(MatchPattern::Prefix(prefix.clone()))
    } else if let Some(suffix) = &source.suffix {
        Some(MatchPattern::Suffix(suffix.clone()))
    } else {
        source.safe_regex.as_ref().map(|pattern| MatchPattern::SafeRegex(regex(pattern)))
    };
    matcher::StringMatcher { match_pattern: pattern, ..matcher::StringMatcher::default() }
}

/// A matcher for this very string.
pub(super) fn exact(value: &str) -> matcher::StringMatcher {
    matcher::StringMatcher {
        match_pattern: Some(matcher::string_matcher::MatchPattern::Exact(value.to_owned())),
        ..matcher::StringMatcher::default()
    }
}

/// An RE2 expression.
pub(super) fn regex(pattern: &str) -> matcher::RegexMatcher {
    matcher::RegexMatcher { regex: pattern.to_owned(), ..matcher::RegexMatcher::default() }
}

/// An RE2 expression and what replaces its match.
pub(super) fn substitution(pattern: &str, substitution: &str) -> matcher::RegexMatchAndSubstitute {
    matcher::RegexMatchAndSubstitute { pattern: Some(regex(pattern)), substitution: substitution.to_owned() }
}

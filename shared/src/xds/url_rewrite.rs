//! Changes of host and path on the way to the upstream.

use super::pb::matcher::RegexMatchAndSubstitute;
use super::pb::route::{RouteAction, route_action::HostRewriteSpecifier};
use super::string_match::substitution;
use super::values::boolean;
use crate::ir::{ExtendedHttpPathModifier, HttpHostModifier, HttpPathModifier, HttpRoute, StringMatch, UrlRewrite};

/// Adds what `rewrite` says to the action of `source`.
pub(super) fn rewrite_url(action: &mut RouteAction, source: &HttpRoute, rewrite: &UrlRewrite) {
    let UrlRewrite { path, host, append_x_forwarded_host } = rewrite;
    if let Some(path) = path {
        rewrite_path(action, path, source.path_match.as_ref());
    }
    if let Some(host) = host {
        rewrite_host(
            action,
            host,
            source.destination.as_ref().is_some_and(|destination| destination.is_dynamic_resolver()),
        );
        action.append_x_forwarded_host = append_x_forwarded_host.unwrap_or(true);
    }
}

fn rewrite_path(action: &mut RouteAction, path: &ExtendedHttpPathModifier, path_match: Option<&StringMatch>) {
    let ExtendedHttpPathModifier { path: HttpPathModifier { full_replace, prefix_match_replace }, regex_match_replace } =
        path;
    if let Some(full) = full_replace {
        action.regex_rewrite = Some(substitution("^/.*$", full));
    } else if let Some(replacement) = prefix_match_replace {
        match drops_prefix(path_match, replacement) {
            Some(prefix) => action.regex_rewrite = Some(without_prefix(prefix)),
            // The matched prefix has lost its last slash, so the replacement must too.
            None => action.prefix_rewrite = replacement.strip_suffix('/').unwrap_or(replacement).to_owned(),
        }
    } else if let Some(regex) = regex_match_replace {
        action.regex_rewrite = Some(substitution(&regex.pattern, &regex.substitution));
    }
}

fn rewrite_host(action: &mut RouteAction, host: &HttpHostModifier, dynamic_resolver: bool) {
    let HttpHostModifier { name, header, backend, path_regex } = host;
    action.host_rewrite_specifier = if let Some(name) = name {
        Some(HostRewriteSpecifier::HostRewriteLiteral(name.clone()))
    } else if let Some(header) = header {
        Some(HostRewriteSpecifier::HostRewriteHeader(header.clone()))
    } else if backend.is_some() && !dynamic_resolver {
        Some(HostRewriteSpecifier::AutoHostRewrite(boolean(true)))
    } else {
        path_regex
            .as_ref()
            .map(|regex| HostRewriteSpecifier::HostRewritePathRegex(substitution(&regex.pattern, &regex.substitution)))
    };
}

/// The matched prefix, where replacing it with `replacement` means to drop it. Envoy's prefix rewrite would leave a
/// double slash then (envoyproxy/envoy#26055).
pub(super) fn drops_prefix<'a>(path_match: Option<&'a StringMatch>, replacement: &str) -> Option<&'a str> {
    let prefix = path_match?.prefix.as_deref()?;
    (replacement.is_empty() || replacement == "/").then_some(prefix)
}

/// A substitution that takes `prefix` and the slashes after it away.
pub(super) fn without_prefix(prefix: &str) -> RegexMatchAndSubstitute {
    substitution(&format!(r"^{}\/*", quote_meta(prefix)), "/")
}

/// `text` as an RE2 expression that matches just it, escaped as Go's `regexp.QuoteMeta` does.
fn quote_meta(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    for character in text.chars() {
        if r"\.+*?()|[]{}^$".contains(character) {
            quoted.push('\\');
        }
        quoted.push(character);
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropping_a_prefix_escapes_what_it_holds() {
        let rewrite = without_prefix("/v1.0(a)");
        assert_eq!(rewrite.pattern.unwrap().regex, r"^/v1\.0\(a\)\/*");
        assert_eq!(rewrite.substitution, "/");
    }

    #[test]
    fn a_replacement_keeps_single_slashes() {
        let matched = StringMatch { prefix: Some("/a/".to_owned()), ..StringMatch::default() };
        let mut action = RouteAction::default();
        let modifier = ExtendedHttpPathModifier {
            path: HttpPathModifier { full_replace: None, prefix_match_replace: Some("/b/".to_owned()) },
            regex_match_replace: None,
        };
        rewrite_path(&mut action, &modifier, Some(&matched));
        assert_eq!(action.prefix_rewrite, "/b");
    }
}

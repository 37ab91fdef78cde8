//! Redirects that Envoy answers itself.

use super::pb::route::{RedirectAction, redirect_action};
use super::url_rewrite::{drops_prefix, without_prefix};
use crate::ir::{HttpPathModifier, Redirect, StringMatch};

/// Envoy's redirect; `path_match` tells which prefix is replaced.
pub(super) fn redirect(source: &Redirect, path_match: Option<&StringMatch>) -> RedirectAction {
    use redirect_action::{PathRewriteSpecifier, RedirectResponseCode, SchemeRewriteSpecifier};
    let Redirect { scheme, hostname, path, port, status_code } = source;
    let path = path.as_ref().and_then(|HttpPathModifier { full_replace, prefix_match_replace }| {
        if let Some(full) = full_replace {
            return Some(PathRewriteSpecifier::PathRedirect(full.clone()));
        }
        let replacement = prefix_match_replace.as_ref()?;
        Some(match drops_prefix(path_match, replacement) {
            Some(prefix) => PathRewriteSpecifier::RegexRewrite(without_prefix(prefix)),
            None => PathRewriteSpecifier::PrefixRewrite(replacement.clone()),
        })
    });
    RedirectAction {
        scheme_rewrite_specifier: scheme.clone().map(SchemeRewriteSpecifier::SchemeRedirect),
        path_rewrite_specifier: path,
        host_redirect: hostname.clone().unwrap_or_default(),
        // The well-known ports would only clutter the Location header.
        port_redirect: port.filter(|port| *port != 80 && *port != 443).unwrap_or_default(),
        response_code: match status_code {
            Some(302) => RedirectResponseCode::Found,
            Some(303) => RedirectResponseCode::SeeOther,
            Some(307) => RedirectResponseCode::TemporaryRedirect,
            Some(308) => RedirectResponseCode::PermanentRedirect,
            _ => RedirectResponseCode::MovedPermanently,
        }
        .into(),
        ..RedirectAction::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn well_known_ports_are_left_out_and_301_is_the_default() {
        let to = |port, status_code| redirect(&Redirect { port: Some(port), status_code, ..Redirect::default() }, None);
        assert_eq!((to(443, None).port_redirect, to(443, None).response_code), (0, 0));
        assert_eq!((to(8443, Some(308)).port_redirect, to(8443, Some(308)).response_code), (8443, 4));
    }
}

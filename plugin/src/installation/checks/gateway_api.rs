//! The Gateway API's own definitions: there, old enough, new enough, whose.

use std::collections::BTreeSet;

use super::version::version;
use super::{Check, Plan};
use crate::args::install::Channel;
use crate::installation::facts::{Definition, Facts, GATEWAY_API, SAFE_UPGRADES};
use crate::installation::gateway_api::{Bundle, VERSION};

/// The kinds that are read, by the plural of their names; without the others there is nothing to do.
const NEEDED: &[&str] = &["gatewayclasses", "gateways"];

/// The kinds that are read where they are there.
const WELCOME: &[(&str, &str)] = &[
    ("httproutes", "HTTPRoute"),
    ("grpcroutes", "GRPCRoute"),
    ("tlsroutes", "TLSRoute"),
    ("tcproutes", "TCPRoute"),
    ("udproutes", "UDPRoute"),
    ("listenersets", "ListenerSet"),
    ("backendtlspolicies", "BackendTLSPolicy"),
    ("referencegrants", "ReferenceGrant"),
];

pub(super) fn check(facts: &Facts, plan: &Plan<'_>) -> Vec<Check> {
    let Some(definitions) = &facts.definitions else {
        return vec![Check::unknown("whether Gateway API is installed", "you may not list definitions")];
    };
    let there: Vec<(&str, &Definition)> = definitions
        .iter()
        .filter_map(|(name, definition)| Some((name.strip_suffix(&format!(".{GATEWAY_API}"))?, definition)))
        .collect();
    let applied = plan.bundle.applied(!there.is_empty());
    if applied && facts.safe_upgrades && plan.bundle.channel() == Some(Channel::Experimental) {
        return vec![Check::bad(
            format!("{} is refused by the policy {SAFE_UPGRADES}", plan.bundle.words()),
            format!(
                "take the standard channel: --gateway-api-crds={}; or, to change over for good, delete the policy: \
                 kubectl delete validatingadmissionpolicies,validatingadmissionpolicybindings {SAFE_UPGRADES}",
                Bundle::release_url(Channel::Standard)
            ),
        )];
    }
    match (there.is_empty(), applied) {
        (true, true) => vec![Check::good(format!("Gateway API is not installed yet: {} will be", plan.bundle.words()))],
        (true, false) => vec![Check::bad(
            "Gateway API is not installed, and --gateway-api-crds=none leaves it so",
            "leave out the flag, or install its definitions first",
        )],
        (false, false) => vec![kept(&there)],
        (false, true) => replaced(&there, plan.bundle),
    }
}

/// What is there and stays.
fn kept(there: &[(&str, &Definition)]) -> Check {
    let words = installed(there);
    let has = |plural: &str| there.iter().any(|(name, _)| *name == plural);
    if let Some(missing) = NEEDED.iter().find(|plural| !has(plural)) {
        return Check::bad(
            format!("{words}, but without {missing}.{GATEWAY_API}"),
            format!("install the whole of it: --gateway-api-crds={}", Bundle::release_url(channel(there))),
        );
    }
    let missing: Vec<&str> = WELCOME.iter().filter(|(plural, _)| !has(plural)).map(|(_, kind)| *kind).collect();
    let oldest = there.iter().filter_map(|(_, definition)| version(definition.bundle.as_deref()?)).min();
    let upgrade = format!(
        "it will be kept; upgrade it when it suits you: --gateway-api-crds={}",
        Bundle::release_url(channel(there))
    );
    match (oldest, missing.as_slice()) {
        (None, _) => Check::doubtful(format!("{words} of an unknown version"), "somebody made it; it will be kept"),
        (Some(oldest), []) if Some(oldest) >= version(VERSION) => Check::good(words),
        (Some(_), []) => Check::doubtful(format!("{words}, older than {VERSION}"), upgrade),
        (Some(_), missing) => Check::doubtful(format!("{words}, without {}", missing.join(", ")), upgrade),
    }
}

/// What is there and is replaced, as the user asked.
fn replaced(there: &[(&str, &Definition)], bundle: &Bundle) -> Vec<Check> {
    let words = installed(there);
    let mut checks = Vec::new();
    let newest = there.iter().filter_map(|(_, definition)| version(definition.bundle.as_deref()?)).max();
    if newest > bundle.version() && bundle.version().is_some() {
        checks.push(Check::bad(
            format!("{words}, newer than {}", bundle.words()),
            "definitions can't go back: leave out --gateway-api-crds to keep what is there",
        ));
    }
    for object in bundle.definitions() {
        let Some(definition) = there.iter().find(|(name, _)| object.name == format!("{name}.{GATEWAY_API}")) else {
            continue;
        };
        let lost = super::definitions::lost_versions(definition.1, object);
        if !lost.is_empty() {
            checks.push(Check::bad(
                format!(
                    "objects of {} are stored as {}, which {} no longer knows",
                    object.name,
                    lost.join(", "),
                    bundle.words()
                ),
                "write them again in a newer version and take the old one out of status.storedVersions first",
            ));
        }
    }
    if checks.is_empty() {
        checks.push(Check::good(format!("{words} will be replaced by {}", bundle.words())));
    }
    checks
}

/// The channel that is installed.
fn channel(there: &[(&str, &Definition)]) -> Channel {
    let is = |channel| there.iter().any(|(_, definition)| definition.channel.as_deref() == Some(channel));
    if is("standard") && !is("experimental") { Channel::Standard } else { Channel::default() }
}

/// `Gateway API 1.6.1 experimental is installed`.
fn installed(there: &[(&str, &Definition)]) -> String {
    let every = |of: fn(&Definition) -> Option<&String>| {
        let all: BTreeSet<&str> =
            there.iter().filter_map(|(_, definition)| of(definition)).map(String::as_str).collect();
        all.into_iter().map(|text| text.trim_start_matches('v')).collect::<Vec<_>>().join(" and ")
    };
    let words = format!("Gateway API {} {}", every(|d| d.bundle.as_ref()), every(|d| d.channel.as_ref()));
    format!("{} is installed", words.split_whitespace().collect::<Vec<_>>().join(" "))
}

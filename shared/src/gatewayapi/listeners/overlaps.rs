//! HTTPS listeners on one port that share names: a client may send requests for one over a connection to the other.
//!
//! Where certificates overlap, HTTP/2 is left out by default, since it is what makes clients share connections.

use super::{Candidate, hostnames};
use crate::api::listener::ProtocolType;

/// What two listeners share, as the condition `OverlappingTLSConfig` says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Overlap {
    /// The reason.
    pub(super) reason: &'static str,
    /// In words.
    pub(super) message: String,
    /// Whether HTTP/2 is left out by default.
    pub(super) no_http2: bool,
}

/// The overlap of each candidate, in the order of `candidates` (all listeners of one fleet); `ready` says which serve.
pub(super) fn find(candidates: &[Candidate<'_>], ready: &[bool], merged: bool) -> Vec<Option<Overlap>> {
    let https = |index: usize| {
        ready.get(index).copied().unwrap_or(false)
            && candidates.get(index).is_some_and(|it| it.listener.protocol == ProtocolType::Https)
    };
    let meet = |one: usize, other: usize| {
        let (Some(one_it), Some(other_it)) = (candidates.get(one), candidates.get(other)) else { return None };
        let same_port = one_it.listener.port == other_it.listener.port;
        let together = merged || one_it.gateway_index == other_it.gateway_index;
        (https(one) && https(other) && same_port && together).then_some((one_it, other_it))
    };
    let mut overlaps: Vec<Option<Overlap>> = vec![None; candidates.len()];
    let by_hostname = pair(candidates.len(), |one, other| {
        let (one, other) = meet(one, other)?;
        let (mine, theirs) = (one.listener.hostname.as_deref(), other.listener.hostname.as_deref());
        hostnames::overlap(mine, theirs).then(|| (words(mine), words(theirs)))
    });
    say(candidates, &mut overlaps, by_hostname, "OverlappingHostnames", false);
    opaque(candidates, &mut overlaps, &meet);
    let by_certificate = pair(candidates.len(), |one, other| {
        let (one, other) = meet(one, other)?;
        let theirs = &other.spec.tls.dns_names;
        one.spec.tls.dns_names.iter().find_map(|mine| {
            let theirs = theirs.iter().find(|theirs| hostnames::overlap(Some(mine), Some(theirs)))?;
            Some((mine.clone(), theirs.clone()))
        })
    });
    say(candidates, &mut overlaps, by_certificate, "OverlappingCertificates", true);
    overlaps
}

fn words(hostname: Option<&str>) -> String {
    hostname.unwrap_or("*").to_owned()
}

/// With whom a listener overlaps, with its own name and the other's.
type Pair = Option<(usize, String, String)>;

/// Pairs listeners that overlap. One that has found its pair is asked no more.
fn pair(count: usize, overlap: impl Fn(usize, usize) -> Option<(String, String)>) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = vec![None; count];
    for one in 0..count {
        if pairs.get(one).is_some_and(Option::is_some) {
            continue;
        }
        for other in one + 1..count {
            if pairs.get(other).is_some_and(Option::is_some) {
                continue;
            }
            if let Some((mine, theirs)) = overlap(one, other) {
                for (index, pair) in [(one, (other, mine.clone(), theirs.clone())), (other, (one, theirs, mine))] {
                    if let Some(slot) = pairs.get_mut(index) {
                        *slot = Some(pair);
                    }
                }
            }
        }
    }
    pairs
}

fn say(
    candidates: &[Candidate<'_>],
    overlaps: &mut [Option<Overlap>],
    pairs: Vec<Pair>,
    reason: &'static str,
    certificates: bool,
) {
    for (overlap, pair) in overlaps.iter_mut().zip(pairs) {
        let Some((other, mine, theirs)) = pair else { continue };
        let other = candidates.get(other).map(Candidate::ir_name).unwrap_or_default();
        let message = if certificates {
            format!(
                "the certificate's name {mine} and {theirs} of listener {other} overlap; HTTP/2 is left out unless a \
                 ClientTrafficPolicy asks for it, since clients could send requests for one to the other"
            )
        } else {
            format!(
                "the hostname {mine} and {theirs} of listener {other} overlap; clients may send requests for one over \
                 a connection to the other"
            )
        };
        *overlap = Some(Overlap { reason, message, no_http2: certificates });
    }
}

/// Certificates from an SDS server can't be looked into: they may overlap with everything their listener's hostname does.
fn opaque<'c, 'a: 'c>(
    candidates: &'c [Candidate<'a>],
    overlaps: &mut [Option<Overlap>],
    meet: &impl Fn(usize, usize) -> Option<(&'c Candidate<'a>, &'c Candidate<'a>)>,
) {
    for (index, overlap) in overlaps.iter_mut().enumerate() {
        let Some(own) = candidates.get(index) else { continue };
        let mut others = (0..candidates.len()).filter(|other| *other != index).filter_map(|other| meet(index, other));
        let shares = others.any(|(_, other)| {
            let hostname = other.listener.hostname.as_deref();
            own.spec.tls.opaque
                || other.spec.tls.opaque
                    && (hostname.is_none()
                        || own.spec.tls.dns_names.iter().any(|name| hostnames::overlap(hostname, Some(name))))
        });
        if shares {
            *overlap = Some(Overlap {
                reason: "SDSCertificateOpaque",
                message: "a certificate on this port comes from an SDS server, and its names can't be seen; HTTP/2 is \
                          left out unless a ClientTrafficPolicy asks for it"
                    .to_owned(),
                no_http2: true,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::gateway::Gateway;
    use crate::api::listener::Listener;
    use crate::gatewayapi::listeners::Spec;
    use crate::gatewayapi::listeners::tls::Termination;

    struct Case(usize, &'static str, &'static [&'static str], bool);

    fn found(cases: &[Case], merged: bool) -> Vec<Option<(&'static str, bool)>> {
        let gateway = Gateway::default();
        let listeners: Vec<Listener> = cases
            .iter()
            .map(|Case(_, hostname, ..)| {
                let json = format!(r#"{{"name":"l","port":443,"protocol":"HTTPS","hostname":"{hostname}"}}"#);
                serde_json::from_str(&json).unwrap()
            })
            .collect();
        let candidates: Vec<Candidate<'_>> = cases
            .iter()
            .zip(&listeners)
            .enumerate()
            .map(|(index, (Case(gateway_index, _, names, opaque), listener))| Candidate {
                gateway: &gateway,
                gateway_index: *gateway_index,
                index,
                listener,
                spec: Spec {
                    tls: Termination {
                        dns_names: names.iter().map(|name| (*name).to_owned()).collect(),
                        opaque: *opaque,
                        ..Termination::default()
                    },
                    ..Spec::default()
                },
            })
            .collect();
        let ready = vec![true; candidates.len()];
        find(&candidates, &ready, merged).iter().map(|it| it.as_ref().map(|it| (it.reason, it.no_http2))).collect()
    }

    #[test]
    fn hostnames_overlap_and_http2_stays() {
        let cases = [Case(0, "*.b.c", &[], false), Case(0, "a.b.c", &[], false), Case(0, "x.y", &[], false)];
        let overlap = Some(("OverlappingHostnames", false));
        assert_eq!(found(&cases, false), [overlap, overlap, None]);
    }

    #[test]
    fn certificates_overlap_and_http2_goes() {
        let cases = [Case(0, "a.b.c", &["*.b.c"], false), Case(0, "d.b.c", &["d.b.c"], false)];
        assert_eq!(found(&cases, false), [Some(("OverlappingCertificates", true)); 2]);
    }

    #[test]
    fn gateways_overlap_only_when_merged() {
        let cases = [Case(0, "a.b", &[], false), Case(1, "a.b", &[], false)];
        assert_eq!(found(&cases, false), [None, None]);
        assert_eq!(found(&cases, true), [Some(("OverlappingHostnames", false)); 2]);
    }

    #[test]
    fn a_certificate_nobody_sees_may_overlap_with_its_listeners_hostname() {
        let cases = [Case(0, "a.b", &[], true), Case(0, "c.d", &["a.b"], false), Case(0, "e.f", &["e.f"], false)];
        let overlap = Some(("SDSCertificateOpaque", true));
        assert_eq!(found(&cases, false), [overlap, overlap, None]);
        assert_eq!(found(&cases[..1], false), [None]);
    }
}

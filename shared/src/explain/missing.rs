//! The answer about an object that isn't there: was it in a broken file, or was something else meant?

use super::facts::{Facts, FileFault};
use super::findings as catalogue;
use super::question::Kind;
use super::report::{Finding, Layer, LayerName, Subject};
use super::similar::similar;
use super::words::list;
use crate::api::metadata::{Object as _, ObjectKey};

/// The layers of an object nobody has seen.
pub(super) fn layers(facts: &Facts<'_>, kind: Kind, subject: &Subject) -> Vec<Layer> {
    let broken: Vec<&FileFault> = facts.sources.faults.iter().filter(|fault| may_be(fault, subject)).collect();
    let (summary, findings) = if broken.is_empty() {
        (format!("there is no {subject}"), vec![not_found(facts, kind, subject)])
    } else {
        let findings = broken.iter().map(|fault| in_broken_file(fault, subject)).collect();
        (format!("{subject} is in a broken file"), findings)
    };
    let mut layers = vec![Layer::no(LayerName::Attachment, summary, findings)];
    let rest = LayerName::ALL.into_iter().skip(1);
    layers.extend(rest.map(|name| Layer::unknown(name, "there is no such object")));
    layers
}

/// Whether a fault in a file may be what hides the object: it is part of it, or nobody can tell what it is part of.
fn may_be(fault: &FileFault, subject: &Subject) -> bool {
    let Subject { kind, namespace: _, name, .. } = subject;
    fault
        .object
        .as_ref()
        .is_none_or(|object| *object == subject.to_string() || *object == format!("{kind} {name}") || object == kind)
}

/// The finding on a fault in a file.
fn in_broken_file(fault: &FileFault, subject: &Subject) -> Finding {
    let FileFault { place, message, object: _ } = fault;
    let mut subject = subject.clone();
    subject.origin = Some(place.clone());
    catalogue::FILE_BROKEN
        .found(subject, message.clone())
        .fact("file", place.clone())
        .fix(format!("correct {place}, then ask again"))
}

/// The finding on an object that nobody has, with what may have been meant.
fn not_found(facts: &Facts<'_>, kind: Kind, subject: &Subject) -> Finding {
    let finding = catalogue::NO_SUCH_OBJECT.found(subject.clone(), format!("nothing that was read is {subject}"));
    let keys = facts.nameable(kind.plural(), keys(facts, kind).into_iter());
    let wanted = ObjectKey::new(&subject.namespace, &subject.name);
    let elsewhere: Vec<&ObjectKey> = keys.iter().filter(|key| key.name == wanted.name).collect();
    if let Some(key) = elsewhere.first() {
        let namespaces = elsewhere.iter().map(|key| format!("-n {}", key.namespace));
        return finding
            .fact("seen", format!("{} {key}", subject.kind))
            .fix(format!("did you mean another namespace? Ask with {}", list(namespaces, "or")));
    }
    let near = similar(&wanted.name, keys.iter().filter(|key| key.namespace == wanted.namespace).map(|key| &*key.name));
    let near = if near.is_empty() { similar(&wanted.name, keys.iter().map(|key| &*key.name)) } else { near };
    if let Some(key) = near.first().and_then(|name| keys.iter().find(|key| &*key.name == *name)) {
        let place = if key.namespace.is_empty() { String::new() } else { format!(" -n {}", key.namespace) };
        return finding.fix(format!("did you mean {}/{}{place}?", subject.kind.to_lowercase(), key.name));
    }
    let seen =
        if keys.is_empty() { facts.none_of(&subject.kind) } else { list(keys.iter().map(ToString::to_string), "and") };
    finding.fact("seen", seen).fix(catalogue::NO_SUCH_OBJECT.fix)
}

/// The keys of every object of a kind.
pub(super) fn keys(facts: &Facts<'_>, kind: Kind) -> Vec<ObjectKey> {
    let resources = &facts.outcome.resources;
    match kind {
        Kind::GatewayClass => resources.gateway_classes().iter().map(|object| object.key()).collect(),
        Kind::Gateway => resources.gateways().iter().map(|object| object.key()).collect(),
        Kind::HttpRoute => resources.http_routes().iter().map(|object| object.key()).collect(),
        Kind::TlsRoute => resources.tls_routes().iter().map(|object| object.key()).collect(),
        Kind::TcpRoute => resources.tcp_routes().iter().map(|object| object.key()).collect(),
        Kind::UdpRoute => resources.udp_routes().iter().map(|object| object.key()).collect(),
    }
}

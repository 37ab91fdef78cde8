//! The catalogue of findings: one stable code for each thing that can be wrong, and what to do about it.
//!
//! `docs/findings.md` is written from this (a test holds them together). A code is never reused or renumbered.

use std::fmt::Write as _;

use super::report::{Fact, Finding, Severity, Subject};

/// One entry of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The number behind `EGX-`; its first digit is the layer.
    pub number: u16,
    /// How bad it is.
    pub severity: Severity,
    /// What it is, in a few words.
    pub title: &'static str,
    /// How it comes about.
    pub cause: &'static str,
    /// What to do about it.
    pub fix: &'static str,
}

impl Definition {
    /// The code, `EGX-1203`.
    #[must_use]
    pub fn code(&self) -> String {
        format!("EGX-{:04}", self.number)
    }

    /// Where the documentation speaks of it.
    #[must_use]
    pub fn docs(&self) -> String {
        format!("docs/findings.md#egx-{:04}", self.number)
    }

    /// A case of it: in `object`, because of `cause`.
    #[must_use]
    pub fn found(&self, object: Subject, cause: impl Into<String>) -> Finding {
        Finding {
            code: self.code(),
            severity: self.severity,
            object,
            path: None,
            cause: cause.into(),
            evidence: Vec::new(),
            fix: Vec::new(),
            docs: self.docs(),
        }
    }
}

impl Finding {
    /// The same finding, at the field `path`.
    #[must_use]
    pub fn at(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// The same finding, with one more line of evidence.
    #[must_use]
    pub fn fact(mut self, label: impl Into<String>, text: impl Into<String>) -> Self {
        self.evidence.push(Fact::new(label, text));
        self
    }

    /// The same finding, with one more way to fix it.
    #[must_use]
    pub fn fix(mut self, way: impl Into<String>) -> Self {
        self.fix.push(way.into());
        self
    }
}

/// Declares the catalogue: a constant for each entry, and the list of them all.
macro_rules! catalogue {
    ($($name:ident = $number:literal, $severity:ident, $title:literal, $cause:literal, $fix:literal;)*) => {
        $(#[doc = $title] pub const $name: Definition = Definition {
            number: $number,
            severity: Severity::$severity,
            title: $title,
            cause: $cause,
            fix: $fix,
        };)*
        /// Every finding, by code.
        pub const CATALOGUE: &[Definition] = &[$($name),*];
    };
}

catalogue! {
    NO_PARENTS = 1101, Error, "The Route names no parent",
        "`spec.parentRefs` is empty, so no Gateway is asked to serve the Route.",
        "Add an entry to `spec.parentRefs` with the name (and namespace) of a Gateway.";
    PARENT_KIND_NOT_SERVED = 1102, Error, "The parent is of a kind that isn't served",
        "A parentRef names a kind other than Gateway (a Service, for a mesh), which belongs to somebody else.",
        "Name a Gateway: `group: gateway.networking.k8s.io`, `kind: Gateway`.";
    NO_SUCH_GATEWAY = 1103, Error, "The Gateway doesn't exist",
        "A parentRef names a Gateway that isn't there. Without `namespace` the Route's own namespace is meant.",
        "Correct the name or namespace of the parentRef, or create the Gateway.";
    FOREIGN_CLASS = 1104, Error, "The Gateway belongs to another controller",
        "The GatewayClass of the Gateway has a `controllerName` other than ours, so we leave it alone.",
        "Set `gatewayClassName` of the Gateway to a class of ours, or ask the other controller.";
    NO_SUCH_CLASS = 1105, Error, "The GatewayClass doesn't exist",
        "`spec.gatewayClassName` of the Gateway names a class that isn't there.",
        "Create the GatewayClass, or name one that exists.";
    CLASS_NOT_ACCEPTED = 1106, Error, "The GatewayClass isn't accepted",
        "The class is ours, but its `parametersRef` is missing or invalid, so its Gateways keep what they \
         have, and nothing new is made for them.",
        "Correct what `spec.parametersRef` of the GatewayClass names; its status says what is wrong with it.";
    GATEWAY_NOT_USABLE = 1107, Error, "The Gateway can't be used",
        "The Gateway is ours, but something it asks for is invalid or not supported. Its fleet keeps what it had.",
        "Correct the Gateway, or the EnvoyProxy it refers to.";
    NO_SUCH_SECTION = 1201, Error, "No listener has that name",
        "`sectionName` of a parentRef names a listener the Gateway doesn't have.",
        "Use the name of one of the Gateway's listeners, or leave `sectionName` out to mean all of them.";
    NO_SUCH_PORT = 1202, Error, "No listener has that port",
        "`port` of a parentRef is one that no (chosen) listener of the Gateway has.",
        "Use the port of one of the Gateway's listeners, or leave `port` out.";
    NO_COMMON_HOSTNAME = 1203, Error, "The hostnames have nothing in common",
        "No hostname of the Route fits the listener's hostname, or what fits belongs to a more specific listener.",
        "Give the Route a hostname inside the listener's, or open the listener's hostname.";
    NAMESPACE_NOT_ALLOWED = 1204, Error, "The Route's namespace isn't allowed",
        "`allowedRoutes.namespaces` of the listener doesn't take Routes of this namespace. The default is the Gateway's own.",
        "Let the listener take the namespace: `allowedRoutes: {namespaces: {from: All}}`, or a selector.";
    KIND_NOT_ALLOWED = 1205, Error, "The Route's kind isn't allowed",
        "The listener's protocol or its `allowedRoutes.kinds` doesn't take this kind of Route.",
        "Add the kind to `allowedRoutes.kinds`, or attach to a listener whose protocol carries it.";
    LISTENER_CONFLICT = 1206, Error, "Listeners are in conflict",
        "Two listeners of one Gateway share a port with protocols or hostnames that can't stand beside each other.",
        "Change the port, protocol or hostname of one of them.";
    LISTENER_INVALID = 1207, Error, "The listener is invalid",
        "The listener asks for something that isn't supported or doesn't fit together.",
        "Correct the listener's field that is named.";
    REFERENCE_NOT_PERMITTED = 1301, Error, "A ReferenceGrant is missing",
        "A reference crosses into another namespace, and no ReferenceGrant there permits it.",
        "Create a ReferenceGrant in the namespace of what is referred to, from the kind and namespace that refers.";
    NO_SUCH_CERTIFICATE = 2101, Error, "The listener's certificate doesn't exist",
        "`tls.certificateRefs` names a Secret that isn't there, so the listener isn't programmed. Its Routes stay accepted.",
        "Create the Secret (type kubernetes.io/tls), or correct the reference.";
    CERTIFICATE_INVALID = 2102, Error, "The listener's certificate can't be used",
        "The Secret is there, but holds no certificate and key that fit and are valid.",
        "Replace the Secret's `tls.crt` and `tls.key` by a pair that fits and hasn't expired.";
    CERTIFICATE_NOT_PERMITTED = 2103, Error, "The listener may not use that certificate",
        "`tls.certificateRefs` crosses into another namespace without a ReferenceGrant there.",
        "Create a ReferenceGrant in the Secret's namespace, from Gateways of the Gateway's namespace to Secrets.";
    LISTENER_NOT_READY = 2104, Error, "The listener isn't ready",
        "The listener has a fault of its own, so it is left out of the data plane. Its Routes stay attached.",
        "Correct the listener; its conditions say what is wrong.";
    NO_SUCH_BACKEND = 2201, Error, "The backend doesn't exist",
        "A backendRef names a Service, ServiceImport or Backend that isn't there. Requests for the rule get status 500.",
        "Create the object, or correct the reference.";
    BACKEND_INVALID = 2202, Error, "The backend can't be used",
        "The backend is there, but its kind, port, type or protocol isn't supported here.",
        "Correct the backendRef, or the object it names.";
    NO_READY_ENDPOINTS = 2203, Error, "No endpoint is ready",
        "The Service is there, but none of its endpoints is ready, so nothing can answer. Requests get status 503.",
        "Make a pod ready that the Service's selector finds.";
    RULE_NOT_USED = 2204, Error, "A rule can't be used",
        "A match, filter or setting of the rule is invalid or not supported, so the rule is dropped or answers with an error.",
        "Correct the field that is named.";
    FILTER_NOT_RESOLVED = 2205, Error, "A filter refers to what isn't there",
        "A filter names an object that doesn't exist or can't be used. Requests for the rule get status 500.",
        "Create the object, or correct the reference.";
    NO_ROUTES = 2206, Error, "Nothing came of the Route",
        "The Route is attached, but no listener carries a route of it.",
        "Correct the findings of the layers before this one.";
    SNAPSHOT_HELD_BACK = 3101, Error, "The snapshot was held back",
        "The last translation failed its own validation, so the fleet is still served the one before. Statuses may look good.",
        "Correct the object that is named; the next translation is published by itself.";
    NOT_IN_SNAPSHOT = 3102, Error, "The snapshot lacks a resource",
        "The Route became configuration that the snapshot in service doesn't hold (yet).",
        "Ask again in a moment. If it stays, the agent's log says why it doesn't publish.";
    XDS_NOT_BUILT = 3103, Error, "No Envoy resource could be made of it",
        "The intermediate representation holds something that has no Envoy form.",
        "Correct the object that is named.";
    NO_PROXY = 4101, Error, "No proxy is connected",
        "No Envoy of the fleet has asked the agent for configuration.",
        "See whether the proxies run, and whether they reach the agent's xDS port.";
    REJECTED = 4102, Error, "Envoy rejected a resource",
        "A proxy refused what it was sent and keeps what it had. A new proxy would not get it either.",
        "Correct the field that is named. If none could be proven, Envoy's words say what it disliked.";
    NOT_ACKNOWLEDGED = 4103, Warning, "Envoy hasn't answered yet",
        "The latest version was sent (or is about to be), and the proxy hasn't acknowledged it so far.",
        "Ask again in a moment. If it stays, the proxy waits for something: see the warming layer.";
    LISTENER_WARMING = 5101, Error, "A listener is still warming",
        "Envoy has the listener but waits for what it needs, such as its routes or certificate, before it takes traffic.",
        "See which resource is missing; if none, ask again in a moment.";
    CLUSTER_WARMING = 5102, Error, "A cluster is still warming",
        "Envoy has the cluster but waits for its endpoints, certificate or first health check.",
        "See which resource is missing; if none, ask again in a moment.";
    NO_HEALTHY_ENDPOINT = 5103, Error, "Envoy finds no endpoint healthy",
        "Envoy knows the endpoints of a cluster, but would send to none of them.",
        "Look at the backends: health checks, outlier detection and DNS decide this.";
    NOT_LOADED = 5104, Error, "Envoy hasn't loaded a resource",
        "The proxy acknowledged its configuration, but its admin interface doesn't show a resource of it.",
        "Ask again in a moment; if it stays, restart the proxy and keep its log.";
    NOT_ENOUGH_PROXIES = 6101, Warning, "Not all proxies are ready",
        "Fewer proxies run than are wanted.",
        "Look at the proxies' log, or their pods.";
    NO_ADDRESS = 6102, Warning, "The Gateway has no address",
        "Nothing tells clients where to reach the fleet.",
        "Wait for the load balancer, or set `spec.addresses`.";
    NO_SUCH_OBJECT = 9101, Error, "There is no such object",
        "Nothing that was read, or that the agent knows, has this kind, namespace and name.",
        "Check kind, namespace (-n) and name; `status -A` lists what there is.";
    FILE_BROKEN = 9102, Error, "The file is broken",
        "A document in a file can't be read, so what it was meant to say is not considered.",
        "Correct the file at the place that is named.";
}

/// The page `docs/findings.md`.
#[must_use]
pub fn page() -> String {
    let mut page = "# Findings\n\n\
        Every finding of `explain` and `status`, by its code. The first digit is the layer: 1 attachment, 2 IR,\n\
        3 snapshot, 4 delivery, 5 warming, 6 infrastructure, 9 the client. Codes are stable.\n"
        .to_owned();
    for definition in CATALOGUE {
        let severity = match definition.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        };
        let Definition { number: _, severity: _, title, cause, fix } = definition;
        // Writing to a String never fails.
        let _ = write!(page, "\n## {}\n\n**{title}** ({severity})\n\n{cause}\n\n*Fix:* {fix}\n", definition.code());
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_in_order() {
        assert!(CATALOGUE.windows(2).all(|pair| matches!(pair, [a, b] if a.number < b.number)));
    }
}

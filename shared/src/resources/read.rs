//! What a piece of translation looked up: the unit of "this depends on that".

use crate::api::metadata::ObjectKey;

/// The table a look-up went to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReadKind {
    /// One GatewayClass, by name.
    GatewayClass,
    /// The Gateways of one class, by the class's name.
    GatewaysOfClass,
    /// One Gateway as routes see it: its listeners, after their own translation.
    Attachment,
    /// One Gateway, as written.
    Gateway,
    /// One EnvoyProxy.
    EnvoyProxy,
    /// One HTTPRoute.
    HttpRoute,
    /// One TLSRoute.
    TlsRoute,
    /// One TCPRoute.
    TcpRoute,
    /// One UDPRoute.
    UdpRoute,
    /// One HTTPRouteFilter.
    HttpRouteFilter,
    /// One Backend.
    Backend,
    /// One Service.
    Service,
    /// All Services of one namespace, by its name.
    ServicesOfNamespace,
    /// One ServiceImport.
    ServiceImport,
    /// The EndpointSlices of one Service.
    ServiceEndpoints,
    /// The EndpointSlices of one ServiceImport.
    ServiceImportEndpoints,
    /// One Secret.
    Secret,
    /// One ConfigMap.
    ConfigMap,
    /// One Namespace (its labels), by name.
    Namespace,
    /// The ReferenceGrants of one namespace, by its name.
    Grants,
}

/// One look-up, found or missed alike: a miss is an answer that a new object changes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Read {
    /// The table.
    pub kind: ReadKind,
    /// The key in it.
    pub key: ObjectKey,
}

impl Read {
    /// A look-up of `key` in the table `kind`.
    #[must_use]
    pub const fn new(kind: ReadKind, key: ObjectKey) -> Self {
        Self { kind, key }
    }

    /// A look-up by a bare name: a cluster-scoped object, or a namespace.
    #[must_use]
    pub fn named(kind: ReadKind, name: &str) -> Self {
        Self { kind, key: ObjectKey::new("", name) }
    }
}

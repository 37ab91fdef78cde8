//! The store: typed tables, the indexes over them, and what differs between two versions of it.

use std::sync::Arc;

use imbl::OrdMap;
use imbl::ordmap::DiffItem;
use rustc_hash::FxHashSet;

use super::kind::{Change, Kind};
use super::read::{Read, ReadKind};
use crate::api::any_object::AnyObject;
use crate::api::backend::Backend;
use crate::api::config_map::ConfigMap;
use crate::api::endpoint_slice::{EndpointSlice, SERVICE_IMPORT_NAME_LABEL, SERVICE_NAME_LABEL};
use crate::api::envoy_proxy::EnvoyProxy;
use crate::api::gateway::Gateway;
use crate::api::gateway_class::GatewayClass;
use crate::api::http_route::HttpRoute;
use crate::api::http_route_filter::HttpRouteFilterResource;
use crate::api::metadata::{Object, ObjectKey, Timestamp};
use crate::api::namespace::Namespace;
use crate::api::reference_grant::ReferenceGrant;
use crate::api::secret::Secret;
use crate::api::service::Service;
use crate::api::service_import::ServiceImport;
use crate::api::tcp_route::TcpRoute;
use crate::api::tls_route::TlsRoute;
use crate::api::udp_route::UdpRoute;

/// The kind of object a slice of endpoints belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ServiceOwner {
    /// A Service, named by the label `kubernetes.io/service-name`.
    Service,
    /// A ServiceImport, named by the label `multicluster.kubernetes.io/service-name`.
    ServiceImport,
}

impl ServiceOwner {
    /// The label that names the owner of an EndpointSlice.
    const fn label(self) -> &'static str {
        match self {
            Self::Service => SERVICE_NAME_LABEL,
            Self::ServiceImport => SERVICE_IMPORT_NAME_LABEL,
        }
    }

    /// The look-up that a slice of this owner answers.
    pub(crate) const fn read(self) -> ReadKind {
        match self {
            Self::Service => ReadKind::ServiceEndpoints,
            Self::ServiceImport => ReadKind::ServiceImportEndpoints,
        }
    }
}

/// Where an EndpointSlice stands in the index: by what it belongs to, then by its own name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SliceKey {
    owner: ServiceOwner,
    service: ObjectKey,
    slice: Arc<str>,
}

/// Every object translation may look at. A copy is cheap and shares what did not change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resources {
    gateway_classes: Kind<GatewayClass>,
    gateways: Kind<Gateway>,
    envoy_proxies: Kind<EnvoyProxy>,
    http_routes: Kind<HttpRoute>,
    tls_routes: Kind<TlsRoute>,
    tcp_routes: Kind<TcpRoute>,
    udp_routes: Kind<UdpRoute>,
    http_route_filters: Kind<HttpRouteFilterResource>,
    backends: Kind<Backend>,
    reference_grants: Kind<ReferenceGrant>,
    services: Kind<Service>,
    service_imports: Kind<ServiceImport>,
    secrets: Kind<Secret>,
    config_maps: Kind<ConfigMap>,
    namespaces: Kind<Namespace>,
    endpoint_slices: OrdMap<SliceKey, Arc<EndpointSlice>>,
    now: Option<Timestamp>,
}

impl FromIterator<AnyObject> for Resources {
    fn from_iter<I: IntoIterator<Item = AnyObject>>(objects: I) -> Self {
        let mut resources = Self::default();
        for object in objects {
            resources.insert(object);
        }
        resources
    }
}

impl Resources {
    /// Puts an object in, in the place of whatever had its kind and key.
    pub fn insert(&mut self, object: AnyObject) {
        match object {
            AnyObject::GatewayClass(object) => self.gateway_classes.insert(object),
            AnyObject::Gateway(object) => self.gateways.insert(object),
            AnyObject::EnvoyProxy(object) => self.envoy_proxies.insert(object),
            AnyObject::HttpRoute(object) => self.http_routes.insert(object),
            AnyObject::TlsRoute(object) => self.tls_routes.insert(object),
            AnyObject::TcpRoute(object) => self.tcp_routes.insert(object),
            AnyObject::UdpRoute(object) => self.udp_routes.insert(object),
            AnyObject::HttpRouteFilter(object) => self.http_route_filters.insert(object),
            AnyObject::Backend(object) => self.backends.insert(object),
            AnyObject::ReferenceGrant(object) => self.reference_grants.insert(object),
            AnyObject::Service(object) => self.services.insert(object),
            AnyObject::ServiceImport(object) => self.service_imports.insert(object),
            AnyObject::Secret(object) => self.secrets.insert(object),
            AnyObject::ConfigMap(object) => self.config_maps.insert(object),
            AnyObject::Namespace(object) => self.namespaces.insert(object),
            AnyObject::EndpointSlice(object) => {
                for key in slice_keys(&object) {
                    self.endpoint_slices.insert(key, Arc::clone(&object));
                }
            }
        }
    }

    /// Takes an object out: the one with the kind and key of `object`, whatever its content is now.
    pub fn remove(&mut self, object: &AnyObject) {
        match object {
            AnyObject::GatewayClass(object) => drop(self.gateway_classes.remove(&object.key())),
            AnyObject::Gateway(object) => drop(self.gateways.remove(&object.key())),
            AnyObject::EnvoyProxy(object) => drop(self.envoy_proxies.remove(&object.key())),
            AnyObject::HttpRoute(object) => drop(self.http_routes.remove(&object.key())),
            AnyObject::TlsRoute(object) => drop(self.tls_routes.remove(&object.key())),
            AnyObject::TcpRoute(object) => drop(self.tcp_routes.remove(&object.key())),
            AnyObject::UdpRoute(object) => drop(self.udp_routes.remove(&object.key())),
            AnyObject::HttpRouteFilter(object) => drop(self.http_route_filters.remove(&object.key())),
            AnyObject::Backend(object) => drop(self.backends.remove(&object.key())),
            AnyObject::ReferenceGrant(object) => drop(self.reference_grants.remove(&object.key())),
            AnyObject::Service(object) => drop(self.services.remove(&object.key())),
            AnyObject::ServiceImport(object) => drop(self.service_imports.remove(&object.key())),
            AnyObject::Secret(object) => drop(self.secrets.remove(&object.key())),
            AnyObject::ConfigMap(object) => drop(self.config_maps.remove(&object.key())),
            AnyObject::Namespace(object) => drop(self.namespaces.remove(&object.key())),
            AnyObject::EndpointSlice(object) => {
                for key in slice_keys(object) {
                    self.endpoint_slices.remove(&key);
                }
            }
        }
    }

    /// Says what time it is: certificates are judged by it. Without it none counts as expired or not yet valid.
    pub const fn set_now(&mut self, now: Timestamp) {
        self.now = Some(now);
    }

    /// What time it is, where that was said.
    #[must_use]
    pub const fn now(&self) -> Option<Timestamp> {
        self.now
    }

    /// All GatewayClasses.
    #[must_use]
    pub const fn gateway_classes(&self) -> &Kind<GatewayClass> {
        &self.gateway_classes
    }

    /// All Gateways.
    #[must_use]
    pub const fn gateways(&self) -> &Kind<Gateway> {
        &self.gateways
    }

    /// All EnvoyProxies.
    #[must_use]
    pub const fn envoy_proxies(&self) -> &Kind<EnvoyProxy> {
        &self.envoy_proxies
    }

    /// All HTTPRoutes.
    #[must_use]
    pub const fn http_routes(&self) -> &Kind<HttpRoute> {
        &self.http_routes
    }

    /// All TLSRoutes.
    #[must_use]
    pub const fn tls_routes(&self) -> &Kind<TlsRoute> {
        &self.tls_routes
    }

    /// All TCPRoutes.
    #[must_use]
    pub const fn tcp_routes(&self) -> &Kind<TcpRoute> {
        &self.tcp_routes
    }

    /// All UDPRoutes.
    #[must_use]
    pub const fn udp_routes(&self) -> &Kind<UdpRoute> {
        &self.udp_routes
    }

    /// All HTTPRouteFilters.
    #[must_use]
    pub const fn http_route_filters(&self) -> &Kind<HttpRouteFilterResource> {
        &self.http_route_filters
    }

    /// All Backends.
    #[must_use]
    pub const fn backends(&self) -> &Kind<Backend> {
        &self.backends
    }

    /// All ReferenceGrants.
    #[must_use]
    pub const fn reference_grants(&self) -> &Kind<ReferenceGrant> {
        &self.reference_grants
    }

    /// All Services.
    #[must_use]
    pub const fn services(&self) -> &Kind<Service> {
        &self.services
    }

    /// All ServiceImports.
    #[must_use]
    pub const fn service_imports(&self) -> &Kind<ServiceImport> {
        &self.service_imports
    }

    /// All Secrets.
    #[must_use]
    pub const fn secrets(&self) -> &Kind<Secret> {
        &self.secrets
    }

    /// All ConfigMaps.
    #[must_use]
    pub const fn config_maps(&self) -> &Kind<ConfigMap> {
        &self.config_maps
    }

    /// All Namespaces.
    #[must_use]
    pub const fn namespaces(&self) -> &Kind<Namespace> {
        &self.namespaces
    }

    /// The EndpointSlices of a Service or ServiceImport, from the oldest to the youngest, then by name.
    #[must_use]
    pub fn endpoint_slices(&self, owner: ServiceOwner, service: &ObjectKey) -> Vec<&Arc<EndpointSlice>> {
        let first = SliceKey { owner, service: service.clone(), slice: Arc::from("") };
        let mut slices: Vec<&Arc<EndpointSlice>> = self
            .endpoint_slices
            .range(first..)
            .take_while(|(key, _)| key.owner == owner && key.service == *service)
            .map(|(_, slice)| slice)
            .collect();
        slices.sort_by_key(|slice| slice.metadata.creation_timestamp);
        slices
    }

    /// The look-ups whose answer differs between `self` and `newer`. The time is none: what depends on it says until when
    /// it holds ([`Fleet::holds_until`](crate::gatewayapi::fleet::Fleet)).
    #[must_use]
    pub fn changed_reads(&self, newer: &Self) -> FxHashSet<Read> {
        let Self {
            gateway_classes,
            gateways,
            envoy_proxies,
            http_routes,
            tls_routes,
            tcp_routes,
            udp_routes,
            http_route_filters,
            backends,
            reference_grants,
            services,
            service_imports,
            secrets,
            config_maps,
            namespaces,
            endpoint_slices,
            now: _,
        } = self;
        let mut reads = FxHashSet::default();
        by_key(&mut reads, ReadKind::GatewayClass, gateway_classes, &newer.gateway_classes);
        by_key(&mut reads, ReadKind::Gateway, gateways, &newer.gateways);
        by_key(&mut reads, ReadKind::EnvoyProxy, envoy_proxies, &newer.envoy_proxies);
        by_key(&mut reads, ReadKind::HttpRoute, http_routes, &newer.http_routes);
        by_key(&mut reads, ReadKind::TlsRoute, tls_routes, &newer.tls_routes);
        by_key(&mut reads, ReadKind::TcpRoute, tcp_routes, &newer.tcp_routes);
        by_key(&mut reads, ReadKind::UdpRoute, udp_routes, &newer.udp_routes);
        by_key(&mut reads, ReadKind::HttpRouteFilter, http_route_filters, &newer.http_route_filters);
        by_key(&mut reads, ReadKind::Backend, backends, &newer.backends);
        by_key(&mut reads, ReadKind::Service, services, &newer.services);
        by_key(&mut reads, ReadKind::ServiceImport, service_imports, &newer.service_imports);
        by_key(&mut reads, ReadKind::Secret, secrets, &newer.secrets);
        by_key(&mut reads, ReadKind::ConfigMap, config_maps, &newer.config_maps);
        by_key(&mut reads, ReadKind::Namespace, namespaces, &newer.namespaces);
        for Change { key: _, old, new } in gateways.changes(&newer.gateways) {
            for gateway in old.into_iter().chain(new) {
                reads.insert(Read::named(ReadKind::GatewaysOfClass, &gateway.spec.gateway_class_name));
            }
        }
        for change in services.changes(&newer.services) {
            reads.insert(Read::named(ReadKind::ServicesOfNamespace, &change.key.namespace));
        }
        for change in reference_grants.changes(&newer.reference_grants) {
            reads.insert(Read::named(ReadKind::Grants, &change.key.namespace));
        }
        for item in endpoint_slices.diff(&newer.endpoint_slices) {
            let key = match item {
                DiffItem::Add(key, _) | DiffItem::Remove(key, _) | DiffItem::Update { new: (key, _), .. } => key,
            };
            reads.insert(Read::new(key.owner.read(), key.service.clone()));
        }
        reads
    }
}

/// Adds a look-up by key for every object that differs.
fn by_key<T: Object + PartialEq>(reads: &mut FxHashSet<Read>, kind: ReadKind, old: &Kind<T>, new: &Kind<T>) {
    reads.extend(old.changes(new).map(|change| Read::new(kind, change.key.clone())));
}

/// Where a slice stands in the index: nowhere if no label says whose it is.
fn slice_keys(slice: &EndpointSlice) -> impl Iterator<Item = SliceKey> {
    let own = slice.key();
    let labels = &slice.metadata.labels;
    [ServiceOwner::Service, ServiceOwner::ServiceImport].into_iter().filter_map(move |owner| {
        let service = labels.get(owner.label())?;
        Some(SliceKey {
            owner,
            service: ObjectKey { namespace: Arc::clone(&own.namespace), name: Arc::from(service) },
            slice: Arc::clone(&own.name),
        })
    })
}

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
    endpoint_slices: Kind<EndpointSlice>,
    slices_by_service: OrdMap<SliceKey, Arc<EndpointSlice>>,
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

/// Says once which table holds which kind, for everything that is asked of an object whatever its kind. Slices have an
/// index beside their table.
macro_rules! tables {
    ($($kind:ident: $type:ty => $table:ident,)+) => {
        impl Resources {
            /// Puts an object in, in the place of whatever had its kind and key.
            pub fn insert(&mut self, object: AnyObject) {
                match object {
                    $(AnyObject::$kind(object) => self.$table.insert(object),)+
                    AnyObject::EndpointSlice(object) => {
                        self.remove_slice(&object.key());
                        for key in slice_keys(&object) {
                            self.slices_by_service.insert(key, Arc::clone(&object));
                        }
                        self.endpoint_slices.insert(object);
                    }
                }
            }

            /// Takes an object out: the one with the kind and key of `object`, whatever its content is now.
            pub fn remove(&mut self, object: &AnyObject) {
                self.remove_key(object.kind(), &object.key());
            }

            /// Takes out the object of `kind` (as in a manifest) under `key`; says whether there was one.
            pub fn remove_key(&mut self, kind: &str, key: &ObjectKey) -> bool {
                match kind {
                    $(<$type as Object>::KIND => self.$table.remove(key).is_some(),)+
                    EndpointSlice::KIND => self.remove_slice(key),
                    _ => false,
                }
            }

            /// The object of `kind` (as in a manifest) under `key`.
            #[must_use]
            pub fn get(&self, kind: &str, key: &ObjectKey) -> Option<AnyObject> {
                match kind {
                    $(<$type as Object>::KIND => self.$table.get(key).cloned().map(AnyObject::$kind),)+
                    EndpointSlice::KIND => self.endpoint_slices.get(key).cloned().map(AnyObject::EndpointSlice),
                    _ => None,
                }
            }

            /// The keys of all objects of `kind` (as in a manifest), in order.
            #[must_use]
            pub fn keys(&self, kind: &str) -> Vec<ObjectKey> {
                match kind {
                    $(<$type as Object>::KIND => self.$table.keys().cloned().collect(),)+
                    EndpointSlice::KIND => self.endpoint_slices.keys().cloned().collect(),
                    _ => Vec::new(),
                }
            }

            /// How many objects there are, of all kinds.
            #[must_use]
            pub fn len(&self) -> usize {
                [$(self.$table.len(),)+ self.endpoint_slices.len()].iter().sum()
            }

            /// Whether there are none.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }
        }
    };
}

tables! {
    GatewayClass: GatewayClass => gateway_classes,
    Gateway: Gateway => gateways,
    EnvoyProxy: EnvoyProxy => envoy_proxies,
    HttpRoute: HttpRoute => http_routes,
    TlsRoute: TlsRoute => tls_routes,
    TcpRoute: TcpRoute => tcp_routes,
    UdpRoute: UdpRoute => udp_routes,
    HttpRouteFilter: HttpRouteFilterResource => http_route_filters,
    Backend: Backend => backends,
    ReferenceGrant: ReferenceGrant => reference_grants,
    Service: Service => services,
    ServiceImport: ServiceImport => service_imports,
    Secret: Secret => secrets,
    ConfigMap: ConfigMap => config_maps,
    Namespace: Namespace => namespaces,
}

impl Resources {
    /// Takes a slice out of its table and out of the index; says whether it was there.
    fn remove_slice(&mut self, key: &ObjectKey) -> bool {
        let Some(old) = self.endpoint_slices.remove(key) else { return false };
        for key in slice_keys(&old) {
            self.slices_by_service.remove(&key);
        }
        true
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
            .slices_by_service
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
            endpoint_slices: _,
            slices_by_service,
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
        for item in slices_by_service.diff(&newer.slices_by_service) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(service: &str) -> AnyObject {
        let json = format!(
            r#"{{"metadata":{{"namespace":"shop","name":"a","labels":{{"kubernetes.io/service-name":"{service}"}}}}}}"#
        );
        AnyObject::from(serde_json::from_str::<EndpointSlice>(&json).unwrap())
    }

    #[test]
    fn a_slice_that_changes_its_service_leaves_the_one_it_had() {
        let (cart, till) = (ObjectKey::new("shop", "cart"), ObjectKey::new("shop", "till"));
        let mut resources = Resources::default();
        resources.insert(slice("cart"));
        resources.insert(slice("till"));
        let of = |resources: &Resources, service| resources.endpoint_slices(ServiceOwner::Service, service).len();
        assert_eq!((of(&resources, &cart), of(&resources, &till), resources.len()), (0, 1, 1));
        assert_eq!(resources.keys("EndpointSlice"), [ObjectKey::new("shop", "a")]);
        assert!(resources.remove_key("EndpointSlice", &ObjectKey::new("shop", "a")));
        assert_eq!(resources, Resources::default());
    }

    #[test]
    fn objects_are_found_and_taken_out_by_the_name_of_their_kind() {
        let json = r#"{"metadata":{"name":"shop"}}"#;
        let object = AnyObject::from(serde_json::from_str::<Namespace>(json).unwrap());
        let mut resources: Resources = [object.clone()].into_iter().collect();
        assert_eq!(resources.get("Namespace", &object.key()), Some(object.clone()));
        assert_eq!(resources.get("Pod", &object.key()), None);
        assert!(resources.remove_key("Namespace", &object.key()));
        assert!(!resources.remove_key("Namespace", &object.key()) && resources.is_empty());
    }
}

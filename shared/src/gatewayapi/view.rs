//! The only way a piece of translation reaches other objects: look-ups that are noted as they are made.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::fleet::GatewayContext;
use crate::api::backend::Backend;
use crate::api::config_map::ConfigMap;
use crate::api::endpoint_slice::EndpointSlice;
use crate::api::envoy_proxy::EnvoyProxy;
use crate::api::gateway::Gateway;
use crate::api::gateway_class::GatewayClass;
use crate::api::http_route_filter::HttpRouteFilterResource;
use crate::api::metadata::{Object, ObjectKey, Timestamp};
use crate::api::reference_grant::ReferenceGrant;
use crate::api::secret::Secret;
use crate::api::service::Service;
use crate::api::service_import::ServiceImport;
use crate::config::Config;
use crate::resources::{Read, ReadKind, Resources, ServiceOwner};

/// The Gateways that have fleets of ours, as routes see them.
pub type Attachments = FxHashMap<ObjectKey, Arc<GatewayContext>>;

/// A look into the inputs that remembers what was asked.
#[derive(Debug)]
pub struct View<'a> {
    resources: &'a Resources,
    attachments: &'a Attachments,
    config: &'a Config,
    reads: RefCell<Vec<Read>>,
}

impl<'a> View<'a> {
    /// A fresh view, with nothing looked up yet.
    #[must_use]
    pub const fn new(resources: &'a Resources, attachments: &'a Attachments, config: &'a Config) -> Self {
        Self { resources, attachments, config, reads: RefCell::new(Vec::new()) }
    }

    /// What was looked up, each once, in order.
    #[must_use]
    pub fn into_reads(self) -> Vec<Read> {
        let mut reads = self.reads.into_inner();
        reads.sort_unstable();
        reads.dedup();
        reads
    }

    /// The configuration: fixed for the life of a cache, so reading it is no dependency.
    #[must_use]
    pub const fn config(&self) -> &'a Config {
        self.config
    }

    /// What time it is. No look-up: what depends on it says until when it holds.
    #[must_use]
    pub const fn now(&self) -> Option<Timestamp> {
        self.resources.now()
    }

    fn note(&self, kind: ReadKind, key: &ObjectKey) {
        self.reads.borrow_mut().push(Read::new(kind, key.clone()));
    }

    /// One Gateway of ours as routes see it; `None` when there is no such Gateway or it isn't ours.
    #[must_use]
    pub fn attachment(&self, key: &ObjectKey) -> Option<&'a Arc<GatewayContext>> {
        self.note(ReadKind::Attachment, key);
        self.attachments.get(key)
    }

    /// One Gateway as written.
    #[must_use]
    pub fn gateway(&self, key: &ObjectKey) -> Option<&'a Arc<Gateway>> {
        self.note(ReadKind::Gateway, key);
        self.resources.gateways().get(key)
    }

    /// The Gateways of one class, from the oldest to the youngest.
    #[must_use]
    pub fn gateways_of_class(&self, class: &str) -> Vec<&'a Arc<Gateway>> {
        self.reads.borrow_mut().push(Read::named(ReadKind::GatewaysOfClass, class));
        let mut gateways = self.resources.gateways().by_age();
        gateways.retain(|gateway| gateway.spec.gateway_class_name == class);
        gateways
    }

    /// One GatewayClass.
    #[must_use]
    pub fn gateway_class(&self, name: &str) -> Option<&'a Arc<GatewayClass>> {
        let key = ObjectKey::new("", name);
        self.note(ReadKind::GatewayClass, &key);
        self.resources.gateway_classes().get(&key)
    }

    /// One EnvoyProxy.
    #[must_use]
    pub fn envoy_proxy(&self, key: &ObjectKey) -> Option<&'a Arc<EnvoyProxy>> {
        self.note(ReadKind::EnvoyProxy, key);
        self.resources.envoy_proxies().get(key)
    }

    /// One HTTPRouteFilter.
    #[must_use]
    pub fn http_route_filter(&self, key: &ObjectKey) -> Option<&'a Arc<HttpRouteFilterResource>> {
        self.note(ReadKind::HttpRouteFilter, key);
        self.resources.http_route_filters().get(key)
    }

    /// One Backend.
    #[must_use]
    pub fn backend(&self, key: &ObjectKey) -> Option<&'a Arc<Backend>> {
        self.note(ReadKind::Backend, key);
        self.resources.backends().get(key)
    }

    /// One Service.
    #[must_use]
    pub fn service(&self, key: &ObjectKey) -> Option<&'a Arc<Service>> {
        self.note(ReadKind::Service, key);
        self.resources.services().get(key)
    }

    /// The first Service (by name) of `namespace` whose labels include all of `labels`.
    #[must_use]
    pub fn service_by_labels(&self, namespace: &str, labels: &BTreeMap<String, String>) -> Option<&'a Arc<Service>> {
        self.reads.borrow_mut().push(Read::named(ReadKind::ServicesOfNamespace, namespace));
        self.resources
            .services()
            .in_namespace(namespace)
            .find(|service| labels.iter().all(|(name, value)| service.metadata.labels.get(name) == Some(value)))
    }

    /// One ServiceImport.
    #[must_use]
    pub fn service_import(&self, key: &ObjectKey) -> Option<&'a Arc<ServiceImport>> {
        self.note(ReadKind::ServiceImport, key);
        self.resources.service_imports().get(key)
    }

    /// The EndpointSlices of a Service or ServiceImport, in canonical order.
    #[must_use]
    pub fn endpoint_slices(&self, owner: ServiceOwner, key: &ObjectKey) -> Vec<&'a Arc<EndpointSlice>> {
        self.note(owner.read(), key);
        self.resources.endpoint_slices(owner, key)
    }

    /// One Secret.
    #[must_use]
    pub fn secret(&self, key: &ObjectKey) -> Option<&'a Arc<Secret>> {
        self.note(ReadKind::Secret, key);
        self.resources.secrets().get(key)
    }

    /// One ConfigMap.
    #[must_use]
    pub fn config_map(&self, key: &ObjectKey) -> Option<&'a Arc<ConfigMap>> {
        self.note(ReadKind::ConfigMap, key);
        self.resources.config_maps().get(key)
    }

    /// The labels of one Namespace; `None` when the Namespace isn't known.
    #[must_use]
    pub fn namespace_labels(&self, name: &str) -> Option<&'a BTreeMap<String, String>> {
        let key = ObjectKey::new("", name);
        self.note(ReadKind::Namespace, &key);
        self.resources.namespaces().get(&key).map(|namespace| &namespace.metadata().labels)
    }

    /// The ReferenceGrants of `namespace`, by name.
    pub fn grants_in<'n>(&self, namespace: &'n str) -> impl Iterator<Item = &'a Arc<ReferenceGrant>> + use<'a, 'n> {
        self.reads.borrow_mut().push(Read::named(ReadKind::Grants, namespace));
        self.resources.reference_grants().in_namespace(namespace)
    }
}

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
use crate::api::http_route_filter::HttpRouteFilterResource;
use crate::api::labels::Labels;
use crate::api::metadata::{Object, ObjectKey, Timestamp};
use crate::api::reference_grant::ReferenceGrant;
use crate::api::secret::Secret;
use crate::api::service::Service;
use crate::api::service_import::ServiceImport;
use crate::config::Config;
use crate::resources::{Kind, Read, ReadKind, Resources, ServiceOwner};

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
        reads.shrink_to_fit();
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

    /// Looks `key` up and notes it, under the key the object is kept by where there is one: that one is shared.
    fn look_up<T: Object + PartialEq>(
        &self,
        kind: ReadKind,
        table: &'a Kind<T>,
        key: &ObjectKey,
    ) -> Option<&'a Arc<T>> {
        match table.entry(key) {
            Some((kept, object)) => {
                self.note(kind, kept);
                Some(object)
            }
            None => {
                self.note(kind, key);
                None
            }
        }
    }

    /// One Gateway of ours as routes see it; `None` when there is no such Gateway or it isn't ours.
    #[must_use]
    pub fn attachment(&self, key: &ObjectKey) -> Option<&'a Arc<GatewayContext>> {
        let found = self.attachments.get_key_value(key);
        self.note(ReadKind::Attachment, found.map_or(key, |(kept, _)| kept));
        found.map(|(_, context)| context)
    }

    /// One Gateway as written.
    #[must_use]
    pub fn gateway(&self, key: &ObjectKey) -> Option<&'a Arc<Gateway>> {
        self.look_up(ReadKind::Gateway, self.resources.gateways(), key)
    }

    /// One EnvoyProxy.
    #[must_use]
    pub fn envoy_proxy(&self, key: &ObjectKey) -> Option<&'a Arc<EnvoyProxy>> {
        self.look_up(ReadKind::EnvoyProxy, self.resources.envoy_proxies(), key)
    }

    /// One HTTPRouteFilter.
    #[must_use]
    pub fn http_route_filter(&self, key: &ObjectKey) -> Option<&'a Arc<HttpRouteFilterResource>> {
        self.look_up(ReadKind::HttpRouteFilter, self.resources.http_route_filters(), key)
    }

    /// One Backend.
    #[must_use]
    pub fn backend(&self, key: &ObjectKey) -> Option<&'a Arc<Backend>> {
        self.look_up(ReadKind::Backend, self.resources.backends(), key)
    }

    /// One Service.
    #[must_use]
    pub fn service(&self, key: &ObjectKey) -> Option<&'a Arc<Service>> {
        self.look_up(ReadKind::Service, self.resources.services(), key)
    }

    /// The first Service (by name) of `namespace` whose labels include all of `labels`.
    #[must_use]
    pub fn service_by_labels(&self, namespace: &str, labels: &BTreeMap<String, String>) -> Option<&'a Arc<Service>> {
        self.reads.borrow_mut().push(Read::named(ReadKind::ServicesOfNamespace, namespace));
        self.resources.services().in_namespace(namespace).find(|service| {
            labels.iter().all(|(name, value)| service.metadata.labels.get(name) == Some(value.as_str()))
        })
    }

    /// One ServiceImport.
    #[must_use]
    pub fn service_import(&self, key: &ObjectKey) -> Option<&'a Arc<ServiceImport>> {
        self.look_up(ReadKind::ServiceImport, self.resources.service_imports(), key)
    }

    /// The EndpointSlices of a Service or ServiceImport, in canonical order.
    #[must_use]
    pub fn endpoint_slices(&self, owner: ServiceOwner, key: &ObjectKey) -> Vec<&'a Arc<EndpointSlice>> {
        let kept = match owner {
            ServiceOwner::Service => self.resources.services().entry(key).map(|(kept, _)| kept),
            ServiceOwner::ServiceImport => self.resources.service_imports().entry(key).map(|(kept, _)| kept),
        };
        self.note(owner.read(), kept.unwrap_or(key));
        self.resources.endpoint_slices(owner, key)
    }

    /// One Secret.
    #[must_use]
    pub fn secret(&self, key: &ObjectKey) -> Option<&'a Arc<Secret>> {
        self.look_up(ReadKind::Secret, self.resources.secrets(), key)
    }

    /// One ConfigMap.
    #[must_use]
    pub fn config_map(&self, key: &ObjectKey) -> Option<&'a Arc<ConfigMap>> {
        self.look_up(ReadKind::ConfigMap, self.resources.config_maps(), key)
    }

    /// The labels of one Namespace; `None` when the Namespace isn't known.
    #[must_use]
    pub fn namespace_labels(&self, name: &str) -> Option<&'a Labels> {
        let key = ObjectKey::new("", name);
        self.look_up(ReadKind::Namespace, self.resources.namespaces(), &key)
            .map(|namespace| &namespace.metadata().labels)
    }

    /// The ReferenceGrants of `namespace`, by name.
    pub fn grants_in<'n>(&self, namespace: &'n str) -> impl Iterator<Item = &'a Arc<ReferenceGrant>> + use<'a, 'n> {
        self.reads.borrow_mut().push(Read::named(ReadKind::Grants, namespace));
        self.resources.reference_grants().in_namespace(namespace)
    }
}

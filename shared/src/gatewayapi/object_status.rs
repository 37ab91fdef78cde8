//! Every status there is to write: one for each object of ours, read off the decisions.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use super::assembly::RouteId;
use super::backend_status::backend_status;
use super::decision::{ParentOutcome, RouteKind};
use super::fleet::GatewayContext;
use super::programmed;
use super::route_statuses::route_status;
use super::statuses::{envoy_proxy_status, gateway_class_status, gateway_status, named_envoy_proxies};
use super::subjects::{KindFacts, Subject, SubjectKind};
use super::supported_features::supported_features;
use super::translate::Translation;
use crate::api::metadata::{Object, ObjectKey};
use crate::config::Config;
use crate::resources::Resources;
use crate::status::live::{LiveFleet, LiveFleets};
use crate::status::merge::Said;

/// The status of one object.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectStatus {
    /// Group and version of the object.
    pub api_version: String,
    /// Kind of the object.
    pub kind: &'static str,
    /// Name and, where it has one, namespace.
    pub metadata: BTreeMap<&'static str, Arc<str>>,
    /// The status, as the API server is to have it.
    pub status: Value,
}

/// Everything statuses are read off.
#[derive(Clone, Copy, Debug)]
pub struct Statuses<'a> {
    /// The objects.
    pub resources: &'a Resources,
    /// What decisions were made with.
    pub config: &'a Config,
    /// The decisions.
    pub translation: &'a Translation,
    /// What is known of running fleets; without it nothing is said that depends on it.
    pub live: Option<&'a LiveFleets>,
    /// By IR key: why a fleet is served what an earlier translation gave.
    pub held: &'a HeldFleets,
}

/// Why fleets are served what an earlier translation gave, in words, by IR key (design §6 rule 14).
pub type HeldFleets = BTreeMap<Arc<str>, String>;

/// What is known of the fleet of a Gateway. One that can't be used may have its fleet under another name: without its
/// EnvoyProxy a class doesn't say whether its Gateways are merged.
pub(super) fn live_of<'l>(live: &'l LiveFleets, context: &GatewayContext) -> Option<&'l LiveFleet> {
    let runs = |key: &str| live.get(key).filter(|fleet| fleet.service.is_some());
    let otherwise = || {
        let gateway = &context.gateway;
        runs(&gateway.key().to_string()).or_else(|| runs(&gateway.spec.gateway_class_name))
    };
    let elsewhere = || context.failed.as_ref().and_then(|_| otherwise());
    runs(&context.ir_key).or_else(elsewhere).or_else(|| live.get(&context.ir_key))
}

/// The statuses of all objects we answer for, by kind and then by name. Without `live`, what is known of running fleets,
/// nothing is said that depends on them.
#[must_use]
pub fn object_statuses(
    resources: &Resources,
    config: &Config,
    translation: &Translation,
    live: Option<&LiveFleets>,
) -> Vec<ObjectStatus> {
    let held = HeldFleets::new();
    let statuses = Statuses { resources, config, translation, live, held: &held };
    let subjects = statuses.subjects();
    let said = subjects.iter().filter_map(|subject| Some((subject, statuses.of(subject)?)));
    said.map(|(subject, status)| named(subject, status)).collect()
}

impl Statuses<'_> {
    /// The objects we may have something to say about, by kind and then by name.
    #[must_use]
    pub fn subjects(&self) -> Vec<Subject> {
        let Translation { classes, fleets, routes, listeners: _, xds: _ } = self.translation;
        let gateways = || fleets.values().flat_map(|fleet| &fleet.gateways);
        let mut subjects: Vec<Subject> = Vec::new();
        let mut add = |kind, key| subjects.push(Subject::new(kind, key));
        classes.values().for_each(|class| add(SubjectKind::GatewayClass, class.class.key()));
        named_envoy_proxies(classes.values(), gateways()).for_each(|key| add(SubjectKind::EnvoyProxy, key));
        gateways().for_each(|context| add(SubjectKind::Gateway, context.gateway.key()));
        routes.keys().for_each(|RouteId { kind, key }| add(SubjectKind::Route(*kind), key.clone()));
        self.resources.backends().iter().for_each(|backend| add(SubjectKind::Backend, backend.key()));
        subjects.sort_unstable();
        subjects.dedup();
        subjects
    }

    /// What is to be said about one object; `None` when it is nothing.
    #[must_use]
    pub fn of(&self, subject: &Subject) -> Option<Value> {
        let Subject { kind, key } = subject;
        match kind {
            SubjectKind::GatewayClass => self.gateway_class(key),
            SubjectKind::EnvoyProxy => self.envoy_proxy(key),
            SubjectKind::Gateway => self.gateway(key),
            SubjectKind::Route(kind) => self.route(*kind, key),
            SubjectKind::Backend => {
                self.resources.backends().get(key).map(|backend| value(&backend_status(self.config, backend)))
            }
        }
    }

    /// The same, with the parents of which nothing is said now: Gateways of ours that can't be used keep their fleets,
    /// and routes keep what was said of them there.
    #[must_use]
    pub fn said(&self, subject: &Subject) -> Said {
        let mut left_alone = Vec::new();
        if let SubjectKind::Route(kind) = subject.kind
            && let Some(fragment) = self.translation.routes.get(&RouteId { kind, key: subject.key.clone() })
        {
            let failed = fragment.parents.iter().filter(|it| matches!(it.outcome, ParentOutcome::FailedGateway { .. }));
            left_alone.extend(failed.map(|parent| value(&parent.parent)));
        }
        Said { status: self.of(subject), left_alone }
    }

    /// Whether Gateways use the class: then it is not to go before them.
    #[must_use]
    pub fn class_is_used(&self, name: &str) -> bool {
        self.translation.fleets.values().any(|fleet| &*fleet.class == name && !fleet.gateways.is_empty())
    }

    fn gateway_class(&self, key: &ObjectKey) -> Option<Value> {
        let mut status = gateway_class_status(self.translation.classes.get(&key.name)?);
        if self.live.is_some() {
            status.supported_features = supported_features();
        }
        Some(value(&status))
    }

    fn envoy_proxy(&self, key: &ObjectKey) -> Option<Value> {
        let Translation { classes, fleets, .. } = self.translation;
        let gateways = fleets.values().flat_map(|fleet| &fleet.gateways);
        let found = self.resources.envoy_proxies().get(key);
        envoy_proxy_status(key, found, classes.values(), gateways).map(|status| value(&status))
    }

    fn gateway(&self, key: &ObjectKey) -> Option<Value> {
        let context = self.translation.gateway(key)?;
        let mut status = gateway_status(context, &self.translation.listeners);
        if let Some(live) = self.live {
            let held = self.held.get(&context.ir_key).map(String::as_str);
            programmed::add(&mut status, context, live_of(live, context), held, self.config);
        }
        Some(value(&status))
    }

    fn route(&self, kind: RouteKind, key: &ObjectKey) -> Option<Value> {
        let Translation { routes, listeners, .. } = self.translation;
        let fragment = routes.get(&RouteId { kind, key: key.clone() })?;
        let status = route_status(fragment, listeners, &self.config.controller_name);
        (!status.parents.is_empty()).then(|| value(&status))
    }
}

/// A status is plain data: it can't fail to serialize, and if it did, an empty one would say nothing false.
fn value(status: &impl Serialize) -> Value {
    serde_json::to_value(status).unwrap_or_else(|_| Value::Object(Map::new()))
}

fn named(subject: &Subject, status: Value) -> ObjectStatus {
    let Subject { kind, key } = subject;
    let KindFacts { group, version, kind, plural: _, claim: _ } = kind.facts();
    let mut metadata = BTreeMap::from([("name", Arc::clone(&key.name))]);
    if !key.namespace.is_empty() {
        metadata.insert("namespace", Arc::clone(&key.namespace));
    }
    ObjectStatus { api_version: format!("{group}/{version}"), kind, metadata, status }
}

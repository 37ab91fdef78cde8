//! What the cluster is to have of one fleet: its rendered objects with their owner, or what is there already.

use std::sync::Arc;

use gateway_shared::gatewayapi::classes::ClassDecision;
use gateway_shared::gatewayapi::fleet::Fleet;
use gateway_shared::infra::object::InfraObject;
use gateway_shared::infra::render::render;
use gateway_shared::infra::settings::Settings;
use gateway_shared::ir::infra::ProxyInfra;
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use super::existing::fleet_of_content;
use super::kinds::Id;

/// What the cluster is to have of one fleet.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Wanted {
    /// These objects and no others, in the order they are applied.
    Objects(Arc<[Rendered]>),
    /// What is there already: the fleet can't be made, has nothing to serve, or its Gateway isn't accepted (design §6
    /// rules 3 and 25). With words where nobody else says why.
    Keep(Option<String>),
}

/// One object that is to be.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rendered {
    /// Its name.
    pub(super) id: Id,
    /// All of it, its owner too.
    pub(super) content: Arc<Value>,
    /// A hash of that.
    pub(super) hash: u64,
}

/// What the objects of a fleet are made from, beside its InfraIR.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Surroundings {
    /// What rendering needs to know.
    pub(super) settings: Settings,
    /// Whether fleets run in the namespaces of their Gateways.
    pub(super) gateway_namespace_mode: bool,
}

/// What the cluster is to have of `fleet`.
pub(super) fn wanted(fleet: &Fleet, class: Option<&ClassDecision>, surroundings: &Surroundings) -> Wanted {
    if fleet.is_failed() {
        return Wanted::Keep(None);
    }
    let Some(proxy) = fleet.infra.proxy.as_ref().filter(|proxy| !proxy.listeners.is_empty()) else {
        return Wanted::Keep(None);
    };
    let faults = fleet.infra.validate();
    if !faults.is_empty() {
        return Wanted::Keep(Some(unrenderable(&faults)));
    }
    let Some(owner) = owner(proxy, fleet, class) else {
        return Wanted::Keep(Some(
            "the owner of the fleet's objects has no uid yet: it isn't in the cluster".to_owned(),
        ));
    };
    if surroundings.gateway_namespace_mode && surroundings.settings.ca_certificate.is_none() {
        return Wanted::Keep(Some(format!(
            "the Secret {}/envoy, which holds the authority that proxies trust, is missing or has no `ca.crt`: \
             make it with `gateway-agent certgen`",
            surroundings.settings.controller_namespace
        )));
    }
    match render(&fleet.infra, &surroundings.settings) {
        Err(faults) => Wanted::Keep(Some(unrenderable(&faults))),
        Ok(objects) => finish(objects, &owner, fleet),
    }
}

/// Adds what rendering can't know.
fn finish(objects: Vec<InfraObject>, owner: &Value, fleet: &Fleet) -> Wanted {
    let mut rendered = Vec::new();
    for mut object in objects {
        let id = Id::of(&object);
        if fleet_of_content(&object.content).is_none_or(|named| named != fleet.ir_key) {
            return Wanted::Keep(Some(format!(
                "the labels of {id} would say that it belongs to another fleet: take \
                 gateway.envoyproxy.io/owning-… labels out of the EnvoyProxy and of spec.infrastructure of the Gateway"
            )));
        }
        if let Some(metadata) = object.content.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.insert("ownerReferences".to_owned(), json!([owner]));
        }
        let hash = xxh3_64(object.content.to_string().as_bytes());
        rendered.push(Rendered { id, content: Arc::new(object.content), hash });
    }
    rendered.sort_by_key(|object| object.id.kind);
    Wanted::Objects(rendered.into())
}

/// The owner reference of the fleet's objects: its Gateway where they are in its namespace, else its class.
fn owner(proxy: &ProxyInfra, fleet: &Fleet, class: Option<&ClassDecision>) -> Option<Value> {
    let said = proxy.metadata.as_ref()?.owner_reference.as_ref()?;
    let uid = if said.kind == "Gateway" {
        let mut gateways = fleet.gateways.iter().map(|context| &context.gateway.metadata);
        gateways.find(|metadata| metadata.name == said.name && metadata.namespace.as_ref() == Some(&proxy.namespace))?
    } else {
        &class?.class.metadata
    };
    let uid = uid.uid.as_ref()?;
    Some(json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": said.kind, "name": said.name, "uid": uid}))
}

fn unrenderable(faults: &[gateway_shared::diagnostic::Diagnostic]) -> String {
    let said: Vec<String> = faults.iter().map(ToString::to_string).collect();
    format!("the fleet can't be made as it is asked for, so it stays as it is: {}", said.join("; "))
}

//! The InfraIR of a fleet: what is to run, where, under which labels, and which ports it exposes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::fleets::FleetPlan;
use super::member::Member;
use super::observability::Observability;
use super::statuses;
use super::view::View;
use crate::api::envoy_proxy::{EnvoyProxy, EnvoyProxyStatus};
use crate::api::gateway::{AddressType, Gateway};
use crate::api::gateway_class::GatewayClass;
use crate::api::metadata::Object;
use crate::ir::infra::{Infra, InfraMetadata, ProxyInfra, ProxyListener};
use crate::ir::metadata::ResourceMetadata;
use crate::names::{OWNING_GATEWAY_CLASS, OWNING_GATEWAY_NAME, OWNING_GATEWAY_NAMESPACE};

/// The labels by which a fleet's objects are found.
pub(super) fn owner_labels(plan: &FleetPlan, gateway: &Gateway) -> BTreeMap<String, String> {
    let key = gateway.key();
    if plan.class.merge_gateways {
        [(OWNING_GATEWAY_CLASS.to_owned(), plan.class.name.to_string())].into()
    } else {
        [
            (OWNING_GATEWAY_NAMESPACE.to_owned(), key.namespace.to_string()),
            (OWNING_GATEWAY_NAME.to_owned(), key.name.to_string()),
        ]
        .into()
    }
}

/// The namespace a fleet runs in.
pub(super) fn namespace(view: &View<'_>, gateway: &Gateway) -> String {
    let config = view.config();
    if config.gateway_namespace_mode {
        gateway.key().namespace.to_string()
    } else {
        config.controller_namespace.clone()
    }
}

/// The InfraIR. Of merged Gateways the last accepted one gives addresses, the last of all labels and annotations.
pub(super) fn infra(
    view: &View<'_>,
    plan: &FleetPlan,
    members: &[Member],
    listeners: &[ProxyListener],
    observability: Option<&Observability>,
) -> Infra {
    let (failed, accepted): (Vec<&Member>, Vec<&Member>) = members.iter().partition(|member| member.failed.is_some());
    let Some(speaker) = failed.last().or(accepted.last()) else { return Infra::default() };
    let gateway = &speaker.gateway;
    let own_namespace = view.config().gateway_namespace_mode;
    let proxy = ProxyInfra {
        metadata: Some(metadata(plan, gateway, own_namespace)),
        name: if own_namespace { gateway.key().name.to_string() } else { plan.ir_key.to_string() },
        namespace: namespace(view, gateway),
        config: accepted.last().and_then(|member| config(member)).map(Box::new),
        listeners: listeners.to_vec(),
        addresses: accepted.last().map(|member| addresses(&member.gateway)).unwrap_or_default(),
        resolved_metric_sinks: observability.map(|it| it.metric_sinks.clone()).unwrap_or_default(),
    };
    Infra { proxy: Some(proxy) }
}

fn metadata(plan: &FleetPlan, gateway: &Gateway, own_namespace: bool) -> InfraMetadata {
    let infrastructure = gateway.spec.infrastructure.as_ref();
    let mut labels = infrastructure.map(|it| it.labels.clone()).unwrap_or_default();
    labels.extend(owner_labels(plan, gateway));
    let (kind, name) = if own_namespace {
        (Gateway::KIND, gateway.key().name.to_string())
    } else {
        (GatewayClass::KIND, plan.class.name.to_string())
    };
    InfraMetadata {
        annotations: infrastructure.map(|it| it.annotations.clone()).unwrap_or_default(),
        labels,
        owner_reference: Some(Arc::new(ResourceMetadata {
            kind: kind.to_owned(),
            name,
            ..ResourceMetadata::default()
        })),
    }
}

/// The effective EnvoyProxy. Of its status, it has what is said on behalf of the Gateway that names it.
fn config(member: &Member) -> Option<EnvoyProxy> {
    let mut proxy = member.envoy_proxy.as_deref()?.clone();
    proxy.status = member.own.as_ref().map(|own| EnvoyProxyStatus {
        ancestors: vec![statuses::for_gateway(own, &member.own_faults, &member.gateway.key())],
    });
    Some(proxy)
}

/// The IP addresses the Gateway asks for.
fn addresses(gateway: &Gateway) -> Vec<String> {
    let of_ip = gateway.spec.addresses.iter().filter(|it| matches!(it.r#type, None | Some(AddressType::IpAddress)));
    of_ip.filter_map(|address| address.value.clone()).collect()
}

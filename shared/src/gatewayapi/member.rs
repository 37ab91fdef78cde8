//! One Gateway of a fleet: which EnvoyProxy it gets, and whether it can be used at all.

use std::sync::Arc;

use super::classes::{ClassDecision, INVALID_PARAMETERS};
use super::envoy_proxy;
use super::fleet::GatewayContext;
use super::view::View;
use crate::api::envoy_proxy::EnvoyProxy;
use crate::api::gateway::{AddressType, Gateway, LocalParametersReference};
use crate::api::kubernetes_infra::MergeType;
use crate::api::metadata::{Object, ObjectKey};
use crate::diagnostic::{Diagnostic, FieldPath};

/// One Gateway of a fleet.
#[derive(Clone, Debug)]
pub(super) struct Member {
    /// The Gateway.
    pub(super) gateway: Arc<Gateway>,
    /// Its effective EnvoyProxy.
    pub(super) envoy_proxy: Option<Arc<EnvoyProxy>>,
    /// The EnvoyProxy it names itself, if it gets it.
    pub(super) own: Option<Arc<EnvoyProxy>>,
    /// What is wrong with that.
    pub(super) own_faults: Vec<Diagnostic>,
    /// Why it can't be used (design §6 rule 3).
    pub(super) failed: Option<Diagnostic>,
    /// Why it isn't accepted as it is, although it is served with what there is.
    pub(super) rejected: Option<Diagnostic>,
}

impl Member {
    /// The Gateway by itself: nothing said of its fleet and its listeners yet.
    pub(super) fn without_listeners(&self) -> GatewayContext {
        GatewayContext {
            gateway: Arc::clone(&self.gateway),
            ir_key: Arc::from(""),
            envoy_proxy: self.envoy_proxy.clone(),
            failed: self.failed.clone(),
            rejected: self.rejected.clone(),
            conditions: Vec::new(),
            listeners: Vec::new(),
            own_envoy_proxy: self.own.as_ref().map(|proxy| proxy.key()),
            own_envoy_proxy_faults: self.own_faults.clone(),
        }
    }
}

/// Decides about one Gateway.
pub(super) fn judge(view: &View<'_>, class: &ClassDecision, gateway: &Arc<Gateway>) -> Member {
    let of_class = class.parameters().and_then(|key| view.envoy_proxy(&key)).filter(|_| class.envoy_proxy.is_some());
    let (own, rejected) = match own_envoy_proxy(view, class, gateway) {
        Ok(own) => (own, None),
        Err(fault) => (None, Some(fault)),
    };
    let own_faults = own.as_ref().map(|proxy| envoy_proxy::validate(&proxy.spec)).unwrap_or_default();
    let default = view.config().default_envoy_proxy.as_deref();
    let (effective, unmergeable) = match envoy_proxy::effective(default, of_class, own.as_ref()) {
        Ok(effective) => (effective, None),
        Err(fault) => (own.clone(), own.as_ref().map(|own| cannot_be_used(&own.key(), &fault))),
    };
    let failed = merges_too_much(view, class, effective.as_deref())
        .or(unmergeable)
        .or_else(|| own.as_ref().zip(own_faults.first()).map(|(own, fault)| cannot_be_used(&own.key(), fault)))
        .or_else(|| class_fault(class, own.as_deref()))
        .or_else(|| unsupported_address(gateway));
    Member { gateway: Arc::clone(gateway), envoy_proxy: effective, own, own_faults, failed, rejected }
}

fn parameters_path() -> FieldPath {
    FieldPath::field("parametersRef").within("infrastructure").within("spec")
}

fn invalid(message: String) -> Diagnostic {
    Diagnostic::new(parameters_path(), INVALID_PARAMETERS, message)
}

fn cannot_be_used(key: &ObjectKey, fault: &Diagnostic) -> Diagnostic {
    invalid(format!("EnvoyProxy {key} can't be used: {fault}"))
}

/// The EnvoyProxy a Gateway names in `spec.infrastructure.parametersRef`.
fn own_envoy_proxy(
    view: &View<'_>,
    class: &ClassDecision,
    gateway: &Gateway,
) -> Result<Option<Arc<EnvoyProxy>>, Diagnostic> {
    let reference =
        gateway.spec.infrastructure.as_ref().and_then(|infrastructure| infrastructure.parameters_ref.as_ref());
    let Some(LocalParametersReference { group, kind, name }) = reference else { return Ok(None) };
    if class.merge_gateways {
        return Err(invalid(format!(
            "the Gateways of class {} are merged and share its EnvoyProxy; leave parametersRef out",
            class.name
        )));
    }
    if group != EnvoyProxy::GROUP || kind != EnvoyProxy::KIND || name.is_empty() {
        return Err(invalid(format!(
            "{group}/{kind} {name:?} can't configure a Gateway; name an EnvoyProxy of group {}",
            EnvoyProxy::GROUP
        )));
    }
    let key = ObjectKey::new(&gateway.key().namespace, name);
    match view.envoy_proxy(&key) {
        Some(proxy) => Ok(Some(Arc::clone(proxy))),
        None => Err(invalid(format!(
            "there is no EnvoyProxy {key}; create it or correct the reference; until then the Gateway is served with the \
             settings of its class"
        ))),
    }
}

/// The fault of the class's parameters, as a Gateway of it sees it. It is none of the business of a Gateway with an
/// EnvoyProxy of its `own`, but for one that changes what the class's says, when there is none to change.
fn class_fault(class: &ClassDecision, own: Option<&EnvoyProxy>) -> Option<Diagnostic> {
    let fault = class.fault.as_ref()?;
    let message = match (&class.envoy_proxy, own) {
        (None, Some(own)) if matches!(own.spec.merge_type, None | Some(MergeType::Replace)) => return None,
        (Some(_), Some(_)) => return None,
        (Some(proxy), None) => {
            let fault = class.envoy_proxy_faults.first().unwrap_or(fault);
            format!("EnvoyProxy {} of class {} can't be used: {fault}", proxy.key(), class.name)
        }
        (None, _) => format!(
            "class {} isn't accepted, so the Gateway keeps what it has and is made nothing new: {}",
            class.name, fault.message
        ),
    };
    Some(Diagnostic::new(FieldPath::field("gatewayClassName").within("spec"), INVALID_PARAMETERS, message))
}

/// `mergeGateways` and `mergeBackends` together.
fn merges_too_much(view: &View<'_>, class: &ClassDecision, effective: Option<&EnvoyProxy>) -> Option<Diagnostic> {
    let of_class = class.envoy_proxy.as_ref().map(|proxy| &proxy.spec);
    let specs = effective
        .map(|proxy| &proxy.spec)
        .into_iter()
        .chain(of_class)
        .chain(view.config().default_envoy_proxy.as_deref());
    let merges_backends = specs.into_iter().any(|spec| spec.merge_backends.is_some());
    (class.merge_gateways && merges_backends).then(|| {
        let message = "the class's EnvoyProxy sets both mergeGateways and mergeBackends; only one of them can be used";
        Diagnostic::new(FieldPath::field("gatewayClassName").within("spec"), INVALID_PARAMETERS, message)
    })
}

/// An address that can't be asked for.
fn unsupported_address(gateway: &Gateway) -> Option<Diagnostic> {
    gateway.spec.addresses.iter().enumerate().find_map(|(index, address)| {
        let kind = match &address.r#type {
            None | Some(AddressType::IpAddress | AddressType::Hostname) => return None,
            Some(kind) => kind,
        };
        let message = format!("an address of type {kind} can't be given; use IPAddress or Hostname");
        Some(
            Diagnostic::new(FieldPath::field("type"), "UnsupportedAddress", message)
                .within_item("addresses", index)
                .within("spec"),
        )
    })
}

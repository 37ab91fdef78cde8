//! Which GatewayClasses are ours, whether they are accepted, and whether they put all their Gateways into one fleet.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::envoy_proxy;
use crate::api::envoy_proxy::EnvoyProxy;
use crate::api::gateway_class::{GatewayClass, ParametersReference};
use crate::api::metadata::{Object, ObjectKey};
use crate::config::Config;
use crate::diagnostic::{Diagnostic, FieldPath};
use crate::resources::Resources;

/// The reason of a class, Gateway or EnvoyProxy whose parameters can't be used.
pub const INVALID_PARAMETERS: &str = "InvalidParameters";
/// What holds a class up while Gateways use it.
pub const FINALIZER: &str = "gateway-exists-finalizer.gateway.networking.k8s.io";

/// What was decided about one GatewayClass that names our controller.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassDecision {
    /// The class's name.
    pub name: Arc<str>,
    /// The class as written.
    pub class: Arc<GatewayClass>,
    /// The EnvoyProxy its `parametersRef` names, where there is one that may be used or judged.
    pub envoy_proxy: Option<Arc<EnvoyProxy>>,
    /// What is wrong with that EnvoyProxy (paths into it); Gateways that get their parameters from it fail.
    pub envoy_proxy_faults: Vec<Diagnostic>,
    /// Why the class isn't accepted (path into the class); its Gateways keep their fleets, whichever those are: without
    /// its EnvoyProxy nobody knows whether they are merged.
    pub fault: Option<Diagnostic>,
    /// Whether all its Gateways share one fleet.
    pub merge_gateways: bool,
}

impl ClassDecision {
    /// The key of the EnvoyProxy its `parametersRef` names, if it names one at all.
    #[must_use]
    pub fn parameters(&self) -> Option<ObjectKey> {
        self.class.spec.parameters_ref.as_ref().and_then(parameters_key)
    }
}

/// Decides about every GatewayClass that names our controller, by name (design §6 rule 1).
#[must_use]
pub fn decide(resources: &Resources, config: &Config) -> BTreeMap<Arc<str>, ClassDecision> {
    resources
        .gateway_classes()
        .iter()
        .filter(|class| class.spec.controller_name == config.controller_name && !is_gone(class))
        .map(|class| decide_one(resources, config, class))
        .map(|decision| (Arc::clone(&decision.name), decision))
        .collect()
}

/// Whether the class is being deleted and nobody holds it up any more.
fn is_gone(class: &GatewayClass) -> bool {
    class.metadata.deletion_timestamp.is_some() && !class.metadata.finalizers.iter().any(|name| name == FINALIZER)
}

fn decide_one(resources: &Resources, config: &Config, class: &Arc<GatewayClass>) -> ClassDecision {
    let default_merges = config.default_envoy_proxy.as_ref().and_then(|spec| spec.merge_gateways);
    let mut decision = ClassDecision {
        name: class.key().name,
        class: Arc::clone(class),
        envoy_proxy: None,
        envoy_proxy_faults: Vec::new(),
        fault: None,
        merge_gateways: default_merges.unwrap_or(false),
    };
    match parameters(resources, config, class) {
        Ok(None) => {}
        Ok(Some(proxy)) => {
            decision.merge_gateways = proxy.spec.merge_gateways.or(default_merges).unwrap_or(false);
            decision.envoy_proxy_faults = envoy_proxy::validate(&proxy.spec);
            decision.fault = decision.envoy_proxy_faults.first().map(|fault| {
                invalid(format!(
                    "EnvoyProxy {} can't be used: {fault}; correct it, until then Gateways without an EnvoyProxy of \
                     their own keep what they have",
                    proxy.key()
                ))
            });
            decision.envoy_proxy = Some(proxy);
        }
        Err(fault) => decision.fault = Some(fault),
    }
    decision
}

/// The EnvoyProxy of a class. One that is being deleted has it for as long as Gateways hold it up.
fn parameters(
    resources: &Resources,
    config: &Config,
    class: &GatewayClass,
) -> Result<Option<Arc<EnvoyProxy>>, Diagnostic> {
    let Some(reference) = &class.spec.parameters_ref else { return Ok(None) };
    let key = parameters_key(reference).ok_or_else(|| {
        invalid(format!(
            "{}/{} {:?} can't configure a class; name an EnvoyProxy of group {}",
            reference.group,
            reference.kind,
            reference.name,
            EnvoyProxy::GROUP
        ))
    })?;
    let proxy = resources
        .envoy_proxies()
        .get(&key)
        .ok_or_else(|| invalid(format!("there is no EnvoyProxy {key}; create it or correct the reference")))?;
    if config.gateway_namespace_mode && proxy.spec.merge_gateways == Some(true) {
        return Err(invalid(format!(
            "EnvoyProxy {key} sets mergeGateways, but here every fleet runs in its Gateway's namespace \
             (provider.kubernetes.deploy.type: GatewayNamespace); use one or the other"
        )));
    }
    Ok(Some(Arc::clone(proxy)))
}

/// The key of the EnvoyProxy a `parametersRef` names; `None` when it names something else.
fn parameters_key(reference: &ParametersReference) -> Option<ObjectKey> {
    let ParametersReference { group, kind, name, namespace } = reference;
    (group == EnvoyProxy::GROUP && kind == EnvoyProxy::KIND && !name.is_empty())
        .then(|| ObjectKey::new(namespace.as_deref().unwrap_or("default"), name))
}

fn invalid(message: String) -> Diagnostic {
    Diagnostic::new(FieldPath::field("parametersRef").within("spec"), INVALID_PARAMETERS, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::any_object::AnyObject;

    fn class(parameters: &str) -> GatewayClass {
        serde_json::from_str(&format!(
            r#"{{"metadata":{{"name":"eg","generation":3}},"spec":{{"controllerName":"example.com/ours"{parameters}}}}}"#
        ))
        .unwrap()
    }

    fn decided(objects: Vec<AnyObject>) -> Option<ClassDecision> {
        let config = Config { controller_name: "example.com/ours".into(), ..Config::default() };
        decide(&objects.into_iter().collect(), &config).remove("eg")
    }

    const REF: &str =
        r#","parametersRef":{"group":"gateway.envoyproxy.io","kind":"EnvoyProxy","name":"p","namespace":"n"}"#;

    fn proxy(spec: &str) -> AnyObject {
        let proxy: EnvoyProxy =
            serde_json::from_str(&format!(r#"{{"metadata":{{"name":"p","namespace":"n"}},"spec":{spec}}}"#)).unwrap();
        proxy.into()
    }

    #[test]
    fn another_controllers_class_is_not_ours() {
        let mut foreign = class("");
        foreign.spec.controller_name = "example.com/theirs".into();
        assert_eq!(decided(vec![foreign.into()]), None);
        assert_eq!(decided(vec![class("").into()]).unwrap().fault, None);
    }

    #[test]
    fn parameters_that_are_not_there_are_invalid() {
        let decision = decided(vec![class(REF).into()]).unwrap();
        let fault = decision.fault.unwrap();
        assert_eq!((fault.reason, fault.path.to_string().as_str()), (INVALID_PARAMETERS, "spec.parametersRef"));
        assert!(fault.message.contains("no EnvoyProxy n/p"), "{}", fault.message);
    }

    #[test]
    fn parameters_of_another_kind_are_invalid() {
        let reference = REF.replace("EnvoyProxy", "ConfigMap");
        assert!(decided(vec![class(&reference).into()]).unwrap().fault.is_some());
    }

    #[test]
    fn broken_parameters_are_invalid_and_kept_for_judgement() {
        let decision = decided(vec![class(REF).into(), proxy(r#"{"provider":{"type":"Host"}}"#)]).unwrap();
        assert!(decision.fault.is_some() && decision.envoy_proxy.is_some());
        assert_eq!(decision.envoy_proxy_faults.len(), 1);
    }

    #[test]
    fn the_classs_parameters_say_whether_gateways_are_merged() {
        assert!(!decided(vec![class(REF).into(), proxy("{}")]).unwrap().merge_gateways);
        assert!(decided(vec![class(REF).into(), proxy(r#"{"mergeGateways":true}"#)]).unwrap().merge_gateways);
    }

    #[test]
    fn a_class_that_is_held_up_keeps_its_parameters() {
        let mut going = class(REF);
        going.metadata.deletion_timestamp = "2024-01-01T00:00:00Z".parse().ok();
        going.metadata.finalizers.push(FINALIZER.to_owned());
        assert!(decided(vec![going.into(), proxy(r#"{"mergeGateways":true}"#)]).unwrap().merge_gateways);
    }

    #[test]
    fn a_class_that_is_gone_is_no_more() {
        let mut gone = class("");
        gone.metadata.deletion_timestamp = "2024-01-01T00:00:00Z".parse().ok();
        assert_eq!(decided(vec![gone.clone().into()]), None);
        gone.metadata.finalizers.push(FINALIZER.to_owned());
        assert!(decided(vec![gone.into()]).is_some());
    }
}

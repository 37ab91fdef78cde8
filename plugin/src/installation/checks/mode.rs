//! Proxies that run where the agent may not change them any more.

use gateway_shared::install::{CONFIG_MAP, InstallKind};
use gateway_shared::names::FLEET_MANAGED_BY;

use super::{Check, Plan};
use crate::installation::facts::Facts;
use crate::installation::request::Earlier;

pub(super) fn check(facts: &Facts, plan: &Plan<'_>) -> Vec<Check> {
    let namespace = &plan.options.namespace;
    let config = facts.there.get(&(InstallKind::ConfigMap, Some(namespace.clone()), CONFIG_MAP.to_owned()));
    let before = Earlier::of(None, config).config_file().file.gateway_namespace_mode();
    let after = plan.options.config.file.gateway_namespace_mode();
    let (label, value) = FLEET_MANAGED_BY;
    match (before, after) {
        (false, true) if config.is_some() => vec![Check::doubtful(
            "proxies move into the namespaces of their Gateways, where their Services get other addresses",
            "have everybody who keeps an address, such as DNS, follow the Gateway's status",
        )],
        (true, false) => vec![Check::doubtful(
            format!(
                "proxies in the namespaces of their Gateways stay as they are, since the agent may not touch them any \
                 more; others with other addresses are made in {namespace}"
            ),
            format!(
                "once those serve: kubectl delete deployments,daemonsets,services,configmaps,serviceaccounts,hpa,pdb -A \
                 -l {label}={value} --field-selector metadata.namespace!={namespace}"
            ),
        )],
        (false, _) | (true, true) => Vec::new(),
    }
}

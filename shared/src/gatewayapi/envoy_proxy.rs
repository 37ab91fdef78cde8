//! The effective EnvoyProxy of a Gateway: default, GatewayClass's and Gateway's put together, and what makes one invalid.

use std::collections::{BTreeMap, BTreeSet};
use std::net::Ipv4Addr;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::classes::INVALID_PARAMETERS;
use crate::api::access_log::{ProxyAccessLog, ProxyAccessLogFormatType, ProxyAccessLogSinkType};
use crate::api::envoy_proxy::{EnvoyProxy, EnvoyProxySpec};
use crate::api::envoy_proxy_provider::{EnvoyProxyKubernetesProvider, EnvoyProxyProvider, EnvoyProxyProviderType};
use crate::api::filter_order::FilterPosition;
use crate::api::kubernetes_infra::{KubernetesPatchSpec, KubernetesServiceSpec, MergeType, ServiceType};
use crate::api::proxy_metrics::ProxyMetrics;
use crate::diagnostic::{Diagnostic, FieldPath};

/// What the name of a cluster's statistics may be made of.
const CLUSTER_STAT_OPERATORS: [&str; 6] =
    ["%ROUTE_NAME%", "%ROUTE_NAMESPACE%", "%ROUTE_KIND%", "%ROUTE_RULE_NAME%", "%ROUTE_RULE_NUMBER%", "%BACKEND_REFS%"];
/// Lists that a strategic merge joins item by item, and the field that tells items apart. The names mean the same
/// wherever they stand inside an EnvoyProxy.
const MERGED_LISTS: [(&str, &str); 6] = [
    ("initContainers", "name"),
    ("volumes", "name"),
    ("imagePullSecrets", "name"),
    ("topologySpreadConstraints", "topologyKey"),
    ("env", "name"),
    ("volumeMounts", "mountPath"),
];

/// Puts the three levels together. `mergeType` of the Gateway's EnvoyProxy says how it meets the class's; that of the
/// class's, or else the Gateway's, says how the result meets the default. Without one the more specific replaces all.
///
/// # Errors
/// When the merged object isn't an EnvoyProxy any more.
pub(super) fn effective(
    default: Option<&EnvoyProxySpec>,
    class: Option<&Arc<EnvoyProxy>>,
    gateway: Option<&Arc<EnvoyProxy>>,
) -> Result<Option<Arc<EnvoyProxy>>, Diagnostic> {
    let merge_type = |proxy: Option<&Arc<EnvoyProxy>>| proxy.and_then(|proxy| proxy.spec.merge_type);
    let default = default.map(|spec| Arc::new(EnvoyProxy { spec: spec.clone(), ..EnvoyProxy::default() }));
    let specific = merge(class, gateway, merge_type(gateway))?;
    merge(default.as_ref(), specific.as_ref(), merge_type(class).or(merge_type(gateway)))
}

fn merge(
    base: Option<&Arc<EnvoyProxy>>,
    over: Option<&Arc<EnvoyProxy>>,
    how: Option<MergeType>,
) -> Result<Option<Arc<EnvoyProxy>>, Diagnostic> {
    let (Some(base), Some(over)) = (base, over) else { return Ok(over.or(base).cloned()) };
    let join = match how {
        None | Some(MergeType::Replace) => return Ok(Some(Arc::clone(over))),
        Some(MergeType::StrategicMerge) => strategic_merge,
        Some(MergeType::JsonMerge) => json_merge,
    };
    let merged = || -> serde_json::Result<EnvoyProxy> {
        let mut value = serde_json::to_value(base.as_ref())?;
        join(&mut value, serde_json::to_value(over.as_ref())?);
        serde_json::from_value(value)
    };
    merged().map(|proxy| Some(Arc::new(proxy))).map_err(|error| {
        invalid(FieldPath::field("mergeType"), format!("the merged EnvoyProxy can't be used: {error}")).within("spec")
    })
}

/// RFC 7386: objects are joined field by field, `null` removes, everything else replaces.
fn json_merge(base: &mut Value, patch: Value) {
    let Value::Object(patch) = patch else {
        *base = patch;
        return;
    };
    for (name, value) in patch {
        merge_field(base, name, value, json_merge);
    }
}

/// Kubernetes' strategic merge: as a JSON merge, but the lists in [`MERGED_LISTS`] are joined item by item.
fn strategic_merge(base: &mut Value, patch: Value) {
    let Value::Object(patch) = patch else {
        *base = patch;
        return;
    };
    for (name, value) in patch {
        let key = MERGED_LISTS.iter().find(|(list, _)| *list == name).map(|(_, key)| *key);
        match (key, value, base.get_mut(&name)) {
            (Some(key), Value::Array(items), Some(Value::Array(old))) => merge_items(old, items, key),
            (_, value, _) => merge_field(base, name, value, strategic_merge),
        }
    }
}

fn merge_field(base: &mut Value, name: String, value: Value, join: fn(&mut Value, Value)) {
    if !base.is_object() {
        *base = Value::Object(Map::new());
    }
    let Some(fields) = base.as_object_mut() else { return };
    if value.is_null() {
        fields.shift_remove(&name);
    } else {
        join(fields.entry(name).or_insert(Value::Null), value);
    }
}

fn merge_items(old: &mut Vec<Value>, items: Vec<Value>, key: &str) {
    for item in items {
        match old.iter_mut().find(|candidate| candidate.get(key).is_some() && candidate.get(key) == item.get(key)) {
            Some(same) => strategic_merge(same, item),
            None => old.push(item),
        }
    }
}

/// What makes an EnvoyProxy invalid, beyond what its types already refuse; with paths into the object.
#[must_use]
pub fn validate(spec: &EnvoyProxySpec) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    if let Some(provider) = &spec.provider {
        faults.extend(provider_faults(provider).into_iter().map(|fault| fault.within("provider")));
    }
    if let Some(telemetry) = &spec.telemetry {
        let access_log = telemetry.access_log.iter().flat_map(access_log_faults);
        faults.extend(access_log.map(|fault| fault.within("accessLog").within("telemetry")));
        let metrics = telemetry.metrics.iter().flat_map(metrics_faults);
        faults.extend(metrics.map(|fault| fault.within("metrics").within("telemetry")));
    }
    faults.extend(filter_order_fault(&spec.filter_order));
    faults.into_iter().map(|fault| fault.within("spec")).collect()
}

fn invalid(path: FieldPath, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(path, INVALID_PARAMETERS, message)
}

fn provider_faults(provider: &EnvoyProxyProvider) -> Vec<Diagnostic> {
    match (provider.r#type, &provider.host, &provider.kubernetes) {
        (EnvoyProxyProviderType::Host, None, _) => {
            vec![invalid(FieldPath::field("host"), "must be set when the type is Host; write host: {}")]
        }
        (EnvoyProxyProviderType::Kubernetes, _, Some(kubernetes)) => {
            kubernetes_faults(kubernetes).into_iter().map(|fault| fault.within("kubernetes")).collect()
        }
        _ => Vec::new(),
    }
}

fn kubernetes_faults(kubernetes: &EnvoyProxyKubernetesProvider) -> Vec<Diagnostic> {
    let patches = [
        ("envoyDeployment", kubernetes.envoy_deployment.as_ref().and_then(|object| object.patch.as_ref())),
        ("envoyHpa", kubernetes.envoy_hpa.as_ref().and_then(|object| object.patch.as_ref())),
        ("envoyPDB", kubernetes.envoy_pdb.as_ref().and_then(|object| object.patch.as_ref())),
        ("envoyService", kubernetes.envoy_service.as_ref().and_then(|object| object.patch.as_ref())),
    ];
    let mut faults: Vec<Diagnostic> = patches
        .into_iter()
        .filter_map(|(object, patch)| Some(patch_fault(patch?)?.within("patch").within(object)))
        .collect();
    let service = kubernetes.envoy_service.iter().flat_map(service_faults);
    faults.extend(service.map(|fault| fault.within("envoyService")));
    faults
}

fn patch_fault(KubernetesPatchSpec { r#type, value }: &KubernetesPatchSpec) -> Option<Diagnostic> {
    if value.is_null() {
        return Some(invalid(
            FieldPath::field("value"),
            "is empty; write what is to be changed, or leave the patch out",
        ));
    }
    (*r#type == Some(MergeType::Replace)).then(|| {
        invalid(FieldPath::field("type"), "Replace is no way to patch an object; use StrategicMerge or JSONMerge")
    })
}

fn service_faults(service: &KubernetesServiceSpec) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    let other_type = service.r#type.filter(|kind| *kind != ServiceType::LoadBalancer);
    let set = [
        ("allocateLoadBalancerNodePorts", service.allocate_load_balancer_node_ports.is_some()),
        ("loadBalancerSourceRanges", !service.load_balancer_source_ranges.is_empty()),
        ("loadBalancerIP", service.load_balancer_ip.is_some()),
    ];
    if let Some(kind) = other_type {
        faults.extend(set.into_iter().filter(|(_, is_set)| *is_set).map(|(field, _)| {
            invalid(
                FieldPath::field(field),
                format!("is for Services of type LoadBalancer only, and this one is {kind}"),
            )
        }));
    }
    for (index, range) in service.load_balancer_source_ranges.iter().enumerate() {
        if !is_cidr(range) {
            let fault =
                invalid(FieldPath::root(), format!("{range:?} is no range of addresses; write it as 10.0.0.0/8"));
            faults.push(fault.within_item("loadBalancerSourceRanges", index));
        }
    }
    if let Some(ip) = service.load_balancer_ip.as_ref().filter(|ip| ip.parse::<Ipv4Addr>().is_err()) {
        faults.push(invalid(FieldPath::field("loadBalancerIP"), format!("{ip:?} is no IPv4 address")));
    }
    faults
}

fn is_cidr(range: &str) -> bool {
    range.split_once('/').is_some_and(|(address, length)| {
        let most = match address.parse() {
            Ok(std::net::IpAddr::V4(_)) => 32,
            Ok(std::net::IpAddr::V6(_)) => 128,
            Err(_) => return false,
        };
        length.parse::<u8>().is_ok_and(|length| length <= most)
    })
}

fn access_log_faults(log: &ProxyAccessLog) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    if log.disable == Some(true) {
        return faults;
    }
    for (index, setting) in log.settings.iter().enumerate() {
        let text = Some(ProxyAccessLogFormatType::Text);
        if setting.format.as_ref().is_some_and(|format| format.r#type == text && format.text.is_none()) {
            let fault = invalid(FieldPath::field("text"), "must be set when the format's type is Text");
            faults.push(fault.within("format").within_item("settings", index));
        }
        for (position, sink) in setting.sinks.iter().enumerate() {
            let missing = match sink.r#type {
                Some(ProxyAccessLogSinkType::File) if sink.file.is_none() => "file",
                Some(ProxyAccessLogSinkType::OpenTelemetry) if sink.open_telemetry.is_none() => "openTelemetry",
                _ => continue,
            };
            let fault = invalid(FieldPath::field(missing), "must be set for a sink of this type");
            faults.push(fault.within_item("sinks", position).within_item("settings", index));
        }
    }
    faults
}

fn metrics_faults(metrics: &ProxyMetrics) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    for (index, sink) in metrics.sinks.iter().enumerate() {
        if sink.open_telemetry.is_none() {
            let fault = invalid(FieldPath::field("openTelemetry"), "must be set for a sink of this type");
            faults.push(fault.within_item("sinks", index));
        }
    }
    if let Some(fault) =
        metrics.cluster_stat_name.as_deref().and_then(|name| stat_name_fault(name, &CLUSTER_STAT_OPERATORS))
    {
        faults.push(invalid(FieldPath::field("clusterStatName"), fault));
    }
    faults
}

/// Why a name of statistics can't be used: between percent signs it may say only what `known` lists.
fn stat_name_fault(name: &str, known: &[&str]) -> Option<String> {
    let mut parts = name.split('%');
    parts.next()?;
    let mut unknown = Vec::new();
    let mut found = false;
    while let (Some(operator), Some(_)) = (parts.next(), parts.next()) {
        found = true;
        let operator = format!("%{operator}%");
        if !known.contains(&operator.as_str()) {
            unknown.push(operator);
        }
    }
    if !found && name.contains('%') {
        return Some(format!("has a percent sign without its pair; use {}", known.join(", ")));
    }
    (!unknown.is_empty()).then(|| format!("{} can't be used here; use {}", unknown.join(", "), known.join(", ")))
}

/// A filter that would have to stand before itself.
fn filter_order_fault(order: &[FilterPosition]) -> Option<Diagnostic> {
    let mut behind: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (index, FilterPosition { name, before, after }) in order.iter().enumerate() {
        let (first, second) = match (before, after) {
            (Some(before), _) => (name.as_str(), before.as_str()),
            (None, Some(after)) => (after.as_str(), name.as_str()),
            (None, None) => {
                let fault = invalid(FieldPath::root(), "says neither before nor after which filter it is to stand");
                return Some(fault.within_item("filterOrder", index));
            }
        };
        if first == second || reaches(&behind, second, first) {
            let message = format!("{first} can't stand before {second}: the entries above put {second} before {first}");
            return Some(invalid(FieldPath::root(), message).within_item("filterOrder", index));
        }
        behind.entry(first).or_default().insert(second);
    }
    None
}

/// Whether `to` has to stand behind `from`.
fn reaches(behind: &BTreeMap<&str, BTreeSet<&str>>, from: &str, to: &str) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(filter) = open.pop() {
        if filter == to {
            return true;
        }
        if seen.insert(filter) {
            open.extend(behind.get(filter).into_iter().flatten().copied());
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxy(name: &str, spec: &str) -> Arc<EnvoyProxy> {
        Arc::new(
            serde_json::from_str(&format!(r#"{{"metadata":{{"name":"{name}","namespace":"n"}},"spec":{spec}}}"#))
                .unwrap(),
        )
    }

    fn faults(spec: &str) -> Vec<String> {
        validate(&serde_json::from_str(spec).unwrap()).iter().map(|fault| fault.path.to_string()).collect()
    }

    #[test]
    fn the_more_specific_replaces_unless_it_says_otherwise() {
        let class = proxy("class", r#"{"concurrency":4,"ipFamily":"IPv6"}"#);
        let gateway = proxy("gateway", r#"{"concurrency":2}"#);
        let effective = effective(None, Some(&class), Some(&gateway)).unwrap().unwrap();
        assert_eq!(effective, gateway);
    }

    #[test]
    fn a_merge_keeps_what_the_more_specific_leaves_open() {
        let default: EnvoyProxySpec = serde_json::from_str(r#"{"preserveRouteOrder":true,"concurrency":9}"#).unwrap();
        let class = proxy("class", r#"{"concurrency":4,"ipFamily":"IPv6"}"#);
        let gateway = proxy("gateway", r#"{"concurrency":2,"mergeType":"JSONMerge"}"#);
        let merged = effective(Some(&default), Some(&class), Some(&gateway)).unwrap().unwrap();
        assert_eq!(merged.metadata.name, "gateway");
        assert_eq!(merged.spec.concurrency, Some(2));
        assert_eq!(merged.spec.ip_family, class.spec.ip_family);
        assert_eq!(merged.spec.preserve_route_order, Some(true));
    }

    #[test]
    fn a_strategic_merge_joins_environments_by_name() {
        let spec = |env: &str, rest: &str| {
            format!(
                r#"{{"provider":{{"type":"Kubernetes","kubernetes":{{"envoyDeployment":{{"container":{{"env":{env}}}}}}}}}{rest}}}"#
            )
        };
        let class = proxy("class", &spec(r#"[{"name":"A","value":"1"},{"name":"B","value":"1"}]"#, ""));
        let over = r#","mergeType":"StrategicMerge""#;
        let gateway = proxy("gateway", &spec(r#"[{"name":"B","value":"2"},{"name":"C","value":"2"}]"#, over));
        let merged = effective(None, Some(&class), Some(&gateway)).unwrap().unwrap();
        let kubernetes = merged.spec.provider.clone().unwrap().kubernetes.unwrap();
        let env = kubernetes.envoy_deployment.unwrap().container.unwrap().env;
        let pairs: Vec<_> = env.iter().map(|entry| (entry.name.as_str(), entry.value.as_deref().unwrap())).collect();
        assert_eq!(pairs, [("A", "1"), ("B", "2"), ("C", "2")]);
    }

    #[test]
    fn a_host_provider_needs_its_settings() {
        assert_eq!(faults(r#"{"provider":{"type":"Host"}}"#), ["spec.provider.host"]);
        assert!(faults(r#"{"provider":{"type":"Host","host":{}}}"#).is_empty());
    }

    #[test]
    fn settings_of_a_load_balancer_need_one() {
        let service = r#"{"type":"ClusterIP","loadBalancerIP":"::1","loadBalancerSourceRanges":["10.0.0.0/33"]}"#;
        let spec = format!(r#"{{"provider":{{"type":"Kubernetes","kubernetes":{{"envoyService":{service}}}}}}}"#);
        let base = "spec.provider.kubernetes.envoyService";
        assert_eq!(
            faults(&spec),
            [
                format!("{base}.loadBalancerSourceRanges"),
                format!("{base}.loadBalancerIP"),
                format!("{base}.loadBalancerSourceRanges[0]"),
                format!("{base}.loadBalancerIP"),
            ]
        );
    }

    #[test]
    fn sinks_of_logs_and_metrics_need_their_settings() {
        let spec = r#"{"telemetry":{
            "accessLog":{"settings":[{"format":{"type":"Text"},"sinks":[{"type":"File"},{"type":"ALS"},{"type":"OpenTelemetry"}]}]},
            "metrics":{"sinks":[{"type":"OpenTelemetry"}],"clusterStatName":"%ROUTE_NAME%/%NOPE%"}}}"#;
        assert_eq!(
            faults(spec),
            [
                "spec.telemetry.accessLog.settings[0].format.text",
                "spec.telemetry.accessLog.settings[0].sinks[0].file",
                "spec.telemetry.accessLog.settings[0].sinks[2].openTelemetry",
                "spec.telemetry.metrics.sinks[0].openTelemetry",
                "spec.telemetry.metrics.clusterStatName",
            ]
        );
    }

    #[test]
    fn no_filter_stands_before_itself() {
        let order = |last: &str| {
            format!(
                r#"{{"filterOrder":[{{"name":"envoy.filters.http.wasm","before":"envoy.filters.http.cors"}},
                {{"name":"envoy.filters.http.fault","after":"envoy.filters.http.cors"}},{last}]}}"#
            )
        };
        let cycle = r#"{"name":"envoy.filters.http.fault","before":"envoy.filters.http.wasm"}"#;
        assert_eq!(faults(&order(cycle)), ["spec.filterOrder[2]"]);
        let fine = r#"{"name":"envoy.filters.http.fault","after":"envoy.filters.http.wasm"}"#;
        assert!(faults(&order(fine)).is_empty());
    }
}

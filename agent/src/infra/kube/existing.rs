//! The objects of fleets as the cluster has them, cut down to what is compared and told.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gateway_shared::infra::object::InfraKind;
use gateway_shared::names::{FLEET_MANAGED_BY, OWNING_GATEWAY_CLASS, OWNING_GATEWAY_NAME, OWNING_GATEWAY_NAMESPACE};
use gateway_shared::status::live::{LiveAddress, LiveWorkload};
use kube::core::DynamicObject;
use serde_json::{Map, Value, json};

use super::kinds::Id;

/// One object as the cluster has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Existing {
    /// Its identity across time.
    pub(super) uid: Box<str>,
    /// Its version; newer ones are greater.
    pub(super) version: u64,
    /// The IR key of the fleet its labels name.
    pub(super) fleet: Option<Arc<str>>,
    /// Whether it is being deleted.
    pub(super) deleting: bool,
    /// What can be compared with what was rendered, as JSON: as text it takes a tenth of the memory.
    document: Box<str>,
    /// What is told of it.
    pub(super) facts: Facts,
}

/// What is told of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Facts {
    /// Nothing.
    Nothing,
    /// Where a Service is reached.
    Service(ServiceFacts),
    /// How many pods there are.
    Workload(LiveWorkload),
}

/// Where a Service is reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ServiceFacts {
    /// Its type.
    pub(super) r#type: Box<str>,
    /// Addresses inside of the cluster.
    pub(super) cluster_ips: Vec<String>,
    /// Addresses somebody else routes to the nodes.
    pub(super) external_ips: Vec<String>,
    /// The IP families it speaks.
    pub(super) families: Vec<String>,
    /// Whether only nodes with a ready pod take its traffic.
    pub(super) local: bool,
    /// What its balancer is reached at, addresses first.
    pub(super) ingress: Vec<LiveAddress>,
}

/// The IR key of the fleet these labels name. Labels that name a Gateway win: those of its class could have been added
/// by whoever wrote the Gateway.
pub(super) fn fleet_of(label: impl Fn(&str) -> Option<String>) -> Option<Arc<str>> {
    match (label(OWNING_GATEWAY_NAMESPACE), label(OWNING_GATEWAY_NAME)) {
        (Some(namespace), Some(name)) => Some(format!("{namespace}/{name}").into()),
        _ => label(OWNING_GATEWAY_CLASS).map(Into::into),
    }
}

/// The IR key of the fleet that the labels of a rendered object name.
pub(super) fn fleet_of_content(content: &Value) -> Option<Arc<str>> {
    fleet_of(|name| content.pointer("/metadata/labels")?.get(name)?.as_str().map(ToOwned::to_owned))
}

impl Existing {
    /// Cuts down what the API server sent. `None` when it has no name.
    pub(super) fn read(kind: InfraKind, object: DynamicObject) -> Option<(Id, Self)> {
        let DynamicObject { types: _, metadata, data } = object;
        let id = Id {
            kind,
            namespace: metadata.namespace.unwrap_or_default().into(),
            name: metadata.name.filter(|name| !name.is_empty())?.into(),
        };
        let labels = metadata.labels.unwrap_or_default();
        let facts = facts(kind, &data);
        let mut document = match data {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        document.shift_remove("status");
        let mut annotations = metadata.annotations.unwrap_or_default();
        annotations.remove("kubectl.kubernetes.io/last-applied-configuration");
        document.insert(
            "metadata".to_owned(),
            json!({
                "labels": labels,
                "annotations": annotations,
                "ownerReferences": metadata.owner_references.unwrap_or_default(),
            }),
        );
        let existing = Self {
            uid: metadata.uid.unwrap_or_default().into(),
            version: metadata.resource_version.and_then(|version| version.parse().ok()).unwrap_or_default(),
            fleet: fleet_of(|name| labels.get(name).cloned()),
            deleting: metadata.deletion_timestamp.is_some(),
            document: Value::Object(document).to_string().into(),
            facts,
        };
        Some((id, existing))
    }

    /// What can be compared with what was rendered.
    pub(super) fn document(&self) -> Value {
        serde_json::from_str(&self.document).unwrap_or_default()
    }
}

/// Whether an object that the watch doesn't show was made by us all the same: somebody took our labels off it, or it is
/// newer than the watch. Objects of other fleets and of anybody else are not.
pub(super) fn made_for(object: &DynamicObject, fleet: &str) -> bool {
    let labels = object.metadata.labels.as_ref();
    let label = |name: &str| labels.and_then(|labels| labels.get(name)).cloned();
    let applied_by_us = || {
        let managers = object.metadata.managed_fields.iter().flatten();
        managers.into_iter().any(|entry| {
            entry.manager.as_deref() == Some(super::FIELD_MANAGER) && entry.operation.as_deref() == Some("Apply")
        })
    };
    match fleet_of(label) {
        Some(owner) => {
            *owner == *fleet && (label(FLEET_MANAGED_BY.0).as_deref() == Some(FLEET_MANAGED_BY.1) || applied_by_us())
        }
        None => applied_by_us(),
    }
}

fn facts(kind: InfraKind, data: &Value) -> Facts {
    let number = |pointer: &str| {
        let number = data.pointer(pointer).and_then(Value::as_i64);
        number.and_then(|number| i32::try_from(number).ok()).unwrap_or_default()
    };
    match kind {
        InfraKind::Deployment => Facts::Workload(LiveWorkload {
            desired: if data.pointer("/spec/replicas").is_some() { number("/spec/replicas") } else { 1 },
            existing: number("/status/replicas"),
            available: number("/status/availableReplicas"),
        }),
        InfraKind::DaemonSet => Facts::Workload(LiveWorkload {
            desired: number("/status/desiredNumberScheduled"),
            existing: number("/status/currentNumberScheduled"),
            available: number("/status/numberAvailable"),
        }),
        InfraKind::Service => Facts::Service(service_facts(data)),
        InfraKind::ServiceAccount
        | InfraKind::ConfigMap
        | InfraKind::HorizontalPodAutoscaler
        | InfraKind::PodDisruptionBudget => Facts::Nothing,
    }
}

fn service_facts(data: &Value) -> ServiceFacts {
    let text = |pointer: &str| data.pointer(pointer).and_then(Value::as_str);
    let texts = |pointer: &str| -> Vec<String> {
        let values = data.pointer(pointer).and_then(Value::as_array).into_iter().flatten();
        values.filter_map(Value::as_str).map(ToOwned::to_owned).collect()
    };
    let balancers = || data.pointer("/status/loadBalancer/ingress").and_then(Value::as_array).into_iter().flatten();
    let said = |entry: &Value, field| entry.get(field)?.as_str().filter(|text| !text.is_empty()).map(ToOwned::to_owned);
    let ips = balancers().filter_map(|entry| said(entry, "ip")).map(LiveAddress::Ip);
    let names = balancers()
        .filter(|entry| said(entry, "ip").is_none())
        .filter_map(|entry| said(entry, "hostname"))
        .map(LiveAddress::Hostname);
    let usable = |ip: &String| !ip.is_empty() && ip != "None";
    ServiceFacts {
        r#type: text("/spec/type").unwrap_or("ClusterIP").into(),
        cluster_ips: texts("/spec/clusterIPs").into_iter().filter(usable).collect(),
        external_ips: texts("/spec/externalIPs"),
        families: texts("/spec/ipFamilies"),
        local: text("/spec/externalTrafficPolicy") == Some("Local"),
        ingress: ips.chain(names).collect(),
    }
}

/// All objects of fleets.
#[derive(Debug, Default)]
pub(super) struct Store {
    objects: BTreeMap<Id, Existing>,
    by_fleet: BTreeMap<Arc<str>, BTreeSet<Id>>,
}

impl Store {
    /// One object.
    pub(super) fn get(&self, id: &Id) -> Option<&Existing> {
        self.objects.get(id)
    }

    /// Whatever names `fleet` in its labels, in the order it was applied.
    pub(super) fn of_fleet(&self, fleet: &str) -> impl DoubleEndedIterator<Item = (&Id, &Existing)> {
        self.by_fleet
            .get(fleet)
            .into_iter()
            .flatten()
            .filter_map(|id| self.objects.get(id).map(|existing| (id, existing)))
    }

    /// Every fleet that has an object.
    pub(super) fn fleets(&self) -> impl Iterator<Item = &Arc<str>> {
        self.by_fleet.keys()
    }

    /// Every object.
    pub(super) fn ids(&self) -> impl Iterator<Item = &Id> {
        self.objects.keys()
    }

    /// Takes an object over, unless a newer version of it is known. Gives the fleets that it concerns.
    pub(super) fn set(&mut self, id: Id, existing: Existing) -> Vec<Arc<str>> {
        if self.objects.get(&id).is_some_and(|old| old.uid == existing.uid && old.version > existing.version) {
            return Vec::new();
        }
        let mut concerned = self.remove(&id, None);
        if let Some(fleet) = &existing.fleet {
            self.by_fleet.entry(Arc::clone(fleet)).or_default().insert(id.clone());
            concerned.push(Arc::clone(fleet));
        }
        self.objects.insert(id, existing);
        concerned
    }

    /// Forgets an object, or only that one of its name with this uid. Gives the fleets that it concerns.
    pub(super) fn remove(&mut self, id: &Id, uid: Option<&str>) -> Vec<Arc<str>> {
        if uid.is_some_and(|uid| self.objects.get(id).is_some_and(|existing| &*existing.uid != uid)) {
            return Vec::new();
        }
        let fleet = self.objects.remove(id).and_then(|existing| existing.fleet);
        if let Some(fleet) = &fleet
            && let Some(ids) = self.by_fleet.get_mut(fleet)
        {
            ids.remove(id);
            if ids.is_empty() {
                self.by_fleet.remove(fleet);
            }
        }
        fleet.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(json: Value) -> DynamicObject {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn a_service_says_where_it_is_reached() {
        let (id, existing) = Existing::read(
            InfraKind::Service,
            object(json!({
                "metadata": {"name": "a", "namespace": "n", "uid": "u", "resourceVersion": "12", "labels": {
                    OWNING_GATEWAY_NAMESPACE: "n", OWNING_GATEWAY_NAME: "g", OWNING_GATEWAY_CLASS: "stolen",
                }, "managedFields": [{"manager": "x"}]},
                "spec": {"type": "LoadBalancer", "clusterIPs": ["None", "10.0.0.1"], "externalTrafficPolicy": "Local"},
                "status": {"loadBalancer": {"ingress": [
                    {"hostname": "lb.example"}, {"ip": "172.30.0.1", "hostname": "ignored"},
                ]}},
            })),
        )
        .unwrap();
        assert_eq!(id.to_string(), "Service n/a");
        assert_eq!((existing.version, existing.fleet.as_deref()), (12, Some("n/g")));
        assert!(!existing.document.contains("managedFields") && !existing.document.contains("loadBalancer\":{"));
        let Facts::Service(facts) = existing.facts else { panic!("not a Service") };
        assert_eq!(facts.cluster_ips, ["10.0.0.1"]);
        assert!(facts.local);
        assert_eq!(
            facts.ingress,
            [LiveAddress::Ip("172.30.0.1".to_owned()), LiveAddress::Hostname("lb.example".to_owned())]
        );
    }

    #[test]
    fn an_older_version_never_replaces_a_newer_one() {
        let version = |version: &str, uid: &str| {
            let json = json!({"metadata": {"name": "a", "namespace": "n", "uid": uid, "resourceVersion": version,
                "labels": {OWNING_GATEWAY_CLASS: "eg"}}});
            Existing::read(InfraKind::ConfigMap, object(json)).unwrap()
        };
        let mut store = Store::default();
        let (id, newer) = version("9", "u");
        store.set(id.clone(), newer);
        let (_, older) = version("8", "u");
        assert!(store.set(id.clone(), older).is_empty());
        assert_eq!(store.get(&id).map(|it| it.version), Some(9));
        assert!(store.remove(&id, Some("another")).is_empty(), "that one is gone already, this one isn't");
        let (_, made_again) = version("8", "v");
        store.set(id.clone(), made_again);
        assert_eq!(store.get(&id).map(|it| it.version), Some(8));
        assert_eq!(store.of_fleet("eg").count(), 1);
        assert_eq!(store.remove(&id, None).as_slice(), [Arc::from("eg")]);
        assert_eq!(store.fleets().count(), 0);
    }

    #[test]
    fn only_what_we_made_for_the_fleet_is_ours() {
        let made = |labels: Value, manager: &str| {
            let fields = json!([{"manager": manager, "operation": "Apply"}]);
            let json = json!({"metadata": {"name": "a", "labels": labels, "managedFields": fields}});
            made_for(&object(json), "n/g")
        };
        let owned =
            json!({OWNING_GATEWAY_NAMESPACE: "n", OWNING_GATEWAY_NAME: "g", FLEET_MANAGED_BY.0: FLEET_MANAGED_BY.1});
        let other =
            json!({OWNING_GATEWAY_NAMESPACE: "n", OWNING_GATEWAY_NAME: "h", FLEET_MANAGED_BY.0: FLEET_MANAGED_BY.1});
        assert!(made(owned, "anybody"));
        assert!(!made(other, "envoy-gateway"), "another fleet's");
        assert!(!made(json!({}), "kubectl"), "somebody else's");
        assert!(made(json!({}), "envoy-gateway"), "ours, and somebody took the labels off");
    }
}

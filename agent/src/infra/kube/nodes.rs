//! Nodes and where proxies run on them: what the addresses of NodePort Services are read off.

use kube::core::DynamicObject;
use serde_json::Value;

/// The addresses of one node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NodeAddresses {
    /// IPv4 addresses.
    pub(super) v4: Vec<String>,
    /// IPv6 addresses.
    pub(super) v6: Vec<String>,
}

impl NodeAddresses {
    /// The external addresses of a node, or its internal ones when it has none.
    pub(super) fn read(object: DynamicObject) -> Option<(String, Self)> {
        let DynamicObject { types: _, metadata, data } = object;
        let said = |r#type: &str| {
            let mut found = Self::default();
            let entries = data.pointer("/status/addresses").and_then(Value::as_array).into_iter().flatten();
            for entry in entries.filter(|entry| entry.get("type").and_then(Value::as_str) == Some(r#type)) {
                match entry.get("address").and_then(Value::as_str) {
                    Some(address) if address.contains(':') => found.v6.push(address.to_owned()),
                    Some(address) if !address.is_empty() => found.v4.push(address.to_owned()),
                    _ => {}
                }
            }
            found
        };
        let external = said("ExternalIP");
        let addresses = if external == Self::default() { said("InternalIP") } else { external };
        Some((metadata.name?, addresses))
    }
}

/// Where the pods of one EndpointSlice are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Endpoints {
    /// The Service.
    pub(super) service: String,
    /// The nodes with a ready pod.
    pub(super) nodes: Vec<String>,
}

impl Endpoints {
    /// Reads an EndpointSlice; it is named by namespace and name.
    pub(super) fn read(object: DynamicObject) -> Option<((String, String), Self)> {
        let DynamicObject { types: _, metadata, data } = object;
        let service = metadata.labels?.remove("kubernetes.io/service-name")?;
        let endpoints = data.get("endpoints").and_then(Value::as_array).into_iter().flatten();
        let ready =
            endpoints.filter(|endpoint| endpoint.pointer("/conditions/ready").and_then(Value::as_bool) != Some(false));
        let nodes = ready.filter_map(|endpoint| endpoint.get("nodeName")?.as_str()).map(ToOwned::to_owned).collect();
        Some(((metadata.namespace?, metadata.name?), Self { service, nodes }))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn internal_addresses_count_where_there_are_no_others() {
        let node = |addresses: Value| {
            let object = json!({"metadata": {"name": "a"}, "status": {"addresses": addresses}});
            NodeAddresses::read(serde_json::from_value(object).unwrap()).unwrap().1
        };
        let internal = json!({"type": "InternalIP", "address": "10.0.0.1"});
        assert_eq!(node(json!([internal, {"type": "Hostname", "address": "a"}])).v4, ["10.0.0.1"]);
        let both = node(json!([internal, {"type": "ExternalIP", "address": "2001:db8::1"}]));
        assert!(both.v4.is_empty());
        assert_eq!(both.v6, ["2001:db8::1"]);
    }

    #[test]
    fn a_pod_that_says_nothing_is_ready() {
        let slice = json!({
            "metadata": {"name": "s-1", "namespace": "n", "labels": {"kubernetes.io/service-name": "s"}},
            "endpoints": [
                {"nodeName": "a"}, {"nodeName": "b", "conditions": {"ready": false}},
                {"nodeName": "c", "conditions": {"ready": true}},
            ],
        });
        let (_, endpoints) = Endpoints::read(serde_json::from_value(slice).unwrap()).unwrap();
        assert_eq!((endpoints.service.as_str(), endpoints.nodes), ("s", vec!["a".to_owned(), "c".to_owned()]));
    }
}

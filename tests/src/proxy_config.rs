//! What a proxy was sent, in the words a test asks about it.

use gateway_shared::xds::table::ResourceType;
use serde_json::Value;

use crate::contains::assert_contains;
use crate::xds_client::Received;

/// All a proxy has been sent, decoded.
#[derive(Clone, Debug)]
pub struct ProxyConfig {
    received: Received,
}

impl ProxyConfig {
    /// What a client has.
    #[must_use]
    pub const fn new(received: Received) -> Self {
        Self { received }
    }

    /// The names of all resources of one type, in order.
    #[must_use]
    pub fn names(&self, kind: ResourceType) -> Vec<&str> {
        self.received.of(kind).map(|(name, _)| name).collect()
    }

    /// The resource of this name.
    ///
    /// # Panics
    /// When there is none.
    #[must_use]
    #[track_caller]
    pub fn resource(&self, kind: ResourceType, name: &str) -> &Value {
        match self.received.get(kind, name) {
            Some(found) => found,
            None => panic!("no {} {name}; there are {:?}", kind.label(), self.names(kind)),
        }
    }

    /// The names of the listeners of Gateways, in order; every proxy has one more, for readiness probes.
    #[must_use]
    pub fn listeners(&self) -> Vec<&str> {
        self.names(ResourceType::Listener)
            .into_iter()
            .filter(|name| !name.starts_with("envoy-gateway-proxy-"))
            .collect()
    }

    /// The listener of this name.
    #[must_use]
    #[track_caller]
    pub fn listener(&self, name: &str) -> &Value {
        self.resource(ResourceType::Listener, name)
    }

    /// The cluster of this name.
    #[must_use]
    #[track_caller]
    pub fn cluster(&self, name: &str) -> &Value {
        self.resource(ResourceType::Cluster, name)
    }

    /// The addresses of a cluster's endpoints, as `address:port`, in order.
    #[must_use]
    #[track_caller]
    pub fn endpoints(&self, cluster: &str) -> Vec<String> {
        let assignment = match self.received.get(ResourceType::Endpoints, cluster) {
            Some(assignment) => assignment,
            None => self.cluster(cluster).get("loadAssignment").unwrap_or(&Value::Null),
        };
        let mut found = Vec::new();
        for locality in list(assignment.get("endpoints")) {
            for endpoint in list(locality.get("lbEndpoints")) {
                let address = endpoint.pointer("/endpoint/address").unwrap_or(&Value::Null);
                found.push(match address.pointer("/socketAddress") {
                    Some(socket) => format!("{}:{}", text(socket, "address"), socket["portValue"]),
                    None => address.pointer("/pipe/path").and_then(Value::as_str).unwrap_or_default().to_owned(),
                });
            }
        }
        found
    }

    /// The routes of the virtual host that has `domain`, in the order Envoy tries them, wherever it stands.
    ///
    /// # Panics
    /// When no virtual host has it, or more than one.
    #[must_use]
    #[track_caller]
    pub fn routes(&self, domain: &str) -> &[Value] {
        let found: Vec<&Value> = self
            .received
            .of(ResourceType::Route)
            .flat_map(|(_, configuration)| list(configuration.get("virtualHosts")))
            .filter(|host| list(host.get("domains")).iter().any(|found| found == domain))
            .collect();
        match found.as_slice() {
            [host] => list(host.get("routes")),
            _ => panic!("{} virtual hosts for {domain}; there are {:?}", found.len(), self.domains()),
        }
    }

    /// The only route of the virtual host that has `domain`.
    ///
    /// # Panics
    /// When it has none or several.
    #[must_use]
    #[track_caller]
    pub fn route(&self, domain: &str) -> &Value {
        match self.routes(domain) {
            [route] => route,
            routes => panic!("{} routes for {domain}, expected one: {routes:#?}", routes.len()),
        }
    }

    /// Holds the only route for `domain` against this YAML.
    #[track_caller]
    pub fn expect_route(&self, domain: &str, expected: &str) {
        assert_contains(self.route(domain), expected);
    }

    /// Holds the routes for `domain`, in their order, against this YAML list.
    #[track_caller]
    pub fn expect_routes(&self, domain: &str, expected: &str) {
        assert_contains(&Value::Array(self.routes(domain).to_vec()), expected);
    }

    /// Holds the cluster against this YAML.
    #[track_caller]
    pub fn expect_cluster(&self, name: &str, expected: &str) {
        assert_contains(self.cluster(name), expected);
    }

    /// Holds the listener against this YAML.
    #[track_caller]
    pub fn expect_listener(&self, name: &str, expected: &str) {
        assert_contains(self.listener(name), expected);
    }

    /// The domains of all virtual hosts, as `route configuration: domain`.
    #[must_use]
    pub fn domains(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (name, configuration) in self.received.of(ResourceType::Route) {
            for host in list(configuration.get("virtualHosts")) {
                for domain in list(host.get("domains")) {
                    found.push(format!("{name}: {}", domain.as_str().unwrap_or_default()));
                }
            }
        }
        found
    }
}

fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value.get(member).and_then(Value::as_str).unwrap_or_default()
}

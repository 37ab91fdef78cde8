//! The root of the intermediate representation: everything one proxy fleet serves.

use crate::api::filter_order::FilterPosition;
use crate::diagnostic::Diagnostic;
use crate::ir::access_log::AccessLog;
use crate::ir::destination::BackendCluster;
use crate::ir::destination::RouteDestination;
use crate::ir::extension_ref::UnstructuredRef;
use crate::ir::global_resources::GlobalResources;
use crate::ir::http_listener::HttpListener;
use crate::ir::listener::CoreListenerDetails;
use crate::ir::listener::ReadyListener;
use crate::ir::metrics::Metrics;
use crate::ir::patch::EnvoyPatchPolicy;
use crate::ir::tcp_listener::TcpListener;
use crate::ir::tracing::Tracing;
use crate::ir::traffic::health_check::ProxyHealthCheckLog;
use crate::ir::udp_listener::UdpListener;
use crate::ir::validation::fault;
use crate::ir::validation::within;
use crate::ir::validation::within_item;
use serde::Deserialize;
use serde::Serialize;
use std::collections::BTreeSet;

/// What one fleet of proxies serves; the xDS tables are made from this alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Xds {
    /// The listener that answers readiness probes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready_listener: Option<ReadyListener>,
    /// Access logs of every listener.
    #[serde(alias = "accesslog", default, skip_serializing_if = "Option::is_none")]
    pub access_log: Option<AccessLog>,
    /// Tracing of every HTTP listener.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tracing: Option<Tracing>,
    /// Which statistics the proxies keep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<Metrics>,
    /// Where active health checks write their events, for the whole fleet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health_check_log: Option<ProxyHealthCheckLog>,
    /// HTTP and HTTPS listeners.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub http: Vec<HttpListener>,
    /// TCP and TLS listeners.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tcp: Vec<TcpListener>,
    /// UDP listeners.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub udp: Vec<UdpListener>,
    /// JSON patches to apply to the finished xDS resources, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub envoy_patch_policies: Vec<EnvoyPatchPolicy>,
    /// Changes to the order of HTTP filters, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filter_order: Vec<FilterPosition>,
    /// What belongs to no listener or route.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub global_resources: Option<GlobalResources>,
    /// Policies to hand to an extension server as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extension_server_policies: Vec<UnstructuredRef>,
    /// Clusters that several routes share; `backendClusterRefs` name them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub backend_clusters: Vec<BackendCluster>,
}

impl Xds {
    /// Name, address and port of every listener.
    pub fn listeners(&self) -> impl Iterator<Item = &CoreListenerDetails> {
        let http = self.http.iter().map(|listener| &listener.core);
        let tcp = self.tcp.iter().map(|listener| &listener.core);
        http.chain(tcp).chain(self.udp.iter().map(|listener| &listener.core))
    }

    /// Faults of everything in it. An IR with faults isn't published.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        for (index, listener) in self.http.iter().enumerate() {
            faults.extend(within_item("http", index, listener.validate()));
        }
        for (index, listener) in self.tcp.iter().enumerate() {
            faults.extend(within_item("tcp", index, listener.validate()));
        }
        for (index, listener) in self.udp.iter().enumerate() {
            faults.extend(within_item("udp", index, listener.validate()));
        }
        for (index, cluster) in self.backend_clusters.iter().enumerate() {
            faults.extend(within_item("backendClusters", index, cluster.validate()));
        }
        faults.extend(self.dangling_references());
        faults
    }

    /// Faults of references to shared clusters that aren't there.
    fn dangling_references(&self) -> Vec<Diagnostic> {
        let known: BTreeSet<&str> = self.backend_clusters.iter().map(|cluster| cluster.name.as_ref()).collect();
        let check = |destination: Option<&RouteDestination>| -> Vec<Diagnostic> {
            let references = destination.into_iter().flat_map(|it| it.backend_cluster_refs.iter().enumerate());
            references
                .filter(|(_, reference)| !known.contains(reference.name.as_ref()))
                .map(|(index, reference)| {
                    let message = format!("there is no shared cluster {:?}", reference.name);
                    fault("name", message).within_item("backendClusterRefs", index).within("destination")
                })
                .collect()
        };
        let mut faults = Vec::new();
        for (position, listener) in self.http.iter().enumerate() {
            for (index, route) in listener.routes.iter().enumerate() {
                let mut inner = check(route.destination.as_deref());
                for (mirror, policy) in route.mirrors.iter().enumerate() {
                    inner.extend(within_item("mirrors", mirror, check(Some(&policy.destination))));
                }
                let inner = within_item("routes", index, inner).collect();
                faults.extend(within_item("http", position, inner));
            }
        }
        for (position, listener) in self.tcp.iter().enumerate() {
            for (index, route) in listener.routes.iter().enumerate() {
                let inner = within_item("routes", index, check(route.destination.as_deref())).collect();
                faults.extend(within_item("tcp", position, inner));
            }
        }
        for (position, listener) in self.udp.iter().enumerate() {
            let destination = listener.route.as_ref().and_then(|route| route.destination.as_deref());
            let inner = within("route", check(destination)).collect();
            faults.extend(within_item("udp", position, inner));
        }
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decodes an IR written in YAML.
    fn ir(text: &str) -> Xds {
        serde_yaml::from_str(text).unwrap_or_else(|error| unreachable!("{error}"))
    }

    fn paths(xds: &Xds) -> Vec<String> {
        xds.validate().iter().map(|fault| fault.path.to_string()).collect()
    }

    #[test]
    fn an_empty_ir_is_valid() {
        assert!(Xds::default().validate().is_empty());
    }

    #[test]
    fn listeners_and_routes_are_checked_in_place() {
        let xds = ir("
            http:
            - {name: a, address: 0.0.0.0, port: 80, hostnames: ['*'], routes: [{name: r, hostname: ''}]}
            - {name: b, address: nowhere, port: 0, hostnames: []}
            tcp:
            - {name: c, address: '::', port: 81, routes: [{name: t, tls: {inspector: {}}}]}");
        assert_eq!(
            paths(&xds),
            [
                "http[0].routes[0].hostname",
                "http[1].address",
                "http[1].port",
                "http[1].hostnames",
                "tcp[0].routes[0].tls.inspector.snis"
            ]
        );
    }

    #[test]
    fn references_to_shared_clusters_lead_somewhere() {
        let text = "
            http:
            - name: a
              address: 0.0.0.0
              port: 80
              hostnames: ['*']
              routes:
              - name: r
                hostname: '*'
                destination: {name: d, backendClusterRefs: [{name: there}, {name: missing}]}
            backendClusters: [{name: there}]";
        assert_eq!(paths(&ir(text)), ["http[0].routes[0].destination.backendClusterRefs[1].name"]);
    }

    #[test]
    fn decoding_and_encoding_keep_everything() {
        let text = r#"{"http":[{"name":"a","address":"::","port":80,"ipFamily":"DualStack","hostnames":["*"],"path":{"mergeSlashes":true,"escapedSlashesAction":"UnescapeAndRedirect"},"routes":[{"name":"r","hostname":"*","isHTTP2":false,"addRequestHeaders":[{"name":"x","value":["y"],"append":true,"addIfAbsent":false}],"timeout":"1m30s"}]}]}"#;
        let xds: Xds = serde_json::from_str(text).unwrap_or_else(|error| unreachable!("{error}"));
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
        assert_eq!(serde_json::to_string(&xds).ok().and_then(|again| value(&again)), value(text));
    }
}

//! Objects that can't be read: one finding each, and everything else goes on.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use crate::cluster::{CONTROL_PLANE, Cluster, PATIENCE, eventually, route, version_served};

/// The kinds an agent reads, each with its definition and version.
const KINDS: &[(&str, &str, &str)] = &[
    ("GatewayClass", "gatewayclasses.gateway.networking.k8s.io", "gateway.networking.k8s.io/v1"),
    ("Gateway", "gateways.gateway.networking.k8s.io", "gateway.networking.k8s.io/v1"),
    ("HTTPRoute", "httproutes.gateway.networking.k8s.io", "gateway.networking.k8s.io/v1"),
    ("TLSRoute", "tlsroutes.gateway.networking.k8s.io", "gateway.networking.k8s.io/v1"),
    ("TCPRoute", "tcproutes.gateway.networking.k8s.io", "gateway.networking.k8s.io/v1"),
    ("UDPRoute", "udproutes.gateway.networking.k8s.io", "gateway.networking.k8s.io/v1"),
    ("ReferenceGrant", "referencegrants.gateway.networking.k8s.io", "gateway.networking.k8s.io/v1"),
    ("EnvoyProxy", "envoyproxies.gateway.envoyproxy.io", "gateway.envoyproxy.io/v1alpha1"),
    ("Backend", "backends.gateway.envoyproxy.io", "gateway.envoyproxy.io/v1alpha1"),
    ("HTTPRouteFilter", "httproutefilters.gateway.envoyproxy.io", "gateway.envoyproxy.io/v1alpha1"),
];

/// The definitions are opened so that the API server takes anything, as a server with newer ones would; then there is
/// one object of each kind that can't be read.
pub(crate) async fn one_of_each_kind_stops_nobody(cluster: Arc<Cluster>) -> anyhow::Result<()> {
    let namespace = "malformed";
    let address = cluster.serving(namespace).await?;
    let mut before = Vec::new();
    for (_, definition, _) in KINDS {
        let found = cluster.kubectl.get(&["crd", definition]).await?;
        open(&cluster, definition, &found).await?;
        before.push(found);
    }
    let checked = malformed_objects(&cluster, namespace, address).await;
    for (kind, _, _) in KINDS {
        let kind = kind.to_lowercase();
        cluster.kubectl.run(&["delete", &kind, "unreadable", "-n", namespace, "--ignore-not-found"]).await?;
    }
    for definition in &before {
        let spec = json!({ "spec": { "versions": definition["spec"]["versions"] } });
        let name = definition.pointer("/metadata/name").and_then(Value::as_str).context("no name")?;
        patch(&cluster, name, &spec).await?;
    }
    checked?;
    cluster.forget(namespace).await
}

async fn malformed_objects(cluster: &Cluster, namespace: &str, address: std::net::SocketAddr) -> anyhow::Result<()> {
    for (kind, _, version) in KINDS {
        let document = json!({
            "apiVersion": version,
            "kind": kind,
            "metadata": { "name": "unreadable", "namespace": namespace },
            "spec": "nothing an agent understands",
        });
        eventually(kind, Duration::from_secs(20), async || cluster.kubectl.apply(&[&document.to_string()]).await)
            .await?;
    }
    // Everything else goes on: a change is served.
    cluster.kubectl.apply(&[&route(namespace, "home", "beside")]).await?;
    version_served(address, namespace, "beside", PATIENCE).await?;
    // Each is one finding, and the agent says so once.
    eventually("a finding for each", PATIENCE, async || {
        let log =
            cluster.kubectl.run(&["logs", "-n", CONTROL_PLANE, "deployment/envoy-gateway", "--tail=2000"]).await?;
        for (kind, _, _) in KINDS {
            let lines =
                log.lines().filter(|line| line.contains("unreadable") && line.contains(&format!("{kind} "))).count();
            ensure!(lines == 1, "{lines} lines of the log tell of the {kind}");
        }
        Ok(())
    })
    .await
}

/// Makes a definition take anything.
async fn open(cluster: &Cluster, name: &str, definition: &Value) -> anyhow::Result<()> {
    let mut versions = definition["spec"]["versions"].clone();
    for version in versions.as_array_mut().context("no versions")? {
        version["schema"] = json!({
            "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true }
        });
    }
    patch(cluster, name, &json!({ "spec": { "versions": versions } })).await
}

async fn patch(cluster: &Cluster, name: &str, patch: &Value) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("patch.json");
    std::fs::write(&file, patch.to_string())?;
    let file = file.to_string_lossy();
    cluster.kubectl.run(&["patch", "crd", name, "--type=merge", "--patch-file", &file]).await.map(drop)
}

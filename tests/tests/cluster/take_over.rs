//! A running Envoy Gateway is replaced and given back, and no request notices.

use std::sync::Arc;

use anyhow::{Context as _, ensure};
use gateway_tests::load::Load;
use serde_json::{Value, json};

use crate::cluster::{CLASS, CONTROL_PLANE, Cluster, PATIENCE, class, eventually, home, route, version_served};
use crate::install::indented;
use crate::outage::none_failed;

/// The ConfigMap with the authority of the agent's certificate.
const AUTHORITY: &str = "envoy-gateway-ca";

/// The layout is that of Envoy Gateway's chart: its names, labels and owner. What runs in it is our program, since what
/// matters to the plugin is whose objects they are, and to proxies that somebody answers.
pub(crate) async fn a_layout_of_envoy_gateway(cluster: Arc<Cluster>) -> anyhow::Result<()> {
    let kubectl = &cluster.kubectl;
    let said = kubectl.say(&["gateway", "uninstall", "--yes"]).await?;
    ensure!(said.code == 0, "uninstall exited with {}: {}{}", said.code, said.out, said.err);
    eventually("nobody who controls", PATIENCE, async || {
        ensure!(cluster.agents().await?.is_empty(), "agents still run");
        Ok(())
    })
    .await?;
    lay_out(&cluster).await?;
    // Envoy Gateway's own certgen doesn't make it.
    kubectl.run(&["delete", "configmap", AUTHORITY, "-n", CONTROL_PLANE, "--ignore-not-found"]).await?;
    cluster.agents_ready().await?;

    let namespace = "taken";
    kubectl.apply(&[&class(CLASS)]).await?;
    let address = cluster.serving(namespace).await?;
    let before = cluster.of_gateway("deployment", namespace, "edge").await?;
    let secret = kubectl.get(&["secret", "envoy", "-n", CONTROL_PLANE]).await?;
    let load = Load::on(2, address, &home(namespace));

    let refused = kubectl.say(&["gateway", "install", "--yes", "--image", &cluster.image]).await?;
    ensure!(refused.code != 0, "install went over an Envoy Gateway without being told to");
    let said = cluster.install(&["--take-over"]).await?;
    print!("{}", indented(&[said.out, said.err].concat()));
    kubectl.apply(&[&route(namespace, "home", "ours")]).await?;
    version_served(address, namespace, "ours", PATIENCE).await?;
    eventually("a status of what was taken over", PATIENCE, async || {
        let said = kubectl.say(&["gateway", "status", "-n", namespace]).await?;
        ensure!(said.code == 0, "status exited with {}:\n{}{}", said.code, said.out, said.err);
        Ok(())
    })
    .await?;
    let owner = kubectl.get(&["deployment", "envoy-gateway", "-n", CONTROL_PLANE]).await?;
    ensure!(owner["metadata"]["labels"]["app.kubernetes.io/managed-by"] != "Helm", "it is still Helm's");
    let kept = kubectl.get(&["secret", "envoy", "-n", CONTROL_PLANE]).await?;
    ensure!(kept["data"] == secret["data"], "the certificates of proxies were replaced");
    let after = cluster.of_gateway("deployment", namespace, "edge").await?;
    ensure!(after["metadata"]["uid"] == before["metadata"]["uid"], "the fleet was made anew");

    let said = kubectl.say(&["gateway", "uninstall", "--restore", "--yes"]).await?;
    print!("{}", indented(&[said.out.as_str(), &said.err].concat()));
    ensure!(said.code == 0, "the way back exited with {}", said.code);
    cluster.agents_ready().await?;
    let owner = kubectl.get(&["deployment", "envoy-gateway", "-n", CONTROL_PLANE]).await?;
    ensure!(owner["metadata"]["labels"]["app.kubernetes.io/managed-by"] == "Helm", "{}", owner["metadata"]["labels"]);
    kubectl.apply(&[&route(namespace, "home", "theirs")]).await?;
    version_served(address, namespace, "theirs", PATIENCE).await?;
    none_failed(load, "taken over and given back").await?;

    // For the tests after this one the installation is ours again.
    cluster.install(&["--take-over"]).await?;
    kubectl.say(&["delete", "secret", "envoy-gateway-before-take-over", "-n", CONTROL_PLANE]).await?;
    cluster.forget(namespace).await
}

/// Applies what an installation is made of as Helm would own it.
async fn lay_out(cluster: &Cluster) -> anyhow::Result<()> {
    let all = cluster.kubectl.run(&["gateway", "install", "-o", "json", "--image", &cluster.image]).await?;
    let list: Value = serde_json::from_str(&all).context("what is installed, as JSON")?;
    let mut items = list["items"].as_array().cloned().context("no items")?;
    items.retain(|item| item["kind"] != "CustomResourceDefinition");
    for item in &mut items {
        let metadata = &mut item["metadata"];
        if metadata["labels"].is_object() {
            metadata["labels"]["app.kubernetes.io/managed-by"] = json!("Helm");
            metadata["labels"]["app.kubernetes.io/version"] = json!("v1.9.0");
            metadata["labels"]["helm.sh/chart"] = json!("gateway-helm-v1.9.0");
        }
        if let Some(fields) = metadata.as_object_mut() {
            let owner = json!({ "meta.helm.sh/release-name": "eg", "meta.helm.sh/release-namespace": CONTROL_PLANE });
            fields.insert("annotations".to_owned(), owner);
        }
    }
    let list = json!({ "apiVersion": "v1", "kind": "List", "items": items });
    cluster.kubectl.apply(&[&list.to_string()]).await
}

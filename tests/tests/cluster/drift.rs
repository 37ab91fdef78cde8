//! What others do to our objects, and what we don't do to theirs.

use std::sync::Arc;

use anyhow::{Context as _, ensure};
use gateway_tests::load::Load;
use serde_json::Value;

use crate::cluster::{CONTROL_PLANE, Cluster, PATIENCE, condition, echo, eventually, gateway, home, route};

/// Somebody edits the Deployment of a fleet: it comes back as it was, and no request notices.
pub(crate) async fn an_edited_deployment_is_put_right(cluster: Arc<Cluster>) -> anyhow::Result<()> {
    let namespace = "drift";
    let address = cluster.serving(namespace).await?;
    let before = cluster.of_gateway("deployment", namespace, "edge").await?;
    let name = before.pointer("/metadata/name").and_then(Value::as_str).context("no name")?;
    let load = Load::on(2, address, &home(namespace));
    let patch = r#"{"metadata":{"labels":{"app.kubernetes.io/managed-by":"somebody"}},
        "spec":{"template":{"spec":{"containers":[{"name":"envoy","image":"nobody.example.com/nothing:v0"}]}}}}"#;
    cluster.kubectl.run(&["patch", "deployment", name, "-n", CONTROL_PLANE, "--type=strategic", "-p", patch]).await?;
    eventually("the Deployment as it was", PATIENCE, async || {
        let now = cluster.of_gateway("deployment", namespace, "edge").await?;
        for at in ["/spec/template", "/metadata/labels"] {
            ensure!(now.pointer(at) == before.pointer(at), "{at} is {:?}", now.pointer(at));
        }
        Ok(())
    })
    .await?;
    cluster
        .kubectl
        .run(&["delete", "deployment", name, "-n", CONTROL_PLANE, "--wait=false", "--cascade=orphan"])
        .await?;
    eventually("the Deployment again", PATIENCE, async || {
        let now = cluster.of_gateway("deployment", namespace, "edge").await?;
        ensure!(now.pointer("/metadata/uid") != before.pointer("/metadata/uid"), "still the old one");
        Ok(())
    })
    .await?;
    let tally = load.stop().await;
    ensure!(tally.failed.is_empty(), "{} of {} failed: {:?}", tally.failed.len(), tally.total(), tally.failed.first());
    println!("  {} requests, none failed", tally.total());
    cluster.forget(namespace).await
}

/// A Service that isn't ours has the name ours would have: it is left alone, and the Gateway says so.
pub(crate) async fn a_service_of_somebody_else_is_left_alone(cluster: Arc<Cluster>) -> anyhow::Result<()> {
    let namespace = "foreign";
    cluster.serving(namespace).await?;
    let ours = cluster.of_gateway("service", namespace, "edge").await?;
    let name = ours.pointer("/metadata/name").and_then(Value::as_str).context("no name")?;
    cluster.kubectl.run(&["delete", "gateway", "edge", "-n", namespace]).await?;
    eventually("our Service to be gone", PATIENCE, async || {
        let said = cluster.kubectl.say(&["get", "service", name, "-n", CONTROL_PLANE]).await?;
        ensure!(said.code != 0, "it is still there");
        Ok(())
    })
    .await?;
    let foreign = format!(
        "apiVersion: v1
kind: Service
metadata: {{name: {name}, namespace: {CONTROL_PLANE}, labels: {{owner: somebody}}}}
spec: {{selector: {{app: theirs}}, ports: [{{port: 80}}]}}"
    );
    cluster.kubectl.apply(&[&foreign]).await?;
    cluster.kubectl.apply(&[&echo(namespace), &gateway(namespace, "edge"), &route(namespace, "home", "a")]).await?;
    eventually("a Gateway that says what is in its way", PATIENCE, async || {
        let gateway = cluster.kubectl.get(&["gateway", "edge", "-n", namespace]).await?;
        ensure!(condition(&gateway, "Accepted") == "True", "not accepted: {}", gateway["status"]);
        ensure!(condition(&gateway, "Programmed") == "False", "programmed is {}", condition(&gateway, "Programmed"));
        let events = cluster.kubectl.list(&["events", "-n", namespace]).await?;
        let told = [gateway["status"].to_string(), Value::from(events).to_string()].concat();
        ensure!(told.contains(name), "nothing names {name}: {told}");
        Ok(())
    })
    .await?;
    let now = cluster.kubectl.get(&["service", name, "-n", CONTROL_PLANE]).await?;
    ensure!(now.pointer("/spec/selector/app") == Some(&"theirs".into()), "the Service was changed: {now}");
    ensure!(now.pointer("/metadata/labels/owner") == Some(&"somebody".into()), "its labels were changed: {now}");
    // Out of the way, the Gateway gets its own.
    cluster.kubectl.run(&["delete", "service", name, "-n", CONTROL_PLANE]).await?;
    cluster.address(namespace, "edge").await?;
    cluster.forget(namespace).await
}

//! What people make of a fleet: one for many Gateways, one that scales.

use std::sync::Arc;

use anyhow::{Context as _, ensure};
use serde_json::Value;

use crate::cluster::{CONTROL_PLANE, Cluster, PATIENCE, answered, class, echo, eventually, gateway, home, route};

/// Gateways of a class with mergeGateways share one fleet, and each serves its routes.
pub(crate) async fn merged_gateways_share_one_fleet(cluster: Arc<Cluster>) -> anyhow::Result<()> {
    let (namespace, other, class_name) = ("merged", "merged-too", "merged");
    let proxy = parameters(class_name, "mergeGateways: true");
    let merged_class = class_with(class_name);
    let of_class = |namespace: &str, port: u16| {
        gateway(namespace, "edge")
            .replace("gatewayClassName: eg", &format!("gatewayClassName: {class_name}"))
            .replace("port: 80", &format!("port: {port}"))
    };
    for namespace in [namespace, other] {
        cluster.namespace(namespace).await?;
        cluster.kubectl.apply(&[&echo(namespace), &route(namespace, "home", "a")]).await?;
    }
    cluster.kubectl.apply(&[&proxy, &merged_class, &of_class(namespace, 80), &of_class(other, 8080)]).await?;
    let first = cluster.address(namespace, "edge").await?;
    let mut second = cluster.address(other, "edge").await?;
    ensure!(first == second, "two addresses: {first} and {second}");
    second.set_port(8080);
    answered(first, &home(namespace)).await?;
    answered(second, &home(other)).await?;
    let labels = format!("gateway.envoyproxy.io/owning-gatewayclass={class_name}");
    let deployments = cluster.kubectl.list(&["deployments", "-n", CONTROL_PLANE, "-l", &labels]).await?;
    ensure!(deployments.len() == 1, "{} Deployments", deployments.len());
    // One Gateway goes, the other one stays.
    cluster.forget(other).await?;
    eventually("the port to be closed", PATIENCE, async || {
        ensure!(home(other).at(second).await.is_err(), "it is open");
        Ok(())
    })
    .await?;
    answered(first, &home(namespace)).await?;
    cluster.forget(namespace).await?;
    cluster.kubectl.run(&["delete", "gatewayclass", class_name, "--wait=false"]).await?;
    cluster.kubectl.run(&["delete", "envoyproxy", class_name, "-n", CONTROL_PLANE]).await.map(drop)
}

/// With an autoscaler the number of replicas is its business; a disruption budget is made where one is asked for.
pub(crate) async fn an_autoscaler_owns_the_replicas(cluster: Arc<Cluster>) -> anyhow::Result<()> {
    let namespace = "scaling";
    let said = "provider:
    type: Kubernetes
    kubernetes:
      envoyHpa: {minReplicas: 1, maxReplicas: 3}
      envoyPDB: {minAvailable: 1}";
    cluster.kubectl.apply(&[&parameters(namespace, said), &class_with(namespace)]).await?;
    cluster.namespace(namespace).await?;
    let edge = gateway(namespace, "edge").replace("gatewayClassName: eg", &format!("gatewayClassName: {namespace}"));
    cluster.kubectl.apply(&[&echo(namespace), &edge, &route(namespace, "home", "a")]).await?;
    answered(cluster.address(namespace, "edge").await?, &home(namespace)).await?;
    let deployment = cluster.of_gateway("deployment", namespace, "edge").await?;
    let name = deployment.pointer("/metadata/name").and_then(Value::as_str).context("no name")?;
    let autoscaler = cluster.of_gateway("hpa", namespace, "edge").await?;
    ensure!(autoscaler.pointer("/spec/maxReplicas") == Some(&3.into()), "{autoscaler}");
    ensure!(autoscaler.pointer("/spec/scaleTargetRef/name") == Some(&name.into()), "{autoscaler}");
    let budget = cluster.of_gateway("pdb", namespace, "edge").await?;
    ensure!(budget.pointer("/spec/minAvailable") == Some(&1.into()), "{budget}");
    // What the autoscaler says stays, also when we write the Deployment again.
    cluster.kubectl.run(&["scale", "deployment", name, "-n", CONTROL_PLANE, "--replicas=2"]).await?;
    cluster.kubectl.run(&["label", "deployment", name, "-n", CONTROL_PLANE, "app.kubernetes.io/component-"]).await?;
    eventually("the label again", PATIENCE, async || {
        let now = cluster.of_gateway("deployment", namespace, "edge").await?;
        ensure!(now.pointer("/metadata/labels") == deployment.pointer("/metadata/labels"), "{}", now["metadata"]);
        ensure!(now.pointer("/spec/replicas") == Some(&2.into()), "replicas is {}", now["spec"]["replicas"]);
        Ok(())
    })
    .await?;
    cluster.forget(namespace).await?;
    cluster.kubectl.run(&["delete", "gatewayclass", namespace, "--wait=false"]).await?;
    cluster.kubectl.run(&["delete", "envoyproxy", namespace, "-n", CONTROL_PLANE]).await.map(drop)
}

/// A GatewayClass whose parameters are the EnvoyProxy of the same name.
fn class_with(name: &str) -> String {
    format!(
        "{}\n  parametersRef: {{group: gateway.envoyproxy.io, kind: EnvoyProxy, name: {name}, namespace: {CONTROL_PLANE}}}",
        class(name).replace(
            "spec: {controllerName: gateway.envoyproxy.io/gatewayclass-controller}",
            "spec:\n  controllerName: gateway.envoyproxy.io/gatewayclass-controller"
        )
    )
}

/// An EnvoyProxy with this in its specification.
fn parameters(name: &str, spec: &str) -> String {
    format!(
        "apiVersion: gateway.envoyproxy.io/v1alpha1
kind: EnvoyProxy
metadata: {{name: {name}, namespace: {CONTROL_PLANE}}}
spec:
  {spec}"
    )
}

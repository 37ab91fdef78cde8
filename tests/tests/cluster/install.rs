//! From nothing to traffic, and back to nothing.

use std::sync::Arc;

use anyhow::ensure;

use crate::cluster::{CLASS, CONTROL_PLANE, Cluster, PATIENCE, class, eventually};

/// `kubectl gateway install` shows what it does, and ends when the agent is ready.
pub(crate) async fn ends_when_the_agent_is_ready(cluster: Arc<Cluster>) -> anyhow::Result<()> {
    let dry = cluster.install(&["--dry-run"]).await?;
    ensure!(dry.out.contains("Deployment "), "a dry run lists no Deployment:\n{}", dry.out);
    let said = cluster.kubectl.say(&["get", "deployment", "envoy-gateway", "-n", CONTROL_PLANE]).await?;
    ensure!(said.code != 0, "a dry run has made a Deployment, or somebody else has");

    let said = cluster.install(&[]).await?;
    print!("{}", indented(&[said.out, said.err].concat()));
    let deployment = cluster.kubectl.get(&["deployment", "envoy-gateway", "-n", CONTROL_PLANE]).await?;
    ensure!(deployment["status"]["readyReplicas"] == 1, "installed, but not ready: {}", deployment["status"]);
    let pods = cluster.kubectl.list(&["pods", "-n", CONTROL_PLANE, "-l", "control-plane=envoy-gateway"]).await?;
    for pod in &pods {
        let context = &pod["spec"]["containers"][0]["securityContext"];
        ensure!(context["readOnlyRootFilesystem"] == true && context["runAsNonRoot"] == true, "{context}");
    }
    Ok(())
}

/// The quick start: a class, a Gateway and a route, traffic, and what the plugin says of it.
pub(crate) async fn a_manifest_becomes_traffic(cluster: Arc<Cluster>) -> anyhow::Result<()> {
    let namespace = "quickstart";
    cluster.kubectl.apply(&[&class(CLASS)]).await?;
    cluster.serving(namespace).await?;
    let words = ["gateway", "explain", "httproute/home", "-n", namespace];
    eventually("an explanation without a but", PATIENCE, async || {
        let said = cluster.kubectl.say(&words).await?;
        ensure!(said.code == 0 && said.out.contains("1 proxy serves"), "exit {}:\n{}{}", said.code, said.out, said.err);
        println!("{}", indented(&said.out));
        Ok(())
    })
    .await?;
    let said = cluster.kubectl.say(&["gateway", "status", "-n", namespace]).await?;
    println!("{}", indented(&said.out));
    ensure!(said.code == 0, "status exited with {}:\n{}{}", said.code, said.out, said.err);
    Ok(())
}

/// Installing what is installed changes nothing: no pod is replaced.
pub(crate) async fn a_second_time_changes_nothing(cluster: Arc<Cluster>) -> anyhow::Result<()> {
    let before = cluster.agents().await?;
    cluster.install(&[]).await?;
    let after = cluster.agents().await?;
    ensure!(before == after, "pods were {before:?} and are {after:?}");
    Ok(())
}

/// Uninstalling ends, takes what was installed, and leaves definitions and objects of users unless told otherwise.
pub(crate) async fn uninstall_keeps_what_the_user_owns(cluster: Arc<Cluster>) -> anyhow::Result<()> {
    let said = cluster.kubectl.say(&["gateway", "uninstall", "--yes"]).await?;
    print!("{}", indented(&[said.out, said.err].concat()));
    ensure!(said.code == 0, "uninstall exited with {}", said.code);
    for object in ["deployment/envoy-gateway", "service/envoy-gateway", "serviceaccount/envoy-gateway"] {
        let said = cluster.kubectl.say(&["get", object, "-n", CONTROL_PLANE]).await?;
        ensure!(said.code != 0, "{object} is still there");
    }
    let roles = cluster.kubectl.run(&["get", "clusterroles,clusterrolebindings", "-o", "name"]).await?;
    ensure!(!roles.contains("envoy-gateway"), "roles are still there:\n{roles}");
    for kept in ["httproute/home", "gateway/edge"] {
        cluster.kubectl.run(&["get", kept, "-n", "quickstart"]).await?;
    }

    cluster.install(&[]).await?;
    let said = cluster.kubectl.say(&["gateway", "uninstall", "--yes", "--crds"]).await?;
    ensure!(said.code == 0, "uninstall --crds exited with {}: {}{}", said.code, said.out, said.err);
    let definitions = cluster.kubectl.run(&["get", "crds", "-o", "name"]).await?;
    ensure!(!definitions.contains("gateway.envoyproxy.io"), "definitions are still there:\n{definitions}");
    Ok(())
}

/// What a program said, set apart from what the tests say.
pub(crate) fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  | {line}\n")).collect()
}

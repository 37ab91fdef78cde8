//! What a user may do who has rights in one namespace only.

use std::sync::Arc;

use anyhow::{Context as _, ensure};

use crate::cluster::{CONTROL_PLANE, Cluster, PATIENCE, eventually};
use crate::install::indented;
use crate::kubectl::Kubectl;

/// They get explanations of what they may read, refusals in words for the rest, and can neither install nor uninstall.
pub(crate) async fn a_user_of_one_namespace(cluster: Arc<Cluster>) -> anyhow::Result<()> {
    let (mine, other) = ("team-a", "quickstart");
    cluster.serving(mine).await?;
    let (user, _kubeconfig) = user_of(&cluster, mine).await?;

    eventually("an explanation", PATIENCE, async || {
        let said = user.say(&["gateway", "explain", "httproute/home", "-n", mine]).await?;
        ensure!(said.code == 0, "explain exited with {}: {}{}", said.code, said.out, said.err);
        Ok(())
    })
    .await?;
    let said = user.say(&["gateway", "explain", "httproute/home", "-n", other]).await?;
    ensure!(said.code == 3, "explaining somebody else's route exited with {}: {}{}", said.code, said.out, said.err);
    ensure!(!said.out.contains("echo"), "it tells of somebody else's route: {}", said.out);
    print!("{}", indented(&said.err));

    let before = cluster.kubectl.get(&["deployment", "envoy-gateway", "-n", CONTROL_PLANE]).await?;
    for words in [&["gateway", "install", "--yes", "-n", "team-a"][..], &["gateway", "uninstall", "--yes"]] {
        let said = user.say(words).await?;
        ensure!(said.code != 0, "{} as a user of one namespace went through: {}", words.join(" "), said.out);
        let told = [said.out, said.err].concat();
        print!("{}", indented(&told));
        ensure!(told.contains("may not"), "{} doesn't say what they may not do: {told}", words.join(" "));
    }
    let after = cluster.kubectl.get(&["deployment", "envoy-gateway", "-n", CONTROL_PLANE]).await?;
    ensure!(before["metadata"]["generation"] == after["metadata"]["generation"], "the agent was changed");
    cluster.forget(mine).await
}

/// kubectl as a service account that may read everything of its namespace, and nothing else.
async fn user_of(cluster: &Cluster, namespace: &str) -> anyhow::Result<(Kubectl, tempfile::TempDir)> {
    let documents = format!(
        "apiVersion: v1
kind: ServiceAccount
metadata: {{name: developer, namespace: {namespace}}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {{name: developer, namespace: {namespace}}}
rules:
- {{apiGroups: [gateway.networking.k8s.io, gateway.envoyproxy.io, '', discovery.k8s.io], resources: ['*'], verbs: [get, list, watch]}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {{name: developer, namespace: {namespace}}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: Role, name: developer}}
subjects: [{{kind: ServiceAccount, name: developer, namespace: {namespace}}}]"
    );
    cluster.kubectl.apply(&[&documents]).await?;
    let token = cluster.kubectl.run(&["create", "token", "developer", "-n", namespace]).await?;
    let mut config: serde_json::Value =
        serde_json::from_str(&cluster.kubectl.run(&["config", "view", "--raw", "--minify", "-o", "json"]).await?)?;
    config["users"][0]["user"] = serde_json::json!({ "token": token.trim() });
    config["contexts"][0]["context"]["namespace"] = namespace.into();
    let folder = tempfile::tempdir().context("a temporary folder")?;
    let file = folder.path().join("kubeconfig");
    std::fs::write(&file, config.to_string())?;
    Ok((Kubectl::with(file), folder))
}

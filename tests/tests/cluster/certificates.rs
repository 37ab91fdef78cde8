//! Certificates of the control plane are replaced while requests and changes go on.

use std::sync::Arc;
use std::time::Duration;

use anyhow::ensure;
use gateway_tests::load::Load;

use crate::cluster::{CONTROL_PLANE, Cluster, PATIENCE, condition, eventually, home, route, version_served};
use crate::install::indented;
use crate::outage::none_failed;

/// How long a replacement may take: the kubelet takes its time to bring new Secrets into pods.
const REPLACEMENT: Duration = Duration::from_secs(600);

/// `certgen --overwrite` as a Job: no request fails, and proxies get changes before, meanwhile and after.
pub(crate) async fn rotation_under_load(cluster: Arc<Cluster>) -> anyhow::Result<()> {
    let namespace = "rotation";
    let address = cluster.serving(namespace).await?;
    let load = Load::on(2, address, &home(namespace));
    let before = cluster.kubectl.get(&["secret", "envoy-gateway", "-n", CONTROL_PLANE]).await?;
    let image = &cluster.image;
    // The account of the Job that made them has the rights for it.
    let accounts = cluster.kubectl.run(&["get", "serviceaccounts", "-n", CONTROL_PLANE, "-o", "name"]).await?;
    let account =
        accounts.lines().find_map(|name| name.strip_prefix("serviceaccount/").filter(|name| name.ends_with("certgen")));
    let account = account.unwrap_or("envoy-gateway");
    let job = format!(
        "apiVersion: batch/v1
kind: Job
metadata: {{name: rotate, namespace: {CONTROL_PLANE}}}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      serviceAccountName: {account}
      automountServiceAccountToken: true
      securityContext: {{runAsNonRoot: true, runAsUser: 65532, seccompProfile: {{type: RuntimeDefault}}}}
      containers:
      - name: certgen
        image: {image}
        args: [certgen, --overwrite, --settle=75]
        env: [{{name: ENVOY_GATEWAY_NAMESPACE, value: {CONTROL_PLANE}}}]"
    );
    cluster.kubectl.apply(&[&job]).await?;
    let mut version = 0;
    eventually("new certificates", REPLACEMENT, async || {
        version += 1;
        let version = format!("v{version}");
        cluster.kubectl.apply(&[&route(namespace, "home", &version)]).await?;
        version_served(address, namespace, &version, PATIENCE).await?;
        tokio::time::sleep(Duration::from_secs(3)).await;
        let job = cluster.kubectl.get(&["job", "rotate", "-n", CONTROL_PLANE]).await?;
        ensure!(
            ["Complete", "Failed"].iter().any(|end| condition(&job, end) == "True"),
            "it goes on: {}",
            job["status"]
        );
        Ok(())
    })
    .await?;
    let said = cluster.kubectl.run(&["logs", "job/rotate", "-n", CONTROL_PLANE]).await?;
    print!("{}", indented(&said));
    let job = cluster.kubectl.get(&["job", "rotate", "-n", CONTROL_PLANE]).await?;
    ensure!(condition(&job, "Complete") == "True", "the Job failed: {}", job["status"]);
    let after = cluster.kubectl.get(&["secret", "envoy-gateway", "-n", CONTROL_PLANE]).await?;
    for key in ["tls.crt", "ca.crt"] {
        ensure!(before["data"][key] != after["data"][key], "{key} is the old one");
    }
    cluster.kubectl.apply(&[&route(namespace, "home", "after")]).await?;
    version_served(address, namespace, "after", PATIENCE).await?;
    none_failed(load, "certificates replaced").await?;
    cluster.kubectl.run(&["delete", "job", "rotate", "-n", CONTROL_PLANE]).await?;
    cluster.forget(namespace).await
}

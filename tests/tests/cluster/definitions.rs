//! Gateway API's definitions come and go while the agent runs.

use std::sync::Arc;
use std::time::Duration;

use anyhow::ensure;

use crate::cluster::{CLASS, CONTROL_PLANE, Cluster, PATIENCE, class, eventually};

/// An agent that starts where no definition is installed is ready; once they are installed, it serves.
pub(crate) async fn absent_at_start_and_installed_later(cluster: Arc<Cluster>) -> anyhow::Result<()> {
    let kubectl = &cluster.kubectl;
    let all = kubectl.run(&["get", "crds", "-o", "name"]).await?;
    let definitions: Vec<&str> = all.lines().filter(|name| name.contains("gateway.networking")).collect();
    ensure!(definitions.len() > 5, "only {definitions:?} are installed");
    let delete: Vec<&str> = ["delete"].into_iter().chain(definitions.iter().copied()).collect();
    kubectl.run(&delete).await?;
    kubectl.run(&["rollout", "restart", "deployment/envoy-gateway", "-n", CONTROL_PLANE]).await?;
    cluster.agents_ready().await?;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let restarts = kubectl
        .run(&[
            "get",
            "pods",
            "-n",
            CONTROL_PLANE,
            "-l",
            "control-plane=envoy-gateway",
            "-o",
            "jsonpath={.items[*].status.containerStatuses[0].restartCount}",
        ])
        .await?;
    ensure!(restarts.split(' ').all(|count| count == "0"), "the agent was restarted: {restarts}");

    cluster.apply_definitions().await?;
    eventually("a GatewayClass", PATIENCE, async || kubectl.apply(&[&class(CLASS)]).await).await?;
    cluster.serving("definitions").await?;
    cluster.forget("definitions").await?;
    // The quick start went with its definitions.
    cluster.serving("quickstart").await.map(drop)
}

//! What requests notice when agents or the API server are gone: nothing.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use gateway_tests::load::Load;
use serde_json::Value;

use crate::cluster::{CONTROL_PLANE, Cluster, PATIENCE, eventually, home, route, version_served};

/// How often the agent is killed.
const KILLS: usize = 20;

/// How long the API server stands still.
const OUTAGE: Duration = Duration::from_secs(60);

/// The Lease the leader holds.
const LEASE: &str = "5b9825d2.gateway.envoyproxy.io";

/// The agent is killed again and again while requests go on: none fails, and each time it comes back it goes on working.
pub(crate) async fn the_agent_killed_twenty_times(cluster: Arc<Cluster>) -> anyhow::Result<()> {
    let namespace = "killed";
    let address = cluster.serving(namespace).await?;
    let load = Load::on(2, address, &home(namespace));
    for kill in 0..KILLS {
        for agent in cluster.agents().await? {
            kill_agent(&cluster, &agent).await?;
        }
        // Every other time something changes while nobody watches.
        if kill % 2 == 0 {
            cluster.kubectl.apply(&[&route(namespace, "home", &format!("v{kill}"))]).await?;
            version_served(address, namespace, &format!("v{kill}"), PATIENCE).await?;
        } else {
            cluster.agents_ready().await?;
        }
    }
    none_failed(load, &format!("agent killed {KILLS} times")).await?;
    cluster.forget(namespace).await
}

/// Of two agents the leader is killed: the other one leads, writes statuses and serves.
pub(crate) async fn the_leader_of_two_killed(cluster: Arc<Cluster>) -> anyhow::Result<()> {
    let namespace = "leader";
    let address = cluster.serving(namespace).await?;
    let load = Load::on(2, address, &home(namespace));
    cluster.install(&["--replicas", "2"]).await?;
    cluster.agents_ready().await?;
    let before = eventually("a leader among two", PATIENCE, async || {
        let agents = cluster.agents().await?;
        ensure!(agents.len() == 2, "{} agents", agents.len());
        let leader = leader(&cluster).await?;
        agents.into_iter().find(|agent| leader.starts_with(agent.as_str())).with_context(|| format!("{leader} leads"))
    })
    .await?;
    kill_agent(&cluster, &before).await?;
    let killed = Instant::now();
    cluster.kubectl.apply(&[&route(namespace, "home", "after")]).await?;
    version_served(address, namespace, "after", PATIENCE).await?;
    println!("  a change was served {:.1} s after the leader was killed", killed.elapsed().as_secs_f32());
    eventually("a status after the leader was killed", PATIENCE, async || {
        let route = cluster.kubectl.get(&["httproute", "home", "-n", namespace]).await?;
        let observed = route.pointer("/status/parents/0/conditions/0/observedGeneration");
        ensure!(observed == route.pointer("/metadata/generation"), "{}", route["status"]);
        Ok(())
    })
    .await?;
    println!("  its status was written {:.1} s after it", killed.elapsed().as_secs_f32());
    // The one that was killed may have written that with its last breath.
    eventually("another leader", PATIENCE, async || {
        let after = leader(&cluster).await?;
        ensure!(!after.starts_with(&before), "{after} still leads");
        Ok(())
    })
    .await?;
    println!("  another led {:.1} s after it", killed.elapsed().as_secs_f32());
    none_failed(load, "leader killed").await?;
    cluster.install(&["--replicas", "1"]).await?;
    cluster.forget(namespace).await
}

/// The API server stands still for a while: traffic goes on, and what changed is caught up with soon after.
pub(crate) async fn the_api_server_stopped(cluster: Arc<Cluster>) -> anyhow::Result<()> {
    let Some(processes) = &cluster.processes else {
        println!("  skipped: the API server of a cluster that isn't ours is not stopped");
        return Ok(());
    };
    let namespace = "outage";
    let address = cluster.serving(namespace).await?;
    let pid = std::fs::read_to_string(processes.join("kube-apiserver.pid")).context("the API server's process")?;
    let pid = rustix::process::Pid::from_raw(pid.trim().parse()?).context("no process")?;
    let load = Load::on(2, address, &home(namespace));
    rustix::process::kill_process(pid, rustix::process::Signal::STOP)?;
    tokio::time::sleep(OUTAGE).await;
    rustix::process::kill_process(pid, rustix::process::Signal::CONT)?;
    eventually("the API server again", PATIENCE, async || {
        cluster.kubectl.apply(&[&route(namespace, "home", "after")]).await
    })
    .await?;
    let changed = Instant::now();
    version_served(address, namespace, "after", Duration::from_secs(5)).await?;
    println!("  stopped for {OUTAGE:?}; caught up {:.1} s after a change", changed.elapsed().as_secs_f32());
    none_failed(load, "API server stopped").await?;
    cluster.forget(namespace).await
}

/// As a node that dies does it: no time to say good-bye.
async fn kill_agent(cluster: &Cluster, pod: &str) -> anyhow::Result<()> {
    let words = ["delete", "pod", pod, "-n", CONTROL_PLANE, "--grace-period=0", "--force", "--ignore-not-found"];
    cluster.kubectl.run(&words).await.map(drop)
}

async fn leader(cluster: &Cluster) -> anyhow::Result<String> {
    let lease = cluster.kubectl.get(&["lease", LEASE, "-n", CONTROL_PLANE]).await?;
    let holder = lease.pointer("/spec/holderIdentity").and_then(Value::as_str);
    holder.map(str::to_owned).context("nobody leads")
}

/// Ends the load and says how it went.
pub(crate) async fn none_failed(load: Load, what: &str) -> anyhow::Result<()> {
    let tally = load.stop().await;
    println!("  {what}: {} of {} requests failed", tally.failed.len(), tally.total());
    ensure!(tally.failed.is_empty(), "{} of {} failed: {:?}", tally.failed.len(), tally.total(), tally.failed.first());
    ensure!(tally.total() > 100, "only {} requests were sent", tally.total());
    Ok(())
}

//! Waiting for what the API server was given: definitions, certificates, the agent.

use std::future::Future;
use std::time::Duration;

use gateway_shared::install::{InstallKind, InstallObject, NAME};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::Pod;
use kube::api::{Api, ListParams, LogParams};
use serde_json::Value;
use tokio::time::Instant;

use super::live;
use super::progress::Running;
use super::rollout::{self, Progress};
use crate::cluster::Cluster;
use crate::exit::{Exit, Failure};
use crate::render::printer::Printer;

/// How often is looked.
const PAUSE: Duration = Duration::from_millis(500);

/// What one look found.
enum Seen {
    Done(String),
    NotYet(String),
}

/// Looks until it is done or `deadline` has come; then the last words are why.
async fn until<F, L>(
    deadline: Instant,
    step: &mut Running,
    printer: &mut Printer<'_>,
    mut look: L,
) -> Result<Result<String, String>, Failure>
where
    L: FnMut() -> F,
    F: Future<Output = Result<Seen, Failure>>,
{
    loop {
        match look().await? {
            Seen::Done(words) => return Ok(Ok(words)),
            Seen::NotYet(words) if Instant::now() >= deadline => return Ok(Err(words)),
            Seen::NotYet(words) => step.tell(&words, printer),
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Waits until the API server serves the definitions.
///
/// # Errors
/// When it doesn't in time, or can't be asked.
pub async fn established(
    cluster: &Cluster,
    names: &[String],
    deadline: Instant,
    step: &mut Running,
    printer: &mut Printer<'_>,
) -> Result<(), Failure> {
    for name in names {
        let kind = InstallKind::CustomResourceDefinition;
        let outcome = until(deadline, step, printer, || async {
            let found = live::get(cluster, kind, None, name).await?;
            let conditions = found.as_ref().and_then(|value| value.pointer("/status/conditions")?.as_array());
            let is =
                |condition: &Value, key: &str, text: &str| condition.get(key).and_then(Value::as_str) == Some(text);
            let established = conditions
                .into_iter()
                .flatten()
                .any(|condition| is(condition, "type", "Established") && is(condition, "status", "True"));
            Ok(if established { Seen::Done(String::new()) } else { Seen::NotYet(format!("{name} isn't served yet")) })
        });
        outcome.await?.map_err(|why| Failure::new(Exit::TimedOut, format!("the definitions didn't come up: {why}")))?;
    }
    Ok(())
}

/// Waits until the Job has made the certificates.
///
/// # Errors
/// When it failed, with the last line of its log, or takes too long.
pub async fn certificates(
    cluster: &Cluster,
    job: &InstallObject,
    deadline: Instant,
    step: &mut Running,
    printer: &mut Printer<'_>,
) -> Result<(), Failure> {
    let namespace = job.namespace.as_deref().unwrap_or_default();
    let jobs: Api<Job> = Api::namespaced(cluster.client.clone(), namespace);
    let selector = format!("job-name={}", job.name);
    let outcome = until(deadline, step, printer, || async {
        let Some(found) = cluster.ask("get the certificates Job", jobs.get_opt(&job.name)).await? else {
            return Ok(Seen::Done("the Job is gone".to_owned()));
        };
        let status = found.status.unwrap_or_default();
        if status.succeeded.unwrap_or_default() > 0 {
            return Ok(Seen::Done("made".to_owned()));
        }
        let failed = status
            .conditions
            .iter()
            .flatten()
            .find(|condition| condition.type_ == "Failed" && condition.status == "True");
        let pods = pods(cluster, namespace, &selector).await?;
        if let Some(condition) = failed {
            let said = last_words(cluster, namespace, &pods).await;
            let why = said.or_else(|| condition.message.clone()).unwrap_or_default();
            return Err(Failure::new(
                Exit::Problem,
                format!("the Job {} that makes certificates failed: {why}", job.name),
            )
            .hint(format!("see more: kubectl logs job/{} -n {namespace}", job.name)));
        }
        Ok(Seen::NotYet(rollout::waiting(&pods).unwrap_or_else(|| "its Job has begun".to_owned())))
    });
    outcome.await?.map(drop).map_err(|why| {
        Failure::new(Exit::TimedOut, format!("no certificates in time: {why}"))
            .hint(format!("look closer: kubectl describe job/{} -n {namespace}", job.name))
    })
}

/// Waits until every agent is of the new kind and ready.
///
/// # Errors
/// When they aren't in time: why not, with the last line of the log of one that ended.
pub async fn agent(
    cluster: &Cluster,
    namespace: &str,
    deadline: Instant,
    step: &mut Running,
    printer: &mut Printer<'_>,
) -> Result<String, Failure> {
    let deployments: Api<Deployment> = Api::namespaced(cluster.client.clone(), namespace);
    let outcome = until(deadline, step, printer, || async {
        let deployment = cluster.ask("get the agent's Deployment", deployments.get(NAME)).await?;
        let pods = newest(pods(cluster, namespace, "control-plane=envoy-gateway").await?);
        Ok(match rollout::progress(&deployment, &pods) {
            Progress::Ready(words) => Seen::Done(words),
            Progress::Waiting(words) => Seen::NotYet(words),
        })
    });
    let why = match outcome.await? {
        Ok(words) => return Ok(words),
        Err(why) => why,
    };
    let pods = newest(pods(cluster, namespace, "control-plane=envoy-gateway").await?);
    let mut failure = Failure::new(Exit::TimedOut, format!("the agent isn't ready in time: {why}"));
    if let Some(said) = last_words(cluster, namespace, &pods).await {
        failure = failure.hint(format!("it said last: {said}"));
    }
    Err(failure
        .hint(format!("look closer: kubectl describe pods -n {namespace} -l control-plane=envoy-gateway"))
        .hint("run the same command again when that is put right: it goes on where this one ended"))
}

async fn pods(cluster: &Cluster, namespace: &str, labels: &str) -> Result<Vec<Pod>, Failure> {
    let api: Api<Pod> = Api::namespaced(cluster.client.clone(), namespace);
    let params = ListParams::default().labels(labels);
    Ok(cluster.ask("list pods", api.list(&params)).await?.items)
}

/// The youngest first: those of the newest kind.
fn newest(mut pods: Vec<Pod>) -> Vec<Pod> {
    pods.retain(|pod| pod.metadata.deletion_timestamp.is_none());
    pods.sort_by_key(|pod| std::cmp::Reverse(pod.metadata.creation_timestamp.as_ref().map(|time| time.0)));
    pods
}

/// The last line of the log of a container that ended or isn't ready.
async fn last_words(cluster: &Cluster, namespace: &str, pods: &[Pod]) -> Option<String> {
    let rollout::Crashed { pod, container, previous } = rollout::crashed(pods)?;
    let api: Api<Pod> = Api::namespaced(cluster.client.clone(), namespace);
    let params = LogParams { container: Some(container), previous, tail_lines: Some(1), ..LogParams::default() };
    let text = cluster.ask("read a log", api.logs(&pod, &params)).await.ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

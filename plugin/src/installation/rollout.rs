//! How far a Deployment has come, and why its pods aren't ready: a reading of the objects.

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ContainerStatus, Pod};

/// How far it has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Every replica is of the newest kind and ready.
    Ready(String),
    /// Not yet, because.
    Waiting(String),
}

/// A pod that doesn't come up, for a look into its log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crashed {
    /// Its name.
    pub pod: String,
    /// The container that ends.
    pub container: String,
    /// Whether the log of the one before is meant.
    pub previous: bool,
}

/// How far `deployment` with `pods` has come.
#[must_use]
pub fn progress(deployment: &Deployment, pods: &[Pod]) -> Progress {
    let wanted = deployment.spec.as_ref().and_then(|spec| spec.replicas).unwrap_or(1);
    let status = deployment.status.clone().unwrap_or_default();
    if status.observed_generation < deployment.metadata.generation {
        return Progress::Waiting("the change isn't taken up yet".to_owned());
    }
    let count = |count: Option<i32>| count.unwrap_or_default();
    let (updated, ready, available, all) = (
        count(status.updated_replicas),
        count(status.ready_replicas),
        count(status.available_replicas),
        count(status.replicas),
    );
    if updated >= wanted && available >= wanted && all == updated {
        return Progress::Ready(format!("{ready} of {wanted} replicas ready"));
    }
    let mut words = if updated < wanted || all == updated {
        format!("{} of {wanted} replicas ready", ready.min(updated))
    } else {
        format!("{updated} of {wanted} replicas are new, {} old to go", all - updated)
    };
    let forbidden = status
        .conditions
        .iter()
        .flatten()
        .find(|condition| condition.type_ == "ReplicaFailure" && condition.status == "True");
    let reason = forbidden.and_then(|condition| condition.message.clone()).or_else(|| waiting(pods));
    if let Some(reason) = reason {
        words = format!("{words}: {reason}");
    }
    Progress::Waiting(words)
}

/// What pods are waiting for: first what won't go away by itself.
#[must_use]
pub fn waiting(pods: &[Pod]) -> Option<String> {
    pods.iter().find_map(obstacle).or_else(|| pods.iter().find_map(patience))
}

/// What keeps a pod from running that won't go away by waiting.
fn obstacle(pod: &Pod) -> Option<String> {
    let status = pod.status.as_ref()?;
    let unschedulable = status
        .conditions
        .iter()
        .flatten()
        .find(|condition| condition.type_ == "PodScheduled" && condition.status == "False");
    if let Some(condition) = unschedulable {
        return Some(format!("no node takes it: {}", condition.message.as_deref().unwrap_or("no reason given")));
    }
    status.container_statuses.iter().flatten().find_map(|container| {
        let waiting = container.state.as_ref()?.waiting.as_ref()?;
        let reason = waiting.reason.as_deref()?;
        let message = waiting.message.as_deref().unwrap_or_default();
        match reason {
            "ErrImagePull" | "ImagePullBackOff" | "InvalidImageName" | "ErrImageNeverPull" => {
                Some(format!("image {} can't be pulled ({reason})", container.image))
            }
            "CrashLoopBackOff" => Some(format!("it ended {}{}", times(container.restart_count), exit_code(container))),
            "ContainerCreating" | "PodInitializing" => None,
            other => Some(format!("{other}: {message}")),
        }
    })
}

/// What a pod is waiting for.
fn patience(pod: &Pod) -> Option<String> {
    let status = pod.status.as_ref()?;
    let container = status.container_statuses.as_ref().and_then(|containers| containers.first());
    let Some(container) = container else { return Some("waiting for a node".to_owned()) };
    let state = container.state.as_ref()?;
    if state.waiting.is_some() {
        return Some("starting its container".to_owned());
    }
    if state.running.is_some() && !container.ready {
        return Some(match container.restart_count {
            0 => "it runs and isn't ready yet".to_owned(),
            restarts => {
                format!("it runs and isn't ready yet; it ended {} before{}", times(restarts), exit_code(container))
            }
        });
    }
    state.terminated.as_ref().map(|ended| format!("it ended with code {}", ended.exit_code))
}

fn exit_code(container: &ContainerStatus) -> String {
    let ended = container.last_state.as_ref().and_then(|state| state.terminated.as_ref());
    ended.map(|ended| format!(", with code {}", ended.exit_code)).unwrap_or_default()
}

fn times(count: i32) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    }
}

/// A pod whose log says more.
#[must_use]
pub fn crashed(pods: &[Pod]) -> Option<Crashed> {
    pods.iter().find_map(|pod| {
        let containers = pod.status.as_ref()?.container_statuses.as_ref()?;
        let container = containers.iter().find(|container| !container.ready)?;
        let state = container.state.as_ref()?;
        let last = container.last_state.as_ref().and_then(|last| last.terminated.as_ref());
        let ended = state.terminated.as_ref().or(last);
        (ended.is_some() || state.running.is_some()).then(|| Crashed {
            pod: pod.metadata.name.clone().unwrap_or_default(),
            container: container.name.clone(),
            previous: state.terminated.is_none() && container.restart_count > 0,
        })
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn deployment(status: &Value) -> Deployment {
        serde_json::from_value(json!({
            "metadata": { "generation": 2 },
            "spec": { "replicas": 2, "selector": {}, "template": {} },
            "status": status,
        }))
        .unwrap()
    }

    fn pod(state: &Value, restarts: i32) -> Pod {
        let container = json!({
            "name": "envoy-gateway", "image": "r.example/a:1", "imageID": "", "ready": false,
            "restartCount": restarts, "state": state,
            "lastState": if restarts > 0 { json!({ "terminated": { "exitCode": 1 } }) } else { json!({}) },
        });
        serde_json::from_value(json!({ "metadata": { "name": "p" }, "status": { "containerStatuses": [container] } }))
            .unwrap()
    }

    fn told(status: &Value, pods: &[Pod]) -> String {
        match progress(&deployment(status), pods) {
            Progress::Ready(words) => format!("ready: {words}"),
            Progress::Waiting(words) => words,
        }
    }

    #[test]
    fn ready_is_when_all_are_new_and_available() {
        let full = json!({ "observedGeneration": 2, "replicas": 2, "updatedReplicas": 2, "readyReplicas": 2, "availableReplicas": 2 });
        assert_eq!(told(&full, &[]), "ready: 2 of 2 replicas ready");
        let stale = json!({ "observedGeneration": 1, "replicas": 2, "updatedReplicas": 2, "readyReplicas": 2, "availableReplicas": 2 });
        assert!(told(&stale, &[]).contains("isn't taken up"));
        let old = json!({ "observedGeneration": 2, "replicas": 3, "updatedReplicas": 2, "readyReplicas": 3, "availableReplicas": 3 });
        assert_eq!(told(&old, &[]), "2 of 2 replicas are new, 1 old to go");
    }

    #[test]
    fn a_pod_that_does_not_come_up_says_why() {
        let none = json!({ "observedGeneration": 2, "replicas": 2, "updatedReplicas": 2 });
        let pull = pod(&json!({ "waiting": { "reason": "ImagePullBackOff" } }), 0);
        assert_eq!(
            told(&none, &[pull]),
            "0 of 2 replicas ready: image r.example/a:1 can't be pulled (ImagePullBackOff)"
        );
        let crash = pod(&json!({ "waiting": { "reason": "CrashLoopBackOff" } }), 3);
        assert_eq!(told(&none, std::slice::from_ref(&crash)), "0 of 2 replicas ready: it ended 3 times, with code 1");
        assert_eq!(crashed(&[crash]).unwrap().pod, "p");
        let starting = pod(&json!({ "waiting": { "reason": "ContainerCreating" } }), 0);
        assert_eq!(told(&none, std::slice::from_ref(&starting)), "0 of 2 replicas ready: starting its container");
        assert_eq!(crashed(&[starting]), None);
        let running = pod(&json!({ "running": {} }), 0);
        assert_eq!(told(&none, &[running]), "0 of 2 replicas ready: it runs and isn't ready yet");
        let quota = json!({ "observedGeneration": 2, "conditions": [
            { "type": "ReplicaFailure", "status": "True", "message": "exceeded quota" } ] });
        assert_eq!(told(&quota, &[]), "0 of 2 replicas ready: exceeded quota");
    }
}

//! Doing what was decided about one fleet, step by step, for as long as we lead.

use std::sync::Arc;
use std::time::{Duration, Instant};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use kube::Client;
use kube::api::{Api, DeleteParams, Patch, PatchParams, Preconditions};
use kube::core::DynamicObject;
use serde_json::{Value, json};
use tokio::sync::watch;
use tracing::info;

use super::FIELD_MANAGER;
use super::diff::{self, Action, Apply, Why};
use super::existing::{Existing, made_for};
use super::kinds::{Id, resource};
use super::metrics::InfraMetrics;
use super::owner::{self, Verdict};
use super::words;

/// Who holds the number of replicas while it passes from us to whoever scales the fleet.
const HAND_OVER_MANAGER: &str = "envoy-gateway-replicas";
/// How long the API server may take to answer.
const ANSWER_LIMIT: Duration = Duration::from_secs(30);

/// What was done to a fleet.
#[derive(Debug)]
pub(super) struct Report {
    /// Its IR key.
    pub(super) fleet: Arc<str>,
    /// Steps that went well.
    pub(super) done: Vec<Done>,
    /// Why the rest was not done.
    pub(super) failure: Option<String>,
}

/// One step that went well.
#[derive(Debug)]
pub(super) enum Done {
    /// An object was applied.
    Applied {
        /// Its name.
        id: Id,
        /// The hash of what was rendered.
        hash: u64,
        /// Why.
        why: Why,
        /// What it is now.
        existing: Box<Existing>,
    },
    /// The fleet was found to be none of our business.
    LeftAlone,
    /// An object was deleted, or is being so.
    Deleted {
        /// Its name.
        id: Id,
        /// Its identity.
        uid: Box<str>,
    },
}

/// Who does what was decided.
#[derive(Clone)]
pub(super) struct Hands {
    /// The API server.
    pub(super) client: Client,
    /// What is ours to serve.
    pub(super) scope: Arc<owner::Scope>,
    /// Whether we lead.
    pub(super) leads: watch::Receiver<bool>,
    /// What is counted.
    pub(super) metrics: InfraMetrics,
}

/// Does all of `actions`, or as many as can be done.
pub(super) async fn carry_out(mut hands: Hands, fleet: Arc<str>, actions: Vec<Action>) -> Report {
    let work = hands.clone();
    let mut done = Vec::new();
    let mut failure = None;
    for action in actions {
        let step = async {
            tokio::time::timeout(ANSWER_LIMIT, act(&work, &fleet, action))
                .await
                .unwrap_or_else(|_| Err("the API server gave no answer within 30 s; it is tried again".to_owned()))
        };
        let step = tokio::select! {
            biased;
            // A request that is on its way is given up: another leader may be at work already.
            () = lost(&mut hands.leads) => Err("another replica leads now".to_owned()),
            step = step => step,
        };
        match step {
            Ok(Some(step)) => {
                let ends = matches!(step, Done::LeftAlone);
                done.push(step);
                if ends {
                    break;
                }
            }
            Ok(None) => {}
            Err(words) => {
                failure = Some(words);
                break;
            }
        }
    }
    Report { fleet, done, failure }
}

/// Ends when we no longer lead.
async fn lost(leads: &mut watch::Receiver<bool>) {
    if leads.wait_for(|leads| !leads).await.is_err() {
        std::future::pending().await
    }
}

async fn act(hands: &Hands, fleet: &str, action: Action) -> Result<Option<Done>, String> {
    let Hands { client, scope, leads: _, metrics } = hands;
    match action {
        Action::Confirm { known } => match owner::ask(client, fleet, known, scope).await? {
            Verdict::TakeDown => Ok(None),
            Verdict::LeaveAlone => {
                info!(ir_key = fleet, "the objects of this fleet are left alone: it is another controller's, or was");
                Ok(Some(Done::LeftAlone))
            }
        },
        Action::Apply(apply) => {
            let (id, started) = (apply.id.clone(), Instant::now());
            let applied = apply_object(client, fleet, apply).await;
            metrics.applied(&id, started.elapsed(), applied.is_ok());
            applied.map(Some)
        }
        Action::Delete { id, uid } => {
            let started = Instant::now();
            let deleted = delete(&api(client, &id), &id, &uid).await;
            metrics.deleted(&id, started.elapsed(), deleted.is_ok());
            deleted?;
            info!(ir_key = fleet, object = %id, "deleted: the fleet no longer has it");
            Ok(Some(Done::Deleted { id, uid }))
        }
    }
}

async fn apply_object(client: &Client, fleet: &str, apply: Apply) -> Result<Done, String> {
    let api = api(client, &apply.id);
    let mut there = None;
    if apply.why == Why::Missing || apply.leaves_replicas_open {
        there = api.get_opt(&apply.id.name).await.map_err(|error| words::refused(&apply.id, "looked up", &error))?;
    }
    let found = there.is_some();
    let replicas = there.as_ref().filter(|_| apply.leaves_replicas_open).and_then(our_replicas);
    if let Some(there) = there.filter(|there| !made_for(there, fleet)) {
        let whose = Existing::read(apply.id.kind, there).and_then(|(_, existing)| existing.fleet);
        return Err(diff::foreign(&apply.id, whose.as_deref().filter(|owner| *owner != fleet)));
    }
    if let Some(uid) = &apply.instead_of {
        info!(ir_key = fleet, object = %apply.id, "its selector can't be changed, so it is made anew");
        delete(&api, &apply.id, uid).await?;
    } else if let Some(replicas) = replicas {
        server_side_apply(&api, &apply.id, HAND_OVER_MANAGER, &replicas_alone(&apply.id, replicas)).await?;
    }
    let object = server_side_apply(&api, &apply.id, FIELD_MANAGER, &apply.content).await?;
    let Apply { id, hash, why, content: _, instead_of: _, leaves_replicas_open: _ } = apply;
    match &why {
        Why::Missing if found => info!(ir_key = fleet, object = %id, "it had lost our labels: put right"),
        Why::Missing => info!(ir_key = fleet, object = %id, "made"),
        Why::Changed => info!(ir_key = fleet, object = %id, "applied"),
        Why::Drifted(fields) => {
            let fields: Vec<&str> = fields.keys().map(String::as_str).collect();
            info!(ir_key = fleet, object = %id, fields = fields.join(", "), "somebody changed it: put right");
        }
    }
    let (_, existing) =
        Existing::read(id.kind, object).ok_or_else(|| format!("the API server gave {id} back without a name"))?;
    Ok(Done::Applied { id, hash, why, existing: Box::new(existing) })
}

/// How many replicas a Deployment has, where we are who said so and there are more than the one it would fall back to
/// when nobody does. What an autoscaler said is its own, and newer than anything we know.
fn our_replicas(there: &DynamicObject) -> Option<i64> {
    let managers = there.metadata.managed_fields.iter().flatten();
    let said = |entry: &ManagedFieldsEntry| {
        let fields = entry.fields_v1.as_ref().map(|fields| &fields.0);
        fields.is_some_and(|fields| fields.pointer("/f:spec/f:replicas").is_some())
    };
    let ours = |entry: &ManagedFieldsEntry| {
        entry.manager.as_deref() == Some(FIELD_MANAGER) && entry.operation.as_deref() == Some("Apply")
    };
    managers.into_iter().any(|entry| ours(entry) && said(entry)).then_some(())?;
    there.data.pointer("/spec/replicas").and_then(Value::as_i64).filter(|replicas| *replicas != 1)
}

/// What is applied, in another manager's name, to hand over the number of replicas.
fn replicas_alone(id: &Id, replicas: i64) -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"namespace": &*id.namespace, "name": &*id.name},
        "spec": {"replicas": replicas},
    })
}

async fn server_side_apply(
    api: &Api<DynamicObject>,
    id: &Id,
    manager: &str,
    content: &Value,
) -> Result<DynamicObject, String> {
    let parameters = PatchParams::apply(manager).force();
    let applied = api.patch(&id.name, &parameters, &Patch::Apply(content)).await;
    applied.map_err(|error| words::refused(id, "applied", &error))
}

async fn delete(api: &Api<DynamicObject>, id: &Id, uid: &str) -> Result<(), String> {
    let preconditions = Preconditions { uid: Some(uid.to_owned()), resource_version: None };
    match api.delete(&id.name, &DeleteParams::background().preconditions(preconditions)).await {
        Ok(_) => Ok(()),
        // Gone, or another one stands in its place.
        Err(kube::Error::Api(status)) if matches!(status.code, 404 | 409) => Ok(()),
        Err(error) => Err(words::refused(id, "deleted", &error)),
    }
}

fn api(client: &Client, id: &Id) -> Api<DynamicObject> {
    Api::namespaced_with(client.clone(), &id.namespace, &resource(id.kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deployment(replicas: i64, managers: Value) -> DynamicObject {
        let json =
            json!({"metadata": {"name": "a", "managedFields": managers}, "spec": {"replicas": replicas}, "status": {}});
        serde_json::from_value(json).unwrap()
    }

    fn manager(name: &str, operation: &str, fields: Value) -> Value {
        json!({"manager": name, "operation": operation, "fieldsType": "FieldsV1", "fieldsV1": fields})
    }

    #[test]
    fn a_number_of_replicas_is_handed_over_by_whoever_said_it() {
        let (replicas, more) = (json!({"f:spec": {"f:replicas": {}}}), json!({"f:spec": {"f:template": {}}}));
        let ours = manager(FIELD_MANAGER, "Apply", replicas.clone());
        assert_eq!(our_replicas(&deployment(5, json!([ours]))), Some(5));
        assert_eq!(our_replicas(&deployment(1, json!([ours]))), None, "it would be one all the same");
        let scaled =
            json!([manager(FIELD_MANAGER, "Apply", more), manager("kube-controller-manager", "Update", replicas),]);
        assert_eq!(our_replicas(&deployment(12, scaled)), None, "an autoscaler's");
        let id =
            Id { kind: gateway_shared::infra::object::InfraKind::Deployment, namespace: "n".into(), name: "a".into() };
        assert_eq!(replicas_alone(&id, 5).pointer("/spec"), Some(&json!({"replicas": 5})));
    }
}

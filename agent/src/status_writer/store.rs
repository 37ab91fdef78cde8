//! Statuses in the API server: one is read, written if it is still the one that was read, and a write tells what happened.

use gateway_shared::gatewayapi::subjects::{KindFacts, Subject};
use kube::Client;
use kube::api::{PatchParams, PostParams};
use kube::core::{Request, request};
use serde::Deserialize;
use serde_json::{Value, json};

/// Who writes, as the API server notes it.
const FIELD_MANAGER: &str = "envoy-gateway";

/// An object as far as a writer of statuses reads it.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Stored {
    pub(super) metadata: StoredMetadata,
    #[serde(default)]
    pub(super) status: Option<Value>,
}

/// Its metadata.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct StoredMetadata {
    pub(super) resource_version: String,
    pub(super) deletion_timestamp: Option<String>,
    pub(super) finalizers: Vec<String>,
}

/// Why a write or a read came to nothing.
#[derive(Debug)]
pub(super) enum Refusal {
    /// There is no such object.
    Gone,
    /// The object is another by now.
    Conflict,
    /// The API server is overloaded or away.
    ServerTrouble(String),
    /// The API server won't have it.
    Refused(String),
}

/// The API server.
#[derive(Clone)]
pub(super) struct Store {
    pub(super) client: Client,
}

impl Store {
    /// The object now.
    pub(super) async fn read(&self, subject: &Subject) -> Result<Stored, Refusal> {
        let request = Request::new(path(subject)).get(&subject.key.name, &kube::api::GetParams::default());
        self.ask(request).await
    }

    /// Writes `status` over the one that the object had at `resource_version`. Returns the version it has then.
    pub(super) async fn write(
        &self,
        subject: &Subject,
        resource_version: &str,
        status: &Value,
    ) -> Result<String, Refusal> {
        let KindFacts { group, version, kind, plural: _, claim: _ } = subject.kind.facts();
        let mut metadata = json!({ "name": &*subject.key.name, "resourceVersion": resource_version });
        if let (Some(metadata), false) = (metadata.as_object_mut(), subject.key.namespace.is_empty()) {
            metadata.insert("namespace".to_owned(), json!(&*subject.key.namespace));
        }
        let object = json!({
            "apiVersion": format!("{group}/{version}"), "kind": kind, "metadata": metadata, "status": status,
        });
        let params = PostParams { field_manager: Some(FIELD_MANAGER.to_owned()), ..PostParams::default() };
        let body = object.to_string().into_bytes();
        let request = Request::new(path(subject)).replace_subresource("status", &subject.key.name, &params, body);
        self.ask::<Written>(request).await.map(|written| written.metadata.resource_version)
    }

    /// Gives the object other finalizers in the place of those it had at `resource_version`.
    pub(super) async fn write_finalizers(
        &self,
        subject: &Subject,
        resource_version: &str,
        finalizers: &[String],
    ) -> Result<(), Refusal> {
        let patch = json!({ "metadata": { "resourceVersion": resource_version, "finalizers": finalizers } });
        let params = PatchParams { field_manager: Some(FIELD_MANAGER.to_owned()), ..PatchParams::default() };
        let patch = kube::api::Patch::Merge(patch);
        let request = Request::new(path(subject)).patch(&subject.key.name, &params, &patch);
        self.ask::<Written>(request).await.map(|_| ())
    }

    async fn ask<T: serde::de::DeserializeOwned>(
        &self,
        request: Result<hyper::Request<Vec<u8>>, request::Error>,
    ) -> Result<T, Refusal> {
        let request = request.map_err(|error| Refusal::Refused(error.to_string()))?;
        self.client.request(request).await.map_err(refusal)
    }
}

/// What is read of the answer to a write.
#[derive(Deserialize)]
struct Written {
    metadata: StoredMetadata,
}

fn path(subject: &Subject) -> String {
    let KindFacts { group, version, kind: _, plural, claim: _ } = subject.kind.facts();
    match &*subject.key.namespace {
        "" => format!("/apis/{group}/{version}/{plural}"),
        namespace => format!("/apis/{group}/{version}/namespaces/{namespace}/{plural}"),
    }
}

/// What an error means for us.
fn refusal(error: kube::Error) -> Refusal {
    match error {
        kube::Error::Api(status) => match status.code {
            404 => Refusal::Gone,
            409 => Refusal::Conflict,
            429 | 502..=504 => Refusal::ServerTrouble(status.message),
            _ => Refusal::Refused(status.message),
        },
        kube::Error::SerdeError(error) => Refusal::Refused(error.to_string()),
        error => Refusal::ServerTrouble(error.to_string()),
    }
}

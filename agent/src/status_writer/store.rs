//! Statuses in the API server: one is read, written if it is still the one that was read, and a write tells what happened.

use gateway_shared::gatewayapi::subjects::{KindFacts, Subject};
use kube::Client;
use kube::api::{PatchParams, PostParams};
use kube::core::{Request, Status, request};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::provider::kube::Seen;

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

/// The API server. Objects are read and written in the version they are watched in, which may be older than ours.
#[derive(Clone)]
pub(super) struct Store {
    pub(super) client: Client,
    pub(super) seen: Seen,
}

impl Store {
    /// The object now.
    pub(super) async fn read(&self, subject: &Subject) -> Result<Stored, Refusal> {
        let request = Request::new(self.path(subject)).get(&subject.key.name, &kube::api::GetParams::default());
        self.ask(request).await
    }

    /// Writes `status` over the one that the object had at `resource_version`. Returns the version it has then.
    pub(super) async fn write(
        &self,
        subject: &Subject,
        resource_version: &str,
        status: &Value,
    ) -> Result<String, Refusal> {
        let KindFacts { group, kind, .. } = subject.kind.facts();
        let version = self.version(subject);
        let mut metadata = json!({ "name": &*subject.key.name, "resourceVersion": resource_version });
        if let (Some(metadata), false) = (metadata.as_object_mut(), subject.key.namespace.is_empty()) {
            metadata.insert("namespace".to_owned(), json!(&*subject.key.namespace));
        }
        let object = json!({
            "apiVersion": format!("{group}/{version}"), "kind": kind, "metadata": metadata, "status": status,
        });
        let params = PostParams { field_manager: Some(FIELD_MANAGER.to_owned()), ..PostParams::default() };
        let body = object.to_string().into_bytes();
        let request = Request::new(self.path(subject)).replace_subresource("status", &subject.key.name, &params, body);
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
        let request = Request::new(self.path(subject)).patch(&subject.key.name, &params, &patch);
        self.ask::<Written>(request).await.map(|_| ())
    }

    async fn ask<T: serde::de::DeserializeOwned>(
        &self,
        request: Result<hyper::Request<Vec<u8>>, request::Error>,
    ) -> Result<T, Refusal> {
        let request = request.map_err(|error| Refusal::Refused(error.to_string()))?;
        self.client.request(request).await.map_err(refusal)
    }

    fn version(&self, subject: &Subject) -> &'static str {
        let KindFacts { kind, version, .. } = subject.kind.facts();
        self.seen.version(kind).unwrap_or(version)
    }

    fn path(&self, subject: &Subject) -> String {
        let KindFacts { group, plural, .. } = subject.kind.facts();
        let version = self.version(subject);
        match &*subject.key.namespace {
            "" => format!("/apis/{group}/{version}/{plural}"),
            namespace => format!("/apis/{group}/{version}/namespaces/{namespace}/{plural}"),
        }
    }
}

/// What is read of the answer to a write.
#[derive(Deserialize)]
struct Written {
    metadata: StoredMetadata,
}

/// What an error means for us.
fn refusal(error: kube::Error) -> Refusal {
    match error {
        kube::Error::Api(status) => match status.code {
            404 if names_one(&status) => Refusal::Gone,
            404 => Refusal::Refused(format!(
                "the API server has no such status in the version we watch: install newer CRDs ({})",
                status.message
            )),
            409 => Refusal::Conflict,
            429 | 502..=504 => Refusal::ServerTrouble(status.message),
            _ => Refusal::Refused(status.message),
        },
        kube::Error::SerdeError(error) => Refusal::Refused(error.to_string()),
        error => Refusal::ServerTrouble(error.to_string()),
    }
}

/// Whether it is an object that isn't there, and not its kind, a version of it or a status.
fn names_one(status: &Status) -> bool {
    status.details.as_ref().is_some_and(|details| !details.name.is_empty())
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::{Arc, Mutex};

    use gateway_shared::api::metadata::ObjectKey;
    use gateway_shared::gatewayapi::decision::RouteKind;
    use gateway_shared::gatewayapi::subjects::SubjectKind;
    use http_body_util::BodyExt as _;
    use hyper::{Response, StatusCode};
    use kube::client::Body;

    use super::*;

    /// A store in which TCPRoutes are watched in `v1alpha2`. Requests go to `asked`, and are answered with `answer`.
    fn store(asked: &Arc<Mutex<Vec<(String, String)>>>, answer: (u16, &'static str)) -> Store {
        let asked = Arc::clone(asked);
        let answer = move |request: hyper::Request<Body>| {
            let asked = Arc::clone(&asked);
            async move {
                let path = request.uri().path().to_owned();
                let body = request.into_body().collect().await.unwrap().to_bytes();
                asked.lock().unwrap().push((path, String::from_utf8(body.to_vec()).unwrap()));
                let mut response = Response::new(Body::from(answer.1.as_bytes().to_vec()));
                *response.status_mut() = StatusCode::from_u16(answer.0).unwrap();
                Ok::<_, Infallible>(response)
            }
        };
        let seen = Seen::default();
        seen.watched_in("TCPRoute", "v1alpha2");
        Store { client: Client::new(tower::service_fn(answer), "default"), seen }
    }

    fn route() -> Subject {
        Subject::new(SubjectKind::Route(RouteKind::Tcp), ObjectKey::new("shop", "till"))
    }

    #[tokio::test]
    async fn a_status_is_written_in_the_version_that_is_watched() {
        let asked = Arc::default();
        let written = store(&asked, (200, r#"{"metadata": {"resourceVersion": "8"}}"#));
        assert_eq!(written.write(&route(), "7", &json!({"parents": []})).await.unwrap(), "8");
        written.read(&route()).await.unwrap();
        let asked = asked.lock().unwrap();
        let path = "/apis/gateway.networking.k8s.io/v1alpha2/namespaces/shop/tcproutes/till";
        assert_eq!((asked[0].0.as_str(), asked[1].0.as_str()), (&*format!("{path}/status"), path));
        let body: Value = serde_json::from_str(&asked[0].1).unwrap();
        assert_eq!(body["apiVersion"], "gateway.networking.k8s.io/v1alpha2");
    }

    #[tokio::test]
    async fn an_object_is_gone_when_it_is_named_and_a_version_that_is_not_served_is_a_refusal() {
        let asked = Arc::default();
        let named = r#"{"code": 404, "reason": "NotFound", "details": {"name": "till", "kind": "tcproutes"}}"#;
        let gone = store(&asked, (404, named)).write(&route(), "7", &json!({})).await.unwrap_err();
        assert!(matches!(gone, Refusal::Gone), "{gone:?}");
        let unknown = store(&asked, (404, "404 page not found\n")).write(&route(), "7", &json!({})).await.unwrap_err();
        assert!(matches!(&unknown, Refusal::Refused(words) if words.contains("install newer CRDs")), "{unknown:?}");
    }
}

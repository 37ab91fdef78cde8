//! An API server for tests: it has some objects, finds them by kind, place, name and labels, and notes what else is
//! asked of it.

use std::sync::{Arc, Mutex, PoisonError};

use gateway_shared::install::{InstallKind, InstallObject};
use hyper::{Request, Response, StatusCode};
use kube::client::Body;
use kube::{Client, Config};
use serde_json::{Value, json};

use crate::cluster::Cluster;

/// What was asked but to read: `DELETE /api/v1/namespaces/gw`.
pub(crate) type Asked = Arc<Mutex<Vec<String>>>;

/// A cluster with these objects.
pub(crate) fn cluster(objects: Vec<InstallObject>) -> (Cluster, Asked) {
    let asked = Asked::default();
    let notes = Arc::clone(&asked);
    let answer = move |request: Request<Body>| {
        let found = if request.method() == "GET" {
            found(&objects, request.uri().path(), request.uri().query().unwrap_or_default())
        } else {
            let line = format!("{} {}", request.method(), request.uri().path());
            notes.lock().unwrap_or_else(PoisonError::into_inner).push(line);
            Some(json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success" }))
        };
        let absent = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "reason": "NotFound", "code": 404,
        });
        match found {
            Some(found) => response(200, found.to_string()),
            None => response(404, absent.to_string()),
        }
    };
    (answering(answer), asked)
}

/// A cluster whose API server answers like this.
pub(crate) fn answering(answer: impl Fn(Request<Body>) -> Response<Body> + Send + 'static) -> Cluster {
    let service = tower::service_fn(move |request| std::future::ready(Ok::<_, tower::BoxError>(answer(request))));
    Cluster {
        client: Client::new(service, "default"),
        config: Config::new("http://localhost".parse().unwrap()),
        namespace: "default".to_owned(),
        request_timeout: None,
    }
}

/// An answer with a code and a body.
pub(crate) fn response(code: u16, body: impl Into<String>) -> Response<Body> {
    let mut response = Response::new(Body::from(body.into().into_bytes()));
    *response.status_mut() = StatusCode::from_u16(code).unwrap();
    response
}

/// The object at `path`, or the list of those below it.
fn found(objects: &[InstallObject], path: &str, query: &str) -> Option<Value> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let (group, rest) = match parts.as_slice() {
        ["api", _, rest @ ..] => ("", rest),
        ["apis", group, _, rest @ ..] => (*group, rest),
        _ => return None,
    };
    let (namespace, plural, name) = match rest {
        ["namespaces", namespace, plural, name @ ..] => (Some(*namespace), *plural, name.first()),
        [plural, name @ ..] => (None, *plural, name.first()),
        [] => return None,
    };
    let kind = InstallKind::all().find(|kind| kind.group() == group && kind.plural() == plural)?;
    let selector = query.split('&').find_map(|pair| pair.strip_prefix("labelSelector=")).unwrap_or_default();
    let selector = selector.replace("%3D", "=").replace("%2F", "/").replace("%2C", ",");
    let labelled = |object: &InstallObject| {
        let wanted = selector.split(',').filter_map(|pair| pair.split_once('='));
        let labels = object.content.pointer("/metadata/labels").cloned().unwrap_or_default();
        wanted.into_iter().all(|(key, value)| labels.get(key).and_then(Value::as_str) == Some(value))
    };
    let is_in = |object: &&InstallObject| {
        object.kind == kind && (namespace.is_none() || object.namespace.as_deref() == namespace)
    };
    let mut there = objects.iter().filter(is_in);
    match name {
        Some(name) => there.find(|object| object.name == *name).map(|object| object.content.clone()),
        None => {
            let items: Vec<&Value> = there.filter(|object| labelled(object)).map(|object| &object.content).collect();
            Some(json!({ "kind": "List", "apiVersion": kind.api_version(), "metadata": {}, "items": items }))
        }
    }
}

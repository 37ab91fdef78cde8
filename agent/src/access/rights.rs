//! What a caller may read: the API server says, by a SubjectAccessReview, and its answer counts for a few seconds.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use gateway_shared::explain::question::{GROUP, Kind};
use k8s_openapi::api::authorization::v1::{ResourceAttributes, SubjectAccessReview, SubjectAccessReviewSpec};
use kube::api::{ObjectMeta, PostParams};
use kube::{Api, Client};
use tonic::Status;

use super::caller::Caller;

/// How long an answer counts. A right that is taken away is gone after this time.
const REMEMBERED: Duration = Duration::from_secs(5);

/// The most answers that are kept; beyond it the API server is asked each time.
const REMEMBERED_AT_MOST: usize = 16_384;

/// How long the API server may take.
const REVIEW_LIMIT: Duration = Duration::from_secs(5);

/// A right: to do something with objects of one resource.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Right {
    /// `get`, `list`, `impersonate`.
    pub verb: &'static str,
    /// The API group; empty for the core.
    pub group: &'static str,
    /// The resource, in the plural.
    pub resource: &'static str,
    /// The namespace; empty for all of them, and for what has none.
    pub namespace: String,
    /// The object; empty for all of them.
    pub name: String,
}

impl Right {
    /// To read one object.
    #[must_use]
    pub fn get(kind: Kind, namespace: &str, name: &str) -> Self {
        let (namespace, name) = (namespace.to_owned(), name.to_owned());
        Self { verb: "get", group: GROUP, resource: kind.plural(), namespace, name }
    }

    /// To read all objects of a kind, in one namespace or (where it is empty) in all.
    #[must_use]
    pub fn list(kind: Kind, namespace: &str) -> Self {
        Self::list_of((GROUP, kind.plural()), namespace)
    }

    /// To read all objects of a resource (API group and plural), in one namespace or (where it is empty) in all.
    #[must_use]
    pub fn list_of((group, resource): (&'static str, &'static str), namespace: &str) -> Self {
        Self { verb: "list", group, resource, namespace: namespace.to_owned(), name: String::new() }
    }

    /// To read every Secret of the cluster, which whoever sees all that proxies are sent can do in effect.
    #[must_use]
    pub fn every_secret() -> Self {
        Self::list_of(("", "secrets"), "")
    }
}

impl fmt::Display for Right {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { verb, group, resource, namespace, name } = self;
        write!(f, "{verb} {resource}")?;
        if !group.is_empty() {
            write!(f, ".{group}")?;
        }
        if !name.is_empty() {
            write!(f, " {name}")?;
        }
        match namespace.as_str() {
            "" if name.is_empty() => f.write_str(" in all namespaces"),
            "" => Ok(()),
            namespace => write!(f, " in namespace {namespace}"),
        }
    }
}

/// A question in flight; an `Err` in words means that nobody could be asked.
pub type Answer = Pin<Box<dyn Future<Output = Result<bool, String>> + Send>>;

/// Asks whether a caller has a right.
pub type Review = dyn Fn(Caller, Right) -> Answer + Send + Sync;

/// Who may what, and when that was asked.
type Remembered = HashMap<(Caller, Right), (Instant, bool)>;

/// Knows who may what.
#[derive(Clone)]
pub struct Rights {
    review: Arc<Review>,
    remembered: Arc<Mutex<Remembered>>,
}

impl fmt::Debug for Rights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rights").finish_non_exhaustive()
    }
}

impl Rights {
    /// Asks `review`.
    #[must_use]
    pub fn new(review: Arc<Review>) -> Self {
        Self { review, remembered: Arc::default() }
    }

    /// Asks the API server of `client`.
    #[must_use]
    pub fn by_api_server(client: Client) -> Self {
        Self::new(Arc::new(move |caller, right| {
            let client = client.clone();
            Box::pin(async move {
                let reviews: Api<SubjectAccessReview> = Api::all(client);
                let (params, review) = (PostParams::default(), question(caller, right));
                match tokio::time::timeout(REVIEW_LIMIT, reviews.create(&params, &review)).await {
                    Ok(Ok(answer)) => Ok(answer.status.is_some_and(|status| status.allowed)),
                    Ok(Err(error)) => Err(error.to_string()),
                    Err(_) => Err(format!("it didn't answer within {} s", REVIEW_LIMIT.as_secs())),
                }
            })
        }))
    }

    /// Whether `caller` has `right`.
    ///
    /// # Errors
    /// `UNAVAILABLE` when that can't be found out.
    pub async fn has(&self, caller: &Caller, right: &Right) -> Result<bool, Status> {
        let key = (caller.clone(), right.clone());
        if let Some(answer) = self.remembered(&key) {
            return Ok(answer);
        }
        let answer = (self.review)(caller.clone(), right.clone()).await.map_err(|why| {
            Status::unavailable(format!("your rights can't be checked, since the API server can't be asked: {why}"))
        })?;
        let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        if remembered.len() >= REMEMBERED_AT_MOST {
            remembered.retain(|_, (at, _)| at.elapsed() < REMEMBERED);
        }
        if remembered.len() < REMEMBERED_AT_MOST {
            remembered.insert(key, (Instant::now(), answer));
        }
        Ok(answer)
    }

    fn remembered(&self, key: &(Caller, Right)) -> Option<bool> {
        let remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        remembered.get(key).filter(|(at, _)| at.elapsed() < REMEMBERED).map(|(_, answer)| *answer)
    }
}

/// The question as the API server takes it.
fn question(caller: Caller, right: Right) -> SubjectAccessReview {
    let Caller { user, uid, groups, extra } = caller;
    let Right { verb, group, resource, namespace, name } = right;
    let some = |text: String| (!text.is_empty()).then_some(text);
    let extra: BTreeMap<String, Vec<String>> = extra.into_iter().collect();
    SubjectAccessReview {
        metadata: ObjectMeta::default(),
        spec: SubjectAccessReviewSpec {
            user: Some(user),
            uid: some(uid),
            groups: Some(groups),
            extra: (!extra.is_empty()).then_some(extra),
            resource_attributes: Some(ResourceAttributes {
                verb: Some(verb.to_owned()),
                group: Some(group.to_owned()),
                resource: Some(resource.to_owned()),
                namespace: some(namespace),
                name: some(name),
                ..ResourceAttributes::default()
            }),
            non_resource_attributes: None,
        },
        status: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eve() -> Caller {
        Caller { user: "eve".into(), groups: vec!["system:authenticated".into()], ..Caller::default() }
    }

    #[test]
    fn rights_are_told_as_people_say_them() {
        let told = |right: Right| right.to_string();
        let route = Right::get(Kind::HttpRoute, "shop", "checkout");
        assert_eq!(told(route), "get httproutes.gateway.networking.k8s.io checkout in namespace shop");
        let all = Right::list(Kind::HttpRoute, "");
        assert_eq!(told(all), "list httproutes.gateway.networking.k8s.io in all namespaces");
        let class = Right::get(Kind::GatewayClass, "", "eg");
        assert_eq!(told(class), "get gatewayclasses.gateway.networking.k8s.io eg");
    }

    #[test]
    fn the_api_server_is_asked_about_the_caller_and_the_object() {
        let caller = Caller { uid: "7".into(), extra: vec![("scopes".into(), vec!["a".into()])], ..eve() };
        let spec = question(caller, Right::get(Kind::HttpRoute, "shop", "checkout")).spec;
        assert_eq!((spec.user.as_deref(), spec.uid.as_deref()), (Some("eve"), Some("7")));
        assert_eq!(spec.extra.unwrap()["scopes"], ["a"]);
        let asked = spec.resource_attributes.unwrap();
        assert_eq!(asked.resource.as_deref(), Some("httproutes"));
        assert_eq!((asked.namespace.as_deref(), asked.name.as_deref()), (Some("shop"), Some("checkout")));
    }

    #[tokio::test]
    async fn an_answer_counts_for_one_caller_and_one_right_only() {
        let review = |caller: Caller, right: Right| -> Answer {
            Box::pin(async move {
                match right.namespace.as_str() {
                    "broken" => Err("connection refused".to_owned()),
                    namespace => Ok(caller.user == "eve" && namespace == "shop"),
                }
            })
        };
        let rights = Rights::new(Arc::new(review));
        let mallory = Caller { user: "mallory".into(), ..eve() };
        let (own, other) = (Right::list(Kind::HttpRoute, "shop"), Right::list(Kind::HttpRoute, "bank"));
        for _ in 0..2 {
            assert!(rights.has(&eve(), &own).await.unwrap());
            assert!(!rights.has(&eve(), &other).await.unwrap());
            assert!(!rights.has(&mallory, &own).await.unwrap());
        }
        let unknown = rights.has(&eve(), &Right::list(Kind::HttpRoute, "broken")).await.unwrap_err();
        assert_eq!(unknown.code(), tonic::Code::Unavailable);
    }
}

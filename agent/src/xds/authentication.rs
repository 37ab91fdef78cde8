//! Proxies that prove who they are with the token of their service account (GatewayNamespaceMode).
//!
//! A token says which account in which namespace it is for, and of which pod. The stream says which proxy it is
//! (`node.id`) and whose configuration it wants (`node.cluster`). Only where both agree is anything sent: a proxy of one
//! Gateway never sees the certificates of another.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use gateway_shared::config::Config;
use gateway_shared::gatewayapi::translate::Translation;
use k8s_openapi::api::authentication::v1::{TokenReview, TokenReviewSpec, TokenReviewStatus, UserInfo};
use kube::api::{ObjectMeta, PostParams};
use kube::{Api, Client};
use tonic::Status;
use tonic::metadata::MetadataMap;

use super::node::NodeIdentity;
use crate::certificates::authority::SERVICE;

/// How long an answer of the API server counts. A token that is revoked is refused on new streams after this time.
const REMEMBERED: Duration = Duration::from_secs(30);

/// The most answers that are kept; beyond it the API server is asked each time.
const REMEMBERED_AT_MOST: usize = 4096;

/// How long the API server may take.
const REVIEW_LIMIT: Duration = Duration::from_secs(5);

/// What a user name of a service account begins with.
const ACCOUNT_PREFIX: &str = "system:serviceaccount:";

/// Where the API server says of which pod a token is.
const POD_NAME: &str = "authentication.kubernetes.io/pod-name";

/// Whose token it is, as the API server says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bearer {
    /// The namespace of the service account, which is the pod's, too.
    pub namespace: String,
    /// The name of the service account.
    pub account: String,
    /// The pod the token was made for.
    pub pod: Option<String>,
}

/// The account the proxies of a fleet run with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

/// Why a stream is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There is no token.
    #[error(
        "this stream carries no token: send `authorization: Bearer …` with the token of the proxy's service account"
    )]
    NoToken,
    /// The API server doesn't accept it.
    #[error("the API server refuses the token: {0}")]
    Invalid(String),
    /// It belongs to somebody who is no service account.
    #[error("the token is of {0}, not of a service account")]
    NoAccount(String),
    /// It is not bound to a pod, so anybody could have it.
    #[error("the token is not bound to a pod: use a projected volume with serviceAccountToken")]
    NoPod,
    /// The pod is another one.
    #[error("the token is of pod {pod}, but the stream says it is {claimed}")]
    OtherPod {
        /// The token's.
        pod: String,
        /// What the stream says.
        claimed: String,
    },
    /// The fleet is another one's.
    #[error("the token is of service account {namespace}/{account}, which doesn't run the proxies of {claimed}")]
    OtherFleet {
        /// The token's namespace.
        namespace: String,
        /// The token's account.
        account: String,
        /// The IR key the stream asks for.
        claimed: String,
    },
}

/// Who tokens have to be for: the Service of the control plane, as the bootstrap of proxies asks for them.
#[must_use]
pub fn audience(config: &Config) -> String {
    format!("{SERVICE}.{}.svc.{}", config.controller_namespace, config.dns_domain)
}

/// The account of the fleet `ir_key`, where it runs in the namespace of its Gateway.
#[must_use]
pub fn account(translation: &Translation, ir_key: &str) -> Option<Account> {
    let (_, infra) = translation.infra().find(|(key, _)| ***key == *ir_key)?;
    let proxy = infra.proxy.as_ref()?;
    let provider = proxy.config.as_ref().and_then(|config| config.spec.provider.as_ref()?.kubernetes.as_ref());
    let said = provider.and_then(|kubernetes| kubernetes.envoy_service_account.as_ref()?.name.clone());
    Some(Account { namespace: proxy.namespace.clone(), name: said.unwrap_or_else(|| proxy.name.clone()) })
}

/// Reads the API server's answer about a token for `audience`.
///
/// # Errors
/// When the token is not one of a service account for us.
pub fn bearer(status: Option<TokenReviewStatus>, audience: &str) -> Result<Bearer, Refusal> {
    let TokenReviewStatus { authenticated, error, user, audiences } = status.unwrap_or_default();
    if let Some(error) = error.filter(|error| !error.is_empty()) {
        return Err(Refusal::Invalid(error));
    }
    if authenticated != Some(true) {
        return Err(Refusal::Invalid("it is not valid".to_owned()));
    }
    // An API server that doesn't know audiences answers without them; then the token may be for anybody.
    if !audiences.unwrap_or_default().iter().any(|it| it == audience) {
        return Err(Refusal::Invalid(format!("it is not for {audience}")));
    }
    let UserInfo { username, groups: _, uid: _, extra } = user.unwrap_or_default();
    let username = username.unwrap_or_default();
    let account = username.strip_prefix(ACCOUNT_PREFIX).and_then(|rest| rest.split_once(':'));
    let Some((namespace, account)) = account else { return Err(Refusal::NoAccount(username)) };
    let pod = extra.unwrap_or_default().remove(POD_NAME).and_then(|names| names.into_iter().next());
    Ok(Bearer { namespace: namespace.to_owned(), account: account.to_owned(), pod })
}

/// Whether `bearer` may have what `node` asks for. `fleet`: the account of the fleet, where it is known; before the
/// first translation it is what Gateways get unless an EnvoyProxy says otherwise.
///
/// # Errors
/// Why not.
pub fn admit(bearer: &Bearer, node: &NodeIdentity, fleet: Option<&Account>) -> Result<(), Refusal> {
    let Bearer { namespace, account, pod } = bearer;
    let pod = pod.as_deref().filter(|pod| !pod.is_empty()).ok_or(Refusal::NoPod)?;
    if pod != &*node.id {
        return Err(Refusal::OtherPod { pod: pod.to_owned(), claimed: node.id.to_string() });
    }
    let owns = match (fleet, node.ir_key.split_once('/')) {
        (Some(fleet), _) => fleet.namespace == *namespace && fleet.name == *account,
        (None, Some((of, gateway))) => of == namespace && gateway == account,
        (None, None) => false,
    };
    if owns {
        return Ok(());
    }
    let (namespace, account) = (namespace.clone(), account.clone());
    Err(Refusal::OtherFleet { namespace, account, claimed: node.ir_key.to_string() })
}

/// The token of a request. Envoy's credential injector sends the content of the token's file as it is, without a scheme.
fn token(metadata: &MetadataMap) -> Option<&str> {
    let header = metadata.get("authorization")?.to_str().ok()?;
    let token = match header.split_once(' ') {
        Some((scheme, token)) => scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())?,
        None => header.trim(),
    };
    (!token.is_empty()).then_some(token)
}

/// A question in flight.
pub type Answer<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Asks whose token it is. An `Err` in words means that nobody could be asked.
pub type Review = dyn Fn(String) -> Answer<Result<Result<Bearer, Refusal>, String>> + Send + Sync;

/// Knows the account of a fleet by its IR key.
pub type Fleets = dyn Fn(&str) -> Option<Account> + Send + Sync;

/// Checks the token of every stream.
#[derive(Clone)]
pub struct Authentication {
    review: Arc<Review>,
    fleets: Arc<Fleets>,
    remembered: Arc<Mutex<HashMap<String, (Instant, Bearer)>>>,
}

impl std::fmt::Debug for Authentication {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Authentication").finish_non_exhaustive()
    }
}

impl Authentication {
    /// Asks `review` about tokens and `fleets` about accounts.
    #[must_use]
    pub fn new(review: Arc<Review>, fleets: Arc<Fleets>) -> Self {
        Self { review, fleets, remembered: Arc::default() }
    }

    /// Asks the API server about tokens for `audience`.
    #[must_use]
    pub fn by_api_server(client: Client, audience: String, fleets: Arc<Fleets>) -> Self {
        let review = move |token: String| -> Answer<Result<Result<Bearer, Refusal>, String>> {
            let (client, audience) = (client.clone(), audience.clone());
            Box::pin(async move {
                let spec = TokenReviewSpec { token: Some(token), audiences: Some(vec![audience.clone()]) };
                let review = TokenReview { metadata: ObjectMeta::default(), spec, status: None };
                let reviews: Api<TokenReview> = Api::all(client);
                let params = PostParams::default();
                match tokio::time::timeout(REVIEW_LIMIT, reviews.create(&params, &review)).await {
                    Ok(Ok(answer)) => Ok(bearer(answer.status, &audience)),
                    Ok(Err(error)) => Err(error.to_string()),
                    Err(_) => Err(format!("it didn't answer within {} s", REVIEW_LIMIT.as_secs())),
                }
            })
        };
        Self::new(Arc::new(review), fleets)
    }

    /// Whether the stream that began with `metadata` may have what `node` asks for.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` when not, `UNAVAILABLE` when that couldn't be found out.
    pub async fn check(&self, metadata: &MetadataMap, node: &NodeIdentity) -> Result<(), Status> {
        let refused = |refusal: Refusal| Status::unauthenticated(refusal.to_string());
        let token = token(metadata).ok_or_else(|| refused(Refusal::NoToken))?;
        let bearer = match self.remembered(token) {
            Some(bearer) => bearer,
            None => {
                let answer = (self.review)(token.to_owned()).await;
                let known = answer.map_err(|why| {
                    Status::unavailable(format!(
                        "the token can't be checked, since the API server can't be asked: {why}"
                    ))
                })?;
                let bearer = known.map_err(refused)?;
                self.remember(token, &bearer);
                bearer
            }
        };
        admit(&bearer, node, (self.fleets)(&node.ir_key).as_ref()).map_err(refused)
    }

    fn remembered(&self, token: &str) -> Option<Bearer> {
        let remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, bearer) = remembered.get(token)?;
        (at.elapsed() < REMEMBERED).then(|| bearer.clone())
    }

    fn remember(&self, token: &str, bearer: &Bearer) {
        let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        remembered.retain(|_, (at, _)| at.elapsed() < REMEMBERED);
        if remembered.len() < REMEMBERED_AT_MOST {
            remembered.insert(token.to_owned(), (Instant::now(), bearer.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    const AUDIENCE: &str = "envoy-gateway.envoy-gateway-system.svc.cluster.local";

    fn answer(username: &str, pod: Option<&str>, audience: &str) -> TokenReviewStatus {
        let extra = pod.map(|pod| BTreeMap::from([(POD_NAME.to_owned(), vec![pod.to_owned()])]));
        TokenReviewStatus {
            authenticated: Some(true),
            audiences: Some(vec![audience.to_owned()]),
            user: Some(UserInfo { username: Some(username.to_owned()), extra, ..UserInfo::default() }),
            error: None,
        }
    }

    fn node(id: &str, ir_key: &str) -> NodeIdentity {
        NodeIdentity { id: id.into(), ir_key: ir_key.into() }
    }

    fn verdict(status: TokenReviewStatus, id: &str, ir_key: &str, fleet: Option<(&str, &str)>) -> String {
        let fleet = fleet.map(|(namespace, name)| Account { namespace: namespace.into(), name: name.into() });
        match bearer(Some(status), AUDIENCE).and_then(|it| admit(&it, &node(id, ir_key), fleet.as_ref())) {
            Ok(()) => "admitted".to_owned(),
            Err(refusal) => refusal.to_string(),
        }
    }

    #[test]
    fn a_token_stands_alone_or_behind_its_scheme() {
        let of = |header: &str| {
            let mut metadata = MetadataMap::new();
            metadata.insert("authorization", header.parse().unwrap());
            token(&metadata).map(str::to_owned)
        };
        assert_eq!(of("abc.def.ghi").as_deref(), Some("abc.def.ghi"));
        assert_eq!(of("Bearer abc.def.ghi").as_deref(), Some("abc.def.ghi"));
        assert_eq!(of("bearer  abc").as_deref(), Some("abc"));
        assert_eq!(of("Basic dXNlcjpwYXNz"), None);
        assert_eq!(of("Bearer "), None);
    }

    #[test]
    fn a_proxy_gets_the_configuration_of_its_own_gateway_and_no_other() {
        let edge = || answer("system:serviceaccount:shop:edge", Some("edge-1"), AUDIENCE);
        assert_eq!(verdict(edge(), "edge-1", "shop/edge", None), "admitted");
        assert_eq!(verdict(edge(), "edge-1", "shop/edge", Some(("shop", "edge"))), "admitted");
        assert!(verdict(edge(), "edge-1", "shop/inner", None).contains("doesn't run the proxies of shop/inner"));
        assert!(verdict(edge(), "edge-1", "bank/edge", None).contains("shop/edge, which doesn't run"));
        assert!(verdict(edge(), "edge-1", "shop/edge", Some(("shop", "own"))).contains("doesn't run"));
        assert!(verdict(edge(), "edge-1", "eg", None).contains("doesn't run"));
        assert!(verdict(edge(), "edge-2", "shop/edge", None).contains("is of pod edge-1"));
    }

    #[test]
    fn tokens_of_anybody_else_or_for_anybody_else_are_refused() {
        let account = "system:serviceaccount:shop:edge";
        assert!(verdict(answer(account, None, AUDIENCE), "edge-1", "shop/edge", None).contains("not bound to a pod"));
        assert!(verdict(answer(account, Some(""), AUDIENCE), "", "shop/edge", None).contains("not bound to a pod"));
        let elsewhere = answer(account, Some("edge-1"), "https://kubernetes.default.svc");
        assert!(verdict(elsewhere, "edge-1", "shop/edge", None).contains("it is not for envoy-gateway"));
        let person = answer("eve", Some("edge-1"), AUDIENCE);
        assert!(verdict(person, "edge-1", "shop/edge", None).contains("is of eve"));
        let mut forged = answer(account, Some("edge-1"), AUDIENCE);
        forged.authenticated = Some(false);
        assert!(verdict(forged, "edge-1", "shop/edge", None).contains("not valid"));
        assert!(verdict(TokenReviewStatus::default(), "edge-1", "shop/edge", None).contains("not valid"));
    }

    fn carrying(header: &str) -> MetadataMap {
        let mut metadata = MetadataMap::new();
        metadata.insert("authorization", header.parse().unwrap());
        metadata
    }

    #[tokio::test]
    async fn the_api_server_is_asked_once_for_a_while_and_its_silence_is_no_consent() {
        let asked = Arc::new(Mutex::new(0));
        let count = Arc::clone(&asked);
        let review = move |token: String| -> Answer<Result<Result<Bearer, Refusal>, String>> {
            *count.lock().unwrap() += 1;
            Box::pin(async move {
                match token.as_str() {
                    "good" => {
                        Ok(Ok(Bearer { namespace: "shop".into(), account: "edge".into(), pod: Some("edge-1".into()) }))
                    }
                    "forged" => Ok(Err(Refusal::Invalid("signature".into()))),
                    _ => Err("connection refused".to_owned()),
                }
            })
        };
        let authentication = Authentication::new(Arc::new(review), Arc::new(|_: &str| None));
        let node = node("edge-1", "shop/edge");
        for _ in 0..3 {
            authentication.check(&carrying("Bearer good"), &node).await.unwrap();
        }
        assert_eq!(*asked.lock().unwrap(), 1);
        for (header, code) in [
            ("Bearer forged", tonic::Code::Unauthenticated),
            ("Bearer other", tonic::Code::Unavailable),
            ("Basic good", tonic::Code::Unauthenticated),
            ("Bearer ", tonic::Code::Unauthenticated),
        ] {
            let status = authentication.check(&carrying(header), &node).await.unwrap_err();
            assert_eq!(status.code(), code, "{header}: {status}");
        }
        assert!(authentication.check(&MetadataMap::new(), &node).await.is_err());
    }
}

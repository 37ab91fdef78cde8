//! Who a caller is, proven in one of the two ways the API server itself knows its users by: a client certificate, whose
//! key never leaves its owner, or a token, which the API server is asked about.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use k8s_openapi::api::authentication::v1::{TokenReview, TokenReviewSpec, TokenReviewStatus, UserInfo};
use kube::api::{ObjectMeta, PostParams};
use kube::{Api, Client};
use tokio_rustls::rustls::pki_types::CertificateDer;
use tonic::metadata::MetadataMap;
use tonic::{Extensions, Status};
use x509_parser::prelude::{FromDer as _, X509Certificate};

use super::rights::{Right, Rights};
use crate::tls::connection::Peer;

/// How long an answer about a token counts.
const REMEMBERED: Duration = Duration::from_secs(10);

/// The most answers that are kept; beyond it the API server is asked each time.
const REMEMBERED_AT_MOST: usize = 1024;

/// How long the API server may take.
const REVIEW_LIMIT: Duration = Duration::from_secs(5);

/// The group of everybody who is known.
const AUTHENTICATED: &str = "system:authenticated";

/// The group of nobody in particular.
const UNAUTHENTICATED: &str = "system:unauthenticated";

/// What the user name of a service account begins with.
const ACCOUNT: &str = "system:serviceaccount:";

/// The header with the user a caller acts as, and the one with each of its groups, as the API server calls them.
const IMPERSONATE: (&str, &str) = ("impersonate-user", "impersonate-group");

/// Somebody the API server knows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Caller {
    /// The user name.
    pub user: String,
    /// What tells them from an earlier user of that name; may be empty.
    pub uid: String,
    /// The groups.
    pub groups: Vec<String>,
    /// What else is known of them, for authorizers that want it.
    pub extra: Vec<(String, Vec<String>)>,
}

/// Finds out who calls.
#[derive(Clone)]
pub struct Callers {
    client: Client,
    remembered: Arc<Mutex<HashMap<String, (Instant, Caller)>>>,
}

impl std::fmt::Debug for Callers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Callers").finish_non_exhaustive()
    }
}

impl Callers {
    /// Asks the API server of `client` about tokens.
    #[must_use]
    pub fn new(client: Client) -> Self {
        Self { client, remembered: Arc::default() }
    }

    /// Who sent a request, and as whom they act.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` when nothing proves it, `PERMISSION_DENIED` when they may not act as that.
    pub async fn identify(
        &self,
        metadata: &MetadataMap,
        extensions: &Extensions,
        rights: &Rights,
    ) -> Result<Caller, Status> {
        let certificate = extensions.get::<Peer>().and_then(|peer| peer.certificate.as_ref());
        let caller = match (certificate, token(metadata)) {
            (Some(certificate), _) => by_certificate(certificate).map_err(Status::unauthenticated)?,
            (None, Some(token)) => self.by_token(token).await?,
            (None, None) => {
                return Err(Status::unauthenticated(
                    "nothing proves who you are: neither a client certificate of this cluster nor a token",
                ));
            }
        };
        let Some((acted, needed)) = acts_as(metadata)? else { return Ok(caller) };
        for right in needed {
            if !rights.has(&caller, &right).await? {
                return Err(Status::permission_denied(format!("{} may not {right}", caller.user)));
            }
        }
        Ok(acted)
    }

    async fn by_token(&self, token: &str) -> Result<Caller, Status> {
        if let Some(caller) = self.remembered(token) {
            return Ok(caller);
        }
        let spec = TokenReviewSpec { token: Some(token.to_owned()), audiences: None };
        let review = TokenReview { metadata: ObjectMeta::default(), spec, status: None };
        let reviews: Api<TokenReview> = Api::all(self.client.clone());
        let params = PostParams::default();
        let unknown = |why: String| {
            Status::unavailable(format!("your token can't be checked, since the API server can't be asked: {why}"))
        };
        let answer = match tokio::time::timeout(REVIEW_LIMIT, reviews.create(&params, &review)).await {
            Ok(answer) => answer.map_err(|error| unknown(error.to_string()))?,
            Err(_) => return Err(unknown(format!("it didn't answer within {} s", REVIEW_LIMIT.as_secs()))),
        };
        let caller = reviewed(answer.status).map_err(Status::unauthenticated)?;
        let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        remembered.retain(|_, (at, _)| at.elapsed() < REMEMBERED);
        if remembered.len() < REMEMBERED_AT_MOST {
            remembered.insert(token.to_owned(), (Instant::now(), caller.clone()));
        }
        Ok(caller)
    }

    fn remembered(&self, token: &str) -> Option<Caller> {
        let remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        remembered.get(token).filter(|(at, _)| at.elapsed() < REMEMBERED).map(|(_, caller)| caller.clone())
    }
}

/// Who the API server says a token belongs to.
fn reviewed(status: Option<TokenReviewStatus>) -> Result<Caller, String> {
    let TokenReviewStatus { authenticated, error, user, audiences: _ } = status.unwrap_or_default();
    if let Some(error) = error.filter(|error| !error.is_empty()) {
        return Err(format!("the API server refuses your token: {error}"));
    }
    let UserInfo { username, uid, groups, extra } = user.unwrap_or_default();
    match username.filter(|name| authenticated == Some(true) && !name.is_empty()) {
        Some(user) => Ok(Caller {
            user,
            uid: uid.unwrap_or_default(),
            groups: groups.unwrap_or_default(),
            extra: extra.unwrap_or_default().into_iter().collect(),
        }),
        None => Err("the API server doesn't accept your token".to_owned()),
    }
}

/// Who a certificate is made out to, as the API server reads it: the common name is the user, organizations are groups.
fn by_certificate(certificate: &CertificateDer<'_>) -> Result<Caller, String> {
    let (_, parsed) = X509Certificate::from_der(certificate)
        .map_err(|error| format!("your client certificate can't be read: {error}"))?;
    let subject = parsed.subject();
    let user = subject.iter_common_name().next().and_then(|name| name.as_str().ok()).unwrap_or_default();
    if user.is_empty() {
        return Err("your client certificate names no user: its subject has no common name".to_owned());
    }
    let organizations = subject.iter_organization().filter_map(|name| name.as_str().ok());
    let groups = organizations.chain([AUTHENTICATED]).map(str::to_owned);
    Ok(Caller { user: user.to_owned(), groups: groups.collect(), ..Caller::default() })
}

/// The token of a request.
fn token(metadata: &MetadataMap) -> Option<&str> {
    let (scheme, token) = metadata.get("authorization")?.to_str().ok()?.split_once(' ')?;
    (scheme.eq_ignore_ascii_case("bearer") && !token.trim().is_empty()).then(|| token.trim())
}

/// As whom a caller acts, and the rights that needs; as the API server does it for `kubectl --as`.
fn acts_as(metadata: &MetadataMap) -> Result<Option<(Caller, Vec<Right>)>, Status> {
    let unreadable = || Status::invalid_argument("the user or group to act as is not plain text");
    let read = |header: &str| {
        let values = metadata.get_all(header).iter();
        values.map(|value| value.to_str().map(str::to_owned).map_err(|_| unreadable())).collect::<Result<Vec<_>, _>>()
    };
    let groups = read(IMPERSONATE.1)?;
    let Some(user) = read(IMPERSONATE.0)?.into_iter().next() else {
        return if groups.is_empty() {
            Ok(None)
        } else {
            Err(Status::invalid_argument("a group to act as needs a user to act as"))
        };
    };
    let right = |resource, namespace: &str, name: &str| Right {
        verb: "impersonate",
        group: "",
        resource,
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    };
    let account = user.strip_prefix(ACCOUNT).and_then(|account| account.split_once(':'));
    let mut needed = vec![match account {
        Some((namespace, name)) => right("serviceaccounts", namespace, name),
        None => right("users", "", &user),
    }];
    needed.extend(groups.iter().map(|group| right("groups", "", group)));
    let mut all = groups;
    if let (Some((namespace, _)), true) = (account, all.is_empty()) {
        all.extend(["system:serviceaccounts".to_owned(), format!("system:serviceaccounts:{namespace}")]);
    }
    if user != "system:anonymous" && !all.iter().any(|group| group == AUTHENTICATED || group == UNAUTHENTICATED) {
        all.push(AUTHENTICATED.to_owned());
    }
    Ok(Some((Caller { user, groups: all, ..Caller::default() }, needed)))
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair};

    use super::*;

    fn certificate(parts: &[(DnType, &str)]) -> CertificateDer<'static> {
        let mut params = CertificateParams::default();
        params.distinguished_name = DistinguishedName::new();
        for (kind, value) in parts {
            params.distinguished_name.push(kind.clone(), *value);
        }
        params.self_signed(&KeyPair::generate().unwrap()).unwrap().der().clone()
    }

    #[test]
    fn a_certificate_says_user_and_groups() {
        let admin =
            certificate(&[(DnType::OrganizationName, "system:masters"), (DnType::CommonName, "kubernetes-admin")]);
        let caller = by_certificate(&admin).unwrap();
        assert_eq!(caller.user, "kubernetes-admin");
        assert_eq!(caller.groups, ["system:masters", AUTHENTICATED]);
        assert!(
            by_certificate(&certificate(&[(DnType::OrganizationName, "o")])).unwrap_err().contains("no common name")
        );
    }

    #[test]
    fn a_token_counts_only_when_the_api_server_says_so() {
        let known = UserInfo { username: Some("eve".into()), ..UserInfo::default() };
        let status = |authenticated, error: Option<&str>| {
            let error = error.map(str::to_owned);
            Some(TokenReviewStatus { authenticated, error, user: Some(known.clone()), audiences: None })
        };
        assert_eq!(reviewed(status(Some(true), None)).unwrap().user, "eve");
        assert!(reviewed(status(Some(false), None)).is_err());
        assert!(reviewed(status(None, None)).is_err());
        assert!(reviewed(status(Some(true), Some("expired"))).unwrap_err().contains("expired"));
        assert!(reviewed(None).is_err());
    }

    fn metadata(headers: &[(&'static str, &str)]) -> MetadataMap {
        let mut metadata = MetadataMap::new();
        for (name, value) in headers {
            metadata.append(*name, value.parse().unwrap());
        }
        metadata
    }

    #[test]
    fn acting_as_others_needs_a_right_for_each_of_them() {
        assert_eq!(acts_as(&metadata(&[])).unwrap(), None);
        let (caller, needed) = acts_as(&metadata(&[
            ("impersonate-user", "eve"),
            ("impersonate-group", "shop"),
            ("impersonate-group", "bank"),
        ]))
        .unwrap()
        .unwrap();
        assert_eq!((caller.user.as_str(), caller.groups.len()), ("eve", 3));
        let told: Vec<String> = needed.iter().map(|right| format!("{} {}", right.resource, right.name)).collect();
        assert_eq!(told, ["users eve", "groups shop", "groups bank"]);
        let (account, needed) =
            acts_as(&metadata(&[("impersonate-user", "system:serviceaccount:shop:deployer")])).unwrap().unwrap();
        assert!(account.groups.contains(&"system:serviceaccounts:shop".to_owned()));
        assert_eq!((needed[0].resource, needed[0].namespace.as_str()), ("serviceaccounts", "shop"));
        assert!(acts_as(&metadata(&[("impersonate-group", "system:masters")])).is_err());
    }
}

//! How to reach the agent of a cluster with nothing but a kubeconfig: a tunnel through the API server, and TLS inside it
//! that ends in the agent.
//!
//! The tunnel goes through the API server's proxy of the agent's Service, which everybody may use who may ask at all,
//! or where that isn't possible through a forwarded port of its pod. Inside, the agent proves itself with a certificate
//! of the authority in the ConfigMap [`AUTHORITY`]; only then is it told who asks: by the client certificate of the
//! kubeconfig, whose key stays here, or by its token.

use std::sync::Arc;

use gateway_shared::install::{AUTHORITY_CONFIG_MAP, AUTHORITY_KEY};
use hyper::header::{AUTHORIZATION, CONNECTION, HeaderValue, UPGRADE};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::ListParams;
use kube::client::{Body, ConfigExt as _};
use kube::{Api, Config};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::client::ResolvesClientCert;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::version::TLS13;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tonic::metadata::{MetadataMap, MetadataValue};
use tower::{Layer as _, ServiceExt as _};

use crate::cluster::{Cluster, causes, refused};
use crate::exit::{Exit, Failure};

/// The agent's Service, its port, and the name in its certificate.
const SERVICE: &str = "envoy-gateway";
/// The name of the API's port in the Service, and its number in the pod.
const PORT: (&str, u16) = ("api", 19010);
/// The protocol the agent upgrades an HTTP connection to.
const PROTOCOL: &str = "gateway-agent";
/// The pods of the agent.
const PODS: &str = "control-plane=envoy-gateway";
/// The ConfigMap with the agent's authority, and its key.
const AUTHORITY: (&str, &str) = (AUTHORITY_CONFIG_MAP, AUTHORITY_KEY);

/// Bytes in both directions.
pub trait Bidirectional: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Bidirectional for S {}

/// A connection that ends in the agent.
pub type Tunnel = TlsStream<Box<dyn Bidirectional>>;

/// A tunnel to the agent in `namespace`, and what has to go with each question so that it knows who asks.
///
/// # Errors
/// When there is no agent, it can't be reached, or what answers isn't the agent.
pub async fn open(cluster: &Cluster, namespace: &str) -> Result<(Tunnel, MetadataMap), Failure> {
    let authority = authority(cluster, namespace).await?;
    let stream = match by_proxy(cluster, namespace).await {
        Ok(stream) => stream,
        Err(first) => {
            by_port_forward(cluster, namespace).await.map_err(|second| unreachable(namespace, &first, &second))?
        }
    };
    let certificate = client_certificate(&cluster.config)?;
    let identity = identity(&cluster.config, certificate.is_some()).await?;
    let tunnel = encrypt(stream, &authority, certificate).await?;
    Ok((tunnel, identity))
}

/// The authority that signed the agent's certificate.
async fn authority(cluster: &Cluster, namespace: &str) -> Result<String, Failure> {
    let maps: Api<ConfigMap> = Api::namespaced(cluster.client.clone(), namespace);
    let what = format!("read the ConfigMap {} in namespace {namespace}", AUTHORITY.0);
    match maps.get_opt(AUTHORITY.0).await {
        Ok(Some(map)) => map.data.unwrap_or_default().remove(AUTHORITY.1).ok_or_else(|| {
            Failure::new(
                Exit::Undetermined,
                format!("the ConfigMap {namespace}/{} has no {}", AUTHORITY.0, AUTHORITY.1),
            )
            .hint("make it anew: kubectl gateway upgrade")
        }),
        Ok(None) => Err(Failure::new(Exit::Undetermined, format!("no agent is installed in namespace {namespace}"))
            .hint("install it: kubectl gateway install")
            .hint("or say in which namespace it is: --control-plane-namespace NAMESPACE")
            .hint("or ask files instead, without any agent: -f manifests/")),
        // Whoever may not act as somebody else hears that; it isn't the agent's doing.
        Err(error @ kube::Error::Api(_)) if cluster.config.auth_info.impersonate.is_none() => {
            Err(ask_for_rights(refused(&what, &error), namespace))
        }
        Err(error) => Err(refused(&what, &error)),
    }
}

fn ask_for_rights(failure: Failure, namespace: &str) -> Failure {
    failure.hint(format!(
        "`kubectl gateway install` lets every user ask the agent (Role envoy-gateway-ask in namespace {namespace}); ask \
         an administrator whether it is there"
    ))
}

/// A tunnel through the API server's proxy of the Service.
async fn by_proxy(cluster: &Cluster, namespace: &str) -> Result<Box<dyn Bidirectional>, String> {
    let url = format!("/api/v1/namespaces/{namespace}/services/{SERVICE}:{}/proxy/tunnel", PORT.0);
    let request = Request::get(url)
        .header(CONNECTION, "Upgrade")
        .header(UPGRADE, PROTOCOL)
        .body(Body::empty())
        .map_err(|error| error.to_string())?;
    let answer = cluster.client.send(request).await.map_err(|error| causes(&error))?;
    let status = answer.status();
    if status != StatusCode::SWITCHING_PROTOCOLS {
        let text = answer.into_body().collect_bytes().await.unwrap_or_default();
        let told: Option<serde_json::Value> = serde_json::from_slice(&text).ok();
        let message = told.as_ref().and_then(|told| told.get("message")?.as_str());
        return Err(message.map_or_else(|| format!("status {status}"), str::to_owned));
    }
    let upgraded = hyper::upgrade::on(answer).await.map_err(|error| error.to_string())?;
    Ok(Box::new(TokioIo::new(upgraded)))
}

/// A tunnel through a forwarded port of a pod.
async fn by_port_forward(cluster: &Cluster, namespace: &str) -> Result<Box<dyn Bidirectional>, String> {
    let pods: Api<Pod> = Api::namespaced(cluster.client.clone(), namespace);
    let found = pods.list(&ListParams::default().labels(PODS)).await.map_err(|error| causes(&error))?;
    let ready = found.items.iter().find(|pod| is_ready(pod));
    let Some(name) = ready.and_then(|pod| pod.metadata.name.as_deref()) else {
        return Err(match found.items.len() {
            0 => "there is no pod of it".to_owned(),
            some => format!("none of its {some} pods is ready"),
        });
    };
    let mut forwarded = pods.portforward(name, &[PORT.1]).await.map_err(|error| causes(&error))?;
    let stream = forwarded.take_stream(PORT.1).ok_or_else(|| "the port wasn't forwarded".to_owned())?;
    Ok(Box::new(stream))
}

fn is_ready(pod: &Pod) -> bool {
    let conditions = pod.status.iter().flat_map(|status| status.conditions.iter().flatten());
    let mut ready = conditions.filter(|condition| condition.type_ == "Ready");
    pod.metadata.deletion_timestamp.is_none() && ready.any(|condition| condition.status == "True")
}

fn unreachable(namespace: &str, by_proxy: &str, by_port_forward: &str) -> Failure {
    let failure = Failure::new(Exit::Undetermined, format!("the agent in namespace {namespace} can't be reached"))
        .hint(format!("through its Service: {by_proxy}"))
        .hint(format!("through its pod: {by_port_forward}"));
    if by_proxy.contains("forbidden") {
        return ask_for_rights(failure, namespace);
    }
    failure.hint(format!("how is it? kubectl get pods -n {namespace} -l {PODS}"))
}

/// The client certificate of the kubeconfig, if it has one (or its exec plugin gives one).
fn client_certificate(config: &Config) -> Result<Option<Arc<dyn ResolvesClientCert>>, Failure> {
    let made = config.rustls_client_config().map_err(|error| {
        Failure::new(Exit::BadInput, format!("the credentials of the kubeconfig can't be used: {}", causes(&error)))
    })?;
    Ok(Some(made.client_auth_cert_resolver).filter(|resolver| resolver.has_certs()))
}

/// What says who asks: the token, where no certificate does, and whom the user acts as.
async fn identity(config: &Config, has_certificate: bool) -> Result<MetadataMap, Failure> {
    let mut metadata = MetadataMap::new();
    let unreadable = |what: &str| Failure::new(Exit::BadInput, format!("{what} can't be sent: it is not plain text"));
    if !has_certificate && let Some(token) = authorization(config).await? {
        let token = token.to_str().ok().and_then(|token| token.parse::<MetadataValue<_>>().ok());
        let mut value = token.ok_or_else(|| unreadable("the token"))?;
        value.set_sensitive(true);
        metadata.insert("authorization", value);
    }
    let plain = |text: &String| -> Result<MetadataValue<_>, Failure> { text.parse().map_err(|_| unreadable(text)) };
    if let Some(user) = &config.auth_info.impersonate {
        metadata.insert("impersonate-user", plain(user)?);
        for group in config.auth_info.impersonate_groups.iter().flatten() {
            metadata.append("impersonate-group", plain(group)?);
        }
    }
    Ok(metadata)
}

/// The token the kubeconfig gives, from wherever it takes it: itself, a file, an exec plugin.
async fn authorization(config: &Config) -> Result<Option<HeaderValue>, Failure> {
    let failed =
        |why: String| Failure::new(Exit::Undetermined, format!("the kubeconfig's user can't be authenticated: {why}"));
    let Some(layer) = config.auth_layer().map_err(|error| failed(causes(&error)))? else { return Ok(None) };
    let read = tower::service_fn(|request: Request<Body>| {
        let header = request.headers().get(AUTHORIZATION).cloned();
        std::future::ready(Ok::<_, tower::BoxError>(Response::new(header)))
    });
    let answer = layer.layer(read).oneshot(Request::new(Body::empty())).await;
    let header = answer.map_err(|error| failed(error.to_string()))?.into_body();
    Ok(header.filter(|header| header.to_str().is_ok_and(|header| header.starts_with("Bearer "))))
}

/// TLS to the agent, which has to prove itself first.
async fn encrypt(
    stream: Box<dyn Bidirectional>,
    authority: &str,
    certificate: Option<Arc<dyn ResolvesClientCert>>,
) -> Result<Tunnel, Failure> {
    let refused = |why: String| {
        Failure::new(Exit::Undetermined, format!("what answers isn't the agent, or its certificate is wrong: {why}"))
            .hint("nothing about you was sent to it")
            .hint("look at the certificates: kubectl gateway upgrade makes those that are missing")
    };
    let mut roots = RootCertStore::empty();
    let known = CertificateDer::pem_slice_iter(authority.as_bytes()).filter_map(Result::ok);
    roots.add_parsable_certificates(known);
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[&TLS13])
        .map_err(|error| refused(error.to_string()))?
        .with_root_certificates(roots);
    let mut config = match certificate {
        Some(resolver) => builder.with_client_cert_resolver(resolver),
        None => builder.with_no_client_auth(),
    };
    config.alpn_protocols = vec![b"h2".to_vec()];
    let name = ServerName::try_from(SERVICE).map_err(|error| refused(error.to_string()))?;
    TlsConnector::from(Arc::new(config)).connect(name, stream).await.map_err(|error| refused(error.to_string()))
}

#[cfg(test)]
mod tests {
    use kube::config::{KubeConfigOptions, Kubeconfig};

    use super::*;

    async fn config(user: &str) -> Config {
        let text = format!(
            "{{apiVersion: v1, kind: Config, current-context: c, clusters: [{{name: k, cluster: {{server: 'https://k'}}}}], \
             contexts: [{{name: c, context: {{cluster: k, user: u}}}}], users: [{{name: u, user: {user}}}]}}"
        );
        let kubeconfig = Kubeconfig::from_yaml(&text).unwrap();
        Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.unwrap()
    }

    async fn sent(user: &str, has_certificate: bool) -> Vec<String> {
        let metadata = identity(&config(user).await, has_certificate).await.unwrap();
        let mut lines: Vec<String> = metadata.into_headers().iter().map(|(k, v)| format!("{k}: {v:?}")).collect();
        lines.sort();
        lines
    }

    #[tokio::test]
    async fn a_token_is_sent_only_where_nothing_else_says_who_asks() {
        assert_eq!(sent("{token: t}", false).await, ["authorization: Sensitive"]);
        assert_eq!(sent("{token: t}", true).await, [""; 0]);
        assert_eq!(sent("{username: u, password: p}", false).await, [""; 0], "a password is nobody else's business");
        let exec = "{exec: {apiVersion: client.authentication.k8s.io/v1, command: sh, interactiveMode: Never, args: [-c, \
                    'echo \"{\\\"kind\\\":\\\"ExecCredential\\\",\\\"status\\\":{\\\"token\\\":\\\"x\\\"}}\"']}}";
        assert_eq!(sent(exec, false).await.len(), 1);
    }

    #[tokio::test]
    async fn whom_one_acts_as_is_told() {
        let mut config = config("{}").await;
        config.auth_info.impersonate = Some("eve".to_owned());
        config.auth_info.impersonate_groups = Some(vec!["a".to_owned(), "b".to_owned()]);
        let metadata = identity(&config, true).await.unwrap();
        assert_eq!(metadata.get("impersonate-user").unwrap(), "eve");
        assert_eq!(metadata.get_all("impersonate-group").iter().count(), 2);
    }
}

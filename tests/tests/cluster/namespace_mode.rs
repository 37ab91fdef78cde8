//! Fleets beside their Gateways, whose proxies prove who they are by token.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context as _, bail, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use envoy_types::pb::envoy::config::core::v3::Node;
use envoy_types::pb::envoy::service::discovery::v3::DeltaDiscoveryRequest;
use envoy_types::pb::envoy::service::discovery::v3::aggregated_discovery_service_client::AggregatedDiscoveryServiceClient;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};

use crate::cluster::{CONTROL_PLANE, Cluster};

/// Who tokens of proxies are for.
const AUDIENCE: &str = "envoy-gateway.envoy-gateway-system.svc.cluster.local";

/// A fleet in its Gateway's namespace serves; who asks for its configuration with another token than its own is refused.
pub(crate) async fn a_forged_token_is_refused(cluster: Arc<Cluster>) -> anyhow::Result<()> {
    let namespace = "beside";
    cluster.install(&["--namespace-mode", "GatewayNamespace"]).await?;
    cluster.serving(namespace).await?;
    let labels = "gateway.envoyproxy.io/owning-gateway-name=edge";
    let pods = cluster.kubectl.list(&["pods", "-n", namespace, "-l", labels]).await?;
    let proxy = pods.first().context("no proxy runs beside its Gateway")?;
    let text = |at: &str| proxy.pointer(at).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (pod, account) = (text("/metadata/name"), text("/spec/serviceAccountName"));

    let channel = control_plane(&cluster).await?;
    let own = token(&cluster, namespace, &account, Some(&pod)).await?;
    let answer = asked(&channel, &pod, namespace, Some(&own)).await;
    ensure!(answer.is_ok(), "a proxy with its own token is refused: {answer:?}");

    let unbound = token(&cluster, namespace, &account, None).await?;
    let backends = cluster.kubectl.list(&["pods", "-n", namespace, "-l", "app=echo"]).await?;
    let backend =
        backends.first().and_then(|pod| pod.pointer("/metadata/name")?.as_str()).context("no backend runs")?;
    let foreign = token(&cluster, namespace, "default", Some(backend)).await?;
    let forged = forge(&own);
    for (what, token) in [
        ("no token", None),
        ("a forged token", Some(forged.as_str())),
        ("a token that is bound to no pod", Some(&unbound)),
        ("the token of another pod", Some(&foreign)),
    ] {
        match asked(&channel, &pod, namespace, token).await {
            Err(status) if matches!(status.code(), Code::Unauthenticated | Code::PermissionDenied) => {
                println!("  {what}: {}", status.message());
            }
            other => bail!("{what} got {other:?}"),
        }
    }
    // With the right token of the wrong fleet.
    let answer = asked(&channel, &pod, "quickstart", Some(&own)).await;
    ensure!(answer.is_err(), "a proxy got the configuration of another Gateway");
    cluster.forget(namespace).await?;
    cluster.install(&["--namespace-mode", "ControllerNamespace"]).await.map(drop)
}

/// A token of a service account as proxies have it, bound to a pod of it.
async fn token(cluster: &Cluster, namespace: &str, account: &str, pod: Option<&str>) -> anyhow::Result<String> {
    let audience = format!("--audience={AUDIENCE}");
    let mut words = vec!["create", "token", account, "-n", namespace, &audience];
    let bound = pod.map(|pod| format!("--bound-object-name={pod}"));
    if let Some(bound) = &bound {
        words.extend(["--bound-object-kind=Pod", bound.as_str()]);
    }
    Ok(cluster.kubectl.run(&words).await?.trim().to_owned())
}

/// The same token with another signature.
fn forge(token: &str) -> String {
    let (signed, signature) = token.rsplit_once('.').unwrap_or((token, ""));
    format!("{signed}.{}", signature.chars().rev().collect::<String>())
}

/// What the first answer to a proxy of the Gateway `NAMESPACE/edge` is.
async fn asked(channel: &Channel, pod: &str, namespace: &str, token: Option<&str>) -> Result<String, Status> {
    let node = Node { id: pod.to_owned(), cluster: format!("{namespace}/edge"), ..Node::default() };
    let type_url = "type.googleapis.com/envoy.config.cluster.v3.Cluster".to_owned();
    let first = DeltaDiscoveryRequest { node: Some(node), type_url, ..DeltaDiscoveryRequest::default() };
    // The stream stays open for the answer.
    let requests = tokio_stream::StreamExt::chain(tokio_stream::once(first), tokio_stream::pending());
    let mut request = Request::new(requests);
    if let Some(token) = token {
        let value = format!("Bearer {token}").parse().map_err(|_| Status::internal("no header"))?;
        request.metadata_mut().insert("authorization", value);
    }
    let mut client = AggregatedDiscoveryServiceClient::new(channel.clone()).max_decoding_message_size(64 << 20);
    let mut answers = client.delta_aggregated_resources(request).await?.into_inner();
    let answer = answers.message().await?.ok_or_else(|| Status::unavailable("the stream ended"))?;
    Ok(answer.type_url)
}

/// A connection to the control plane that trusts its authority.
async fn control_plane(cluster: &Cluster) -> anyhow::Result<Channel> {
    let service = cluster.kubectl.get(&["service", "envoy-gateway", "-n", CONTROL_PLANE]).await?;
    let address = service.pointer("/spec/clusterIP").and_then(Value::as_str).context("no address")?;
    let address = SocketAddr::new(address.parse()?, 18000);
    let secret = cluster.kubectl.get(&["secret", "envoy-gateway", "-n", CONTROL_PLANE]).await?;
    let authority = secret.pointer("/data/ca.crt").and_then(Value::as_str).context("no authority")?;
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&STANDARD.decode(authority)?) {
        roots.add(certificate?)?;
    }
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let connector = TlsConnector::from(Arc::new(config));
    let connect = tower::service_fn(move |_| {
        let connector = connector.clone();
        async move {
            let stream = TcpStream::connect(address).await?;
            let name = ServerName::try_from("envoy-gateway").map_err(std::io::Error::other)?;
            connector.connect(name, stream).await.map(TokioIo::new)
        }
    });
    Ok(Endpoint::from_static("http://envoy-gateway").connect_with_connector(connect).await?)
}

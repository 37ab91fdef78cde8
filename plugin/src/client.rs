//! How to ask an agent: at an address, or the one of a cluster.

use std::future::Future;

use gateway_shared::explain::question::Question;
use gateway_shared::explain::report::Report;
use gateway_shared::explain::status::StatusList;
use gateway_shared::proto::v1::agent_client::AgentClient;
use gateway_shared::proto::v1::{ExplainRequest, StatusRequest, Target, VersionRequest};
use hyper_util::rt::TokioIo;
use serde::de::DeserializeOwned;
use tonic::metadata::{KeyAndValueRef, MetadataMap};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};

use crate::args::source::{Agent, DEFAULT_AGENT};
use crate::cluster::{self, Cluster, causes};
use crate::exit::{Exit, Failure};
use crate::reach;

/// The most bytes of one answer: thousands of rows are a few MiB.
const ANSWER_LIMIT: usize = 256 << 20;

/// An agent that can be asked.
#[derive(Debug)]
pub struct Live<'a> {
    asked: &'a Agent,
    way: Way,
    namespace: String,
}

/// How an agent is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// At an address, as it is.
    Address(String),
    /// As the one that is installed in a namespace of the cluster.
    Cluster {
        /// The namespace.
        namespace: String,
    },
}

/// Sent with each question.
#[derive(Clone, Debug, Default)]
struct Identity(MetadataMap);

impl Interceptor for Identity {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        for entry in self.0.iter() {
            if let KeyAndValueRef::Ascii(key, value) = entry {
                request.metadata_mut().append(key, value.clone());
            }
        }
        Ok(request)
    }
}

type Client = AgentClient<InterceptedService<Channel, Identity>>;

impl<'a> Live<'a> {
    /// The agent that is meant.
    ///
    /// # Errors
    /// When it is one of a cluster, and the kubeconfig can't be used.
    pub fn new(asked: &'a Agent) -> Result<Self, Failure> {
        let way = way(asked, cluster::is_configured(&asked.connection));
        let namespace = match &way {
            Way::Address(_) => "default".to_owned(),
            Way::Cluster { namespace: _ } => {
                cluster::block_on(async { Ok(Cluster::connect(&asked.connection).await?.namespace) })?
            }
        };
        Ok(Self { asked, way, namespace })
    }

    /// How it is reached.
    #[must_use]
    pub const fn way(&self) -> &Way {
        &self.way
    }

    /// The namespace that is meant where none is named: the context's.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Asks it to explain objects.
    ///
    /// # Errors
    /// When it can't be reached, takes too long, refuses, or answers in a version we don't know.
    pub fn explain(&self, questions: &[Question]) -> Result<Vec<Report>, Failure> {
        let all = questions.iter().any(|question| question.all);
        let targets = questions.iter().map(|Question { kind, key, all: _ }| Target {
            kind: kind.kind().to_owned(),
            namespace: key.namespace.to_string(),
            name: Some(key.name.to_string()),
        });
        let request = ExplainRequest { targets: targets.collect(), all };
        let answer = self.ask(|mut client| async move { client.explain(request).await })?;
        answer.into_inner().reports.iter().map(|report| document(report)).collect()
    }

    /// Asks it for the rows of `request`.
    ///
    /// # Errors
    /// When it can't be reached, takes too long, refuses, or answers in a version we don't know.
    pub fn status(&self, request: StatusRequest) -> Result<StatusList, Failure> {
        let answer = self.ask(|mut client| async move { client.status(request).await })?;
        document(&answer.into_inner().list)
    }

    /// Asks it which version it is.
    ///
    /// # Errors
    /// When it can't be reached, takes too long or refuses.
    pub fn version(&self) -> Result<String, Failure> {
        let answer = self.ask(|mut client| async move { client.version(VersionRequest {}).await })?;
        Ok(answer.into_inner().version)
    }

    /// Connects, asks once, and waits for at most the time the user gives.
    fn ask<T, F, A>(&self, question: F) -> Result<T, Failure>
    where
        F: FnOnce(Client) -> A,
        A: Future<Output = Result<T, Status>>,
    {
        let limit = self.asked.connection.request_timeout;
        cluster::block_on(async {
            let asked = async {
                let client = self.connect().await?.max_decoding_message_size(ANSWER_LIMIT);
                question(client).await.map_err(|status| refused(&self.way, &status))
            };
            if limit.is_zero() {
                return asked.await;
            }
            tokio::time::timeout(limit, asked).await.unwrap_or_else(|_| {
                Err(Failure::new(Exit::TimedOut, format!("{} didn't answer within {limit:?}", self.way))
                    .hint("give it more time: --request-timeout=1m"))
            })
        })
    }

    async fn connect(&self) -> Result<Client, Failure> {
        let (channel, identity) = match &self.way {
            Way::Address(address) => (at(address).await?, MetadataMap::new()),
            Way::Cluster { namespace } => {
                let cluster = Cluster::connect(&self.asked.connection).await?;
                let (tunnel, identity) = reach::open(&cluster, namespace).await?;
                (inside(tunnel).await?, identity)
            }
        };
        Ok(AgentClient::with_interceptor(channel, Identity(identity)))
    }
}

impl std::fmt::Display for Way {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Address(address) => write!(f, "the agent at {address}"),
            Self::Cluster { namespace } => write!(f, "the agent in namespace {namespace}"),
        }
    }
}

/// Which agent is meant: one whose address is named, else the cluster's, else the one on this host.
fn way(asked: &Agent, cluster_is_configured: bool) -> Way {
    let Agent { agent, control_plane_namespace, connection: _ } = asked;
    match agent {
        Some(address) => Way::Address(address.clone()),
        None if cluster_is_configured => Way::Cluster { namespace: control_plane_namespace.clone() },
        None => Way::Address(DEFAULT_AGENT.to_owned()),
    }
}

/// A channel to an address, in plain text.
async fn at(address: &str) -> Result<Channel, Failure> {
    let url = if address.contains("://") { address.to_owned() } else { format!("http://{address}") };
    let endpoint = Endpoint::from_shared(url)
        .map_err(|_| Failure::new(Exit::Usage, format!("`{address}` is no address; write HOST:PORT")))?;
    endpoint.connect().await.map_err(|_| {
        Failure::new(Exit::Undetermined, format!("no agent answers at {address}"))
            .hint("start one: gateway-agent --config envoy-gateway.yaml")
            .hint("or say where it is: --agent HOST:PORT (or GATEWAY_AGENT), or a kubeconfig with --kubeconfig")
            .hint("or ask files instead, without any agent: -f manifests/")
    })
}

/// A channel inside a tunnel. When that ends, so does the channel.
async fn inside(tunnel: reach::Tunnel) -> Result<Channel, Failure> {
    let mut tunnel = Some(TokioIo::new(tunnel));
    let connector = tower::service_fn(move |_| {
        std::future::ready(tunnel.take().ok_or_else(|| std::io::Error::other("the tunnel to the agent has ended")))
    });
    Endpoint::from_static("http://envoy-gateway")
        .connect_with_connector(connector)
        .await
        .map_err(|error| Failure::new(Exit::Undetermined, format!("the agent doesn't answer: {}", causes(&error))))
}

/// The agent said no.
fn refused(way: &Way, status: &Status) -> Failure {
    let message = status.message();
    match status.code() {
        Code::InvalidArgument => Failure::new(Exit::Usage, message),
        Code::DeadlineExceeded => Failure::new(Exit::TimedOut, format!("{way}: {message}")),
        Code::PermissionDenied => Failure::new(Exit::Undetermined, format!("{way} refuses: {message}"))
            .hint("it answers about what you may read yourself: kubectl auth can-i shows that"),
        Code::Unauthenticated => Failure::new(Exit::Undetermined, format!("{way} doesn't know who you are: {message}"))
            .hint("log in again, or choose another user: --context, --user"),
        Code::Unimplemented => Failure::new(Exit::Undetermined, format!("{way} doesn't know this question"))
            .hint("it may be older than this program: compare with `kubectl gateway version`"),
        _ => Failure::new(Exit::Undetermined, format!("{way}: {message}")),
    }
}

/// An answer, in a version that is known here.
fn document<T: DeserializeOwned>(json: &[u8]) -> Result<T, Failure> {
    serde_json::from_slice(json).map_err(|error| {
        Failure::new(Exit::Undetermined, format!("the agent's answer can't be read: {error}"))
            .hint("agent and program may be of different age: compare with `kubectl gateway version`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_wins_over_the_cluster_and_the_cluster_over_this_host() {
        let asked = |agent: Option<&str>| Agent {
            agent: agent.map(str::to_owned),
            control_plane_namespace: "eg".to_owned(),
            ..Agent::default()
        };
        let there = Way::Address("10.0.0.1:1".to_owned());
        assert_eq!(way(&asked(Some("10.0.0.1:1")), true), there);
        assert_eq!(way(&asked(None), true), Way::Cluster { namespace: "eg".to_owned() });
        assert_eq!(way(&asked(None), false), Way::Address(DEFAULT_AGENT.to_owned()));
    }
}

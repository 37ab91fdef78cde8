//! How to reach an agent and ask it.

use std::future::Future;

use gateway_shared::explain::question::Question;
use gateway_shared::explain::report::Report;
use gateway_shared::explain::status::StatusList;
use gateway_shared::proto::v1::agent_client::AgentClient;
use gateway_shared::proto::v1::{ExplainRequest, StatusRequest, Target, VersionRequest};
use serde::de::DeserializeOwned;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};

use crate::args::source::{Agent, DEFAULT_AGENT};
use crate::exit::{Exit, Failure};

/// The most bytes of one answer: thousands of rows are a few MiB.
const ANSWER_LIMIT: usize = 256 << 20;

/// Asks the agent to explain objects.
///
/// # Errors
/// When it can't be reached, takes too long, refuses, or answers in a version we don't know.
pub fn explain(agent: &Agent, questions: &[Question]) -> Result<Vec<Report>, Failure> {
    let all = questions.iter().any(|question| question.all);
    let targets = questions.iter().map(|Question { kind, key, all: _ }| Target {
        kind: kind.kind().to_owned(),
        namespace: key.namespace.to_string(),
        name: Some(key.name.to_string()),
    });
    let request = ExplainRequest { targets: targets.collect(), all };
    let answer = ask(agent, |mut client| async move { client.explain(request).await })?;
    answer.into_inner().reports.iter().map(|report| document(report)).collect()
}

/// Asks the agent for the rows of `request`.
///
/// # Errors
/// When it can't be reached, takes too long, refuses, or answers in a version we don't know.
pub fn status(agent: &Agent, request: StatusRequest) -> Result<StatusList, Failure> {
    let answer = ask(agent, |mut client| async move { client.status(request).await })?;
    document(&answer.into_inner().list)
}

/// Asks the agent which version it is.
///
/// # Errors
/// When it can't be reached, takes too long or refuses.
pub fn version(agent: &Agent) -> Result<String, Failure> {
    let answer = ask(agent, |mut client| async move { client.version(VersionRequest {}).await })?;
    Ok(answer.into_inner().version)
}

/// Connects, asks once, and waits for at most the time the user gives.
fn ask<T, F, A>(agent: &Agent, question: F) -> Result<T, Failure>
where
    F: FnOnce(AgentClient<Channel>) -> A,
    A: Future<Output = Result<T, Status>>,
{
    let Agent { agent: address, control_plane_namespace: _, connection } = agent;
    let address = address.as_deref().unwrap_or(DEFAULT_AGENT);
    let request_timeout = connection.request_timeout;
    let url = if address.contains("://") { address.to_owned() } else { format!("http://{address}") };
    let endpoint = Endpoint::from_shared(url)
        .map_err(|_| Failure::new(Exit::Usage, format!("`{address}` is no address; write HOST:PORT")))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime
        .map_err(|error| Failure::new(Exit::Undetermined, format!("the network can't be used from here: {error}")))?;
    runtime.block_on(async {
        let asked = async {
            let channel = endpoint.connect().await.map_err(|_| unreachable(address))?;
            let client = AgentClient::new(channel).max_decoding_message_size(ANSWER_LIMIT);
            question(client).await.map_err(|status| refused(address, &status))
        };
        if request_timeout.is_zero() {
            return asked.await;
        }
        match tokio::time::timeout(request_timeout, asked).await {
            Ok(answer) => answer,
            Err(_) => Err(Failure::new(
                Exit::TimedOut,
                format!("the agent at {address} didn't answer within {request_timeout:?}"),
            )
            .hint("give it more time: --request-timeout=1m")),
        }
    })
}

/// Nobody listens there.
fn unreachable(address: &str) -> Failure {
    Failure::new(Exit::Undetermined, format!("no agent answers at {address}"))
        .hint("start one: gateway-agent --config envoy-gateway.yaml")
        .hint("or say where it is: --agent HOST:PORT (or GATEWAY_AGENT)")
        .hint("or ask files instead, without any agent: -f manifests/")
}

/// The agent said no.
fn refused(address: &str, status: &Status) -> Failure {
    match status.code() {
        Code::InvalidArgument => Failure::new(Exit::Usage, status.message()),
        Code::DeadlineExceeded => Failure::new(Exit::TimedOut, format!("the agent at {address}: {}", status.message())),
        Code::Unimplemented => {
            Failure::new(Exit::Undetermined, format!("what answers at {address} doesn't know this question"))
                .hint("it may be older than this program: compare with `kubectl gateway version`")
        }
        _ => Failure::new(Exit::Undetermined, format!("the agent at {address}: {}", status.message())),
    }
}

/// An answer, in a version that is known here.
fn document<T: DeserializeOwned>(json: &[u8]) -> Result<T, Failure> {
    serde_json::from_slice(json).map_err(|error| {
        Failure::new(Exit::Undetermined, format!("the agent's answer can't be read: {error}"))
            .hint("agent and program may be of different age: compare with `kubectl gateway version`")
    })
}

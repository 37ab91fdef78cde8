//! `version`: of this program, the agent and the cluster, and of what they are compatible with.

use serde::Serialize;

use crate::args::source::Agent;
use crate::args::version::Version;
use crate::client::{Live, Way};
use crate::cluster::{self, Cluster};
use crate::exit::{Exit, Failure, Outcome};
use crate::render::printer::Printer;

/// The versions, as `-o json` prints them.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Versions {
    client: &'static str,
    gateway_api: &'static str,
    envoy_gateway: &'static str,
    envoy: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kubernetes: Option<String>,
}

/// What could be found out about agent and cluster.
struct Asked {
    agent: Result<String, Failure>,
    kubernetes: Option<Result<String, Failure>>,
}

/// Prints the versions. That there is no agent, or none answers, is said and isn't a failure.
///
/// # Errors
/// When stdout can't be written.
pub fn run(asked: &Version, printer: &mut Printer<'_>) -> Outcome {
    let Version { client, agent, output } = asked;
    let found = if *client { None } else { ask(agent) };
    let (agent, kubernetes) = match found {
        None => (None, None),
        Some(Asked { agent, kubernetes }) => {
            (known("agent", agent, printer), kubernetes.and_then(|it| known("Kubernetes", it, printer)))
        }
    };
    let versions = Versions {
        client: env!("CARGO_PKG_VERSION"),
        gateway_api: "1.6.1",
        envoy_gateway: "1.9.0",
        envoy: "1.39.0",
        agent,
        kubernetes,
    };
    match output {
        Some(format) => printer.document(*format, &versions)?,
        None => printer.data(&lines(&versions))?,
    }
    Ok(Exit::Fine)
}

/// Asks who is meant; nobody where neither an address nor a cluster is.
fn ask(agent: &Agent) -> Option<Asked> {
    if agent.agent.is_none() && !cluster::is_configured(&agent.connection) {
        return None;
    }
    let live = match Live::new(agent) {
        Ok(live) => live,
        Err(failure) => return Some(Asked { agent: Err(failure), kubernetes: None }),
    };
    let kubernetes = matches!(live.way(), Way::Cluster { .. }).then(|| {
        cluster::block_on(async {
            let cluster = Cluster::connect(&agent.connection).await?;
            let info = cluster.ask("read the version of the API server", cluster.client.apiserver_version()).await?;
            Ok(info.git_version.trim_start_matches('v').to_owned())
        })
    });
    let answers = kubernetes.as_ref().is_none_or(Result::is_ok);
    let agent = if answers {
        live.version()
    } else {
        Err(Failure::new(Exit::Undetermined, "the API server behind which it is doesn't answer"))
    };
    Some(Asked { agent, kubernetes })
}

/// A version, or a note why it isn't known.
fn known(what: &str, version: Result<String, Failure>, printer: &mut Printer<'_>) -> Option<String> {
    match version {
        Ok(version) => Some(version),
        Err(failure) => {
            printer.note(&format!("{what}: unknown, because {failure}"));
            None
        }
    }
}

fn lines(versions: &Versions) -> String {
    let Versions { client, gateway_api, envoy_gateway, envoy, agent, kubernetes } = versions;
    let mut lines = format!("client         v{client}\n");
    for (what, version) in [("agent", agent), ("Kubernetes", kubernetes)] {
        if let Some(version) = version {
            lines.push_str(&format!("{what:<14} v{version}\n"));
        }
    }
    lines.push_str(&format!(
        "Gateway API    v{gateway_api}\n\
         compatible to  Envoy Gateway v{envoy_gateway}, Envoy v{envoy}\n"
    ));
    lines
}

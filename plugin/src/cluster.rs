//! How to reach a cluster: a kubeconfig, the flags on top of it, and the client they make.

use std::ffi::OsString;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kube::config::{KubeConfigOptions, Kubeconfig, KubeconfigError};
use kube::{Client, Config};

use crate::args::connection::Connection;
use crate::exit::{Exit, Failure};

/// The longest wait for the first byte of a connection to the API server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A cluster, as one user sees it.
#[derive(Clone)]
pub struct Cluster {
    /// The API server.
    pub client: Client,
    /// How it is reached, and who asks.
    pub config: Config,
    /// The namespace the context names, or `default`.
    pub namespace: String,
    /// How long one question may take; `None` for as long as it likes.
    pub request_timeout: Option<Duration>,
}

impl Cluster {
    /// The cluster that the kubeconfig and the flags mean. Asks nothing of it yet. Call it inside [`block_on`].
    ///
    /// # Errors
    /// When there is no kubeconfig, or it can't be used.
    pub async fn connect(connection: &Connection) -> Result<Self, Failure> {
        let config = configuration(connection, &Places::of_process()).await?;
        let client = Client::try_from(config.clone()).map_err(|error| unusable(&error.to_string()))?;
        let Connection { request_timeout, .. } = connection;
        let namespace = config.default_namespace.clone();
        let request_timeout = (!request_timeout.is_zero()).then_some(*request_timeout);
        Ok(Self { client, config, namespace, request_timeout })
    }

    /// The answer to one question of the API server, within the time the user gives.
    ///
    /// # Errors
    /// What the API server answered instead (see [`refused`]), or that it didn't in time.
    pub async fn ask<T>(
        &self,
        what: &str,
        question: impl Future<Output = Result<T, kube::Error>>,
    ) -> Result<T, Failure> {
        let answer = match self.request_timeout {
            None => question.await,
            Some(limit) => tokio::time::timeout(limit, question).await.map_err(|_| {
                Failure::new(Exit::TimedOut, format!("the API server didn't answer within {limit:?}: {what}"))
                    .hint("give it more time: --request-timeout=1m")
            })?,
        };
        answer.map_err(|error| refused(what, &error))
    }
}

/// Whether there is a cluster to ask when nobody says so: a kubeconfig in its usual places, or the pod we run in.
#[must_use]
pub fn is_configured(connection: &Connection) -> bool {
    connection.names_a_cluster() || Places::of_process().is_anywhere()
}

/// Runs what talks to a cluster.
///
/// # Errors
/// When the network can't be used from here, and what `work` fails with.
pub fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime
        .map_err(|error| Failure::new(Exit::Undetermined, format!("the network can't be used from here: {error}")))?
        .block_on(work)
}

/// The API server said no, or nothing: `what` says what it was asked for, such as `list pods in default`.
#[must_use]
pub fn refused(what: &str, error: &kube::Error) -> Failure {
    match error {
        kube::Error::Api(status) if status.code == 401 => {
            Failure::new(Exit::Undetermined, format!("the API server doesn't know who you are: {}", status.message))
                .hint("log in again, or choose another user: --context, --user")
        }
        kube::Error::Api(status) if status.code == 403 => {
            Failure::new(Exit::Undetermined, format!("you may not {what}: {}", status.message))
        }
        kube::Error::Api(status) => Failure::new(Exit::Undetermined, format!("can't {what}: {}", status.message)),
        other => Failure::new(Exit::Undetermined, format!("the API server can't be reached: {}", causes(other)))
            .hint("is it the right cluster? See `kubectl config get-contexts`; choose with --context"),
    }
}

/// An error and what caused it, in one line, nothing said twice.
#[must_use]
pub fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}

/// Where a kubeconfig may be when no flag names one.
#[derive(Clone, Debug, Default)]
struct Places {
    /// `KUBECONFIG`: a list of files.
    variable: Option<OsString>,
    /// `~/.kube/config`.
    home: Option<PathBuf>,
    /// Whether we run in a pod that has an account.
    in_pod: bool,
}

impl Places {
    fn of_process() -> Self {
        let home = std::env::home_dir().map(|home| home.join(".kube").join("config"));
        Self {
            variable: std::env::var_os("KUBECONFIG").filter(|list| !list.is_empty()),
            home,
            in_pod: std::env::var_os("KUBERNETES_SERVICE_HOST").is_some(),
        }
    }

    /// The files that are there. As kubectl does, names of `KUBECONFIG` behind which there is no file are passed over.
    fn files(&self) -> Vec<PathBuf> {
        match &self.variable {
            Some(list) => std::env::split_paths(list).filter(|path| path.is_file()).collect(),
            None => self.home.iter().filter(|path| path.is_file()).cloned().collect(),
        }
    }

    fn is_anywhere(&self) -> bool {
        self.in_pod || !self.files().is_empty()
    }
}

/// The configuration of the client.
async fn configuration(connection: &Connection, places: &Places) -> Result<Config, Failure> {
    let Connection { kubeconfig, context, cluster, user, as_user, as_group, request_timeout: _ } = connection;
    let files = kubeconfig.as_ref().map_or_else(|| places.files(), |path| vec![path.clone()]);
    let mut config = if files.is_empty() {
        if !places.in_pod {
            return Err(nowhere(places));
        }
        Config::incluster().map_err(|error| unusable(&error.to_string()))?
    } else {
        let read = read(&files)?;
        let options = KubeConfigOptions { context: context.clone(), cluster: cluster.clone(), user: user.clone() };
        let known: Vec<String> = read.contexts.iter().map(|context| context.name.clone()).collect();
        Config::from_custom_kubeconfig(read, &options).await.map_err(|error| misread(&error, &known))?
    };
    if let Some(as_user) = as_user {
        config.auth_info.impersonate = Some(as_user.clone());
        config.auth_info.impersonate_groups = (!as_group.is_empty()).then(|| as_group.clone());
    }
    config.connect_timeout = Some(CONNECT_TIMEOUT);
    Ok(config)
}

/// The files as one kubeconfig; the first to say something wins.
fn read(files: &[PathBuf]) -> Result<Kubeconfig, Failure> {
    files.iter().try_fold(Kubeconfig::default(), |merged, path| {
        let next = Kubeconfig::read_from(path).map_err(|error| unreadable(path, &error))?;
        merged.merge(next).map_err(|error| unreadable(path, &error))
    })
}

fn unreadable(path: &Path, error: &KubeconfigError) -> Failure {
    Failure::new(Exit::BadInput, format!("the kubeconfig {} can't be read: {}", path.display(), causes(error)))
}

fn unusable(why: &str) -> Failure {
    Failure::new(Exit::BadInput, format!("the kubeconfig can't be used: {why}"))
}

fn nowhere(places: &Places) -> Failure {
    let looked = match &places.variable {
        Some(list) => format!("KUBECONFIG names {}, and no such file is there", list.to_string_lossy()),
        None => "there is none in ~/.kube/config, and KUBECONFIG is not set".to_owned(),
    };
    Failure::new(Exit::Usage, format!("no kubeconfig: {looked}"))
        .hint("name one: --kubeconfig FILE")
        .hint("or ask files instead, without any cluster: -f manifests/")
}

fn misread(error: &KubeconfigError, known: &[String]) -> Failure {
    let contexts = || match known {
        [] => "the kubeconfig has no contexts".to_owned(),
        known => format!("contexts there are: {}", known.join(", ")),
    };
    match error {
        KubeconfigError::CurrentContextNotSet => Failure::new(Exit::Usage, "the kubeconfig has no current context")
            .hint(contexts())
            .hint("choose: --context"),
        KubeconfigError::LoadContext(name) => {
            Failure::new(Exit::Usage, format!("the kubeconfig has no context `{name}`")).hint(contexts())
        }
        KubeconfigError::LoadClusterOfContext(name) => {
            Failure::new(Exit::Usage, format!("the kubeconfig has no cluster `{name}`"))
        }
        other => unusable(&causes(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO_CONTEXTS: &str = "
apiVersion: v1
kind: Config
current-context: one
clusters: [{name: c, cluster: {server: 'https://one.example'}}, {name: d, cluster: {server: 'https://two.example'}}]
users: [{name: u, user: {token: t}}]
contexts:
- {name: one, context: {cluster: c, user: u, namespace: shop}}
- {name: two, context: {cluster: d, user: u}}
";

    fn places(text: &str) -> (tempfile::TempDir, Places) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config");
        std::fs::write(&path, text).unwrap();
        let list = std::env::join_paths([folder.path().join("absent"), path]).unwrap();
        (folder, Places { variable: Some(list), home: None, in_pod: false })
    }

    async fn told(connection: &Connection, places: &Places) -> String {
        match configuration(connection, places).await {
            Ok(Config { cluster_url, default_namespace, auth_info, .. }) => {
                format!("{cluster_url} {default_namespace} {:?}", auth_info.impersonate)
            }
            Err(Failure::Told { message, hints, .. }) => format!("{message}; {}", hints.join("; ")),
            Err(other) => other.to_string(),
        }
    }

    #[tokio::test]
    async fn flags_win_over_the_context_and_absent_files_are_passed_over() {
        let (_folder, places) = places(TWO_CONTEXTS);
        let plain = Connection::default();
        assert_eq!(told(&plain, &places).await, "https://one.example/ shop None");
        let other = Connection { context: Some("two".into()), as_user: Some("eve".into()), ..Connection::default() };
        assert_eq!(told(&other, &places).await, "https://two.example/ default Some(\"eve\")");
        let cluster = Connection { cluster: Some("d".into()), ..Connection::default() };
        assert_eq!(told(&cluster, &places).await, "https://two.example/ shop None");
    }

    #[tokio::test]
    async fn what_is_missing_is_named_with_what_there_is() {
        let (_folder, places) = places(TWO_CONTEXTS);
        let wrong = Connection { context: Some("three".into()), ..Connection::default() };
        let told = told(&wrong, &places).await;
        assert!(told.contains("no context `three`") && told.contains("one, two"), "{told}");
        let nowhere = configuration(&Connection::default(), &Places::default()).await.unwrap_err();
        assert!(nowhere.to_string().contains("no kubeconfig"), "{nowhere}");
    }
}

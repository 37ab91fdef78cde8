//! Which cluster is meant and as whom: the flags kubectl has for it.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

/// How to reach a cluster. What isn't said is as in kubectl: `KUBECONFIG`, then `~/.kube/config`, then the pod we run in.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
#[command(next_help_heading = "Cluster options")]
pub struct Connection {
    /// The kubeconfig file to use instead of KUBECONFIG and ~/.kube/config
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,

    /// The context of the kubeconfig
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,

    /// The cluster of the kubeconfig
    #[arg(long, value_name = "NAME")]
    pub cluster: Option<String>,

    /// The user of the kubeconfig
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,

    /// Act as this user, which needs the right to impersonate
    #[arg(long = "as", value_name = "USER")]
    pub as_user: Option<String>,

    /// Act as a member of this group; may be repeated
    #[arg(long = "as-group", value_name = "GROUP", requires = "as_user")]
    pub as_group: Vec<String>,

    /// How long one question may take to be answered: 5s, 1m; 0 for as long as it likes
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = duration)]
    pub request_timeout: Duration,
}

impl Default for Connection {
    fn default() -> Self {
        Self {
            kubeconfig: None,
            context: None,
            cluster: None,
            user: None,
            as_user: None,
            as_group: Vec::new(),
            request_timeout: Duration::from_secs(10),
        }
    }
}

impl Connection {
    /// Whether a flag says that a cluster is meant.
    #[must_use]
    pub const fn names_a_cluster(&self) -> bool {
        let Self { kubeconfig, context, cluster, user, as_user, as_group: _, request_timeout: _ } = self;
        kubeconfig.is_some() || context.is_some() || cluster.is_some() || user.is_some() || as_user.is_some()
    }
}

/// Reads a duration the way kubectl does: a number of seconds, or numbers with units.
///
/// # Errors
/// What can't be read, and how to write it.
pub fn duration(text: &str) -> Result<Duration, String> {
    if let Ok(seconds) = text.parse::<u64>() {
        return Ok(Duration::from_secs(seconds));
    }
    let parsed: gateway_shared::api::duration::Duration =
        text.parse().map_err(|_| format!("`{text}` is no duration; write it like 500ms, 5s or 1m"))?;
    u64::try_from(parsed.as_nanos()).map(Duration::from_nanos).map_err(|_| "a duration can't be negative".to_owned())
}

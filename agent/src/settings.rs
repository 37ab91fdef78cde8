//! What one agent runs with: the command line and the configuration file, made into one value.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use gateway_shared::api::envoy_gateway::{EnvoyGateway, EnvoyGatewayAdminAddress, EnvoyGatewayLogEncoder};
use gateway_shared::api::envoy_gateway_provider::{
    EnvoyGatewayHostInfrastructureProvider, InfrastructureProviderType, ProviderType, ResourceProviderType,
};
use gateway_shared::config::Config;
use gateway_shared::resources::decode::{self, DecodedConfig, Finding};

use crate::args::{Args, LogFormat};
use crate::cluster::ClusterSettings;

/// The image of the agent where its surroundings name none.
pub const DEFAULT_IMAGE: &str = concat!("ghcr.io/gateway-agent/gateway-agent:v", env!("CARGO_PKG_VERSION"));

/// The port of the xDS server, as in Envoy Gateway's Service.
const XDS_PORT: u16 = 18000;

/// The port of the API for the plugin.
const API_PORT: u16 = 19010;

/// Where the certificates of the control plane are mounted, as in Envoy Gateway's Deployment.
const CERTIFICATES: &str = "/certs";

/// The port metrics are served on unless something else is said.
const METRICS_PORT: u16 = 19001;

/// The port the kubelet asks for health, as in Envoy Gateway's Deployment.
const HEALTH_PORT: u16 = 8081;

/// What one agent runs with.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The files and folders objects are read from; none when they come from a cluster.
    pub files: Vec<PathBuf>,
    /// The cluster objects come from and fleets run in; `None` for files and this host.
    pub cluster: Option<ClusterSettings>,
    /// What translation needs to know.
    pub translation: Config,
    /// How Envoys run on this host; `None` when somebody else runs them.
    pub host: Option<HostSettings>,
    /// The directory of our certificates; `None` to speak plain text.
    pub certificates: Option<PathBuf>,
    /// Where the xDS server listens.
    pub xds_address: SocketAddr,
    /// The largest request the xDS server accepts, in bytes.
    pub xds_max_receive_bytes: Option<usize>,
    /// After what time the xDS server asks a connection to come again.
    pub xds_max_connection_age: Option<Duration>,
    /// Where the plugin's API listens.
    pub api_address: SocketAddr,
    /// Where health and log level are served.
    pub admin_address: SocketAddr,
    /// Where metrics are served; `None` when they are switched off.
    pub metrics_address: Option<SocketAddr>,
    /// Where the kubelet asks for health and readiness; `None` where nobody asks.
    pub health_address: Option<SocketAddr>,
    /// How much is logged.
    pub log_level: String,
    /// How it is written.
    pub log_format: LogFormat,
    /// What the configuration file says that nobody understands.
    pub warnings: Vec<Finding>,
}

/// How Envoys run on this host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostSettings {
    /// The directory of their files.
    pub state_dir: PathBuf,
    /// The Envoy program, if it was named.
    pub envoy_binary: Option<PathBuf>,
    /// How long an Envoy goes on without an agent.
    pub grace: Duration,
    /// How long open connections may last, unless an EnvoyProxy says otherwise.
    pub drain_timeout: Duration,
}

/// What the agent's surroundings say: the environment of its process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The user's home directory.
    pub home: Option<PathBuf>,
    /// The namespace of our pod.
    pub namespace: Option<String>,
    /// The cluster's DNS domain.
    pub dns_domain: Option<String>,
    /// The image of our container.
    pub image: String,
    /// The name of our pod.
    pub pod: String,
    /// Where certificates are mounted, if any are.
    pub certificates: Option<PathBuf>,
}

impl Surroundings {
    /// What the environment of this process says. The names are those Envoy Gateway's Deployment sets.
    #[must_use]
    pub fn of_process() -> Self {
        let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        Self {
            home: std::env::var_os("HOME").map(PathBuf::from),
            namespace: variable("ENVOY_GATEWAY_NAMESPACE"),
            dns_domain: variable("KUBERNETES_CLUSTER_DOMAIN"),
            image: variable("GATEWAY_AGENT_IMAGE").unwrap_or_else(|| DEFAULT_IMAGE.to_owned()),
            pod: variable("POD_NAME").or_else(|| variable("HOSTNAME")).unwrap_or_else(|| "gateway-agent".to_owned()),
            certificates: Some(PathBuf::from(CERTIFICATES)).filter(|directory| directory.join("tls.crt").exists()),
        }
    }
}

impl Settings {
    /// Reads the configuration file and puts the command line on top of it.
    ///
    /// # Errors
    /// When the file can't be read or asks for what this agent can't do.
    pub fn read(args: &Args, surroundings: &Surroundings) -> anyhow::Result<Self> {
        let name = args.config.display().to_string();
        let text = std::fs::read_to_string(&args.config)
            .with_context(|| format!("can't read the configuration file {name}"))?;
        let decoded = decode::config(&name, &text).map_err(|findings| {
            let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
            anyhow::anyhow!("the configuration file can't be used:\n  {}", lines.join("\n  "))
        })?;
        Self::new(args, decoded, surroundings).with_context(|| format!("the configuration file {name} can't be used"))
    }

    fn new(args: &Args, decoded: DecodedConfig, surroundings: &Surroundings) -> anyhow::Result<Self> {
        let DecodedConfig { config, extras, warnings } = decoded;
        let mut translation = Config::new(&config);
        if let Some(namespace) = surroundings.namespace.clone().or(extras.namespace) {
            translation.controller_namespace = namespace;
        }
        if let Some(domain) = surroundings.dns_domain.clone().or(extras.dns_domain) {
            translation.dns_domain = domain;
        }
        let cluster = runs_in_cluster(&config).then(|| ClusterSettings {
            file: Arc::new(config.clone()),
            controller_namespace: translation.controller_namespace.clone(),
            dns_domain: translation.dns_domain.clone(),
            image: surroundings.image.clone(),
            pod: surroundings.pod.clone(),
        });
        cluster.as_ref().map_or(Ok(()), ClusterSettings::check_election)?;
        let (files, host) = if cluster.is_some() { (Vec::new(), None) } else { providers(&config)? };
        let host =
            host.map(|host| host_settings(args, host.unwrap_or_default(), surroundings.home.as_deref())).transpose()?;
        let metrics_off = config
            .telemetry
            .as_ref()
            .and_then(|telemetry| telemetry.metrics.as_ref()?.prometheus.as_ref())
            .is_some_and(|prometheus| prometheus.disable);
        let xds = config.xds_server.clone().unwrap_or_default();
        let in_cluster = cluster.is_some();
        // In a pod others have to reach us; on one machine nobody else should.
        let here = |port| {
            let host = if in_cluster { Ipv4Addr::UNSPECIFIED } else { Ipv4Addr::LOCALHOST };
            SocketAddr::new(IpAddr::V4(host), port)
        };
        let mounted = surroundings.certificates.clone().filter(|_| in_cluster);
        let certificates = args.certs_dir.clone().or(mounted);
        let xds_address = args.xds_address.unwrap_or_else(|| here(XDS_PORT));
        let api_address = args.api_address.unwrap_or_else(|| here(API_PORT));
        if in_cluster && certificates.is_none() {
            refuse_plain_text(xds_address, "the xDS server", "--xds-address 127.0.0.1:18000")?;
            refuse_plain_text(api_address, "the API", "--api-address 127.0.0.1:19010")?;
        }
        if host.is_some() && certificates.is_some() {
            bail!("Envoys on this host speak plain text with the agent: leave out --certs-dir");
        }
        Ok(Self {
            files,
            cluster,
            translation,
            host,
            certificates,
            xds_address,
            xds_max_receive_bytes: xds
                .max_receive_message_size
                .as_ref()
                .map(|size| {
                    let bytes = size.value().and_then(|bytes| usize::try_from(bytes).ok());
                    bytes.with_context(|| format!("xdsServer.maxReceiveMessageSize {size} is not a number of bytes"))
                })
                .transpose()?,
            xds_max_connection_age: xds
                .max_connection_age
                .map(|age| {
                    let nanos = u64::try_from(age.as_nanos()).ok().filter(|nanos| *nanos > 0);
                    nanos.map(Duration::from_nanos).context("xdsServer.maxConnectionAge must be greater than zero")
                })
                .transpose()?,
            api_address,
            admin_address: match args.admin_address {
                Some(address) => address,
                None => admin_address(config.admin.as_ref().and_then(|admin| admin.address.as_ref()))?,
            },
            metrics_address: (!metrics_off).then_some(args.metrics_address.unwrap_or_else(|| here(METRICS_PORT))),
            health_address: args.health_address.or_else(|| in_cluster.then(|| here(HEALTH_PORT))),
            log_level: args.log_level.clone().unwrap_or_else(|| log_level(&config)),
            log_format: args.log_format.unwrap_or_else(|| log_format(&config)),
            warnings,
        })
    }

    /// What differs in `newer` and only takes effect after a restart, as people call it.
    #[must_use]
    pub fn fixed_differences(&self, newer: &Self) -> Vec<&'static str> {
        let Self {
            files: _,
            cluster,
            translation,
            host,
            certificates,
            xds_address,
            xds_max_receive_bytes,
            xds_max_connection_age,
            api_address,
            admin_address,
            metrics_address,
            health_address,
            log_level: _,
            log_format,
            warnings: _,
        } = self;
        [
            (*cluster != newer.cluster, "what the cluster is asked for"),
            (
                translation.running_on_host != newer.translation.running_on_host || *host != newer.host,
                "the infrastructure",
            ),
            (*certificates != newer.certificates, "where certificates are"),
            (*xds_address != newer.xds_address, "the address of the xDS server"),
            (
                *xds_max_receive_bytes != newer.xds_max_receive_bytes
                    || *xds_max_connection_age != newer.xds_max_connection_age,
                "the limits of the xDS server",
            ),
            (*api_address != newer.api_address, "the address of the API"),
            (*admin_address != newer.admin_address, "the admin address"),
            (*metrics_address != newer.metrics_address, "the metrics address"),
            (*health_address != newer.health_address, "the address of the health checks"),
            (*log_format != newer.log_format, "the form of the log"),
        ]
        .into_iter()
        .filter_map(|(differs, what)| differs.then_some(what))
        .collect()
    }
}

/// In a cluster nothing that matters is said to others in plain text.
fn refuse_plain_text(address: SocketAddr, what: &str, flag: &str) -> anyhow::Result<()> {
    if address.ip().is_loopback() {
        return Ok(());
    }
    bail!(
        "{what} would listen on {address} in plain text, since there are no certificates in {CERTIFICATES}: make them \
         with `gateway-agent certgen` and mount the Secret envoy-gateway there, name another directory with \
         --certs-dir, or stay on this machine with {flag}"
    )
}

/// Whether objects come from a cluster: what an empty file says, too.
fn runs_in_cluster(config: &EnvoyGateway) -> bool {
    config.provider.as_ref().is_none_or(|provider| provider.r#type == ProviderType::Kubernetes)
}

/// Where objects come from, and whether Envoys run here.
#[expect(clippy::option_option, reason = "whether this host runs Envoys, and whether it says anything about how")]
fn providers(
    config: &EnvoyGateway,
) -> anyhow::Result<(Vec<PathBuf>, Option<Option<EnvoyGatewayHostInfrastructureProvider>>)> {
    let custom = config
        .provider
        .as_ref()
        .filter(|provider| provider.r#type == ProviderType::Custom)
        .and_then(|provider| provider.custom.as_ref());
    let Some(custom) = custom else {
        bail!(
            "provider.custom is missing: name provider.custom.resource.type File and the manifests in \
             provider.custom.resource.file.paths"
        );
    };
    let files = match (custom.resource.r#type, &custom.resource.file) {
        (ResourceProviderType::File, Some(file)) if !file.paths.is_empty() => {
            file.paths.iter().map(PathBuf::from).collect()
        }
        (ResourceProviderType::File, _) => {
            bail!("provider.custom.resource.file.paths is empty: name the files and folders with the manifests")
        }
        (ResourceProviderType::Kubernetes, _) => {
            bail!("provider.custom.resource.type Kubernetes is not built yet: use File")
        }
    };
    let host = match &custom.infrastructure {
        None => None,
        Some(infrastructure) => match infrastructure.r#type {
            InfrastructureProviderType::Host => Some(infrastructure.host.clone()),
            InfrastructureProviderType::Remote => {
                bail!(
                    "provider.custom.infrastructure.type Remote is not built yet: use Host, or leave it out and run Envoy yourself"
                )
            }
        },
    };
    Ok((files, host))
}

fn host_settings(
    args: &Args,
    host: EnvoyGatewayHostInfrastructureProvider,
    home: Option<&Path>,
) -> anyhow::Result<HostSettings> {
    let EnvoyGatewayHostInfrastructureProvider { config_home: _, data_home: _, state_home, runtime_dir: _ } = host;
    let state_dir = match (&args.state_dir, state_home, home) {
        (Some(directory), _, _) => directory.clone(),
        (None, Some(directory), _) => PathBuf::from(directory),
        (None, None, Some(home)) => home.join(".local/state/envoy-gateway"),
        (None, None, None) => bail!("there is no home directory (HOME): name a directory with --state-dir"),
    };
    Ok(HostSettings {
        // Guards work in directories of their own, so that names have to be whole.
        state_dir: std::path::absolute(&state_dir)?,
        envoy_binary: args.envoy_binary.clone(),
        grace: args.orphan_grace,
        drain_timeout: args.drain_timeout.unwrap_or(Duration::from_mins(1)),
    })
}

fn admin_address(address: Option<&EnvoyGatewayAdminAddress>) -> anyhow::Result<SocketAddr> {
    let host = address.and_then(|address| address.host.as_deref()).filter(|host| !host.is_empty());
    let port = address.and_then(|address| address.port).filter(|port| *port != 0).unwrap_or(19000);
    let host: IpAddr = match host {
        None | Some("localhost") => IpAddr::V4(Ipv4Addr::LOCALHOST),
        Some(host) => host.parse().with_context(|| format!("admin.address.host {host} is not an IP address"))?,
    };
    let port = u16::try_from(port).with_context(|| format!("admin.address.port {port} is not a port"))?;
    Ok(SocketAddr::new(host, port))
}

/// The components Envoy Gateway's configuration knows, and which of our modules they are.
const COMPONENTS: &[(&str, &[&str])] = &[
    ("provider", &["gateway_agent::provider", "files"]),
    ("gateway-api", &["gateway_agent::translation"]),
    ("xds", &["gateway_agent::xds"]),
    ("xds-server", &["gateway_agent::xds"]),
    ("xds-translator", &["gateway_agent::translation"]),
    ("infrastructure", &["gateway_agent::infra", "envoy"]),
];

/// The log level of the configuration, as a filter.
fn log_level(config: &EnvoyGateway) -> String {
    let levels = config.logging.as_ref().map(|logging| &logging.level);
    let mut filter =
        levels.and_then(|levels| levels.get("default")).map_or_else(|| "info".to_owned(), ToString::to_string);
    for (component, modules) in COMPONENTS {
        if let Some(level) = levels.and_then(|levels| levels.get(*component)) {
            for module in *modules {
                filter.push_str(&format!(",{module}={level}"));
            }
        }
    }
    filter
}

fn log_format(config: &EnvoyGateway) -> LogFormat {
    match config.logging.as_ref().and_then(|logging| logging.encoder) {
        Some(EnvoyGatewayLogEncoder::Json) => LogFormat::Json,
        Some(EnvoyGatewayLogEncoder::Text) | None => LogFormat::Text,
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::Cli;

    const STANDALONE: &str = "
kind: EnvoyGateway
apiVersion: gateway.envoyproxy.io/v1alpha1
provider:
  type: Custom
  custom:
    resource: {type: File, file: {paths: [manifests]}}
    infrastructure: {type: Host, host: {stateHome: /var/lib/gateway}}
logging:
  level: {default: warn, xds: debug}
";

    fn settings(text: &str, arguments: &[&str]) -> anyhow::Result<Settings> {
        let args = Cli::parse_from(["gateway-agent", "--config", "c.yaml"].iter().chain(arguments)).agent.unwrap();
        Settings::new(
            &args,
            decode::config("c.yaml", text).unwrap(),
            &Surroundings {
                home: Some("/home/me".into()),
                certificates: Some("/certs".into()),
                ..Surroundings::default()
            },
        )
    }

    #[test]
    fn the_command_line_wins_over_the_file_and_the_file_over_defaults() {
        let from_file = settings(STANDALONE, &[]).unwrap();
        assert_eq!(from_file.host.as_ref().unwrap().state_dir, Path::new("/var/lib/gateway"));
        assert_eq!(from_file.log_level, "warn,gateway_agent::xds=debug");
        assert_eq!(from_file.admin_address, "127.0.0.1:19000".parse().unwrap());
        let both = settings(STANDALONE, &["--state-dir", "/elsewhere", "--log-level", "trace"]).unwrap();
        assert_eq!(both.host.as_ref().unwrap().state_dir, Path::new("/elsewhere"));
        assert_eq!(from_file.fixed_differences(&both), ["the infrastructure"]);
    }

    #[test]
    fn an_empty_file_means_a_cluster() {
        let cluster = settings("kind: EnvoyGateway\n", &[]).unwrap();
        assert!(cluster.cluster.is_some() && cluster.host.is_none());
        assert_eq!(cluster.xds_address, "0.0.0.0:18000".parse().unwrap());
        assert_eq!(cluster.certificates.as_deref(), Some(Path::new("/certs")));
        assert_eq!(cluster.health_address, Some("0.0.0.0:8081".parse().unwrap()));
        assert_eq!(cluster.metrics_address, Some("0.0.0.0:19001".parse().unwrap()));
        let standalone = settings(STANDALONE, &[]).unwrap();
        assert_eq!((standalone.health_address, standalone.certificates), (None, None));
        assert_eq!(standalone.xds_address, "127.0.0.1:18000".parse().unwrap());
        let error = settings("kind: EnvoyGateway\nprovider: {type: Custom}\n", &[]).unwrap_err().to_string();
        assert!(error.contains("provider.custom is missing"), "{error}");
    }

    #[test]
    fn an_election_that_lets_two_replicas_write_is_refused() {
        let elected = |said: &str| {
            let election = format!("leaderElection: {{{said}}}");
            let text = format!("kind: EnvoyGateway\nprovider: {{type: Kubernetes, kubernetes: {{{election}}}}}\n");
            settings(&text, &[]).map(|_| ()).map_err(|error| error.to_string())
        };
        let lease = elected("leaseDuration: 5s").unwrap_err();
        assert!(lease.contains("leaseDuration 5s must be longer than renewDeadline 10s"), "{lease}");
        elected("leaseDuration: 10900ms").unwrap_err();
        elected("leaseDuration: 10900ms, renewDeadline: 9500ms").unwrap();
        let retries = elected("renewDeadline: 6s, retryPeriod: 5s").unwrap_err();
        assert!(retries.contains("renewDeadline 6s must be longer than 1.2 times retryPeriod 5s"), "{retries}");
        elected("renewDeadline: 6001ms, retryPeriod: 5s").unwrap();
        elected("leaseDuration: 5s, disable: true").unwrap();
    }

    #[test]
    fn in_a_cluster_plain_text_stays_on_loopback() {
        let bare = |arguments: &[&str]| {
            let args = Cli::parse_from(["gateway-agent", "--config", "c.yaml"].iter().chain(arguments)).agent.unwrap();
            let decoded = decode::config("c.yaml", "kind: EnvoyGateway\n").unwrap();
            Settings::new(&args, decoded, &Surroundings::default()).map(|settings| settings.certificates)
        };
        let refused = bare(&[]).unwrap_err().to_string();
        assert!(refused.contains("0.0.0.0:18000 in plain text") && refused.contains("certgen"), "{refused}");
        let loopback = ["--xds-address", "127.0.0.1:18000", "--api-address", "127.0.0.1:19010"];
        assert_eq!(bare(&loopback).unwrap(), None);
        assert!(bare(&loopback[..2]).unwrap_err().to_string().contains("the API"));
    }
}

//! Secrets on foreign SDS servers: the reference, and the cluster the server is reached by.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use super::super::address::pipe;
use super::super::config_source::ads;
use super::super::pb::cluster::{Cluster, cluster};
use super::super::pb::core::{
    ApiConfigSource, ConfigSource, GrpcService, Http2ProtocolOptions, api_config_source::ApiType,
    config_source::ConfigSourceSpecifier, grpc_service,
};
use super::super::pb::endpoint::{
    ClusterLoadAssignment, Endpoint, LbEndpoint, LocalityLbEndpoints, lb_endpoint::HostIdentifier,
};
use super::super::pb::tls::SdsSecretConfig;
use super::super::problem::Invalid;
use super::super::values::seconds;
use crate::ir::{SdsConfig, TlsCaCertificate, TlsCertificate};

/// How much of the address is kept readable in the cluster's name.
const READABLE: usize = 48;
const CONNECT_SECONDS: i64 = 10;

/// A reference to the secret `name`, or to where a foreign server has it.
pub(in crate::xds) fn secret_reference(name: &str, foreign: Option<&SdsConfig>) -> SdsSecretConfig {
    let Some(foreign) = foreign else {
        return SdsSecretConfig { name: name.to_owned(), sds_config: Some(ads()) };
    };
    let service = GrpcService {
        target_specifier: Some(grpc_service::TargetSpecifier::EnvoyGrpc(grpc_service::EnvoyGrpc {
            cluster_name: cluster_name(&url(foreign)),
            ..grpc_service::EnvoyGrpc::default()
        })),
        ..GrpcService::default()
    };
    SdsSecretConfig {
        name: foreign.secret_name.clone(),
        sds_config: Some(ConfigSource {
            config_source_specifier: Some(ConfigSourceSpecifier::ApiConfigSource(ApiConfigSource {
                api_type: ApiType::Grpc.into(),
                grpc_services: vec![service],
                ..ApiConfigSource::default()
            })),
            ..ConfigSource::default()
        }),
    }
}

/// The servers that these certificates and this authority come from.
pub(in crate::xds) fn servers<'a>(
    certificates: &'a [TlsCertificate],
    authority: Option<&'a TlsCaCertificate>,
) -> impl Iterator<Item = String> + 'a {
    certificates
        .iter()
        .filter_map(|certificate| certificate.sds.as_ref())
        .chain(authority.and_then(|authority| authority.sds.as_ref()))
        .map(url)
        .filter(|url| !url.is_empty())
}

/// The cluster of the server at `url`, a Unix domain socket.
pub(in crate::xds) fn server_cluster(url: &str) -> Result<Cluster, Invalid> {
    let name = cluster_name(url);
    let endpoint = LbEndpoint {
        host_identifier: Some(HostIdentifier::Endpoint(Endpoint {
            address: Some(pipe(url.strip_prefix("unix://").unwrap_or(url))?),
            ..Endpoint::default()
        })),
        ..LbEndpoint::default()
    };
    #[expect(deprecated, reason = "the contents are Envoy Gateway's, which people patch")]
    Ok(Cluster {
        name: name.clone(),
        cluster_discovery_type: Some(cluster::ClusterDiscoveryType::Type(cluster::DiscoveryType::Static.into())),
        load_assignment: Some(ClusterLoadAssignment {
            cluster_name: name,
            endpoints: vec![LocalityLbEndpoints { lb_endpoints: vec![endpoint], ..LocalityLbEndpoints::default() }],
            ..ClusterLoadAssignment::default()
        }),
        connect_timeout: Some(seconds(CONNECT_SECONDS)),
        http2_protocol_options: Some(Http2ProtocolOptions::default()),
        ..Cluster::default()
    })
}

fn url(source: &SdsConfig) -> String {
    let SdsConfig { secret_name: _, scheme, address } = source;
    if scheme.is_empty() { address.clone() } else { format!("{scheme}://{address}") }
}

/// A readable name that is still unique: the end is a hash of the whole address.
fn cluster_name(url: &str) -> String {
    let address = url.strip_prefix("unix://").unwrap_or(url);
    let hash = Sha256::digest(address.as_bytes());
    let mut suffix = String::with_capacity(32);
    for byte in hash.iter().take(16) {
        let _ = write!(suffix, "{byte:02x}");
    }
    let flat = address.replace('/', "_");
    let mut readable = flat.trim_matches('_').to_owned();
    while readable.len() > READABLE {
        readable.pop();
    }
    if readable.is_empty() { format!("sds_{suffix}") } else { format!("sds_{readable}_{suffix}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cluster_name_is_readable_and_ends_in_a_hash_of_the_whole_address() {
        let name = cluster_name("unix:///var/run/secrets/workload-spiffe-uds/socket");
        assert!(name.starts_with("sds_var_run_secrets_workload-spiffe-uds_socket_"), "{name}");
        assert_eq!(name.len(), "sds_var_run_secrets_workload-spiffe-uds_socket_".len() + 32);
        assert_eq!(name, cluster_name("/var/run/secrets/workload-spiffe-uds/socket"));
    }
}

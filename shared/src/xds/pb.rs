//! Short names for the packages of Envoy's generated messages.

pub(crate) use envoy_types::pb::envoy::config::accesslog::v3 as accesslog;
pub(crate) use envoy_types::pb::envoy::config::cluster::v3 as cluster;
pub(crate) use envoy_types::pb::envoy::config::common::mutation_rules::v3 as mutation_rules;
pub(crate) use envoy_types::pb::envoy::config::core::v3 as core;
pub(crate) use envoy_types::pb::envoy::config::endpoint::v3 as endpoint;
pub(crate) use envoy_types::pb::envoy::config::listener::v3 as listener;
pub(crate) use envoy_types::pb::envoy::config::rbac::v3 as rbac;
pub(crate) use envoy_types::pb::envoy::config::route::v3 as route;
pub(crate) use envoy_types::pb::envoy::config::trace::v3 as trace;
pub(crate) use envoy_types::pb::envoy::extensions;
pub(crate) use envoy_types::pb::envoy::extensions::filters::network::http_connection_manager::v3 as hcm;
pub(crate) use envoy_types::pb::envoy::extensions::load_balancing_policies as lb;
pub(crate) use envoy_types::pb::envoy::extensions::transport_sockets::tls::v3 as tls;
pub(crate) use envoy_types::pb::envoy::r#type::matcher::v3 as matcher;
pub(crate) use envoy_types::pb::envoy::r#type::tracing::v3 as tracing;
pub(crate) use envoy_types::pb::envoy::r#type::v3 as types;
pub(crate) use envoy_types::pb::google::protobuf as wkt;
pub(crate) use envoy_types::pb::opentelemetry::proto::common::v1 as otlp;
pub(crate) use envoy_types::pb::xds as cncf;

//! gRPC-Web and statistics of gRPC methods. Only the listener a connection manager is made for decides about them.

use super::super::encode::pack;
use super::super::hcm::{HcmSource, Sharer};
use super::super::pb::extensions::filters::http::grpc_stats::v3::{
    FilterConfig, filter_config::PerMethodStatSpecifier,
};
use super::super::pb::extensions::filters::http::grpc_web::v3::GrpcWeb;
use super::super::pb::hcm::{HttpFilter, http_filter};
use super::super::pb::wkt::Any;
use super::super::problem::Invalid;
use super::super::values::boolean;
use crate::ir::GrpcSettings;

pub(super) fn web(source: &HcmSource<'_>, _: &Sharer<'_>) -> Result<Vec<HttpFilter>, Invalid> {
    let wanted = settings(source).and_then(|grpc| grpc.enable_grpc_web).unwrap_or_default();
    Ok(wanted.then(|| filter("envoy.filters.http.grpc_web", pack(&GrpcWeb {}))).into_iter().collect())
}

pub(super) fn stats(source: &HcmSource<'_>, _: &Sharer<'_>) -> Result<Vec<HttpFilter>, Invalid> {
    let wanted = settings(source).and_then(|grpc| grpc.enable_grpc_stats).unwrap_or_default();
    let config = || FilterConfig {
        emit_filter_state: true,
        per_method_stat_specifier: Some(PerMethodStatSpecifier::StatsForAllMethods(boolean(true))),
        ..FilterConfig::default()
    };
    Ok(wanted.then(|| filter("envoy.filters.http.grpc_stats", pack(&config()))).into_iter().collect())
}

fn settings<'a>(source: &HcmSource<'a>) -> Option<&'a GrpcSettings> {
    source.listener.grpc.as_ref()
}

fn filter(name: &str, config: Any) -> HttpFilter {
    HttpFilter {
        name: name.to_owned(),
        config_type: Some(http_filter::ConfigType::TypedConfig(config)),
        ..HttpFilter::default()
    }
}

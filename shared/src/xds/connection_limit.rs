//! How many connections a filter chain takes at once.

use super::filter_chain::network_filter;
use super::pb::extensions::filters::network::connection_limit::v3::ConnectionLimit as EnvoyConnectionLimit;
use super::pb::listener::Filter;
use super::pb::wkt::UInt64Value;
use super::values::duration;
use crate::ir::ClientConnection;

/// The filter, where there is a limit.
pub(super) fn connection_limit(stat_prefix: &str, connection: Option<&ClientConnection>) -> Option<Filter> {
    let limit = connection?.limit.as_ref()?;
    let value = limit.value?;
    Some(network_filter(
        "envoy.filters.network.connection_limit",
        &EnvoyConnectionLimit {
            stat_prefix: stat_prefix.to_owned(),
            max_connections: Some(UInt64Value { value }),
            delay: limit.close_delay.map(duration),
            ..EnvoyConnectionLimit::default()
        },
    ))
}

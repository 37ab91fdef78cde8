//! UDP listeners, each on a socket of its own.

use super::access_log::{Place, access_logs};
use super::cluster::{ClusterSource, Traffic, add_cluster};
use super::destination::{needs_own_cluster, single_cluster_name};
use super::empty_cluster;
use super::encode::pack;
use super::listener::{listener_address, listener_name};
use super::options::Options;
use super::pb::cncf::core::v3::TypedExtensionConfig;
use super::pb::cncf::r#type::matcher::v3::{Matcher, matcher};
use super::pb::core::socket_address::Protocol;
use super::pb::extensions::filters::udp::udp_proxy::v3::{Route, UdpProxyConfig, udp_proxy_config};
use super::pb::listener::{Listener, ListenerFilter, listener_filter};
use super::problem::{Invalid, Problem};
use super::resources::Resources;
use super::table::ResourceType;
use super::tcp::TcpContext;
use crate::ir::{UdpListener, UdpRoute};

/// Adds the listener, its cluster and endpoints.
pub(super) fn add_udp(
    source: &UdpListener,
    context: &TcpContext<'_>,
    options: &Options,
    resources: &mut Resources,
    problems: &mut Vec<Problem>,
) {
    let target = match source.route.as_ref().and_then(|route| route.destination.as_deref().map(|to| (route, to))) {
        Some((route, destination)) => {
            // The cluster's metadata is the destination's; UDP has no options but these.
            let UdpRoute { name, destination: _, load_balancer, dns } = route;
            let cluster = ClusterSource {
                traffic: Traffic { load_balancer: load_balancer.as_ref(), dns: dns.as_ref(), ..Traffic::default() },
                metrics: context.metrics,
                of_route: true,
                ..ClusterSource::of(destination)
            };
            if needs_own_cluster(destination)
                && let Err(invalid) = add_cluster(&cluster, resources)
            {
                problems.push(invalid.of(name));
            }
            single_cluster_name(destination).to_string()
        }
        None => {
            resources.cluster(&empty_cluster::cluster());
            empty_cluster::NAME.to_owned()
        }
    };
    match listener(source, target, context, options) {
        Ok(listener) => resources.add(ResourceType::Listener, &listener.name, &listener),
        Err(invalid) => problems.push(invalid.of(&source.core.name)),
    }
}

fn listener(
    source: &UdpListener,
    cluster: String,
    context: &TcpContext<'_>,
    options: &Options,
) -> Result<Listener, Invalid> {
    use udp_proxy_config::RouteSpecifier;
    let action = TypedExtensionConfig { name: "route".to_owned(), typed_config: Some(pack(&Route { cluster })) };
    let on_no_match =
        matcher::OnMatch { on_match: Some(matcher::on_match::OnMatch::Action(action)), ..matcher::OnMatch::default() };
    let proxy = UdpProxyConfig {
        stat_prefix: "service".to_owned(),
        access_log: access_logs(context.access_log, Place::Route)?,
        route_specifier: Some(RouteSpecifier::Matcher(Matcher {
            on_no_match: Some(Box::new(on_no_match)),
            ..Matcher::default()
        })),
        ..UdpProxyConfig::default()
    };
    Ok(Listener {
        name: listener_name(&source.core, Protocol::Udp, options),
        access_log: access_logs(context.access_log, Place::Listener)?,
        address: Some(listener_address(&source.core, Protocol::Udp)?),
        listener_filters: vec![ListenerFilter {
            name: "envoy.filters.udp_listener.udp_proxy".to_owned(),
            config_type: Some(listener_filter::ConfigType::TypedConfig(pack(&proxy))),
            ..ListenerFilter::default()
        }],
        ..Listener::default()
    })
}

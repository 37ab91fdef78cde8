//! The Service in front of a fleet as a destination: Envoy finds out its own zone by it.

use std::sync::Arc;

use super::fleets::FleetPlan;
use super::infra;
use super::service_setting::{self, RouteTo};
use super::view::View;
use crate::api::envoy_proxy::RoutingType;
use crate::api::gateway::Gateway;
use crate::ir::destination::{DestinationSetting, RouteDestination};

/// The destination; none while there is no such Service, or it has no endpoints yet.
pub(super) fn destination(view: &View<'_>, plan: &FleetPlan, gateway: &Gateway) -> Option<RouteDestination> {
    let labels = infra::owner_labels(plan, gateway);
    let service = view.service_by_labels(&infra::namespace(view, gateway), &labels)?;
    let port = service.spec.ports.as_deref().and_then(<[_]>::first)?;
    let by_service =
        plan.class.envoy_proxy.as_ref().is_some_and(|it| it.spec.routing_type == Some(RoutingType::Service));
    let to = if by_service { RouteTo::Service } else { RouteTo::Endpoints };
    let setting = service_setting::setting(view, service, port, to).ok()?;
    let setting = DestinationSetting { name: Arc::clone(&plan.ir_key), ..setting };
    Some(RouteDestination {
        name: Arc::clone(&plan.ir_key),
        metadata: setting.metadata.clone(),
        settings: vec![setting],
        ..RouteDestination::default()
    })
}

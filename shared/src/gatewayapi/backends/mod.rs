//! From a backendRef to a destination setting: what is behind the reference, and why it can't be used where it can't.

pub mod address_types;
pub mod app_protocol;
pub mod backend;
pub mod client_certificate;
pub mod endpoints;
pub mod filters;
pub mod ip_family;
pub mod prefer_local;
pub mod references;
pub mod service;
pub mod service_import;
pub mod tls;
pub mod validity;

use std::sync::Arc;

use crate::api::http_route::HttpBackendRef;
use crate::api::http_route_rule_filter::HttpRouteRuleFilter;
use crate::api::references::{BackendObjectReference, BackendRef};
use crate::gatewayapi::decision::RouteFault;
use crate::gatewayapi::routes::scope::Scope;
use crate::ir::destination::DestinationSetting;
use references::BackendKind;

/// A backendRef, wherever it stands.
#[derive(Clone, Copy, Debug)]
pub struct Target<'t> {
    /// API group; none is the core group.
    pub group: Option<&'t str>,
    /// Kind; none is Service.
    pub kind: Option<&'t str>,
    /// Name.
    pub name: &'t str,
    /// Namespace; none is the route's.
    pub namespace: Option<&'t str>,
    /// Port.
    pub port: Option<i32>,
    /// Share of the traffic; 1 if not said.
    pub weight: Option<i32>,
    /// Filters of this reference alone.
    pub filters: &'t [HttpRouteRuleFilter],
}

impl<'t> From<&'t HttpBackendRef> for Target<'t> {
    fn from(reference: &'t HttpBackendRef) -> Self {
        let HttpBackendRef { group, kind, name, namespace, port, weight, filters } = reference;
        Self {
            group: group.as_deref(),
            kind: kind.as_deref(),
            name,
            namespace: namespace.as_deref(),
            port: *port,
            weight: *weight,
            filters,
        }
    }
}

impl<'t> From<&'t BackendObjectReference> for Target<'t> {
    fn from(reference: &'t BackendObjectReference) -> Self {
        let BackendObjectReference { group, kind, name, namespace, port } = reference;
        Self {
            group: group.as_deref(),
            kind: kind.as_deref(),
            name,
            namespace: namespace.as_deref(),
            port: *port,
            weight: None,
            filters: &[],
        }
    }
}

impl<'t> From<&'t BackendRef> for Target<'t> {
    fn from(reference: &'t BackendRef) -> Self {
        let BackendRef { group, kind, name, namespace, port, weight } = reference;
        Self {
            group: group.as_deref(),
            kind: kind.as_deref(),
            name,
            namespace: namespace.as_deref(),
            port: *port,
            weight: *weight,
            filters: &[],
        }
    }
}

/// What a backendRef became.
#[derive(Clone, Debug, PartialEq)]
pub struct Destination {
    /// The setting; name and weight alone where there is a fault.
    pub setting: DestinationSetting,
    /// Why there is nothing behind the reference. The path begins at the reference.
    pub fault: Option<RouteFault>,
}

/// The setting `name` for a backendRef. A reference with weight 0 is checked, and what is behind it isn't looked at.
#[must_use]
pub fn destination(scope: &Scope<'_, '_>, target: &Target<'_>, name: Arc<str>) -> Destination {
    let weight = target.weight.map_or(1, |weight| u32::try_from(weight).unwrap_or(0));
    let bare = DestinationSetting { name, weight: Some(weight), ..DestinationSetting::default() };
    let found = references::resolve(scope, target)
        .and_then(|kind| if weight == 0 { Ok(None) } else { setting(scope, target, kind).map(Some) });
    match found {
        Ok(Some(setting)) => {
            Destination { setting: DestinationSetting { name: bare.name, weight: bare.weight, ..setting }, fault: None }
        }
        Ok(None) => Destination { setting: bare, fault: None },
        Err(fault) => Destination { setting: bare, fault: Some(fault) },
    }
}

/// What is behind the reference, without name and weight.
fn setting(
    scope: &Scope<'_, '_>,
    target: &Target<'_>,
    kind: BackendKind<'_>,
) -> Result<DestinationSetting, RouteFault> {
    let tls = match kind {
        BackendKind::Backend(backend) => tls::tls(scope, backend)?,
        BackendKind::Service(..) | BackendKind::ServiceImport(..) => None,
    };
    let setting = match kind {
        BackendKind::Service(service, port) => service::setting(scope, service, port)?,
        BackendKind::ServiceImport(import, port) => service_import::setting(scope, import, port)?,
        BackendKind::Backend(backend) => backend::setting(backend)?,
    };
    let setting = app_protocol::below_http(scope.kind, setting);
    let filters = filters::filters(scope, target.filters)?;
    Ok(DestinationSetting { tls: tls.map(Box::new), filters: filters.map(Box::new), ..setting })
}

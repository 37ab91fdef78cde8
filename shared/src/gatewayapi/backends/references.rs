//! Whether a backendRef leads to something that can be a backend: filters, group, kind, ReferenceGrant, port, object.

use std::sync::Arc;

use k8s_openapi::api::core::v1::ServicePort;

use crate::api::backend::Backend;
use crate::api::metadata::{Object, ObjectKey};
use crate::api::service::Service;
use crate::api::service_import::{ServiceImport, ServiceImportPort};
use crate::diagnostic::FieldPath;
use crate::gatewayapi::attachment::kinds::ROUTE_GROUP;
use crate::gatewayapi::backends::{Target, filters, validity};
use crate::gatewayapi::decision::RouteFault;
use crate::gatewayapi::reference_grants::{ReferenceFrom, ReferenceTo, permitted};
use crate::gatewayapi::routes::outcome::reason;
use crate::gatewayapi::routes::scope::Scope;

/// What a backendRef leads to, with the port it asks for.
#[derive(Clone, Copy, Debug)]
pub enum BackendKind<'a> {
    /// A Service and one of its ports, of the route's transport.
    Service(&'a Arc<Service>, &'a ServicePort),
    /// A ServiceImport and one of its ports, of the route's transport.
    ServiceImport(&'a Arc<ServiceImport>, &'a ServiceImportPort),
    /// A Backend, which has its ports itself.
    Backend(&'a Arc<Backend>),
}

/// The object behind a backendRef.
///
/// # Errors
/// The first check that fails, in Envoy Gateway's order. The path begins at the reference.
pub fn resolve<'a>(scope: &Scope<'_, 'a>, target: &Target<'_>) -> Result<BackendKind<'a>, RouteFault> {
    let extension = is_of_extension(scope, target);
    if !extension {
        filters::check_kinds(scope, target.filters)?;
        check_group(target)?;
        check_kind(target)?;
    }
    let namespace = target.namespace.filter(|name| !name.is_empty()).unwrap_or(&scope.route.namespace);
    let kind = kind(target);
    let key = ObjectKey::new(namespace, target.name);
    check_grant(scope, target, kind, namespace)?;
    if extension {
        return Err(not_found(kind, &key));
    }
    if kind == Backend::KIND {
        return backend(scope, &key).map(BackendKind::Backend);
    }
    let Some(port) = target.port else {
        let message = format!("a reference to a {kind} needs the number of one of its ports");
        return Err(fault("port", reason::PORT_NOT_SPECIFIED, message));
    };
    if kind == ServiceImport::KIND { service_import(scope, &key, port) } else { service(scope, &key, port) }
}

fn kind<'t>(target: &Target<'t>) -> &'t str {
    target.kind.filter(|kind| !kind.is_empty()).unwrap_or(Service::KIND)
}

fn fault(field: &'static str, reason: &'static str, message: String) -> RouteFault {
    RouteFault::reference(FieldPath::field(field), reason, message)
}

fn not_found(kind: &str, key: &ObjectKey) -> RouteFault {
    fault("name", reason::BACKEND_NOT_FOUND, format!("there is no {kind} {key}: create it, or correct the reference"))
}

/// Whether an extension server answers for the kind.
fn is_of_extension(scope: &Scope<'_, '_>, target: &Target<'_>) -> bool {
    let group = target.group.unwrap_or_default();
    let kind = kind(target);
    scope
        .view
        .config()
        .extension_kinds
        .iter()
        .any(|(known_group, known_kind)| known_group == group && known_kind == kind)
}

fn check_group(target: &Target<'_>) -> Result<(), RouteFault> {
    match target.group {
        None | Some("") => Ok(()),
        Some(group) if group == ServiceImport::GROUP || group == Backend::GROUP => Ok(()),
        Some(group) => {
            let message = format!(
                "group {group:?} has no backends: leave it out for a Service, or use {} for a ServiceImport, {} for a Backend",
                ServiceImport::GROUP,
                Backend::GROUP
            );
            Err(fault("group", reason::INVALID_KIND, message))
        }
    }
}

fn check_kind(target: &Target<'_>) -> Result<(), RouteFault> {
    match target.kind {
        None => Ok(()),
        Some(kind) if [Service::KIND, ServiceImport::KIND, Backend::KIND].contains(&kind) => Ok(()),
        Some(kind) => {
            let message = format!("a {kind} can't be a backend, use a Service, a ServiceImport or a Backend");
            Err(fault("kind", reason::INVALID_KIND, message))
        }
    }
}

fn check_grant(scope: &Scope<'_, '_>, target: &Target<'_>, kind: &str, namespace: &str) -> Result<(), RouteFault> {
    let from = ReferenceFrom { group: ROUTE_GROUP, kind: scope.kind.kind(), namespace: &scope.route.namespace };
    let to = ReferenceTo { group: target.group.unwrap_or_default(), kind, namespace, name: target.name };
    if permitted(scope.view, from, to) {
        return Ok(());
    }
    let message = format!(
        "no ReferenceGrant in namespace {namespace} lets {}s of namespace {} refer to {kind} {}: create one there",
        scope.kind.kind(),
        scope.route.namespace,
        target.name
    );
    Err(fault("namespace", reason::REF_NOT_PERMITTED, message))
}

fn service<'a>(scope: &Scope<'_, 'a>, key: &ObjectKey, number: i32) -> Result<BackendKind<'a>, RouteFault> {
    let service = scope.view.service(key).ok_or_else(|| not_found(Service::KIND, key))?;
    if service.is_external_name() {
        let message = format!(
            "Service {key} is only a name for another host (type ExternalName), which can't be a backend: use a Backend with an fqdn endpoint"
        );
        return Err(fault("name", reason::UNSUPPORTED_VALUE, message));
    }
    let ports = service.spec.ports.as_deref().unwrap_or_default();
    let transport = scope.kind.transport();
    let port = ports.iter().find(|port| port.port == number && is_of(transport, port.protocol.as_deref()));
    match port {
        Some(port) => Ok(BackendKind::Service(service, port)),
        None => Err(no_such_port(Service::KIND, key, (transport, number), ports.iter().map(|port| port.port))),
    }
}

fn service_import<'a>(scope: &Scope<'_, 'a>, key: &ObjectKey, number: i32) -> Result<BackendKind<'a>, RouteFault> {
    let import = scope.view.service_import(key).ok_or_else(|| not_found(ServiceImport::KIND, key))?;
    let ports = &import.spec.ports;
    let transport = scope.kind.transport();
    match ports.iter().find(|port| port.port == number && is_of(transport, port.protocol.as_deref())) {
        Some(port) => Ok(BackendKind::ServiceImport(import, port)),
        None => Err(no_such_port(ServiceImport::KIND, key, (transport, number), ports.iter().map(|port| port.port))),
    }
}

/// A protocol that isn't said is TCP.
fn is_of(transport: &str, protocol: Option<&str>) -> bool {
    protocol.filter(|protocol| !protocol.is_empty()).unwrap_or("TCP") == transport
}

fn no_such_port(
    kind: &str,
    key: &ObjectKey,
    (transport, number): (&str, i32),
    ports: impl Iterator<Item = i32>,
) -> RouteFault {
    let ports = ports.map(|port| port.to_string()).collect::<Vec<_>>().join(", ");
    let message = format!("{kind} {key} has no {transport} port {number}; its ports are {ports}");
    fault("port", reason::PORT_NOT_FOUND, message)
}

fn backend<'a>(scope: &Scope<'_, 'a>, key: &ObjectKey) -> Result<&'a Arc<Backend>, RouteFault> {
    let config = scope.view.config();
    if !config.backend_enabled {
        let message = "Backends are switched off: set extensionApis.enableBackend in the configuration".to_owned();
        return Err(fault("kind", reason::UNSUPPORTED_VALUE, message));
    }
    let backend = scope.view.backend(key).ok_or_else(|| not_found(Backend::KIND, key))?;
    let invalid = |reason, words: String| fault("name", reason, format!("Backend {key} can't be used: {words}"));
    if let Some(diagnostic) = validity::fault(backend, config.running_on_host) {
        return Err(invalid(diagnostic.reason, diagnostic.to_string()));
    }
    if let Some(index) = backend.spec.endpoints.iter().position(|endpoint| endpoint.unix.is_some()) {
        let words = format!("spec.endpoints[{index}].unix: routes can't use Unix domain sockets");
        return Err(invalid(reason::UNSUPPORTED_ADDRESS_TYPE, words));
    }
    Ok(backend)
}

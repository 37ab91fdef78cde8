//! Where telemetry is sent: the backends a sink names, or the host and port it names instead.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use crate::api::backend::{Backend, BackendType};
use crate::api::cluster_settings::{ClusterSettings, EnvoyBackendRef};
use crate::api::envoy_proxy::{EnvoyProxy, RoutingType};
use crate::api::metadata::{Object, ObjectKey};
use crate::api::service::Service;
use crate::diagnostic::{Diagnostic, FieldPath};
use crate::gatewayapi::backends::{self, validity};
use crate::gatewayapi::classes::INVALID_PARAMETERS;
use crate::gatewayapi::decision::RouteKind;
use crate::gatewayapi::fleet::GatewayContext;
use crate::gatewayapi::member::Member;
use crate::gatewayapi::metadata::resource_metadata;
use crate::gatewayapi::routes::scope::Scope;
use crate::gatewayapi::service_setting::{self, RouteTo};
use crate::gatewayapi::view::View;
use crate::ir::destination::{
    AppProtocol, DestinationAddressType, DestinationEndpoint, DestinationSetting, RouteDestination,
};
use crate::ir::map_entry::MapEntry;
use crate::ir::tls::TlsUpstreamConfig;
use crate::ir::traffic::TrafficFeatures;

/// Finds the collectors of one EnvoyProxy.
#[derive(Debug)]
pub(super) struct Collectors<'p, 'a> {
    view: &'p View<'a>,
    proxy: &'p EnvoyProxy,
    key: ObjectKey,
    /// The Gateway, as far as TLS towards collectors depends on it.
    gateway: Arc<GatewayContext>,
}

/// A collector as a destination.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Collector {
    pub(super) destination: RouteDestination,
    pub(super) traffic: Option<Arc<TrafficFeatures>>,
    /// What it is called in requests to it; empty leaves that to Envoy.
    pub(super) authority: String,
    /// The name of its settings.
    setting_name: Arc<str>,
}

/// A collector by host and port.
#[derive(Clone, Copy, Debug)]
pub(super) struct Host<'h> {
    /// The address or domain name.
    pub(super) name: &'h str,
    /// The port.
    pub(super) port: i32,
}

/// A map as pairs, by key.
pub(super) fn entries(map: &BTreeMap<String, String>) -> Vec<MapEntry> {
    map.iter().map(|(key, value)| MapEntry { key: key.clone(), value: value.clone() }).collect()
}

impl<'p, 'a> Collectors<'p, 'a> {
    pub(super) fn new(view: &'p View<'a>, member: &Member, proxy: &'p EnvoyProxy) -> Self {
        Self { view, proxy, key: proxy.key(), gateway: Arc::new(member.without_listeners()) }
    }

    /// What TLS towards a collector depends on.
    fn scope(&self) -> Scope<'_, 'a> {
        Scope { view: self.view, kind: RouteKind::Http, route: &self.key, gateway: Some(&self.gateway) }
    }

    /// The EnvoyProxy.
    pub(super) const fn proxy(&self) -> &EnvoyProxy {
        self.proxy
    }

    /// The collector that `refs` lead to, as the destination `name`. It has no settings when there are no references.
    pub(super) fn collector(
        &self,
        name: &str,
        refs: &[EnvoyBackendRef],
        _settings: Option<&ClusterSettings>,
    ) -> Result<Collector, Diagnostic> {
        let setting_name: Arc<str> = Arc::from(format!("{name}/backend/-1"));
        let mut settings = Vec::new();
        for (index, reference) in refs.iter().enumerate() {
            let setting = self.setting(reference).map_err(|fault| {
                Diagnostic::new(FieldPath::root(), INVALID_PARAMETERS, fault).within_item("backendRefs", index)
            })?;
            settings.push(DestinationSetting { name: Arc::clone(&setting_name), ..setting });
        }
        let authority = settings.first().map(authority).unwrap_or_default();
        let destination = RouteDestination {
            name: Arc::from(name),
            settings,
            metadata: Some(Arc::new(resource_metadata(self.proxy, None))),
            ..RouteDestination::default()
        };
        Ok(Collector { destination, traffic: None, authority, setting_name })
    }

    /// What one reference leads to, or why it leads nowhere.
    fn setting(&self, reference: &EnvoyBackendRef) -> Result<DestinationSetting, String> {
        let namespace = reference.namespace.clone().unwrap_or_else(|| self.proxy.key().namespace.to_string());
        let key = ObjectKey::new(&namespace, &reference.name);
        match reference.kind.as_deref().unwrap_or(Service::KIND) {
            Service::KIND => self.service(&key, reference.port),
            Backend::KIND => self.backend(&key),
            other => Err(format!("a {other} can't take telemetry; use a Service or a Backend")),
        }
    }

    fn service(&self, key: &ObjectKey, port: Option<i32>) -> Result<DestinationSetting, String> {
        let service = self
            .view
            .service(key)
            .ok_or_else(|| format!("there is no Service {key}; create it or correct the reference"))?;
        if service.is_external_name() {
            return Err(format!(
                "Service {key} is only a name for another host (type ExternalName); use a Backend with an fqdn endpoint"
            ));
        }
        let ports = service.spec.ports.as_deref().unwrap_or_default();
        let port = ports
            .iter()
            .find(|it| Some(it.port) == port && it.protocol.as_deref().is_none_or(|protocol| protocol == "TCP"))
            .ok_or_else(|| match port {
                Some(port) => format!("Service {key} has no TCP port {port}"),
                None => format!("a reference to Service {key} needs the number of one of its ports"),
            })?;
        let to = match self.proxy.spec.routing_type {
            Some(RoutingType::Service) => RouteTo::Service,
            Some(RoutingType::Endpoint) | None => RouteTo::Endpoints,
        };
        service_setting::setting(self.view, service, port, to)
    }

    fn backend(&self, key: &ObjectKey) -> Result<DestinationSetting, String> {
        if !self.view.config().backend_enabled {
            return Err(
                "Backends are off; set extensionApis.enableBackend in the EnvoyGateway configuration".to_owned()
            );
        }
        let backend = self
            .view
            .backend(key)
            .ok_or_else(|| format!("there is no Backend {key}; create it or correct the reference"))?;
        let unfit = |words: String| format!("Backend {key} can't be used: {words}");
        if let Some(fault) = validity::fault(backend, self.view.config().running_on_host) {
            return Err(unfit(fault.to_string()));
        }
        if backend.spec.r#type == Some(BackendType::DynamicResolver) {
            return Err(unfit("it is found by the host of a request, and telemetry has none".to_owned()));
        }
        let setting = backends::backend::setting(backend).map_err(|fault| unfit(fault.diagnostic.message))?;
        let tls = backends::tls::tls(&self.scope(), backend).map_err(|fault| unfit(fault.diagnostic.message))?;
        Ok(DestinationSetting {
            protocol: setting.protocol.map(service_setting::or_tcp),
            tls: tls.map(|tls| Box::new(named(tls, backend))),
            ..setting
        })
    }
}

/// TLS with the name to ask for: a request says none, so that of the only endpoint is taken.
fn named(tls: TlsUpstreamConfig, backend: &Backend) -> TlsUpstreamConfig {
    let only = match backend.spec.endpoints.as_slice() {
        [endpoint] => endpoint.fqdn.as_ref().map(|name| name.hostname.clone()),
        _ => None,
    };
    TlsUpstreamConfig { sni: tls.sni.clone().or(only), ..tls }
}

impl Collector {
    /// The collector, spoken to in gRPC.
    pub(super) fn over_grpc(mut self) -> Self {
        for setting in &mut self.destination.settings {
            setting.protocol = Some(AppProtocol::Grpc);
        }
        self
    }

    /// The collector, at `host` when no references lead to it.
    pub(super) fn or_host(mut self, host: Host<'_>) -> Self {
        if self.destination.settings.is_empty() {
            let is_address = host.name.parse::<IpAddr>().is_ok();
            let endpoint = DestinationEndpoint {
                host: host.name.to_owned(),
                port: u32::try_from(host.port).unwrap_or_default(),
                ..DestinationEndpoint::default()
            };
            self.destination.settings.push(DestinationSetting {
                name: Arc::clone(&self.setting_name),
                weight: Some(1),
                protocol: Some(AppProtocol::Grpc),
                address_type: Some(if is_address { DestinationAddressType::Ip } else { DestinationAddressType::Fqdn }),
                endpoints: vec![endpoint],
                ..DestinationSetting::default()
            });
            self.authority = host.name.to_owned();
        }
        self
    }
}

/// What a collector is called in requests: by its TLS name, its domain name, or the Service or Backend it is.
fn authority(setting: &DestinationSetting) -> String {
    if let Some(sni) = setting.tls.as_ref().and_then(|tls| tls.sni.clone()) {
        return sni;
    }
    let Some(endpoint) = setting.endpoints.first() else { return String::new() };
    if endpoint.host.parse::<IpAddr>().is_err() {
        return endpoint.host.clone();
    }
    match setting.metadata.as_deref() {
        Some(it) if it.name.is_empty() => String::new(),
        Some(it) if it.namespace.is_empty() => it.name.clone(),
        Some(it) if it.kind == Service::KIND => format!("{}.{}.svc", it.name, it.namespace),
        Some(it) => format!("{}.{}", it.name, it.namespace),
        None => String::new(),
    }
}

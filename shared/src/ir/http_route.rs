//! One routing rule of an HTTP listener, matched and acted on as a whole.

use crate::api::duration::Duration;
use crate::diagnostic::Diagnostic;
use crate::ir::credential_injection::CredentialInjection;
use crate::ir::custom_response::CustomResponse;
use crate::ir::destination::RouteDestination;
use crate::ir::extension_ref::UnstructuredRef;
use crate::ir::extensions::EnvoyExtensionFeatures;
use crate::ir::header::AddHeader;
use crate::ir::header::validate_added;
use crate::ir::header::validate_removed;
use crate::ir::metadata::ResourceMetadata;
use crate::ir::mirror::MirrorPolicy;
use crate::ir::redirect::Redirect;
use crate::ir::security::SecurityFeatures;
use crate::ir::security::cors::Cors;
use crate::ir::session_persistence::SessionPersistence;
use crate::ir::string_match::StringMatch;
use crate::ir::traffic::TrafficFeatures;
use crate::ir::traffic::retry::Retry;
use crate::ir::url_rewrite::UrlRewrite;
use crate::ir::validation::fault;
use crate::ir::validation::within;
use crate::ir::validation::within_item;
use serde::Deserialize;
use serde::Serialize;
use std::sync::Arc;

/// One match of one rule on one hostname. Rare and big members are boxed: thousands of these are alive at once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpRoute {
    /// Unique in its listener; also the name of the Envoy route.
    #[serde(default)]
    pub name: Arc<str>,
    /// The name its statistics go by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stat_name: Option<Arc<str>>,
    /// The hostname it is for; `*` stands for all.
    #[serde(default)]
    pub hostname: Arc<str>,
    /// Whether its upstreams speak HTTP/2 (gRPC routes).
    #[serde(rename = "isHTTP2", default)]
    pub is_http2: bool,
    /// What the path must be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_match: Option<StringMatch>,
    /// What headers must be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub header_matches: Vec<StringMatch>,
    /// What query parameters must be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub query_param_matches: Vec<StringMatch>,
    /// What cookies must be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cookie_matches: Vec<StringMatch>,
    /// Headers to add or set on requests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add_request_headers: Vec<AddHeader>,
    /// Headers to remove from requests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remove_request_headers: Vec<String>,
    /// Headers to add or set on responses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add_response_headers: Vec<AddHeader>,
    /// Headers to remove from responses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remove_response_headers: Vec<String>,
    /// A response Envoy gives itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direct_response: Option<Box<CustomResponse>>,
    /// A redirect Envoy gives itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect: Option<Box<Redirect>>,
    /// Where copies of requests go.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mirrors: Vec<MirrorPolicy>,
    /// Where requests go; shared by the matches of a rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination: Option<Arc<RouteDestination>>,
    /// How host and path change on the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url_rewrite: Option<Box<UrlRewrite>>,
    /// A credential to add to requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential_injection: Option<Box<CredentialInjection>>,
    /// Objects for an extension server.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extension_refs: Vec<UnstructuredRef>,
    /// Policies for an extension server.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extension_server_policies: Vec<UnstructuredRef>,
    /// What traffic policies say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic: Option<Arc<TrafficFeatures>>,
    /// What security policies say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub security: Option<Arc<SecurityFeatures>>,
    /// What extension policies say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub envoy_extensions: Option<Arc<EnvoyExtensionFeatures>>,
    /// Whether upstreams are spoken to in the client's protocol.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub use_client_protocol: Option<bool>,
    /// The object it was made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Arc<ResourceMetadata>>,
    /// How a client stays with its endpoint; from the route itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_persistence: Option<Box<SessionPersistence>>,
    /// How long the whole response may take; from the route itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Duration>,
    /// When to try again; from the route itself, before `traffic.retry`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<Box<Retry>>,
    /// Cross-origin rules; from the route itself, before `security.cors`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cors: Option<Box<Cors>>,
}

impl HttpRoute {
    /// When to try again: what the route itself says, or else its traffic policy.
    #[must_use]
    pub fn effective_retry(&self) -> Option<&Retry> {
        self.retry.as_deref().or_else(|| self.traffic.as_ref()?.retry.as_deref())
    }

    /// Whether each backend needs a cluster of its own: for weights by zone, to answer for unusable backends by their
    /// share, or because the backends are too different.
    #[must_use]
    pub fn needs_cluster_per_setting(&self) -> bool {
        let load_balancer = self.traffic.as_ref().and_then(|traffic| traffic.cluster.load_balancer.as_ref());
        if load_balancer.is_some_and(|it| it.prefer_local.is_some() || !it.weighted_zones.is_empty()) {
            return true;
        }
        self.destination.as_ref().is_some_and(|destination| {
            destination.backend_weights().unavailable() > 0 || destination.needs_cluster_per_setting()
        })
    }

    /// Whether the upstream is resolved from the request's host.
    #[must_use]
    pub fn is_dynamic_resolver(&self) -> bool {
        self.destination.as_deref().is_some_and(RouteDestination::is_dynamic_resolver)
    }

    /// Faults of the route and all it holds.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        if self.name.is_empty() {
            faults.push(fault("name", "the route has no name"));
        }
        if self.hostname.is_empty() {
            faults.push(fault("hostname", "the route has no hostname; * stands for all"));
        }
        if let Some(path) = &self.path_match {
            faults.extend(within("pathMatch", path.validate()));
        }
        for (field, matches) in [
            ("headerMatches", &self.header_matches),
            ("queryParamMatches", &self.query_param_matches),
            ("cookieMatches", &self.cookie_matches),
        ] {
            for (index, comparison) in matches.iter().enumerate() {
                faults.extend(within_item(field, index, comparison.validate()));
            }
        }
        if let Some(destination) = &self.destination {
            faults.extend(within("destination", destination.validate()));
        }
        if let Some(redirect) = &self.redirect {
            faults.extend(within("redirect", redirect.validate()));
        }
        if let Some(response) = &self.direct_response {
            faults.extend(within("directResponse", response.validate()));
        }
        if let Some(credential) = &self.credential_injection {
            faults.extend(within("credentialInjection", credential.validate()));
        }
        if let Some(rewrite) = &self.url_rewrite {
            faults.extend(within("urlRewrite", rewrite.validate()));
        }
        for (index, mirror) in self.mirrors.iter().enumerate() {
            let inner = within("destination", mirror.destination.validate()).collect();
            faults.extend(within_item("mirrors", index, inner));
        }
        faults.extend(validate_added("addRequestHeaders", &self.add_request_headers));
        faults.extend(validate_removed("removeRequestHeaders", &self.remove_request_headers));
        faults.extend(validate_added("addResponseHeaders", &self.add_response_headers));
        faults.extend(validate_removed("removeResponseHeaders", &self.remove_response_headers));
        if let Some(traffic) = &self.traffic {
            faults.extend(within("traffic", traffic.validate()));
        }
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::destination::DestinationEndpoint;
    use crate::ir::destination::DestinationSetting;

    fn route(settings: Vec<DestinationSetting>) -> HttpRoute {
        let destination = RouteDestination { name: "d".into(), settings, ..RouteDestination::default() };
        HttpRoute {
            name: "r".into(),
            hostname: "*".into(),
            destination: Some(Arc::new(destination)),
            ..HttpRoute::default()
        }
    }

    fn backend() -> DestinationSetting {
        let endpoints = vec![DestinationEndpoint::at("10.0.0.1", 80)];
        DestinationSetting { weight: Some(1), endpoints, ..DestinationSetting::default() }
    }

    #[test]
    fn a_route_stays_small() {
        assert!(size_of::<HttpRoute>() <= 600, "{} bytes", size_of::<HttpRoute>());
    }

    #[test]
    fn an_unusable_backend_takes_its_share_through_a_cluster_of_its_own() {
        assert!(!route(vec![backend(), backend()]).needs_cluster_per_setting());
        let broken = DestinationSetting { invalid: true, ..backend() };
        assert!(route(vec![backend(), broken]).needs_cluster_per_setting());
        assert!(!HttpRoute::default().needs_cluster_per_setting());
    }

    #[test]
    fn the_route_s_own_retry_wins() {
        let retry = |times| Box::new(Retry { num_retries: Some(times), ..Retry::default() });
        let traffic = TrafficFeatures { retry: Some(retry(5)), ..TrafficFeatures::default() };
        let mut route = HttpRoute { traffic: Some(Arc::new(traffic)), ..HttpRoute::default() };
        assert_eq!(route.effective_retry().and_then(|retry| retry.num_retries), Some(5));
        route.retry = Some(retry(2));
        assert_eq!(route.effective_retry().and_then(|retry| retry.num_retries), Some(2));
    }

    #[test]
    fn faults_say_where_they_are() {
        let mut route = route(vec![DestinationSetting {
            endpoints: vec![DestinationEndpoint::at("10.0.0.1", 0)],
            ..DestinationSetting::default()
        }]);
        route.header_matches.push(StringMatch::default());
        let paths: Vec<String> = route.validate().iter().map(|fault| fault.path.to_string()).collect();
        assert_eq!(paths, ["headerMatches[0]", "destination.settings[0].endpoints[0].port"]);
    }
}

//! One routing rule of an HTTP listener, matched and acted on as a whole.

use crate::api::duration::Duration;
use crate::ir::credential_injection::CredentialInjection;
use crate::ir::custom_response::CustomResponse;
use crate::ir::destination::RouteDestination;
use crate::ir::extension_ref::UnstructuredRef;
use crate::ir::extensions::EnvoyExtensionFeatures;
use crate::ir::header::AddHeader;
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

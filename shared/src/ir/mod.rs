//! The intermediate representation as data: what listeners, routes and destinations the inputs became.
//!
//! Serialized, it is what Envoy Gateway v1.9.0 writes for its own, field for field.

mod absence;
pub mod access_log;
pub mod bytes;
pub mod client_connection;
pub mod client_settings;
pub mod credential_injection;
pub mod custom_response;
pub mod destination;
pub mod extension_ref;
pub mod extensions;
pub mod geo_ip;
pub mod global_resources;
pub mod header;
pub mod http_listener;
pub mod http_route;
pub mod infra;
pub mod listener;
pub mod map_entry;
pub mod metadata;
pub mod metrics;
pub mod mirror;
pub mod patch;
pub mod redirect;
pub mod security;
pub mod session_persistence;
pub mod string_match;
pub mod tcp_listener;
pub mod tls;
pub mod tracing;
pub mod traffic;
pub mod udp_listener;
pub mod url_rewrite;
mod validation;
pub mod xds;

pub use access_log::{AccessLog, AlsAccessLog, AlsAccessLogHttp, JsonAccessLog, OpenTelemetryAccessLog, TextAccessLog};
pub use bytes::{Bytes, PrivateBytes};
pub use client_connection::{
    ClientConnection, ClientTimeout, ConnectionLimit, HttpClientTimeout, TcpClientTimeout, TcpKeepalive,
};
pub use client_settings::{
    GrpcSettings, HeaderSettings, HostSettings, Http1Settings, Http2KeepaliveSettings, Http2Settings, Http3Settings,
    Http10Settings, PathSettings, ProxyProtocolSettings, XForwardedClientCert,
};
pub use credential_injection::CredentialInjection;
pub use custom_response::CustomResponse;
pub use destination::{
    AppProtocol, BackendCluster, BackendClusterRef, BackendWeights, DestinationAddressType, DestinationEndpoint,
    DestinationFilters, DestinationSetting, RouteDestination,
};
pub use extension_ref::UnstructuredRef;
pub use extensions::EnvoyExtensionFeatures;
pub use extensions::dynamic_module::{DynamicModule, RemoteDynamicModuleSource};
pub use extensions::ext_proc::ExtProc;
pub use extensions::lua::Lua;
pub use extensions::wasm::{HttpWasmCode, Wasm};
pub use geo_ip::{GeoIpMaxMindProvider, GeoIpProvider};
pub use global_resources::GlobalResources;
pub use header::AddHeader;
pub use http_listener::HttpListener;
pub use http_route::HttpRoute;
pub use infra::{Infra, InfraMetadata, ListenerPort, ProtocolType, ProxyInfra, ProxyListener, ResolvedMetricSink};
pub use listener::{CoreListenerDetails, ReadyListener};
pub use map_entry::{CustomTagMapEntry, MapEntry};
pub use metadata::{PolicyMetadata, ResourceMetadata};
pub use metrics::Metrics;
pub use mirror::MirrorPolicy;
pub use patch::{EnvoyPatchPolicy, EnvoyPatchPolicyStatus, JsonPatchConfig, JsonPatchOp, JsonPatchOperation};
pub use redirect::{HttpPathModifier, Redirect};
pub use security::SecurityFeatures;
pub use security::api_key_auth::{ApiKeyAuth, ApiKeyCredential, ExtractFrom};
pub use security::authorization::{Authorization, AuthorizationRule, Principal};
pub use security::basic_auth::BasicAuth;
pub use security::cors::Cors;
pub use security::csrf::Csrf;
pub use security::ext_auth::{BodyToExtAuth, ContextExtention, ExtAuth, GrpcExtAuthService, HttpExtAuthService};
pub use security::jwt::{Jwt, JwtProvider, RemoteJwks};
pub use security::oidc::{Oidc, OidcProvider};
pub use session_persistence::{CookieBasedSessionPersistence, HeaderBasedSessionPersistence, SessionPersistence};
pub use string_match::StringMatch;
pub use tcp_listener::{TcpListener, TcpRoute, Tls, TlsInspectorConfig};
pub use tls::{SdsConfig, SubjectAltName, TlsCaCertificate, TlsCertificate, TlsConfig, TlsCrl, TlsUpstreamConfig};
pub use tracing::Tracing;
pub use traffic::admission_control::{
    AdmissionControl, AdmissionControlSuccessCriteria, GrpcSuccessCriteria, HttpSuccessCriteria,
};
pub use traffic::bandwidth_limit::{BandwidthLimit, BandwidthLimitConfig, BandwidthLimitResponseTrailers};
pub use traffic::circuit_breaker::{CircuitBreaker, PerEndpointCircuitBreakers, RetryBudget};
pub use traffic::compression::Compression;
pub use traffic::connection::{BackendConnection, Dns, Preconnect, ProxyProtocol};
pub use traffic::fault_injection::{FaultInjection, FaultInjectionAbort, FaultInjectionDelay};
pub use traffic::health_check::{
    ActiveHealthCheck, FileEnvoyProxyHealthCheckLog, GrpcHealthChecker, HealthCheck, HealthCheckOverrides,
    HealthCheckPayload, HttpHealthChecker, OutlierDetection, ProxyHealthCheckLog, TcpHealthChecker,
};
pub use traffic::load_balancer::{
    BackendUtilization, ConsistentHash, EndpointOverride, EndpointOverrideExtractFrom, ForceLocalZone, LeastRequest,
    LoadBalancer, OutOfBandReporting, PreferLocalZone, Random, RoundRobin, SlowStart, WeightedZoneConfig,
};
pub use traffic::rate_limit::{
    CidrMatch, GlobalRateLimit, LocalRateLimit, QueryParamMatch, RateLimit, RateLimitCost, RateLimitRule,
    RateLimitValue, RateLimitValueMetadata,
};
pub use traffic::request_buffer::RequestBuffer;
pub use traffic::response_override::{
    CustomResponseMatch, ResponseOverride, ResponseOverrideRule, StatusCodeMatch, StatusCodeRange,
};
pub use traffic::retry::{BackOffPolicy, PerRetryPolicy, Retry, RetryOn};
pub use traffic::telemetry::{BackendMetrics, BackendTelemetry, BackendTracing};
pub use traffic::timeout::{ClusterHttpTimeout, ClusterTimeout, HttpTimeout, TcpTimeout, Timeout};
pub use traffic::upgrade::{ConnectConfig, HttpUpgradeConfig};
pub use traffic::{ClusterTrafficFeatures, TrafficFeatures};
pub use udp_listener::{UdpListener, UdpRoute};
pub use url_rewrite::{ExtendedHttpPathModifier, HttpHostModifier, RegexMatchReplace, UrlRewrite};
pub use xds::Xds;

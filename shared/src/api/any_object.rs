//! One object of any kind the gateway reads.

use std::sync::Arc;

use crate::api::backend::Backend;
use crate::api::config_map::ConfigMap;
use crate::api::endpoint_slice::EndpointSlice;
use crate::api::envoy_proxy::EnvoyProxy;
use crate::api::gateway::Gateway;
use crate::api::gateway_class::GatewayClass;
use crate::api::http_route::HttpRoute;
use crate::api::http_route_filter::HttpRouteFilterResource;
use crate::api::metadata::{Object, ObjectKey, ObjectMeta};
use crate::api::namespace::Namespace;
use crate::api::reference_grant::ReferenceGrant;
use crate::api::secret::Secret;
use crate::api::service::Service;
use crate::api::service_import::ServiceImport;
use crate::api::tcp_route::TcpRoute;
use crate::api::tls_route::TlsRoute;
use crate::api::udp_route::UdpRoute;

/// Makes the enumeration, its conversions and what can be asked of an object whatever its kind.
macro_rules! any_object {
    ($($kind:ident($type:ty),)+) => {
        /// An object of one of the kinds the gateway reads.
        #[derive(Clone, Debug, PartialEq)]
        pub enum AnyObject {
            $(#[doc = concat!("A ", stringify!($kind), ".")] $kind(Arc<$type>),)+
        }

        $(impl From<$type> for AnyObject {
            fn from(object: $type) -> Self {
                Self::$kind(Arc::new(object))
            }
        })+

        impl AnyObject {
            /// The names of all kinds, as in a manifest.
            pub const KINDS: &[&str] = &[$(<$type as Object>::KIND,)+];

            /// Kind, as in a manifest.
            #[must_use]
            pub fn kind(&self) -> &'static str {
                match self { $(Self::$kind(_) => <$type as Object>::KIND,)+ }
            }

            /// API group; empty for the core group.
            #[must_use]
            pub fn group(&self) -> &'static str {
                match self { $(Self::$kind(_) => <$type as Object>::GROUP,)+ }
            }

            /// The metadata.
            #[must_use]
            pub fn metadata(&self) -> &ObjectMeta {
                match self { $(Self::$kind(object) => object.metadata(),)+ }
            }

            /// The identity among objects of the kind.
            #[must_use]
            pub fn key(&self) -> ObjectKey {
                match self { $(Self::$kind(object) => object.key(),)+ }
            }

            /// The object as a whole manifest, with `apiVersion` and `kind`.
            ///
            /// # Errors
            /// Only where the object holds something JSON cannot express; none of the kinds here does.
            pub fn manifest(&self) -> serde_json::Result<serde_json::Value> {
                match self { $(Self::$kind(object) => crate::api::metadata::manifest(object.as_ref()),)+ }
            }
        }
    };
}

any_object! {
    GatewayClass(GatewayClass),
    Gateway(Gateway),
    HttpRoute(HttpRoute),
    TlsRoute(TlsRoute),
    TcpRoute(TcpRoute),
    UdpRoute(UdpRoute),
    ReferenceGrant(ReferenceGrant),
    Backend(Backend),
    EnvoyProxy(EnvoyProxy),
    HttpRouteFilter(HttpRouteFilterResource),
    Service(Service),
    EndpointSlice(EndpointSlice),
    Secret(Secret),
    ConfigMap(ConfigMap),
    Namespace(Namespace),
    ServiceImport(ServiceImport),
}

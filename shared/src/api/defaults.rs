//! What an object of the Gateway API means where it says nothing: the `default:` entries of the CRDs.
//!
//! An API server fills these in; a file never met one. So objects stay as written, and these methods tell what counts.

use crate::api::fraction::Fraction;
use crate::api::gateway_tls::{ListenerTlsConfig, TlsModeType};
use crate::api::http_route::{
    HeaderMatchType, HttpBackendRef, HttpHeaderMatch, HttpPathMatch, HttpQueryParamMatch, PathMatchType,
    QueryParamMatchType,
};
use crate::api::http_route_rule_filter::HttpRequestRedirectFilter;
use crate::api::listener::{AllowedRoutes, FromNamespaces};
use crate::api::references::{BackendObjectReference, ParentReference, SecretObjectReference};

/// The group of the Gateway API.
pub const GATEWAY_GROUP: &str = "gateway.networking.k8s.io";

impl ParentReference {
    /// The parent's group; that of the Gateway API when absent.
    #[must_use]
    pub fn group(&self) -> &str {
        self.group.as_deref().unwrap_or(GATEWAY_GROUP)
    }

    /// The parent's kind; Gateway when absent.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.kind.as_deref().unwrap_or("Gateway")
    }
}

impl BackendObjectReference {
    /// The backend's group; the core group when absent.
    #[must_use]
    pub fn group(&self) -> &str {
        self.group.as_deref().unwrap_or_default()
    }

    /// The backend's kind; Service when absent.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.kind.as_deref().unwrap_or("Service")
    }
}

impl HttpBackendRef {
    /// The backend's group; the core group when absent.
    #[must_use]
    pub fn group(&self) -> &str {
        self.group.as_deref().unwrap_or_default()
    }

    /// The backend's kind; Service when absent.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.kind.as_deref().unwrap_or("Service")
    }

    /// Its share of the requests, in proportion to the other weights; 1 when absent.
    #[must_use]
    pub fn weight(&self) -> i32 {
        self.weight.unwrap_or(1)
    }
}

impl SecretObjectReference {
    /// The group; the core group when absent.
    #[must_use]
    pub fn group(&self) -> &str {
        self.group.as_deref().unwrap_or_default()
    }

    /// The kind; Secret when absent.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.kind.as_deref().unwrap_or("Secret")
    }
}

impl HttpPathMatch {
    /// How the path is compared; by prefix when absent.
    #[must_use]
    pub fn match_type(&self) -> &PathMatchType {
        self.r#type.as_ref().unwrap_or(&PathMatchType::PathPrefix)
    }

    /// What it is compared with; `/` when absent.
    #[must_use]
    pub fn value(&self) -> &str {
        self.value.as_deref().unwrap_or("/")
    }
}

impl HttpHeaderMatch {
    /// How the header is compared; exactly when absent.
    #[must_use]
    pub fn match_type(&self) -> &HeaderMatchType {
        self.r#type.as_ref().unwrap_or(&HeaderMatchType::Exact)
    }
}

impl HttpQueryParamMatch {
    /// How the parameter is compared; exactly when absent.
    #[must_use]
    pub fn match_type(&self) -> &QueryParamMatchType {
        self.r#type.as_ref().unwrap_or(&QueryParamMatchType::Exact)
    }
}

impl HttpRequestRedirectFilter {
    /// Status of the redirect; 302 when absent.
    #[must_use]
    pub fn status_code(&self) -> i64 {
        self.status_code.unwrap_or(302)
    }
}

impl Fraction {
    /// What the numerator is a part of; 100 when absent.
    #[must_use]
    pub fn denominator(&self) -> i32 {
        self.denominator.unwrap_or(100)
    }
}

impl ListenerTlsConfig {
    /// Whether TLS ends at the listener; it does when absent.
    #[must_use]
    pub fn mode(&self) -> &TlsModeType {
        self.mode.as_ref().unwrap_or(&TlsModeType::Terminate)
    }
}

impl AllowedRoutes {
    /// Where Routes may come from; the namespace of the Gateway when absent.
    #[must_use]
    pub fn from(&self) -> &FromNamespaces {
        self.namespaces.as_ref().and_then(|namespaces| namespaces.from.as_ref()).unwrap_or(&FromNamespaces::Same)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_means_what_the_crds_say() {
        let backend: HttpBackendRef = serde_json::from_str(r#"{"name":"a"}"#).unwrap();
        assert_eq!((backend.group(), backend.kind(), backend.weight()), ("", "Service", 1));
        let parent: ParentReference = serde_json::from_str(r#"{"name":"a"}"#).unwrap();
        assert_eq!((parent.group(), parent.kind()), ("gateway.networking.k8s.io", "Gateway"));
        let path = HttpPathMatch::default();
        assert_eq!((path.match_type(), path.value()), (&PathMatchType::PathPrefix, "/"));
        assert_eq!(HttpRequestRedirectFilter::default().status_code(), 302);
        assert_eq!(Fraction { numerator: 1, denominator: None }.denominator(), 100);
        assert_eq!(ListenerTlsConfig::default().mode(), &TlsModeType::Terminate);
        assert_eq!(AllowedRoutes::default().from(), &FromNamespaces::Same);
    }
}

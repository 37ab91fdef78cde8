//! The documents a fleet's Envoys read from disk: where their secrets for the xDS server are.
//!
//! Envoy watches these files, so rotated certificates and tokens are used without a restart.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};

use crate::infra::fleet::Fleet;

/// The key of the document that says which authority signs the xDS server's certificate.
pub(super) const TRUSTED_CA: &str = "xds-trusted-ca.json";
/// The key of the document that says which certificate proxies present.
pub(super) const CERTIFICATE: &str = "xds-certificate.json";
/// The key of the document that says which token proxies present.
pub(super) const TOKEN: &str = "xds_service_account_token.json";
/// The key of the authority's certificate itself.
pub(super) const CA_CERTIFICATE: &str = "ca.crt";

/// The ConfigMap of the fleet.
pub(super) fn config_map(fleet: &Fleet<'_>) -> ConfigMap {
    let mut data = BTreeMap::from([(TRUSTED_CA.to_owned(), trusted_ca()), (CERTIFICATE.to_owned(), certificate())]);
    if fleet.in_gateway_namespace {
        data.insert(TOKEN.to_owned(), token());
        if let Some(certificate) = &fleet.settings.ca_certificate {
            data.insert(CA_CERTIFICATE.to_owned(), certificate.to_string());
        }
    }
    ConfigMap { metadata: fleet.object_meta(None), data: Some(data), ..ConfigMap::default() }
}

fn trusted_ca() -> String {
    secret(
        "xds_trusted_ca",
        "validation_context",
        json!({
            "trusted_ca": { "filename": "/certs/ca.crt" },
            "match_typed_subject_alt_names": [{ "san_type": "DNS", "matcher": { "exact": "envoy-gateway" } }],
        }),
    )
}

fn certificate() -> String {
    secret(
        "xds_certificate",
        "tls_certificate",
        json!({
            "certificate_chain": { "filename": "/certs/tls.crt" },
            "private_key": { "filename": "/certs/tls.key" },
        }),
    )
}

fn token() -> String {
    let path = format!("{}/{}", super::volumes::TOKEN_FOLDER, super::volumes::TOKEN_FILE);
    secret("jwt-sa-bearer", "generic_secret", json!({ "secret": { "filename": path } }))
}

/// An SDS document with one secret.
fn secret(name: &str, field: &str, value: Value) -> String {
    json!({ "resources": [{
        "@type": "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret",
        "name": name,
        field: value,
    }] })
    .to_string()
}

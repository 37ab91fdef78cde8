//! A credential added to requests: on a route, by a filter that only it enables; on a backend, by its cluster's filter.

use super::encode::pack;
use super::pb::extensions::filters::http::credential_injector::v3::CredentialInjector;
use super::pb::extensions::http::injected_credentials::generic::v3::Generic;
use super::pb::hcm::{HttpFilter, http_filter};
use super::tls::{sds::secret_reference, secrets::credential_name};
use super::values::extension;
use crate::ir::CredentialInjection;

/// The name of the filter for this credential.
pub(super) fn filter_name(source: &CredentialInjection) -> String {
    format!("envoy.filters.http.credential_injector/{}", source.name)
}

/// The filter for this credential, off until a route enables it.
pub(super) fn filter(source: &CredentialInjection) -> HttpFilter {
    let CredentialInjection { name: _, header, overwrite, credential: _ } = source;
    let generic = Generic {
        credential: Some(secret_reference(&credential_name(source), None)),
        header: header.clone().unwrap_or_default(),
        ..Generic::default()
    };
    HttpFilter {
        name: filter_name(source),
        config_type: Some(http_filter::ConfigType::TypedConfig(pack(&CredentialInjector {
            credential: Some(extension("envoy.http.injected_credentials.generic", &generic)),
            overwrite: overwrite.unwrap_or_default(),
            ..CredentialInjector::default()
        }))),
        disabled: true,
        ..HttpFilter::default()
    }
}

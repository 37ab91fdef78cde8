//! Where Envoy gets further resources from.

use super::pb::core::{AggregatedConfigSource, ApiVersion, ConfigSource, config_source::ConfigSourceSpecifier};
use super::values::seconds;

/// The stream the resource that refers came by, waited for without limit.
pub(super) fn ads() -> ConfigSource {
    ConfigSource { initial_fetch_timeout: Some(seconds(0)), ..ads_with_default_wait() }
}

/// The stream the resource that refers came by, with Envoy's own limit on the wait.
pub(super) fn ads_with_default_wait() -> ConfigSource {
    ConfigSource {
        resource_api_version: ApiVersion::V3.into(),
        config_source_specifier: Some(ConfigSourceSpecifier::Ads(AggregatedConfigSource {})),
        ..ConfigSource::default()
    }
}

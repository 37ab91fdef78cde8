//! How a listener finds a client's address.

use super::pb::core::{CidrRange, TypedExtensionConfig};
use super::pb::extensions::http::original_ip_detection::custom_header::v3::CustomHeaderConfig;
use super::pb::extensions::http::original_ip_detection::xff::v3::{XffConfig, XffTrustedCidrs};
use super::pb::types::{HttpStatus, StatusCode};
use super::problem::Invalid;
use super::values::{boolean, extension, uint32};
use crate::api::client_traffic::{ClientIpDetectionSettings, CustomHeaderExtensionSettings, XForwardedForSettings};

/// The extensions that find the address; none means the connection's is taken.
pub(super) fn original_ip_detection(
    source: Option<&ClientIpDetectionSettings>,
) -> Result<Vec<TypedExtensionConfig>, Invalid> {
    let Some(ClientIpDetectionSettings { x_forwarded_for, custom_header, direct_source_ip: _ }) = source else {
        return Ok(Vec::new());
    };
    if let Some(CustomHeaderExtensionSettings { name, fail_closed }) = custom_header {
        let config = CustomHeaderConfig {
            header_name: name.clone(),
            reject_with_status: fail_closed
                .unwrap_or_default()
                .then(|| HttpStatus { code: StatusCode::Forbidden.into() }),
            allow_extension_to_set_address_as_trusted: true,
        };
        return Ok(vec![extension("envoy.extensions.http.original_ip_detection.custom_header", &config)]);
    }
    let Some(xff) = x_forwarded_for else { return Ok(Vec::new()) };
    let name = "envoy.extensions.http.original_ip_detection.xff";
    Ok(vec![match xff_config(xff)? {
        Some(config) => extension(name, &config),
        None => TypedExtensionConfig { name: name.to_owned(), ..TypedExtensionConfig::default() },
    }])
}

fn xff_config(source: &XForwardedForSettings) -> Result<Option<XffConfig>, Invalid> {
    let XForwardedForSettings { num_trusted_hops, trusted_cidrs, disable_x_forwarded_for_append } = source;
    let skip_xff_append = Some(boolean(disable_x_forwarded_for_append.unwrap_or_default()));
    if !trusted_cidrs.is_empty() {
        let cidrs = trusted_cidrs.iter().map(|cidr| cidr_range(cidr)).collect::<Result<_, _>>()?;
        return Ok(Some(XffConfig {
            xff_trusted_cidrs: Some(XffTrustedCidrs { cidrs }),
            skip_xff_append,
            ..XffConfig::default()
        }));
    }
    // The setting counts the proxy itself, the extension doesn't (envoyproxy/envoy#34241).
    Ok(num_trusted_hops.map(|hops| XffConfig {
        xff_num_trusted_hops: hops.saturating_sub(1),
        skip_xff_append,
        ..XffConfig::default()
    }))
}

fn cidr_range(cidr: &str) -> Result<CidrRange, Invalid> {
    let parsed = cidr.split_once('/').and_then(|(address, length)| {
        let address: std::net::IpAddr = address.parse().ok()?;
        let length: u32 = length.parse().ok()?;
        (length <= if address.is_ipv4() { 32 } else { 128 }).then_some((address, length))
    });
    let Some((address, length)) = parsed else {
        return Err(Invalid::new("clientIPDetection", format!("{cidr:?} is no address range such as 10.0.0.0/8")));
    };
    Ok(CidrRange { address_prefix: address.to_string(), prefix_len: Some(uint32(length)) })
}

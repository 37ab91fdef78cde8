//! Every generated name: IR keys, xDS resource names, infrastructure names, labels and hashes.

use sha2::{Digest, Sha256};

/// The label with the name of the Gateway a fleet is for.
pub const OWNING_GATEWAY_NAME: &str = "gateway.envoyproxy.io/owning-gateway-name";
/// The label with the namespace of the Gateway a fleet is for.
pub const OWNING_GATEWAY_NAMESPACE: &str = "gateway.envoyproxy.io/owning-gateway-namespace";
/// The label with the class whose merged Gateways a fleet is for.
pub const OWNING_GATEWAY_CLASS: &str = "gateway.envoyproxy.io/owning-gatewayclass";

/// The label and value of what a fleet's objects are part of.
pub const FLEET_COMPONENT: (&str, &str) = ("app.kubernetes.io/component", "proxy");
/// The label and value of who makes a fleet's objects.
pub const FLEET_MANAGED_BY: (&str, &str) = ("app.kubernetes.io/managed-by", "envoy-gateway");
/// The label and value of what a fleet's objects run.
pub const FLEET_APP: (&str, &str) = ("app.kubernetes.io/name", "envoy");
/// The labels every fleet's objects have; objects of ours that are no fleet's have others.
pub const FLEET_LABELS: [(&str, &str); 3] = [FLEET_COMPONENT, FLEET_MANAGED_BY, FLEET_APP];

/// What the objects of the fleet `name` are called in the control plane's namespace, as Envoy Gateway calls them:
/// the name, at most 48 characters of it, and eight digits of its hash.
#[must_use]
pub fn fleet_object(name: &str) -> String {
    format!("envoy-{}", hashed(name, 48))
}

/// At most `length` characters of `name`, with `-` for `/`, and eight digits of the whole name's hash.
fn hashed(name: &str, length: usize) -> String {
    let hash: String = Sha256::digest(name.as_bytes()).iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let readable = name.replace('/', "-");
    match readable.get(..length) {
        Some(cut) if readable.len() > length => format!("{}-{hash}", cut.strip_suffix('-').unwrap_or(cut)),
        _ => format!("{readable}-{hash}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fleet_is_called_by_its_name_and_hash() {
        assert_eq!(fleet_object("default"), "envoy-default-37a8eec1");
        let long = fleet_object("a-namespace-with-a-rather-long-name-that-goes-on/and-a-gateway");
        assert!(
            long.starts_with("envoy-a-namespace-with-a-rather-long-name-that-goes-on-") && long.len() <= 63,
            "{long}"
        );
    }
}

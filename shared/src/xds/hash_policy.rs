//! What a request is hashed by, for consistent hashing.

use super::pb::route::route_action::{HashPolicy, hash_policy};
use super::values::duration;
use crate::ir::ConsistentHash;

/// The hash policies of a route or cluster.
pub(super) fn hash_policies(source: Option<&ConsistentHash>) -> Vec<HashPolicy> {
    use hash_policy::PolicySpecifier;
    let Some(ConsistentHash { source_ip, headers, cookie, query_params, table_size: _ }) = source else {
        return Vec::new();
    };
    let specifiers: Vec<PolicySpecifier> = if !headers.is_empty() {
        headers
            .iter()
            .map(|header| {
                PolicySpecifier::Header(hash_policy::Header {
                    header_name: header.name.clone(),
                    ..hash_policy::Header::default()
                })
            })
            .collect()
    } else if let Some(cookie) = cookie {
        vec![PolicySpecifier::Cookie(hash_policy::Cookie {
            name: cookie.name.clone(),
            ttl: cookie.ttl.map(duration),
            attributes: cookie
                .attributes
                .iter()
                .map(|(name, value)| hash_policy::CookieAttribute { name: name.clone(), value: value.clone() })
                .collect(),
            ..hash_policy::Cookie::default()
        })]
    } else if let Some(source_ip) = source_ip {
        if !source_ip {
            return Vec::new();
        }
        vec![PolicySpecifier::ConnectionProperties(hash_policy::ConnectionProperties { source_ip: true })]
    } else {
        query_params
            .iter()
            .map(|parameter| {
                PolicySpecifier::QueryParameter(hash_policy::QueryParameter { name: parameter.name.clone() })
            })
            .collect()
    };
    specifiers
        .into_iter()
        .map(|specifier| HashPolicy { policy_specifier: Some(specifier), ..HashPolicy::default() })
        .collect()
}

//! The parts of a virtual host around its routes.

use std::borrow::Cow;

use super::encode::{encode, put_field};
use super::metadata::metadata;
use super::options::Options;
use super::pb::matcher::{StringMatcher, string_matcher::MatchPattern};
use super::pb::route::{HeaderMatcher, VirtualCluster, VirtualHost, header_matcher::HeaderMatchSpecifier};
use crate::ir::HttpListener;

/// Field numbers of `VirtualHost`, in wire order.
const NAME: u32 = 1;
const DOMAINS: u32 = 2;

/// What the virtual hosts of one listener have in common.
#[derive(Debug)]
pub(super) struct HostFrame {
    /// What their names begin with.
    prefix: String,
    /// Encoded metadata, the end of each host.
    metadata: Vec<u8>,
    /// Whether each host counts its requests.
    counts: bool,
}

impl HostFrame {
    pub(super) fn new(listener: &HttpListener, counts: bool, options: &Options) -> Self {
        let prefix = if options.name_scheme_v2 { String::new() } else { format!("{}/", listener.core.name) };
        let tail = VirtualHost { metadata: metadata(listener.core.metadata.as_deref()), ..VirtualHost::default() };
        Self { prefix, metadata: encode(&tail), counts }
    }

    /// The fields before the routes. Names have no dots: Envoy splits statistics at them.
    pub(super) fn head(&self, domain: &str) -> Vec<u8> {
        let mut head = Vec::with_capacity(self.prefix.len() + 2 * domain.len() + 8);
        put_field(&mut head, NAME, format!("{}{}", self.prefix, domain.replace('.', "_")).as_bytes());
        put_field(&mut head, DOMAINS, domain.as_bytes());
        head
    }

    /// The fields after the routes.
    pub(super) fn tail(&self, domain: &str) -> Cow<'_, [u8]> {
        if !self.counts {
            return Cow::Borrowed(&self.metadata);
        }
        let authority = HeaderMatcher {
            name: ":authority".to_owned(),
            header_match_specifier: Some(HeaderMatchSpecifier::StringMatch(StringMatcher {
                match_pattern: Some(MatchPattern::Prefix(domain.to_owned())),
                ..StringMatcher::default()
            })),
            ..HeaderMatcher::default()
        };
        let cluster = VirtualCluster { name: domain.replace('.', "_"), headers: vec![authority] };
        let mut tail = encode(&VirtualHost { virtual_clusters: vec![cluster], ..VirtualHost::default() });
        tail.extend_from_slice(&self.metadata);
        Cow::Owned(tail)
    }
}

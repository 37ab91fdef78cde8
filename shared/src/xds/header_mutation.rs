//! Headers changed for a whole listener: before routing, and on the way back.

use super::encode::pack;
use super::headers::added_headers;
use super::pb::core::TypedExtensionConfig;
use super::pb::extensions::filters::http::header_mutation::v3::{HeaderMutation as Filter, Mutations};
use super::pb::extensions::http::early_header_mutation::header_mutation::v3::HeaderMutation as EarlyMutation;
use super::pb::hcm::{HttpFilter, http_filter};
use super::pb::mutation_rules::{HeaderMutation, header_mutation};
use super::problem::Invalid;
use super::string_match::string_matcher;
use super::values::extension;
use crate::ir::{AddHeader, HeaderSettings, StringMatch};

/// Changes of request headers before a route is chosen.
pub(super) fn early_mutations(headers: Option<&HeaderSettings>) -> Result<Vec<TypedExtensionConfig>, Invalid> {
    let Some(headers) = headers else { return Ok(Vec::new()) };
    let mutations = mutations(
        &headers.early_add_request_headers,
        &headers.early_remove_request_headers,
        &headers.early_remove_request_headers_on_match,
    )?;
    if mutations.is_empty() {
        return Ok(Vec::new());
    }
    Ok(vec![extension("envoy.http.early_header_mutation.header_mutation", &EarlyMutation { mutations })])
}

/// The filter that changes response headers last.
pub(super) fn late_mutations(headers: Option<&HeaderSettings>) -> Result<Option<HttpFilter>, Invalid> {
    let Some(headers) = headers else { return Ok(None) };
    let response_mutations = mutations(
        &headers.late_add_response_headers,
        &headers.late_remove_response_headers,
        &headers.late_remove_response_headers_on_match,
    )?;
    if response_mutations.is_empty() {
        return Ok(None);
    }
    let config =
        Filter { mutations: Some(Mutations { response_mutations, ..Mutations::default() }), ..Filter::default() };
    Ok(Some(HttpFilter {
        name: "envoy.filters.http.header_mutation".to_owned(),
        config_type: Some(http_filter::ConfigType::TypedConfig(pack(&config))),
        ..HttpFilter::default()
    }))
}

fn mutations(
    add: &[AddHeader],
    remove: &[String],
    remove_on_match: &[StringMatch],
) -> Result<Vec<HeaderMutation>, Invalid> {
    use header_mutation::{Action, RemoveOnMatch};
    let added = added_headers(add)?.into_iter().map(Action::Append);
    let removed = remove.iter().cloned().map(Action::Remove);
    let matched = remove_on_match
        .iter()
        .map(|matcher| Action::RemoveOnMatch(RemoveOnMatch { key_matcher: Some(string_matcher(matcher)) }));
    Ok(added.chain(removed).chain(matched).map(|action| HeaderMutation { action: Some(action) }).collect())
}

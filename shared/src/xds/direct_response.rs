//! Responses that Envoy gives itself.

use super::pb::core::{SubstitutionFormatString, substitution_format_string};
use super::pb::route::DirectResponseAction;
use super::values::inline_bytes;
use crate::ir::CustomResponse;

/// The action that answers with `source`.
pub(super) fn direct_response(source: &CustomResponse) -> DirectResponseAction {
    DirectResponseAction {
        status: source.status_code.unwrap_or_default(),
        body_format: (!source.body.is_empty()).then(|| SubstitutionFormatString {
            format: Some(substitution_format_string::Format::TextFormatSource(inline_bytes(source.body.as_slice()))),
            ..SubstitutionFormatString::default()
        }),
        ..DirectResponseAction::default()
    }
}

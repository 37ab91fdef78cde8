//! `directResponse` of an HTTPRouteFilter: an answer without a backend.

use crate::api::http_route_filter::HttpDirectResponseFilter;
use crate::api::metadata::ObjectKey;
use crate::api::response_override::{CustomResponseBody, ResponseValueType};
use crate::diagnostic::FieldPath;
use crate::gatewayapi::decision::RouteFault;
use crate::gatewayapi::routes::filters::Filters;
use crate::gatewayapi::routes::outcome::reason;
use crate::gatewayapi::routes::scope::Scope;
use crate::ir::bytes::Bytes;
use crate::ir::custom_response::CustomResponse;
use crate::ir::header::AddHeader;

/// The key of a ConfigMap that holds a body.
const BODY_KEY: &str = "response.body";

/// Sets the response. Its headers are those of the rule's responses.
///
/// # Errors
/// The ConfigMap with the body isn't there or is empty. Paths begin at the HTTPRouteFilter's `spec`.
pub fn apply(
    scope: &Scope<'_, '_>,
    response: &HttpDirectResponseFilter,
    filters: &mut Filters,
) -> Result<(), RouteFault> {
    let HttpDirectResponseFilter { content_type, body, status_code, header } = response;
    let body = match body.as_ref().map(|body| body_bytes(scope, body)).transpose() {
        Ok(body) => body.flatten().unwrap_or_default(),
        Err(fault) => return Err(filters.refuse(fault.within("directResponse"))),
    };
    let plain = |name: &str, value: &str, append| AddHeader {
        name: name.to_owned(),
        value: vec![value.to_owned()],
        append,
        add_if_absent: false,
    };
    filters.add_response_headers.extend(content_type.iter().map(|kind| plain("Content-Type", kind, false)));
    if let Some(header) = header {
        filters.add_response_headers.extend(header.add.iter().map(|header| plain(&header.name, &header.value, true)));
        filters.add_response_headers.extend(header.set.iter().map(|header| plain(&header.name, &header.value, false)));
    }
    filters.direct_response = Some(CustomResponse {
        body,
        status_code: Some(status_code.map_or(200, |code| u32::try_from(code).unwrap_or(500))),
        ..CustomResponse::default()
    });
    Ok(())
}

/// The body, given in place or in a ConfigMap: under its own key, or else under the first one.
fn body_bytes(scope: &Scope<'_, '_>, body: &CustomResponseBody) -> Result<Option<Bytes>, RouteFault> {
    let CustomResponseBody { r#type, inline, value_ref } = body;
    let reference = match (r#type, value_ref) {
        (Some(ResponseValueType::ValueRef), Some(reference)) => reference,
        _ => return Ok(inline.as_ref().map(|text| Bytes::from(text.clone().into_bytes()))),
    };
    let key = ObjectKey::new(&scope.route.namespace, &reference.name);
    let fault = |message: String| {
        let path = FieldPath::field("name").within("valueRef").within("body");
        Err(RouteFault::accepted(path, reason::UNSUPPORTED_VALUE, message))
    };
    let Some(map) = scope.view.config_map(&key) else {
        return fault(format!("there is no ConfigMap {key}, which is to hold the body"));
    };
    let found = map
        .data
        .get(BODY_KEY)
        .or_else(|| map.data.values().next())
        .map(|text| text.clone().into_bytes())
        .or_else(|| map.binary_data.values().next().map(|bytes| bytes.0.clone()));
    found.map_or_else(
        || fault(format!("ConfigMap {key} is empty: put the body under the key {BODY_KEY}")),
        |bytes| Ok(Some(Bytes::from(bytes))),
    )
}

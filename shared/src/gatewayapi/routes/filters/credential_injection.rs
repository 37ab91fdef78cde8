//! `credentialInjection` of an HTTPRouteFilter: a credential from a Secret, added to requests.

use crate::api::http_route_filter::{HttpCredentialInjectionFilter, HttpRouteFilterResource};
use crate::api::metadata::{Object, ObjectKey};
use crate::diagnostic::FieldPath;
use crate::gatewayapi::decision::RouteFault;
use crate::gatewayapi::reference_grants::{ReferenceFrom, ReferenceTo, permitted};
use crate::gatewayapi::routes::filters::Filters;
use crate::gatewayapi::routes::outcome::reason;
use crate::gatewayapi::routes::scope::Scope;
use crate::ir::bytes::PrivateBytes;
use crate::ir::credential_injection::CredentialInjection;

/// The key of a Secret that holds a credential.
const CREDENTIAL_KEY: &str = "credential";

/// Sets the credential.
///
/// # Errors
/// The Secret isn't there, holds no credential, or may not be referred to. Paths begin at the HTTPRouteFilter's `spec`.
pub fn apply(
    scope: &Scope<'_, '_>,
    filter: &ObjectKey,
    injection: &HttpCredentialInjectionFilter,
    filters: &mut Filters,
) -> Result<(), RouteFault> {
    let HttpCredentialInjectionFilter { header, overwrite, credential: _ } = injection;
    match credential(scope, filter, injection) {
        Ok(credential) => {
            filters.credential_injection = Some(CredentialInjection {
                name: format!("httproutefilter/{filter}"),
                header: header.clone(),
                overwrite: *overwrite,
                credential,
            });
            Ok(())
        }
        Err((field, message)) => {
            let path = FieldPath::field(field).within("valueRef").within("credential").within("credentialInjection");
            Err(filters.refuse(RouteFault::accepted(path, reason::UNSUPPORTED_VALUE, message)))
        }
    }
}

fn credential(
    scope: &Scope<'_, '_>,
    filter: &ObjectKey,
    injection: &HttpCredentialInjectionFilter,
) -> Result<PrivateBytes, (&'static str, String)> {
    let reference = &injection.credential.value_ref;
    if reference.group.as_deref().is_some_and(|group| !group.is_empty()) {
        return Err(("group", "a credential is in a Secret of the core group: leave the group out".to_owned()));
    }
    if let Some(kind) = reference.kind.as_deref().filter(|kind| *kind != "Secret") {
        return Err(("kind", format!("a credential is in a Secret, not in a {kind}")));
    }
    let namespace = reference.namespace.as_deref().filter(|name| !name.is_empty()).unwrap_or(&filter.namespace);
    let key = ObjectKey::new(namespace, &reference.name);
    let from = ReferenceFrom {
        group: HttpRouteFilterResource::GROUP,
        kind: HttpRouteFilterResource::KIND,
        namespace: &filter.namespace,
    };
    if !permitted(scope.view, from, ReferenceTo { group: "", kind: "Secret", namespace, name: &reference.name }) {
        let message = format!(
            "no ReferenceGrant in namespace {namespace} lets HTTPRouteFilters of {} refer to Secret {}",
            filter.namespace, reference.name
        );
        return Err(("namespace", message));
    }
    let secret = scope.view.secret(&key).ok_or_else(|| ("name", format!("there is no Secret {key}")))?;
    match secret.value(CREDENTIAL_KEY) {
        Some(bytes) if !bytes.is_empty() => Ok(PrivateBytes::from(bytes.to_vec())),
        _ => Err(("name", format!("Secret {key} holds no credential: put it under the key {CREDENTIAL_KEY}"))),
    }
}

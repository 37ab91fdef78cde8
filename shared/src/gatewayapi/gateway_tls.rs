//! `Gateway.spec.tls` as a whole: validation of clients, the certificate shown to backends, and what the Gateway's own
//! conditions say about their references.

use super::frontend_validation::{self, FrontendValidation};
use super::reference_grants::{ReferenceFrom, ReferenceTo, permitted};
use super::view::View;
use crate::api::condition::Condition;
use crate::api::gateway::Gateway;
use crate::api::metadata::{Object, ObjectKey};
use crate::api::references::SecretObjectReference;
use crate::diagnostic::{Diagnostic, FieldPath};
use crate::status;

const INVALID_CLIENT_CERTIFICATE_REF: &str = "InvalidClientCertificateRef";

/// What `spec.tls` of a Gateway came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct GatewayTls {
    /// How its HTTPS listeners validate clients.
    pub(super) frontend: FrontendValidation,
    /// `ResolvedRefs` and `InsecureFrontendValidationMode`, where there is something to say.
    pub(super) conditions: Vec<Condition>,
}

/// Reads `spec.tls` of a Gateway.
pub(super) fn read(view: &View<'_>, gateway: &Gateway) -> GatewayTls {
    let Some(tls) = &gateway.spec.tls else { return GatewayTls::default() };
    let generation = gateway.metadata.generation;
    let frontend = frontend_validation::read(view, gateway);
    let client = tls.backend.as_ref().and_then(|backend| backend.client_certificate_ref.as_ref());
    let client = client.and_then(|reference| client_certificate_fault(view, gateway, reference));
    let mut conditions = Vec::new();
    if frontend.has_insecure_fallback() {
        let message = "clients without a valid certificate are let in (mode AllowInsecureFallback)";
        let kind = "InsecureFrontendValidationMode";
        conditions.push(status::holds(kind, "ConfigurationChanged", message, generation));
    }
    let fault = match (&client, frontend.faults().last()) {
        (Some(fault), _) => Some((fault.reason, fault)),
        (None, Some(fault)) => Some(("InvalidParameters", fault)),
        (None, None) => None,
    };
    conditions.push(match fault {
        Some((reason, fault)) => status::fails("ResolvedRefs", reason, fault.to_string(), generation),
        None => status::holds("ResolvedRefs", "ResolvedRefs", "everything spec.tls refers to is there", generation),
    });
    GatewayTls { frontend, conditions }
}

/// Why the certificate shown to backends can't be used.
fn client_certificate_fault(
    view: &View<'_>,
    gateway: &Gateway,
    reference: &SecretObjectReference,
) -> Option<Diagnostic> {
    let path = || FieldPath::field("clientCertificateRef").within("backend").within("tls").within("spec");
    let SecretObjectReference { group, kind, name, namespace } = reference;
    let (group, kind) = (group.as_deref().unwrap_or_default(), kind.as_deref().unwrap_or("Secret"));
    if kind != "Secret" || !group.is_empty() {
        let message = format!("{group}/{kind} can't hold a certificate; name a Secret of the core group");
        return Some(Diagnostic::new(path(), INVALID_CLIENT_CERTIFICATE_REF, message));
    }
    let own = gateway.key().namespace;
    let namespace = namespace.as_deref().unwrap_or(&own);
    let from = ReferenceFrom { group: Gateway::GROUP, kind: Gateway::KIND, namespace: &own };
    if !permitted(view, from, ReferenceTo { group, kind, namespace, name }) {
        let message = format!(
            "Secret {namespace}/{name} is in another namespace; a ReferenceGrant in {namespace} has to allow Gateways of \
             {own} to refer to it"
        );
        return Some(Diagnostic::new(path(), "RefNotPermitted", message));
    }
    let key = ObjectKey::new(namespace, name);
    let message = match view.secret(&key) {
        None => format!("there is no Secret {key}; create it or correct the reference"),
        Some(secret) => {
            let missing = ["tls.crt", "tls.key"].into_iter().find(|name| secret.value(name).is_none())?;
            format!("Secret {key} has no {missing}")
        }
    };
    Some(Diagnostic::new(path(), INVALID_CLIENT_CERTIFICATE_REF, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::gatewayapi::view::Attachments;
    use crate::resources::Resources;

    fn resolved_refs(reference: &str) -> Option<String> {
        let gateway: Gateway = serde_json::from_str(&format!(
            r#"{{"metadata":{{"name":"edge","namespace":"infra"}},
                "spec":{{"gatewayClassName":"eg","tls":{{"backend":{{"clientCertificateRef":{reference}}}}}}}}}"#
        ))
        .unwrap();
        let (resources, attachments, config) = (Resources::default(), Attachments::default(), Config::default());
        let tls = read(&View::new(&resources, &attachments, &config), &gateway);
        tls.conditions.first().map(|condition| condition.reason.clone())
    }

    #[test]
    fn each_fault_of_the_certificate_for_backends_has_its_reason() {
        assert_eq!(resolved_refs(r#"{"name":"c"}"#).as_deref(), Some(INVALID_CLIENT_CERTIFICATE_REF));
        assert_eq!(resolved_refs(r#"{"name":"c","kind":"Service"}"#).as_deref(), Some(INVALID_CLIENT_CERTIFICATE_REF));
        assert_eq!(resolved_refs(r#"{"name":"c","namespace":"other"}"#).as_deref(), Some("RefNotPermitted"));
    }
}

//! Certificates of authorities, by the references of whoever has to trust them.

use crate::api::config_map::ConfigMap;
use crate::api::metadata::ObjectKey;
use crate::api::references::ObjectReference;
use crate::api::secret::Secret;
use crate::diagnostic::{Diagnostic, FieldPath};
use crate::gatewayapi::reference_grants::{ReferenceFrom, ReferenceTo, permitted};
use crate::gatewayapi::sds::{self, SDS_SECRET_TYPE};
use crate::gatewayapi::view::View;
use crate::ir::tls::SdsConfig;

/// The key the certificates are found under, and the one that is tried after it.
const KEYS: [&str; 2] = ["ca.crt", "tls.crt"];
const INVALID_REF: &str = "InvalidCACertificateRef";

/// What to trust.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Authorities {
    /// Certificates in PEM form, one after the other.
    Pem(String),
    /// A secret of an SDS server.
    Sds(SdsConfig),
}

/// Reads what `references`, made by `from`, lead to.
///
/// # Errors
/// The first reference that can't be used; the path begins at the list.
pub(super) fn read(
    view: &View<'_>,
    from: ReferenceFrom<'_>,
    references: &[ObjectReference],
) -> Result<Authorities, Diagnostic> {
    let mut pem: Vec<String> = Vec::new();
    let mut sds: Option<SdsConfig> = None;
    let mut supported = false;
    for (index, reference) in references.iter().enumerate() {
        let at = |fault: Diagnostic| fault.within_item("caCertificateRefs", index);
        let namespace = reference.namespace.as_deref().unwrap_or(from.namespace);
        let ObjectReference { group, kind, name, .. } = reference;
        if !permitted(view, from, ReferenceTo { group, kind, namespace, name }) {
            let message = format!(
                "{kind} {namespace}/{name} is in another namespace; a ReferenceGrant in {namespace} has to allow {}s of \
                 {} to refer to it",
                from.kind, from.namespace
            );
            return Err(at(Diagnostic::new(FieldPath::root(), "RefNotPermitted", message)));
        }
        let key = ObjectKey::new(namespace, name);
        let found = match kind.as_str() {
            "ConfigMap" => config_map(view, &key),
            "Secret" => match view.secret(&key).filter(|secret| secret.r#type.as_deref() == Some(SDS_SECRET_TYPE)) {
                Some(secret) => {
                    if sds.replace(of_sds_server(view, &key, secret).map_err(at)?).is_some() {
                        return Err(at(unfit(format!(
                            "Secret {key} is the second of an SDS server; one is all there can be"
                        ))));
                    }
                    supported = true;
                    continue;
                }
                None => secret(view, &key),
            },
            _ => continue,
        };
        supported = true;
        pem.push(found.map_err(at)?);
    }
    match (pem.is_empty(), sds) {
        (false, None) => Ok(Authorities::Pem(pem.join("\n"))),
        (true, Some(sds)) => Ok(Authorities::Sds(sds)),
        (false, Some(_)) => Err(whole(INVALID_REF, "mix a secret of an SDS server with others; use one or the others")),
        (true, None) if supported => Err(whole("NoValidCACertificate", "lead to no certificate")),
        (true, None) => Err(whole("InvalidCACertificateKind", "must name ConfigMaps or Secrets")),
    }
}

fn whole(reason: &'static str, message: &str) -> Diagnostic {
    Diagnostic::new(FieldPath::field("caCertificateRefs"), reason, message)
}

fn unfit(message: String) -> Diagnostic {
    Diagnostic::new(FieldPath::root(), INVALID_REF, message)
}

fn config_map(view: &View<'_>, key: &ObjectKey) -> Result<String, Diagnostic> {
    let Some(object) = view.config_map(key) else {
        return Err(unfit(format!("there is no ConfigMap {key}; create it or correct the reference")));
    };
    let ConfigMap { data, .. } = object.as_ref();
    let only = || data.values().next().filter(|_| data.len() == 1);
    let found = KEYS.iter().find_map(|name| data.get(*name)).or_else(only);
    found.cloned().ok_or_else(|| unfit(format!("ConfigMap {key} has no ca.crt")))
}

fn secret(view: &View<'_>, key: &ObjectKey) -> Result<String, Diagnostic> {
    let Some(object) = view.secret(key) else {
        return Err(unfit(format!("there is no Secret {key}; create it or correct the reference")));
    };
    let mut keys = object.data.keys().chain(object.string_data.keys());
    let only = keys.next().filter(|_| keys.next().is_none());
    let found = KEYS.iter().find_map(|name| object.value(name)).or_else(|| object.value(only?));
    let found = found.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    found.ok_or_else(|| unfit(format!("Secret {key} has no ca.crt")))
}

fn of_sds_server(view: &View<'_>, key: &ObjectKey, secret: &Secret) -> Result<SdsConfig, Diagnostic> {
    if !view.config().sds_secret_ref_enabled {
        return Err(unfit(format!(
            "Secret {key} stands for a secret of an SDS server, and those are off; set extensionApis.enableSDSSecretRef \
             in the EnvoyGateway configuration"
        )));
    }
    sds::config(secret).map_err(|fault| unfit(format!("Secret {key} {fault}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::any_object::AnyObject;
    use crate::config::Config;
    use crate::gatewayapi::view::Attachments;
    use crate::resources::Resources;

    fn read_refs(refs: &str, objects: Vec<AnyObject>) -> Result<Authorities, &'static str> {
        let resources: Resources = objects.into_iter().collect();
        let (attachments, config) = (Attachments::default(), Config::default());
        let view = View::new(&resources, &attachments, &config);
        let from = ReferenceFrom { group: "gateway.networking.k8s.io", kind: "Gateway", namespace: "infra" };
        read(&view, from, &serde_json::from_str::<Vec<ObjectReference>>(refs).unwrap()).map_err(|fault| fault.reason)
    }

    fn config_map(name: &str, key: &str) -> AnyObject {
        let json =
            format!(r#"{{"metadata":{{"name":"{name}","namespace":"infra"}},"data":{{"{key}":"PEM of {name}"}}}}"#);
        serde_json::from_str::<ConfigMap>(&json).unwrap().into()
    }

    #[test]
    fn several_bundles_stand_one_after_the_other() {
        let refs = r#"[{"group":"","kind":"ConfigMap","name":"a"},{"group":"","kind":"ConfigMap","name":"b"}]"#;
        let read = read_refs(refs, vec![config_map("a", "ca.crt"), config_map("b", "any")]);
        assert_eq!(read, Ok(Authorities::Pem("PEM of a\nPEM of b".to_owned())));
    }

    #[test]
    fn each_way_to_lead_nowhere_has_its_reason() {
        let one = |kind: &str, rest: &str| format!(r#"[{{"group":"","kind":"{kind}","name":"a"{rest}}}]"#);
        assert_eq!(read_refs(&one("ConfigMap", ""), vec![]), Err(INVALID_REF));
        assert_eq!(read_refs(&one("Service", ""), vec![]), Err("InvalidCACertificateKind"));
        assert_eq!(read_refs(&one("Secret", r#","namespace":"other""#), vec![]), Err("RefNotPermitted"));
    }
}

//! TLS of a listener: where it must and must not be set, and the certificates it ends TLS with.

use std::collections::BTreeSet;

use super::certificates::{self, CERTIFICATE, PRIVATE_KEY};
use super::faults::{
    INVALID_CERTIFICATE_REF, ListenerCondition, ListenerFault, PARTIALLY_INVALID_CERTIFICATE_REF, REF_NOT_PERMITTED,
};
use crate::api::gateway::Gateway;
use crate::api::gateway_tls::{ListenerTlsConfig, TlsModeType};
use crate::api::listener::{Listener, ProtocolType};
use crate::api::metadata::{Object, ObjectKey};
use crate::api::references::SecretObjectReference;
use crate::api::secret::{Secret, TLS_SECRET_TYPE};
use crate::diagnostic::{Diagnostic, FieldPath};
use crate::gatewayapi::reference_grants::{ReferenceFrom, ReferenceTo, permitted};
use crate::gatewayapi::sds::{self, SDS_SECRET_TYPE};
use crate::gatewayapi::view::View;
use crate::ir::tls::TlsCertificate;

/// What a listener ends TLS with.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Termination {
    /// Its certificates, in the order they are referred to.
    pub(super) certificates: Vec<TlsCertificate>,
    /// The DNS names of the certificates that can be looked into.
    pub(super) dns_names: Vec<String>,
    /// Whether a certificate comes from an SDS server, and nobody here can tell what it is for.
    pub(super) opaque: bool,
    /// The moment (seconds since 1970) from which the answer may be another.
    pub(super) holds_until: Option<i64>,
}

/// Checks the TLS of a listener against its protocol and reads its certificates.
pub(super) fn check(
    view: &View<'_>,
    gateway: &Gateway,
    listener: &Listener,
    faults: &mut Vec<ListenerFault>,
) -> Termination {
    let tls = FieldPath::field("tls");
    match (&listener.protocol, &listener.tls) {
        (ProtocolType::Http | ProtocolType::Udp | ProtocolType::Tcp, Some(_)) => {
            let message =
                format!("a listener of protocol {} has no TLS; leave it out or use HTTPS or TLS", listener.protocol);
            faults.push(ListenerFault::invalid(tls, message));
        }
        (ProtocolType::Https | ProtocolType::Tls, None) => {
            let message = format!("must be set on a listener of protocol {}", listener.protocol);
            faults.push(ListenerFault::invalid(tls, message));
        }
        (ProtocolType::Https, Some(config)) => match &config.mode {
            None | Some(TlsModeType::Terminate) => return terminate(view, gateway, config, faults),
            Some(mode) => faults.push(ListenerFault::new(
                ListenerCondition::Programmed,
                FieldPath::field("mode").within("tls"),
                "UnsupportedTLSMode",
                format!("{mode} can't be done on an HTTPS listener; use Terminate, or the protocol TLS"),
            )),
        },
        (ProtocolType::Tls, Some(config)) => match &config.mode {
            Some(TlsModeType::Terminate) => return terminate(view, gateway, config, faults),
            Some(TlsModeType::Passthrough) if !config.certificate_refs.is_empty() => {
                let path = FieldPath::field("certificateRefs").within("tls");
                let message = "are of no use in mode Passthrough, where TLS ends at the backend; leave them out";
                faults.push(ListenerFault::invalid(path, message));
            }
            _ => {}
        },
        (ProtocolType::Http | ProtocolType::Udp | ProtocolType::Tcp | ProtocolType::Other(_), _) => {}
    }
    Termination::default()
}

/// A certificateRef that leads to something to serve.
enum Found<'a> {
    Certificate(ObjectKey, &'a Secret),
    Sds(TlsCertificate),
}

/// Reads the certificates a listener refers to. It serves with those that are fit.
fn terminate(
    view: &View<'_>,
    gateway: &Gateway,
    config: &ListenerTlsConfig,
    faults: &mut Vec<ListenerFault>,
) -> Termination {
    if config.certificate_refs.is_empty() {
        let path = FieldPath::field("certificateRefs").within("tls");
        faults.push(ListenerFault::invalid(path, "must name at least one Secret with a certificate"));
        return Termination::default();
    }
    let mut termination = Termination::default();
    let mut refused: Vec<Diagnostic> = Vec::new();
    let mut served = BTreeSet::new();
    let mut sds_names = BTreeSet::new();
    for (index, reference) in config.certificate_refs.iter().enumerate() {
        let fault = match secret(view, gateway, reference) {
            Ok(Found::Sds(certificate)) => {
                termination.opaque = true;
                if sds_names.insert(certificate.name.clone()) {
                    termination.certificates.push(certificate);
                }
                continue;
            }
            Ok(Found::Certificate(key, secret)) => match certificates::serving(secret, &key.to_string(), view.now()) {
                Ok(serving) => {
                    termination.holds_until = sooner(termination.holds_until, serving.holds_until);
                    match certificates::taken_domain(&serving, &mut served) {
                        None => {
                            termination.dns_names.extend(serving.dns_names);
                            termination.certificates.push(serving.certificate);
                            continue;
                        }
                        Some(domain) => unfit(format!(
                            "Secret {key} is for {domain}, and so is an earlier certificate with the same kind of key \
                             ({}); drop one of them",
                            serving.algorithm
                        )),
                    }
                }
                Err(refusal) => {
                    termination.holds_until = sooner(termination.holds_until, refusal.holds_until);
                    unfit(format!("Secret {key}: {}", refusal.message))
                }
            },
            Err(fault) => fault,
        };
        refused.push(fault.within_item("certificateRefs", index).within("tls"));
    }
    faults.extend(refs_fault(refused, termination.certificates.is_empty()));
    termination
}

/// What the certificates that were refused mean to the listener, with the path of the first of them.
fn refs_fault(refused: Vec<Diagnostic>, none_is_left: bool) -> Option<ListenerFault> {
    let path = refused.first()?.path.clone();
    let words: Vec<&str> = refused.iter().map(|fault| fault.message.as_str()).collect();
    let words = words.join("; ");
    let (reason, message) = if !none_is_left {
        (PARTIALLY_INVALID_CERTIFICATE_REF, format!("the listener serves with its other certificates: {words}"))
    } else if refused.iter().all(|fault| fault.reason == REF_NOT_PERMITTED) {
        (REF_NOT_PERMITTED, words)
    } else {
        (INVALID_CERTIFICATE_REF, words)
    };
    Some(ListenerFault::new(ListenerCondition::ResolvedRefs, path, reason, message))
}

/// The earlier of two moments.
pub(super) fn sooner(one: Option<i64>, other: Option<i64>) -> Option<i64> {
    one.into_iter().chain(other).min()
}

fn unfit(message: String) -> Diagnostic {
    Diagnostic::new(FieldPath::root(), INVALID_CERTIFICATE_REF, message)
}

/// The Secret a certificateRef leads to.
fn secret<'a>(view: &View<'a>, gateway: &Gateway, reference: &SecretObjectReference) -> Result<Found<'a>, Diagnostic> {
    let SecretObjectReference { group, kind, name, namespace } = reference;
    if group.as_deref().is_some_and(|group| !group.is_empty()) || kind.as_deref().is_some_and(|kind| kind != "Secret") {
        return Err(unfit(format!(
            "{}/{} can't hold a certificate; name a Secret of the core group",
            group.as_deref().unwrap_or_default(),
            kind.as_deref().unwrap_or("Secret")
        )));
    }
    let own = gateway.key().namespace;
    let namespace = namespace.as_deref().filter(|namespace| !namespace.is_empty()).unwrap_or(&own);
    let from = ReferenceFrom { group: Gateway::GROUP, kind: Gateway::KIND, namespace: &own };
    if !permitted(view, from, ReferenceTo { group: "", kind: "Secret", namespace, name }) {
        return Err(Diagnostic::new(
            FieldPath::root(),
            REF_NOT_PERMITTED,
            format!(
                "Secret {namespace}/{name} is in another namespace; a ReferenceGrant in {namespace} has to allow \
                 Gateways of {own} to refer to it"
            ),
        ));
    }
    let key = ObjectKey::new(namespace, name);
    let Some(secret) = view.secret(&key) else {
        return Err(unfit(format!("there is no Secret {key}; create it or correct the reference")));
    };
    match secret.r#type.as_deref() {
        Some(SDS_SECRET_TYPE) if !view.config().sds_secret_ref_enabled => Err(unfit(format!(
            "Secret {key} stands for a secret of an SDS server, and those are off; set extensionApis.enableSDSSecretRef \
             in the EnvoyGateway configuration"
        ))),
        Some(SDS_SECRET_TYPE) => match sds::config(secret) {
            Ok(config) => {
                Ok(Found::Sds(TlsCertificate { name: key.to_string(), sds: Some(config), ..TlsCertificate::default() }))
            }
            Err(fault) => Err(unfit(format!("Secret {key} {fault}"))),
        },
        Some(TLS_SECRET_TYPE) => {
            let missing =
                [CERTIFICATE, PRIVATE_KEY].into_iter().find(|name| secret.value(name).is_none_or(<[u8]>::is_empty));
            match missing {
                Some(missing) => Err(unfit(format!("Secret {key} has no {missing}"))),
                None => Ok(Found::Certificate(key, secret)),
            }
        }
        other => Err(unfit(format!(
            "Secret {key} is of type {}; it must be of type {TLS_SECRET_TYPE}",
            other.unwrap_or("Opaque")
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::any_object::AnyObject;
    use crate::api::reference_grant::ReferenceGrant;
    use crate::config::Config;
    use crate::gatewayapi::listeners::certificates::tests::secret as certificate;
    use crate::gatewayapi::view::Attachments;
    use crate::resources::Resources;

    fn checked(listener: &str, objects: Vec<AnyObject>) -> (Termination, Vec<String>) {
        let resources: Resources = objects.into_iter().collect();
        let (attachments, config) = (Attachments::default(), Config::default());
        let view = View::new(&resources, &attachments, &config);
        let gateway: Gateway = serde_json::from_str(
            r#"{"metadata":{"name":"edge","namespace":"infra"},"spec":{"gatewayClassName":"eg"}}"#,
        )
        .unwrap();
        let listener = format!(r#"{{"name":"l","port":443,{listener}}}"#);
        let mut faults = Vec::new();
        let termination = check(&view, &gateway, &serde_json::from_str(&listener).unwrap(), &mut faults);
        let faults = faults
            .iter()
            .map(|fault| format!("{:?} {} {}", fault.condition, fault.diagnostic.reason, fault.diagnostic.path))
            .collect();
        (termination, faults)
    }

    fn https(refs: &str) -> String {
        format!(r#""protocol":"HTTPS","tls":{{"certificateRefs":[{refs}]}}"#)
    }

    #[test]
    fn tls_stands_where_the_protocol_has_it() {
        assert_eq!(checked(r#""protocol":"HTTP","tls":{}"#, vec![]).1, ["Programmed Invalid tls"]);
        assert_eq!(checked(r#""protocol":"HTTPS""#, vec![]).1, ["Programmed Invalid tls"]);
        assert_eq!(checked(r#""protocol":"TLS""#, vec![]).1, ["Programmed Invalid tls"]);
        assert_eq!(checked(&https(""), vec![]).1, ["Programmed Invalid tls.certificateRefs"]);
        let passthrough = r#""protocol":"HTTPS","tls":{"mode":"Passthrough"}"#;
        assert_eq!(checked(passthrough, vec![]).1, ["Programmed UnsupportedTLSMode tls.mode"]);
        let refs = r#""protocol":"TLS","tls":{"mode":"Passthrough","certificateRefs":[{"name":"a"}]}"#;
        assert_eq!(checked(refs, vec![]).1, ["Programmed Invalid tls.certificateRefs"]);
        assert!(checked(r#""protocol":"TLS","tls":{"mode":"Passthrough"}"#, vec![]).1.is_empty());
    }

    #[test]
    fn a_missing_secret_and_a_missing_grant_are_two_things() {
        let missing = checked(&https(r#"{"name":"a"}"#), vec![]).1;
        assert_eq!(missing, ["ResolvedRefs InvalidCertificateRef tls.certificateRefs[0]"]);
        let elsewhere = r#"{"name":"tls","namespace":"certs"}"#;
        let mut secret = certificate("tls", &["a.example.com"]);
        secret.metadata.namespace = Some("certs".to_owned());
        let refused = checked(&https(elsewhere), vec![secret.clone().into()]).1;
        assert_eq!(refused, ["ResolvedRefs RefNotPermitted tls.certificateRefs[0]"]);
        let grant: ReferenceGrant = serde_json::from_str(
            r#"{"metadata":{"name":"g","namespace":"certs"},"spec":{
                "from":[{"group":"gateway.networking.k8s.io","kind":"Gateway","namespace":"infra"}],
                "to":[{"group":"","kind":"Secret"}]}}"#,
        )
        .unwrap();
        let (termination, faults) = checked(&https(elsewhere), vec![secret.into(), grant.into()]);
        assert!(faults.is_empty(), "{faults:?}");
        assert_eq!(termination.certificates[0].name, "certs/tls");
    }

    #[test]
    fn a_listener_serves_with_the_certificates_that_are_fit() {
        let objects = vec![certificate("good", &["a.example.com"]).into()];
        let (termination, faults) = checked(&https(r#"{"name":"bad"},{"name":"good"}"#), objects);
        assert_eq!(faults, ["ResolvedRefs PartiallyInvalidCertificateRef tls.certificateRefs[0]"]);
        assert_eq!(termination.certificates.len(), 1);
        assert_eq!(termination.dns_names, ["a.example.com"]);
    }

    #[test]
    fn a_secret_of_another_type_is_no_certificate() {
        let mut opaque = certificate("tls", &["a.example.com"]);
        opaque.r#type = None;
        let faults = checked(&https(r#"{"name":"tls"}"#), vec![opaque.into()]).1;
        assert_eq!(faults, ["ResolvedRefs InvalidCertificateRef tls.certificateRefs[0]"]);
    }

    #[test]
    fn secrets_of_an_sds_server_have_to_be_switched_on() {
        let mut sds = Secret::default();
        sds.metadata.name = "tls".to_owned();
        sds.metadata.namespace = Some("infra".to_owned());
        sds.r#type = Some(SDS_SECRET_TYPE.to_owned());
        let (termination, faults) = checked(&https(r#"{"name":"tls"}"#), vec![sds.into()]);
        assert_eq!(faults, ["ResolvedRefs InvalidCertificateRef tls.certificateRefs[0]"]);
        assert!(termination.certificates.is_empty());
    }
}

//! `Gateway.spec.tls.frontend`: how HTTPS listeners validate the certificates of clients.

use std::collections::BTreeMap;

use super::ca_certificates::{self, Authorities};
use super::reference_grants::ReferenceFrom;
use super::view::View;
use crate::api::gateway::Gateway;
use crate::api::gateway_tls::{FrontendTlsValidation, FrontendValidationModeType};
use crate::api::metadata::Object;
use crate::diagnostic::Diagnostic;
use crate::ir::Bytes;
use crate::ir::tls::TlsCaCertificate;

/// How clients are validated.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ClientValidation {
    /// Whom to trust.
    pub(super) ca: TlsCaCertificate,
    /// Whether clients without a valid certificate are let in all the same.
    pub(super) insecure_fallback: bool,
}

/// How clients are validated on each port of a Gateway; where that can't be told, the listeners there must not serve.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FrontendValidation {
    default: Option<Result<ClientValidation, Diagnostic>>,
    per_port: BTreeMap<i32, Option<Result<ClientValidation, Diagnostic>>>,
}

impl FrontendValidation {
    /// How clients are validated on `port`: as is said for the port, or else by default.
    pub(super) fn on_port(&self, port: i32) -> Option<&Result<ClientValidation, Diagnostic>> {
        self.per_port.get(&port).unwrap_or(&self.default).as_ref()
    }

    fn all(&self) -> impl Iterator<Item = &Result<ClientValidation, Diagnostic>> {
        self.default.iter().chain(self.per_port.values().flatten())
    }

    /// What can't be used, with the path in the Gateway.
    pub(super) fn faults(&self) -> impl Iterator<Item = &Diagnostic> {
        self.all().filter_map(|validation| validation.as_ref().err())
    }

    /// Whether clients without a valid certificate are let in somewhere.
    pub(super) fn has_insecure_fallback(&self) -> bool {
        self.all().flatten().any(|validation| validation.insecure_fallback)
    }
}

/// Reads how a Gateway validates its clients.
pub(super) fn read(view: &View<'_>, gateway: &Gateway) -> FrontendValidation {
    let Some(frontend) = gateway.spec.tls.as_ref().and_then(|tls| tls.frontend.as_ref()) else {
        return FrontendValidation::default();
    };
    let inside = |fault: Diagnostic| fault.within("frontend").within("tls").within("spec");
    let default = frontend.default.validation.as_ref().map(|validation| {
        one(view, gateway, validation, "default").map_err(|fault| inside(fault.within("validation").within("default")))
    });
    let per_port = frontend.per_port.iter().enumerate().map(|(index, entry)| {
        let validation = entry.tls.validation.as_ref().map(|validation| {
            one(view, gateway, validation, &entry.port.to_string())
                .map_err(|fault| inside(fault.within("validation").within("tls").within_item("perPort", index)))
        });
        (entry.port, validation)
    });
    FrontendValidation { default, per_port: per_port.collect() }
}

fn one(
    view: &View<'_>,
    gateway: &Gateway,
    validation: &FrontendTlsValidation,
    suffix: &str,
) -> Result<ClientValidation, Diagnostic> {
    let key = gateway.key();
    let from = ReferenceFrom { group: Gateway::GROUP, kind: Gateway::KIND, namespace: &key.namespace };
    let authorities = ca_certificates::read(view, from, &validation.ca_certificate_refs)?;
    let name = format!("gateway/{key}/{suffix}/ca.crt");
    let ca = match authorities {
        Authorities::Pem(pem) => {
            TlsCaCertificate { name, certificate: Bytes::from(pem.into_bytes()), ..TlsCaCertificate::default() }
        }
        Authorities::Sds(sds) => TlsCaCertificate { name, sds: Some(sds), ..TlsCaCertificate::default() },
    };
    let insecure_fallback = validation.mode == Some(FrontendValidationModeType::AllowInsecureFallback);
    Ok(ClientValidation { ca, insecure_fallback })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::config_map::ConfigMap;
    use crate::config::Config;
    use crate::gatewayapi::view::Attachments;
    use crate::resources::Resources;

    #[test]
    fn a_port_has_its_own_validation_or_the_default() {
        let gateway: Gateway = serde_json::from_str(
            r#"{"metadata":{"name":"edge","namespace":"infra"},"spec":{"gatewayClassName":"eg","tls":{"frontend":{
                "default":{"validation":{"caCertificateRefs":[{"group":"","kind":"ConfigMap","name":"ca"}]}},
                "perPort":[
                    {"port":8443,"tls":{}},
                    {"port":9443,"tls":{"validation":{"mode":"AllowInsecureFallback",
                        "caCertificateRefs":[{"group":"","kind":"ConfigMap","name":"none"}]}}}]}}}}"#,
        )
        .unwrap();
        let ca: ConfigMap =
            serde_json::from_str(r#"{"metadata":{"name":"ca","namespace":"infra"},"data":{"ca.crt":"PEM"}}"#).unwrap();
        let resources: Resources = [ca.into()].into_iter().collect();
        let (attachments, config) = (Attachments::default(), Config::default());
        let read = read(&View::new(&resources, &attachments, &config), &gateway);
        let default = read.on_port(443).unwrap().as_ref().unwrap();
        assert_eq!((default.ca.name.as_str(), default.insecure_fallback), ("gateway/infra/edge/default/ca.crt", false));
        assert_eq!(read.on_port(8443), None);
        assert!(read.on_port(9443).unwrap().is_err());
        let faults: Vec<_> = read.faults().map(|fault| fault.path.to_string()).collect();
        assert_eq!(faults, ["spec.tls.frontend.perPort[1].tls.validation.caCertificateRefs[0]"]);
        assert!(!read.has_insecure_fallback());
    }
}

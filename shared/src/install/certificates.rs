//! The Job that makes certificates and keys, once.

use serde_json::{Value, json};
use x509_parser::pem::parse_x509_pem;

use super::object::{InstallKind, InstallObject, Step};
use super::options::Options;
use super::{agent, labels};

/// The name of the Job, its account and its roles.
pub(super) fn name(options: &Options) -> String {
    format!("{}-certgen", labels::full_name(&options.instance))
}

/// The Job. What is already there it leaves alone.
pub(super) fn job(options: &Options) -> InstallObject {
    let mut args = vec!["certgen"];
    if !options.config.topology_injector() {
        args.push("--disable-topology-injector");
    }
    let mut pod = json!({
        "automountServiceAccountToken": true,
        "securityContext": agent::pod_security(),
        "serviceAccountName": name(options),
        "restartPolicy": "Never",
        "containers": [{
            "name": "envoy-gateway-certgen",
            "image": options.values.image(),
            "args": args,
            "env": agent::environment(options),
            "securityContext": agent::container_security(),
        }],
    });
    agent::placement(options, &mut pod);
    let content = json!({
        "metadata": labels::metadata(options, &name(options)),
        "spec": {
            "backoffLimit": 1,
            "completions": 1,
            "parallelism": 1,
            "ttlSecondsAfterFinished": 300,
            "template": { "metadata": { "labels": { "app": "certgen" } }, "spec": pod },
        },
    });
    let mut job = InstallObject::new(Step::Certificates, InstallKind::Job, content);
    agent::pull_policy(
        options,
        job.content.pointer_mut("/spec/template/spec/containers/0").unwrap_or(&mut Value::Null),
    );
    job
}

/// How long a certificate is valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validity {
    /// The last day: `2031-11-28`.
    pub day: String,
    /// Its end, in seconds since 1970.
    pub ends: u64,
}

/// How long the first certificate of a PEM file is valid.
#[must_use]
pub fn validity(pem: &[u8]) -> Option<Validity> {
    let (_, block) = parse_x509_pem(pem).ok()?;
    let certificate = block.parse_x509().ok()?;
    let end = certificate.validity().not_after;
    let ends = u64::try_from(end.timestamp()).unwrap_or_default();
    let end = end.to_datetime();
    Some(Validity { day: format!("{}-{:02}-{:02}", end.year(), u8::from(end.month()), end.day()), ends })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_says_how_long_it_is_valid() {
        let key = rcgen::KeyPair::generate().unwrap();
        let mut params = rcgen::CertificateParams::new(vec!["envoy-gateway".to_owned()]).unwrap();
        params.not_after = rcgen::date_time_ymd(2031, 11, 8);
        let pem = params.self_signed(&key).unwrap().pem();
        let ends = 1_951_862_400;
        assert_eq!(validity(pem.as_bytes()), Some(Validity { day: "2031-11-08".to_owned(), ends }));
        assert_eq!(validity(b"no certificate"), None);
    }
}

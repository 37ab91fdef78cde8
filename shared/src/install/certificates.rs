//! The Job that makes certificates and keys, once.

use serde_json::{Value, json};

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

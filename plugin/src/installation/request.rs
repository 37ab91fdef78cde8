//! What is asked for: flags, files, and what an earlier installation remembers, made into options.

use std::collections::BTreeMap;

use gateway_shared::config::DEFAULT_CONTROLLER_NAMESPACE;
use gateway_shared::install::configuration::ConfigFile;
use gateway_shared::install::options::{self, DEFAULT_INSTANCE, Values};
use gateway_shared::install::{CLUSTER_DOMAIN, CONFIG_KEY, InstallKind, NAME, Options, REMEMBERED};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ResourceRequirements;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use serde_json::Value;

use super::removal::is_ours;
use crate::args::install::{NamespaceMode, Settings};
use crate::exit::{Exit, Failure};
use crate::input::Reader;
use crate::render::printer::Printer;

/// What flags and files say, the flags on top.
pub struct Asked {
    /// The values.
    pub values: Values,
    /// The configuration file, if one is named.
    pub config: Option<ConfigFile>,
}

/// Reads the files that `settings` name.
///
/// # Errors
/// When a file can't be read or says what can't be understood.
pub fn read(settings: &Settings, reader: &mut Reader<'_>, printer: &mut Printer<'_>) -> Result<Asked, Failure> {
    let config = match &settings.config {
        Some(path) => {
            let file = reader.file(path)?;
            Some(ConfigFile::read(&file.name, &file.text).map_err(|findings| told(&findings))?)
        }
        None => None,
    };
    for warning in config.iter().flat_map(|config| &config.warnings) {
        printer.warning(&warning.to_string());
    }
    let values = match &settings.values {
        Some(path) => {
            let file = reader.file(path)?;
            let document = serde_yaml::Deserializer::from_str(&file.text);
            serde_path_to_error::deserialize(document).map_err(|error| {
                Failure::new(Exit::BadInput, format!("{}: {}: {}", file.name, error.path(), error.inner()))
            })?
        }
        None => Values::default(),
    };
    Ok(Asked { values: values.overlaid(flags(settings)), config })
}

fn told(findings: &[impl ToString]) -> Failure {
    let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
    Failure::new(Exit::BadInput, format!("the configuration can't be used:\n  {}", lines.join("\n  ")))
}

/// What the flags say.
fn flags(settings: &Settings) -> Values {
    let amounts = |list: &[(String, String)]| {
        let amounts = list.iter().map(|(resource, amount)| (resource.clone(), Quantity(amount.clone())));
        (!list.is_empty()).then(|| amounts.collect::<BTreeMap<_, _>>())
    };
    let (requests, limits) = (amounts(&settings.requests), amounts(&settings.limits));
    let resources = (requests.is_some() || limits.is_some()).then(|| ResourceRequirements {
        requests,
        limits,
        ..ResourceRequirements::default()
    });
    Values {
        image: settings.image.clone(),
        replicas: settings.replicas,
        resources,
        gateway_class: settings.gateway_class.clone(),
        namespace_mode: settings.namespace_mode.map(|mode| match mode {
            NamespaceMode::ControllerNamespace => options::NamespaceMode::ControllerNamespace,
            NamespaceMode::GatewayNamespace => options::NamespaceMode::GatewayNamespace,
        }),
        watch_namespaces: settings.watch_namespaces.as_ref().map(|names| {
            let all = names.iter().any(|name| name == "*");
            if all { Vec::new() } else { names.clone() }
        }),
        ..Values::default()
    }
}

/// What of an earlier installation, ours or Envoy Gateway's, counts for the next.
#[derive(Clone, Debug, Default)]
pub struct Earlier {
    /// The instance label its Deployment finds its pods by.
    pub instance: Option<String>,
    /// The values it was installed with.
    pub values: Values,
    /// Its configuration file.
    pub config: Option<String>,
    /// An autoscaler says how many agents there are.
    pub autoscaled: bool,
}

impl Earlier {
    /// Reads the live Deployment and ConfigMap. A remembered value that can't be read counts as none. Of a Deployment
    /// that isn't ours counts what it says itself.
    #[must_use]
    pub fn of(deployment: Option<&Value>, config_map: Option<&Value>) -> Self {
        let text = |of: Option<&Value>, path: &[&str]| {
            let value = path.iter().try_fold(of?, |value, key| value.get(key))?;
            value.as_str().map(str::to_owned)
        };
        let instance = text(deployment, &["spec", "selector", "matchLabels", "app.kubernetes.io/instance"]);
        let remembered = text(deployment, &["metadata", "annotations", REMEMBERED]);
        let others = deployment.filter(|deployment| !is_ours(deployment)).map(values_of_others);
        let ours = || remembered.and_then(|text| serde_json::from_str(&text).ok());
        Self {
            instance,
            values: others.or_else(ours).unwrap_or_default(),
            config: text(config_map, &["data", CONFIG_KEY]),
            autoscaled: false,
        }
    }

    /// The same, with how many agents there are left to an autoscaler of them, if one is among `autoscalers`.
    #[must_use]
    pub fn scaled_by(mut self, autoscalers: &[Value], namespace: &str) -> Self {
        self.autoscaled = autoscalers.iter().any(|autoscaler| {
            let is = |pointer: &str, text: &str| autoscaler.pointer(pointer).and_then(Value::as_str) == Some(text);
            is("/metadata/namespace", namespace)
                && is("/spec/scaleTargetRef/kind", InstallKind::Deployment.kind())
                && is("/spec/scaleTargetRef/name", NAME)
        });
        if self.autoscaled {
            self.values.replicas = None;
        }
        self
    }

    /// Its configuration as far as it can be understood.
    #[must_use]
    pub fn config_file(&self) -> ConfigFile {
        let text = self.config.as_deref();
        text.and_then(|text| ConfigFile::read("", text).ok()).unwrap_or_default()
    }

    /// The instance label of its objects, or of those that would be made in `namespace`: names that are of the whole
    /// cluster carry it, so it differs between namespaces.
    #[must_use]
    pub fn instance_in(&self, namespace: &str) -> String {
        let other = if namespace == DEFAULT_CONTROLLER_NAMESPACE { DEFAULT_INSTANCE } else { namespace };
        self.instance.clone().unwrap_or_else(|| other.to_owned())
    }
}

/// What an Envoy Gateway's Deployment says that we say too: it was set for a reason. Its image isn't ours.
fn values_of_others(deployment: &Value) -> Values {
    let Ok(Deployment { spec: Some(spec), .. }) = serde_json::from_value(deployment.clone()) else {
        return Values::default();
    };
    let pod = spec.template.spec.unwrap_or_default();
    let container = pod.containers.into_iter().find(|container| container.name == NAME).unwrap_or_default();
    let mut variables = container.env.into_iter().flatten();
    Values {
        replicas: spec.replicas.filter(|replicas| *replicas > 0),
        resources: container.resources,
        image_pull_secrets: pod.image_pull_secrets.into_iter().flatten().map(|secret| secret.name).collect(),
        cluster_domain: variables.find(|variable| variable.name == CLUSTER_DOMAIN).and_then(|domain| domain.value),
        ..Values::default()
    }
}

/// The options: what is asked for, on top of what was before.
///
/// # Errors
/// With everything that can't be installed so.
pub fn options(namespace: &str, asked: Asked, earlier: Earlier) -> Result<Options, Failure> {
    let Asked { values, config } = asked;
    let instance = earlier.instance_in(namespace);
    let Earlier { instance: _, values: before, config: there, autoscaled } = earlier;
    let values = before.overlaid(values);
    let config = match (config, there) {
        (Some(named), _) => named,
        (None, Some(text)) => {
            ConfigFile::read("ConfigMap envoy-gateway-config", &text).map_err(|findings| told(&findings))?
        }
        (None, None) => ConfigFile::default(),
    };
    let options = Options {
        namespace: namespace.to_owned(),
        instance,
        version: VERSION.to_owned(),
        config: config.with(&values),
        values,
        autoscaled,
    };
    let faults = options.faults();
    if faults.is_empty() {
        return Ok(options);
    }
    let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
    Err(Failure::new(Exit::Usage, format!("this can't be installed:\n  {}", lines.join("\n  "))))
}

/// The version that is installed: this program's own.
pub const VERSION: &str = concat!("v", env!("CARGO_PKG_VERSION"));

#[cfg(test)]
mod tests {
    use gateway_shared::install::{MANAGED_BY, MANAGER};
    use serde_json::json;

    use super::*;

    fn asked(settings: &Settings) -> Asked {
        Asked { values: flags(settings), config: None }
    }

    #[test]
    fn what_was_installed_stays_unless_it_is_said_again() {
        let remembered = json!({ "replicas": 3, "image": "r.example/a:1" }).to_string();
        let deployment = json!({
            "metadata": { "labels": { MANAGED_BY: MANAGER }, "annotations": { REMEMBERED: remembered } },
            "spec": { "selector": { "matchLabels": { "app.kubernetes.io/instance": "gw" } } },
        });
        let config = json!({ "data": { CONFIG_KEY: "kind: EnvoyGateway\n# by hand\n" } });
        let earlier = Earlier::of(Some(&deployment), Some(&config));
        let settings = Settings { image: Some("r.example/a:2".to_owned()), ..Settings::default() };
        let options = options("gw", asked(&settings), earlier).unwrap();
        assert_eq!((options.values.replicas(), options.values.image()), (3, "r.example/a:2"));
        assert_eq!(options.instance, "gw");
        assert!(options.config.text.contains("# by hand"));
    }

    #[test]
    fn what_a_chart_had_set_stays_when_it_is_taken_over() {
        let container = json!({
            "name": "envoy-gateway",
            "image": "docker.io/envoyproxy/gateway:v1.9.0",
            "env": [{ "name": "KUBERNETES_CLUSTER_DOMAIN", "value": "corp.local" }],
            "resources": { "requests": { "memory": "256Mi" } },
        });
        let deployment = json!({
            "metadata": { "labels": { MANAGED_BY: "Helm" } },
            "spec": {
                "replicas": 3,
                "selector": {},
                "template": { "spec": { "containers": [container], "imagePullSecrets": [{ "name": "reg" }] } },
            },
        });
        let values = Earlier::of(Some(&deployment), None).values;
        assert_eq!((values.replicas, values.cluster_domain()), (Some(3), "corp.local"));
        assert_eq!((values.image, values.image_pull_secrets), (None, vec!["reg".to_owned()]));
        let requests = values.resources.unwrap().requests.unwrap();
        assert_eq!(requests.get("memory").unwrap().0, "256Mi");

        let autoscaler = |namespace: &str, name: &str| {
            json!({
                "metadata": { "namespace": namespace },
                "spec": { "scaleTargetRef": { "kind": "Deployment", "name": name } },
            })
        };
        let scaled = Earlier::of(Some(&deployment), None).scaled_by(&[autoscaler("gw", "envoy-gateway")], "gw");
        assert_eq!((scaled.autoscaled, scaled.values.replicas), (true, None));
        let of_others = [autoscaler("shop", "envoy-gateway"), autoscaler("gw", "web")];
        let alone = Earlier::of(Some(&deployment), None).scaled_by(&of_others, "gw");
        assert_eq!((alone.autoscaled, alone.values.replicas), (false, Some(3)));
    }

    #[test]
    fn a_star_watches_everything_again() {
        let watch = |names: &[&str]| Settings {
            watch_namespaces: Some(names.iter().map(|name| (*name).to_owned()).collect()),
            ..Settings::default()
        };
        let some = options("gw", asked(&watch(&["shop"])), Earlier::default()).unwrap();
        assert_eq!(some.config.file.watched_namespaces(), ["shop"]);
        let earlier = Earlier { config: Some(some.config.text), ..Earlier::default() };
        assert!(options("gw", asked(&watch(&["*"])), earlier).unwrap().config.file.watched_namespaces().is_empty());
    }

    #[test]
    fn a_broken_configuration_in_the_cluster_is_said() {
        let earlier = Earlier { config: Some("kind: [".to_owned()), ..Earlier::default() };
        let failure = options("gw", asked(&Settings::default()), earlier).unwrap_err().to_string();
        assert!(failure.contains("ConfigMap envoy-gateway-config"), "{failure}");
        let none = Settings { replicas: Some(0), ..Settings::default() };
        let failure = options("gw", asked(&none), Earlier::default()).unwrap_err().to_string();
        assert!(failure.contains("replicas: 0 agents are none"), "{failure}");
    }
}

//! What is asked for: flags, files, and what an earlier installation remembers, made into options.

use std::collections::BTreeMap;

use gateway_shared::config::DEFAULT_CONTROLLER_NAMESPACE;
use gateway_shared::install::configuration::ConfigFile;
use gateway_shared::install::options::{self, DEFAULT_INSTANCE, Values};
use gateway_shared::install::{CONFIG_KEY, Options, REMEMBERED};
use k8s_openapi::api::core::v1::ResourceRequirements;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use serde_json::Value;

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
            if all { Vec::new() } else { names.iter().filter(|name| !name.is_empty()).cloned().collect() }
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
}

impl Earlier {
    /// Reads the live Deployment and ConfigMap. A remembered value that can't be read counts as none.
    #[must_use]
    pub fn of(deployment: Option<&Value>, config_map: Option<&Value>) -> Self {
        let text = |of: Option<&Value>, path: &[&str]| {
            let value = path.iter().try_fold(of?, |value, key| value.get(key))?;
            value.as_str().map(str::to_owned)
        };
        let instance = text(deployment, &["spec", "selector", "matchLabels", "app.kubernetes.io/instance"]);
        let remembered = text(deployment, &["metadata", "annotations", REMEMBERED]);
        Self {
            instance,
            values: remembered.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default(),
            config: text(config_map, &["data", CONFIG_KEY]),
        }
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

/// The options: what is asked for, on top of what was before.
///
/// # Errors
/// With everything that can't be installed so.
pub fn options(namespace: &str, asked: Asked, earlier: Earlier) -> Result<Options, Failure> {
    let Asked { values, config } = asked;
    let instance = earlier.instance_in(namespace);
    let Earlier { instance: _, values: before, config: there } = earlier;
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
    use serde_json::json;

    use super::*;

    fn asked(settings: &Settings) -> Asked {
        Asked { values: flags(settings), config: None }
    }

    #[test]
    fn what_was_installed_stays_unless_it_is_said_again() {
        let remembered = json!({ "replicas": 3, "image": "r.example/a:1" }).to_string();
        let deployment = json!({
            "metadata": { "annotations": { REMEMBERED: remembered } },
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

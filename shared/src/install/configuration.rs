//! The configuration file of the agent: kept as its author wrote it, changed only where a flag asks for it.

use std::sync::Arc;

use serde_yaml::{Mapping, Value};

use super::options::Values;
use crate::api::envoy_gateway::EnvoyGateway;
use crate::api::envoy_gateway_provider::KubernetesDeployModeType;
use crate::diagnostic::{Diagnostic, FieldPath};
use crate::resources::decode::{self, DecodedConfig, Finding};

/// What is installed where nobody names a file: Envoy Gateway's defaults, spelled out.
const DEFAULT: &str = "\
apiVersion: gateway.envoyproxy.io/v1alpha1
kind: EnvoyGateway
gateway:
  controllerName: gateway.envoyproxy.io/gatewayclass-controller
logging:
  level:
    default: info
provider:
  type: Kubernetes
";

/// The configuration file.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigFile {
    /// As it is written.
    pub text: String,
    /// As it is understood.
    pub file: Arc<EnvoyGateway>,
    /// Fields that nobody understands.
    pub warnings: Vec<Finding>,
}

impl Default for ConfigFile {
    fn default() -> Self {
        let file = serde_yaml::from_str(DEFAULT).unwrap_or_default();
        Self { text: DEFAULT.to_owned(), file: Arc::new(file), warnings: Vec::new() }
    }
}

impl ConfigFile {
    /// Reads a file. `source` names it in messages.
    ///
    /// # Errors
    /// What is wrong with it, with lines.
    pub fn read(source: &str, text: &str) -> Result<Self, Vec<Finding>> {
        let DecodedConfig { config, extras: _, warnings } = decode::config(source, text)?;
        Ok(Self { text: text.to_owned(), file: Arc::new(config), warnings })
    }

    /// The file with the namespace mode and the watched namespaces of `values`. It stays as it was written where they
    /// say nothing new.
    #[must_use]
    pub fn with(self, values: &Values) -> Self {
        let mut document: Value = serde_yaml::from_str(&self.text).unwrap_or_default();
        let before = document.clone();
        if let Some(mode) = values.namespace_mode.filter(|mode| self.deploy_mode() != (*mode).into()) {
            let mode = KubernetesDeployModeType::from(mode).to_string();
            put(&mut document, &["provider", "kubernetes", "deploy", "type"], Value::String(mode));
        }
        if let Some(namespaces) = &values.watch_namespaces
            && namespaces != self.file.watched_namespaces()
        {
            if namespaces.is_empty() {
                remove(&mut document, &["provider", "kubernetes"], "watch");
            } else {
                let names = namespaces.iter().cloned().map(Value::String).collect();
                put(&mut document, &["provider", "kubernetes", "watch", "type"], Value::String("Namespaces".into()));
                put(&mut document, &["provider", "kubernetes", "watch", "namespaces"], Value::Sequence(names));
            }
        }
        if document == before {
            return self;
        }
        // A provider has to say what it is.
        if document.get("provider").is_some_and(|provider| provider.get("type").is_none()) {
            put(&mut document, &["provider", "type"], Value::String("Kubernetes".into()));
        }
        let Ok(text) = serde_yaml::to_string(&document) else { return self };
        Self::read("the configuration", &text).unwrap_or(self)
    }

    /// Whether proxies are told their zone.
    #[must_use]
    pub fn topology_injector(&self) -> bool {
        let injector = self.file.kubernetes().and_then(|kubernetes| kubernetes.proxy_topology_injector.as_ref());
        injector.and_then(|injector| injector.disabled) != Some(true)
    }

    /// What can't be installed.
    pub(super) fn faults(&self) -> Vec<Diagnostic> {
        if self.file.runs_on_kubernetes() && !self.file.runs_on_host() {
            return Vec::new();
        }
        let path = FieldPath::field("type").within("provider").within("config");
        vec![Diagnostic::new(
            path,
            "Invalid",
            "an agent in a cluster needs the provider Kubernetes: leave out `provider`",
        )]
    }

    fn deploy_mode(&self) -> KubernetesDeployModeType {
        if self.file.gateway_namespace_mode() {
            KubernetesDeployModeType::GatewayNamespace
        } else {
            KubernetesDeployModeType::ControllerNamespace
        }
    }
}

/// Sets the field at `path`, making what encloses it.
fn put(document: &mut Value, path: &[&str], value: Value) {
    let Some((first, rest)) = path.split_first() else {
        *document = value;
        return;
    };
    if !document.is_mapping() {
        *document = Value::Mapping(Mapping::new());
    }
    if let Value::Mapping(mapping) = document {
        let below = mapping.entry(Value::String((*first).to_owned())).or_insert(Value::Null);
        put(below, rest, value);
    }
}

/// Removes `field` of what is at `path`.
fn remove(document: &mut Value, path: &[&str], field: &str) {
    let inside = path.iter().try_fold(document, |value, key| value.get_mut(*key));
    if let Some(Value::Mapping(mapping)) = inside {
        mapping.remove(field);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::install::options::NamespaceMode;

    #[test]
    fn a_file_stays_as_it_was_written_where_flags_say_nothing_new() {
        let text = "# ours\nkind: EnvoyGateway\nprovider:\n  type: Kubernetes\n  kubernetes:\n    deploy: {type: GatewayNamespace}\n";
        let file = ConfigFile::read("f", text).unwrap();
        let same = Values { namespace_mode: Some(NamespaceMode::GatewayNamespace), ..Values::default() };
        assert_eq!(file.clone().with(&same).text, text);
        let other = Values { watch_namespaces: Some(vec!["shop".into()]), ..same };
        let changed = file.with(&other);
        assert_eq!(changed.file.watched_namespaces(), ["shop"]);
        assert!(changed.file.gateway_namespace_mode());
        let all = Values { watch_namespaces: Some(Vec::new()), ..Values::default() };
        let untyped = ConfigFile::read("f", &changed.text.replace("type: Namespaces", "")).unwrap();
        assert!(
            untyped.file.watched_namespaces().is_empty(),
            "namespaces count where the type says so: {}",
            untyped.text
        );
        assert!(changed.with(&all).file.watched_namespaces().is_empty());
    }

    #[test]
    fn flags_make_what_a_file_leaves_out() {
        let file = ConfigFile::read("f", "kind: EnvoyGateway\n").unwrap();
        let mode = Values { namespace_mode: Some(NamespaceMode::GatewayNamespace), ..Values::default() };
        assert!(file.with(&mode).file.gateway_namespace_mode());
        assert!(ConfigFile::default().faults().is_empty());
        let custom =
            "kind: EnvoyGateway\nprovider: {type: Custom, custom: {resource: {type: File, file: {paths: [x]}}}}\n";
        assert_eq!(ConfigFile::read("f", custom).unwrap().faults().len(), 1);
    }
}

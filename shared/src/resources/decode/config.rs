//! The EnvoyGateway configuration file.

use serde_yaml::Value;

use super::finding::Finding;
use super::lines::Lines;
use super::typed::typed;
use super::{Source, documents};
use crate::api::envoy_gateway::EnvoyGateway;

/// Keys beside those of the API that say where the control plane runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigExtras {
    /// `x-dnsDomain`: the cluster's DNS domain.
    pub dns_domain: Option<String>,
    /// `x-namespace`: the namespace the control plane is in.
    pub namespace: Option<String>,
}

/// A configuration file that could be read.
#[derive(Clone, Debug, PartialEq)]
pub struct DecodedConfig {
    /// What it says; [`EnvoyGateway::with_defaults`] fills in what it leaves out.
    pub config: EnvoyGateway,
    /// The keys beside those of the API.
    pub extras: ConfigExtras,
    /// Fields that were not understood.
    pub warnings: Vec<Finding>,
}

/// Reads a configuration file. `source` names it in messages.
///
/// # Errors
/// What is wrong with it, with lines: not YAML, another kind, several documents, or values of the wrong type.
pub fn config(source: &str, text: &str) -> Result<DecodedConfig, Vec<Finding>> {
    let source = Source { file: source };
    let documents = documents::documents(text);
    let [document] = documents.as_slice() else {
        let (line, message) = match documents.get(1) {
            None => (1, "the file is empty; an EnvoyGateway is expected".to_owned()),
            Some(second) => (second.line, "a configuration file holds one document, remove this one".to_owned()),
        };
        return Err(vec![source.finding(line, 0, None, "", message)]);
    };
    let value = source.parse(document).map_err(|finding| vec![finding])?;
    let lines = Lines::of(document.text, document.line);
    let object = Some("EnvoyGateway".to_owned());
    let finding = |path: &str, message: String| source.finding(lines.line(path), 0, object.clone(), path, message);
    let Value::Mapping(mut map) = value else {
        return Err(vec![finding(
            "",
            "an EnvoyGateway is expected here, a mapping with apiVersion and kind".to_owned(),
        )]);
    };
    let mut take = |key: &str| map.remove(key).and_then(|value| value.as_str().map(str::to_owned));
    let extras = ConfigExtras { dns_domain: take("x-dnsDomain"), namespace: take("x-namespace") };
    // Both may be left out, as in Envoy Gateway.
    for (key, right) in [("apiVersion", "gateway.envoyproxy.io/v1alpha1"), ("kind", "EnvoyGateway")] {
        if let Some(found) = take(key)
            && found != right
        {
            return Err(vec![finding(key, format!("must be {right}, not {found}"))]);
        }
    }
    let typed = typed::<EnvoyGateway>(Value::Mapping(map));
    let unknown = typed.unknown.iter().map(|path| finding(path, super::UNKNOWN_FIELD.to_owned()));
    let unquoted = typed.unquoted.iter().map(|path| finding(path, super::UNQUOTED.to_owned()));
    let capitalized = typed.capitalized.iter().map(|path| finding(path, super::CAPITALIZED.to_owned()));
    let warnings: Vec<_> = unknown.chain(unquoted).chain(capitalized).collect();
    match typed.result {
        Ok(config) => Ok(DecodedConfig { config, extras, warnings }),
        Err(mistake) => Err(std::iter::once(finding(&mistake.path, mistake.message)).chain(warnings).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_with_extra_keys() {
        let text = "apiVersion: gateway.envoyproxy.io/v1alpha1\nkind: EnvoyGateway\nx-dnsDomain: example.net\n\
                    x-namespace: gw\ngateway:\n  controllerName: example.com/gw\n  colour: red\nextensionApis:\n  enableBackend: true\n";
        let decoded = config("eg.yaml", text).unwrap();
        assert_eq!(
            decoded.extras,
            ConfigExtras { dns_domain: Some("example.net".into()), namespace: Some("gw".into()) }
        );
        assert!(decoded.config.extension_apis.unwrap().enable_backend);
        let [warning] = decoded.warnings.as_slice() else { panic!("{:?}", decoded.warnings) };
        assert_eq!((warning.line, warning.path.as_str()), (7, "gateway.colour"));
    }

    #[test]
    fn what_is_no_configuration() {
        for (text, line, words) in [
            ("", 1, "empty"),
            ("kind: EnvoyGateway\n---\nkind: EnvoyGateway\n", 2, "one document"),
            ("apiVersion: v1\nkind: Service\n", 1, "must be gateway.envoyproxy.io/v1alpha1"),
            ("kind: EnvoyGateway\nadmin:\n  address:\n    port: many\n", 4, "must be a whole number"),
            ("- a\n", 1, "an EnvoyGateway is expected"),
            ("a: [\n", 2, "not YAML"),
        ] {
            let findings = config("eg.yaml", text).unwrap_err();
            let [finding] = findings.as_slice() else { panic!("{findings:?}") };
            assert!(finding.message.contains(words), "{finding}");
            assert_eq!(finding.line, line, "{finding}");
        }
    }
}

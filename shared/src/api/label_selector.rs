//! Selection of objects by their labels.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::labels::Labels;
use crate::api::string_enum::string_enum;

/// All of its conditions must hold; without any it selects everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-map-type" = "atomic"))]
pub struct LabelSelector {
    /// Labels that must have exactly these values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub match_labels: BTreeMap<String, String>,
    /// Further conditions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub match_expressions: Vec<LabelSelectorRequirement>,
}

/// One condition on a label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LabelSelectorRequirement {
    /// The label.
    pub key: String,
    /// How it is compared.
    #[schemars(with = "String")]
    pub operator: LabelSelectorOperator,
    /// Values it is compared with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub values: Vec<String>,
}

string_enum! {
    /// How a label is compared.
    pub open enum LabelSelectorOperator {
        In = "In",
        NotIn = "NotIn",
        Exists = "Exists",
        DoesNotExist = "DoesNotExist",
    }
}

impl LabelSelector {
    /// Whether these labels are selected. An unknown operator selects nothing; [`LabelSelector::fault`] tells.
    #[must_use]
    pub fn matches(&self, labels: &Labels) -> bool {
        self.match_labels.iter().all(|(key, value)| labels.get(key) == Some(value.as_str()))
            && self.match_expressions.iter().all(|requirement| requirement.matches(labels))
    }

    /// Why this selector cannot be used, if so (rules of Kubernetes' `LabelSelectorAsSelector`).
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        self.match_expressions.iter().find_map(|LabelSelectorRequirement { key, operator, values }| match operator {
            LabelSelectorOperator::In | LabelSelectorOperator::NotIn if values.is_empty() => {
                Some(format!("{operator} on label {key} needs at least one value"))
            }
            LabelSelectorOperator::Exists | LabelSelectorOperator::DoesNotExist if !values.is_empty() => {
                Some(format!("{operator} on label {key} takes no values"))
            }
            LabelSelectorOperator::Other(operator) => {
                Some(format!("{operator:?} is no operator, use In, NotIn, Exists or DoesNotExist"))
            }
            _ => None,
        })
    }
}

impl LabelSelectorRequirement {
    fn matches(&self, labels: &Labels) -> bool {
        let value = labels.get(&self.key);
        match self.operator {
            LabelSelectorOperator::In => value.is_some_and(|value| self.values.iter().any(|wanted| wanted == value)),
            LabelSelectorOperator::NotIn => value.is_none_or(|value| self.values.iter().all(|wanted| wanted != value)),
            LabelSelectorOperator::Exists => value.is_some(),
            LabelSelectorOperator::DoesNotExist => value.is_none(),
            LabelSelectorOperator::Other(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selector(json: &str) -> LabelSelector {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn every_condition_must_hold() {
        let labels = [("env", "prod")].into_iter().collect();
        assert!(LabelSelector::default().matches(&labels));
        assert!(selector(r#"{"matchLabels":{"env":"prod"}}"#).matches(&labels));
        assert!(!selector(r#"{"matchLabels":{"env":"prod","a":"b"}}"#).matches(&labels));
        for (expression, selected) in [
            (r#"{"key":"env","operator":"In","values":["prod","test"]}"#, true),
            (r#"{"key":"env","operator":"NotIn","values":["prod"]}"#, false),
            (r#"{"key":"team","operator":"NotIn","values":["prod"]}"#, true),
            (r#"{"key":"env","operator":"Exists"}"#, true),
            (r#"{"key":"env","operator":"DoesNotExist"}"#, false),
            (r#"{"key":"env","operator":"Near"}"#, false),
        ] {
            assert_eq!(selector(&format!(r#"{{"matchExpressions":[{expression}]}}"#)).matches(&labels), selected);
        }
    }

    #[test]
    fn a_selector_without_sense_says_so() {
        assert_eq!(selector(r#"{"matchExpressions":[{"key":"a","operator":"Exists"}]}"#).fault(), None);
        let fault = selector(r#"{"matchExpressions":[{"key":"a","operator":"In"}]}"#).fault();
        assert_eq!(fault.as_deref(), Some("In on label a needs at least one value"));
    }
}

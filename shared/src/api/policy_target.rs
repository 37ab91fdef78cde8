//! What a policy is attached to: objects by name or by their labels.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::constraints::DnsName;
use crate::api::constraints::Group;
use crate::api::constraints::Kind;
use crate::api::constraints::ObjectName;
use crate::api::label_selector::LabelSelector;
use crate::api::label_selector::LabelSelectorRequirement;
use crate::api::rules::rule;
use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;
use std::collections::BTreeMap;

/// An object of the namespace of the policy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LocalPolicyTargetReference {
    #[schemars(with = "Group")]
    pub group: String,
    #[schemars(with = "Kind")]
    pub kind: String,
    #[schemars(with = "ObjectName")]
    pub name: String,
}

/// An object of the namespace of the policy, or a named part of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LocalPolicyTargetReferenceWithSectionName {
    #[schemars(with = "Group")]
    pub group: String,
    #[schemars(with = "Kind")]
    pub kind: String,
    #[schemars(with = "ObjectName")]
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "DnsName")]
    pub section_name: Option<String>,
}

/// Objects by kind and labels.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule(
        "has(self.group) ? self.group == 'gateway.networking.k8s.io' : true",
        "group must be gateway.networking.k8s.io",
    ),
]))]
pub struct TargetSelector {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Group", extend("default" = "gateway.networking.k8s.io"))]
    pub group: Option<String>,
    #[schemars(with = "Kind")]
    pub kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespaces: Option<TargetSelectorNamespaces>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub match_labels: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub match_expressions: Vec<LabelSelectorRequirement>,
}

/// Namespaces these objects are looked for in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule("self.from != 'Selector' || has(self.selector)", "from Selector needs selector"),
]))]
pub struct TargetSelectorNamespaces {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(!default, !skip_serializing_if, extend("default" = "Same"))]
    pub from: Option<TargetNamespaceFrom>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<LabelSelector>,
}

string_enum! {
    /// Which namespaces.
    pub closed enum TargetNamespaceFrom {
        Same = "Same",
        All = "All",
        Selector = "Selector",
    }
}

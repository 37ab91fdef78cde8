//! Which namespaces' routes a listener takes (`allowedRoutes.namespaces`).

use crate::api::label_selector::LabelSelector;
use crate::gatewayapi::fleet::AllowedNamespaces;
use crate::gatewayapi::view::View;

/// Whether a listener of a Gateway in `own` takes routes of `namespace`. Labels are looked up only for a selector.
#[must_use]
pub fn takes(view: &View<'_>, allowed: &AllowedNamespaces, own: &str, namespace: &str) -> bool {
    let labels = match allowed {
        AllowedNamespaces::Selector(_) => view.namespace_labels(namespace),
        AllowedNamespaces::All | AllowedNamespaces::Same | AllowedNamespaces::None => None,
    };
    allowed.allow(own, namespace, labels)
}

/// What the listener takes, as `allowedRoutes.namespaces` says it.
#[must_use]
pub fn words(allowed: &AllowedNamespaces) -> String {
    match allowed {
        AllowedNamespaces::All => "All".to_owned(),
        AllowedNamespaces::Same => "Same".to_owned(),
        AllowedNamespaces::None => "None".to_owned(),
        AllowedNamespaces::Selector(selector) => selector_words(selector),
    }
}

/// A selector as `kubectl get -l` takes it.
fn selector_words(LabelSelector { match_labels, match_expressions }: &LabelSelector) -> String {
    let labels = match_labels.iter().map(|(key, value)| format!("{key}={value}"));
    let expressions = match_expressions.iter().map(|requirement| {
        let (key, operator) = (&requirement.key, requirement.operator.as_str());
        match operator {
            "Exists" => key.clone(),
            "DoesNotExist" => format!("!{key}"),
            _ => format!("{key} {} ({})", operator.to_lowercase(), requirement.values.join(",")),
        }
    });
    labels.chain(expressions).collect::<Vec<_>>().join(",")
}

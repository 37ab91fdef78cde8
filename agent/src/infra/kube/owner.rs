//! Before a whole fleet goes: does the API server, too, say that nobody asks for it?
//!
//! A translation without a Gateway may also mean that we were told to look elsewhere, or see nothing. Taking a fleet down
//! for that would be an outage.

use gateway_shared::api::label_selector::LabelSelector;
use kube::Client;
use kube::api::Api;
use kube::core::{ApiResource, DynamicObject, GroupVersionKind, Status};
use serde_json::Value;

/// What the API server says of whom a fleet is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nobody asks for it, or nobody of ours.
    TakeDown,
    /// It was never ours, as far as we know.
    LeaveAlone,
}

/// What is ours to serve.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    /// The `controllerName` of classes that are ours.
    pub(super) controller: String,
    /// The labels that namespaces with Gateways of ours have.
    pub(super) labels: Option<LabelSelector>,
}

/// Asks whether the fleet `key` may go. `known` says whether we served it before.
///
/// # Errors
/// In words, when the API server doesn't say, or says that the fleet is still asked for.
pub(super) async fn ask(client: &Client, key: &str, known: bool, scope: &Scope) -> Result<Verdict, String> {
    let class = match key.split_once('/') {
        None => key.to_owned(),
        Some((namespace, name)) => {
            let gateways = Api::namespaced_with(client.clone(), namespace, &gateway_api("Gateway"));
            match get(&gateways, name).await? {
                None => return Ok(Verdict::TakeDown),
                Some(gateway) => text(&gateway, "/spec/gatewayClassName").to_owned(),
            }
        }
    };
    let class = get(&Api::all_with(client.clone(), &gateway_api("GatewayClass")), &class).await?;
    let said = class.as_ref().map(|class| text(class, "/spec/controllerName"));
    let ours = said.map(|said| said == scope.controller);
    let mut selected = true;
    if let (Some(true), Some(labels), Some((namespace, _))) = (ours, &scope.labels, key.split_once('/')) {
        let namespaces = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "Namespace"));
        let namespace = get(&Api::all_with(client.clone(), &namespaces), namespace).await?;
        selected = namespace.is_none_or(|it| labels.matches(&it.metadata.labels.into_iter().flatten().collect()));
    }
    verdict(key, known, ours, selected)
}

/// Whether a fleet goes whose Gateway or class is there. `ours` says whether its class is ours; nothing, when it is gone.
/// `selected` says whether its namespace has the labels of those we serve.
fn verdict(key: &str, known: bool, ours: Option<bool>, selected: bool) -> Result<Verdict, String> {
    match ours {
        Some(true) if !selected => Ok(Verdict::TakeDown),
        Some(true) => Err(format!(
            "nothing we watch asks for the fleet {key} any more, but the API server has whom it is for: it stays, and is \
             looked at again. Is its namespace one of those that are watched?"
        )),
        None if !key.contains('/') => Ok(Verdict::TakeDown),
        Some(false) | None if known => Ok(Verdict::TakeDown),
        Some(false) | None => Ok(Verdict::LeaveAlone),
    }
}

async fn get(api: &Api<DynamicObject>, name: &str) -> Result<Option<DynamicObject>, String> {
    match api.get(name).await {
        Ok(object) => Ok(Some(object)),
        // An API server that doesn't know the kind answers the same, but names no object.
        Err(kube::Error::Api(status)) if status.code == 404 && names_one(&status) => Ok(None),
        Err(error) => Err(format!(
            "a fleet nobody asks for any more stays until it is certain that {name} is gone, and that can't be looked up: \
             {error}"
        )),
    }
}

fn names_one(status: &Status) -> bool {
    status.details.as_ref().is_some_and(|details| !details.name.is_empty())
}

fn text<'a>(object: &'a DynamicObject, pointer: &str) -> &'a str {
    object.data.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn gateway_api(kind: &str) -> ApiResource {
    ApiResource::from_gvk(&GroupVersionKind::gvk("gateway.networking.k8s.io", "v1", kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fleet_goes_only_when_its_owner_is_gone_or_another_controllers() {
        let (gateway, class) = ("n/g", "merged");
        let verdict = |key, known, ours| verdict(key, known, ours, true);
        assert!(verdict(gateway, true, Some(true)).is_err(), "we only don't see it");
        assert_eq!(verdict(gateway, true, Some(false)), Ok(Verdict::TakeDown));
        assert_eq!(verdict(gateway, true, None), Ok(Verdict::TakeDown), "its class is gone");
        assert_eq!(verdict(gateway, false, Some(false)), Ok(Verdict::LeaveAlone));
        assert_eq!(verdict(gateway, false, None), Ok(Verdict::LeaveAlone));
        assert_eq!(verdict(class, false, None), Ok(Verdict::TakeDown));
        assert_eq!(verdict(class, false, Some(false)), Ok(Verdict::LeaveAlone));
    }

    #[test]
    fn a_fleet_goes_when_its_namespace_is_no_longer_selected() {
        assert_eq!(verdict("n/g", true, Some(true), false), Ok(Verdict::TakeDown));
        assert_eq!(verdict("n/g", false, Some(true), false), Ok(Verdict::TakeDown), "an earlier agent made it");
    }
}

//! What a fleet's configuration changes about the bootstrap.

use serde_json::Value;

use super::{merge, to_yaml};
use crate::api::envoy_proxy_bootstrap::{BootstrapType, ProxyBootstrap};
use crate::api::json_patch;
use crate::diagnostic::{Diagnostic, FieldPath};
use crate::ir::patch::JsonPatchOperation;
use crate::json_operations;

/// The reason of every fault found here.
const INVALID: &str = "Invalid";

/// The text of the bootstrap after what `said` changes about `document`.
///
/// # Errors
/// When the change can't be made; the path begins at `bootstrap`.
pub fn customized(document: Value, said: Option<&ProxyBootstrap>) -> Result<String, Vec<Diagnostic>> {
    let Some(said) = said else { return Ok(to_yaml(&document)) };
    let changed = changed(document, said);
    changed.map_err(|faults| faults.into_iter().map(|fault| fault.within("bootstrap")).collect())
}

fn changed(mut document: Value, said: &ProxyBootstrap) -> Result<String, Vec<Diagnostic>> {
    let ProxyBootstrap { r#type, value, json_patches } = said;
    let fault = |message: String| vec![Diagnostic::new(FieldPath::field("value"), INVALID, message)];
    match r#type.unwrap_or(BootstrapType::Replace) {
        // Envoy reads it as it stands.
        BootstrapType::Replace => value
            .clone()
            .ok_or_else(|| fault("there is nothing to replace the bootstrap with; write a value".to_owned())),
        BootstrapType::Merge => {
            let Some(over) = value else { return Ok(to_yaml(&document)) };
            let over = serde_yaml::from_str(over).map_err(|error| fault(format!("it is no YAML: {error}")))?;
            let merged = merge::merged(&document, &over).map_err(|error| fault(format!("no bootstrap: {error}")))?;
            Ok(to_yaml(&merged))
        }
        BootstrapType::JsonPatch => {
            let operations: Vec<JsonPatchOperation> = json_patches.iter().map(operation).collect();
            let faults = json_operations::apply(&mut document, &operations, "jsonPatches");
            if faults.is_empty() { Ok(to_yaml(&document)) } else { Err(faults) }
        }
    }
}

fn operation(said: &json_patch::JsonPatchOperation) -> JsonPatchOperation {
    let json_patch::JsonPatchOperation { op, path, json_path, from, value } = said;
    JsonPatchOperation {
        op: op.as_str().into(),
        path: path.clone(),
        json_path: json_path.clone(),
        from: from.clone(),
        value: value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Options, bootstrap};
    use super::*;
    use serde_json::json;

    fn after(said: Value) -> Result<Value, String> {
        let said: ProxyBootstrap = serde_json::from_value(said).unwrap();
        let document = bootstrap(&Options::in_container("envoy-gateway", "default/eg"));
        match customized(document, Some(&said)) {
            Ok(text) => Ok(serde_yaml::from_str(&text).unwrap()),
            Err(faults) => Err(faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")),
        }
    }

    #[test]
    fn a_merge_joins_lists_and_replaces_durations_and_choices() {
        let over = "
admin: {address: {pipe: {path: /tmp/admin}}}
overloadManager: {refresh_interval: 2s}
static_resources: {clusters: [{name: mine, connect_timeout: 1s}]}
no_such_field: 1
";
        let document = after(json!({ "type": "Merge", "value": over })).unwrap();
        let at = |pointer: &str| document.pointer(pointer).cloned().unwrap_or_default();
        assert_eq!(at("/admin/address"), json!({ "pipe": { "path": "/tmp/admin" } }));
        assert_eq!(at("/overload_manager/refresh_interval"), json!("2s"));
        assert_eq!(at("/static_resources/clusters/3/name"), json!("mine"));
        assert_eq!(at("/cluster_manager/local_cluster_name"), json!("default/eg"));
        assert_eq!(at("/static_resources/clusters/4"), Value::Null);
    }

    #[test]
    fn patches_change_and_faults_say_where() {
        let patches = json!({ "type": "JSONPatch", "jsonPatches": [
            { "op": "add", "path": "/admin/address/socket_address/port_value", "value": 9901 },
        ] });
        let document = after(patches).unwrap();
        assert_eq!(document.pointer("/admin/address/socket_address/port_value"), Some(&json!(9901)));
        let fault = after(json!({ "type": "JSONPatch", "jsonPatches": [{ "op": "remove", "jsonPath": "$.nope" }] }));
        assert!(fault.is_err_and(|fault| fault.starts_with("bootstrap.jsonPatches[0].jsonPath: ")));
        let fault = after(json!({ "type": "Merge", "value": "admin: 1" }));
        assert!(fault.is_err_and(|fault| fault.starts_with("bootstrap.value: no bootstrap: ")));
        assert!(after(json!({})).is_err_and(|fault| fault.starts_with("bootstrap.value: there is nothing")));
    }
}

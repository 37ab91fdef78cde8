//! The CustomResourceDefinitions of `gateway.envoyproxy.io`, made from the types of `api`.
//!
//! A type says all there is to say about its fields, in attributes of `schemars` next to them. [`structural`] turns that
//! into the form an API server takes, [`kubernetes`] adds what the types of Kubernetes itself don't say.

mod kubernetes;
mod structural;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::api::backend::Backend;
use crate::api::backend_traffic_policy::BackendTrafficPolicy;
use crate::api::client_traffic_policy::ClientTrafficPolicy;
use crate::api::envoy_extension_policy::EnvoyExtensionPolicy;
use crate::api::envoy_patch_policy::EnvoyPatchPolicy;
use crate::api::envoy_proxy::EnvoyProxy;
use crate::api::http_route_filter::HttpRouteFilterResource;
use crate::api::metadata::Object;
use crate::api::security_policy::SecurityPolicy;

/// Annotation of every definition here: the version of the product it came with, which an installer compares.
pub const VERSION_ANNOTATION: &str = "gateway.envoyproxy.io/crd-version";

/// What [`VERSION_ANNOTATION`] says in this build.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Every definition, as objects of `apiextensions.k8s.io/v1`, by name.
#[must_use]
pub fn all() -> Vec<Value> {
    vec![
        definition::<Backend>("be", CATEGORY, Status::Subresource, &[BACKEND_STATUS, AGE]),
        definition::<BackendTrafficPolicy>("btp", CATEGORY, Status::Subresource, &[AGE]),
        definition::<ClientTrafficPolicy>("ctp", CATEGORY, Status::Subresource, &[AGE]),
        definition::<EnvoyExtensionPolicy>("eep", &[], Status::Subresource, &[AGE]),
        definition::<EnvoyPatchPolicy>("epp", CATEGORY, Status::Subresource, &[ACCEPTED, PROGRAMMED, AGE]),
        definition::<EnvoyProxy>("eproxy", CATEGORY, Status::Subresource, &[]),
        definition::<HttpRouteFilterResource>("hrf", CATEGORY, Status::None, &[AGE]),
        definition::<SecurityPolicy>("sp", CATEGORY, Status::Subresource, &[AGE]),
    ]
}

/// The category of `kubectl get envoy-gateway`.
const CATEGORY: &[&str] = &["envoy-gateway"];

/// Whether the status is written apart from the object.
#[derive(Clone, Copy, PartialEq)]
enum Status {
    None,
    Subresource,
}

/// A column of `kubectl get`.
struct Column {
    name: &'static str,
    kind: &'static str,
    path: &'static str,
}

const AGE: Column = Column { name: "Age", kind: "date", path: ".metadata.creationTimestamp" };
const BACKEND_STATUS: Column =
    Column { name: "Status", kind: "string", path: r#".status.conditions[?(@.type=="Accepted")].reason"# };
const ACCEPTED: Column = Column {
    name: "Accepted",
    kind: "string",
    path: r#".status.ancestors[0].conditions[?(@.type=="Accepted")].status"#,
};
const PROGRAMMED: Column = Column {
    name: "Programmed",
    kind: "string",
    path: r#".status.ancestors[0].conditions[?(@.type=="Programmed")].status"#,
};

/// The definition of one kind.
fn definition<T: Object + JsonSchema>(
    short_name: &str,
    categories: &[&str],
    status: Status,
    columns: &[Column],
) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": format!("{}.{}", T::PLURAL, T::GROUP),
            "annotations": {VERSION_ANNOTATION: VERSION},
        },
        "spec": {
            "group": T::GROUP,
            "names": {
                "kind": T::KIND,
                "listKind": format!("{}List", T::KIND),
                "plural": T::PLURAL,
                "singular": T::KIND.to_lowercase(),
                "shortNames": [short_name],
                "categories": categories,
            },
            "scope": if T::NAMESPACED { "Namespaced" } else { "Cluster" },
            "versions": [{
                "name": T::VERSION,
                "served": true,
                "storage": true,
                "schema": {"openAPIV3Schema": schema::<T>()},
                "subresources": if status == Status::Subresource { json!({"status": {}}) } else { json!({}) },
                "additionalPrinterColumns": columns
                    .iter()
                    .map(|Column { name, kind, path }| json!({"name": name, "type": kind, "jsonPath": path}))
                    .collect::<Vec<_>>(),
            }],
        },
    })
}

/// The structural schema of a kind.
fn schema<T: Object + JsonSchema>() -> Value {
    // The contract of writing: a field that is always written is required, one left out when empty isn't.
    let root = SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>();
    let mut schema = structural::structural(root.to_value(), &kubernetes::complete);
    let mut properties = Map::from_iter([
        ("apiVersion".to_owned(), json!({"type": "string", "description": "Group and version of the kind."})),
        ("kind".to_owned(), json!({"type": "string", "description": "Kind of the object."})),
    ]);
    if let Some(Value::Object(fields)) = schema.get_mut("properties").map(Value::take) {
        properties.extend(fields);
    }
    // The API server itself sees to metadata.
    if let Value::Object(schema) = &mut schema {
        schema.insert("properties".to_owned(), properties.into());
        schema.insert("required".to_owned(), json!(["spec"]));
    }
    schema
}

//! The last step of every object: what its owner patches over it.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::api::kubernetes_infra::{KubernetesPatchSpec, MergeType};
use crate::diagnostic::{Diagnostic, FieldPath};
use crate::infra::fleet::INVALID;
use crate::infra::object::{InfraKind, InfraObject};
use crate::infra::strategic_merge::{self, Shape};

/// A patch, and where it stands.
pub(super) struct Patch<'a> {
    /// What it says.
    pub(super) said: &'a KubernetesPatchSpec,
    /// The field of the Kubernetes provider that holds it.
    pub(super) field: &'static str,
    /// How strategic merges go.
    pub(super) shape: &'static Shape,
}

impl Patch<'_> {
    /// A fault of the patch itself.
    fn fault(&self, message: impl Into<String>) -> Diagnostic {
        let path = FieldPath::field("value").within("patch").within(self.field).within("kubernetes");
        Diagnostic::new(path.within("provider").within("spec").within("config").within("proxy"), INVALID, message)
    }
}

/// The finished object: patched, and read again as its type, so that a patch can't bring fields no API server knows.
///
/// # Errors
/// When the patch can't be applied, or something else comes of it than an object of this kind in this namespace.
pub(super) fn finished<T>(
    kind: InfraKind,
    object: &T,
    patch: Option<&Patch<'_>>,
) -> Result<InfraObject, Vec<Diagnostic>>
where
    T: Serialize + DeserializeOwned + k8s_openapi::Metadata<Ty = ObjectMeta>,
{
    patched(kind, object, patch).map_err(|fault| vec![fault])
}

fn patched<T>(kind: InfraKind, object: &T, patch: Option<&Patch<'_>>) -> Result<InfraObject, Diagnostic>
where
    T: Serialize + DeserializeOwned + k8s_openapi::Metadata<Ty = ObjectMeta>,
{
    let written = |object: &T| {
        serde_json::to_value(object).map_err(|error| {
            Diagnostic::new(FieldPath::root(), INVALID, format!("the {} can't be written as JSON: {error}", T::KIND))
        })
    };
    let content = written(object)?;
    let Some(patch) = patch else { return Ok(infra_object(kind, object.metadata(), content)) };
    let content = apply(content, patch)?;
    let patched: T = serde_path_to_error::deserialize(&content).map_err(|error| {
        patch.fault(format!("with it, {} of the {} is wrong: {}", error.path(), T::KIND, error.inner()))
    })?;
    let (before, after) = (object.metadata(), patched.metadata());
    if after.namespace != before.namespace {
        let here = before.namespace.as_deref().unwrap_or_default();
        return Err(patch.fault(format!("a patch can't move the {} out of namespace {here}", T::KIND)));
    }
    if after.name.as_deref().is_none_or(str::is_empty) {
        return Err(patch.fault(format!("with it, the {} has no name", T::KIND)));
    }
    Ok(infra_object(kind, after, written(&patched)?))
}

fn infra_object(kind: InfraKind, metadata: &ObjectMeta, content: Value) -> InfraObject {
    let ObjectMeta { name, namespace, .. } = metadata;
    InfraObject {
        kind,
        namespace: namespace.clone().unwrap_or_default(),
        name: name.clone().unwrap_or_default(),
        content,
    }
}

fn apply(mut content: Value, patch: &Patch<'_>) -> Result<Value, Diagnostic> {
    let KubernetesPatchSpec { r#type, value } = patch.said;
    match r#type.unwrap_or(MergeType::StrategicMerge) {
        MergeType::JsonMerge => json_patch::merge(&mut content, value),
        MergeType::StrategicMerge => {
            let (Value::Object(object), Value::Object(value)) = (&mut content, value) else {
                return Err(patch.fault("it isn't an object; write the fields to change"));
            };
            strategic_merge::merge(object, value, patch.shape).map_err(|fault| patch.fault(fault))?;
        }
        MergeType::Replace => {
            return Err(patch.fault("type Replace is for merging policies; use StrategicMerge or JSONMerge"));
        }
    }
    Ok(content)
}

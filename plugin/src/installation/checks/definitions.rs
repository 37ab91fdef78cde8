//! Our own definitions: there, whose, and whether objects are stored in versions the new ones don't know.

use gateway_shared::install::{InstallKind, InstallObject, MANAGER};
use serde_json::Value;

use super::version::version;
use super::{Check, Plan};
use crate::installation::facts::{Definition, EXTENSIONS, Facts};

pub(super) fn check(facts: &Facts, plan: &Plan<'_>) -> Vec<Check> {
    let Some(definitions) = &facts.definitions else { return Vec::new() };
    let there: Vec<(&String, &Definition)> =
        definitions.iter().filter(|(name, _)| name.ends_with(EXTENSIONS)).collect();
    let mut checks: Vec<Check> = ours(plan)
        .filter_map(|object| {
            let lost = lost_versions(definitions.get(&object.name)?, object);
            (!lost.is_empty()).then(|| {
                Check::bad(
                    format!(
                        "objects of {} are stored as {}, which this version doesn't know",
                        object.name,
                        lost.join(", ")
                    ),
                    "use a newer kubectl-gateway",
                )
            })
        })
        .collect();
    let newer = there.iter().find(|(_, definition)| {
        is_ours(definition) && definition.version.as_deref().and_then(version) > version(&plan.options.version)
    });
    if let Some((name, definition)) = newer {
        checks.push(Check::bad(
            format!("{name} is of {}, newer than this program", definition.version.as_deref().unwrap_or_default()),
            "use the kubectl-gateway of that version",
        ));
    }
    let foreign = there.iter().filter(|(_, definition)| !is_ours(definition)).count();
    if foreign > 0 && !plan.replace_crds && !plan.take_over {
        checks.push(Check::doubtful(
            format!("{foreign} definitions of {EXTENSIONS} are somebody else's"),
            "they will be kept; --replace-crds replaces them, and keeps the objects",
        ));
    }
    checks
}

/// The definitions among the objects that are ours to make.
fn ours<'a>(plan: &Plan<'a>) -> impl Iterator<Item = &'a InstallObject> {
    plan.objects
        .iter()
        .filter(|object| object.kind == InstallKind::CustomResourceDefinition && object.name.ends_with(EXTENSIONS))
}

/// Whether we look after it.
fn is_ours(definition: &Definition) -> bool {
    definition.managed_by.as_deref() == Some(MANAGER)
}

/// Versions in which objects are stored, and which `object` doesn't have.
pub(super) fn lost_versions(there: &Definition, object: &InstallObject) -> Vec<String> {
    let versions = object.content.pointer("/spec/versions").and_then(Value::as_array);
    let known: Vec<&str> =
        versions.into_iter().flatten().filter_map(|version| version.get("name").and_then(Value::as_str)).collect();
    there.stored.iter().filter(|stored| !known.contains(&stored.as_str())).cloned().collect()
}

//! The rules of the house, held as data: who may import whom, what every file says first, which names are not used.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// One module of `shared/src` and the modules it may import, with the reason that is quoted when it imports another.
const SHARED: &[(&str, &[&str], &str)] = &[
    ("api", &[], "typed objects know nothing but themselves"),
    ("diagnostic", &[], "a fault is a plain value"),
    ("proto", &[], "the agent's gRPC API is generated from its definition alone"),
    ("names", &["api"], "names are made from objects' keys"),
    ("crds", &["api"], "definitions are made from the types alone"),
    ("config", &["api"], "the configuration is read from its object"),
    ("ir", &["api", "diagnostic"], "the IR is data: it doesn't know where it came from or what becomes of it"),
    ("json_operations", &["ir", "diagnostic"], "a patch is applied to a document, whatever it's a document of"),
    ("resources", &["api", "names", "diagnostic"], "the input is what was written, not what it means"),
    ("status", &["api", "names", "diagnostic"], "conditions are values; what they say is decided elsewhere"),
    (
        "gatewayapi",
        &["api", "names", "config", "diagnostic", "ir", "resources", "status"],
        "translation ends at the IR: it never sees Envoy",
    ),
    (
        "xds",
        &["ir", "names", "config", "diagnostic", "api", "json_operations"],
        "xDS is made from the IR alone, never from objects or decisions",
    ),
    (
        "infra",
        &["ir", "names", "config", "api", "diagnostic", "json_operations", "xds"],
        "infrastructure is made from the InfraIR alone; of xDS it knows how Envoy's messages are written as JSON",
    ),
    (
        "install",
        &["api", "names", "config", "diagnostic", "resources", "crds"],
        "an installation is made from its options and the configuration file alone",
    ),
    (
        "pipeline",
        &["api", "names", "config", "diagnostic", "ir", "resources", "status", "gatewayapi", "xds", "infra"],
        "the pipeline is the one place that joins the layers",
    ),
    (
        "explain",
        &[
            "api",
            "names",
            "config",
            "diagnostic",
            "ir",
            "resources",
            "status",
            "gatewayapi",
            "xds",
            "infra",
            "pipeline",
        ],
        "explanations read what the pipeline gave",
    ),
];

/// The API modules the xDS layer may use: value types that the IR itself carries, never an object kind.
const OBJECT_KINDS: &[&str] = &[
    "gateway",
    "gateway_class",
    "http_route",
    "listener",
    "reference_grant",
    "backend",
    "service",
    "service_import",
    "endpoint_slice",
    "secret",
    "config_map",
    "namespace",
    "http_route_filter",
    "backend_traffic_policy",
    "client_traffic_policy",
    "envoy_extension_policy",
    "envoy_patch_policy",
    "security_policy",
    "any_object",
];

/// What the pure core must not reach.
const IMPURE: &[&str] = &[
    "std::fs",
    "std::env::",
    "std::net::Tcp",
    "std::process",
    "std::time::SystemTime",
    "std::time::Instant",
    "tokio::",
];

/// Names that say nothing about what is inside.
const BANNED_NAMES: &[&str] = &["utils", "util", "helpers", "helper", "common", "misc"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap_or_default();
                found.push((path, text));
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "no sources under {folder}: the test looks in the wrong place");
    found
}

/// The first path segments after `crate::` that `text` mentions outside comments.
fn imports(text: &str, prefix: &str) -> Vec<String> {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| line.split(prefix).skip(1))
        .map(|rest| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
        .filter(|name: &String| !name.is_empty())
        .collect()
}

#[test]
fn shared_modules_import_only_what_stands_above_them() {
    let allowed: BTreeMap<&str, (&[&str], &str)> =
        SHARED.iter().map(|(module, may, why)| (*module, (*may, *why))).collect();
    let base = root().join("shared/src");
    let mut broken = Vec::new();
    for (path, text) in sources("shared/src") {
        let relative = path.strip_prefix(&base).unwrap_or(&path);
        let module =
            relative.iter().next().and_then(|first| first.to_str()).unwrap_or_default().trim_end_matches(".rs");
        if module == "lib" {
            continue;
        }
        let Some((may, why)) = allowed.get(module) else {
            broken.push(format!("{}: module `{module}` is not in the table", relative.display()));
            continue;
        };
        for import in imports(&text, "crate::") {
            if import != module && allowed.contains_key(import.as_str()) && !may.contains(&import.as_str()) {
                broken.push(format!("{}: `{module}` may not import `{import}`: {why}", relative.display()));
            }
        }
        if module == "xds" {
            for kind in imports(&text, "crate::api::").iter().filter(|kind| OBJECT_KINDS.contains(&kind.as_str())) {
                broken.push(format!("{}: `xds` may not see the object kind `{kind}`: {why}", relative.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn the_pure_core_reaches_no_io_no_clock_no_environment() {
    let mut broken = Vec::new();
    for (path, text) in sources("shared/src") {
        // Unit tests may read files; they stand at the end.
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
            for reach in IMPURE.iter().filter(|reach| line.contains(**reach)) {
                broken.push(format!("{}: `{reach}`: shared/ is pure", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn the_plugin_and_the_agent_do_not_know_each_other() {
    let mut broken = Vec::new();
    for (folder, other) in [("plugin/src", "gateway_agent"), ("agent/src", "kubectl_gateway")] {
        for (path, text) in sources(folder) {
            if text.contains(other) {
                broken.push(format!("{}: mentions `{other}`; they meet in the protocol alone", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_file_says_first_what_it_owns() {
    let mut broken = Vec::new();
    for folder in ["shared/src", "agent/src", "plugin/src", "tests/src", "tests/tests"] {
        for (path, text) in sources(folder) {
            if !text.starts_with("//!") {
                broken.push(format!("{}: begins without a `//!` line", path.display()));
            }
            let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            if BANNED_NAMES.contains(&stem) {
                broken.push(format!("{}: the name says nothing about what is inside", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn lints_are_expected_with_a_reason_and_never_just_allowed() {
    let mut broken = Vec::new();
    for folder in ["shared/src", "agent/src", "plugin/src"] {
        for (path, text) in sources(folder) {
            if text.contains("#[allow(") || text.contains("#![allow(") {
                broken.push(format!("{}: use `#[expect(lint, reason = \"…\")]`", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

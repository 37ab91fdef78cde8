//! Finds the descriptor set that the envoy-types package carries and derives two files from it, in `OUT_DIR`:
//! `envoy_types.bin`, the same without comments and options, and `map_shapes.rs`, the table `xds::encode` walks.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use prost::Message as _;
use protox::prost_reflect::prost_types::field_descriptor_proto::Type;
use protox::prost_reflect::prost_types::{DescriptorProto, FileDescriptorSet};

/// Where the descriptor set may be given, when `cargo metadata` can't be asked (a vendored build).
const OVERRIDE: &str = "ENVOY_TYPES_DESCRIPTORS";

/// Writes both files.
pub(crate) fn prepare() -> Result<(), String> {
    println!("cargo::rerun-if-env-changed={OVERRIDE}");
    let source = match env::var_os(OVERRIDE) {
        Some(path) => PathBuf::from(path),
        None => package_folder()?.join("src/generated/types.bin"),
    };
    println!("cargo::rerun-if-changed={}", source.display());
    let bytes = fs::read(&source).map_err(|error| {
        format!("cannot read Envoy's descriptors at {}: {error}; set {OVERRIDE} to the file", source.display())
    })?;
    let mut set = FileDescriptorSet::decode(bytes.as_slice())
        .map_err(|error| format!("{} is no descriptor set: {error}", source.display()))?;
    for file in &mut set.file {
        file.source_code_info = None;
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    write(&out.join("envoy_types.bin"), &set.encode_to_vec())?;
    write(&out.join("map_shapes.rs"), map_shapes(&set).as_bytes())
}

fn write(path: &Path, content: &[u8]) -> Result<(), String> {
    fs::write(path, content).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// The folder of the envoy-types package that this build uses, from `cargo metadata`.
fn package_folder() -> Result<PathBuf, String> {
    let cargo = env::var_os("CARGO").ok_or("CARGO is not set")?;
    let target = env::var("TARGET").map_err(|_| "TARGET is not set")?;
    // Other platforms' packages may not be on this machine; without --offline a build could touch the network.
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--offline", "--locked", "--filter-platform", &target])
        .current_dir(env::var_os("CARGO_MANIFEST_DIR").ok_or("CARGO_MANIFEST_DIR is not set")?)
        .output()
        .map_err(|error| format!("cannot run cargo metadata: {error}"))?;
    if !output.status.success() {
        return Err(format!(
            "cargo metadata failed: {}; set {OVERRIDE} to envoy-types' types.bin",
            String::from_utf8_lossy(&output.stderr).replace('\n', " ")
        ));
    }
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata is not JSON: {error}"))?;
    metadata
        .get("packages")
        .and_then(serde_json::Value::as_array)
        .into_iter()
        .flatten()
        .find(|package| package["name"] == "envoy-types")
        .and_then(|package| package["manifest_path"].as_str())
        .and_then(|manifest| Path::new(manifest).parent())
        .map(Path::to_path_buf)
        .ok_or_else(|| "cargo metadata does not list envoy-types".to_owned())
}

/// What a message's field means to the walk: nothing, a message, or a map (of messages, by name).
enum Field {
    Message(String),
    Map(Option<String>),
}

/// The source of a table with every message that is or holds a map, at any depth.
fn map_shapes(set: &FileDescriptorSet) -> String {
    let mut messages: BTreeMap<String, Vec<(i32, Field)>> = BTreeMap::new();
    for file in &set.file {
        for message in &file.message_type {
            collect(file.package(), message, &mut messages);
        }
    }
    let mut holds_map: BTreeMap<&str, bool> = messages.keys().map(|name| (name.as_str(), false)).collect();
    loop {
        let mut changed = false;
        for (name, fields) in &messages {
            let holds = fields.iter().any(|(_, field)| match field {
                Field::Map(_) => true,
                Field::Message(target) => holds_map.get(target.as_str()).copied().unwrap_or(false),
            });
            if holds && holds_map.insert(name, true) != Some(true) {
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let kept: BTreeMap<&str, usize> =
        holds_map.iter().filter(|(_, holds)| **holds).enumerate().map(|(index, (name, _))| (*name, index)).collect();
    let mut source = String::from("static SHAPES: &[(&str, &[(u32, Field)])] = &[\n");
    for (name, fields) in messages.iter().filter(|(name, _)| kept.contains_key(name.as_str())) {
        let mut entries = String::new();
        for (number, field) in fields {
            let entry = match field {
                Field::Map(None) => "Field::Map(None)".to_owned(),
                Field::Map(Some(value)) => match kept.get(value.as_str()) {
                    Some(index) => format!("Field::Map(Some({index}))"),
                    None => "Field::Map(None)".to_owned(),
                },
                Field::Message(target) => match kept.get(target.as_str()) {
                    Some(index) => format!("Field::Message({index})"),
                    None => continue,
                },
            };
            let _ = write!(entries, "({number}, {entry}), ");
        }
        let _ = writeln!(source, "    (\"{name}\", &[{entries}]),");
    }
    source.push_str("];\n");
    source
}

/// Adds `message` and all messages inside it, by full name.
fn collect(scope: &str, message: &DescriptorProto, messages: &mut BTreeMap<String, Vec<(i32, Field)>>) {
    let name = if scope.is_empty() { message.name().to_owned() } else { format!("{scope}.{}", message.name()) };
    let mut fields = Vec::new();
    for field in &message.field {
        if field.r#type() != Type::Message {
            continue;
        }
        let target = field.type_name().trim_start_matches('.').to_owned();
        let entry = message.nested_type.iter().find(|nested| {
            nested.options.as_ref().is_some_and(|options| options.map_entry())
                && target == format!("{name}.{}", nested.name())
        });
        fields.push((
            field.number(),
            match entry {
                Some(entry) => Field::Map(
                    entry
                        .field
                        .iter()
                        .find(|field| field.number() == 2 && field.r#type() == Type::Message)
                        .map(|field| field.type_name().trim_start_matches('.').to_owned()),
                ),
                None => Field::Message(target),
            },
        ));
    }
    for nested in &message.nested_type {
        collect(&name, nested, messages);
    }
    messages.insert(name, fields);
}

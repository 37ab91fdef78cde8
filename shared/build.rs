//! Prepares what the xDS layer knows about Envoy's messages: a lean descriptor set for JSON, and which messages carry maps.

#[path = "build/envoy_descriptors.rs"]
mod envoy_descriptors;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build/envoy_descriptors.rs");
    if let Err(reason) = envoy_descriptors::prepare() {
        println!("cargo::error={reason}");
    }
}

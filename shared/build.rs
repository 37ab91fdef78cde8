//! Prepares what the xDS layer knows about Envoy's messages (a lean descriptor set for JSON, and which messages carry
//! maps), and the agent's gRPC API.

#[path = "build/agent_api.rs"]
mod agent_api;
#[path = "build/envoy_descriptors.rs"]
mod envoy_descriptors;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build/envoy_descriptors.rs");
    println!("cargo::rerun-if-changed=build/agent_api.rs");
    if let Err(reason) = envoy_descriptors::prepare().and_then(|()| agent_api::compile()) {
        println!("cargo::error={reason}");
    }
}

//! Compiles the agent's gRPC API, without protoc.

/// Generates the messages, the client and the server.
pub(super) fn compile() -> Result<(), String> {
    println!("cargo::rerun-if-changed=proto");
    let descriptors =
        protox::compile(["gateway/agent/v1/agent.proto"], ["proto"]).map_err(|error| format!("{error:?}"))?;
    tonic_prost_build::configure().compile_fds(descriptors).map_err(|error| error.to_string())
}

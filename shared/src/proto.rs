//! The agent's gRPC API, generated from `shared/proto`.

/// Version 1 of the API.
#[expect(
    missing_docs,
    clippy::allow_attributes,
    clippy::allow_attributes_without_reason,
    unused_qualifications,
    reason = "generated code"
)]
pub mod v1 {
    tonic::include_proto!("gateway.agent.v1");
}

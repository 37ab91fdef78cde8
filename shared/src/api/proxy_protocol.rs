//! PROXY protocol towards backends.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// The PROXY header sent to backends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProxyProtocol {
    pub version: ProxyProtocolVersion,
}

string_enum! {
    /// Its version.
    pub closed enum ProxyProtocolVersion {
        V1 = "V1",
        V2 = "V2",
    }
}

//! `version`: of this program, and of what it is compatible with.

use serde::Serialize;

use crate::args::version::Version;
use crate::exit::{Exit, Outcome};
use crate::render::printer::Printer;

/// The versions, as `-o json` prints them.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Versions {
    client: &'static str,
    gateway_api: &'static str,
    envoy_gateway: &'static str,
    envoy: &'static str,
}

const VERSIONS: Versions =
    Versions { client: env!("CARGO_PKG_VERSION"), gateway_api: "1.6.1", envoy_gateway: "1.9.0", envoy: "1.39.0" };

/// Prints the versions.
///
/// # Errors
/// When stdout can't be written.
pub fn run(asked: &Version, printer: &mut Printer<'_>) -> Outcome {
    let Version { output } = asked;
    match output {
        Some(format) => printer.document(*format, &VERSIONS)?,
        None => {
            let Versions { client, gateway_api, envoy_gateway, envoy } = VERSIONS;
            printer.data(&format!(
                "client         v{client}\n\
                 Gateway API    v{gateway_api}\n\
                 compatible to  Envoy Gateway v{envoy_gateway}, Envoy v{envoy}\n"
            ))?;
        }
    }
    Ok(Exit::Fine)
}

//! A dozen tests of the official suite. `make conformance` runs all of them.

use std::process::Stdio;
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use tokio::process::Command;

use crate::cluster::{Cluster, class};
use crate::install::indented;

/// Quick ones, of every part.
const TESTS: &[&str] = &[
    "GatewayClassObservedGenerationBump",
    "GatewayObservedGenerationBump",
    "GatewayInvalidRouteKind",
    "GatewayModifyListeners",
    "GatewaySecretReferenceGrantSpecific",
    "HTTPRouteSimpleSameNamespace",
    "HTTPRouteCrossNamespace",
    "HTTPRouteMatching",
    "HTTPRouteHTTPSListener",
    "HTTPRouteListenerHostnameMatching",
    "HTTPRouteRequestHeaderModifier",
    "HTTPRouteWeight",
];

/// The class the suite makes its Gateways of.
const CLASS: &str = "conformance";

/// Each of [`TESTS`] passes.
pub(crate) async fn a_dozen_tests(cluster: Arc<Cluster>) -> anyhow::Result<()> {
    cluster.kubectl.apply(&[&class(CLASS)]).await?;
    let output = Command::new(&cluster.suite)
        .args(["-test.v", "-test.timeout=15m", &format!("-test.run=TestConformance/^({})$", TESTS.join("|"))])
        .args([&format!("--gateway-class={CLASS}"), "--all-features", "--exempt-features=Mesh"])
        .args(["--conformance-profiles=GATEWAY-HTTP", "--usable-address=172.30.0.200", "--unusable-address=10.0.0.1"])
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .context("run the suite")?;
    let said = String::from_utf8_lossy(&output.stdout);
    let results: String =
        said.lines().filter(|line| line.starts_with("    --- ")).map(|line| format!("{line}\n")).collect();
    print!("{}", indented(&results));
    let passed = results.matches("--- PASS").count();
    if !output.status.success() || passed != TESTS.len() {
        let tail: Vec<&str> = said.lines().rev().take(60).collect();
        println!("{}", indented(&tail.into_iter().rev().collect::<Vec<_>>().join("\n")));
    }
    ensure!(passed == TESTS.len(), "{passed} of {} passed", TESTS.len());
    ensure!(output.status.success(), "the suite exited with {}", output.status);
    cluster.kubectl.run(&["delete", "gatewayclass", CLASS, "--wait=false"]).await.map(drop)
}

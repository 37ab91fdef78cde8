//! The agent and the plugin in a real cluster, with real pods and traffic.
//!
//! `make test-cluster` brings a cluster up, gives it the images and runs this inside of it; by itself this program says
//! in one line that it is skipped. Tests run one after the other, in the order of [`TESTS`], and share one
//! installation. Words on the command line choose some by name.

#![expect(clippy::indexing_slicing, reason = "a field that isn't there fails the test")]

mod access;
mod certificates;
mod cluster;
mod conformance;
mod definitions;
mod drift;
mod fleet;
mod install;
mod kubectl;
mod malformed;
mod namespace_mode;
mod outage;
mod suite;
mod take_over;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use cluster::Cluster;
use suite::Test;
use tokio::task::LocalSet;

/// Everything, in order: what a person does first comes first, and what disturbs everyone else comes last.
const TESTS: &[Test] = &[
    Test::new("install", |cluster| Box::pin(install::ends_when_the_agent_is_ready(cluster))),
    Test::new("quickstart", |cluster| Box::pin(install::a_manifest_becomes_traffic(cluster))),
    Test::new("install_again", |cluster| Box::pin(install::a_second_time_changes_nothing(cluster))),
    Test::new("namespace_user", |cluster| Box::pin(access::a_user_of_one_namespace(cluster))),
    Test::new("deployment_edited", |cluster| Box::pin(drift::an_edited_deployment_is_put_right(cluster))),
    Test::new("foreign_service", |cluster| Box::pin(drift::a_service_of_somebody_else_is_left_alone(cluster))),
    Test::new("merge_gateways", |cluster| Box::pin(fleet::merged_gateways_share_one_fleet(cluster))),
    Test::new("scaling", |cluster| Box::pin(fleet::an_autoscaler_owns_the_replicas(cluster))),
    Test::new("malformed", |cluster| Box::pin(malformed::one_of_each_kind_stops_nobody(cluster))),
    Test::new("certificates", |cluster| Box::pin(certificates::rotation_under_load(cluster))),
    Test::new("agent_killed", |cluster| Box::pin(outage::the_agent_killed_twenty_times(cluster))),
    Test::new("leader_killed", |cluster| Box::pin(outage::the_leader_of_two_killed(cluster))),
    Test::new("api_server_stopped", |cluster| Box::pin(outage::the_api_server_stopped(cluster))),
    Test::new("conformance", |cluster| Box::pin(conformance::a_dozen_tests(cluster))),
    Test::new("namespace_mode", |cluster| Box::pin(namespace_mode::a_forged_token_is_refused(cluster))),
    Test::new("definitions", |cluster| Box::pin(definitions::absent_at_start_and_installed_later(cluster))),
    Test::new("take_over", |cluster| Box::pin(take_over::a_layout_of_envoy_gateway(cluster))),
    Test::new("uninstall", |cluster| Box::pin(install::uninstall_keeps_what_the_user_owns(cluster))),
];

#[tokio::main]
async fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let cluster = match Cluster::of_environment() {
        Ok(cluster) => Arc::new(cluster),
        Err(why) => {
            println!("skipped: tests in a cluster: {why}");
            return ExitCode::SUCCESS;
        }
    };
    let chosen: Vec<&Test> =
        TESTS.iter().filter(|test| words.is_empty() || words.iter().any(|word| word == test.name)).collect();
    if let Some(word) = words.iter().find(|word| TESTS.iter().all(|test| test.name != *word)) {
        let names: Vec<_> = TESTS.iter().map(|test| test.name).collect();
        println!("there is no test {word}; there are {}", names.join(", "));
        return ExitCode::from(64);
    }
    let running = LocalSet::new();
    let mut failed = Vec::new();
    for (number, test) in chosen.iter().enumerate() {
        println!("[{}/{}] {} …", number + 1, chosen.len(), test.name);
        let started = Instant::now();
        let result = running.run_until(running.spawn_local((test.run)(Arc::clone(&cluster)))).await;
        let took = started.elapsed().as_secs_f32();
        match result {
            Ok(Ok(())) => println!("[{}/{}] {} ok, {took:.1} s", number + 1, chosen.len(), test.name),
            Ok(Err(error)) => {
                println!("[{}/{}] {} FAILED, {took:.1} s: {error:#}", number + 1, chosen.len(), test.name);
                cluster.post_mortem().await;
                failed.push(test.name);
            }
            Err(panic) => {
                println!("[{}/{}] {} FAILED, {took:.1} s: {panic}", number + 1, chosen.len(), test.name);
                failed.push(test.name);
            }
        }
    }
    println!("{} of {} passed", chosen.len() - failed.len(), chosen.len());
    if failed.is_empty() {
        return ExitCode::SUCCESS;
    }
    println!("failed: {}", failed.join(", "));
    ExitCode::FAILURE
}

//! Envoys on this host: held, handed over, drained, and never left behind. Most of it with a stand-in for Envoy; with
//! `ENVOY_BINARY` set, with the real one too.

#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it has to be")]

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gateway_agent::infra::host::envoy_binary::EnvoyBinary;
use gateway_agent::infra::host::lease::Phase;
use gateway_agent::infra::host::{Desired, Host, HostConfig, HostStatus, Proxy};
use gateway_shared::infra::bootstrap::Options;
use tokio::sync::watch;

const KEY: &str = "default/eg";

/// A program that takes Envoy's place and does `script`.
fn stand_in(directory: &Path, script: &str) -> PathBuf {
    let path = directory.join("stand-in");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn config(directory: &Path, envoy: PathBuf, grace: Duration) -> HostConfig {
    HostConfig {
        state_dir: directory.join("state"),
        envoy: EnvoyBinary { path: envoy, version: "1.39.0".to_owned() },
        guard_program: PathBuf::from(env!("CARGO_BIN_EXE_gateway-agent")),
        grace,
    }
}

fn proxy(log_level: &str) -> Proxy {
    Proxy {
        ir_key: KEY.to_owned(),
        bootstrap: Options::on_this_host("127.0.0.1", 1),
        bootstrap_override: None,
        log_level: log_level.to_owned(),
        component_log_level: None,
        concurrency: Some(1),
        extra_arguments: Vec::new(),
        drain_timeout: Duration::from_secs(2),
        ports: BTreeMap::new(),
    }
}

fn desired(proxies: Vec<Proxy>) -> Desired {
    Desired { proxies, unknown: BTreeSet::new(), complete: true }
}

/// The processes of the only fleet, once the status is as `wanted`.
async fn pids(status: &mut watch::Receiver<HostStatus>, wanted: impl Fn(&HostStatus) -> bool) -> Vec<u32> {
    let deadline = tokio::time::sleep(Duration::from_secs(20));
    tokio::pin!(deadline);
    loop {
        let now = status.borrow_and_update().clone();
        if wanted(&now) {
            return now
                .fleets
                .values()
                .flat_map(|fleet| fleet.values())
                .filter_map(|instance| instance.state.pid)
                .collect();
        }
        tokio::select! {
            changed = status.changed() => changed.unwrap(),
            () = &mut deadline => panic!("it never came to that: {now:?}"),
        }
    }
}

fn runs(status: &HostStatus) -> bool {
    status.fleets.get(KEY).is_some_and(|fleet| fleet.values().any(|instance| instance.state.pid.is_some()))
}

fn alive(pid: u32) -> bool {
    // A process that has ended and is not yet waited for counts as ended.
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

async fn ends(pid: u32, within: Duration) -> bool {
    let deadline = tokio::time::Instant::now() + within;
    while tokio::time::Instant::now() < deadline {
        if !alive(pid) {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    false
}

/// What a killed agent looks like to its guards: the runtime that held the leases is gone, with no word said.
fn killed(runtime: tokio::runtime::Runtime) {
    runtime.shutdown_timeout(Duration::from_secs(1));
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

#[test]
fn an_envoy_outlives_a_killed_agent_and_the_next_one_takes_it_over() {
    let directory = tempfile::tempdir().unwrap();
    let config = config(directory.path(), stand_in(directory.path(), "exec sleep 600"), Duration::from_secs(30));

    let first = runtime();
    let before = first.block_on(async {
        let host = Host::start(config.clone()).unwrap();
        host.apply(desired(vec![proxy("warn")]));
        pids(&mut host.status(), runs).await
    });
    killed(first);
    assert!(alive(before[0]));

    runtime().block_on(async {
        let host = Host::start(config).unwrap();
        host.apply(desired(vec![proxy("warn")]));
        let after = pids(&mut host.status(), runs).await;
        assert_eq!(before, after, "the same process goes on");
        host.shut_down().await;
        assert!(!alive(before[0]), "and is gone when the agent ends in good order");
    });
}

#[test]
fn without_an_agent_an_envoy_ends_after_its_grace_period() {
    let directory = tempfile::tempdir().unwrap();
    let config = config(directory.path(), stand_in(directory.path(), "exec sleep 600"), Duration::from_millis(500));
    let agent = runtime();
    let pid = agent.block_on(async {
        let host = Host::start(config).unwrap();
        host.apply(desired(vec![proxy("warn")]));
        pids(&mut host.status(), runs).await
    })[0];
    killed(agent);
    assert!(alive(pid));
    assert!(runtime().block_on(ends(pid, Duration::from_secs(5))), "it is an orphan");
}

#[test]
fn an_envoy_ends_with_its_guard_and_is_started_again() {
    let directory = tempfile::tempdir().unwrap();
    let config = config(directory.path(), stand_in(directory.path(), "exec sleep 600"), Duration::from_secs(30));
    runtime().block_on(async {
        let host = Host::start(config.clone()).unwrap();
        host.apply(desired(vec![proxy("warn")]));
        let pid = pids(&mut host.status(), runs).await[0];
        let lock = find(&config.state_dir, "guard.lock").unwrap();
        let guard = std::fs::read_to_string(lock).unwrap();
        assert!(std::process::Command::new("kill").args(["-9", guard.trim()]).status().unwrap().success());
        assert!(ends(pid, Duration::from_secs(5)).await, "it is an orphan");
        let again = pids(&mut host.status(), |status| {
            status
                .fleets
                .values()
                .flat_map(|fleet| fleet.values())
                .any(|instance| instance.state.pid.is_some_and(|other| other != pid))
        })
        .await;
        assert_ne!(again, [pid]);
        host.shut_down().await;
    });
}

fn find(under: &Path, name: &str) -> Option<PathBuf> {
    std::fs::read_dir(under)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .find_map(|path| if path.is_dir() { find(&path, name) } else { (path.file_name()? == name).then_some(path) })
}

#[test]
fn an_envoy_that_fails_is_started_again_and_says_why() {
    let directory = tempfile::tempdir().unwrap();
    let config = config(directory.path(), stand_in(directory.path(), "exit 3"), Duration::from_secs(30));
    runtime().block_on(async {
        let host = Host::start(config).unwrap();
        host.apply(desired(vec![proxy("warn")]));
        let mut status = host.status();
        let status = status
            .wait_for(|status| {
                status.fleets.values().flat_map(|fleet| fleet.values()).any(|instance| {
                    instance.state.restarts >= 2
                        && instance.state.phase == Phase::BackingOff
                        && instance.state.last_exit.as_ref().is_some_and(|why| why.contains("exit code 3"))
                })
            })
            .await;
        assert!(status.is_ok());
        drop(status);
        host.shut_down().await;
    });
}

#[test]
fn two_agents_do_not_share_a_state_directory() {
    let directory = tempfile::tempdir().unwrap();
    let config = config(directory.path(), stand_in(directory.path(), "exec sleep 600"), Duration::from_secs(30));
    runtime().block_on(async {
        let host = Host::start(config.clone()).unwrap();
        let error = Host::start(config).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains("--state-dir"), "{error}");
        host.shut_down().await;
    });
}

#[test]
fn a_real_envoy_becomes_ready_is_replaced_and_stops() {
    let Some(envoy) = std::env::var_os("ENVOY_BINARY") else {
        eprintln!("skipped: ENVOY_BINARY is not set");
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let config = config(directory.path(), PathBuf::from(envoy), Duration::from_secs(30));
    // Without a single dynamic resource Envoy is ready at once.
    let of = |level: &str| Proxy {
        bootstrap_override: Some("admin: {address: {socket_address: {address: 127.0.0.1, port_value: 0}}}".to_owned()),
        ..proxy(level)
    };
    let ready = |status: &HostStatus| {
        status.fleets.get(KEY).is_some_and(|fleet| fleet.len() == 1 && fleet.values().all(|instance| instance.ready))
    };
    runtime().block_on(async {
        let host = Host::start(config).unwrap();
        host.apply(desired(vec![of("warn")]));
        let first = pids(&mut host.status(), ready).await;
        host.apply(desired(vec![of("info")]));
        let second = pids(&mut host.status(), |status| {
            ready(status)
                && status.fleets.values().flat_map(|fleet| fleet.values()).all(|it| it.state.pid != Some(first[0]))
        })
        .await;
        assert!(!alive(first[0]) && alive(second[0]));
        host.shut_down().await;
        assert!(!alive(second[0]));
    });
}

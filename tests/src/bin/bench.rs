//! `make bench`: CPU time from parsed objects to encoded snapshots, and memory, for growing numbers of HTTPRoutes.
//!
//! Every size runs in a process of its own, so that its memory is its own. Each route has a host name, a Service and an
//! EndpointSlice of its own, so that one endpoint's change is one cluster's change.

use std::process::{Command, ExitCode};
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use gateway_shared::api::any_object::AnyObject;
use gateway_shared::config::Config;
use gateway_shared::pipeline::{self, Cache, Outcome};
use gateway_shared::resources::Resources;
use gateway_shared::resources::decode;
use gateway_shared::xds::table::{Change, ResourceType};
use rustix::time::{ClockId, clock_gettime};

/// The agent's, so that memory means the same.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

const SIZES: &[usize] = &[1_000, 5_000, 20_000];
/// How often each change is measured; the median is printed.
const ROUNDS: usize = 21;

fn main() -> ExitCode {
    let result = match std::env::args().nth(1) {
        Some(size) => size.parse().context("the argument is a number of routes").and_then(measure),
        None => all_sizes(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn all_sizes() -> anyhow::Result<()> {
    println!(
        "{:>7}  {:>10}  {:>12}  {:>13}  {:>10}  what one endpoint changes",
        "routes", "cold", "one route", "one endpoint", "RSS"
    );
    let program = std::env::current_exe()?;
    for size in SIZES {
        let status = Command::new(&program).arg(size.to_string()).status()?;
        if !status.success() {
            return Err(anyhow!("the run with {size} routes failed"));
        }
    }
    Ok(())
}

fn measure(size: usize) -> anyhow::Result<()> {
    let config = Config::default();
    let mut resources: Resources = objects(size)?.into_iter().collect();
    let mut cache = Cache::default();

    let started = cpu()?;
    let mut outcome = pipeline::run(&resources, &config, &mut cache);
    let cold = cpu()? - started;

    let mut route_change = Vec::new();
    let mut endpoint_change = Vec::new();
    let mut what = String::new();
    for round in 0..ROUNDS {
        let index = (round * 7919 + 1) % size;
        resources.insert(object(&route(index, &format!("v{round}")))?);
        let (next, time) = timed(&resources, &config, &mut cache)?;
        route_change.push(time);
        drop(std::mem::replace(&mut outcome, next));

        resources.insert(object(&slice(index, round + 1))?);
        let (next, time) = timed(&resources, &config, &mut cache)?;
        endpoint_change.push(time);
        what = changes(&outcome, &next);
        outcome = next;
    }
    println!(
        "{size:>7}  {:>7.1} ms  {:>9.2} ms  {:>10.3} ms  {:>6.1} MiB  {what}",
        millis(cold),
        millis(median(&mut route_change)),
        millis(median(&mut endpoint_change)),
        rss_mib()?,
    );
    Ok(())
}

fn timed(resources: &Resources, config: &Config, cache: &mut Cache) -> anyhow::Result<(Outcome, Duration)> {
    let started = cpu()?;
    let outcome = pipeline::run(resources, config, cache);
    Ok((outcome, cpu()? - started))
}

/// The resources that differ between two outcomes, by type.
fn changes(old: &Outcome, new: &Outcome) -> String {
    let mut parts = Vec::new();
    for (key, snapshot) in &new.snapshots {
        let Some(before) = old.snapshots.get(key) else { continue };
        for kind in ResourceType::ALL {
            let count = before
                .table
                .of(kind)
                .changes(snapshot.table.of(kind))
                .filter(|change| matches!(change, Change::Updated(_) | Change::Removed(_)))
                .count();
            if count > 0 {
                parts.push(format!("{count} {}", kind.label()));
            }
        }
    }
    parts.join(", ")
}

fn objects(size: usize) -> anyhow::Result<Vec<AnyObject>> {
    let mut objects = Vec::with_capacity(3 * size + 3);
    for text in [
        r#"{"apiVersion":"gateway.networking.k8s.io/v1","kind":"GatewayClass","metadata":{"name":"eg"},"spec":{"controllerName":"gateway.envoyproxy.io/gatewayclass-controller"}}"#,
        r#"{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"bench"}}"#,
        r#"{"apiVersion":"gateway.networking.k8s.io/v1","kind":"Gateway","metadata":{"name":"edge","namespace":"bench"},"spec":{"gatewayClassName":"eg","listeners":[{"name":"http","protocol":"HTTP","port":80}]}}"#,
    ] {
        objects.push(object(text)?);
    }
    for index in 0..size {
        objects.push(object(&route(index, "v"))?);
        objects.push(object(&service(index))?);
        objects.push(object(&slice(index, 0))?);
    }
    Ok(objects)
}

fn route(index: usize, value: &str) -> String {
    format!(
        r#"{{"apiVersion":"gateway.networking.k8s.io/v1","kind":"HTTPRoute","metadata":{{"name":"r{index}","namespace":"bench"}},"spec":{{"parentRefs":[{{"name":"edge"}}],"hostnames":["r{index}.example.com"],"rules":[{{"matches":[{{"path":{{"type":"PathPrefix","value":"/"}}}}],"filters":[{{"type":"ResponseHeaderModifier","responseHeaderModifier":{{"set":[{{"name":"x-bench","value":"{value}"}}]}}}}],"backendRefs":[{{"name":"s{index}","port":3000}}]}}]}}}}"#
    )
}

fn service(index: usize) -> String {
    format!(
        r#"{{"apiVersion":"v1","kind":"Service","metadata":{{"name":"s{index}","namespace":"bench"}},"spec":{{"clusterIP":"10.0.0.1","ports":[{{"name":"http","port":3000,"targetPort":3000,"protocol":"TCP"}}]}}}}"#
    )
}

fn slice(index: usize, round: usize) -> String {
    let (a, b, c) = (index / 65_536 % 256, index / 256 % 256, index % 256);
    let last = round % 250;
    format!(
        r#"{{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{{"name":"s{index}-1","namespace":"bench","labels":{{"kubernetes.io/service-name":"s{index}"}}}},"addressType":"IPv4","ports":[{{"name":"http","port":3000,"protocol":"TCP"}}],"endpoints":[{{"addresses":["10.{a}.{b}.{c}"],"conditions":{{"ready":true}}}},{{"addresses":["11.{b}.{c}.{last}"],"conditions":{{"ready":true}}}}]}}"#
    )
}

fn object(text: &str) -> anyhow::Result<AnyObject> {
    let decoded = decode::manifests("bench", text);
    if let Some(error) = decoded.errors.first() {
        return Err(anyhow!("{error}"));
    }
    decoded.objects.into_iter().next().map(|decoded| decoded.object).context("one object in each text")
}

/// The CPU time this process has used, in all its threads.
fn cpu() -> anyhow::Result<Duration> {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Ok(Duration::new(u64::try_from(time.tv_sec)?, u32::try_from(time.tv_nsec)?))
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// What the process holds at rest, in MiB: what it gave back is gone after a moment.
fn rss_mib() -> anyhow::Result<f64> {
    std::thread::sleep(Duration::from_secs(2));
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).context("no VmRSS in /proc/self/status")?;
    let kib: f64 = line.split_whitespace().nth(1).context("no figure after VmRSS")?.parse()?;
    Ok(kib / 1024.0)
}

//! The container that lets a proxy drain before it is stopped.

use k8s_openapi::api::core::v1::{Container, ExecAction, Lifecycle, LifecycleHandler, SecurityContext};

use crate::api::duration::Duration;
use crate::api::envoy_proxy::ShutdownConfig;
use crate::infra::envoy_container::{environment, probe, requests, unprivileged};
use crate::infra::fleet::Fleet;

/// The port the shutdown manager listens on.
pub(super) const PORT: u16 = 19002;
/// Answers once the proxy's connections are gone: what Envoy's container waits for before it is stopped.
pub(super) const READY_PATH: &str = "/shutdown/ready";
/// Answers as long as the shutdown manager runs.
const HEALTH_PATH: &str = "/healthz";
/// Our own program, in our own image.
const PROGRAM: &str = "gateway-agent";
/// How much longer than it drains the manager waits for a proxy.
const READY_MARGIN_SECONDS: f64 = 10.0;

/// The container of the shutdown manager.
pub(super) fn container(fleet: &Fleet<'_>, security_context: Option<&SecurityContext>) -> Container {
    let image = fleet.settings.shutdown_manager_image();
    let said = fleet.spec.shutdown.clone().unwrap_or_default();
    let Commands { manager, pre_stop } = commands(image, &said);
    let health = |period, failures| probe(HEALTH_PATH, PORT, period, failures);
    let mut manager = manager.into_iter();
    Container {
        name: "shutdown-manager".to_owned(),
        image: Some(image.to_owned()),
        image_pull_policy: Some("IfNotPresent".to_owned()),
        command: Some(manager.by_ref().take(1).collect()),
        args: Some(manager.collect()),
        env: Some(environment()),
        resources: Some(requests("10m", "32Mi")),
        termination_message_policy: Some("File".to_owned()),
        termination_message_path: Some("/dev/termination-log".to_owned()),
        startup_probe: Some(health(10, 30)),
        readiness_probe: Some(health(10, 3)),
        liveness_probe: Some(health(10, 3)),
        lifecycle: Some(Lifecycle {
            pre_stop: Some(LifecycleHandler {
                exec: Some(ExecAction { command: Some(pre_stop) }),
                ..LifecycleHandler::default()
            }),
            ..Lifecycle::default()
        }),
        security_context: Some(security_context.cloned().unwrap_or_else(unprivileged)),
        ..Container::default()
    }
}

/// What the container runs.
struct Commands {
    /// As long as the pod lives.
    manager: Vec<String>,
    /// When the pod is to leave.
    pre_stop: Vec<String>,
}

/// The flags are those of Envoy Gateway, and so is the program where the image is one of Envoy Gateway's: a
/// configuration that was taken over names such an image, and it has no program of ours.
fn commands(image: &str, said: &ShutdownConfig) -> Commands {
    let ShutdownConfig { health_check_failure_delay, drain_timeout, min_drain_duration } = said;
    let program: &[&str] = if is_envoy_gateways(image) { &["envoy-gateway", "envoy"] } else { &[PROGRAM] };
    let command = |verb: &str| -> Vec<String> { program.iter().copied().chain([verb]).map(str::to_owned).collect() };
    let mut manager = command("shutdown-manager");
    manager.extend(drain_timeout.map(|drain| format!("--ready-timeout={:.0}s", seconds(drain) + READY_MARGIN_SECONDS)));
    let mut pre_stop = command("shutdown");
    pre_stop.extend(health_check_failure_delay.map(|delay| format!("--health-check-failure-delay={delay}")));
    pre_stop.extend(drain_timeout.map(|drain| format!("--drain-timeout={:.0}s", seconds(drain))));
    pre_stop.extend(min_drain_duration.map(|least| format!("--min-drain-duration={:.0}s", seconds(least))));
    Commands { manager, pre_stop }
}

/// Whether an image is Envoy Gateway's own, in whichever registry.
fn is_envoy_gateways(image: &str) -> bool {
    let name = image.split('@').next().unwrap_or_default();
    let repository = match name.rsplit_once(':') {
        Some((repository, tag)) if !tag.contains('/') => repository,
        _ => name,
    };
    ["envoyproxy/gateway", "envoyproxy/gateway-dev"].iter().any(|theirs| {
        repository.strip_suffix(theirs).is_some_and(|registry| registry.is_empty() || registry.ends_with('/'))
    })
}

/// A duration in seconds.
pub(super) fn seconds(duration: Duration) -> f64 {
    duration.as_nanos() as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_those_of_envoy_gateway_and_the_program_is_ours() {
        let said = ShutdownConfig {
            health_check_failure_delay: Some(Duration::from_millis(1500)),
            drain_timeout: Some(Duration::from_secs(30)),
            min_drain_duration: Some(Duration::from_secs(15)),
        };
        let Commands { manager, pre_stop } = commands("example.com/gateway-agent:1", &said);
        assert_eq!(manager, ["gateway-agent", "shutdown-manager", "--ready-timeout=40s"]);
        assert_eq!(
            pre_stop,
            [
                "gateway-agent",
                "shutdown",
                "--health-check-failure-delay=1.5s",
                "--drain-timeout=30s",
                "--min-drain-duration=15s"
            ]
        );
    }

    #[test]
    fn an_image_of_envoy_gateway_runs_its_own_program() {
        for (image, theirs) in [
            ("docker.io/envoyproxy/gateway:v1.9.0", true),
            ("localhost:5000/envoyproxy/gateway-dev@sha256:00", true),
            ("envoyproxy/gateway", true),
            ("example.com/notenvoyproxy/gateway:v1", false),
            ("example.com/gateway-agent:v1.9.0", false),
        ] {
            let first = commands(image, &ShutdownConfig::default()).manager.first().cloned();
            assert_eq!(first.as_deref() == Some("envoy-gateway"), theirs, "{image}");
        }
    }
}

//! Where the proxies write what active health checks find.

use crate::api::health_check_log::{self as api, ProxyHealthCheckLogEventType};
use crate::ir::traffic::health_check::{FileEnvoyProxyHealthCheckLog, ProxyHealthCheckLog};

/// The place when none is named.
const STDOUT: &str = "/dev/stdout";

/// Reads the settings: every event unless some are picked. Without a flag Envoy writes changes only.
pub(super) fn translate(log: &api::ProxyHealthCheckLog) -> ProxyHealthCheckLog {
    let api::ProxyHealthCheckLog { sinks, matches } = log;
    let picked = |event| matches.is_empty() || matches.contains(&event);
    let mut files: Vec<String> =
        sinks.iter().filter_map(|sink| sink.file.as_ref()).map(|file| file.path.clone()).collect();
    if sinks.is_empty() {
        files.push(STDOUT.to_owned());
    }
    ProxyHealthCheckLog {
        file_sinks: files.into_iter().map(|path| FileEnvoyProxyHealthCheckLog { path }).collect(),
        always_log_health_check_failures: picked(ProxyHealthCheckLogEventType::Failure),
        always_log_health_check_success: picked(ProxyHealthCheckLogEventType::Success),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> (bool, bool, Vec<String>) {
        let log = translate(&serde_json::from_str(json).unwrap());
        let files = log.file_sinks.into_iter().map(|file| file.path).collect();
        (log.always_log_health_check_failures, log.always_log_health_check_success, files)
    }

    #[test]
    fn nothing_said_means_everything_to_stdout() {
        assert_eq!(read("{}"), (true, true, vec![STDOUT.to_owned()]));
    }

    #[test]
    fn changes_alone_need_no_flag() {
        let json = r#"{"matches":["HealthyTransition","Failure"],"sinks":[{"type":"File","file":{"path":"/log"}}]}"#;
        assert_eq!(read(json), (true, false, vec!["/log".to_owned()]));
    }
}

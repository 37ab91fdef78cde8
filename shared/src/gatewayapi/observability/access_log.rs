//! Access logs: text or JSON in files, a gRPC access log service, OpenTelemetry. Without settings, JSON on stdout.

use super::cel;
use super::collector::{Collectors, Host, entries};
use crate::api::access_log::{
    AlsEnvoyProxyAccessLog, AlsEnvoyProxyAccessLogType, AlsEnvoyProxyHttpAccessLogConfig,
    OpenTelemetryEnvoyProxyAccessLog, ProxyAccessLog, ProxyAccessLogFormat, ProxyAccessLogFormatType,
    ProxyAccessLogSetting, ProxyAccessLogSink, ProxyAccessLogSinkType, ProxyAccessLogType,
};
use crate::api::metadata::Object;
use crate::diagnostic::{Diagnostic, FieldPath};
use crate::gatewayapi::classes::INVALID_PARAMETERS;
use crate::ir::access_log::{
    AccessLog, AlsAccessLog, AlsAccessLogHttp, JsonAccessLog, OpenTelemetryAccessLog, TextAccessLog,
};

/// The file when none is named.
const STDOUT: &str = "/dev/stdout";

/// The access log of proxies nobody configured.
pub(super) fn default() -> AccessLog {
    let json = vec![JsonAccessLog { path: STDOUT.to_owned(), ..JsonAccessLog::default() }];
    AccessLog { json, ..AccessLog::default() }
}

/// Reads the settings; none where logs are switched off.
pub(super) fn translate(
    collectors: &Collectors<'_, '_>,
    log: Option<&ProxyAccessLog>,
) -> Result<Option<AccessLog>, Diagnostic> {
    let Some(ProxyAccessLog { disable, settings }) = log else { return Ok(Some(default())) };
    if *disable == Some(true) {
        return Ok(None);
    }
    if settings.is_empty() {
        return Ok(Some(default()));
    }
    let mut access_log = AccessLog::default();
    for (index, setting) in settings.iter().enumerate() {
        let inside = |fault: Diagnostic| fault.within_item("settings", index).within("accessLog");
        add_setting(collectors, index, setting, &mut access_log).map_err(inside)?;
    }
    Ok(Some(access_log))
}

/// What the sinks of one setting have in common.
struct Lines<'s> {
    format: Format<'s>,
    cel_matches: Vec<String>,
    log_type: Option<ProxyAccessLogType>,
}

/// The form of a line. Without a form, it is JSON with Envoy Gateway's own fields.
#[derive(Clone, Copy)]
struct Format<'s> {
    kind: Option<ProxyAccessLogFormatType>,
    written: Option<&'s ProxyAccessLogFormat>,
}

impl Format<'_> {
    fn is_text(self) -> bool {
        self.kind == Some(ProxyAccessLogFormatType::Text)
    }

    fn text(self) -> Option<String> {
        self.written.and_then(|format| format.text.clone())
    }

    fn json(self) -> Vec<crate::ir::map_entry::MapEntry> {
        self.written.map(|format| entries(&format.json)).unwrap_or_default()
    }
}

fn add_setting(
    collectors: &Collectors<'_, '_>,
    index: usize,
    setting: &ProxyAccessLogSetting,
    log: &mut AccessLog,
) -> Result<(), Diagnostic> {
    let ProxyAccessLogSetting { format, matches, sinks, r#type } = setting;
    for (position, expression) in matches.iter().enumerate() {
        if let Err(fault) = cel::check(expression) {
            let message = format!("{expression:?} is no CEL expression: {fault}");
            return Err(
                Diagnostic::new(FieldPath::root(), INVALID_PARAMETERS, message).within_item("matches", position)
            );
        }
    }
    let kind = format.as_ref().map_or(Some(ProxyAccessLogFormatType::Json), |format| format.r#type);
    let lines =
        Lines { format: Format { kind, written: format.as_ref() }, cel_matches: matches.clone(), log_type: *r#type };
    if sinks.is_empty() {
        log.json.push(json_file(&lines, STDOUT.to_owned()));
    }
    for (position, sink) in sinks.iter().enumerate() {
        let ProxyAccessLogSink { r#type, als, file, open_telemetry } = sink;
        let inside = |field: &'static str| move |fault: Diagnostic| fault.within(field).within_item("sinks", position);
        let place = format!("{index}_{position}");
        match (r#type, als, file, open_telemetry) {
            (Some(ProxyAccessLogSinkType::File), _, Some(file), _) => {
                let path = file.path.clone().unwrap_or_default();
                if lines.format.is_text() {
                    log.text.push(text_file(&lines, path));
                } else {
                    log.json.push(json_file(&lines, path));
                }
            }
            (Some(ProxyAccessLogSinkType::Als), Some(als), _, _) => {
                log.als.push(service(collectors, &lines, als, &place).map_err(inside("als"))?);
            }
            (Some(ProxyAccessLogSinkType::OpenTelemetry), _, _, Some(otel)) => {
                log.open_telemetry
                    .push(open_telemetry_sink(collectors, &lines, otel, &place).map_err(inside("openTelemetry"))?);
            }
            _ => {}
        }
    }
    Ok(())
}

fn text_file(lines: &Lines<'_>, path: String) -> TextAccessLog {
    TextAccessLog {
        cel_matches: lines.cel_matches.clone(),
        format: lines.format.text(),
        path,
        log_type: lines.log_type,
    }
}

fn json_file(lines: &Lines<'_>, path: String) -> JsonAccessLog {
    JsonAccessLog { cel_matches: lines.cel_matches.clone(), json: lines.format.json(), path, log_type: lines.log_type }
}

/// A gRPC access log service.
fn service(
    collectors: &Collectors<'_, '_>,
    lines: &Lines<'_>,
    als: &AlsEnvoyProxyAccessLog,
    place: &str,
) -> Result<AlsAccessLog, Diagnostic> {
    let name = format!("accesslog_als_{place}");
    let collector = collectors.collector(&name, &als.backend_refs, als.backend_settings.as_ref())?.over_grpc();
    let headers = als.http.as_ref().filter(|_| als.r#type == AlsEnvoyProxyAccessLogType::Http);
    let is_text = lines.format.is_text();
    Ok(AlsAccessLog {
        cel_matches: lines.cel_matches.clone(),
        name: als.log_name.clone().unwrap_or_else(|| collectors.proxy().key().to_string()),
        destination: collector.destination,
        traffic: collector.traffic,
        r#type: als.r#type,
        text: lines.format.text().filter(|_| is_text),
        attributes: if is_text { Vec::new() } else { lines.format.json() },
        http: headers.map(|headers| {
            let AlsEnvoyProxyHttpAccessLogConfig { request_headers, response_headers, response_trailers } = headers;
            AlsAccessLogHttp {
                request_headers: request_headers.clone(),
                response_headers: response_headers.clone(),
                response_trailers: response_trailers.clone(),
            }
        }),
        log_type: lines.log_type,
    })
}

/// An OpenTelemetry collector: a line's text and its fields can go together where the form says neither.
fn open_telemetry_sink(
    collectors: &Collectors<'_, '_>,
    lines: &Lines<'_>,
    otel: &OpenTelemetryEnvoyProxyAccessLog,
    place: &str,
) -> Result<OpenTelemetryAccessLog, Diagnostic> {
    let name = format!("accesslog_otel_{place}");
    let collector = collectors.collector(&name, &otel.backend_refs, otel.backend_settings.as_ref())?.over_grpc();
    let host = otel.host.as_deref().map(|name| Host { name, port: otel.port.unwrap_or(4317) });
    let collector = collector.or_host(host.unwrap_or(Host { name: "", port: 0 }));
    let kind = lines.format.kind;
    let attributes = if otel.resource_attributes.is_empty() { &otel.resources } else { &otel.resource_attributes };
    Ok(OpenTelemetryAccessLog {
        cel_matches: lines.cel_matches.clone(),
        authority: collector.authority,
        text: lines.format.text().filter(|_| kind != Some(ProxyAccessLogFormatType::Json)),
        attributes: if kind == Some(ProxyAccessLogFormatType::Text) { Vec::new() } else { lines.format.json() },
        resource_attributes: entries(attributes),
        headers: otel.headers.clone(),
        destination: collector.destination,
        traffic: collector.traffic,
        log_type: lines.log_type,
    })
}

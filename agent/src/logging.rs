//! The log: structured, for people or for machines, and as talkative as it is told to be while it runs.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Registry, reload};

use crate::args::LogFormat;

/// The knob of the log level. Clones turn the same knob.
#[derive(Clone)]
pub struct LogLevel {
    filter: Option<reload::Handle<EnvFilter, Registry>>,
    level: Arc<Mutex<String>>,
}

impl fmt::Debug for LogLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LogLevel").field(&self.get()).finish()
    }
}

/// Begins to log to standard error.
///
/// # Errors
/// When `level` is not one.
pub fn start(level: &str, format: LogFormat) -> Result<LogLevel, String> {
    let (filter, handle) = reload::Layer::new(parse(level)?);
    let registry = tracing_subscriber::registry().with(filter);
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let started = match format {
        LogFormat::Text => {
            registry.with(lines.with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr()))).try_init()
        }
        LogFormat::Json => registry.with(lines.json().flatten_event(true)).try_init(),
    };
    started.map_err(|error| error.to_string())?;
    Ok(LogLevel { filter: Some(handle), level: Arc::new(Mutex::new(level.to_owned())) })
}

impl LogLevel {
    /// A knob without a log, for an agent inside a test.
    #[must_use]
    pub fn unconnected() -> Self {
        Self { filter: None, level: Arc::new(Mutex::new("off".to_owned())) }
    }

    /// The level now.
    #[must_use]
    pub fn get(&self) -> String {
        self.level.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the level: `info`, or per module `info,gateway_agent::xds=debug`.
    ///
    /// # Errors
    /// When it is not a level.
    pub fn set(&self, level: &str) -> Result<(), String> {
        let filter = parse(level)?;
        if let Some(handle) = &self.filter {
            handle.reload(filter).map_err(|error| error.to_string())?;
        }
        level.clone_into(&mut self.level.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(())
    }
}

/// The client of the API server logs every attempt that fails, at any level. What is worth saying of that is said once,
/// by whoever made the attempt; a level may still name these modules.
const SAID_ELSEWHERE: &str = "kube_client=off,kube_runtime=off";

fn parse(level: &str) -> Result<EnvFilter, String> {
    EnvFilter::builder().parse(format!("{SAID_ELSEWHERE},{level}")).map_err(|_| {
        format!(
            "`{level}` is not a log level: write error, warn, info, debug or trace, or add modules as in \
             info,gateway_agent::xds=debug"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_level_changes_nothing() {
        let level = LogLevel::unconnected();
        assert_eq!(level.set("info,gateway_agent::xds=debug"), Ok(()));
        assert!(level.set("gateway=loud").is_err());
        assert_eq!(level.get(), "info,gateway_agent::xds=debug");
    }
}

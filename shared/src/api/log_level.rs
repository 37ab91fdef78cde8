//! Levels of log messages.

use crate::api::string_enum::string_enum;

string_enum! {
    /// How much is logged.
    pub closed enum LogLevel {
        Trace = "trace",
        Debug = "debug",
        Info = "info",
        Warn = "warn",
        Error = "error",
        Off = "off",
        Critical = "critical",
    }
}

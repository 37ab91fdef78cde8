//! One route and what it looks up → its decisions and its pieces of IR.

pub mod cookies;
pub mod cors_preflight;
pub mod fan_out;
pub mod filters;
pub mod fragment;
pub mod header_value;
pub mod hostname;
pub mod http;
pub mod layer4;
pub mod matches;
pub mod outcome;
pub mod regex;
pub mod retry;
pub mod rules;
pub mod scope;
pub mod session_persistence;
pub mod stat_name;
pub mod tcp;
pub mod timeout;
pub mod tls;
pub mod udp;

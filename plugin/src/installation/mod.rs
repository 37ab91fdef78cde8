//! Installing: what is asked for, what the cluster is like, what speaks against it, and doing it step by step.

pub mod apply;
pub mod before;
pub mod belonging;
pub mod checks;
pub mod documents;
pub mod facts;
pub mod gateway_api;
pub mod guests;
pub mod live;
#[cfg(test)]
pub(crate) mod pretended;
pub mod progress;
pub mod removal;
pub mod request;
pub mod rights;
pub mod rollout;
pub mod terminal;
pub mod waiting;

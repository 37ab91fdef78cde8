//! TLS for those who connect to the agent: certificates from files that are read again when they change, and an accept
//! loop that no peer can stop.

pub mod connection;
pub mod incoming;
pub mod material;

#[cfg(test)]
mod tests;

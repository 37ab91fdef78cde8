//! What a test is: a name and something to await.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::cluster::Cluster;

/// What running one gives.
type Running = Pin<Box<dyn Future<Output = anyhow::Result<()>>>>;

/// One test.
pub(crate) struct Test {
    /// What it is chosen by.
    pub(crate) name: &'static str,
    /// Runs it.
    pub(crate) run: fn(Arc<Cluster>) -> Running,
}

impl Test {
    /// A test.
    pub(crate) const fn new(name: &'static str, run: fn(Arc<Cluster>) -> Running) -> Self {
        Self { name, run }
    }
}

//! A backend of one test.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::echo;

/// An [`echo`] server on loopback that counts. It stops when it is dropped.
#[derive(Debug)]
pub struct Backend {
    /// The port it listens on.
    pub port: u16,
    served: Arc<AtomicUsize>,
    task: JoinHandle<std::io::Result<()>>,
}

impl Backend {
    /// Starts one that calls itself `name`.
    ///
    /// # Panics
    /// When loopback has no free port.
    pub async fn start(name: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback has a free port");
        let port = listener.local_addr().expect("a bound socket has an address").port();
        let served = Arc::new(AtomicUsize::new(0));
        let task = tokio::spawn(echo::serve_counted(listener, name.to_owned(), Arc::clone(&served)));
        Self { port, served, task }
    }

    /// How many requests it has been asked.
    #[must_use]
    pub fn served(&self) -> usize {
        self.served.load(Ordering::SeqCst)
    }
}

impl Drop for Backend {
    fn drop(&mut self) {
        self.task.abort();
    }
}

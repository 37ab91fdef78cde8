//! One watch: what the API server says of a kind, told to the store, for ever and through all errors.

use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;

use kube::Client;
use kube::runtime::watcher::{self, watcher};
use tokio::sync::{Notify, mpsc};
use tokio_stream::StreamExt as _;
use tracing::{debug, warn};

use super::decode::{decode, key_of};
use super::health::{Health, Trouble};
use super::raw::Raw;
use super::registry::{Presence, Watched};
use super::store::{Event, Source};
use crate::watching::{self, Retries};

/// The store is no longer there: the agent ends.
struct Gone;

/// A watch of one kind, everywhere or in one namespace.
pub(super) struct Watch {
    /// The API server.
    pub(super) client: Client,
    /// What is watched.
    pub(super) watched: &'static Watched,
    /// In which version.
    pub(super) version: &'static str,
    /// Where, and as whom the store knows us.
    pub(super) source: Source,
    /// Whether lists are to be streamed, until one can't be.
    pub(super) streaming: bool,
    /// Where troubles are told.
    pub(super) health: Health,
    /// Asks which kinds there are.
    pub(super) discover: Arc<Notify>,
    /// The store.
    pub(super) events: mpsc::Sender<Event>,
}

impl Watch {
    /// Watches until the store is gone.
    pub(super) async fn run(self) {
        let mut retries = Retries::default();
        let mut streaming = self.streaming;
        loop {
            let mut stream =
                pin!(watcher(self.watched.api(&self.client, self.version, &self.source), self.config(streaming)));
            while let Some(item) = stream.next().await {
                let error = match item {
                    Ok(event) => {
                        // That a list begins says nothing: nobody has been asked yet.
                        if !matches!(event, watcher::Event::Init) {
                            self.health.well(&self.source);
                        }
                        if self.tell(event).await.is_err() {
                            return;
                        }
                        continue;
                    }
                    Err(error) => error,
                };
                let trouble = Trouble::of(&error, streaming);
                if matches!(trouble, Trouble::Forbidden(_)) && self.watched.presence == Presence::Foreign {
                    drop(self.events.send(Event::Forgone(self.source.clone())).await);
                }
                let next = self.report(trouble);
                if next == Next::ListByPage {
                    streaming = false;
                } else {
                    tokio::time::sleep(retries.wait(Instant::now())).await;
                }
                if next != Next::GoOn {
                    break;
                }
            }
        }
    }

    fn config(&self, streaming: bool) -> watcher::Config {
        let mut config = watching::config();
        config.field_selector = self.watched.fields.map(str::to_owned);
        if streaming { config.streaming_lists() } else { config }
    }

    /// Tells the store.
    async fn tell(&self, event: watcher::Event<Raw>) -> Result<(), Gone> {
        let source = self.source.clone();
        let event = match event {
            watcher::Event::Init => Event::Restarted(source),
            watcher::Event::InitDone => Event::ListedAll(source),
            watcher::Event::InitApply(raw) => match decode(self.watched, raw.value) {
                Some(decoded) => Event::Listed(source, decoded),
                None => return self.nameless(),
            },
            watcher::Event::Apply(raw) => match decode(self.watched, raw.value) {
                Some(decoded) => Event::Changed(source, decoded),
                None => return self.nameless(),
            },
            watcher::Event::Delete(raw) => match key_of(self.watched, &raw.value) {
                Some(key) => Event::Deleted(source, key),
                None => return self.nameless(),
            },
        };
        self.events.send(event).await.map_err(|_| Gone)
    }

    fn nameless(&self) -> Result<(), Gone> {
        warn!(kind = self.watched.kind, "the API server gave an object without a name; it is passed over");
        Ok(())
    }

    /// Tells of a trouble, and says what to do.
    fn report(&self, trouble: Trouble) -> Next {
        let next = match &trouble {
            Trouble::NoStreaming => {
                debug!(kind = self.watched.kind, "the API server can't stream this list; it is asked for page by page");
                Next::ListByPage
            }
            Trouble::NoSuchKind => {
                self.discover.notify_one();
                Next::GoOn
            }
            Trouble::Expired => Next::List,
            Trouble::Unreachable(_) | Trouble::Forbidden(_) | Trouble::Failing(_) | Trouble::Refused(_) => Next::GoOn,
        };
        self.health.trouble(&self.source, trouble);
        next
    }
}

/// What to do after a trouble.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Wait a moment and try the same again.
    GoOn,
    /// Wait a moment and list everything anew.
    List,
    /// List everything anew, at once and page by page.
    ListByPage,
}

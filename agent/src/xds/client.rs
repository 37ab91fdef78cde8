//! A scripted proxy for the tests of both dialects: it asks, answers and remembers what it was sent.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use envoy_types::pb::envoy::service::discovery::v3::{DeltaDiscoveryRequest, DiscoveryRequest};
use envoy_types::pb::google::rpc::Status;
use gateway_shared::xds::table::{Resource, ResourceType, Table};

use super::cache::Snapshot;
use super::push::Push;
use super::stream::{Behaviour, Dialect, Event, Stream};
use super::{delta, sotw};

pub(super) const LIMIT: Duration = Duration::from_secs(15);

pub(super) use ResourceType::{Cluster, Endpoints, Listener, Route, Secret};

/// A table from lines like `cluster a 1`, `route r 1 a b` (which mentions clusters a and b).
pub(super) fn table(lines: &[&str]) -> Table {
    let mut table = Table::default();
    for line in lines {
        let mut words = line.split(' ');
        let kind = kind_of(words.next().unwrap_or_default());
        let name = words.next().unwrap_or_default();
        table.of_mut(kind).insert(Arc::new(Resource::new(name, body(&words.collect::<Vec<_>>()))));
    }
    table
}

fn kind_of(word: &str) -> ResourceType {
    ResourceType::ALL.into_iter().find(|kind| kind.label().starts_with(word)).unwrap_or(Cluster)
}

/// A message of text fields.
fn body(words: &[&str]) -> Vec<u8> {
    words.iter().flat_map(|word| [10, u8::try_from(word.len()).unwrap_or(0)].into_iter().chain(word.bytes())).collect()
}

pub(super) struct Client {
    pub(super) stream: Stream,
    pub(super) now: Instant,
    dialect: Dialect,
    /// What it has, as the versions on the wire.
    pub(super) has: BTreeMap<ResourceType, BTreeMap<String, String>>,
    names: BTreeMap<ResourceType, Vec<String>>,
    versions: BTreeMap<ResourceType, String>,
    unanswered: BTreeMap<ResourceType, VecDeque<Push>>,
    last_nonce: BTreeMap<ResourceType, String>,
}

impl Client {
    pub(super) fn new(dialect: Dialect) -> Self {
        let behaviour = Behaviour { dialect, ordered: true, hold_limit: LIMIT };
        Self {
            stream: Stream::new(behaviour),
            now: Instant::now(),
            dialect,
            has: BTreeMap::new(),
            names: BTreeMap::new(),
            versions: BTreeMap::new(),
            unanswered: BTreeMap::new(),
            last_nonce: BTreeMap::new(),
        }
    }

    pub(super) fn unordered(mut self) -> Self {
        self.stream.behaviour.ordered = false;
        self
    }

    pub(super) fn publish(&mut self, lines: &[&str]) -> Vec<String> {
        self.publish_table(table(lines))
    }

    pub(super) fn publish_table(&mut self, table: Table) -> Vec<String> {
        let snapshot = Snapshot::new(Arc::from("key"), Arc::new(table), SystemTime::UNIX_EPOCH);
        self.stream.on_snapshot(Arc::new(snapshot));
        self.sent()
    }

    pub(super) fn wait(&mut self, time: Duration) -> Vec<String> {
        self.now += time;
        self.sent()
    }

    /// Everything the server sends now, as `cluster +a +b -c`.
    pub(super) fn sent(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(push) = self.stream.poll(self.now) {
            let mut line = push.kind.label().split(' ').next().unwrap_or_default().to_owned();
            for resource in &push.resources {
                line += &format!(" +{}", resource.name);
            }
            for name in &push.removals {
                line += &format!(" -{name}");
            }
            lines.push(line);
            self.last_nonce.insert(push.kind, push.nonce.clone());
            self.unanswered.entry(push.kind).or_default().push_back(push);
        }
        lines
    }

    /// Subscribes (in SotW: the new full list is the old one and these).
    pub(super) fn ask(&mut self, kind: ResourceType, names: &[&str]) -> Vec<String> {
        self.change(kind, names, &[])
    }

    pub(super) fn change(&mut self, kind: ResourceType, add: &[&str], drop: &[&str]) -> Vec<String> {
        let list = self.names.entry(kind).or_default();
        list.retain(|name| !drop.contains(&name.as_str()));
        list.extend(
            add.iter().filter(|name| !list.iter().any(|it| it == *name)).map(ToString::to_string).collect::<Vec<_>>(),
        );
        for name in drop {
            self.has.entry(kind).or_default().remove(*name);
        }
        self.request(kind, add, drop, None, None);
        self.sent()
    }

    /// A new stream: asks again for everything, saying what it has.
    pub(super) fn reconnect(&mut self) -> Vec<String> {
        let snapshot = self.stream.snapshot.clone();
        self.stream = Stream::new(self.stream.behaviour);
        self.unanswered.clear();
        self.last_nonce.clear();
        if let Some(snapshot) = snapshot {
            self.stream.on_snapshot(snapshot);
        }
        let mut lines = Vec::new();
        for (kind, names) in self.names.clone() {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            self.request(kind, &names, &[], None, None);
            lines.extend(self.sent());
        }
        lines
    }

    pub(super) fn waiting_for_answer(&self) -> Vec<ResourceType> {
        self.unanswered.iter().filter(|(_, queue)| !queue.is_empty()).map(|(kind, _)| *kind).collect()
    }

    /// Accepts the oldest unanswered response of `kind`.
    pub(super) fn ack(&mut self, kind: ResourceType) -> Vec<String> {
        self.answer(kind, None);
        self.sent()
    }

    pub(super) fn ack_all(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(kind) = self.waiting_for_answer().first() {
            lines.extend(self.ack(*kind));
        }
        lines
    }

    pub(super) fn nack(&mut self, kind: ResourceType, text: &str) -> Vec<String> {
        self.answer(kind, Some(text));
        self.sent()
    }

    pub(super) fn answer(&mut self, kind: ResourceType, error: Option<&str>) -> Option<Event> {
        let push = self.unanswered.get_mut(&kind)?.pop_front()?;
        if error.is_none() {
            let has = self.has.entry(kind).or_default();
            if self.dialect == Dialect::Sotw && matches!(kind, Cluster | Listener) {
                has.clear();
            }
            // Like Envoy, it throws away what it no longer subscribes to.
            let names = self.names.get(&kind);
            let wanted = |name: &str| {
                matches!(kind, Cluster | Listener)
                    || names.is_some_and(|it| it.iter().any(|it| it == name || it == "*"))
            };
            for resource in push.resources.iter().filter(|it| wanted(&it.name)) {
                has.insert(resource.name.to_string(), resource.version_info());
            }
            for name in &push.removals {
                has.remove(&**name);
            }
            self.versions.insert(kind, push.version_info.clone());
        }
        self.request(kind, &[], &[], Some(push.nonce), error)
    }

    pub(super) fn request(
        &mut self,
        kind: ResourceType,
        add: &[&str],
        drop: &[&str],
        nonce: Option<String>,
        error: Option<&str>,
    ) -> Option<Event> {
        let owned = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let error_detail = error.map(|text| Status { message: text.to_owned(), ..Status::default() });
        match self.dialect {
            Dialect::Delta => {
                let first = self.stream.subscribed(kind).is_none();
                let has = self.has.get(&kind).filter(|_| first).cloned().unwrap_or_default();
                let request = DeltaDiscoveryRequest {
                    resource_names_subscribe: owned(add),
                    resource_names_unsubscribe: owned(drop),
                    initial_resource_versions: has.into_iter().collect(),
                    response_nonce: nonce.unwrap_or_default(),
                    error_detail,
                    ..DeltaDiscoveryRequest::default()
                };
                delta::on_request(&mut self.stream, kind, &request, self.now)
            }
            Dialect::Sotw => {
                let request = DiscoveryRequest {
                    version_info: self.versions.get(&kind).cloned().unwrap_or_default(),
                    resource_names: self.names.get(&kind).cloned().unwrap_or_default(),
                    response_nonce: nonce.or_else(|| self.last_nonce.get(&kind).cloned()).unwrap_or_default(),
                    error_detail,
                    ..DiscoveryRequest::default()
                };
                sotw::on_request(&mut self.stream, kind, &request, self.now)
            }
        }
    }

    /// What is held, as `route r: words`.
    pub(super) fn held(&self) -> Vec<String> {
        let line = |(kind, name, hold): (ResourceType, &Arc<str>, &super::push::Hold)| {
            let sign = if hold.removal { "-" } else { "+" };
            format!("{} {sign}{name}: {}", kind.label(), hold.because)
        };
        self.stream.held().map(line).collect()
    }

    pub(super) fn names_of(&self, kind: ResourceType) -> String {
        let names: Vec<&str> = self.has.get(&kind).into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        names.join(" ")
    }
}

//! Asking the proxies of a cluster: their admin interface is on loopback of the pod, so the API server forwards a port.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use gateway_shared::explain::evidence::{AdminFacts, InfraFacts, Known};
use gateway_shared::pipeline::Outcome;
use gateway_shared::status::live::{LiveAddress, LiveFleet, LiveFleets, LiveService, LiveWorkload};
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::header::HOST;
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use k8s_openapi::api::core::v1::Pod;
use kube::{Api, Client};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Semaphore, watch};

use super::{QUESTIONS, facts};

/// The port of Envoy's admin interface in its pod, as the bootstrap says.
const ADMIN_PORT: u16 = 19000;

/// How long one proxy may take to answer all questions.
const ANSWER_LIMIT: Duration = Duration::from_secs(4);

/// How long an answer is used again: several questions are often asked one after the other.
const REMEMBERED: Duration = Duration::from_secs(2);

/// How many proxies of one fleet are asked. They are alike, and each costs the API server a connection.
const PROXIES_OF_A_FLEET: usize = 8;

/// How many are asked at once, over all questions.
const AT_ONCE: usize = 16;

/// The most that is read of one answer, in bytes.
const BYTES: usize = 64 * 1024 * 1024;

/// What proxies said, and when.
type Remembered = HashMap<PodName, (Instant, Known<AdminFacts>)>;

/// What is known in a cluster.
#[derive(Clone)]
pub struct Pods {
    client: Client,
    live: watch::Receiver<Option<Arc<LiveFleets>>>,
    /// The namespace of all proxies; `None` where each is in that of its Gateway.
    namespace: Option<String>,
    remembered: Arc<Mutex<Remembered>>,
    room: Arc<Semaphore>,
}

/// A pod's namespace and name.
type PodName = (String, String);

impl fmt::Debug for Pods {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pods").field("namespace", &self.namespace).finish_non_exhaustive()
    }
}

impl Pods {
    /// Asks through the API server of `client`.
    #[must_use]
    pub fn new(client: Client, live: watch::Receiver<Option<Arc<LiveFleets>>>, namespace: Option<String>) -> Self {
        let room = Arc::new(Semaphore::new(AT_ONCE));
        Self { client, live, namespace, remembered: Arc::default(), room }
    }

    /// What runs the proxies of a fleet.
    #[must_use]
    pub fn infra(&self, key: &str) -> Known<InfraFacts> {
        match &*self.live.borrow() {
            None => Known::unknown("the objects of fleets haven't been read yet"),
            Some(live) => {
                live.get(key).map_or_else(|| Known::unknown("nothing of this fleet has been made yet"), infra)
            }
        }
    }

    /// What the proxies `nodes` of the fleet `key` say of themselves, by node id.
    pub async fn ask<'a>(
        &self,
        outcome: &Outcome,
        key: &str,
        nodes: impl Iterator<Item = &'a str>,
    ) -> BTreeMap<String, Known<AdminFacts>> {
        let Some(namespace) = self.namespace_of(outcome, key) else { return BTreeMap::new() };
        let mut tasks = tokio::task::JoinSet::new();
        let mut answers = BTreeMap::new();
        for (position, node) in nodes.enumerate() {
            if position >= PROXIES_OF_A_FLEET {
                let why = format!("only {PROXIES_OF_A_FLEET} proxies of a fleet are asked");
                answers.insert(node.to_owned(), Known::unknown(why));
                continue;
            }
            let (pods, pod) = (self.clone(), (namespace.clone(), node.to_owned()));
            tasks.spawn(async move { (pod.1.clone(), pods.one(pod).await) });
        }
        while let Some(answer) = tasks.join_next().await {
            answers.extend(answer);
        }
        answers
    }

    fn namespace_of(&self, outcome: &Outcome, key: &str) -> Option<String> {
        if let Some(namespace) = &self.namespace {
            return Some(namespace.clone());
        }
        let (_, infra) = outcome.translation.infra().find(|(of, _)| ***of == *key)?;
        Some(infra.proxy.as_ref()?.namespace.clone())
    }

    async fn one(&self, pod: PodName) -> Known<AdminFacts> {
        if let Some(facts) = self.remembered(&pod) {
            return facts;
        }
        let Ok(_room) = self.room.acquire().await else { return Known::unknown("the agent is stopping") };
        let asked = tokio::time::timeout(ANSWER_LIMIT, self.forwarded(&pod)).await;
        let facts = match asked {
            Ok(Ok(facts)) => Known::Is(facts),
            Ok(Err(why)) => Known::unknown(format!("its Envoy can't be asked: {why}")),
            Err(_) => Known::unknown(format!("its Envoy didn't answer within {} s", ANSWER_LIMIT.as_secs())),
        };
        let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        remembered.retain(|_, (at, _)| at.elapsed() < REMEMBERED);
        remembered.insert(pod, (Instant::now(), facts.clone()));
        facts
    }

    fn remembered(&self, pod: &PodName) -> Option<Known<AdminFacts>> {
        let remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        remembered.get(pod).filter(|(at, _)| at.elapsed() < REMEMBERED).map(|(_, facts)| facts.clone())
    }

    async fn forwarded(&self, (namespace, name): &PodName) -> Result<AdminFacts, String> {
        let pods: Api<Pod> = Api::namespaced(self.client.clone(), namespace);
        let mut forwarded = pods.portforward(name, &[ADMIN_PORT]).await.map_err(|error| error.to_string())?;
        let stream = forwarded.take_stream(ADMIN_PORT).ok_or_else(|| "the port wasn't forwarded".to_owned())?;
        let answered = answers(stream).await;
        forwarded.abort();
        let [listeners, warming, routes, clusters] = answered?;
        Ok(facts(&listeners, &warming, &routes, &clusters))
    }
}

/// The answers to all questions, over one connection.
async fn answers<S: AsyncRead + AsyncWrite + Send + Unpin + 'static>(stream: S) -> Result<[Value; 4], String> {
    let broke = |error: hyper::Error| format!("the connection broke off: {error}");
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(broke)?;
    // It ends when the sender is dropped.
    tokio::spawn(connection);
    let mut answers = [Value::Null, Value::Null, Value::Null, Value::Null];
    for (path, answer) in QUESTIONS.iter().zip(&mut answers) {
        sender.ready().await.map_err(broke)?;
        let request = Request::get(*path).header(HOST, "localhost").body(Empty::<Bytes>::new());
        let request = request.map_err(|error| error.to_string())?;
        let response = sender.send_request(request).await.map_err(broke)?;
        let status = response.status();
        if status != StatusCode::OK {
            return Err(format!("status {status} for {path}"));
        }
        let body = Limited::new(response.into_body(), BYTES).collect().await.map_err(|error| error.to_string())?;
        *answer = serde_json::from_slice(&body.to_bytes()).map_err(|error| format!("no JSON from {path}: {error}"))?;
    }
    Ok(answers)
}

/// What the objects of a fleet say about it.
fn infra(fleet: &LiveFleet) -> Known<InfraFacts> {
    let LiveFleet { service, workload, problem } = fleet;
    let address = |address: &LiveAddress| match address {
        LiveAddress::Ip(text) | LiveAddress::Hostname(text) => text.clone(),
    };
    let addresses =
        service.iter().flat_map(|LiveService { addresses, fixed: _ }| addresses.iter().map(address)).collect();
    let count = |number: i32| usize::try_from(number).unwrap_or_default();
    let LiveWorkload { desired, existing: _, available } = workload.unwrap_or_default();
    let missing = match (workload, service) {
        (None, _) => Some("there is no Deployment or DaemonSet of it yet".to_owned()),
        (_, None) => Some("there is no Service of it yet".to_owned()),
        _ => None,
    };
    Known::Is(InfraFacts {
        wanted: count(desired),
        ready: count(available),
        addresses,
        trouble: problem.clone().or(missing),
    })
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[test]
    fn what_a_fleet_lacks_is_said() {
        let told = |fleet: &LiveFleet| match infra(fleet) {
            Known::Is(facts) => format!("{}/{} {:?} {:?}", facts.ready, facts.wanted, facts.addresses, facts.trouble),
            Known::Unknown(why) => why,
        };
        let service = LiveService { addresses: vec![LiveAddress::Ip("10.0.0.1".into())], fixed: Vec::new() };
        let workload = LiveWorkload { desired: 3, existing: 3, available: 2 };
        let mut fleet = LiveFleet { service: Some(service), workload: Some(workload), problem: None };
        assert_eq!(told(&fleet), "2/3 [\"10.0.0.1\"] None");
        fleet.workload = None;
        assert!(told(&fleet).contains("no Deployment"), "{}", told(&fleet));
        fleet.problem = Some("the Service is somebody else's".into());
        assert!(told(&fleet).contains("somebody else's"));
    }

    #[tokio::test]
    async fn all_questions_go_over_one_connection() {
        let (ours, mut envoy) = tokio::io::duplex(4096);
        let served = tokio::spawn(async move {
            let (mut seen, mut buffer) = (String::new(), vec![0; 4096]);
            for _ in QUESTIONS {
                let read = envoy.read(&mut buffer).await.unwrap();
                seen.push_str(std::str::from_utf8(&buffer[..read]).unwrap());
                envoy.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await.unwrap();
            }
            seen
        });
        assert_eq!(answers(ours).await.unwrap().len(), 4);
        let seen = served.await.unwrap();
        assert_eq!(seen.matches("GET /").count(), 4, "{seen}");
    }
}

//! The cluster tests run in, and what nearly all of them do with it.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use gateway_tests::client::{Answer, Ask, get};
use serde_json::Value;

use crate::kubectl::{Kubectl, Said};

/// The namespace of the control plane.
pub(crate) const CONTROL_PLANE: &str = "envoy-gateway-system";

/// The GatewayClass of the tests.
pub(crate) const CLASS: &str = "eg";

/// The image of backends, which says what it was asked.
const ECHO_IMAGE: &str = "registry.k8s.io/gateway-api/echo-basic:v1.5.1";

/// How long something may take that needs a pod to start.
pub(crate) const PATIENCE: Duration = Duration::from_secs(90);

/// The cluster, and what was made for the tests outside of it.
#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    /// The administrator's kubectl.
    pub(crate) kubectl: Kubectl,
    /// The agent's image.
    pub(crate) image: String,
    /// The file with Gateway API's definitions.
    pub(crate) definitions: String,
    /// The conformance suite, compiled.
    pub(crate) suite: PathBuf,
    /// Where a cluster made on this machine keeps its processes; `None` for another one.
    pub(crate) processes: Option<PathBuf>,
}

impl Cluster {
    /// What `hack/test-cluster.sh` says in the environment.
    pub(crate) fn of_environment() -> Result<Self, String> {
        let variable = |name: &str| {
            let found = std::env::var(name).ok().filter(|value| !value.is_empty());
            found.ok_or_else(|| format!("{name} is not set; `make test-cluster` runs them"))
        };
        let definitions = variable("GATEWAY_TEST_DEFINITIONS")?;
        let suite = PathBuf::from(variable("GATEWAY_TEST_SUITE")?);
        let image = variable("AGENT_IMAGE")?;
        variable("KUBECONFIG")?;
        let processes = variable("GATEWAY_TEST_PROCESSES").ok().map(PathBuf::from);
        Ok(Self { kubectl: Kubectl::default(), image, definitions, suite, processes })
    }

    /// `kubectl gateway install` as the tests want it, with these words more.
    pub(crate) async fn install(&self, words: &[&str]) -> anyhow::Result<Said> {
        let mut all = vec!["gateway", "install", "--yes", "--image", &self.image];
        all.extend(["--gateway-api-crds", &self.definitions]);
        all.extend(words);
        let said = self.kubectl.say(&all).await?;
        ensure!(said.code == 0, "install exited with {}:\n{}{}", said.code, said.out, said.err);
        Ok(said)
    }

    /// Applies Gateway API's definitions, as they are published.
    pub(crate) async fn apply_definitions(&self) -> anyhow::Result<()> {
        let words = ["apply", "--server-side", "--force-conflicts", "-f", &self.definitions];
        self.kubectl.run(&words).await.map(drop)
    }

    /// A namespace of one test, empty.
    pub(crate) async fn namespace(&self, name: &str) -> anyhow::Result<()> {
        self.kubectl.apply(&[&format!("apiVersion: v1\nkind: Namespace\nmetadata: {{name: {name}}}")]).await
    }

    /// Removes the namespace of a test, without waiting for it.
    pub(crate) async fn forget(&self, namespace: &str) -> anyhow::Result<()> {
        self.kubectl.run(&["delete", "namespace", namespace, "--wait=false", "--ignore-not-found"]).await.map(drop)
    }

    /// A namespace with the Gateway `edge`, the backend `echo` and the HTTPRoute `home`, once requests are answered.
    /// Gives where.
    pub(crate) async fn serving(&self, namespace: &str) -> anyhow::Result<SocketAddr> {
        self.namespace(namespace).await?;
        let documents = [class(CLASS), echo(namespace), gateway(namespace, "edge"), route(namespace, "home", "a")];
        self.kubectl.apply(&documents.iter().map(String::as_str).collect::<Vec<_>>()).await?;
        let address = self.address(namespace, "edge").await?;
        answered(address, &home(namespace)).await?;
        Ok(address)
    }

    /// Where a Gateway takes HTTP, once it is programmed.
    pub(crate) async fn address(&self, namespace: &str, name: &str) -> anyhow::Result<SocketAddr> {
        let what = format!("an address of the Gateway {namespace}/{name}");
        eventually(&what, PATIENCE, async || {
            let gateway = self.kubectl.get(&["gateway", name, "-n", namespace]).await?;
            ensure!(condition(&gateway, "Programmed") == "True", "not programmed: {}", gateway["status"]);
            let address = gateway.pointer("/status/addresses/0/value").and_then(Value::as_str).context("no address")?;
            Ok(SocketAddr::new(address.parse().context("no IP address")?, 80))
        })
        .await
    }

    /// Waits until the agents are as they should be.
    pub(crate) async fn agents_ready(&self) -> anyhow::Result<()> {
        let words = ["rollout", "status", "deployment/envoy-gateway", "-n", CONTROL_PLANE, "--timeout=120s"];
        self.kubectl.run(&words).await.map(drop)
    }

    /// The pods of agents that run.
    pub(crate) async fn agents(&self) -> anyhow::Result<Vec<String>> {
        let words = ["pods", "-n", CONTROL_PLANE, "-l", "control-plane=envoy-gateway"];
        let pods = self.kubectl.list(&words).await?;
        let running = pods.iter().filter(|pod| pod.pointer("/metadata/deletionTimestamp").is_none());
        Ok(running.filter_map(|pod| Some(pod.pointer("/metadata/name")?.as_str()?.to_owned())).collect())
    }

    /// The only object of that kind that belongs to a Gateway, from the control plane's namespace.
    pub(crate) async fn of_gateway(&self, kind: &str, namespace: &str, name: &str) -> anyhow::Result<Value> {
        let labels = format!(
            "gateway.envoyproxy.io/owning-gateway-namespace={namespace},gateway.envoyproxy.io/owning-gateway-name={name}"
        );
        let found = self.kubectl.list(&[kind, "-n", CONTROL_PLANE, "-l", &labels]).await?;
        ensure!(found.len() == 1, "{} of the kind {kind} belong to {namespace}/{name}, not 1", found.len());
        found.into_iter().next().context("none")
    }

    /// Prints what helps to understand a failure.
    pub(crate) async fn post_mortem(&self) {
        for words in [
            &["get", "pods", "-A", "-o", "wide"][..],
            &["get", "services,gateways,events", "-A"],
            &["logs", "-n", CONTROL_PLANE, "deployment/envoy-gateway", "--tail=30", "--all-pods"],
        ] {
            if let Ok(said) = self.kubectl.say(words).await {
                println!("$ kubectl {}\n{}{}", words.join(" "), said.out, said.err);
            }
        }
    }
}

/// A request to the route of [`Cluster::serving`].
pub(crate) fn home(namespace: &str) -> Ask {
    get(&format!("{namespace}.example.com/"))
}

/// The status of a condition of an object, `""` where there is none.
pub(crate) fn condition<'a>(object: &'a Value, wanted: &str) -> &'a str {
    let conditions = object.pointer("/status/conditions").and_then(Value::as_array);
    let found = conditions.into_iter().flatten().find(|condition| condition["type"] == wanted);
    found.and_then(|condition| condition["status"].as_str()).unwrap_or_default()
}

/// Waits for an answer with 200.
pub(crate) async fn answered(address: SocketAddr, ask: &Ask) -> anyhow::Result<Answer> {
    eventually("an answer", PATIENCE, async || {
        let answer = ask.at(address).await?;
        ensure!(answer.status == 200, "{}: {}", answer.status, answer.body);
        Ok(answer)
    })
    .await
}

/// Waits until the route `home` sets this value of the header `x-version`.
pub(crate) async fn version_served(
    address: SocketAddr,
    namespace: &str,
    version: &str,
    limit: Duration,
) -> anyhow::Result<()> {
    eventually(&format!("version {version}"), limit, async || {
        let answer = home(namespace).at(address).await?;
        let found = answer.header("x-version").unwrap_or_default();
        ensure!(answer.status == 200 && found == version, "{} with version {found}", answer.status);
        Ok(())
    })
    .await
}

/// Asks again and again until the answer is good.
pub(crate) async fn eventually<T>(
    what: &str,
    limit: Duration,
    mut ask: impl AsyncFnMut() -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let start = Instant::now();
    loop {
        match ask().await {
            Ok(found) => return Ok(found),
            Err(last) if start.elapsed() > limit => bail!("{what}: not within {limit:?}; last seen: {last:#}"),
            Err(_) => tokio::time::sleep(Duration::from_millis(200)).await,
        }
    }
}

/// A GatewayClass of ours.
pub(crate) fn class(name: &str) -> String {
    format!(
        "apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {{name: {name}}}
spec: {{controllerName: gateway.envoyproxy.io/gatewayclass-controller}}"
    )
}

/// A Gateway that takes HTTP on port 80.
pub(crate) fn gateway(namespace: &str, name: &str) -> String {
    format!(
        "apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {{name: {name}, namespace: {namespace}}}
spec:
  gatewayClassName: {CLASS}
  listeners: [{{name: http, protocol: HTTP, port: 80}}]"
    )
}

/// The HTTPRoute of `NAMESPACE.example.com` to the backend `echo`, which sets the header `x-version`.
pub(crate) fn route(namespace: &str, name: &str, version: &str) -> String {
    format!(
        "apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {{name: {name}, namespace: {namespace}}}
spec:
  parentRefs: [{{name: edge}}]
  hostnames: [{namespace}.example.com]
  rules:
  - filters:
    - type: ResponseHeaderModifier
      responseHeaderModifier: {{set: [{{name: x-version, value: {version}}}]}}
    backendRefs: [{{name: echo, port: 80}}]"
    )
}

/// The backend `echo`: one pod behind a Service.
pub(crate) fn echo(namespace: &str) -> String {
    format!(
        "apiVersion: v1
kind: Service
metadata: {{name: echo, namespace: {namespace}}}
spec: {{selector: {{app: echo}}, ports: [{{port: 80, targetPort: 3000}}]}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: echo, namespace: {namespace}}}
spec:
  selector: {{matchLabels: {{app: echo}}}}
  template:
    metadata: {{labels: {{app: echo}}}}
    spec:
      terminationGracePeriodSeconds: 0
      containers:
      - name: echo
        image: {ECHO_IMAGE}
        ports: [{{containerPort: 3000}}]
        env: [{{name: POD_NAME, value: echo}}, {{name: NAMESPACE, value: {namespace}}}]"
    )
}

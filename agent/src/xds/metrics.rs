//! The xDS server's metrics, under the names Envoy Gateway gives them.

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// Whether something went well, as Envoy Gateway labels it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StatusLabels {
    status: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
#[expect(non_snake_case, reason = "label names of Envoy Gateway, on which dashboards depend")]
struct UpdateLabels {
    nodeID: String,
    status: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
#[expect(non_snake_case, reason = "label names of Envoy Gateway, on which dashboards depend")]
struct NackLabels {
    nodeID: String,
    typeURL: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
#[expect(non_snake_case, reason = "label names of Envoy Gateway, on which dashboards depend")]
struct StreamLabels {
    nodeID: String,
    isDeltaStream: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
#[expect(non_snake_case, reason = "in the style of the other label names")]
struct DialectLabels {
    isDeltaStream: &'static str,
}

/// The metrics. Clones count together.
#[derive(Clone, Debug)]
pub struct XdsMetrics {
    snapshots_created: Family<StatusLabels, Counter>,
    snapshots_delivered: Family<UpdateLabels, Counter>,
    nacks: Family<NackLabels, Counter>,
    stream_seconds: Family<StreamLabels, Histogram>,
    streams_open: Family<DialectLabels, Gauge>,
    snapshots: Gauge,
    failed_handshakes: Counter,
    refused_streams: Counter,
}

impl XdsMetrics {
    /// Registers the metrics in `registry`.
    #[must_use]
    pub fn new(registry: &mut Registry) -> Self {
        let metrics = Self {
            snapshots_created: Family::default(),
            snapshots_delivered: Family::default(),
            nacks: Family::default(),
            stream_seconds: Family::new_with_constructor(|| Histogram::new([0.1, 10.0, 50.0, 100.0, 1000.0, 10000.0])),
            streams_open: Family::default(),
            snapshots: Gauge::default(),
            failed_handshakes: Counter::default(),
            refused_streams: Counter::default(),
        };
        // The encoder appends `_total` to the names of counters.
        registry.register(
            "xds_snapshot_create",
            "Snapshots put into the xDS cache, unchanged ones not counted",
            metrics.snapshots_created.clone(),
        );
        registry.register(
            "xds_snapshot_update",
            "Snapshots handed to the streams of connected proxies, by node",
            metrics.snapshots_delivered.clone(),
        );
        registry.register(
            "xds_nack",
            "Responses that Envoy rejected (NACK), by node and resource type",
            metrics.nacks.clone(),
        );
        registry.register(
            "xds_stream_duration_seconds",
            "How long xDS streams were open, by node",
            metrics.stream_seconds.clone(),
        );
        registry.register("xds_streams_open", "xDS streams that are open", metrics.streams_open.clone());
        registry.register("xds_snapshots", "IR keys that have a snapshot", metrics.snapshots.clone());
        registry.register(
            "xds_tls_handshake_failed",
            "Connections to the xDS server whose TLS handshake failed",
            metrics.failed_handshakes.clone(),
        );
        registry.register(
            "xds_stream_refused",
            "xDS streams whose token didn't prove what they claimed",
            metrics.refused_streams.clone(),
        );
        metrics
    }

    /// A snapshot was put into the cache, or could not be made.
    pub fn snapshot_created(&self, success: bool) {
        let status = if success { "success" } else { "failure" };
        self.snapshots_created.get_or_create(&StatusLabels { status }).inc();
    }

    /// How many IR keys have a snapshot now.
    pub fn snapshots(&self, count: usize) {
        self.snapshots.set(i64::try_from(count).unwrap_or(i64::MAX));
    }

    /// The TLS handshake of a connection failed.
    pub fn handshake_failed(&self) {
        self.failed_handshakes.inc();
    }

    /// A stream was refused: its token didn't prove what it claimed.
    pub(super) fn stream_refused(&self) {
        self.refused_streams.inc();
    }

    /// A stream of `node` took up a snapshot.
    pub(super) fn snapshot_delivered(&self, node: &str) {
        let labels = UpdateLabels { nodeID: node.to_owned(), status: "success" };
        self.snapshots_delivered.get_or_create(&labels).inc();
    }

    /// `node` rejected a response.
    pub(super) fn nack(&self, node: &str, type_url: &'static str) {
        self.nacks.get_or_create(&NackLabels { nodeID: node.to_owned(), typeURL: type_url }).inc();
    }

    pub(super) fn stream_opened(&self, delta: bool) {
        self.streams_open.get_or_create(&DialectLabels { isDeltaStream: truth(delta) }).inc();
    }

    pub(super) fn stream_closed(&self, node: &str, delta: bool, open_for: Duration) {
        self.streams_open.get_or_create(&DialectLabels { isDeltaStream: truth(delta) }).dec();
        let labels = StreamLabels { nodeID: node.to_owned(), isDeltaStream: truth(delta) };
        self.stream_seconds.get_or_create(&labels).observe(open_for.as_secs_f64());
    }
}

const fn truth(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

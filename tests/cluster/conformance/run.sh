#!/usr/bin/env bash
# Runs the official Gateway API conformance suite against this tree's agent, and writes the report beside
# docs/conformance.md. See `make conformance`.
#
#   PROFILES   comma list of conformance profiles           [all five]
#   TESTS      regular expression of test names             [every test]
#   FEATURES   all, or claimed: those of our GatewayClass   [all]
#   MODE       GatewayNamespace or ControllerNamespace      [GatewayNamespace]
#   INSTALL    no: test what is installed already           [yes]
#   REPORT     where the report goes; "" for none           [docs/conformance/…, or none with TESTS]
#   LOG        where the suite's log goes                   [target/conformance.log]
set -euo pipefail
cd "$(dirname "$0")/../../.."

PROFILES=${PROFILES:-GATEWAY-HTTP,GATEWAY-TLS,GATEWAY-GRPC,GATEWAY-TCP,GATEWAY-UDP}
MODE=${MODE:-GatewayNamespace}
case ${FEATURES:-all} in
  all) features=(--all-features --exempt-features=Mesh) ;;
  claimed) features=() ;;
  *) echo "FEATURES is all or claimed, not $FEATURES" >&2; exit 64 ;;
esac
target=$(readlink -f "${CARGO_TARGET_DIR:-target}")
LOG=${LOG:-$target/conformance.log}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
class=conformance
export AGENT_IMAGE=${AGENT_IMAGE:-ghcr.io/gateway-agent/gateway-agent:v$version}

profile=$(tr ',' '-' <<<"$PROFILES" | sed 's/GATEWAY-//g' | tr '[:upper:]' '[:lower:]')
if [ -n "${TESTS:-}" ]; then REPORT=${REPORT:-}; else REPORT=${REPORT-docs/conformance/$MODE-$profile.yaml}; fi

cluster() { hack/cluster.sh "$@"; }
kubectl() { cluster exec env "PATH=$target/debug:$PATH" kubectl "$@"; }

cluster where
cluster up
cluster images
# A run that was killed has left its objects, and routes of the last test shadow those of the next.
kubectl delete namespace gateway-conformance-infra gateway-conformance-app-backend gateway-conformance-web-backend \
  --ignore-not-found
suite=$target/cluster/conformance.test
(cd tests/cluster/conformance && CGO_ENABLED=0 go test -c -trimpath -ldflags '-s -w' -o "$suite" .)
definitions=$(cluster definitions)

if [ "${INSTALL:-yes}" = yes ]; then
  cargo build --locked --workspace --bins
  cluster agent "$target/debug/gateway-agent"
  kubectl gateway install --yes --image "$AGENT_IMAGE" --namespace-mode "$MODE" --gateway-api-crds "$definitions"
  # An image under the name of the last one is only taken up by new pods.
  kubectl rollout restart -n envoy-gateway-system deployment/envoy-gateway
  kubectl rollout status -n envoy-gateway-system deployment/envoy-gateway --timeout=2m
fi

controller=gateway.envoyproxy.io/gatewayclass-controller
kubectl apply -f - <<YAML
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: $class}
spec: {controllerName: $controller}
YAML

flags=(
  -test.v -test.timeout=60m "-test.run=TestConformance${TESTS:+/^($TESTS)\$}"
  --gateway-class="$class" "${features[@]}"
  --usable-address=172.30.0.200 --unusable-address=10.0.0.1
  --conformance-profiles="$PROFILES"
  --organization=gateway-agent --project=gateway-agent --url=https://github.com/gateway-agent/gateway-agent
  --version="v$version" --contact=https://github.com/gateway-agent/gateway-agent/issues
)
[ -z "$REPORT" ] || { mkdir -p "$(dirname "$REPORT")"; flags+=(--report-output="$PWD/$REPORT"); }

echo "running the suite; its log goes to $LOG"
status=0
cluster exec "$suite" "${flags[@]}" >"$LOG" 2>&1 || status=$?
grep -E '^    --- (PASS|FAIL|SKIP)' "$LOG" | sed 's/^    --- //' | sort | tee "${LOG%.log}.results" | grep -v '^PASS' || true
echo "$(grep -c '^PASS' "${LOG%.log}.results") passed, $(grep -c '^FAIL' "${LOG%.log}.results") failed, $(grep -c '^SKIP' "${LOG%.log}.results") skipped"
exit $status

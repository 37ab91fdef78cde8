#!/usr/bin/env bash
# The tests in a cluster, from nothing to nothing: brings it up where it isn't, builds, gives it the images, runs the
# tests inside of it, and takes down what it brought up. Words choose tests by name.
#
#   hack/test-cluster.sh [NAME ...]
#
# KEEP=1 leaves the cluster up. Where no cluster can be had, it says why in one line and does nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! which=$(hack/cluster.sh where 2>&1); then
  echo "skipped: tests in a cluster: $which"
  exit 0
fi
echo "tests in $which"
target=$(readlink -f "${CARGO_TARGET_DIR:-target}")
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
export AGENT_IMAGE=${AGENT_IMAGE:-ghcr.io/gateway-agent/gateway-agent:v$version}

timed() {
  local started=$SECONDS
  "$@"
  printf -- '- %s: %d s\n' "$*" "$((SECONDS - started))"
}

build() {
  cargo build --locked --workspace --bins
  program=$(cargo test --locked --workspace --test cluster --no-run --message-format=json |
    python3 -c 'import json, sys
for line in sys.stdin:
    said = json.loads(line) if line.startswith("{") else {}
    if said.get("executable") and said["target"]["name"] == "cluster": print(said["executable"])')
  # What a test doesn't need, an image doesn't either.
  strip -o "$target/cluster/gateway-agent" "$target/debug/gateway-agent" 2>/dev/null ||
    cp "$target/debug/gateway-agent" "$target/cluster/gateway-agent"
}

suite() {
  (cd tests/cluster/conformance && CGO_ENABLED=0 go test -c -trimpath -ldflags '-s -w' -o "$target/cluster/conformance.test" .)
}

was_up=$(hack/cluster.sh is-up)
mkdir -p "$target/cluster"
timed hack/cluster.sh up
timed hack/cluster.sh images
timed suite
timed build
timed hack/cluster.sh agent "$target/cluster/gateway-agent"
processes=${GATEWAY_CLUSTER_DIR:-$HOME/.cache/gateway-cluster}/run
[ "$which" = "a cluster made on this machine" ] || processes=
status=0
hack/cluster.sh exec env "PATH=$target/debug:$PATH" "GATEWAY_TEST_PROCESSES=$processes" \
  "GATEWAY_TEST_DEFINITIONS=$(hack/cluster.sh definitions)" "GATEWAY_TEST_SUITE=$target/cluster/conformance.test" \
  "$program" "$@" || status=$?
[ "$was_up" = yes ] || [ -n "${KEEP:-}" ] || timed hack/cluster.sh down
exit $status

#!/usr/bin/env bash
# The Kubernetes cluster tests run on: one made on this machine, or the one KUBECONFIG names.
#
#   hack/cluster.sh where         says which one it is; fails, saying why in one line, where none can be had
#   hack/cluster.sh is-up         says whether it is there: yes or no
#   hack/cluster.sh up            brings it up where it isn't
#   hack/cluster.sh images        gives it the images fleets and tests run: Envoy, echo servers, CoreDNS
#   hack/cluster.sh definitions   prints a file with Gateway API's definitions (the experimental channel)
#   hack/cluster.sh agent PROGRAM gives it gateway-agent, as the image AGENT_IMAGE names
#   hack/cluster.sh exec CMD ...  runs CMD where the cluster's addresses are reachable, with KUBECONFIG set
#   hack/cluster.sh down          takes down what `up` brought up
#
# CLUSTER names the program that makes a cluster on this machine (../shared/cluster/cluster). A cluster named by
# KUBECONFIG pulls its images itself, except gateway-agent's: a kind cluster (KIND_CLUSTER_NAME) is handed it, another
# one finds it in a registry under the name AGENT_IMAGE.
set -euo pipefail
cd "$(dirname "$0")/.."

CLUSTER=${CLUSTER:-../shared/cluster/cluster}
AGENT_IMAGE=${AGENT_IMAGE:-ghcr.io/gateway-agent/gateway-agent:v$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)}
ENVOY_IMAGE=docker.io/envoyproxy/envoy:distroless-v1.39.0
ECHO_IMAGE=registry.k8s.io/gateway-api/echo-basic
ECHO_TAGS="v1.5.1 v1.6.0-dev.2 v1.6.0-dev.3"
COREDNS_IMAGE=registry.k8s.io/coredns/coredns:v1.12.2
mkdir -p "${CARGO_TARGET_DIR:-target}/cluster"
built=$(readlink -f "${CARGO_TARGET_DIR:-target}/cluster")
state=${GATEWAY_CLUSTER_DIR:-$HOME/.cache/gateway-cluster}

# `given` is the cluster of KUBECONFIG, `made` one on this machine, `none` neither. What `exec` runs is inside of it, and
# has KUBECONFIG set to the made one's.
kind() {
  if [ -n "${KUBECONFIG:-}" ] && [ "$KUBECONFIG" != "$state/admin.kubeconfig" ]; then echo given
  elif [ -n "$(why_not)" ]; then echo none
  else echo made
  fi
}

why_not() {
  [ -x "$CLUSTER" ] || { echo "neither KUBECONFIG is set nor is there a program at $CLUSTER that makes a cluster"; return; }
  [ "$(id -u)" = 0 ] || { echo "only root can make a cluster on this machine, and KUBECONFIG is not set"; return; }
  [ -e /sys/fs/cgroup/cgroup.controllers ] || [ -d /sys/fs/cgroup/cpu ] || { echo "this machine has no control groups, and KUBECONFIG is not set"; return; }
  unshare --net true 2>/dev/null || echo "this machine can't make network namespaces, and KUBECONFIG is not set"
}

is_up() {
  "$CLUSTER" exec kubectl get --raw=/readyz >/dev/null 2>&1
}

where() {
  case $(kind) in
    given) echo "the cluster of KUBECONFIG ($(kubectl config current-context))" ;;
    made) echo "a cluster made on this machine" ;;
    none) why_not >&2; exit 1 ;;
  esac
}

get_kubectl() {
  command -v kubectl >/dev/null && return
  echo "getting kubectl" >&2
  mkdir -p "$HOME/.local/bin"
  GOBIN=$HOME/.local/bin CGO_ENABLED=0 go install k8s.io/kubernetes/cmd/kubectl@v1.34.4
  PATH=$HOME/.local/bin:$PATH
}

up() {
  where >/dev/null
  [ "$(kind)" = made ] || return 0
  is_up && return 0
  "$CLUSTER" build
  "$CLUSTER" up
  give_addresses
}

# Whoever gives Services their addresses in a new cluster sometimes sees the first one only when something else happens to
# a Service. So something happens until one has an address.
give_addresses() {
  local kubectl=("$CLUSTER" exec kubectl -n default) try
  "${kubectl[@]}" create service loadbalancer address-probe --tcp=80 >/dev/null
  for try in $(seq 60); do
    [ -z "$("${kubectl[@]}" get service address-probe -o 'jsonpath={.status.loadBalancer.ingress}')" ] || break
    "${kubectl[@]}" annotate service address-probe --overwrite "try=$try" >/dev/null
    sleep 0.5
  done
  "${kubectl[@]}" delete service address-probe >/dev/null
}

down() {
  [ "$(kind)" = made ] || return 0
  "$CLUSTER" down
}

# The module of the conformance suite builds all the Go programs that tests need.
go_program() {
  (cd tests/cluster/conformance && CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o "$built/$1" "$2")
  echo "$built/$1"
}

images() {
  where >/dev/null
  [ "$(kind)" = made ] || return 0
  local envoy echo tag
  envoy=$(hack/get-envoy.sh)
  echo=$(go_program echo-basic sigs.k8s.io/gateway-api/conformance/echo-basic)
  has "$ENVOY_IMAGE" || "$CLUSTER" image "$ENVOY_IMAGE" "/usr/local/bin/envoy=$envoy"
  for tag in $ECHO_TAGS; do
    has "$ECHO_IMAGE:$tag" || "$CLUSTER" image "$ECHO_IMAGE:$tag" "/echo-basic=$echo"
  done
  has "$COREDNS_IMAGE" || "$CLUSTER" image "$COREDNS_IMAGE" "/coredns=$state/bin/coredns" --user 0
}

definitions() {
  local module
  module=$(cd tests/cluster/conformance && go mod download && go list -m -f '{{.Dir}}' sigs.k8s.io/gateway-api)
  for file in "$module"/config/crd/experimental/gateway*.yaml; do
    case $file in *_vap_*) ;; *) echo ---; cat "$file" ;; esac
  done >"$built/gateway-api.yaml"
  echo "$built/gateway-api.yaml"
}

has() {
  ctr -a "$state/run/containerd.sock" -n k8s.io images ls -q | grep -qxF "$1"
}

agent() {
  where >/dev/null
  case $(kind) in
    made)
      local files=("/usr/local/bin/gateway-agent=$1") authorities=/etc/ssl/certs/ca-certificates.crt
      [ ! -e "$authorities" ] || files+=("$authorities=$authorities")
      "$CLUSTER" image "$AGENT_IMAGE" "${files[@]}" ;;
    given)
      if [ -n "${KIND_CLUSTER_NAME:-}" ]; then
        kind load docker-image "$AGENT_IMAGE" --name "$KIND_CLUSTER_NAME"
      fi ;;
  esac
}

case ${1:-} in
  where) where ;;
  is-up) if [ "$(kind)" = given ] || is_up; then echo yes; else echo no; fi ;;
  up) get_kubectl; up ;;
  images) images ;;
  definitions) definitions ;;
  agent) agent "$2" ;;
  exec)
    shift
    get_kubectl
    if [ "$(kind)" = made ]; then exec "$CLUSTER" exec "$@"; else exec "$@"; fi ;;
  down) down ;;
  *) sed -n -e '/^set/q' -e '1d' -e 's/^# \{0,1\}//p' "$0"; exit 64 ;;
esac

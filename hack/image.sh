#!/usr/bin/env bash
# Makes the image of gateway-agent, named AGENT_IMAGE: with docker, podman or buildah where one of them works, from
# plain files otherwise; then hands it to the cluster tests run on, if that is up.
set -euo pipefail
cd "$(dirname "$0")/.."

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
export AGENT_IMAGE=${AGENT_IMAGE:-ghcr.io/gateway-agent/gateway-agent:v$version}

if docker info >/dev/null 2>&1; then
  docker build -t "$AGENT_IMAGE" .
elif podman info >/dev/null 2>&1; then
  podman build -t "$AGENT_IMAGE" .
elif buildah info >/dev/null 2>&1; then
  buildah build -t "$AGENT_IMAGE" .
else
  case $(uname -m) in x86_64) arch=amd64 ;; aarch64|arm64) arch=arm64 ;; *) echo "error: no image is made for $(uname -m)" >&2; exit 1 ;; esac
  program=${CARGO_TARGET_DIR:-target}/image/gateway-agent
  hack/static-agent.sh "$arch" "$program"
  echo "no container engine works here; the image's program is $program ($(du -h "$program" | cut -f1))"
  if hack/cluster.sh where >/dev/null 2>&1 && hack/cluster.sh exec kubectl get --raw=/readyz >/dev/null 2>&1; then
    hack/cluster.sh agent "$program"
    echo "the cluster has it as $AGENT_IMAGE"
  fi
fi

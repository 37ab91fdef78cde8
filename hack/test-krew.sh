#!/usr/bin/env bash
# Installs the plugin with the real krew, from the manifest and the archive that hack/release.py makes, under both of
# its names and from our index; runs it as kubectl does; uninstalls it. Needs Go, kubectl and git.
#
#   hack/test-krew.sh [DIST]     [made of the debug build, for this machine]
set -euo pipefail
cd "$(dirname "$0")/.."
krew_version=v0.4.3

for need in go git kubectl; do
  command -v "$need" >/dev/null || { echo "skipped: the test with the real krew needs $need"; exit 0; }
done
platform=$(go env GOOS)-$(go env GOARCH)
work=$(mktemp -d)
trap 'chmod -R u+w "$work" && rm -rf "$work"' EXIT
if [ -n "${1:-}" ]; then
  dist=$(readlink -f "$1")
else
  dist=$work/dist
  cargo build --locked --workspace --bins
  mkdir "$work/binaries"
  cp "${CARGO_TARGET_DIR:-target}/debug/kubectl-gateway" "$work/binaries/kubectl-gateway-$platform"
  strip "$work/binaries"/* 2>/dev/null || true
  hack/release.py --binaries "$work/binaries" --out "$dist" 2>/dev/null
fi
export KREW_ROOT=$work/krew KREW_NO_UPGRADE_CHECK=1 GOBIN=$work/bin
export GIT_CONFIG_GLOBAL=$work/gitconfig GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@example.com
export GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@example.com
go install "sigs.k8s.io/krew/cmd/krew@$krew_version"
export PATH=$KREW_ROOT/bin:$work/bin:$PATH
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)

# Our own index, as it will be published: a git repository with the folder `plugins`.
cp -r "$dist/index" "$work/index"
git -C "$work/index" init -q
git -C "$work/index" add .
git -C "$work/index" commit -qm "$version"
export KREW_DEFAULT_INDEX_URI=$work/index
krew update >/dev/null 2>&1
krew index add own "$work/index"

archive=$(ls "$dist/kubectl-gateway-v$version-$platform.tar.gz")
for name in gateway envoy-gateway; do
  krew search "$name" | grep -q "own/$name"
  krew install </dev/null "--manifest=$dist/index/plugins/$name.yaml" "--archive=$archive"
  said=$(KUBECONFIG=/dev/null kubectl "$name" version)
  grep -q "$version" <<<"$said" || { echo "error: kubectl $name version said: $said" >&2; exit 1; }
  krew list | grep -qE "(^|/)$name( |\$)" || { krew list; exit 1; }
  krew uninstall "$name"
  ! kubectl "$name" version >/dev/null 2>&1
done
echo "krew $krew_version installs, runs and uninstalls kubectl gateway and kubectl envoy-gateway"

#!/usr/bin/env bash
# Builds gateway-agent as one static program, which runs in an empty image, and puts it where it is told.
#
#   hack/static-agent.sh amd64|arm64 FILE
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-} in
  amd64) arch=x86_64 ;;
  arm64) arch=aarch64 ;;
  *) sed -n '2,4s/^# \{0,1\}//p' "$0" >&2; exit 64 ;;
esac
triple=$arch-unknown-linux-gnu
if [ "$(uname -m)" != "$arch" ]; then
  rustup target add "$triple"
  linker=CARGO_TARGET_$(tr 'a-z-' 'A-Z_' <<<"$triple")_LINKER
  export "$linker=$arch-linux-gnu-gcc" "CC_${triple//-/_}=$arch-linux-gnu-gcc"
fi

# A directory of its own: with other flags everything is another build.
target=${CARGO_TARGET_DIR:-target}/static
RUSTFLAGS="-C target-feature=+crt-static" \
  cargo build --locked --release -p gateway-agent --target "$triple" --target-dir "$target"
mkdir -p "$(dirname "$2")"
cp "$target/$triple/release/gateway-agent" "$2"

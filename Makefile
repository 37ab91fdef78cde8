# Everything here does its own set-up: a machine with Rust, Python 3 and make is enough.

export PROFILES TESTS FEATURES MODE INSTALL LOG
CORPUS ?= ../shared/corpus
PYTHON := .venv/bin/python

# The golden cases of what is built so far.
TRANSLATE_NOW := ^(httproute|gateway)-
XDS_NOW := ^(http-route|http2|http1|simple-tls|tls-|multiple-listeners|ready|empty|cors|retry|timeout|headers|httproute)

.DEFAULT_GOAL := help
.PHONY: help demo build image release test test-cluster test-krew conformance lint bench score

help: ## This list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 15

demo: ## Serve examples/quickstart with a real Envoy and explain two routes
	@envoy=$$(hack/get-envoy.sh) && \
	cargo build --locked --bin gateway-agent --bin kubectl-gateway --bin echo --bin demo && \
	ENVOY_BINARY="$$envoy" cargo run --quiet --locked -p gateway-tests --bin demo

build: ## The two programs, optimized, in target/release
	cargo build --locked --release -p gateway-agent -p kubectl-gateway

image: ## The agent's image, with a container engine or from plain files where there is none
	hack/image.sh

release: ## Archives, checksums and krew manifests of the plugin, in dist/ (RELEASE="--binaries DIR --all")
	hack/release.py $(RELEASE)

test-krew: ## Install, run and uninstall the plugin with the real krew
	hack/test-krew.sh

test: ## All tests, those against the real Envoy included
	@envoy=$$(hack/get-envoy.sh) && ENVOY_BINARY="$$envoy" cargo test --locked --workspace

test-cluster: ## The tests in a real cluster, made on this machine or the one of KUBECONFIG ([ONLY="NAME …"])
	hack/test-cluster.sh $(ONLY)

conformance: ## The official suite in a cluster ([PROFILES=…] [TESTS=…] [FEATURES=claimed], see docs/conformance.md)
	tests/cluster/conformance/run.sh

lint: ## Format and lints, warnings denied
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings

bench: ## What a translation costs at 1,000, 5,000 and 20,000 routes
	cargo run --quiet --locked --release -p gateway-tests --bin bench

score: $(PYTHON) ## How many golden cases agree (they lie beside the project), and whether that is enough
	cargo build --locked --workspace --bins
	$(PYTHON) $(CORPUS)/score --bin target/debug/kubectl-gateway --layer translate --only '$(TRANSLATE_NOW)' --min-translate 90
	$(PYTHON) $(CORPUS)/score --bin target/debug/kubectl-gateway --layer xds --only '$(XDS_NOW)' --min-xds 90
	$(PYTHON) $(CORPUS)/score --bin target/debug/kubectl-gateway --layer infra --min-infra 97

$(PYTHON):
	python3 -m venv .venv
	$(PYTHON) -m pip install --quiet --disable-pip-version-check pyyaml

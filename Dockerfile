# The image of gateway-agent: one static program that runs as nobody, and the authorities it trusts when it fetches.
#
#   docker build -t ghcr.io/gateway-agent/gateway-agent:v0.1.0 .
#   docker buildx build --platform linux/amd64,linux/arm64 …
#
# `make image` calls this where there is a container engine, and makes the same image from files where there is none.
FROM --platform=$BUILDPLATFORM rust:1.95-slim-trixie AS build
ARG BUILDARCH
ARG TARGETARCH
WORKDIR /src
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends make ca-certificates \
      $([ "$TARGETARCH" = "$BUILDARCH" ] || case "$TARGETARCH" in \
          arm64) echo gcc-aarch64-linux-gnu libc6-dev-arm64-cross ;; \
          amd64) echo gcc-x86-64-linux-gnu libc6-dev-amd64-cross ;; \
        esac) \
 && rm -rf /var/lib/apt/lists/*
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry --mount=type=cache,target=/src/target,sharing=locked \
    hack/static-agent.sh "$TARGETARCH" /gateway-agent
RUN mkdir -p /root-of-image/tmp /root-of-image/etc && chmod 1777 /root-of-image/tmp \
 && printf 'root:x:0:0::/:/\nnonroot:x:65532:65532::/:/\n' >/root-of-image/etc/passwd \
 && printf 'hosts: files dns\n' >/root-of-image/etc/nsswitch.conf

FROM scratch
COPY --from=build /root-of-image /
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /gateway-agent /usr/local/bin/gateway-agent
COPY LICENSE /LICENSE
ENV PATH=/usr/local/bin
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/gateway-agent"]
CMD ["server"]

//! Typed objects: Gateway API kinds and `gateway.envoyproxy.io` kinds, one file per kind.

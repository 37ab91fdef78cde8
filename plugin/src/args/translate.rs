//! `translate`: what may be asked of it.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::output::Document;
use super::source::Files;

/// What `translate` is asked.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  # Statuses and intermediate representation of a folder of manifests:
  {name} translate -f manifests/

  # The Envoy resources they become:
  {name} translate -f manifests/ --to xds -o json

  # From a representation saved earlier to Envoy resources:
  {name} translate -f ir.yaml --from ir --to xds

  # The Kubernetes objects of the proxies:
  {name} translate -f manifests/ --to infra
")]
pub struct Translate {
    /// Manifests or, with --from ir, a representation.
    #[command(flatten)]
    pub files: Files,

    /// What translation may not fetch itself: Wasm modules and OIDC discovery documents
    #[arg(long, value_name = "FILE")]
    pub externals: Option<PathBuf>,

    /// What the files hold
    #[arg(long, value_enum, default_value_t = From::GatewayApi, value_name = "WHAT")]
    pub from: From,

    /// What to print
    #[arg(long, value_enum, value_delimiter = ',', default_value = "status,ir", value_name = "WHAT,…")]
    pub to: Vec<To>,

    /// How to print it
    #[arg(short, long, value_enum, default_value_t = Document::Yaml, value_name = "FORMAT")]
    pub output: Document,
}

/// What the input files of `translate` hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum From {
    /// Kubernetes manifests
    GatewayApi,
    /// An intermediate representation, as `--to ir` prints it
    Ir,
}

/// What `translate` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum To {
    /// The statuses the objects would get
    Status,
    /// The intermediate representation, under the key of each fleet
    Ir,
    /// The Envoy resources, under the key of each fleet
    Xds,
    /// The Kubernetes objects the fleets are made of, in the order they are applied
    Infra,
}

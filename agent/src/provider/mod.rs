//! Where objects come from.

pub mod file;
pub mod kube;

use std::collections::BTreeMap;
use std::sync::Arc;

use gateway_shared::api::metadata::ObjectKey;
use gateway_shared::resources::Resources;
use gateway_shared::resources::decode::Finding;

/// A kind and a key: what names an object.
pub type Identity = (&'static str, ObjectKey);

/// Where an object is written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The file.
    pub file: Arc<str>,
    /// The line it begins on, from 1.
    pub line: usize,
}

/// All that the source says now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Loaded {
    /// The objects.
    pub resources: Arc<Resources>,
    /// Where each stands, for objects from files.
    pub origins: Arc<BTreeMap<Identity, Origin>>,
    /// What could not be used, file by file: the objects these files gave before, if any, go on.
    pub errors: Arc<[Finding]>,
    /// What was passed over.
    pub warnings: Arc<[Finding]>,
    /// Whether nothing that these files once held may be missing. An agent that starts beside a broken file can't know
    /// what was in it, and must not take down what may belong to it.
    pub complete: bool,
}

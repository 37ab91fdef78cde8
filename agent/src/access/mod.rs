//! Who asks, and whether they may have the answer.
//!
//! [`caller`] finds out who it is: by a client certificate of the cluster's authority, or by a token the API server knows.
//! [`rights`] asks the API server whether they may read the object the question is about. Without proof there is no
//! answer but the version.

pub mod caller;
pub mod client_authority;
pub mod listing;
pub mod naming;
pub mod rights;
pub mod tunnel;

use kube::Client;
use tonic::metadata::MetadataMap;
use tonic::{Extensions, Status};

use self::caller::{Caller, Callers};
use self::rights::{Right, Rights};

/// Who may ask.
#[derive(Clone, Debug)]
pub enum Access {
    /// Whoever reaches the address: it is on loopback, and who is on this host runs the agent.
    Open,
    /// Who proves to the cluster's API server to be somebody, and may read what the question is about.
    Checked {
        /// Who they are.
        callers: Callers,
        /// What they may.
        rights: Rights,
    },
}

/// One who asks.
#[derive(Clone, Debug)]
pub enum Visitor {
    /// Nobody is asked who they are.
    Anybody,
    /// Somebody known.
    Known {
        /// Who it is.
        caller: Caller,
        /// What they may.
        rights: Rights,
    },
}

impl Access {
    /// Checks by the API server of `client`.
    #[must_use]
    pub fn checked(client: &Client) -> Self {
        Self::Checked { callers: Callers::new(client.clone()), rights: Rights::by_api_server(client.clone()) }
    }

    /// Who sent a request.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` when that isn't proven, `PERMISSION_DENIED` when they act as somebody they may not act as.
    pub async fn visitor(&self, metadata: &MetadataMap, extensions: &Extensions) -> Result<Visitor, Status> {
        match self {
            Self::Open => Ok(Visitor::Anybody),
            Self::Checked { callers, rights } => {
                let caller = callers.identify(metadata, extensions, rights).await?;
                Ok(Visitor::Known { caller, rights: rights.clone() })
            }
        }
    }
}

impl Visitor {
    /// Whether they have `right`.
    ///
    /// # Errors
    /// `UNAVAILABLE` when the API server can't be asked: then nobody may anything.
    pub async fn may(&self, right: &Right) -> Result<bool, Status> {
        match self {
            Self::Anybody => Ok(true),
            Self::Known { caller, rights } => rights.has(caller, right).await,
        }
    }

    /// Refuses who doesn't have `right`.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` with who they are and what they lack.
    pub async fn needs(&self, right: &Right) -> Result<(), Status> {
        if self.may(right).await? {
            return Ok(());
        }
        let name = match self {
            Self::Anybody => "",
            Self::Known { caller, rights: _ } => caller.user.as_str(),
        };
        Err(Status::permission_denied(format!("{name} may not {right}")))
    }
}

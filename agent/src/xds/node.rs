//! Which fleet a proxy belongs to, read from the node it introduces itself with.

use std::sync::Arc;

use envoy_types::pb::envoy::config::core::v3::Node;

/// A proxy as it introduced itself on its stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeIdentity {
    /// `node.id`: unique for each proxy (the pod's name in Kubernetes).
    pub id: Arc<str>,
    /// The IR key whose snapshot it is served: `node.cluster`, which the bootstrap sets with `--service-cluster`.
    pub ir_key: Arc<str>,
}

/// Why a proxy's introduction can't be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NodeError {
    /// The first request of a stream carries no node, or a node without id.
    #[error(
        "the first request of this stream carries no node.id, so it can't be told which proxy this is: set node.id in \
         the bootstrap, or start Envoy with --service-node"
    )]
    NoId,
}

impl NodeIdentity {
    /// The identity in the first request of a stream.
    ///
    /// # Errors
    /// [`NodeError::NoId`] when there is no node or its id is empty. A node without `cluster` is not an error: it
    /// belongs to no fleet that exists and waits for its snapshot.
    pub fn from_node(node: Option<&Node>) -> Result<Self, NodeError> {
        match node {
            Some(node) if !node.id.is_empty() => {
                Ok(Self { id: Arc::from(node.id.as_str()), ir_key: Arc::from(node.cluster.as_str()) })
            }
            _ => Err(NodeError::NoId),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cluster_of_the_node_is_the_ir_key() {
        let node = Node { id: "pod-1".into(), cluster: "infra/edge".into(), ..Node::default() };
        let identity = NodeIdentity::from_node(Some(&node)).ok();
        assert_eq!(identity.map(|it| it.ir_key), Some(Arc::from("infra/edge")));
    }

    #[test]
    fn a_node_without_id_is_refused() {
        let node = Node { cluster: "infra/edge".into(), ..Node::default() };
        assert_eq!(NodeIdentity::from_node(Some(&node)), Err(NodeError::NoId));
        assert_eq!(NodeIdentity::from_node(None), Err(NodeError::NoId));
    }
}

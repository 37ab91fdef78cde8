//! Which object a piece of IR was made from.

use crate::api::metadata::{Object, ObjectMeta};
use crate::ir::map_entry::MapEntry;
use crate::ir::metadata::ResourceMetadata;

/// Annotations with this prefix are meant for Envoy, and get there without it.
const PREFIX: &str = "gateway.envoyproxy.io/";

/// The object's name and annotations, with the rule, listener or port of it that is meant.
#[must_use]
pub(super) fn resource_metadata<T: Object>(object: &T, section: Option<String>) -> ResourceMetadata {
    let ObjectMeta { name, namespace, annotations, .. } = object.metadata();
    ResourceMetadata {
        kind: T::KIND.to_owned(),
        name: name.clone(),
        namespace: namespace.clone().unwrap_or_else(|| "default".to_owned()),
        annotations: annotations
            .iter()
            .filter_map(|(key, value)| {
                Some(MapEntry { key: key.strip_prefix(PREFIX)?.to_owned(), value: value.to_owned() })
            })
            .collect(),
        section_name: section.unwrap_or_default(),
        policies: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::service::Service;

    #[test]
    fn only_annotations_for_envoy_get_there() {
        let mut service = Service::default();
        service.metadata.name = "cart".to_owned();
        service.metadata.annotations =
            [("gateway.envoyproxy.io/owner", "shop"), ("example.com/x", "y")].into_iter().collect();
        let metadata = resource_metadata(&service, Some("8080".to_owned()));
        assert_eq!(
            (metadata.kind.as_str(), metadata.namespace.as_str(), metadata.section_name.as_str()),
            ("Service", "default", "8080")
        );
        assert_eq!(metadata.annotations, [MapEntry { key: "owner".to_owned(), value: "shop".to_owned() }]);
    }
}

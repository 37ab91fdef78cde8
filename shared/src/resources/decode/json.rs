//! From the JSON of one object, as an API server gives it, to a typed object.
//!
//! The API server has checked it against a schema, so nothing is put right here: what doesn't fit is a fault.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::kinds::without_values;
use super::typed::{message_of, text_of};
use crate::api::any_object::AnyObject;
use crate::api::metadata::Object;

/// Why an object can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The field at fault, such as `spec.rules[1].matches[0]`; empty for the object as a whole.
    pub path: String,
    /// What is wrong with it.
    pub message: String,
}

/// Reads one object of type `T`. `apiVersion` and `kind` may be there, and are not looked at.
///
/// # Errors
/// When a field is missing or holds what its type can't. Messages never quote values of a Secret.
pub fn object<T: Object + DeserializeOwned + Into<AnyObject>>(value: &Value) -> Result<AnyObject, Fault> {
    T::deserialize(value).map(Into::into).map_err(|_| fault::<T>(value))
}

/// What is wrong with an object that can't be read. To keep track of the way to a field takes time, so it is kept only
/// when there is something to find.
fn fault<T: Object + DeserializeOwned>(value: &Value) -> Fault {
    let mut track = serde_path_to_error::Track::new();
    let again = T::deserialize(serde_path_to_error::Deserializer::new(value, &mut track));
    let mut message = again.err().map(|error| message_of(&error)).unwrap_or_default();
    let path = text_of(&track.path());
    without_values(T::KIND, &path, &mut message);
    Fault { path, message }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::http_route::HttpRoute;
    use crate::api::secret::Secret;

    #[test]
    fn a_fault_has_the_path_of_its_field_and_says_what_belongs_there() {
        let route = json!({
            "apiVersion": "gateway.networking.k8s.io/v1",
            "kind": "HTTPRoute",
            "metadata": {"namespace": "shop", "name": "cart"},
            "spec": {"rules": [{}, {"backendRefs": [{"name": "cart", "port": "eighty"}]}]},
        });
        let Fault { path, message } = object::<HttpRoute>(&route).unwrap_err();
        assert_eq!(path, "spec.rules[1].backendRefs[0].port");
        assert!(message.starts_with("must be a whole number in its range, not"), "{message}");
    }

    #[test]
    fn an_object_is_read_whole() {
        let route = json!({"metadata": {"namespace": "shop", "name": "cart"}, "spec": {"hostnames": ["a.example"]}});
        let object = object::<HttpRoute>(&route).unwrap();
        assert_eq!(object.key().to_string(), "shop/cart");
        let AnyObject::HttpRoute(route) = object else { panic!("another kind") };
        assert_eq!(route.spec.hostnames, ["a.example"]);
    }

    #[test]
    fn values_of_a_secret_are_not_quoted() {
        let secret = json!({"metadata": {"name": "s"}, "data": {"password": 12_345}});
        let Fault { path, message } = object::<Secret>(&secret).unwrap_err();
        assert_eq!(path, "data.password");
        assert!(!message.contains("12345"), "{message}");
    }
}

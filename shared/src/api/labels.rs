//! Labels and annotations of an object, as compact as they can be: most objects have none or a few.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Names with values, by name. It is made once and looked at often, so it takes no more memory than its text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Labels(Box<[(Box<str>, Box<str>)]>);

impl Labels {
    /// The value of `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let at = self.0.binary_search_by(|(candidate, _)| candidate.as_ref().cmp(name)).ok()?;
        self.0.get(at).map(|(_, value)| &**value)
    }

    /// Names and values, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (&**name, &**value))
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<K: Into<Box<str>>, V: Into<Box<str>>> FromIterator<(K, V)> for Labels {
    /// Of the same name twice, the last value counts.
    fn from_iter<I: IntoIterator<Item = (K, V)>>(labels: I) -> Self {
        let mut labels: Vec<(Box<str>, Box<str>)> =
            labels.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        labels.reverse();
        labels.sort_by(|(a, _), (b, _)| a.cmp(b));
        labels.dedup_by(|(later, _), (earlier, _)| later == earlier);
        Self(labels.into_boxed_slice())
    }
}

impl Serialize for Labels {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Labels {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries)
    }
}

/// Reads a mapping of text to text.
struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = Labels;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Labels, A::Error> {
        let mut labels = Vec::new();
        while let Some(entry) = map.next_entry::<String, String>()? {
            labels.push(entry);
        }
        Ok(labels.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_name_whatever_the_order_they_came_in() {
        let labels: Labels = [("b", "2"), ("a", "0"), ("c", "3"), ("a", "1")].into_iter().collect();
        assert_eq!(labels.iter().collect::<Vec<_>>(), [("a", "1"), ("b", "2"), ("c", "3")]);
        assert_eq!((labels.get("a"), labels.get("c"), labels.get("d")), (Some("1"), Some("3"), None));
        assert_eq!(serde_json::to_string(&labels).unwrap(), r#"{"a":"1","b":"2","c":"3"}"#);
        assert_eq!(serde_json::from_str::<Labels>(r#"{"c":"3","a":"1","b":"2"}"#).unwrap(), labels);
    }
}

//! What counts as absent in the serialized form.

use serde::Deserialize;
use serde::Deserializer;
use serde::de::DeserializeOwned;
use serde::de::IntoDeserializer;
use serde::de::value::StringDeserializer;

/// Whether `value` is what an absent field decodes to.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Decodes null like an absent field.
pub(crate) fn null_as_default<'de, T: Default + Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Decodes the empty string and null as none, for words that have no empty member.
pub(crate) fn empty_as_none<'de, T: DeserializeOwned, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    match Option::<String>::deserialize(deserializer)? {
        Some(word) if !word.is_empty() => {
            let word: StringDeserializer<D::Error> = word.into_deserializer();
            T::deserialize(word).map(Some)
        }
        Some(_) | None => Ok(None),
    }
}

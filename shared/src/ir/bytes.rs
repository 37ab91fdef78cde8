//! Byte strings: base64 in the serialized form, and never printed when they are secret.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::Deserializer;
use serde::Serialize;
use serde::Serializer;
use serde::de::Error;
use std::fmt;

/// What stands for a secret that was taken out.
const REDACTED: &str = "[redacted]";

/// Bytes that may be shown. Clones share them.
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bytes(bytes::Bytes);

/// Bytes that must not be shown: `Debug` prints `[redacted]`. Clones share them.
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PrivateBytes(bytes::Bytes);

macro_rules! byte_string {
    ($name:ident) => {
        impl $name {
            /// The bytes.
            #[must_use]
            pub fn as_slice(&self) -> &[u8] {
                &self.0
            }

            /// The bytes, sharing their memory.
            #[must_use]
            pub fn shared(&self) -> bytes::Bytes {
                self.0.clone()
            }

            /// Whether there are none.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.0.is_empty()
            }
        }

        impl From<Vec<u8>> for $name {
            fn from(bytes: Vec<u8>) -> Self {
                Self(bytes.into())
            }
        }

        impl From<bytes::Bytes> for $name {
            fn from(bytes: bytes::Bytes) -> Self {
                Self(bytes)
            }
        }

        impl From<&[u8]> for $name {
            fn from(bytes: &[u8]) -> Self {
                Self(bytes::Bytes::copy_from_slice(bytes))
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self::from(text.as_bytes())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self::from(text.into_bytes())
            }
        }
    };
}

byte_string!(Bytes);
byte_string!(PrivateBytes);

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for PrivateBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_empty() { "" } else { REDACTED })
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl Serialize for PrivateBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.as_slice() == REDACTED.as_bytes() {
            return serializer.serialize_str(REDACTED);
        }
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        decode(deserializer).map(Self)
    }
}

impl<'de> Deserialize<'de> for PrivateBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        decode(deserializer).map(Self)
    }
}

/// How bytes may be written.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Base64(String),
    Numbers(Vec<u8>),
    Null(()),
}

/// Decodes base64 or a list of numbers; null is empty, and a taken-out secret stays what it says.
fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bytes::Bytes, D::Error> {
    let text = match Written::deserialize(deserializer)? {
        Written::Base64(text) => text,
        Written::Numbers(bytes) => return Ok(bytes.into()),
        Written::Null(()) => return Ok(bytes::Bytes::new()),
    };
    if text == REDACTED {
        return Ok(bytes::Bytes::from_static(REDACTED.as_bytes()));
    }
    match STANDARD.decode(&text) {
        Ok(bytes) => Ok(bytes.into()),
        Err(error) => Err(Error::custom(format!("not base64: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_written_but_not_printed() {
        let secret = PrivateBytes::from("hunter2");
        assert_eq!(format!("{secret:?}"), "[redacted]");
        assert_eq!(serde_json::to_value(&secret).ok(), Some("aHVudGVyMg==".into()));
        assert_eq!(serde_json::from_str::<PrivateBytes>("\"aHVudGVyMg==\"").ok(), Some(secret));
    }

    #[test]
    fn numbers_and_null_are_bytes_too() {
        assert_eq!(serde_json::from_str::<Bytes>("[104, 105]").ok(), Some(Bytes::from("hi")));
        assert_eq!(serde_json::from_str::<Bytes>("null").ok(), Some(Bytes::default()));
    }

    #[test]
    fn what_is_not_base64_is_refused() {
        assert!(serde_json::from_str::<Bytes>("\"%\"").is_err());
    }
}

//! The macro behind every enumeration of the API: variants, their spelling, serde and schema from one list.

/// Defines an enumeration spelled as strings in manifests.
///
/// A `closed` one refuses other values and names the ones it knows. An `open` one keeps them as `Other`, for values the
/// API wants handled as invalid rather than refused. Both offer `as_str`, `Display` and `From<&str>` or `FromStr`, and
/// the schema of both lists the values: an API server knows its own version's.
macro_rules! string_enum {
    ($(#[$meta:meta])* $vis:vis closed enum $name:ident { $($variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        $vis enum $name {
            $(#[doc = concat!("`", $text, "`")] $variant,)+
        }

        impl $name {
            /// The spelling in manifests.
            #[must_use]
            $vis const fn as_str(&self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }

        impl std::str::FromStr for $name {
            type Err = crate::api::string_enum::UnknownValue;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($text => Ok(Self::$variant),)+
                    _ => Err(crate::api::string_enum::UnknownValue::new(text, &[$($text,)+])),
                }
            }
        }

        crate::api::string_enum::string_enum!(@serde $name, [$($text),+], |text: &str| text.parse::<$name>());
    };
    ($(#[$meta:meta])* $vis:vis open enum $name:ident { $($variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        $vis enum $name {
            $(#[doc = concat!("`", $text, "`")] $variant,)+
            /// A value this version does not know, as it was written.
            Other(String),
        }

        impl $name {
            /// The spelling in manifests.
            #[must_use]
            $vis fn as_str(&self) -> &str {
                match self { $(Self::$variant => $text,)+ Self::Other(text) => text }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text { $($text => Self::$variant,)+ _ => Self::Other(text.to_owned()) }
            }
        }

        crate::api::string_enum::string_enum!(
            @serde $name, [$($text),+], |text: &str| Ok::<$name, std::convert::Infallible>($name::from(text))
        );
    };
    (@serde $name:ident, $values:expr, $parse:expr) => {
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                crate::api::string_enum::deserialize(deserializer, $parse)
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn schema_id() -> std::borrow::Cow<'static, str> {
                concat!(module_path!(), "::", stringify!($name)).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({"type": "string", "enum": $values})
            }
        }
    };
}
pub(crate) use string_enum;

/// A value a closed enumeration does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownValue {
    value: String,
    known: &'static [&'static str],
}

impl UnknownValue {
    pub(crate) fn new(value: &str, known: &'static [&'static str]) -> Self {
        Self { value: value.to_owned(), known }
    }
}

impl std::fmt::Display for UnknownValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "unknown value {:?}, use one of {}", self.value, self.known.join(", "))
    }
}

impl std::error::Error for UnknownValue {}

/// Reads a string and turns it into a value by `parse`.
pub(crate) fn deserialize<'de, D, T, E>(deserializer: D, parse: impl Fn(&str) -> Result<T, E>) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    E: std::fmt::Display,
{
    struct Visitor<F>(F);
    impl<T, E: std::fmt::Display, F: Fn(&str) -> Result<T, E>> serde::de::Visitor<'_> for Visitor<F> {
        type Value = T;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a string")
        }
        fn visit_str<Error: serde::de::Error>(self, text: &str) -> Result<T, Error> {
            self.0(text).map_err(Error::custom)
        }
    }
    deserializer.deserialize_str(Visitor(parse))
}

#[cfg(test)]
mod tests {
    string_enum! {
        /// Sizes.
        closed enum Size { Small = "small", Big = "big", }
    }
    string_enum! {
        /// Colours.
        open enum Colour { Red = "red", }
    }

    #[test]
    fn a_closed_enumeration_names_what_it_knows() {
        let error = serde_json::from_str::<Size>("\"huge\"").unwrap_err().to_string();
        assert!(error.starts_with("unknown value \"huge\", use one of small, big"), "{error}");
        assert_eq!(serde_json::to_string(&Size::Big).unwrap(), "\"big\"");
    }

    #[test]
    fn an_open_enumeration_keeps_what_it_does_not_know() {
        let colour: Colour = serde_json::from_str("\"blue\"").unwrap();
        assert_eq!(colour, Colour::Other("blue".into()));
        assert_eq!(serde_json::to_string(&colour).unwrap(), "\"blue\"");
    }
}

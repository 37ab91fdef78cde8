//! Amounts as Kubernetes writes them: `512Mi`, `100m`, `65536`.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An amount, as its author wrote it. Manifests may give a bare number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Quantity(pub String);

impl Quantity {
    /// The amount in whole units, rounded up as Kubernetes does; `None` where the text is no amount or too big.
    #[must_use]
    pub fn value(&self) -> Option<i64> {
        let text = self.0.trim();
        let number_end =
            text.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | '+' | '-')).unwrap_or(text.len());
        let (number, suffix) = text.split_at(number_end);
        let (number, divisor) = match number.split_once('.') {
            Some((whole, fraction)) => {
                (format!("{whole}{fraction}"), 10_i128.checked_pow(u32::try_from(fraction.len()).ok()?)?)
            }
            None => (number.to_owned(), 1),
        };
        let number: i128 = number.parse().ok()?;
        let (multiplier, suffix_divisor) = scale(suffix)?;
        let divisor = divisor.checked_mul(suffix_divisor)?;
        let scaled = number.checked_mul(multiplier)?;
        let up = i128::from(scaled > 0 && scaled % divisor != 0);
        i64::try_from(scaled / divisor + up).ok()
    }
}

/// What a suffix multiplies and divides by.
fn scale(suffix: &str) -> Option<(i128, i128)> {
    Some(match suffix {
        "" => (1, 1),
        "n" => (1, 1_000_000_000),
        "u" => (1, 1_000_000),
        "m" => (1, 1_000),
        "k" => (1_000, 1),
        "M" => (1_000_000, 1),
        "G" => (1_000_000_000, 1),
        "T" => (1_000_000_000_000, 1),
        "P" => (1_000_000_000_000_000, 1),
        "E" => (1_000_000_000_000_000_000, 1),
        "Ki" => (1 << 10, 1),
        "Mi" => (1 << 20, 1),
        "Gi" => (1 << 30, 1),
        "Ti" => (1 << 40, 1),
        "Pi" => (1 << 50, 1),
        "Ei" => (1 << 60, 1),
        exponent => {
            let power: i32 = exponent.strip_prefix(['e', 'E'])?.parse().ok()?;
            let factor = 10_i128.checked_pow(power.unsigned_abs())?;
            if power < 0 { (1, factor) } else { (factor, 1) }
        }
    })
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Quantity;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an amount such as 512Mi or 65536")
            }
            fn visit_str<E>(self, text: &str) -> Result<Quantity, E> {
                Ok(Quantity(text.to_owned()))
            }
            fn visit_u64<E>(self, number: u64) -> Result<Quantity, E> {
                Ok(Quantity(number.to_string()))
            }
            fn visit_i64<E>(self, number: i64) -> Result<Quantity, E> {
                Ok(Quantity(number.to_string()))
            }
            fn visit_f64<E>(self, number: f64) -> Result<Quantity, E> {
                Ok(Quantity(number.to_string()))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl schemars::JsonSchema for Quantity {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Quantity".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        generator.subschema_for::<k8s_openapi::apimachinery::pkg::api::resource::Quantity>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_rounded_up_to_whole_units() {
        for (text, value) in [
            ("65536", Some(65536)),
            ("512Mi", Some(512 << 20)),
            ("1.5k", Some(1500)),
            ("100m", Some(1)),
            ("1e3", Some(1000)),
            ("0", Some(0)),
            ("-1500m", Some(-1)),
            ("8Ei", None),
            ("10 Mi", None),
            ("many", None),
        ] {
            assert_eq!(Quantity(text.to_owned()).value(), value, "{text}");
        }
    }

    #[test]
    fn a_bare_number_is_an_amount() {
        assert_eq!(serde_json::from_str::<Quantity>("65536").unwrap(), Quantity("65536".to_owned()));
    }
}

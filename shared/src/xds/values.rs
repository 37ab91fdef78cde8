//! Small protobuf values: wrappers, durations, percentages, extension configurations, structs.

use prost::{Message, Name};

use super::encode::pack;
use super::pb::{core, types, wkt};
use crate::api::duration::Duration;
use crate::api::fraction::Fraction;

pub(super) const fn uint32(value: u32) -> wkt::UInt32Value {
    wkt::UInt32Value { value }
}

pub(super) const fn boolean(value: bool) -> wkt::BoolValue {
    wkt::BoolValue { value }
}

pub(super) const fn duration(value: Duration) -> wkt::Duration {
    wkt::Duration { seconds: value.as_secs(), nanos: value.subsec_nanos() }
}

pub(super) const fn seconds(seconds: i64) -> wkt::Duration {
    wkt::Duration { seconds, nanos: 0 }
}

pub(super) fn percent(value: impl Into<f64>) -> types::Percent {
    types::Percent { value: value.into() }
}

/// An extension by name with its packed configuration.
pub(super) fn extension<M: Message + Name>(name: &str, config: &M) -> core::TypedExtensionConfig {
    core::TypedExtensionConfig { name: name.to_owned(), typed_config: Some(pack(config)) }
}

pub(super) fn text(value: &str) -> wkt::Value {
    wkt::Value { kind: Some(wkt::value::Kind::StringValue(value.to_owned())) }
}

pub(super) fn structure<'a>(fields: impl IntoIterator<Item = (&'a str, wkt::Value)>) -> wkt::Struct {
    wkt::Struct { fields: fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect() }
}

pub(super) fn inline_bytes(bytes: &[u8]) -> core::DataSource {
    core::DataSource {
        specifier: Some(core::data_source::Specifier::InlineBytes(bytes.to_vec())),
        ..core::DataSource::default()
    }
}

/// A percentage in millionths, cut off as Envoy Gateway does (`FromFloat32`).
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "float to integer casts saturate, and cutting off is what is wanted"
)]
pub(super) fn millionths(percent: f32) -> types::FractionalPercent {
    types::FractionalPercent {
        numerator: (percent * 10_000.0) as u32,
        denominator: types::fractional_percent::DenominatorType::Million.into(),
    }
}

/// So many hundredths.
pub(super) fn hundredths(numerator: u32) -> types::FractionalPercent {
    types::FractionalPercent { numerator, denominator: types::fractional_percent::DenominatorType::Hundred.into() }
}

/// A fraction in the finest of Envoy's denominators that holds it exactly, else in millionths.
pub(super) fn fraction(value: &Fraction) -> types::FractionalPercent {
    use types::fractional_percent::DenominatorType as Denominator;
    let numerator = i64::from(value.numerator);
    let denominator = i64::from(value.denominator.unwrap_or(100));
    let (numerator, denominator) = match denominator {
        100 => (numerator, Denominator::Hundred),
        1_000 => (numerator * 10, Denominator::TenThousand),
        10_000 => (numerator, Denominator::TenThousand),
        100_000 => (numerator * 10, Denominator::Million),
        1_000_000 => (numerator, Denominator::Million),
        other => ((numerator * 1_000_000).checked_div(other).unwrap_or(0), Denominator::Million),
    };
    types::FractionalPercent { numerator: u32::try_from(numerator).unwrap_or(0), denominator: denominator.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fraction_keeps_its_value_in_envoys_denominators() {
        let of = |numerator, denominator| {
            let result = fraction(&Fraction { numerator, denominator });
            (result.numerator, result.denominator)
        };
        assert_eq!(of(5, None), (5, 0));
        assert_eq!(of(5, Some(1_000)), (50, 1));
        assert_eq!(of(1, Some(3)), (333_333, 2));
        assert_eq!(of(1, Some(0)), (0, 2));
    }

    #[test]
    fn a_percentage_becomes_millionths() {
        assert_eq!(millionths(99.5).numerator, 995_000);
    }
}

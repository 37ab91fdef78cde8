//! Durations as Go and the Gateway API write them: `1h2m3.5s`.

use std::fmt;
use std::str::FromStr;

/// A span of time in nanoseconds; it may be negative, as in Go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Duration(i64);

const MICROSECOND: i64 = 1_000;
const MILLISECOND: i64 = 1_000 * MICROSECOND;
const SECOND: i64 = 1_000 * MILLISECOND;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;

impl Duration {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// So many nanoseconds.
    #[must_use]
    pub const fn from_nanos(nanos: i64) -> Self {
        Self(nanos)
    }

    /// So many milliseconds; saturates at about 292 years.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis.saturating_mul(MILLISECOND))
    }

    /// So many seconds; saturates at about 292 years.
    #[must_use]
    pub const fn from_secs(seconds: i64) -> Self {
        Self(seconds.saturating_mul(SECOND))
    }

    /// The whole duration in nanoseconds.
    #[must_use]
    pub const fn as_nanos(self) -> i64 {
        self.0
    }

    /// Whole milliseconds, rounded towards zero.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0 / MILLISECOND
    }

    /// Whole seconds, rounded towards zero.
    #[must_use]
    pub const fn as_secs(self) -> i64 {
        self.0 / SECOND
    }

    /// Nanoseconds beyond the whole seconds; negative for a negative duration.
    #[must_use]
    pub const fn subsec_nanos(self) -> i32 {
        // The remainder of a division by 10^9 fits.
        (self.0 % SECOND) as i32
    }

    /// Whether this is no time at all.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
}

/// Text that is no duration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidDuration(String);

impl fmt::Display for InvalidDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is no duration, write a number and a unit such as 500ms, 10s or 1h30m", self.0)
    }
}

impl std::error::Error for InvalidDuration {}

impl FromStr for Duration {
    type Err = InvalidDuration;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text).map(Self).ok_or_else(|| InvalidDuration(text.to_owned()))
    }
}

/// Go's grammar: an optional sign, then numbers with an optional fraction, each with a unit; or a bare `0`.
fn parse(text: &str) -> Option<i64> {
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total: i128 = 0;
    while !rest.is_empty() {
        let number_end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, after) = rest.split_at(number_end);
        let unit_end = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, next) = after.split_at(unit_end);
        let scale = i128::from(match unit {
            "ns" => 1,
            "us" | "µs" | "μs" => MICROSECOND,
            "ms" => MILLISECOND,
            "s" => SECOND,
            "m" => MINUTE,
            "h" => HOUR,
            _ => return None,
        });
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
            return None;
        }
        let whole: i128 = if whole.is_empty() { 0 } else { whole.parse::<u64>().ok()?.into() };
        total = total.checked_add(whole.checked_mul(scale)?)?;
        let mut place = scale;
        for digit in fraction.chars().filter_map(|c| c.to_digit(10)) {
            place /= 10;
            total += place * i128::from(digit);
        }
        rest = next;
    }
    i64::try_from(if negative { -total } else { total }).ok()
}

impl fmt::Display for Duration {
    /// As Go prints it: `1h0m0s`, `1.5s`, `300ms`, `0s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 {
            return f.write_str("0s");
        }
        if self.0 < 0 {
            f.write_str("-")?;
        }
        let nanos = self.0.unsigned_abs();
        let (second, minute, hour) = (SECOND.unsigned_abs(), MINUTE.unsigned_abs(), HOUR.unsigned_abs());
        if nanos < second {
            return match nanos {
                n if n < 1_000 => write!(f, "{n}ns"),
                n if n < 1_000_000 => write!(f, "{}µs", decimal(n, 3)),
                n => write!(f, "{}ms", decimal(n, 6)),
            };
        }
        let (hours, minutes) = (nanos / hour, nanos % hour / minute);
        if hours > 0 {
            write!(f, "{hours}h")?;
        }
        if hours > 0 || minutes > 0 {
            write!(f, "{minutes}m")?;
        }
        write!(f, "{}s", decimal(nanos % minute, 9))
    }
}

/// `value` divided by 10^`places`, without trailing zeros.
fn decimal(value: u64, places: u32) -> String {
    let scale = 10_u64.pow(places);
    let (whole, fraction) = (value / scale, value % scale);
    if fraction == 0 {
        return whole.to_string();
    }
    let digits = format!("{fraction:0width$}", width = usize::try_from(places).unwrap_or_default());
    format!("{whole}.{}", digits.trim_end_matches('0'))
}

impl serde::Serialize for Duration {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Duration {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::api::string_enum::deserialize(deserializer, str::parse::<Self>)
    }
}

impl schemars::JsonSchema for Duration {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Duration".into()
    }

    /// The Gateway API's subset of what Go reads.
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string", "pattern": "^([0-9]{1,5}(h|m|s|ms)){1,4}$"})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_go_reads_and_prints() {
        for (text, nanos, printed) in [
            ("0", 0, "0s"),
            ("0s", 0, "0s"),
            ("1h", HOUR, "1h0m0s"),
            ("1h2m3.5s", HOUR + 2 * MINUTE + 3_500 * MILLISECOND, "1h2m3.5s"),
            ("90s", 90 * SECOND, "1m30s"),
            ("300ms", 300 * MILLISECOND, "300ms"),
            ("1500ms", 1_500 * MILLISECOND, "1.5s"),
            ("1.5us", 1_500, "1.5µs"),
            ("7ns", 7, "7ns"),
            ("-1m", -MINUTE, "-1m0s"),
            ("9223372036854775807ns", i64::MAX, "2562047h47m16.854775807s"),
        ] {
            let duration: Duration = text.parse().unwrap();
            assert_eq!(duration.as_nanos(), nanos, "{text}");
            assert_eq!(duration.to_string(), printed, "{text}");
        }
    }

    #[test]
    fn what_is_no_duration() {
        for text in ["", "5", "s", "1x", "1.2.3s", ".s", "9223372036854775808ns", "1 s", "-"] {
            assert!(text.parse::<Duration>().is_err(), "{text}");
        }
    }
}

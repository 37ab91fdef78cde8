//! Rate limits.

use crate::api::string_enum::string_enum;

string_enum! {
    /// The time a limit counts in.
    pub open enum RateLimitUnit {
        Second = "Second",
        Minute = "Minute",
        Hour = "Hour",
        Day = "Day",
        Week = "Week",
        Month = "Month",
        Year = "Year",
    }
}

string_enum! {
    /// Whether `x-ratelimit-*` headers are sent.
    pub closed enum XRateLimitHeadersOption {
        Off = "Off",
        DraftVersion03 = "DraftVersion03",
    }
}

//! External processors.

use crate::api::string_enum::string_enum;

string_enum! {
    /// How a body is sent to an external processor.
    pub closed enum ExtProcBodyProcessingMode {
        Streamed = "Streamed",
        Buffered = "Buffered",
        FullDuplexStreamed = "FullDuplexStreamed",
        BufferedPartial = "BufferedPartial",
    }
}

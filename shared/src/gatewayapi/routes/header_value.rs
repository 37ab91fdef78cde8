//! Whether a text can be the value of a header (RFC 7230): printable ASCII, words separated by one blank or tab.

/// Whether `value` can be written into a header.
#[must_use]
pub fn is_valid(value: &str) -> bool {
    let mut after_blank = true;
    for byte in value.bytes() {
        match byte {
            b' ' | b'\t' if after_blank => return false,
            b' ' | b'\t' => after_blank = true,
            b'!'..=b'~' => after_blank = false,
            _ => return false,
        }
    }
    !after_blank
}

#[cfg(test)]
mod tests {
    use super::is_valid;

    #[test]
    fn words_with_single_blanks() {
        for good in ["a", "a b\tc", "%REQ(x)%"] {
            assert!(is_valid(good), "{good:?}");
        }
        for bad in ["", " a", "a ", "a  b", "a\nb", "ä"] {
            assert!(!is_valid(bad), "{bad:?}");
        }
    }
}

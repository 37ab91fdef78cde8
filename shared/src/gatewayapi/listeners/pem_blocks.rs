//! PEM as people paste it: text around the blocks and blocks that don't decode are passed over.

use pem::{EncodeConfig, LineEnding, Pem};

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";

/// The blocks of `text` that decode, in order.
pub(super) fn blocks(text: &[u8]) -> Vec<Pem> {
    let text = String::from_utf8_lossy(text);
    let mut rest = text.as_ref();
    let mut found = Vec::new();
    while let Some((_, after_begin)) = rest.split_once(BEGIN) {
        // A second BEGIN before the END means that the first one was cut off.
        let body = after_begin.split(BEGIN).next().unwrap_or_default();
        if let Some((_, after_end)) = body.split_once(END) {
            let end_line = after_end.split(['\r', '\n']).next().unwrap_or_default();
            let length = body.len() - after_end.len() + end_line.len();
            if let Some(block) = body.get(..length).and_then(|block| pem::parse(format!("{BEGIN}{block}")).ok()) {
                found.push(block);
            }
        }
        rest = after_begin;
    }
    found
}

/// The blocks written down again: one form for the same content.
pub(super) fn encode(blocks: &[Pem]) -> String {
    let config = EncodeConfig::new().set_line_ending(LineEnding::LF);
    blocks.iter().map(|block| pem::encode_config(block, config)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_block_is_passed_over() {
        let text = "hello\n-----BEGIN A-----\nAQID\n-----END A-----\nbetween\n-----BEGIN B-----\n???\n-----END B-----\n\
                    -----BEGIN C-----\n-----BEGIN D-----\r\nBAUG\r\n-----END D-----";
        let blocks = blocks(text.as_bytes());
        let found: Vec<_> = blocks.iter().map(|block| (block.tag(), block.contents())).collect();
        assert_eq!(found, [("A", &[1, 2, 3][..]), ("D", &[4, 5, 6][..])]);
        assert_eq!(
            encode(&blocks),
            "-----BEGIN A-----\nAQID\n-----END A-----\n-----BEGIN D-----\nBAUG\n-----END D-----\n"
        );
    }
}

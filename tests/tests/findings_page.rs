//! `docs/findings.md` says what the catalogue says; `BLESS=1 cargo test -p gateway-tests --test findings_page` writes it.

use gateway_shared::explain::findings::page;

#[test]
fn the_page_says_what_the_catalogue_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/findings.md");
    if std::env::var_os("BLESS").is_some() {
        assert!(std::fs::write(path, page()).is_ok(), "{path} can't be written");
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(written == page(), "docs/findings.md isn't what the catalogue says; BLESS=1 writes it");
}

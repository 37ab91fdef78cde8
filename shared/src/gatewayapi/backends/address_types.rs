//! What kind of addresses a backend's endpoints have, when there may be several kinds.

use crate::ir::destination::DestinationAddressType;

/// The kind of all, or what a mixture counts as; none where there are no endpoints.
#[must_use]
pub fn common(
    kinds: impl IntoIterator<Item = DestinationAddressType>,
    mixture: DestinationAddressType,
) -> Option<DestinationAddressType> {
    let mut kinds = kinds.into_iter();
    let first = kinds.next()?;
    Some(if kinds.all(|kind| kind == first) { first } else { mixture })
}

//! InfraIR to Kubernetes objects.

use crate::diagnostic::Diagnostic;
use crate::infra::object::InfraObject;
use crate::infra::settings::Settings;
use crate::ir::infra::Infra;

/// The objects of one fleet, in the order they are applied.
///
/// # Errors
/// With every reason why the fleet can't be rendered; what runs is then left as it is (design §6 rule 25).
pub fn render(infra: &Infra, settings: &Settings) -> Result<Vec<InfraObject>, Vec<Diagnostic>> {
    let _ = (infra, settings);
    Ok(Vec::new())
}

//! Tests that an installation gives the rights that making fleets needs.

use gateway_shared::install::rbac::table::{NEEDS, Scope};

use super::kinds::{KINDS, resource};

#[test]
fn every_kind_of_a_fleet_may_be_made() {
    for kind in KINDS {
        let resource = resource(kind);
        for verb in ["get", "list", "watch", "create", "patch", "delete"] {
            let given = NEEDS.iter().any(|need| {
                need.scope == Scope::Fleet
                    && need.group == resource.group
                    && need.resources.contains(&resource.plural.as_str())
                    && need.verbs.contains(&verb)
            });
            assert!(given, "{verb} {}", resource.plural);
        }
    }
}

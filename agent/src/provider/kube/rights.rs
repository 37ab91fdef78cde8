//! Tests that an installation gives the rights that watching needs.

use gateway_shared::install::rbac::table::{NEEDS, Scope};

use super::registry::WATCHED;

fn given(scope: Scope, group: &str, resource: &str, verb: &str) -> bool {
    let needs = || NEEDS.iter().filter(|need| need.scope == scope && need.group == group);
    needs().any(|need| need.resources.contains(&resource) && need.verbs.contains(&verb))
}

#[test]
fn every_kind_that_is_watched_may_be_watched() {
    for watched in WATCHED {
        let scope = if watched.namespaced { Scope::Watched } else { Scope::Cluster };
        for verb in ["get", "list", "watch"] {
            assert!(given(scope, watched.group, watched.plural, verb), "{verb} {}.{}", watched.plural, watched.group);
        }
        let status = format!("{}/status", watched.plural);
        assert!(!watched.status || given(scope, watched.group, &status, "update"), "update {status}");
    }
}

//! Who a fleet's pods are.

use k8s_openapi::api::core::v1::ServiceAccount;

use crate::infra::fleet::Fleet;

/// The ServiceAccount of the fleet. Its token is mounted nowhere but where a proxy needs it for the xDS server.
pub(super) fn service_account(fleet: &Fleet<'_>) -> ServiceAccount {
    ServiceAccount {
        metadata: fleet.object_meta(Some(&fleet.service_account_name())),
        automount_service_account_token: Some(false),
        ..ServiceAccount::default()
    }
}

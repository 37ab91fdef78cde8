//! Faults of a rule: what is wrong, and the condition it speaks through.

use crate::diagnostic::{Diagnostic, FieldPath};
use crate::gatewayapi::decision::{FaultCondition, RouteFault};

/// Reasons of route conditions that Envoy Gateway and the Gateway API give.
pub mod reason {
    /// A value or a combination of values isn't served.
    pub const UNSUPPORTED_VALUE: &str = "UnsupportedValue";
    /// A reference has an option that isn't served.
    pub const UNSUPPORTED_REF_VALUE: &str = "UnsupportedRefValue";
    /// Filters of one rule exclude each other.
    pub const INCOMPATIBLE_FILTERS: &str = "IncompatibleFilters";
    /// A reference is to a kind that can't be a backend.
    pub const INVALID_KIND: &str = "InvalidKind";
    /// A reference leaves its namespace and no ReferenceGrant permits it.
    pub const REF_NOT_PERMITTED: &str = "RefNotPermitted";
    /// The backend isn't there.
    pub const BACKEND_NOT_FOUND: &str = "BackendNotFound";
    /// A backend that is there can't be used.
    pub const INVALID_BACKEND_REF: &str = "InvalidBackendRef";
    /// TLS towards a backend can't be set up.
    pub const INVALID_BACKEND_TLS: &str = "InvalidBackendTLS";
    /// Filters of a backendRef can't be used.
    pub const INVALID_BACKEND_FILTERS: &str = "InvalidBackendFilters";
    /// The backend has no such port.
    pub const PORT_NOT_FOUND: &str = "PortNotFound";
    /// The reference needs a port and has none.
    pub const PORT_NOT_SPECIFIED: &str = "PortNotSpecified";
    /// Addresses of this kind, or mixed ones, can't be used.
    pub const UNSUPPORTED_ADDRESS_TYPE: &str = "UnsupportedAddressType";
    /// An address can't be used.
    pub const INVALID_ADDRESS: &str = "InvalidAddress";
    /// The backend is there and has no endpoints.
    pub const ENDPOINTS_NOT_FOUND: &str = "EndpointsNotFound";
}

impl RouteFault {
    /// A fault that keeps the rule from being accepted.
    #[must_use]
    pub fn accepted(path: FieldPath, reason: &'static str, message: impl Into<String>) -> Self {
        Self { condition: FaultCondition::Accepted, diagnostic: Diagnostic::new(path, reason, message) }
    }

    /// A reference that leads nowhere.
    #[must_use]
    pub fn reference(path: FieldPath, reason: &'static str, message: impl Into<String>) -> Self {
        Self { condition: FaultCondition::ResolvedRefs, diagnostic: Diagnostic::new(path, reason, message) }
    }

    /// A backend without endpoints.
    #[must_use]
    pub fn no_endpoints(path: FieldPath, message: impl Into<String>) -> Self {
        Self {
            condition: FaultCondition::BackendsAvailable,
            diagnostic: Diagnostic::new(path, reason::ENDPOINTS_NOT_FOUND, message),
        }
    }

    /// The same fault, seen from inside the field `name`.
    #[must_use]
    pub fn within(mut self, name: &'static str) -> Self {
        self.diagnostic = self.diagnostic.within(name);
        self
    }

    /// The same fault, seen from inside element `index` of the list `name`.
    #[must_use]
    pub fn within_item(mut self, name: &'static str, index: usize) -> Self {
        self.diagnostic = self.diagnostic.within_item(name, index);
        self
    }

    /// The same fault, speaking through `ResolvedRefs`.
    #[must_use]
    pub fn as_reference(mut self) -> Self {
        self.condition = FaultCondition::ResolvedRefs;
        self
    }
}

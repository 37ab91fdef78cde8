//! Rules between fields, in the Common Expression Language an API server evaluates.

use std::borrow::Cow;

use serde::Serialize;

/// A rule and what is said when it is broken.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Rule {
    message: Cow<'static, str>,
    rule: Cow<'static, str>,
}

/// `rule` must hold, or `message` tells what to do.
pub(crate) const fn rule(rule: &'static str, message: &'static str) -> Rule {
    Rule { message: Cow::Borrowed(message), rule: Cow::Borrowed(rule) }
}

/// `field` is set when `type` is `name`, and only then.
pub(crate) fn exactly_for(name: &str, field: &str) -> Rule {
    Rule {
        message: format!("set {field} when type is {name}, and only then").into(),
        rule: format!("self.type == '{name}' ? has(self.{field}) : !has(self.{field})").into(),
    }
}

/// The rules of every policy for what it is attached to, then `more`.
///
/// It may be attached to `kinds`; to be merged with policies above it, to `merged` alone, where that is possible at all.
pub(crate) fn target_rules(kinds: &[&str], merged: &[&str], more: &[Rule]) -> Vec<Rule> {
    let (list, text) = (quoted(kinds), kinds.join(", "));
    let mut rules = vec![
        rule(
            "(has(self.targetRef) && !has(self.targetRefs)) || (!has(self.targetRef) && has(self.targetRefs)) || \
             (has(self.targetSelectors) && self.targetSelectors.size() > 0)",
            "set targetRef or targetRefs, not both, or targetSelectors",
        ),
        rule(
            "has(self.targetRef) ? self.targetRef.group == 'gateway.networking.k8s.io' : true",
            "targetRef.group must be gateway.networking.k8s.io",
        ),
        Rule {
            rule: format!("has(self.targetRef) ? self.targetRef.kind in [{list}] : true").into(),
            message: format!("targetRef.kind must be one of {text}").into(),
        },
        rule(
            "has(self.targetRefs) ? self.targetRefs.all(ref, ref.group == 'gateway.networking.k8s.io') : true",
            "the group of all targetRefs must be gateway.networking.k8s.io",
        ),
        Rule {
            rule: format!("has(self.targetRefs) ? self.targetRefs.all(ref, ref.kind in [{list}]) : true").into(),
            message: format!("the kind of each of targetRefs must be one of {text}").into(),
        },
    ];
    if !merged.is_empty() {
        let list = quoted(merged);
        rules.push(Rule {
            rule: format!(
                "!has(self.mergeType) || ((!has(self.targetRef) || self.targetRef.kind in [{list}]) && \
                 (!has(self.targetRefs) || self.targetRefs.all(ref, ref.kind in [{list}])) && \
                 (!has(self.targetSelectors) || self.targetSelectors.all(sel, sel.kind in [{list}])))"
            )
            .into(),
            message: "only a policy attached to routes can be merged: remove mergeType".into(),
        });
    }
    rules.extend_from_slice(more);
    rules
}

fn quoted(kinds: &[&str]) -> String {
    kinds.iter().map(|kind| format!("'{kind}'")).collect::<Vec<_>>().join(", ")
}

/// A Service is reached at a port, other backends know their own.
pub(crate) const SERVICE_NEEDS_PORT: Rule =
    rule("(size(self.group) == 0 && self.kind == 'Service') ? has(self.port) : true", "a Service needs a port");

/// `backendRef` is from before there were several.
pub(crate) const ONLY_BACKEND_REFS: Rule =
    rule("!has(self.backendRef)", "backendRef doesn't work here: use backendRefs");

/// There is a backend.
pub(crate) const SOME_BACKEND: Rule = rule("has(self.backendRef) || self.backendRefs.size() > 0", "set backendRefs");

/// There is a backend, or a host as it was written before there were backends.
pub(crate) const SOME_BACKEND_OR_HOST: Rule = rule("has(self.host) || self.backendRefs.size() > 0", "set backendRefs");

/// Kinds of backends requests are sent to.
pub(crate) const BACKEND_KINDS: Rule = rule(
    "has(self.backendRefs) ? self.backendRefs.all(f, f.kind == 'Service' || f.kind == 'ServiceImport' || \
     f.kind == 'Backend') : true",
    "backends must be of kind Service, ServiceImport or Backend",
);

/// Their groups.
pub(crate) const BACKEND_GROUPS: Rule = rule(
    r#"has(self.backendRefs) ? (self.backendRefs.all(f, f.group == "" || f.group == 'multicluster.x-k8s.io' || f.group == 'gateway.envoyproxy.io')) : true"#,
    "the group of backends must be the core group, multicluster.x-k8s.io or gateway.envoyproxy.io",
);

/// Kinds of backends telemetry is sent to.
pub(crate) const TELEMETRY_KINDS: Rule = rule(
    "has(self.backendRefs) ? self.backendRefs.all(f, f.kind == 'Service' || f.kind == 'Backend') : true",
    "backends must be of kind Service or Backend",
);

/// Their groups.
pub(crate) const TELEMETRY_GROUPS: Rule = rule(
    r#"has(self.backendRefs) ? (self.backendRefs.all(f, f.group == "" || f.group == 'gateway.envoyproxy.io')) : true"#,
    "the group of backends must be the core group or gateway.envoyproxy.io",
);

/// Only some load balancers know beforehand which endpoint is next.
pub(crate) const PRECONNECT_BALANCERS: Rule = rule(
    "!((has(self.connection) && has(self.connection.preconnect) && \
     has(self.connection.preconnect.predictivePercent)) && !(has(self.loadBalancer) && \
     has(self.loadBalancer.type) && self.loadBalancer.type in ['Random', 'RoundRobin']))",
    "predictivePercent needs a load balancer of type Random or RoundRobin",
);

/// Fetches have one time-out for all tries.
pub(crate) const NO_RETRY_TIMEOUT: Rule = rule(
    "has(self.backendSettings)? (has(self.backendSettings.retry)?(has(self.backendSettings.retry.perRetry)? \
     !has(self.backendSettings.retry.perRetry.timeout):true):true):true",
    "retries have no time-out of their own here: remove perRetry.timeout",
);

/// Fetches are tried again whatever the status.
pub(crate) const NO_RETRY_STATUSES: Rule = rule(
    "has(self.backendSettings)? (has(self.backendSettings.retry)?(has(self.backendSettings.retry.retryOn)? \
     !has(self.backendSettings.retry.retryOn.httpStatusCodes):true):true):true",
    "retries don't depend on HTTP statuses here: remove retryOn.httpStatusCodes",
);

/// A value is given in one place.
pub(crate) const INLINE_OR_VALUE_REF: Rule = rule(
    "(self.type == 'Inline' && has(self.inline) && !has(self.valueRef)) || \
     (self.type == 'ValueRef' && !has(self.inline) && has(self.valueRef))",
    "set inline with type Inline, or valueRef with type ValueRef, and not the other one",
);

/// There is nothing a policy could replace.
pub(crate) const MERGED_NOT_REPLACED: Rule =
    rule("self != 'Replace'", "a policy can be merged by StrategicMerge or JSONMerge, not by Replace");

/// A part isn't more than the whole.
pub(crate) const PROPER_FRACTION: Rule =
    rule("self.numerator <= self.denominator", "numerator must not be above denominator");

/// TLS 1.3 has ciphers of its own.
pub(crate) const CIPHERS_BELOW_TLS_1_3: Rule = rule(
    "has(self.minVersion) && self.minVersion == '1.3' ? !has(self.ciphers) : true",
    "ciphers have no effect on TLS 1.3, the lowest version allowed here: remove them",
);

/// A span of versions isn't empty.
pub(crate) const TLS_VERSIONS_IN_ORDER: Rule = rule(
    r#"has(self.minVersion) && has(self.maxVersion) ? {"Auto":0,"1.0":1,"1.1":2,"1.2":3,"1.3":4}[self.minVersion] <= {"1.0":1,"1.1":2,"1.2":3,"1.3":4,"Auto":5}[self.maxVersion] : !has(self.minVersion) && has(self.maxVersion) ? 3 <= {"1.0":1,"1.1":2,"1.2":3,"1.3":4,"Auto":5}[self.maxVersion] : true"#,
    "minVersion must not be above maxVersion",
);

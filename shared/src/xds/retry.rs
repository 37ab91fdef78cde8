//! When a request is tried again.

use super::encode::pack;
use super::pb::extensions::retry::{
    host::previous_hosts::v3::PreviousHostsPredicate, priority::previous_priorities::v3::PreviousPrioritiesConfig,
};
use super::pb::route::{RetryPolicy, retry_policy};
use super::problem::Invalid;
use super::values::{duration, uint32};
use crate::api::retry::TriggerEnum;
use crate::ir::{BackOffPolicy, HttpRoute, PerRetryPolicy, Retry, RetryOn};

const DEFAULT_RETRY_ON: &str = "connect-failure,refused-stream,unavailable,cancelled,retriable-status-codes";
const DEFAULT_RETRIES: u32 = 2;
/// How often Envoy looks for a host that was not tried yet.
const HOST_SELECTION_ATTEMPTS: i64 = 5;

/// The retry policy of a route, from the route itself before its traffic policy.
pub(super) fn retry(source: &HttpRoute) -> Result<Option<RetryPolicy>, Invalid> {
    let from_policy = || source.traffic.as_ref().and_then(|traffic| traffic.retry.as_deref());
    source.retry.as_deref().or_else(from_policy).map(policy).transpose()
}

fn policy(source: &Retry) -> Result<RetryPolicy, Invalid> {
    let Retry { num_retries, num_attempts_per_priority, retry_on, per_retry } = source;
    let mut policy = RetryPolicy {
        retry_on: DEFAULT_RETRY_ON.to_owned(),
        retriable_status_codes: vec![503],
        num_retries: Some(uint32(num_retries.unwrap_or(DEFAULT_RETRIES))),
        retry_host_predicate: vec![retry_policy::RetryHostPredicate {
            name: "envoy.retry_host_predicates.previous_hosts".to_owned(),
            config_type: Some(retry_policy::retry_host_predicate::ConfigType::TypedConfig(pack(
                &PreviousHostsPredicate::default(),
            ))),
        }],
        host_selection_retry_max_attempts: HOST_SELECTION_ATTEMPTS,
        ..RetryPolicy::default()
    };
    if let Some(attempts) = num_attempts_per_priority.filter(|attempts| *attempts > 0) {
        policy.retry_priority = Some(retry_policy::RetryPriority {
            name: "envoy.retry_priorities.previous_priorities".to_owned(),
            config_type: Some(retry_policy::retry_priority::ConfigType::TypedConfig(pack(&PreviousPrioritiesConfig {
                update_frequency: attempts,
            }))),
        });
    }
    if let Some(RetryOn { triggers, http_status_codes }) = retry_on {
        if !triggers.is_empty() {
            policy.retry_on = conditions(triggers)?;
        }
        policy.retriable_status_codes = http_status_codes.iter().copied().map(u32::from).collect();
    }
    if let Some(PerRetryPolicy { timeout, back_off }) = per_retry {
        policy.per_try_timeout = timeout.map(duration);
        policy.retry_back_off = back_off.as_ref().and_then(back_off_of);
    }
    Ok(policy)
}

fn back_off_of(source: &BackOffPolicy) -> Option<retry_policy::RetryBackOff> {
    let BackOffPolicy { base_interval, max_interval } = source;
    (base_interval.is_some() || max_interval.is_some()).then(|| retry_policy::RetryBackOff {
        base_interval: base_interval.map(duration),
        max_interval: max_interval.map(duration),
    })
}

/// The conditions as Envoy reads them, which spells them like the API does.
fn conditions(triggers: &[TriggerEnum]) -> Result<String, Invalid> {
    let known = |trigger: &TriggerEnum| match trigger {
        TriggerEnum::Other(name) => Err(Invalid::new(
            "retry",
            format!("{name:?} is no retry condition that Envoy knows; remove it from retryOn.triggers"),
        )),
        known => Ok(known.as_str().to_owned()),
    };
    Ok(triggers.iter().map(known).collect::<Result<Vec<_>, _>>()?.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_codes_of_the_route_replace_the_default_even_when_there_are_none() {
        let on = RetryOn { triggers: vec![TriggerEnum::Reset], http_status_codes: Vec::new() };
        let made = policy(&Retry { retry_on: Some(on), ..Retry::default() }).unwrap();
        assert_eq!((made.retry_on.as_str(), made.retriable_status_codes.len()), ("reset", 0));
        assert_eq!(policy(&Retry::default()).unwrap().retriable_status_codes, [503]);
    }

    #[test]
    fn an_unknown_condition_is_refused() {
        assert!(conditions(&[TriggerEnum::Reset, TriggerEnum::Other("full-moon".to_owned())]).is_err());
    }
}

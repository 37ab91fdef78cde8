//! Whether a Gateway is programmed and where it is reached: read off its live fleet (design §6 rule 7).

use crate::api::condition::Condition;
use crate::api::gateway::{AddressType, GatewaySpecAddress, GatewayStatus, GatewayStatusAddress};
use crate::config::Config;
use crate::gatewayapi::fleet::GatewayContext;
use crate::status::live::{LiveAddress, LiveFleet, LiveService, LiveWorkload};
use crate::status::{fails, holds, is_true};

const PROGRAMMED: &str = "Programmed";
/// The most addresses a status can have (the CRD's limit).
const MAX_ADDRESSES: usize = 16;

/// Adds to `status`, which says everything else about the Gateway, its addresses and its `Programmed` condition.
/// `held` says why its fleet is served what an earlier translation gave, where it is.
pub(super) fn add(
    status: &mut GatewayStatus,
    context: &GatewayContext,
    fleet: Option<&LiveFleet>,
    held: Option<&str>,
    config: &Config,
) {
    let nothing = LiveFleet::default();
    let fleet = fleet.unwrap_or(&nothing);
    let asked = Asked::by(context);
    status.addresses = addresses(fleet, &asked);
    let accepted = is_true(&status.conditions, "Accepted");
    let condition = match held {
        Some(held) if accepted => {
            let message = format!("The newer configuration can't be served, so the one before goes on: {held}");
            fails(PROGRAMMED, "Invalid", message, context.gateway.metadata.generation)
        }
        _ => programmed(context, accepted, fleet, &asked, status.addresses.len(), config),
    };
    status.addresses.truncate(MAX_ADDRESSES);
    status.conditions.push(condition);
}

/// The addresses a Gateway asks for by value.
struct Asked<'a> {
    ips: Vec<&'a str>,
    hostnames: Vec<&'a str>,
}

impl<'a> Asked<'a> {
    fn by(context: &'a GatewayContext) -> Self {
        let (mut ips, mut hostnames) = (Vec::new(), Vec::new());
        for GatewaySpecAddress { r#type, value } in &context.gateway.spec.addresses {
            let Some(value) = value.as_deref().filter(|value| !value.is_empty()) else { continue };
            match r#type {
                Some(AddressType::Hostname) => hostnames.push(value),
                _ => ips.push(value),
            }
        }
        Self { ips, hostnames }
    }

    fn is_empty(&self) -> bool {
        self.ips.is_empty() && self.hostnames.is_empty()
    }
}

/// Where the Gateway is reached now. A Gateway that isn't accepted keeps its fleet, and so its addresses.
fn addresses(fleet: &LiveFleet, asked: &Asked<'_>) -> Vec<GatewayStatusAddress> {
    let Some(LiveService { addresses, fixed }) = &fleet.service else { return Vec::new() };
    let address = |kind, value: &String| GatewayStatusAddress { r#type: Some(kind), value: value.clone() };
    if !asked.is_empty() {
        return fixed.iter().map(|ip| address(AddressType::IpAddress, ip)).collect();
    }
    let of = |wanted: fn(&LiveAddress) -> bool| addresses.iter().filter(move |address| wanted(address));
    of(|address| matches!(address, LiveAddress::Ip(_)))
        .chain(of(|address| matches!(address, LiveAddress::Hostname(_))))
        .map(|it| match it {
            LiveAddress::Ip(ip) => address(AddressType::IpAddress, ip),
            LiveAddress::Hostname(name) => address(AddressType::Hostname, name),
        })
        .collect()
}

/// The condition. `has` counts the addresses the Gateway has.
fn programmed(
    context: &GatewayContext,
    accepted: bool,
    fleet: &LiveFleet,
    asked: &Asked<'_>,
    has: usize,
    config: &Config,
) -> Condition {
    let generation = context.gateway.metadata.generation;
    let LiveFleet { service: _, workload, problem } = fleet;
    let LiveWorkload { desired, existing, available } = workload.unwrap_or_default();
    let because = |message: String| match problem {
        Some(problem) => format!("{message}: {problem}"),
        None => message,
    };
    let not = |reason, message: String| fails(PROGRAMMED, reason, because(message), generation);
    if !accepted {
        return not("Invalid", "The Gateway is not accepted, so nothing new is made for it".to_owned());
    }
    if let Some(message) = unusable(fleet, asked) {
        return not("AddressNotUsable", message);
    }
    if has == 0 {
        return not("AddressNotAssigned", "The Service of the Gateway has no address yet".to_owned());
    }
    let more = if has > MAX_ADDRESSES {
        format!("; it has {has} addresses, of which the first {MAX_ADDRESSES} are shown")
    } else {
        String::new()
    };
    if config.infra_remotely_managed {
        let message = format!("The Gateway has an address, and its proxies are somebody else's business{more}");
        return holds(PROGRAMMED, PROGRAMMED, message, generation);
    }
    if available > 0 {
        let message = format!("The Gateway has an address, and {available}/{existing} proxies are available{more}");
        return holds(PROGRAMMED, PROGRAMMED, message, generation);
    }
    // Whether the network brings an address that was asked for to the proxies can't be seen before there is one.
    let reason = if asked.is_empty() { "NoResources" } else { "AddressNotUsable" };
    not(reason, format!("No proxy is available yet; {desired} are to be, {existing} exist"))
}

/// Why an address that the Gateway asks for can't be used, if one can't.
fn unusable(fleet: &LiveFleet, asked: &Asked<'_>) -> Option<String> {
    if let Some(name) = asked.hostnames.first() {
        return Some(format!("A Service can't be given a name, so {name:?} can't be used; ask for IP addresses"));
    }
    let LiveService { addresses: _, fixed } = match &fleet.service {
        Some(service) => service,
        None if asked.ips.is_empty() => return None,
        None => return Some(format!("There is no Service yet that has the addresses {}", asked.ips.join(", "))),
    };
    let missing: Vec<&str> = asked.ips.iter().copied().filter(|ip| !fixed.iter().any(|has| has == ip)).collect();
    (!missing.is_empty()).then(|| format!("The Service doesn't have the addresses {}", missing.join(", ")))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::api::gateway::Gateway;

    fn context(addresses: &str) -> GatewayContext {
        let json = format!(
            r#"{{"metadata":{{"name":"edge","namespace":"infra","generation":4}},
                "spec":{{"gatewayClassName":"eg","addresses":{addresses}}}}}"#
        );
        let gateway: Gateway = serde_json::from_str(&json).unwrap();
        GatewayContext {
            gateway: Arc::new(gateway),
            ir_key: Arc::from("infra/edge"),
            envoy_proxy: None,
            failed: None,
            rejected: None,
            conditions: Vec::new(),
            listeners: Vec::new(),
            own_envoy_proxy: None,
            own_envoy_proxy_faults: Vec::new(),
        }
    }

    fn service(addresses: &[&str], fixed: &[&str]) -> LiveService {
        LiveService {
            addresses: addresses.iter().map(|ip| LiveAddress::Ip((*ip).to_owned())).collect(),
            fixed: fixed.iter().map(|ip| (*ip).to_owned()).collect(),
        }
    }

    fn available(available: i32) -> Option<LiveWorkload> {
        Some(LiveWorkload { desired: 2, existing: 2, available })
    }

    fn shown(asked: &str, accepted: bool, fleet: LiveFleet) -> (String, Vec<String>) {
        let accepted = if accepted { holds("Accepted", "Accepted", "", 4) } else { fails("Accepted", "No", "", 4) };
        let mut status = GatewayStatus { conditions: vec![accepted], ..GatewayStatus::default() };
        add(&mut status, &context(asked), Some(&fleet), None, &Config::default());
        let programmed = &status.conditions[1];
        assert_eq!(programmed.observed_generation, Some(4));
        let addresses = status.addresses.into_iter().map(|address| address.value).collect();
        (format!("{}/{}", programmed.status, programmed.reason), addresses)
    }

    fn is(found: (String, Vec<String>), condition: &str, addresses: &[&str]) {
        assert_eq!(
            (found.0.as_str(), found.1.iter().map(String::as_str).collect::<Vec<_>>().as_slice()),
            (condition, addresses)
        );
    }

    #[test]
    fn an_address_and_a_proxy_make_a_gateway_programmed() {
        let fleet = |service, workload| LiveFleet { service, workload, problem: None };
        let has = || Some(service(&["1.2.3.4"], &["10.96.0.7"]));
        is(shown("[]", true, fleet(None, None)), "False/AddressNotAssigned", &[]);
        is(shown("[]", true, fleet(Some(service(&[], &[])), available(1))), "False/AddressNotAssigned", &[]);
        is(shown("[]", true, fleet(has(), None)), "False/NoResources", &["1.2.3.4"]);
        is(shown("[]", true, fleet(has(), available(0))), "False/NoResources", &["1.2.3.4"]);
        is(shown("[]", true, fleet(has(), available(1))), "True/Programmed", &["1.2.3.4"]);
    }

    #[test]
    fn a_gateway_that_is_not_accepted_is_not_programmed_and_keeps_its_addresses() {
        let fleet = LiveFleet { service: Some(service(&["1.2.3.4"], &[])), workload: available(2), problem: None };
        is(shown("[]", false, fleet), "False/Invalid", &["1.2.3.4"]);
    }

    #[test]
    fn addresses_that_are_asked_for_are_the_services_own() {
        let fleet = |fixed: &[&str], available_proxies| LiveFleet {
            service: Some(service(&["1.2.3.4"], fixed)),
            workload: available(available_proxies),
            problem: None,
        };
        let asked = r#"[{"value":"9.9.9.9"}]"#;
        is(shown(asked, true, LiveFleet::default()), "False/AddressNotUsable", &[]);
        is(shown(asked, true, fleet(&["8.8.8.8"], 1)), "False/AddressNotUsable", &["8.8.8.8"]);
        is(shown(asked, true, fleet(&["9.9.9.9"], 0)), "False/AddressNotUsable", &["9.9.9.9"]);
        is(shown(asked, true, fleet(&["9.9.9.9"], 1)), "True/Programmed", &["9.9.9.9"]);
        let name = r#"[{"type":"Hostname","value":"a.example"}]"#;
        is(shown(name, true, fleet(&["10.96.0.7"], 1)), "False/AddressNotUsable", &["10.96.0.7"]);
    }

    #[test]
    fn an_address_without_a_value_asks_for_any() {
        let fleet = LiveFleet { service: Some(service(&["1.2.3.4"], &[])), workload: available(1), problem: None };
        is(shown(r#"[{"type":"IPAddress"}]"#, true, fleet), "True/Programmed", &["1.2.3.4"]);
    }

    #[test]
    fn of_too_many_addresses_the_first_are_shown() {
        let many: Vec<String> = (0..20).map(|last| format!("10.0.0.{last}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let fleet = LiveFleet { service: Some(service(&many, &[])), workload: available(1), problem: None };
        is(shown("[]", true, fleet), "True/Programmed", &many[..16]);
    }

    #[test]
    fn what_stands_in_the_way_is_said() {
        let mut status =
            GatewayStatus { conditions: vec![holds("Accepted", "Accepted", "", 4)], ..GatewayStatus::default() };
        let fleet = LiveFleet { problem: Some("Service a/b is somebody else's".to_owned()), ..LiveFleet::default() };
        add(&mut status, &context("[]"), Some(&fleet), None, &Config::default());
        assert!(
            status.conditions[1].message.ends_with("yet: Service a/b is somebody else's"),
            "{:?}",
            status.conditions[1]
        );
    }

    #[test]
    fn a_fleet_that_is_served_something_older_is_not_programmed() {
        let fleet = LiveFleet { service: Some(service(&["1.2.3.4"], &[])), workload: available(1), problem: None };
        let mut status =
            GatewayStatus { conditions: vec![holds("Accepted", "Accepted", "", 4)], ..GatewayStatus::default() };
        add(&mut status, &context("[]"), Some(&fleet), Some("http: no port"), &Config::default());
        let programmed = &status.conditions[1];
        assert_eq!(format!("{}/{}", programmed.status, programmed.reason), "False/Invalid");
        assert!(programmed.message.ends_with("http: no port"), "{}", programmed.message);
    }
}

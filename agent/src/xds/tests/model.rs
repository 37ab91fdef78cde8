//! After any sequence of publications, answers and reconnects the client has what the last table says.

use std::collections::BTreeMap;
use std::time::Duration;

use gateway_shared::xds::table::{ResourceType, Table};
use proptest::prelude::*;

use super::super::client::{Client, Cluster, Endpoints, LIMIT, Listener, Route, table};
use super::super::stream::Dialect;

#[derive(Clone, Debug)]
enum Step {
    Publish(Vec<String>),
    Ack(usize),
    Nack(usize),
    Reconnect,
    Ask(ResourceType, usize),
    Leave(ResourceType, usize),
    Wait(u64),
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

fn kinds() -> impl Strategy<Value = ResourceType> {
    prop::sample::select(vec![Endpoints, Route])
}

fn lines() -> impl Strategy<Value = Vec<String>> {
    let line = (prop::sample::select(vec!["cluster", "endpoints", "listener", "route"]), 0..4usize, 0..3u8, 0..4usize);
    prop::collection::vec(
        line.prop_map(|(kind, name, version, cluster)| {
            let name_of = |index: usize| NAMES.get(index).copied().unwrap_or("a");
            format!("{kind} {} v{version} {}", name_of(name), name_of(cluster))
        }),
        0..14,
    )
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => lines().prop_map(Step::Publish),
        6 => (0..4usize).prop_map(Step::Ack),
        1 => (0..4usize).prop_map(Step::Nack),
        1 => Just(Step::Reconnect),
        2 => (kinds(), 0..4usize).prop_map(|(kind, name)| Step::Ask(kind, name)),
        1 => (kinds(), 0..4usize).prop_map(|(kind, name)| Step::Leave(kind, name)),
        1 => (0..20u64).prop_map(Step::Wait),
    ];
    prop::collection::vec(step, 0..40)
}

fn expected(table: &Table, kind: ResourceType, asked: &[&str]) -> BTreeMap<String, String> {
    let wanted = |name: &str| matches!(kind, Cluster | Listener) || asked.contains(&name);
    let resources = table.of(kind).iter().filter(|it| wanted(&it.name));
    resources.map(|it| (it.name.to_string(), it.version_info())).collect()
}

fn run(dialect: Dialect, steps: &[Step]) -> Result<(), TestCaseError> {
    let mut client = Client::new(dialect);
    let mut asked: BTreeMap<ResourceType, Vec<&str>> = BTreeMap::new();
    let mut rejected = false;
    client.ask(Cluster, &[]);
    client.ask(Listener, &[]);
    let mut last = table(&[]);
    client.publish_table(last.clone());
    for step in steps {
        match step {
            Step::Publish(lines) => {
                last = table(&lines.iter().map(String::as_str).collect::<Vec<_>>());
                client.publish_table(last.clone());
            }
            Step::Ack(index) => {
                if let Some(kind) = client.waiting_for_answer().get(*index) {
                    client.ack(*kind);
                }
            }
            Step::Nack(index) => {
                if let Some(kind) = client.waiting_for_answer().get(*index) {
                    rejected = true;
                    client.nack(*kind, "words without a name");
                }
            }
            Step::Reconnect => {
                client.reconnect();
            }
            Step::Ask(kind, name) | Step::Leave(kind, name) => {
                let name = NAMES.get(*name).copied().unwrap_or("a");
                let list = asked.entry(*kind).or_default();
                list.retain(|it| *it != name);
                if matches!(step, Step::Ask(..)) {
                    list.push(name);
                    client.ask(*kind, &[name]);
                } else {
                    client.change(*kind, &[], &[name]);
                }
            }
            Step::Wait(seconds) => {
                client.wait(Duration::from_secs(*seconds));
            }
        }
    }
    // Let it come to rest; content that was rejected changes first.
    if rejected {
        let lines: Vec<String> = NAMES
            .iter()
            .flat_map(|name| {
                ["cluster", "endpoints", "listener", "route"].map(|kind| format!("{kind} {name} final {name}"))
            })
            .collect();
        last = table(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        client.publish_table(last.clone());
    }
    for _ in 0..8 {
        client.ack_all();
        client.wait(LIMIT);
    }
    prop_assert!(client.held().is_empty(), "{:?}", client.held());
    for kind in [Cluster, Listener, Endpoints, Route] {
        let names = asked.get(&kind).cloned().unwrap_or_default();
        let want = expected(&last, kind, &names);
        let mut has = client.has.get(&kind).cloned().unwrap_or_default();
        if dialect == Dialect::Sotw {
            // Such a client isn't told that an endpoint or route is gone.
            has.retain(|name, _| matches!(kind, Cluster | Listener) || want.contains_key(name));
        }
        prop_assert_eq!(has, want, "{:?}", kind);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_delta_client_ends_with_the_last_table(steps in steps()) {
        run(Dialect::Delta, &steps)?;
    }

    #[test]
    fn a_sotw_client_ends_with_the_last_table(steps in steps()) {
        run(Dialect::Sotw, &steps)?;
    }
}

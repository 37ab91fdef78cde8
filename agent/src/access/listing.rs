//! What of a list a visitor sees: what they may list or, asked for by name, get. That something is left out depends on
//! their rights alone, so it says nothing about what there is.

use gateway_shared::explain::question::Kind;
use gateway_shared::explain::status::{Filter, StatusList};
use tonic::Status;

use super::Visitor;
use super::rights::Right;

/// Takes out of `list`, which answers `filter`, what `visitor` may not read, and says so.
///
/// # Errors
/// `UNAVAILABLE` when the API server can't be asked.
pub async fn cut(list: &mut StatusList, filter: &Filter, visitor: &Visitor) -> Result<(), Status> {
    if matches!(visitor, Visitor::Anybody) {
        return Ok(());
    }
    let mut kept = Vec::with_capacity(list.items.len());
    for row in std::mem::take(&mut list.items) {
        let subject = &row.object;
        let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.kind() == subject.kind) else { continue };
        let namespace = if kind.is_namespaced() { subject.namespace.as_str() } else { "" };
        if visitor.may(&Right::list(kind, "")).await?
            || (!namespace.is_empty() && visitor.may(&Right::list(kind, namespace)).await?)
            || (is_named(filter, kind, &subject.name)
                && visitor.may(&Right::get(kind, namespace, &subject.name)).await?)
        {
            kept.push(row);
        }
    }
    list.items = kept;
    for kind in Kind::ALL {
        list.hidden.extend(hidden(filter, kind, visitor).await?);
    }
    Ok(())
}

fn is_named(filter: &Filter, kind: Kind, name: &str) -> bool {
    filter.objects.iter().any(|(of, named)| *of == kind && named.as_deref() == Some(name))
}

/// What of one kind may be missing, if anything.
async fn hidden(filter: &Filter, kind: Kind, visitor: &Visitor) -> Result<Option<String>, Status> {
    let asked = filter.objects.iter().filter(|(of, _)| *of == kind).map(|(_, name)| name.as_deref());
    let names: Option<Vec<&str>> = asked.clone().collect();
    if asked.clone().next().is_none() && !filter.objects.is_empty() {
        return Ok(None);
    }
    if visitor.may(&Right::list(kind, "")).await? {
        return Ok(None);
    }
    let plural = kind.plural();
    let namespace = filter.namespace.as_deref().filter(|_| kind.is_namespaced());
    if let Some(namespace) = namespace
        && visitor.may(&Right::list(kind, namespace)).await?
    {
        return Ok(None);
    }
    let named = names.filter(|names| !names.is_empty() && (namespace.is_some() || !kind.is_namespaced()));
    if let Some(names) = named {
        for name in names {
            if !visitor.may(&Right::get(kind, namespace.unwrap_or_default(), name)).await? {
                return Ok(Some(format!("{plural} {name}: you may not get it")));
            }
        }
        return Ok(None);
    }
    Ok(Some(match namespace {
        Some(namespace) => format!("{plural} in namespace {namespace}: you may not list them"),
        None if kind.is_namespaced() => format!("{plural} in namespaces where you may not list them"),
        None => format!("{plural}: you may not list them"),
    }))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gateway_shared::explain::report::Subject;
    use gateway_shared::explain::status::{Row, State};

    use super::*;
    use crate::access::caller::Caller;
    use crate::access::rights::{Answer, Rights};

    /// One who may do what `allowed` says, as `verb resource namespace/name`.
    fn visitor(allowed: &'static [&'static str]) -> Visitor {
        let review = move |_: Caller, right: Right| -> Answer {
            let asked = format!("{} {} {}/{}", right.verb, right.resource, right.namespace, right.name);
            Box::pin(async move { Ok(allowed.contains(&asked.as_str())) })
        };
        Visitor::Known { caller: Caller::default(), rights: Rights::new(Arc::new(review)) }
    }

    fn row(kind: &str, namespace: &str, name: &str) -> Row {
        let object = Subject {
            kind: kind.into(),
            namespace: namespace.into(),
            name: name.into(),
            generation: None,
            origin: None,
        };
        let state = State::Serving;
        Row { object, parent: String::new(), state, layer: None, why: String::new(), code: None }
    }

    async fn seen(allowed: &'static [&'static str], filter: Filter) -> String {
        let items = vec![
            row("GatewayClass", "", "eg"),
            row("Gateway", "infra", "edge"),
            row("HTTPRoute", "shop", "checkout"),
            row("HTTPRoute", "bank", "vault"),
        ];
        let mut list = StatusList { api_version: String::new(), kind: String::new(), items, hidden: Vec::new() };
        cut(&mut list, &filter, &visitor(allowed)).await.unwrap();
        let names: Vec<&str> = list.items.iter().map(|row| row.object.name.as_str()).collect();
        let routes = list.hidden.iter().filter(|text| text.starts_with("httproutes")).cloned().collect::<Vec<_>>();
        format!("{} | {}", names.join(" "), routes.join("; "))
    }

    #[tokio::test]
    async fn one_sees_what_one_may_list_and_is_told_that_there_may_be_more() {
        let all = &["list gatewayclasses /", "list gateways /", "list httproutes /"];
        assert_eq!(seen(all, Filter::default()).await, "eg edge checkout vault | ");
        let own = "checkout | httproutes in namespaces where you may not list them";
        assert_eq!(seen(&["list httproutes shop/"], Filter::default()).await, own);
        let shop = || Filter { namespace: Some("shop".into()), ..Filter::default() };
        assert_eq!(seen(&["list httproutes shop/"], shop()).await, "checkout | ");
        assert_eq!(seen(&[], shop()).await, " | httproutes in namespace shop: you may not list them");
    }

    #[tokio::test]
    async fn what_is_asked_for_by_name_needs_the_right_to_get_it() {
        let named = |name: &str| Filter {
            namespace: Some("shop".into()),
            objects: vec![(Kind::HttpRoute, Some(name.into()))],
            ..Filter::default()
        };
        assert_eq!(seen(&["get httproutes shop/checkout"], named("checkout")).await, "checkout | ");
        let absent = seen(&["get httproutes shop/checkout"], named("other")).await;
        assert_eq!(absent, " | httproutes other: you may not get it", "whether it exists or not");
    }
}

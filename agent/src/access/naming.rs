//! Which objects a caller's answer may name as advice: those they may list anyway.

use std::collections::BTreeSet;

use gateway_shared::explain::nameable::{ADVISED, Nameable};
use gateway_shared::explain::question::{GROUP, Question};
use tonic::Status;

use super::Visitor;
use super::rights::Right;

/// What the answers to `questions` may name.
///
/// # Errors
/// `UNAVAILABLE` when the API server can't be asked.
pub async fn nameable(visitor: &Visitor, questions: &[Question]) -> Result<Nameable, Status> {
    if matches!(visitor, Visitor::Anybody) {
        return Ok(Nameable::Everything);
    }
    let asked = questions.iter().map(|question| (GROUP, question.kind.plural()));
    let resources: BTreeSet<_> = ADVISED.into_iter().chain(asked).collect();
    let namespaces: BTreeSet<&str> = questions.iter().map(|question| &*question.key.namespace).collect();
    let mut allowed = BTreeSet::new();
    for resource in resources {
        if visitor.may(&Right::list_of(resource, "")).await? {
            allowed.insert((resource.1, None));
            continue;
        }
        for namespace in namespaces.iter().filter(|namespace| !namespace.is_empty()) {
            if visitor.may(&Right::list_of(resource, namespace)).await? {
                allowed.insert((resource.1, Some((*namespace).to_owned())));
            }
        }
    }
    Ok(Nameable::Only(allowed))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gateway_shared::api::metadata::ObjectKey;
    use gateway_shared::explain::question::Kind;

    use super::*;
    use crate::access::caller::Caller;
    use crate::access::rights::{Answer, Rights};

    /// What one who may do what `allowed` says is told of when they ask about an HTTPRoute of `shop`.
    async fn of(allowed: &'static [&'static str]) -> Nameable {
        let review = move |_: Caller, right: Right| -> Answer {
            Box::pin(async move { Ok(allowed.contains(&right.to_string().as_str())) })
        };
        let visitor = Visitor::Known { caller: Caller::default(), rights: Rights::new(Arc::new(review)) };
        let question = Question { kind: Kind::HttpRoute, key: ObjectKey::new("shop", "checkout"), all: false };
        nameable(&visitor, &[question]).await.unwrap()
    }

    #[tokio::test]
    async fn who_may_read_one_object_is_told_the_names_of_no_other() {
        let nothing = of(&["get httproutes.gateway.networking.k8s.io checkout in namespace shop"]).await;
        assert_eq!(nothing, Nameable::Only(BTreeSet::new()));
        let own = of(&[
            "list httproutes.gateway.networking.k8s.io in namespace shop",
            "list services in namespace shop",
            "list gateways.gateway.networking.k8s.io in all namespaces",
        ])
        .await;
        assert!(own.allows("httproutes", "shop") && own.allows("services", "shop") && own.allows("gateways", "bank"));
        assert!(
            !own.allows("httproutes", "bank") && !own.allows("services", "bank") && !own.allows("backends", "shop")
        );
    }
}

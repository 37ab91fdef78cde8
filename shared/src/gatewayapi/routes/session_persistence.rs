//! How a client stays with its endpoint (`rules[].sessionPersistence`).

use crate::api::session_persistence::{CookieLifetimeType, SessionPersistence as ApiSession, SessionPersistenceType};
use crate::diagnostic::FieldPath;
use crate::gatewayapi::decision::RouteFault;
use crate::gatewayapi::routes::outcome::reason;
use crate::ir::session_persistence::{
    CookieBasedSessionPersistence, HeaderBasedSessionPersistence, SessionPersistence,
};

/// The session of a rule. Envoy needs a name, so one is made from the rule's where none is given.
///
/// # Errors
/// The type isn't one we know. The path begins at the rule.
pub fn session_persistence(session: &ApiSession, rule_name: &str) -> Result<SessionPersistence, RouteFault> {
    // A slash can't stand in the name of a header or cookie.
    let name = session.session_name.clone().unwrap_or_else(|| rule_name.replace('/', "-"));
    match &session.r#type {
        None | Some(SessionPersistenceType::Cookie) => {
            let lifetime = session.cookie_config.as_ref().and_then(|cookie| cookie.lifetime_type.as_ref());
            let ttl = session.absolute_timeout.filter(|_| lifetime == Some(&CookieLifetimeType::Permanent));
            Ok(SessionPersistence { cookie: Some(CookieBasedSessionPersistence { name, ttl }), header: None })
        }
        Some(SessionPersistenceType::Header) => {
            Ok(SessionPersistence { cookie: None, header: Some(HeaderBasedSessionPersistence { name }) })
        }
        Some(SessionPersistenceType::Other(other)) => Err(RouteFault::accepted(
            FieldPath::field("type").within("sessionPersistence"),
            reason::UNSUPPORTED_VALUE,
            format!("{other:?} is no kind of session persistence, use Cookie or Header"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::duration::Duration;
    use crate::api::session_persistence::CookieConfig;

    #[test]
    fn a_permanent_cookie_lives_as_long_as_the_session() {
        let mut session = ApiSession { absolute_timeout: Some(Duration::from_secs(3600)), ..ApiSession::default() };
        let of =
            |session: &ApiSession| session_persistence(session, "httproute/shop/cart/rule/0").unwrap().cookie.unwrap();
        assert_eq!(
            of(&session),
            CookieBasedSessionPersistence { name: "httproute-shop-cart-rule-0".to_owned(), ttl: None }
        );
        session.cookie_config = Some(CookieConfig { lifetime_type: Some(CookieLifetimeType::Permanent) });
        assert_eq!(of(&session).ttl, Some(Duration::from_secs(3600)));
    }

    #[test]
    fn an_unknown_type_is_a_fault_at_the_type() {
        let session =
            ApiSession { r#type: Some(SessionPersistenceType::Other("Magic".to_owned())), ..ApiSession::default() };
        let fault = session_persistence(&session, "r").unwrap_err();
        assert_eq!(fault.diagnostic.path.to_string(), "sessionPersistence.type");
        assert_eq!(fault.diagnostic.reason, "UnsupportedValue");
    }
}

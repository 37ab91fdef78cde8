//! The route that answers browsers' preflight requests, where a match with a method of its own would keep them out.

use crate::api::http_route::{HttpMethod, HttpRouteMatch};
use crate::gatewayapi::routes::matches::{exact, regular};
use crate::ir::http_route::HttpRoute as IrRoute;

/// The preflight route beside `route`, if it needs one: it has CORS and asks for another method than OPTIONS. Browsers
/// send no cookies with a preflight request, so a match on cookies gets none.
#[must_use]
pub fn preflight(route: &IrRoute, rule_match: Option<&HttpRouteMatch>) -> Option<IrRoute> {
    let method = rule_match?.method.as_ref()?;
    if route.cors.is_none() || *method == HttpMethod::Options || !route.cookie_matches.is_empty() {
        return None;
    }
    let own = route.header_matches.iter().filter(|header| header.name != ":method").cloned();
    let preflight =
        [exact(":method", "OPTIONS"), regular("origin", ".*"), regular("access-control-request-method", ".*")];
    Some(IrRoute {
        name: format!("{}/cors-preflight", route.name).into(),
        metadata: route.metadata.clone(),
        path_match: route.path_match.clone(),
        header_matches: own.chain(preflight).collect(),
        query_param_matches: route.query_param_matches.clone(),
        cors: route.cors.clone(),
        ..IrRoute::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::security::cors::Cors;

    #[test]
    fn a_route_for_one_method_gets_a_preflight_route() {
        let get = HttpRouteMatch { method: Some(HttpMethod::Get), ..HttpRouteMatch::default() };
        let route = IrRoute {
            name: "r".into(),
            cors: Some(Box::new(Cors::default())),
            header_matches: vec![exact("a", "b"), exact(":method", "GET")],
            ..IrRoute::default()
        };
        let made = preflight(&route, Some(&get)).unwrap();
        let names: Vec<_> = made.header_matches.iter().map(|header| header.name.as_str()).collect();
        assert_eq!(names, ["a", ":method", "origin", "access-control-request-method"]);
        assert_eq!(&*made.name, "r/cors-preflight");
        assert!(preflight(&route, Some(&HttpRouteMatch::default())).is_none());
        let with_cookie = IrRoute { cookie_matches: vec![exact("a", "b")], ..route };
        assert!(preflight(&with_cookie, Some(&get)).is_none());
    }
}

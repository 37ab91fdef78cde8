//! The IR routes of a route's rules, for each hostname on each listener.

use std::sync::Arc;

use crate::ir::http_route::HttpRoute as IrRoute;

/// Makes the routes of one parentRef, listener after listener. What doesn't depend on the listener is made once and
/// shared.
#[derive(Debug)]
pub struct FanOut<'r> {
    rules: &'r [IrRoute],
    /// Whether a redirect goes to the listener's port.
    needs_port: bool,
    made: Vec<(Vec<String>, Vec<Arc<IrRoute>>)>,
}

impl<'r> FanOut<'r> {
    /// For these routes without hostnames.
    #[must_use]
    pub fn new(rules: &'r [IrRoute]) -> Self {
        let needs_port =
            rules.iter().any(|route| route.redirect.as_ref().is_some_and(|redirect| redirect.port.is_none()));
        Self { rules, needs_port, made: Vec::new() }
    }

    /// The routes for `hostnames` on a listener with this port, hostname after hostname.
    pub fn on(&mut self, hostnames: &[String], port: i32) -> Vec<Arc<IrRoute>> {
        if self.needs_port {
            return self.make(hostnames, port);
        }
        if let Some((_, routes)) = self.made.iter().find(|(made_for, _)| made_for == hostnames) {
            return routes.clone();
        }
        let routes = self.make(hostnames, port);
        self.made.push((hostnames.to_vec(), routes.clone()));
        routes
    }

    fn make(&self, hostnames: &[String], port: i32) -> Vec<Arc<IrRoute>> {
        let mut routes = Vec::with_capacity(hostnames.len() * self.rules.len());
        for hostname in hostnames {
            // Envoy takes statistics tags apart at dots.
            let suffix = hostname.replace('.', "_");
            let hostname: Arc<str> = Arc::from(hostname.as_str());
            for rule in self.rules {
                let mut route = IrRoute {
                    name: [&*rule.name, "/", &suffix].concat().into(),
                    hostname: Arc::clone(&hostname),
                    ..rule.clone()
                };
                if let Some(redirect) = &mut route.redirect
                    && redirect.port.is_none()
                {
                    redirect.port = Some(redirect_port(redirect.scheme.as_deref(), port));
                }
                routes.push(Arc::new(route));
            }
        }
        routes
    }
}

/// Where a redirect without port goes: the well-known port of its scheme, or the listener's.
fn redirect_port(scheme: Option<&str>, listener: i32) -> u32 {
    match scheme {
        Some(scheme) if scheme.eq_ignore_ascii_case("http") => 80,
        Some(scheme) if scheme.eq_ignore_ascii_case("https") => 443,
        _ => u32::try_from(listener).unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::redirect::Redirect;

    fn hostnames(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn each_hostname_gets_each_route() {
        let rules = [
            IrRoute { name: "r/0".into(), ..IrRoute::default() },
            IrRoute { name: "r/1".into(), ..IrRoute::default() },
        ];
        let mut fan_out = FanOut::new(&rules);
        let routes = fan_out.on(&hostnames(&["*.a.com", "b.com"]), 80);
        let names: Vec<_> = routes.iter().map(|route| (&*route.name, &*route.hostname)).collect();
        assert_eq!(
            names,
            [("r/0/*_a_com", "*.a.com"), ("r/1/*_a_com", "*.a.com"), ("r/0/b_com", "b.com"), ("r/1/b_com", "b.com")]
        );
        let again = fan_out.on(&hostnames(&["*.a.com", "b.com"]), 8080);
        assert!(Arc::ptr_eq(&routes[0], &again[0]), "the same on every listener");
    }

    #[test]
    fn a_redirect_goes_to_the_port_of_its_scheme_or_listener() {
        let redirect = |scheme: Option<&str>| IrRoute {
            redirect: Some(Box::new(Redirect { scheme: scheme.map(str::to_owned), ..Redirect::default() })),
            ..IrRoute::default()
        };
        let rules = [redirect(None), redirect(Some("https"))];
        let mut fan_out = FanOut::new(&rules);
        for port in [80, 8080] {
            let ports: Vec<_> = fan_out
                .on(&hostnames(&["*"]), port)
                .iter()
                .map(|route| route.redirect.as_ref().unwrap().port)
                .collect();
            assert_eq!(ports, [u32::try_from(port).ok(), Some(443)]);
        }
    }
}

//! What to write, in which order: the decisions of `certgen`, made before anything is written.
//!
//! Whoever connects while certificates are exchanged has to trust whoever answers, whichever of them has the new files
//! already: the kubelet hands them on pod by pod, within minutes. So the exchange has three steps with a pause between
//! them. First everybody learns to trust the new authority beside the old one; then certificates are replaced; then
//! the old authority is forgotten. A connection that exists is never touched.

use std::collections::BTreeMap;
use std::time::SystemTime;

use super::authority::{Fresh, Holder, Pair};
use super::inspect::{NEAR, Sound, days, inspect};
use crate::tls::material::Material;

/// What there is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Existing {
    /// The certificates, by holder.
    pub certificates: BTreeMap<Holder, Material>,
    /// Whether there is a secret for OIDC.
    pub oidc: bool,
}

/// What to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The steps; between two of them everybody has to have read what the first wrote.
    pub steps: Vec<Step>,
    /// Whether the secret for OIDC has to be made, in the first step.
    pub make_oidc: bool,
    /// What is worth saying about what there is.
    pub findings: Vec<Finding>,
}

/// What is written at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it does, as a line of progress.
    pub what: &'static str,
    /// The certificates to write, by holder.
    pub writes: BTreeMap<Holder, Material>,
}

/// Something worth saying.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Whose certificate it is about.
    pub holder: Holder,
    /// How bad it is.
    pub state: State,
    /// What it is.
    pub text: String,
}

/// How a certificate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Sound, or replaced.
    Good,
    /// It ends soon.
    Near,
    /// Nobody can use it, and it stays.
    Unusable,
}

/// Decides. `overwrite`: certificates that are sound are replaced, too.
#[must_use]
pub fn plan(existing: &Existing, fresh: &Fresh, overwrite: bool, now: SystemTime) -> Plan {
    let mut sound: BTreeMap<Holder, Sound> = BTreeMap::new();
    let mut create = Vec::new();
    let mut findings = Vec::new();
    for holder in Holder::ALL {
        match existing.certificates.get(&holder).map(|material| inspect(material, holder, now)) {
            None => create.push(holder),
            Some(Ok(found)) => {
                findings.push(verdict(holder, &found, overwrite, now));
                sound.insert(holder, found);
            }
            Some(Err(text)) if overwrite => {
                findings.push(Finding { holder, state: State::Good, text: format!("{text}; it is replaced") });
                create.push(holder);
            }
            Some(Err(text)) => findings.push(Finding {
                holder,
                state: State::Unusable,
                text: format!("{text}; it is left as it is: replace it with --overwrite"),
            }),
        }
    }
    let steps = steps(existing, fresh, &sound, &create, overwrite);
    Plan { steps, make_oidc: !existing.oidc, findings }
}

fn verdict(holder: Holder, found: &Sound, overwrite: bool, now: SystemTime) -> Finding {
    let rest = days(found.ends, now);
    let near = found.ends <= now + NEAR;
    let text = match (overwrite, near) {
        (true, _) => format!("valid for {rest}; it is replaced"),
        (false, false) => format!("kept, valid for {rest}"),
        (false, true) => format!("kept, but valid for {rest} only: replace it with --overwrite"),
    };
    Finding { holder, state: if near && !overwrite { State::Near } else { State::Good }, text }
}

fn steps(
    existing: &Existing,
    fresh: &Fresh,
    sound: &BTreeMap<Holder, Sound>,
    create: &[Holder],
    overwrite: bool,
) -> Vec<Step> {
    let mut steps = Vec::new();
    if create.is_empty() && (sound.is_empty() || !overwrite) {
        return steps;
    }
    let all = || create.iter().copied().chain(sound.keys().copied());
    let both = bundle(fresh, sound);
    let created = create.iter().map(|holder| (*holder, signed_by(fresh, *holder, &both)));
    let taught = sound.keys().filter_map(|holder| {
        let kept = existing.certificates.get(holder)?;
        Some((*holder, Material { authorities: both.clone().into_bytes(), ..kept.clone() }))
    });
    let what = if sound.is_empty() { "certificates made" } else { "the new authority is trusted beside the old one" };
    steps.push(Step { what, writes: created.chain(taught).collect() });
    if overwrite && !sound.is_empty() {
        let replaced = sound.keys().map(|holder| (*holder, signed_by(fresh, *holder, &both)));
        steps.push(Step { what: "certificates replaced", writes: replaced.collect() });
        let alone = all().map(|holder| (holder, signed_by(fresh, holder, &fresh.authority)));
        steps.push(Step { what: "the old authority is trusted no longer", writes: alone.collect() });
    }
    steps
}

/// The new authority and those that signed what is in use.
fn bundle(fresh: &Fresh, sound: &BTreeMap<Holder, Sound>) -> String {
    let mut authorities = vec![fresh.authority.as_str()];
    for issuer in sound.values().flat_map(|sound| &sound.issuers) {
        if !authorities.contains(&issuer.as_str()) {
            authorities.push(issuer);
        }
    }
    authorities.concat()
}

fn signed_by(fresh: &Fresh, holder: Holder, authorities: &str) -> Material {
    let Pair { certificate, key } = fresh.pair(holder);
    Material {
        certificate: certificate.clone().into_bytes(),
        key: key.clone().into_bytes(),
        authorities: authorities.as_bytes().to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::certificates::authority::Place;

    /// Now, in whole seconds as certificates count.
    fn now() -> SystemTime {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        SystemTime::UNIX_EPOCH + Duration::from_secs(now.as_secs())
    }

    fn fresh(now: SystemTime) -> Fresh {
        let place =
            Place { namespace: "envoy-gateway-system".into(), dns_domain: "cluster.local".into(), local: false };
        Fresh::make(&place, now).unwrap()
    }

    fn apply(existing: &mut Existing, step: &Step) {
        existing.certificates.extend(step.writes.clone());
    }

    /// Who trusts whom: a holder accepts every certificate signed by an authority of its bundle.
    fn trusts(who: &Material, whom: &Material, now: SystemTime) -> bool {
        let crossed = Material { authorities: who.authorities.clone(), ..whom.clone() };
        inspect(&crossed, Holder::Proxy, now).is_ok()
    }

    #[test]
    fn nothing_there_is_one_step_and_then_nothing_is_left_to_do() {
        let now = now();
        let made = fresh(now);
        let mut existing = Existing::default();
        let first = plan(&existing, &made, false, now);
        assert_eq!((first.steps.len(), first.make_oidc), (1, true));
        apply(&mut existing, &first.steps[0]);
        existing.oidc = true;
        let again = plan(&existing, &fresh(now), false, now);
        assert_eq!((again.steps.len(), again.make_oidc), (0, false));
        assert!(
            again
                .findings
                .iter()
                .all(|finding| finding.state == State::Good && finding.text.contains("kept, valid for 1825 days"))
        );
    }

    #[test]
    fn while_all_is_replaced_everybody_trusts_everybody_whoever_is_ahead() {
        let now = now();
        let (old, new) = (fresh(now), fresh(now));
        let mut existing = Existing::default();
        let step = plan(&existing, &old, false, now).steps.remove(0);
        apply(&mut existing, &step);
        let rotation = plan(&existing, &new, true, now);
        assert_eq!(rotation.steps.len(), 3);
        for step in &rotation.steps {
            let before = existing.clone();
            apply(&mut existing, step);
            // The kubelet may have handed the step on to any of them.
            for (holder, ahead) in &existing.certificates {
                for (other, behind) in before.certificates.iter().filter(|(other, _)| *other != holder) {
                    assert!(trusts(ahead, behind, now), "{}: {holder:?} refuses {other:?}", step.what);
                    assert!(trusts(behind, ahead, now), "{}: {other:?} refuses {holder:?}", step.what);
                }
            }
        }
        let proxy = &existing.certificates[&Holder::Proxy];
        assert_eq!(proxy.authorities, new.authority.as_bytes(), "the old authority is forgotten");
        assert_eq!(proxy.certificate, new.proxy.certificate.as_bytes());
    }

    #[test]
    fn a_rotation_that_broke_off_is_taken_up_by_another() {
        let now = now();
        let (old, broken_off, new) = (fresh(now), fresh(now), fresh(now));
        let mut existing = Existing::default();
        let step = plan(&existing, &old, false, now).steps.remove(0);
        apply(&mut existing, &step);
        let step = plan(&existing, &broken_off, true, now).steps.remove(0);
        apply(&mut existing, &step);
        let again = plan(&existing, &new, true, now);
        let bundle = String::from_utf8(again.steps[0].writes[&Holder::Server].authorities.clone()).unwrap();
        assert!(bundle.contains(&new.authority) && bundle.contains(&old.authority));
        assert!(!bundle.contains(&broken_off.authority), "nothing it signed is in use");
    }

    #[test]
    fn one_that_is_missing_is_made_and_made_known_to_the_others() {
        let now = now();
        let mut existing = Existing::default();
        let step = plan(&existing, &fresh(now), false, now).steps.remove(0);
        apply(&mut existing, &step);
        existing.certificates.remove(&Holder::RateLimit);
        let server = existing.certificates[&Holder::Server].certificate.clone();
        let repaired = plan(&existing, &fresh(now), false, now);
        assert_eq!(repaired.steps.len(), 1);
        apply(&mut existing, &repaired.steps[0]);
        let (limit, kept) = (&existing.certificates[&Holder::RateLimit], &existing.certificates[&Holder::Server]);
        assert!(trusts(limit, kept, now) && trusts(kept, limit, now));
        assert_eq!(kept.certificate, server);
    }

    #[test]
    fn what_is_wrong_or_ends_soon_is_said_and_left_alone_unless_told_otherwise() {
        let now = now();
        let mut existing = Existing { oidc: true, ..Existing::default() };
        let step = plan(&existing, &fresh(now), false, now).steps.remove(0);
        apply(&mut existing, &step);
        let soon = now + Duration::from_hours(24 * (365 * 5 - 10));
        let near = plan(&existing, &fresh(now), false, soon);
        assert!(
            near.steps.is_empty()
                && near.findings.iter().all(|it| it.state == State::Near && it.text.contains("10 days only"))
        );
        let other = existing.certificates[&Holder::RateLimit].key.clone();
        existing.certificates.get_mut(&Holder::Proxy).unwrap().key = other;
        let wrong = plan(&existing, &fresh(now), false, now);
        let finding = wrong.findings.iter().find(|it| it.holder == Holder::Proxy).unwrap();
        assert!(
            finding.state == State::Unusable && finding.text.contains("tls.key doesn't belong to tls.crt"),
            "{finding:?}"
        );
        assert!(wrong.steps.is_empty());
        let told = plan(&existing, &fresh(now), true, now);
        assert!(told.steps[0].writes[&Holder::Proxy].certificate != existing.certificates[&Holder::Proxy].certificate);
        let expired = plan(&existing, &fresh(now), false, now + Duration::from_hours(24 * 365 * 6));
        assert!(
            expired.findings.iter().all(|it| it.state == State::Unusable && it.text.contains("has expired 36")),
            "{expired:?}"
        );
    }
}

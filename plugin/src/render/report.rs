//! One report for people: five layers, and under a broken one what is wrong and what fixes it.

use std::fmt::Write as _;

use gateway_shared::explain::report::{Became, Fact, Finding, Layer, Report, Severity, Verdict};

use super::style::{Mark, Style, Tone};
use super::text::{width, wrap};

/// Where the text of layers and of what is said about them begins.
const TEXT: usize = 15;

/// Where the labels of evidence begin.
const LABEL: usize = 4;

/// The report as text.
#[must_use]
pub fn report(report: &Report, style: &Style, wide: bool) -> String {
    let Report { api_version: _, kind: _, object, verdict: _, layers, became } = report;
    let mut text = style.paint(Tone::Strong, &object.to_string());
    let mut known = Vec::new();
    known.extend(object.generation.map(|generation| format!("generation {generation}")));
    known.extend(object.origin.clone());
    if !known.is_empty() {
        text.push_str(&format!(" ({})", known.join(", ")));
    }
    text.push_str("\n\n");
    for one in layers {
        layer(&mut text, one, report, style, wide);
    }
    if wide {
        for one in became {
            names(&mut text, one, style);
        }
    }
    text
}

/// What the object is called in one fleet.
fn names(text: &mut String, became: &Became, style: &Style) {
    let Became { fleet, listeners, route_configurations, virtual_hosts, clusters } = became;
    let _ = write!(text, "\nIn the fleet {fleet} it is\n");
    for (label, names) in
        [("listener", listeners), ("routes", route_configurations), ("host", virtual_hosts), ("cluster", clusters)]
    {
        for (index, name) in names.iter().enumerate() {
            labelled(text, if index == 0 { label } else { "" }, name, None, usize::MAX, style);
        }
    }
}

/// The sign of a layer.
fn mark(layer: &Layer) -> Mark {
    match layer.verdict {
        Verdict::Yes if layer.has_warning() => Mark::Warning,
        Verdict::Yes => Mark::Yes,
        Verdict::No => Mark::No,
        Verdict::Unknown => Mark::Unknown,
        Verdict::NotReached => Mark::NotReached,
    }
}

/// One layer: its line, and what it rests on where it isn't plainly good.
fn layer(text: &mut String, layer: &Layer, report: &Report, style: &Style, wide: bool) {
    let Layer { name, verdict: _, summary, evidence, findings } = layer;
    let mark = mark(layer);
    let head = format!("{} {:<width$}", style.painted_sign(mark), name.label(), width = TEXT - 2);
    let columns = if wide { usize::MAX } else { style.width.saturating_sub(TEXT) };
    let faint = |line: &str| if mark == Mark::NotReached { style.paint(Tone::Faint, line) } else { line.to_owned() };
    for (index, line) in wrap(summary, columns).iter().enumerate() {
        let before = if index == 0 { head.clone() } else { " ".repeat(TEXT) };
        push_line(text, &format!("{before}{}", faint(line)));
    }
    for Fact { label, text: said } in evidence {
        labelled(text, label, said, None, columns, style);
    }
    for one in findings.iter().filter(|finding| finding.severity != Severity::Info || wide) {
        finding(text, one, report, columns, style);
    }
}

/// One finding: what is known, where, the cause with its code, and the ways to fix it.
fn finding(text: &mut String, finding: &Finding, report: &Report, columns: usize, style: &Style) {
    let Finding { code, severity: _, object, path, cause, evidence, fix, docs: _ } = finding;
    for Fact { label, text: said } in evidence {
        labelled(text, label, said, None, columns, style);
    }
    labelled(text, "cause", cause, Some(code), columns, style);
    let elsewhere = object != &report.object;
    let mut place = path.clone().unwrap_or_default();
    if elsewhere {
        place = if place.is_empty() { object.to_string() } else { format!("{place} of {object}") };
    }
    if let Some(origin) = &object.origin
        && (elsewhere || !place.is_empty())
    {
        let _ = write!(place, " ({origin})");
    }
    if !place.is_empty() {
        labelled(text, "where", &place, None, columns, style);
    }
    for (index, way) in fix.iter().enumerate() {
        labelled(text, if index == 0 { "fix" } else { "or" }, way, None, columns, style);
    }
}

/// `    label      text`, wrapped, with `code` at the right edge of the first line that has room for it.
fn labelled(text: &mut String, label: &str, said: &str, code: Option<&str>, columns: usize, style: &Style) {
    let mut code = code;
    let lines = wrap(said, columns);
    for (index, line) in lines.iter().enumerate() {
        let label = if index == 0 { label } else { "" };
        let mut whole = format!("{:LABEL$}{label:<width$} ", "", width = TEXT - LABEL - 1);
        if width(&whole) > TEXT {
            whole.truncate(whole.trim_end().len());
            whole.push(' ');
        }
        whole.push_str(line);
        let last = index + 1 == lines.len();
        if let Some(known) = code.filter(|known| width(line) + 2 + width(known) <= columns || last) {
            let room = if columns == usize::MAX { 0 } else { columns.saturating_sub(width(line) + width(known)) };
            whole.push_str(&" ".repeat(room.max(2)));
            whole.push_str(&style.paint(Tone::Faint, known));
            code = None;
        }
        push_line(text, &whole);
    }
}

/// A line without trailing space.
fn push_line(text: &mut String, line: &str) {
    text.push_str(line.trim_end());
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use gateway_shared::explain::findings;
    use gateway_shared::explain::report::{Layer, LayerName, Subject};

    use super::*;

    fn subject() -> Subject {
        Subject {
            kind: "HTTPRoute".to_owned(),
            namespace: "shop".to_owned(),
            name: "checkout".to_owned(),
            generation: Some(7),
            origin: None,
        }
    }

    fn rejected() -> Report {
        let finding = findings::REJECTED
            .found(subject(), "spec.rules[1].matches[0].path.value (proven)")
            .fact("proxy", "envoy-infra-edge-5d9c7-x2k, 14 s ago; it keeps what it had")
            .fact("Envoy", "missing closing ): a(")
            .fix("correct the regular expression; then `kubectl gateway status httproute/checkout -n shop`");
        let layers = vec![
            Layer::yes(LayerName::Attachment, "infra/edge, listener https (443): shop.example.com"),
            Layer::yes(LayerName::Ir, "infra/edge: 2 routes to 1 destination with 3 endpoints"),
            Layer::yes(
                LayerName::Snapshot,
                "8c1f02ab: route configuration infra/edge/https, cluster httproute/shop/checkout/rule/0",
            ),
            Layer::no(LayerName::Delivery, "1 of 3 proxies rejected the route configuration", vec![finding]),
            Layer::unknown(LayerName::Warming, "envoy-x2k gave no answer"),
        ];
        Report::new(subject(), layers, false)
    }

    const STYLE: Style = Style { color: false, unicode: true, width: 80, table_width: None };

    #[test]
    fn a_report_looks_like_this() {
        let want = "\
HTTPRoute shop/checkout (generation 7)

✓ attachment   infra/edge, listener https (443): shop.example.com
✓ IR           infra/edge: 2 routes to 1 destination with 3 endpoints
✓ snapshot     8c1f02ab: route configuration infra/edge/https, cluster
               httproute/shop/checkout/rule/0
✗ delivery     1 of 3 proxies rejected the route configuration
    proxy      envoy-infra-edge-5d9c7-x2k, 14 s ago; it keeps what it had
    Envoy      missing closing ): a(
    cause      spec.rules[1].matches[0].path.value (proven)             EGX-4102
    fix        correct the regular expression; then `kubectl gateway status
               httproute/checkout -n shop`
· warming      not reached (--all goes on)
";
        assert_eq!(report(&rejected(), &STYLE, false), want);
    }

    #[test]
    fn symbols_are_ascii_where_they_have_to_be_and_colour_is_off() {
        let text = report(&rejected(), &Style { unicode: false, ..STYLE }, false);
        assert!(text.is_ascii(), "{text}");
        assert!(text.contains("\nx delivery "), "{text}");
    }

    #[test]
    fn colour_changes_no_column() {
        let plain = report(&rejected(), &STYLE, false);
        let colored = report(&rejected(), &Style { color: true, ..STYLE }, false);
        assert!(colored.contains("\u{1b}[31m✗\u{1b}[0m delivery"));
        let mut stripped = String::new();
        let mut rest = colored.as_str();
        while let Some((before, after)) = rest.split_once('\u{1b}') {
            stripped.push_str(before);
            rest = after.split_once('m').map_or("", |(_, after)| after);
        }
        stripped.push_str(rest);
        assert_eq!(stripped, plain);
    }
}

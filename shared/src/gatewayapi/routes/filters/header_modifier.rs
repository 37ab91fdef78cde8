//! What RequestHeaderModifier and ResponseHeaderModifier share: headers to add, set and remove.

use crate::api::http_route_rule_filter::{HttpHeader, HttpHeaderFilter};
use crate::diagnostic::FieldPath;
use crate::gatewayapi::decision::RouteFault;
use crate::gatewayapi::routes::header_value;
use crate::gatewayapi::routes::outcome::reason;
use crate::ir::header::AddHeader;

/// Adds what `filter` says to the headers there are. The first mention of a header counts; names are compared without
/// case. Headers that can't be changed are faults, and the others are still changed. Paths begin in the filter's own
/// field.
pub fn modify(filter: &HttpHeaderFilter, add: &mut Vec<AddHeader>, remove: &mut Vec<String>) -> Vec<RouteFault> {
    let mut faults = Vec::new();
    for (list, headers, append) in [("add", &filter.add, true), ("set", &filter.set, false)] {
        for (index, header) in headers.iter().enumerate() {
            match header_fault(header) {
                Some((field, message)) => {
                    faults.push(unsupported(FieldPath::field(field), message).within_item(list, index))
                }
                None if add.iter().any(|there| there.name.eq_ignore_ascii_case(&header.name)) => {}
                None => add.push(AddHeader {
                    name: header.name.clone(),
                    value: vec![header.value.clone()],
                    append,
                    add_if_absent: false,
                }),
            }
        }
    }
    for (index, name) in filter.remove.iter().enumerate() {
        match name_fault(name) {
            Some(message) => faults.push(unsupported(FieldPath::root(), message).within_item("remove", index)),
            None if remove.iter().any(|there| there.eq_ignore_ascii_case(name)) => {}
            None => remove.push(name.clone()),
        }
    }
    faults
}

fn unsupported(path: FieldPath, message: String) -> RouteFault {
    RouteFault::accepted(path, reason::UNSUPPORTED_VALUE, message)
}

/// The field of the header that is wrong, and why.
fn header_fault(header: &HttpHeader) -> Option<(&'static str, String)> {
    if let Some(message) = name_fault(&header.name) {
        return Some(("name", message));
    }
    (!header_value::is_valid(&header.value)).then(|| {
        let message = format!(
            "{:?} can't be the value of header {}: use printable ASCII without blanks at its ends",
            header.value, header.name
        );
        ("value", message)
    })
}

/// Why a header of this name can't be changed, if so.
fn name_fault(name: &str) -> Option<String> {
    if name.is_empty() {
        Some("the header has no name".to_owned())
    } else if name.contains(['/', ':']) {
        Some(format!("{name:?} can't be changed: the name of a header has no '/' or ':'"))
    } else if name.eq_ignore_ascii_case("host") {
        Some("the Host header can't be changed here: use a URLRewrite filter or an HTTPRouteFilter".to_owned())
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(name: &str, value: &str) -> HttpHeader {
        HttpHeader { name: name.to_owned(), value: value.to_owned() }
    }

    #[test]
    fn the_first_mention_of_a_header_counts() {
        let filter = HttpHeaderFilter {
            add: vec![header("X-A", "1"), header("x-a", "2")],
            set: vec![header("X-a", "3"), header("b", "4")],
            remove: vec!["c".to_owned(), "C".to_owned()],
        };
        let (mut add, mut remove) = (Vec::new(), Vec::new());
        assert!(modify(&filter, &mut add, &mut remove).is_empty());
        let added: Vec<_> =
            add.iter().map(|header| (header.name.as_str(), header.value[0].as_str(), header.append)).collect();
        assert_eq!(added, [("X-A", "1", true), ("b", "4", false)]);
        assert_eq!(remove, ["c"]);
    }

    #[test]
    fn headers_that_cant_be_changed_are_named_and_the_others_are_changed() {
        let filter = HttpHeaderFilter {
            add: vec![header("", "1"), header("Host", "h"), header("good", "1"), header("bad", "a\nb")],
            set: vec![header(":path", "x")],
            remove: vec!["a/b".to_owned()],
        };
        let (mut add, mut remove) = (Vec::new(), Vec::new());
        let faults = modify(&filter, &mut add, &mut remove);
        let paths: Vec<_> = faults.iter().map(|fault| fault.diagnostic.path.to_string()).collect();
        assert_eq!(paths, ["add[0].name", "add[1].name", "add[3].value", "set[0].name", "remove[0]"]);
        assert_eq!(add.len(), 1);
        assert!(remove.is_empty());
    }
}

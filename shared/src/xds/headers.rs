//! Headers to add to requests and responses.

use super::pb::core;
use super::problem::Invalid;
use crate::ir::AddHeader;

/// Envoy's options for headers to add, one for each value.
pub(super) fn added_headers(headers: &[AddHeader]) -> Result<Vec<core::HeaderValueOption>, Invalid> {
    let mut options = Vec::with_capacity(headers.len());
    for header in headers {
        let AddHeader { name, value, append, add_if_absent } = header;
        check_header_name(name)?;
        let action = append_action(*append, *add_if_absent);
        if value.is_empty() {
            options.push(option(name, "", action));
        }
        options.extend(value.iter().map(|value| option(name, value, action)));
    }
    Ok(options)
}

/// An empty value is kept only where it is wanted, otherwise Envoy would drop the header.
fn option(name: &str, value: &str, action: core::header_value_option::HeaderAppendAction) -> core::HeaderValueOption {
    core::HeaderValueOption {
        header: Some(core::HeaderValue {
            key: name.to_owned(),
            value: value.to_owned(),
            ..core::HeaderValue::default()
        }),
        append_action: action.into(),
        keep_empty_value: value.is_empty(),
        ..core::HeaderValueOption::default()
    }
}

const fn append_action(append: bool, add_if_absent: bool) -> core::header_value_option::HeaderAppendAction {
    use core::header_value_option::HeaderAppendAction;
    if add_if_absent {
        HeaderAppendAction::AddIfAbsent
    } else if append {
        HeaderAppendAction::AppendIfExistsOrAdd
    } else {
        HeaderAppendAction::OverwriteIfExistsOrAdd
    }
}

/// Envoy refuses a whole configuration over an empty header name or one with line breaks or NUL in it.
pub(super) fn check_header_name(name: &str) -> Result<(), Invalid> {
    if name.is_empty() || name.contains(['\0', '\n', '\r']) {
        return Err(Invalid::new("headers", format!("{name:?} is no header name; give it one without line breaks")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(value: &[&str], append: bool, add_if_absent: bool) -> AddHeader {
        AddHeader {
            name: "x".to_owned(),
            value: value.iter().map(|value| (*value).to_owned()).collect(),
            append,
            add_if_absent,
        }
    }

    #[test]
    fn each_value_is_an_option_and_no_value_is_an_empty_one() {
        let options = added_headers(&[header(&["a", ""], true, false), header(&[], false, true)]).unwrap();
        let seen: Vec<(String, i32, bool)> = options
            .into_iter()
            .map(|option| (option.header.unwrap().value, option.append_action, option.keep_empty_value))
            .collect();
        assert_eq!(seen, [("a".to_owned(), 0, false), (String::new(), 0, true), (String::new(), 1, true)]);
    }

    #[test]
    fn a_header_without_name_is_refused() {
        assert!(added_headers(&[AddHeader::default()]).is_err());
    }
}

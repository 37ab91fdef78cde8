//! Small pieces of sentences: plurals, lists, ages.

/// `1 route`, `2 routes`.
pub(super) fn count(number: usize, one: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") }
}

/// `a`, `a and b`, `a, b and c`; the tail of a long list is only counted.
pub(super) fn list<S: AsRef<str>>(items: impl IntoIterator<Item = S>, word: &str) -> String {
    const SHOWN: usize = 4;
    let items: Vec<S> = items.into_iter().collect();
    let mut shown: Vec<String> = items.iter().take(SHOWN).map(|item| item.as_ref().to_owned()).collect();
    if items.len() > SHOWN {
        shown.push(format!("{} more", items.len() - SHOWN));
    }
    match shown.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} {word} {last}", rest.join(", ")),
    }
}

/// An age: `14 s`, `3 min`, `2 h`, `5 d`.
pub(super) fn age(seconds: u64) -> String {
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min", seconds / 60),
        7200..=172_799 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_as_sentences() {
        assert_eq!(list(["a"], "and"), "a");
        assert_eq!(list(["a", "b", "c"], "or"), "a, b or c");
        assert_eq!(list(["a", "b", "c", "d", "e", "f"], "and"), "a, b, c, d and 2 more");
        assert_eq!(list::<&str>([], "and"), "");
    }

    #[test]
    fn ages_have_one_unit() {
        assert_eq!([age(14), age(180), age(7200), age(900_000)], ["14 s", "3 min", "2 h", "10 d"]);
    }
}

//! "Did you mean": names that are close to one that doesn't exist.

/// The names closest to `wanted`, the nearest first, at most three.
pub(super) fn similar<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let limit = wanted.chars().count().div_ceil(3).max(1);
    let mut near: Vec<(usize, &str)> = names
        .into_iter()
        .map(|name| (distance(&wanted.to_lowercase(), &name.to_lowercase()), name))
        .filter(|(distance, name)| *distance <= limit || name.contains(wanted) || wanted.contains(name))
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

/// How many characters have to be added, removed, changed or swapped with their neighbour to make `b` of `a`.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut previous = None;
    for (row, x) in a.chars().enumerate() {
        let mut next = vec![row + 1];
        for (column, y) in b.iter().enumerate() {
            let at = |line: &[usize], index: usize| line.get(index).copied().unwrap_or(usize::MAX / 2);
            let mut best =
                (at(&last, column) + usize::from(x != *y)).min(at(&last, column + 1) + 1).min(at(&next, column) + 1);
            let swapped = column.checked_sub(1).and_then(|left| b.get(left)) == Some(&x) && previous == Some(*y);
            if swapped {
                best = best.min(at(&before, column - 1) + 1);
            }
            next.push(best);
        }
        previous = Some(x);
        before = std::mem::replace(&mut last, next);
    }
    last.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_come_first_and_far_ones_not_at_all() {
        assert_eq!(similar("chekcout", ["returns", "checkout", "checkouts"]), ["checkout", "checkouts"]);
        assert_eq!(similar("edge", ["edge-internal", "public"]), ["edge-internal"]);
        assert!(similar("https", ["web", "grpc"]).is_empty());
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abdc", "abcd"), 1);
    }
}

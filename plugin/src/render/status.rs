//! Many objects for people: one line each, and a line that sums them up.

use std::collections::BTreeMap;

use comfy_table::{Cell, CellAlignment, Color, ColumnConstraint, ContentArrangement, Table, presets};
use gateway_shared::explain::report::Subject;
use gateway_shared::explain::status::{Row, State, StatusList};

use super::style::{Mark, Style, Tone};

/// The rows as a table, and the line under it.
#[must_use]
pub fn table(list: &StatusList, style: &Style, wide: bool) -> String {
    let StatusList { api_version: _, kind: _, items, hidden: _ } = list;
    if items.is_empty() {
        return String::new();
    }
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    let mut header = vec!["KIND", "NAMESPACE", "NAME", "PARENT", "STATE", "WHY"];
    if wide {
        header.splice(3..3, ["GENERATION", "FILE"]);
    }
    let why = header.len() - 1;
    table.set_header(header);
    for row in items {
        let mut line = comfy_table::Row::from(cells(row, style, wide));
        line.max_height(1);
        table.add_row(line);
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, if index == why { 0 } else { 2 })).set_cell_alignment(CellAlignment::Left);
        if index != why {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    match style.table_width.and_then(|width| u16::try_from(width).ok()) {
        Some(width) if !wide => {
            table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
            table.set_truncation_indicator(if style.unicode { "…" } else { "..." });
        }
        _ => {
            table.set_content_arrangement(ContentArrangement::Disabled);
        }
    }
    if style.color {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    let mut text: String = table.lines().map(|line| line.trim_end().to_owned() + "\n").collect();
    text.push_str(&sum(items, style));
    text
}

/// The cells of one row.
fn cells(row: &Row, style: &Style, wide: bool) -> Vec<Cell> {
    let Row { object, parent, state, layer, why, code } = row;
    let Subject { kind, namespace, name, generation, origin } = object;
    let mark = mark(*state);
    let word = match (state, layer) {
        (State::Foreign, _) => "not ours",
        (_, Some(layer)) => layer.label(),
        (_, None) => "serving",
    };
    let state = Cell::new(format!("{} {word}", style.sign(mark)));
    let state = if style.color { state.fg(color(mark)) } else { state };
    let why = match code {
        Some(code) => format!("{why} ({code})"),
        None => why.clone(),
    };
    let mut cells = vec![Cell::new(kind), Cell::new(namespace), Cell::new(name)];
    if wide {
        cells.push(Cell::new(generation.map(|generation| generation.to_string()).unwrap_or_default()));
        cells.push(Cell::new(origin.clone().unwrap_or_default()));
    }
    cells.extend([Cell::new(parent), state, Cell::new(why)]);
    cells
}

/// The sign of a state.
const fn mark(state: State) -> Mark {
    match state {
        State::Broken => Mark::No,
        State::Warning => Mark::Warning,
        State::Unknown => Mark::Unknown,
        State::Serving => Mark::Yes,
        State::Foreign => Mark::NotReached,
    }
}

/// The table's name for the colour of a sign.
const fn color(mark: Mark) -> Color {
    match mark.tone() {
        Tone::Good => Color::DarkGreen,
        Tone::Bad => Color::DarkRed,
        Tone::Doubtful => Color::DarkYellow,
        Tone::Faint | Tone::Strong => Color::Reset,
    }
}

/// `31 objects: 28 serving, 1 with a warning, 2 broken`; an object counts by its worst row.
fn sum(items: &[Row], style: &Style) -> String {
    let mut worst: BTreeMap<(&str, &str, &str), State> = BTreeMap::new();
    for row in items {
        let Subject { kind, namespace, name, .. } = &row.object;
        let state = worst.entry((kind, namespace, name)).or_insert(row.state);
        *state = (*state).min(row.state);
    }
    let words = [
        (State::Serving, "serving"),
        (State::Unknown, "unknown"),
        (State::Warning, "with a warning"),
        (State::Broken, "broken"),
        (State::Foreign, "of other controllers"),
    ];
    let parts: Vec<String> = words
        .into_iter()
        .map(|(state, word)| (worst.values().filter(|other| **other == state).count(), word))
        .filter(|(number, _)| *number > 0)
        .map(|(number, word)| format!("{number} {word}"))
        .collect();
    let objects = if worst.len() == 1 { "1 object".to_owned() } else { format!("{} objects", worst.len()) };
    style.paint(Tone::Strong, &format!("{objects}: {}", parts.join(", "))) + "\n"
}

#[cfg(test)]
mod tests {
    use gateway_shared::explain::report::LayerName;

    use super::*;

    const STYLE: Style = Style { color: false, unicode: true, width: 80, table_width: None };

    fn row(name: &str, parent: &str, state: State, layer: Option<LayerName>, why: &str, code: Option<&str>) -> Row {
        let object = Subject {
            kind: "HTTPRoute".to_owned(),
            namespace: "shop".to_owned(),
            name: name.to_owned(),
            generation: Some(1),
            origin: None,
        };
        Row { object, parent: parent.to_owned(), state, layer, why: why.to_owned(), code: code.map(str::to_owned) }
    }

    fn list() -> StatusList {
        let why = "no hostname in common with *.example.com";
        StatusList {
            api_version: "v".to_owned(),
            kind: "StatusList".to_owned(),
            items: vec![
                row("returns", "infra/edge", State::Broken, Some(LayerName::Attachment), why, Some("EGX-1203")),
                row("home", "infra/edge:https:443", State::Serving, None, "", None),
                row("returns", "infra/other", State::Serving, None, "", None),
            ],
            hidden: Vec::new(),
        }
    }

    #[test]
    fn a_table_looks_like_this() {
        let want = "\
KIND       NAMESPACE  NAME     PARENT                STATE         WHY
HTTPRoute  shop       returns  infra/edge            ✗ attachment  no hostname in common with *.example.com (EGX-1203)
HTTPRoute  shop       home     infra/edge:https:443  ✓ serving
HTTPRoute  shop       returns  infra/other           ✓ serving
2 objects: 1 serving, 1 broken
";
        assert_eq!(table(&list(), &STYLE, false), want);
    }

    #[test]
    fn on_a_terminal_a_row_stays_one_line() {
        let text = table(&list(), &Style { table_width: Some(80), ..STYLE }, false);
        assert_eq!(text.lines().count(), 5, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.contains('…'), "{text}");
    }
}

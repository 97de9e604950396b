//! Columns side by side: which of them a terminal has room for, and how wide each may be.

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};

use super::text;

/// The blanks between two columns.
const GAP: usize = 2;

/// What gives way first when the columns do not fit; then the others, from right to left.
const SPARE: &[&str] = &["author_source", "source_kind", "ok", "score", "priority", "type"];

/// What never gives way.
const CORE: &[&str] = &["id", "item_id", "title", "tree_title", "status", "op", "key"];

/// More columns than that are no table that anybody reads.
const MOST: usize = 12;

/// A column: the name of its field, and a cell for each row.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) cells: Vec<String>,
}

/// How columns stand side by side.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// The columns shown, by number, and their widths.
    pub(super) shown: Vec<(usize, usize)>,
    /// The columns left out, by number.
    pub(super) left_out: Vec<usize>,
}

impl Column {
    fn head(&self) -> String {
        text::words(&self.name).to_uppercase()
    }

    fn natural(&self) -> usize {
        let cells = self.cells.iter().map(|cell| text::width(cell)).max().unwrap_or_default();
        cells.max(text::width(&self.head()))
    }

    fn is_id(&self) -> bool {
        self.name == "id" || self.name.ends_with("_id")
    }

    fn is_title(&self) -> bool {
        matches!(self.name.as_str(), "title" | "tree_title")
    }

    /// How narrow it may become: ids, dates and single words are whole or not there at all.
    fn least(&self, natural: usize) -> usize {
        let whole =
            self.is_id() || natural <= 14 || (natural <= 26 && !self.cells.iter().any(|c| c.contains(' ')));
        let floor = if self.is_title() { 20 } else { 16 };
        if whole && !self.is_title() { natural } else { natural.min(floor).max(text::width(&self.head())) }
    }

    /// Amounts stand flush right.
    fn is_amount(&self) -> bool {
        let filled = || self.cells.iter().filter(|cell| !cell.is_empty());
        filled().all(|cell| cell.parse::<f64>().is_ok()) && filled().any(|cell| cell.len() > 1)
    }
}

/// Fits columns into a width; none when so many would have to go that rows are better told one by one. A tree can
/// lose all but its core, for only a table shows it, and so can rows without titles.
pub(super) fn fit(columns: &[Column], width: Option<usize>, tree: bool) -> Option<Layout> {
    if columns.len() > MOST {
        return None;
    }
    let natural: Vec<usize> = columns.iter().map(Column::natural).collect();
    let Some(width) = width else {
        return Some(Layout { shown: natural.into_iter().enumerate().collect(), left_out: Vec::new() });
    };
    let mut least: Vec<usize> = columns.iter().zip(&natural).map(|(column, n)| column.least(*n)).collect();
    if columns.first().is_some_and(|first| !first.is_title()) && natural[0] * 5 <= width * 3 {
        least[0] = natural[0];
    }
    let mut shown: Vec<usize> = (0..columns.len()).collect();
    let mut left_out = Vec::new();
    let needed = |shown: &[usize]| {
        shown.iter().map(|n| least[*n]).sum::<usize>() + GAP * shown.len().saturating_sub(1)
    };
    // Rows without a title say little one by one.
    let all = tree || !columns.iter().any(Column::is_title);
    let most = if all { columns.len() } else { columns.len() / 3 };
    while needed(&shown) > width {
        let at = spare(columns, &shown)?;
        left_out.push(shown.remove(at));
        if left_out.len() > most {
            return None;
        }
    }
    let mut room = width - needed(&shown);
    let mut widths: Vec<usize> = shown.iter().map(|n| least[*n]).collect();
    while room > 0 && shown.iter().zip(&widths).any(|(n, width)| *width < natural[*n]) {
        for (n, width) in shown.iter().zip(&mut widths) {
            let share = if columns[*n].is_title() { 2 } else { 1 };
            let more = share.min(room).min(natural[*n] - *width);
            *width += more;
            room -= more;
        }
    }
    left_out.sort_unstable();
    Some(Layout { shown: shown.into_iter().zip(widths).collect(), left_out })
}

/// The place of the column that gives way next.
fn spare(columns: &[Column], shown: &[usize]) -> Option<usize> {
    let named = |name: &&str| shown.iter().position(|n| *n > 0 && columns[*n].name == **name);
    let plain = || shown.iter().rposition(|n| *n > 0 && !CORE.contains(&columns[*n].name.as_str()));
    let status = || shown.iter().position(|n| columns[*n].name == "status").filter(|_| shown.len() > 2);
    SPARE.iter().find_map(named).or_else(plain).or_else(status)
}

/// The lines of a table, its head first.
pub(super) fn lines(columns: &[Column], layout: &Layout) -> Vec<String> {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header(layout.shown.iter().map(|(n, _)| columns[*n].head()));
    let rows = columns.first().map_or(0, |column| column.cells.len());
    for row in 0..rows {
        let cell = |(n, width): &(usize, usize)| text::cut(&columns[*n].cells[row], *width).into_owned();
        table.add_row(layout.shown.iter().map(cell));
    }
    for ((n, _), column) in layout.shown.iter().zip(table.column_iter_mut()) {
        column.set_padding((0, GAP as u16));
        if columns[*n].is_amount() {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.lines().map(|line| line.trim_end().to_owned()).collect()
}

/// The lines that lead from parents to children, in front of each row of a tree that is told depth first.
pub(super) fn branches(depths: &[usize]) -> Vec<String> {
    let deepest = depths.iter().copied().max().unwrap_or_default();
    // Whether a row further down goes on at a level.
    let mut open = vec![false; deepest + 1];
    let mut all: Vec<String> = Vec::with_capacity(depths.len());
    for depth in depths.iter().rev().copied() {
        let trunk = (1..depth).map(|level| if open[level] { "│  " } else { "   " });
        let fork = (depth > 0).then(|| if open[depth] { "├─ " } else { "└─ " });
        all.push(trunk.chain(fork).collect());
        open[depth] = true;
        open[depth + 1..].fill(false);
    }
    all.reverse();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, cells: &[&str]) -> Column {
        Column { name: name.to_owned(), cells: cells.iter().map(|cell| (*cell).to_owned()).collect() }
    }

    fn listing() -> Vec<Column> {
        vec![
            column("id", &["pm-doxj", "pm-e97jyf"]),
            column("status", &["open", "open"]),
            column("type", &["Milestone", "Issue"]),
            column("title", &["Roadmap and living backlog of the tool", "修正ログイン 👩‍👩‍👧‍👦 étude of a family"]),
        ]
    }

    #[test]
    fn an_id_is_whole_at_every_width() {
        for width in 1..120 {
            let columns = listing();
            let Some(layout) = fit(&columns, Some(width), false) else {
                assert!(width < 42, "{width}");
                continue;
            };
            let lines = lines(&columns, &layout);
            assert!(lines[2].starts_with("pm-e97jyf"), "{lines:?}");
            assert!(lines.iter().all(|line| text::width(line) <= width), "{width} {lines:?}");
        }
    }

    #[test]
    fn columns_go_by_importance() {
        let left = |width| {
            let columns = listing();
            let layout = fit(&columns, Some(width), true);
            layout.map(|l| l.left_out.iter().map(|n| columns[*n].name.clone()).collect::<Vec<_>>())
        };
        assert_eq!(left(80), Some(vec![]));
        assert_eq!(left(46), Some(vec!["type".to_owned()]));
        assert_eq!(left(33), Some(vec!["status".to_owned(), "type".to_owned()]));
        assert_eq!(left(20), None);
    }

    #[test]
    fn a_tree_has_branches() {
        assert_eq!(branches(&[0, 1, 2, 1, 0, 1]), ["", "├─ ", "│  └─ ", "└─ ", "", "└─ "]);
        assert_eq!(branches(&[2, 1]), ["│  └─ ", "└─ "]);
        assert_eq!(branches(&[]), [""; 0]);
    }
}

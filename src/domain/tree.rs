//! A listing as a tree: parents before their children, each item once (surfaces.md §4.6).

use crate::domain::children::Hierarchy;
use crate::model::records::{Record, Records};

/// One line of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The record's number.
    pub row: usize,
    /// How far below a root; 0 for a root.
    pub depth: usize,
    /// The number of its parent's record, when it has one.
    pub parent: Option<usize>,
    /// How many of its direct children belong to the listing.
    pub children: usize,
}

/// Puts records, which are in the order of the listing, into the order of their tree.
///
/// `root` limits the tree to what lies below this record, which is not part of it. `depth` is the deepest level shown.
/// Without both, items that only a circle of parents leads to follow at the end.
pub fn grow(
    listed: &[Record<'_>],
    records: &Records,
    hierarchy: &Hierarchy,
    root: Option<usize>,
    depth: Option<usize>,
) -> Vec<Branch> {
    let mut place = vec![usize::MAX; records.len()];
    for (at, record) in listed.iter().enumerate() {
        place[record.number()] = at;
    }
    let children = |row: usize| {
        let listed = hierarchy
            .children(row)
            .iter()
            .map(|child| *child as usize)
            .filter(|child| place[*child] != usize::MAX);
        let mut rows: Vec<usize> = listed.collect();
        rows.sort_unstable_by_key(|child| place[*child]);
        rows
    };
    let is_listed = |row: &u32| place[*row as usize] != usize::MAX;
    let roots: Vec<usize> = match root {
        Some(root) => children(root),
        None => {
            let rows = listed.iter().map(|record| record.number());
            rows.filter(|row| !hierarchy.parents(*row).iter().any(is_listed)).collect()
        }
    };
    let mut seen = vec![false; records.len()];
    if let Some(root) = root {
        // In a circle of parents it would be below itself.
        seen[root] = true;
    }
    let mut tree = Vec::with_capacity(listed.len());
    let mut open: Vec<(usize, usize)> = roots.into_iter().rev().map(|row| (row, 0)).collect();
    while let Some((row, level)) = open.pop() {
        if std::mem::replace(&mut seen[row], true) {
            continue;
        }
        let below = children(row);
        tree.push(Branch {
            row,
            depth: level,
            parent: parent_of(row, records, hierarchy, &place),
            children: below.len(),
        });
        if depth.is_none_or(|deepest| level < deepest) {
            open.extend(below.into_iter().rev().map(|child| (child, level + 1)));
        }
    }
    if root.is_none() && depth.is_none() {
        let left = listed.iter().map(|record| record.number()).filter(|row| !seen[*row]);
        tree.extend(left.map(|row| Branch {
            row,
            depth: 0,
            parent: parent_of(row, records, hierarchy, &place),
            children: children(row).len(),
        }));
    }
    tree
}

/// The parent to show: the scalar one when it exists, else a listed one, else any.
fn parent_of(row: usize, records: &Records, hierarchy: &Hierarchy, place: &[usize]) -> Option<usize> {
    let scalar = records.get(row).and_then(Record::parent).and_then(|id| records.find(id.trim()));
    let parents = || hierarchy.parents(row).iter().map(|parent| *parent as usize);
    scalar
        .map(Record::number)
        .or_else(|| parents().find(|parent| place[*parent] != usize::MAX))
        .or_else(|| parents().next())
}

/// A title set in by two blanks for each level.
pub fn indented(title: &str, depth: usize) -> String {
    format!("{:width$}{title}", "", width = depth * 2)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::rows::Rows;
    use crate::model::item::Item;

    fn tree(below: Option<&str>, depth: Option<usize>) -> Vec<String> {
        let records: Vec<(String, Item)> =
            [("a", ""), ("b", "a"), ("c", "b"), ("d", "a"), ("e", "gone"), ("x", "y"), ("y", "x")]
                .into_iter()
                .map(|(id, parent)| {
                    let value = json!({"id": id, "title": id, "parent": parent});
                    (
                        format!("tasks/{id}.toon"),
                        Item { metadata: value.as_object().unwrap().clone(), body: String::new() },
                    )
                })
                .collect();
        let records = Records::from_items(&records);
        let hierarchy = Hierarchy::new(&records, &Rows::new(&records));
        let mut listed: Vec<Record<'_>> = records.iter().collect();
        listed.reverse();
        let root = below.map(|id| records.find(id).unwrap().number());
        let line = |branch: &Branch| {
            let id = |row| records.get(row).unwrap().id();
            format!(
                "{}{}<{}/{}",
                ".".repeat(branch.depth),
                id(branch.row),
                branch.parent.map_or("-", id),
                branch.children
            )
        };
        grow(&listed, &records, &hierarchy, root, depth).iter().map(line).collect()
    }

    #[test]
    fn parents_come_first_and_nobody_twice() {
        assert_eq!(tree(None, None), ["e<-/0", "a<-/2", ".d<a/0", ".b<a/1", "..c<b/0", "y<x/1", "x<y/1"]);
        assert_eq!(tree(None, Some(0)), ["e<-/0", "a<-/2"]);
        assert_eq!(tree(Some("a"), None), ["d<a/0", "b<a/1", ".c<b/0"]);
        assert_eq!(tree(Some("x"), None), ["y<x/1"]);
        assert_eq!(indented("t", 2), "    t");
    }
}

//! Who belongs to whom: the scalar `parent` and links of both spellings say the same thing (surfaces.md §4.1).

use crate::domain::rows::Rows;
use crate::model::records::{Record, Records, compare_folded};

/// Whether a link of this kind says that its target is the parent of its holder.
pub fn names_parent(kind: &str) -> bool {
    matches!(kind, "parent" | "child_of" | "epic")
}

/// Whether a link of this kind says that its target is a child of its holder.
pub fn names_child(kind: &str) -> bool {
    matches!(kind, "child" | "parent_child" | "task")
}

/// The ids that a record itself names as its parents; the scalar first.
pub fn parents_of<'a>(record: Record<'a>) -> impl Iterator<Item = &'a str> {
    let by_link = record.linked(names_parent);
    record.parent().map(str::trim).filter(|id| !id.is_empty()).into_iter().chain(by_link)
}

/// Whether a record names itself as its parent, or as its child.
pub fn names_itself(record: Record<'_>) -> bool {
    let own = |id: &str| compare_folded(id.trim(), record.id()).is_eq();
    parents_of(record).chain(record.linked(names_child)).any(own)
}

/// The direct children of one item.
#[derive(Debug)]
pub struct Children {
    rows: Vec<bool>,
}

impl Children {
    /// The children of the item with this id, which need not exist.
    pub fn of(id: &str, records: &Records) -> Children {
        let id = id.trim();
        let names =
            |record: Record<'_>| parents_of(record).any(|parent| compare_folded(parent.trim(), id).is_eq());
        let mut children: Vec<bool> = records.iter().map(names).collect();
        for child in records.find(id).into_iter().flat_map(|parent| parent.linked(names_child)) {
            if let Some(child) = records.find(child.trim()) {
                children[child.number()] = true;
            }
        }
        Children { rows: children }
    }

    /// Whether the record in this row is one of them.
    pub fn has(&self, row: usize) -> bool {
        self.rows.get(row).copied().unwrap_or(false)
    }
}

/// Parents and children of every item, by row.
#[derive(Debug)]
pub struct Hierarchy {
    parents: Lists,
    children: Lists,
}

/// For each row a list of rows.
#[derive(Debug)]
struct Lists {
    first: Vec<usize>,
    entries: Vec<u32>,
}

impl Lists {
    fn new(rows: usize, pairs: &mut Vec<(u32, u32)>) -> Lists {
        pairs.sort_unstable();
        pairs.dedup();
        let mut first = vec![0; rows + 1];
        for (of, _) in pairs.iter() {
            first[*of as usize + 1] += 1;
        }
        for row in 0..rows {
            first[row + 1] += first[row];
        }
        Lists { first, entries: pairs.iter().map(|(_, entry)| *entry).collect() }
    }

    fn of(&self, row: usize) -> &[u32] {
        match (self.first.get(row), self.first.get(row + 1)) {
            (Some(from), Some(to)) => &self.entries[*from..*to],
            _ => &[],
        }
    }
}

impl Hierarchy {
    /// Reads all parent and child references; those that lead nowhere are left out.
    pub fn new(records: &Records, rows: &Rows) -> Hierarchy {
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for (row, record) in (0u32..).zip(records.iter()) {
            pairs.extend(parents_of(record).filter_map(|parent| Some((row, rows.find(parent)?))));
            pairs.extend(record.linked(names_child).filter_map(|child| Some((rows.find(child)?, row))));
        }
        pairs.retain(|(child, parent)| child != parent);
        let mut back: Vec<(u32, u32)> = pairs.iter().map(|(child, parent)| (*parent, *child)).collect();
        Hierarchy {
            parents: Lists::new(records.len(), &mut pairs),
            children: Lists::new(records.len(), &mut back),
        }
    }

    /// The rows of an item's parents, ascending; several when its references disagree.
    pub fn parents(&self, row: usize) -> &[u32] {
        self.parents.of(row)
    }

    /// The rows of an item's children, ascending: by id.
    pub fn children(&self, row: usize) -> &[u32] {
        self.children.of(row)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::item::Item;

    #[test]
    fn every_spelling_of_the_relation_counts() {
        let items: Vec<(String, Item)> = [
            json!({"id": "pm-a", "dependencies": [{"id": "pm-d", "kind": "child"}]}),
            json!({"id": "pm-b", "parent": "PM-A"}),
            json!({"id": "pm-c", "dependencies": [{"id": "pm-a", "kind": "child_of"}, {"id": "pm-b", "kind": "related"}]}),
            json!({"id": "pm-d"}),
            json!({"id": "pm-e", "parent": "pm-gone"}),
        ]
        .into_iter()
        .map(|v| (format!("tasks/{}.toon", v["id"]), Item { metadata: v.as_object().unwrap().clone(), body: String::new() }))
        .collect();
        let records = Records::from_items(&items);
        let rows = Rows::new(&records);
        let of = |id| {
            let children = Children::of(id, &records);
            (0..5).filter(|row| children.has(*row)).collect::<Vec<_>>()
        };
        assert_eq!(of("pm-a"), [1, 2, 3]);
        assert_eq!(of("pm-gone"), [4]);
        assert_eq!(of("pm-b"), [0; 0]);
        let hierarchy = Hierarchy::new(&records, &rows);
        assert_eq!(hierarchy.children(0), [1, 2, 3]);
        assert_eq!(hierarchy.parents(3), [0]);
        assert_eq!(hierarchy.parents(4), [0; 0]);
        assert!(!records.iter().any(names_itself));
    }
}

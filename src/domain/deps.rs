//! What an item depends on and what depends on it: the links of both ends, followed breadth first (surfaces.md §11).

use std::collections::HashSet;

use crate::domain::blockers::NO_BLOCKER;
use crate::domain::graph::kinds::First;
use crate::domain::graph::{Family, LinkKind};
use crate::domain::rows::Rows;
use crate::model::records::{Record, Records, fold};

/// What an item is to the one it was reached from, nearest to its work first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// It must be over before.
    Prerequisite,
    /// It waits.
    Dependent,
    /// It contains.
    Ancestor,
    /// It is contained.
    Descendant,
    /// One came out of the other, implements, verifies or replaces it.
    Provenance,
    /// They have to do with each other.
    Related,
}

impl Role {
    /// Every role.
    pub const ALL: [Role; 6] = [
        Role::Prerequisite,
        Role::Dependent,
        Role::Ancestor,
        Role::Descendant,
        Role::Provenance,
        Role::Related,
    ];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Role::Prerequisite => "prerequisite",
            Role::Dependent => "dependent",
            Role::Ancestor => "ancestor",
            Role::Descendant => "descendant",
            Role::Provenance => "provenance",
            Role::Related => "related",
        }
    }

    /// Whether what plays this role for a neighbour plays it for the item itself.
    fn carries_on(self) -> bool {
        !matches!(self, Role::Provenance | Role::Related)
    }
}

/// Which links are followed from an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Those that it holds.
    Outgoing,
    /// Those that name it.
    Incoming,
    /// All.
    Both,
}

/// How far a walk goes.
#[derive(Clone, Debug)]
pub struct Walk<'k> {
    /// Which links are followed.
    pub direction: Direction,
    /// Only these kinds and their inverses; all when empty.
    pub kinds: &'k [&'static LinkKind],
    /// How many steps.
    pub max_depth: usize,
    /// Beyond the first step only what stays in its role is followed: prerequisites of prerequisites, children of
    /// children. Otherwise everything that hangs together.
    pub in_role: bool,
}

/// A link between two items, or to a name that no item has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The row that holds it.
    pub from: u32,
    /// The row that it names; none when no item has the name.
    pub to: Option<u32>,
    /// The name, folded.
    pub name: String,
    /// The kind, in its present spelling.
    pub kind: &'static str,
}

/// An item that was reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// Its row; none for a name that no item has.
    pub row: Option<u32>,
    /// Its folded id.
    pub id: String,
    /// How many steps away.
    pub depth: usize,
    /// What it is to the item before it.
    pub role: Role,
    /// The kind of the link.
    pub kind: &'static str,
    /// The row that it was reached from.
    pub via: u32,
}

/// All links of a tracker, from both ends.
#[derive(Debug)]
pub struct Web {
    edges: Vec<Edge>,
    outgoing: Vec<Vec<u32>>,
    incoming: Vec<Vec<u32>>,
}

/// The links that a record holds: its parent, its blocker, its dependencies; an unknown kind counts as related.
fn held(record: Record<'_>) -> impl Iterator<Item = (&str, &'static str)> {
    let scalar = |id: Option<&'_ str>, kind: &'static str| id.map(|_| kind);
    let parent = scalar(record.parent(), "parent").and_then(|kind| Some((record.parent()?, kind)));
    let blocker = record.blocked_by().filter(|id| !id.trim().eq_ignore_ascii_case(NO_BLOCKER));
    let links = record
        .links()
        .map(|link| (link.id, LinkKind::resolve(link.kind).map_or("related", |kind| kind.name)));
    parent
        .into_iter()
        .chain(blocker.map(|id| (id, "blocked_by")))
        .chain(links)
        .filter(|(id, _)| !id.trim().is_empty())
}

impl Web {
    /// Reads all links; one that is stored twice counts once.
    pub fn new(records: &Records, rows: &Rows<'_>) -> Web {
        let mut web = Web {
            edges: Vec::new(),
            outgoing: vec![Vec::new(); records.len()],
            incoming: vec![Vec::new(); records.len()],
        };
        for (from, record) in (0u32..).zip(records.iter()) {
            let mut own: Vec<Edge> = held(record)
                .map(|(id, kind)| Edge { from, to: rows.find(id), name: fold(id.trim()), kind })
                .filter(|edge| edge.to != Some(from))
                .collect();
            own.sort_by(|a, b| (a.kind, &a.name).cmp(&(b.kind, &b.name)));
            own.dedup();
            for edge in own {
                let number = web.edges.len() as u32;
                web.outgoing[from as usize].push(number);
                if let Some(to) = edge.to {
                    web.incoming[to as usize].push(number);
                }
                web.edges.push(edge);
            }
        }
        web
    }

    /// The links of a row that a walk follows, each with the role of its other end.
    fn steps<'w>(&'w self, row: u32, walk: &'w Walk<'_>) -> impl Iterator<Item = (&'w Edge, bool, Role)> {
        let out = self.outgoing[row as usize].iter().filter(|_| walk.direction != Direction::Incoming);
        let back = self.incoming[row as usize].iter().filter(|_| walk.direction != Direction::Outgoing);
        let both = out.map(|n| (*n, true)).chain(back.map(|n| (*n, false)));
        both.map(|(n, outgoing)| (&self.edges[n as usize], outgoing)).filter_map(|(edge, outgoing)| {
            let kind = LinkKind::resolve(edge.kind)?;
            let wanted = walk.kinds.is_empty() || kind.is_among(walk.kinds);
            wanted.then(|| (edge, outgoing, role(kind, outgoing)))
        })
    }

    /// Everything that is reached from a row, nearest first; the row itself is not among it.
    pub fn walk(&self, root: u32, ids: &Records, walk: &Walk<'_>) -> Vec<Reached> {
        let mut reached: Vec<Reached> = Vec::new();
        let mut seen: HashSet<u32> = HashSet::from([root]);
        let mut missing: HashSet<String> = HashSet::new();
        let mut level: Vec<(u32, Option<Role>)> = vec![(root, None)];
        for depth in 1..=walk.max_depth {
            let mut found: Vec<Reached> = Vec::new();
            for (row, before) in &level {
                for (edge, outgoing, role) in self.steps(*row, walk) {
                    if walk.in_role && before.is_some_and(|before| before != role || !before.carries_on()) {
                        continue;
                    }
                    let other = if outgoing { edge.to } else { Some(edge.from) };
                    let id = match other.and_then(|row| ids.get(row as usize)) {
                        Some(record) => record.id().to_owned(),
                        None => edge.name.clone(),
                    };
                    found.push(Reached { row: other, id, depth, role, kind: edge.kind, via: *row });
                }
            }
            // The nearest role of an item that is several things at once.
            found.sort_by(|a, b| (a.role, &a.id, a.kind).cmp(&(b.role, &b.id, b.kind)));
            found.retain(|item| match item.row {
                Some(row) => seen.insert(row),
                None => missing.insert(item.id.clone()),
            });
            level = found.iter().filter_map(|item| Some((item.row?, Some(item.role)))).collect();
            reached.extend(found);
            if level.is_empty() {
                break;
            }
        }
        reached
    }

    /// The links that a walk met among these rows: at least one end of each is less than `max_depth` steps away.
    pub fn edges_among(&self, depths: &std::collections::HashMap<u32, usize>, walk: &Walk<'_>) -> Vec<&Edge> {
        let mut met: Vec<&Edge> = Vec::new();
        for (row, depth) in depths {
            for edge in self.outgoing[*row as usize].iter().map(|n| &self.edges[*n as usize]) {
                let Some(other) = edge.to.and_then(|to| depths.get(&to)) else { continue };
                let kind = LinkKind::resolve(edge.kind);
                let wanted = walk.kinds.is_empty() || kind.is_some_and(|kind| kind.is_among(walk.kinds));
                if wanted && depth.min(other) < &walk.max_depth {
                    met.push(edge);
                }
            }
        }
        met.sort_by(|a, b| (a.from, &a.name, a.kind).cmp(&(b.from, &b.name, b.kind)));
        met
    }

    /// How many links of each role a row has.
    pub fn direct(&self, row: u32, walk: &Walk<'_>) -> [usize; 6] {
        let mut counts = [0; 6];
        self.steps(row, walk).for_each(|(_, _, role)| counts[role as usize] += 1);
        counts
    }
}

/// What the other end of a link is to the one it is seen from.
fn role(kind: &LinkKind, outgoing: bool) -> Role {
    let other_is_first = match kind.first {
        First::Target => outgoing,
        First::Source => !outgoing,
        First::Neither => {
            return if kind.family == Family::Association { Role::Related } else { Role::Provenance };
        }
    };
    match (kind.family, other_is_first) {
        (Family::Ordering, true) => Role::Prerequisite,
        (Family::Ordering, false) => Role::Dependent,
        (_, true) => Role::Ancestor,
        (_, false) => Role::Descendant,
    }
}

/// How many items and links are reached by following the stored dependencies of an item, and only those.
pub fn stored_reach(records: &Records, rows: &Rows<'_>, root: u32) -> (usize, usize, usize) {
    let (mut seen, mut missing) = (HashSet::from([root]), HashSet::new());
    let (mut waiting, mut edges) = (vec![root], 0);
    while let Some(record) = waiting.pop().and_then(|row| records.get(row as usize)) {
        let own: HashSet<(String, String)> =
            record.links().map(|link| (link.kind.trim().to_lowercase(), fold(link.id.trim()))).collect();
        edges += own.len();
        for (_, id) in own {
            match rows.find(&id) {
                Some(row) if seen.insert(row) => waiting.push(row),
                Some(_) => {}
                None => drop(missing.insert(id)),
            }
        }
    }
    (seen.len() + missing.len(), edges, missing.len())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::item::Item;

    fn records() -> Records {
        let items: Vec<(String, Item)> = [
            json!({"id": "a", "blocked_by": "b", "parent": "top"}),
            json!({"id": "b", "dependencies": [{"id": "c", "kind": "depends_on"}, {"id": "a", "kind": "related_to"}]}),
            json!({"id": "c", "dependencies": [{"id": "z", "kind": "related"}]}),
            json!({"id": "d", "dependencies": [{"id": "A", "kind": "blocked_by"}, {"id": "gone", "kind": "verifies"}]}),
            json!({"id": "e", "parent": "top", "blocked_by": "d"}),
            json!({"id": "top"}),
            json!({"id": "z", "dependencies": [{"id": "z", "kind": "related"}]}),
        ]
        .into_iter()
        .map(|v| (format!("tasks/{}.toon", v["id"]), Item { metadata: v.as_object().unwrap().clone(), body: String::new() }))
        .collect();
        Records::from_items(&items)
    }

    fn walked(root: u32, walk: &Walk<'_>) -> Vec<String> {
        let records = records();
        let web = Web::new(&records, &Rows::new(&records));
        web.walk(root, &records, walk)
            .iter()
            .map(|item| format!("{} {} {}", item.depth, item.role.name(), item.id))
            .collect()
    }

    #[test]
    fn both_directions_breadth_first_in_their_roles() {
        let walk = Walk { direction: Direction::Both, kinds: &[], max_depth: 9, in_role: true };
        assert_eq!(
            walked(0, &walk),
            ["1 prerequisite b", "1 dependent d", "1 ancestor top", "2 prerequisite c", "2 dependent e"]
        );
        assert_eq!(walked(3, &walk)[2], "1 provenance gone");
        let near = Walk { max_depth: 1, ..walk.clone() };
        assert_eq!(walked(0, &near).len(), 3);
        let whole = Walk { in_role: false, ..walk.clone() };
        assert_eq!(walked(0, &whole).len(), 7);
        let out = Walk { direction: Direction::Outgoing, ..walk.clone() };
        assert_eq!(walked(0, &out), ["1 prerequisite b", "1 ancestor top", "2 prerequisite c"]);
        let kinds = [LinkKind::resolve("blocks").unwrap()];
        let ordering = Walk { kinds: &kinds, ..walk };
        assert_eq!(
            walked(0, &ordering),
            ["1 prerequisite b", "1 dependent d", "2 prerequisite c", "2 dependent e"]
        );
    }

    #[test]
    fn counts_of_links() {
        let records = records();
        let rows = Rows::new(&records);
        let web = Web::new(&records, &rows);
        let walk = Walk { direction: Direction::Both, kinds: &[], max_depth: 1, in_role: true };
        assert_eq!(web.direct(0, &walk), [1, 1, 1, 0, 0, 1]);
        assert_eq!(stored_reach(&records, &rows, 1), (4, 4, 0));
        assert_eq!(stored_reach(&records, &rows, 3), (3, 2, 1));
        let depths = std::collections::HashMap::from([(0, 0), (1, 1), (5, 1)]);
        let edges: Vec<String> =
            web.edges_among(&depths, &walk).iter().map(|e| format!("{} {}", e.kind, e.name)).collect();
        assert_eq!(edges, ["blocked_by b", "parent top", "related a"]);
    }
}

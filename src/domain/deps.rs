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

impl Walk<'_> {
    /// Whether links of this kind are followed.
    fn takes(&self, edge: &Edge) -> bool {
        self.kinds.is_empty() || edge.kind.is_among(self.kinds)
    }
}

/// A link between two items, or to a name that no item has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The row that holds it.
    pub from: u32,
    /// What it names.
    pub to: End,
    /// The kind.
    pub kind: &'static LinkKind,
}

/// The end of a link.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// The row of an item.
    Row(u32),
    /// A folded name that no item has.
    Missing(String),
}

impl End {
    /// The row; none of what is missing.
    pub fn row(&self) -> Option<u32> {
        match self {
            End::Row(row) => Some(*row),
            End::Missing(_) => None,
        }
    }
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
    /// By the row that holds them.
    edges: Vec<Edge>,
    /// Where the edges of each row begin; one more than there are rows.
    outgoing: Vec<u32>,
    /// The numbers of edges by the row that they name, and where those of each row begin.
    incoming: (Vec<u32>, Vec<u32>),
}

/// The links that a record holds: its parent, its blocker, its dependencies; an unknown kind counts as related.
fn held(record: Record<'_>) -> impl Iterator<Item = (&str, &'static LinkKind)> {
    let kind = |name: &str| LinkKind::resolve(name).or_else(|| LinkKind::resolve("related"));
    let blocker = record.blocked_by().filter(|id| !id.trim().eq_ignore_ascii_case(NO_BLOCKER));
    let links = record.links().filter_map(move |link| Some((link.id, kind(link.kind)?)));
    let parent = record.parent().and_then(|id| Some((id, kind("parent")?)));
    let blocker = blocker.and_then(|id| Some((id, kind("blocked_by")?)));
    parent.into_iter().chain(blocker).chain(links).filter(|(id, _)| !id.trim().is_empty())
}

impl Web {
    /// Reads all links; one that is stored twice counts once.
    pub fn new(records: &Records, rows: &Rows) -> Web {
        let (mut edges, mut outgoing) = (Vec::new(), Vec::with_capacity(records.len() + 1));
        let mut named = vec![0u32; records.len() + 1];
        for (from, record) in (0u32..).zip(records.iter()) {
            let first = edges.len();
            outgoing.push(first as u32);
            for (id, kind) in held(record) {
                let to = rows.find(id).map_or_else(|| End::Missing(fold(id.trim())), End::Row);
                if to != End::Row(from) {
                    edges.push(Edge { from, to, kind });
                }
            }
            edges[first..].sort_unstable_by(|a, b| (a.kind.name, &a.to).cmp(&(b.kind.name, &b.to)));
            let mut kept = first;
            for n in first..edges.len() {
                if n == first || edges[n] != edges[kept - 1] {
                    edges.swap(kept, n);
                    kept += 1;
                }
            }
            edges.truncate(kept);
            edges[first..].iter().filter_map(|edge| edge.to.row()).for_each(|row| named[row as usize] += 1);
        }
        outgoing.push(edges.len() as u32);
        // Where the edges that name each row begin, then the edges themselves.
        let mut begin = 0;
        for count in &mut named {
            begin += std::mem::replace(count, begin);
        }
        let mut places = named.clone();
        let mut numbers = vec![0u32; begin as usize];
        for (number, edge) in (0u32..).zip(&edges) {
            if let Some(row) = edge.to.row() {
                let place = &mut places[row as usize];
                numbers[*place as usize] = number;
                *place += 1;
            }
        }
        Web { edges, outgoing, incoming: (numbers, named) }
    }

    fn held_by(&self, row: u32) -> &[Edge] {
        &self.edges[self.outgoing[row as usize] as usize..self.outgoing[row as usize + 1] as usize]
    }

    fn naming(&self, row: u32) -> impl Iterator<Item = &Edge> {
        let (numbers, begin) = &self.incoming;
        numbers[begin[row as usize] as usize..begin[row as usize + 1] as usize]
            .iter()
            .map(|number| &self.edges[*number as usize])
    }

    /// The links of a row that a walk follows, each with the role of its other end.
    fn steps<'w>(&'w self, row: u32, walk: &'w Walk<'_>) -> impl Iterator<Item = (&'w Edge, bool, Role)> {
        let out = self.held_by(row).iter().filter(|_| walk.direction != Direction::Incoming);
        let back = self.naming(row).filter(|_| walk.direction != Direction::Outgoing);
        let both = out.map(|edge| (edge, true)).chain(back.map(|edge| (edge, false)));
        both.filter(|(edge, _)| walk.takes(edge))
            .map(|(edge, outgoing)| (edge, outgoing, role(edge.kind, outgoing)))
    }

    /// Everything that is reached from a row, nearest first; the row itself is not among it.
    pub fn walk(&self, root: u32, ids: &Records, walk: &Walk<'_>) -> Vec<Reached> {
        let mut reached: Vec<Reached> = Vec::new();
        let mut seen = vec![false; ids.len()];
        seen[root as usize] = true;
        let mut missing: HashSet<String> = HashSet::new();
        let mut level: Vec<(u32, Option<Role>)> = vec![(root, None)];
        for depth in 1..=walk.max_depth {
            let mut found: Vec<(Role, End, &'static str, u32)> = Vec::new();
            for (row, before) in &level {
                for (edge, outgoing, role) in self.steps(*row, walk) {
                    if walk.in_role && before.is_some_and(|before| before != role || !before.carries_on()) {
                        continue;
                    }
                    let other = if outgoing { &edge.to } else { &End::Row(edge.from) };
                    let known = match other {
                        End::Row(row) => seen[*row as usize],
                        End::Missing(name) => missing.contains(name.as_str()),
                    };
                    if !known {
                        found.push((role, other.clone(), edge.kind.name, *row));
                    }
                }
            }
            // Rows are in the order of ids. The nearest role of an item that is several things at once.
            found.sort_unstable();
            let begin = reached.len();
            for (role, end, kind, via) in found {
                let new = match &end {
                    End::Row(row) => !std::mem::replace(&mut seen[*row as usize], true),
                    End::Missing(name) => missing.insert(name.clone()),
                };
                if new {
                    let id = match &end {
                        End::Row(row) => ids.get(*row as usize).map_or("", |record| record.id()).to_owned(),
                        End::Missing(name) => name.clone(),
                    };
                    reached.push(Reached { row: end.row(), id, depth, role, kind, via });
                }
            }
            level = reached[begin..].iter().filter_map(|item| Some((item.row?, Some(item.role)))).collect();
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
            for edge in self.held_by(*row) {
                let Some(other) = edge.to.row().and_then(|to| depths.get(&to)) else { continue };
                if walk.takes(edge) && depth.min(other) < &walk.max_depth {
                    met.push(edge);
                }
            }
        }
        met.sort_by(|a, b| (a.from, &a.to, a.kind.name).cmp(&(b.from, &b.to, b.kind.name)));
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
pub fn stored_reach(records: &Records, rows: &Rows, root: u32) -> (usize, usize, usize) {
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
        let told = |edge: &&Edge| format!("{} {:?}", edge.kind.name, edge.to);
        let edges: Vec<String> = web.edges_among(&depths, &walk).iter().map(told).collect();
        assert_eq!(edges, ["blocked_by Row(1)", "parent Row(5)", "related Row(0)"]);
    }
}

//! Nodes and edges of a tracker, with their adjacency in flat arrays.

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;

use super::kinds::{Family, First, LinkKind, NO_BLOCKER};
use crate::domain::blockers::is_in_words;
use crate::domain::rows::Rows;
use crate::model::records::{Record, Records, fold};

/// A node: its place in the order of ids.
pub type Node = u32;

/// Stands for the node of an item that was not let in.
const NO_NODE: Node = Node::MAX;

/// Undirected edges that there are: both ends, the smaller first, and the kind.
type Associations = HashSet<(Node, Node, &'static str), FixedState>;

/// A directed, typed edge; `source` holds the link, `target` is named by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The item that holds the link.
    pub source: Node,
    /// The item that the link names.
    pub target: Node,
    /// What the link says.
    pub kind: &'static LinkKind,
}

impl Edge {
    /// The edge with the end that comes first, or is the parent, in front; `None` when the kind has no order.
    pub fn ordered(self) -> Option<(Node, Node)> {
        match self.kind.first {
            First::Source => Some((self.source, self.target)),
            First::Target => Some((self.target, self.source)),
            First::Neither => None,
        }
    }
}

/// A link to an item that is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The item that holds the link.
    pub source: Node,
    /// The name that no item has, folded.
    pub target: String,
    /// What the link says.
    pub kind: &'static str,
}

/// What [`Network::build`] met on its way and left out of the edges.
#[derive(Debug, Default)]
pub struct Remarks {
    /// Links to items that are not there.
    pub missing: Vec<Missing>,
    /// Items whose `blocked_by` holds the name that stands for no blocker.
    pub no_blocker_sentinels: Vec<Node>,
    /// Items with two equal rows in `dependencies`.
    pub repeated_rows: Vec<Node>,
    /// How often each older spelling is stored.
    pub aliases: Vec<(String, usize)>,
}

/// The graph of the items that were let in.
#[derive(Debug)]
pub struct Network<'a> {
    nodes: Vec<Record<'a>>,
    rows: Rows,
    /// The node of each row, or [`NO_NODE`].
    node_of: Vec<Node>,
    edges: Vec<Edge>,
    /// What was left out.
    pub remarks: Remarks,
}

/// A step from a node: where to, along which kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The neighbour.
    pub to: Node,
    /// The kind of the edge.
    pub kind: &'static LinkKind,
}

/// The steps that lead away from each node, by neighbour and kind.
#[derive(Debug)]
pub struct Adjacency {
    starts: Vec<u32>,
    steps: Vec<Step>,
}

impl Adjacency {
    /// Sorts these steps by the node that they leave.
    pub fn of(nodes: usize, mut steps: Vec<(Node, Step)>) -> Adjacency {
        steps.sort_by(|a, b| (a.0, a.1.to, a.1.kind.name).cmp(&(b.0, b.1.to, b.1.kind.name)));
        let mut starts = vec![0u32; nodes + 1];
        for (from, _) in &steps {
            starts[*from as usize + 1] += 1;
        }
        for n in 0..nodes {
            starts[n + 1] += starts[n];
        }
        Adjacency { starts, steps: steps.into_iter().map(|(_, step)| step).collect() }
    }

    /// The steps that leave a node.
    pub fn from(&self, node: Node) -> &[Step] {
        &self.steps[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.starts.len() - 1
    }
}

impl<'a> Network<'a> {
    /// The graph of the items that `admits` lets in, from scalar parents, scalar blockers and dependencies.
    /// Links to items outside it are left out; those to items that do not exist at all are remarked.
    pub fn build(records: &'a Records, admits: impl Fn(Record<'a>) -> bool) -> Network<'a> {
        let rows = Rows::new(records);
        let mut nodes: Vec<Record<'a>> = Vec::new();
        let mut node_of = vec![NO_NODE; records.len()];
        for record in records.iter().filter(|record| admits(*record)) {
            // Of several files with one id the first that is let in is the node, the row of the first stands for all.
            let row = rows.find(record.id()).map_or(record.number(), |row| row as usize);
            if node_of[row] == NO_NODE {
                node_of[row] = nodes.len() as Node;
                nodes.push(record);
            }
        }
        let mut network = Network { nodes, rows, node_of, edges: Vec::new(), remarks: Remarks::default() };
        network.read_links();
        network
    }

    fn read_links(&mut self) {
        let mut aliases: HashMap<&'a str, usize> = HashMap::new();
        // "a is related to b" and "b is related to a" are one edge.
        let mut associations = Associations::default();
        let mut links: Vec<(&'a str, &'static LinkKind)> = Vec::new();
        for source in 0..self.nodes.len() as Node {
            let record = self.nodes[source as usize];
            links.clear();
            let scalars = [(record.parent(), "parent"), (record.blocked_by(), "blocked_by")];
            for (target, name) in scalars {
                if let (Some(target), Some(kind)) = (target, LinkKind::resolve(name)) {
                    links.push((target.trim(), kind));
                }
            }
            for link in record.links() {
                let Some(kind) = LinkKind::resolve(link.kind) else { continue };
                if kind.name != link.kind {
                    *aliases.entry(link.kind).or_default() += 1;
                }
                links.push((link.id.trim(), kind));
            }
            if has_repeated_rows(record) {
                self.remarks.repeated_rows.push(source);
            }
            self.add_links(source, &links, &mut associations);
        }
        self.remarks.aliases = aliases.into_iter().map(|(alias, count)| (alias.to_owned(), count)).collect();
        self.remarks.aliases.sort();
    }

    fn add_links(
        &mut self,
        source: Node,
        links: &[(&str, &'static LinkKind)],
        associations: &mut Associations,
    ) {
        let first = self.edges.len();
        for (target, kind) in links {
            if target.eq_ignore_ascii_case(NO_BLOCKER) {
                self.remarks.no_blocker_sentinels.push(source);
                continue;
            }
            let row = self.rows.find(target);
            match row.map(|row| self.node_of[row as usize]) {
                Some(NO_NODE) => {}
                Some(target) => {
                    let edge = Edge { source, target, kind };
                    let told = kind.family == Family::Association
                        && !associations.insert((source.min(target), source.max(target), kind.name));
                    if !told && !self.edges[first..].contains(&edge) {
                        self.edges.push(edge);
                    }
                }
                None if !is_sentence(kind, target) => {
                    let missing = Missing { source, target: fold(target), kind: kind.name };
                    if self.remarks.missing.last() != Some(&missing) {
                        self.remarks.missing.push(missing);
                    }
                }
                None => {}
            }
        }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The record of a node.
    pub fn record(&self, node: Node) -> Record<'a> {
        self.nodes[node as usize]
    }

    /// The stored id of a node.
    pub fn id(&self, node: Node) -> &'a str {
        self.record(node).id()
    }

    /// The node of an id, in any case.
    pub fn node(&self, id: &str) -> Option<Node> {
        let row = self.rows.find(id)?;
        Some(self.node_of[row as usize]).filter(|node| *node != NO_NODE)
    }

    /// Every node, by id.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = Node> + use<> {
        0..self.nodes.len() as Node
    }

    /// Every edge, deduplicated: by source, in the order of its links.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Steps from each node along the edges that `towards` turns into (from, to) pairs.
    pub fn adjacency(&self, towards: impl Fn(Edge) -> Vec<(Node, Node)>) -> Adjacency {
        let mut steps = Vec::with_capacity(self.edges.len());
        for edge in &self.edges {
            for (from, to) in towards(*edge) {
                steps.push((from, Step { to, kind: edge.kind }));
            }
        }
        Adjacency::of(self.len(), steps)
    }

    /// Each pair of linked nodes once from either end, kinds forgotten.
    pub fn simple_undirected(&self) -> Vec<Vec<Node>> {
        let mut neighbours = vec![Vec::new(); self.len()];
        for edge in self.edges.iter().filter(|edge| edge.source != edge.target) {
            neighbours[edge.source as usize].push(edge.target);
            neighbours[edge.target as usize].push(edge.source);
        }
        for list in &mut neighbours {
            list.sort_unstable();
            list.dedup();
        }
        neighbours
    }
}

/// Whether two of an item's links say the same.
fn has_repeated_rows(record: Record<'_>) -> bool {
    let mut rows: Vec<(String, &str)> = match record.links().nth(1) {
        Some(_) => record.links().map(|link| (fold(link.id.trim()), link.kind)).collect(),
        None => return false,
    };
    rows.sort_unstable();
    rows.windows(2).any(|pair| pair[0] == pair[1])
}

/// Whether a scalar `blocked_by` holds a reason in words.
fn is_sentence(kind: &LinkKind, target: &str) -> bool {
    kind.name == "blocked_by" && is_in_words(target)
}

//! Bounded walks: what is reachable, by which paths, how far away.

use std::collections::VecDeque;

use super::kinds::{Family, LinkKind};
use super::network::{Adjacency, Edge, Network, Node};

/// What a walk looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Nodes taken from the queue.
    pub visited_nodes: usize,
    /// Edges looked at.
    pub inspected_edges: usize,
}

/// Which way edges are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Direction {
    /// From the holder of a link to its target.
    Outgoing,
    /// From the target to the holder.
    Incoming,
    /// Either way.
    #[default]
    Both,
}

impl Direction {
    /// The (from, to) pairs of an edge.
    pub fn pairs(self, edge: Edge) -> Vec<(Node, Node)> {
        match self {
            Direction::Outgoing => vec![(edge.source, edge.target)],
            Direction::Incoming => vec![(edge.target, edge.source)],
            Direction::Both => vec![(edge.source, edge.target), (edge.target, edge.source)],
        }
    }
}

/// A lineage: along one family of edges, to those before (or above) or to those after (or below).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lineage {
    /// Ordering or hierarchy.
    pub family: Family,
    /// Towards the first end: predecessors, ancestors.
    pub backwards: bool,
}

impl Lineage {
    /// The steps of this lineage. With kinds of no order, a link leads backwards to its target.
    pub fn adjacency(self, network: &Network<'_>, kinds: Option<&[&'static LinkKind]>) -> Adjacency {
        network.adjacency(|edge| {
            let wanted = match kinds {
                Some(kinds) => edge.kind.is_among(kinds),
                None => edge.kind.family == self.family,
            };
            if !wanted {
                return Vec::new();
            }
            let (first, second) = edge.ordered().unwrap_or((edge.target, edge.source));
            vec![if self.backwards { (second, first) } else { (first, second) }]
        })
    }
}

/// A node that was reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// Which one.
    pub node: Node,
    /// In how many steps.
    pub distance: usize,
    /// From which node: the place in the list of reached ones, `None` for the root's neighbours.
    pub from: Option<usize>,
}

/// Breadth first, neighbours by id; the root itself is not among the reached.
pub fn reach(graph: &Adjacency, root: Node, max_depth: Option<usize>) -> (Vec<Reached>, Cost) {
    let mut seen = vec![false; graph.nodes()];
    seen[root as usize] = true;
    let mut reached: Vec<Reached> = Vec::new();
    let mut cost = Cost::default();
    let mut queue: VecDeque<(Node, usize, Option<usize>)> = VecDeque::from([(root, 0, None)]);
    while let Some((node, distance, place)) = queue.pop_front() {
        cost.visited_nodes += 1;
        if max_depth.is_some_and(|max| distance >= max) {
            continue;
        }
        for step in graph.from(node) {
            cost.inspected_edges += 1;
            if std::mem::replace(&mut seen[step.to as usize], true) {
                continue;
            }
            reached.push(Reached { node: step.to, distance: distance + 1, from: place });
            queue.push_back((step.to, distance + 1, Some(reached.len() - 1)));
        }
    }
    (reached, cost)
}

/// The way from the root to a reached node, both ends included.
pub fn route(reached: &[Reached], root: Node, place: usize) -> Vec<Node> {
    let mut path = Vec::new();
    let mut at = Some(place);
    while let Some(n) = at {
        path.push(reached[n].node);
        at = reached[n].from;
    }
    path.push(root);
    path.reverse();
    path
}

/// A way between two nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The nodes, both ends included.
    pub nodes: Vec<Node>,
    /// The kinds of the edges between them.
    pub kinds: Vec<&'static str>,
}

/// How far a search for paths goes.
#[derive(Clone, Copy, Debug)]
pub struct PathLimits {
    /// The longest path, in edges.
    pub depth: usize,
    /// So many paths.
    pub paths: usize,
    /// So many partial paths are looked at.
    pub visits: usize,
}

impl Default for PathLimits {
    fn default() -> Self {
        PathLimits { depth: 8, paths: 5, visits: 10_000 }
    }
}

/// The shortest simple paths between two nodes, and whether there are more than were asked for.
pub fn paths(graph: &Adjacency, from: Node, to: Node, limits: PathLimits) -> (Vec<Path>, bool, Cost) {
    let (mut found, mut cost) = (Vec::new(), Cost::default());
    let mut queue = VecDeque::from([Path { nodes: vec![from], kinds: Vec::new() }]);
    while let Some(path) = queue.pop_front() {
        if cost.visited_nodes == limits.visits {
            return (found, true, cost);
        }
        cost.visited_nodes += 1;
        let Some(&end) = path.nodes.last() else { continue };
        if end == to && path.nodes.len() > 1 {
            if found.len() == limits.paths {
                return (found, true, cost);
            }
            found.push(path);
            continue;
        }
        if path.kinds.len() == limits.depth {
            continue;
        }
        for step in graph.from(end) {
            cost.inspected_edges += 1;
            if path.nodes.contains(&step.to) {
                continue;
            }
            let mut longer = path.clone();
            longer.nodes.push(step.to);
            longer.kinds.push(step.kind.name);
            queue.push_back(longer);
        }
    }
    (found, false, cost)
}

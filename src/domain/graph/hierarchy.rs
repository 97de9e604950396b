//! Who contains whom, and where the two ways of saying it disagree.

use std::collections::BTreeSet;

use super::cycles::cycles;
use super::kinds::Family;
use super::network::{Network, Node};

/// A child with its parents by each way of storing them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The child.
    pub child: Node,
    /// What its `parent` says.
    pub scalar: Node,
    /// What dependencies say, of its own or of others.
    pub rows: Vec<Node>,
}

/// The containment relation and its faults.
#[derive(Debug, Default)]
pub struct Hierarchy {
    /// How often the relation is stored: by `parent` and by dependencies.
    pub relations: usize,
    /// Cycles, each sorted.
    pub cycles: Vec<Vec<Node>>,
    /// Children with several parents: the child and all of them.
    pub several_parents: Vec<(Node, Vec<Node>)>,
    /// Children whose `parent` is not what the dependencies say.
    pub divergent: Vec<Divergence>,
}

impl Hierarchy {
    /// Reads the relation off a network.
    pub fn of(network: &Network<'_>) -> Hierarchy {
        let mut parents: Vec<BTreeSet<Node>> = vec![BTreeSet::new(); network.len()];
        let mut rows: Vec<BTreeSet<Node>> = vec![BTreeSet::new(); network.len()];
        for edge in network.edges().iter().filter(|edge| edge.kind.family == Family::Hierarchy) {
            let Some((parent, child)) = edge.ordered() else { continue };
            parents[child as usize].insert(parent);
            if !is_scalar(network, child, parent) || named_twice(network, child, parent) {
                rows[child as usize].insert(parent);
            }
        }
        let mut hierarchy = Hierarchy::default();
        for child in network.nodes() {
            let all = &parents[child as usize];
            if all.len() > 1 {
                hierarchy.several_parents.push((child, all.iter().copied().collect()));
            }
            let scalar = network.record(child).parent().and_then(|id| network.node(id.trim()));
            let by_rows = &rows[child as usize];
            hierarchy.relations += usize::from(scalar.is_some()) + by_rows.len();
            if let Some(scalar) = scalar
                && by_rows.iter().any(|&parent| parent != scalar)
            {
                let others = by_rows.iter().copied().filter(|&parent| parent != scalar).collect();
                hierarchy.divergent.push(Divergence { child, scalar, rows: others });
            }
        }
        let upwards = network.adjacency(|edge| match edge.kind.family {
            Family::Hierarchy => edge.ordered().map(|(parent, child)| (child, parent)).into_iter().collect(),
            _ => Vec::new(),
        });
        hierarchy.cycles = cycles(&upwards);
        hierarchy
    }
}

fn is_scalar(network: &Network<'_>, child: Node, parent: Node) -> bool {
    network.record(child).parent().and_then(|id| network.node(id.trim())) == Some(parent)
}

/// Whether dependencies say the relation too.
fn named_twice(network: &Network<'_>, child: Node, parent: Node) -> bool {
    network.record(child).links().any(|link| {
        super::kinds::LinkKind::resolve(link.kind).is_some_and(|kind| kind.name == "parent")
            && network.node(link.id.trim()) == Some(parent)
    })
}

//! Edges that say nothing new: another path of the same family says it already.

use super::kinds::Family;
use super::network::{Adjacency, Edge, Network, Node};
use super::walk::Cost;

/// The longest alternative path that counts, in edges.
const MAX_PATH: usize = 8;

/// An edge and the path that makes it redundant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redundant {
    /// The edge.
    pub edge: Edge,
    /// The other path, from the end that comes first to the one that comes second.
    pub witness: Vec<Node>,
}

/// Every redundant edge, by source, target and kind.
pub fn redundant(network: &Network<'_>) -> (Vec<Redundant>, Cost) {
    let (mut found, mut cost) = (Vec::new(), Cost::default());
    for family in [Family::Ordering, Family::Hierarchy] {
        let graph = network.adjacency(|edge| {
            if edge.kind.family == family { edge.ordered().into_iter().collect() } else { Vec::new() }
        });
        let back = network.adjacency(|edge| {
            let turned = |(first, second)| (second, first);
            if edge.kind.family == family {
                edge.ordered().into_iter().map(turned).collect()
            } else {
                Vec::new()
            }
        });
        let others = |graph: &Adjacency, node, but| graph.from(node).iter().any(|step| step.to != but);
        for edge in network.edges().iter().filter(|edge| edge.kind.family == family) {
            let Some((first, second)) = edge.ordered() else { continue };
            // Another path leaves by another edge and arrives by another one: most edges have neither, and are not
            // worth a walk around a hub of thousands.
            if !others(&back, second, first) || !others(&graph, first, second) {
                continue;
            }
            if let Some(witness) = detour(&graph, first, second, &mut cost) {
                found.push(Redundant { edge: *edge, witness });
            }
        }
    }
    found.sort_by_key(|r| (r.edge.source, r.edge.target, r.edge.kind.name));
    (found, cost)
}

/// The shortest path of two edges or more.
fn detour(graph: &Adjacency, from: Node, to: Node, cost: &mut Cost) -> Option<Vec<Node>> {
    let mut layer: Vec<(Node, usize)> = vec![(from, 0)];
    let mut trail: Vec<(Node, usize)> = vec![(from, 0)];
    let mut seen = std::collections::HashSet::from([from]);
    for depth in 0..MAX_PATH {
        let mut next = Vec::new();
        for &(node, place) in &layer {
            cost.visited_nodes += 1;
            for step in graph.from(node) {
                cost.inspected_edges += 1;
                if depth == 0 && step.to == to {
                    continue;
                }
                if !seen.insert(step.to) {
                    continue;
                }
                trail.push((step.to, place));
                if step.to == to {
                    return Some(unwind(&trail));
                }
                next.push((step.to, trail.len() - 1));
            }
        }
        layer = next;
    }
    None
}

/// The path to the last node of a trail of (node, place of its predecessor).
fn unwind(trail: &[(Node, usize)]) -> Vec<Node> {
    let mut place = trail.len() - 1;
    let mut path = vec![trail[place].0];
    while place != 0 {
        place = trail[place].1;
        path.push(trail[place].0);
    }
    path.reverse();
    path
}

//! Communities by label propagation: each node takes the label most of its neighbours have.

use std::collections::HashMap;

use super::network::{Network, Node};
use super::walk::{Cost, Direction};

/// So many rounds at most.
const MAX_ROUNDS: usize = 16;

/// What label propagation ends in.
#[derive(Debug)]
pub struct Communities {
    /// Groups of two and more, each sorted; largest first, then by first member.
    pub groups: Vec<Vec<Node>>,
    /// Rounds that were needed.
    pub rounds: usize,
    /// Whether the last round changed nothing.
    pub converged: bool,
    /// The work done.
    pub cost: Cost,
}

/// Groups the nodes of a network; parallel edges count once each, ties go to the smallest label.
pub fn communities(network: &Network<'_>) -> Communities {
    let graph = network.adjacency(|edge| Direction::Both.pairs(edge));
    let mut labels: Vec<Node> = network.nodes().collect();
    let (mut rounds, mut converged, mut cost) = (0, false, Cost::default());
    let mut votes: HashMap<Node, usize> = HashMap::new();
    while rounds < MAX_ROUNDS && !converged {
        rounds += 1;
        converged = true;
        for node in network.nodes() {
            cost.visited_nodes += 1;
            votes.clear();
            for step in graph.from(node) {
                cost.inspected_edges += 1;
                *votes.entry(labels[step.to as usize]).or_default() += 1;
            }
            let best = votes.iter().max_by_key(|&(label, count)| (*count, std::cmp::Reverse(*label)));
            if let Some((&label, _)) = best
                && labels[node as usize] != label
            {
                labels[node as usize] = label;
                converged = false;
            }
        }
    }
    let mut by_label: HashMap<Node, Vec<Node>> = HashMap::new();
    for node in network.nodes() {
        by_label.entry(labels[node as usize]).or_default().push(node);
    }
    let mut groups: Vec<Vec<Node>> = by_label.into_values().filter(|group| group.len() > 1).collect();
    groups.sort_by(|a, b| b.len().cmp(&a.len()).then(a[0].cmp(&b[0])));
    Communities { groups, rounds, converged, cost }
}

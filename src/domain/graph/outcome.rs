//! Which work leads to a declared outcome.

use std::collections::VecDeque;

use super::network::{Edge, Network, Node};

/// A milestone whose title begins so names an outcome.
const OUTCOME: &str = "outcome milestone:";

/// Nodes that lead to an outcome, and those that do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// So many lead to one.
    pub reachable: usize,
    /// So many do not.
    pub unreachable: usize,
}

impl Share {
    /// The reachable share in hundredths of a percent; all of nothing is all.
    pub fn basis_points(self) -> usize {
        let all = self.reachable + self.unreachable;
        (self.reachable * 10_000).checked_div(all).unwrap_or(10_000)
    }
}

/// How much of the work leads to an outcome.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reachability {
    /// How many outcomes are declared.
    pub outcomes: usize,
    /// Open items.
    pub active: Share,
    /// Closed and canceled items.
    pub terminal: Share,
    /// All items.
    pub all: Share,
}

/// Follows links of purpose from each item to the declared outcomes.
pub fn outcomes(network: &Network<'_>, is_over: &dyn Fn(Node) -> bool) -> Reachability {
    let is_outcome = |node: Node| {
        let record = network.record(node);
        record.kind() == "Milestone" && record.title().trim_start().to_lowercase().starts_with(OUTCOME)
    };
    let declared: Vec<Node> = network.nodes().filter(|&node| is_outcome(node)).collect();
    // Walked against the direction of purpose, from the outcomes.
    let graph = network.adjacency(|edge| purpose(edge).into_iter().map(|(from, to)| (to, from)).collect());
    let mut seen = vec![false; network.len()];
    let mut queue: VecDeque<Node> = declared.iter().copied().collect();
    for &node in &declared {
        seen[node as usize] = true;
    }
    while let Some(node) = queue.pop_front() {
        for step in graph.from(node) {
            if !std::mem::replace(&mut seen[step.to as usize], true) {
                queue.push_back(step.to);
            }
        }
    }
    let mut found = Reachability { outcomes: declared.len(), ..Reachability::default() };
    for node in network.nodes().filter(|&node| !is_outcome(node)) {
        let share = if is_over(node) { &mut found.terminal } else { &mut found.active };
        for share in [share, &mut found.all] {
            if seen[node as usize] {
                share.reachable += 1;
            } else {
                share.unreachable += 1;
            }
        }
    }
    found
}

/// The (from, to) pairs along which an edge passes a purpose on.
fn purpose(edge: Edge) -> Vec<(Node, Node)> {
    match edge.kind.name {
        "discovered_from" | "implements" | "incident_from" | "parent" | "recurs_from" | "verifies" => {
            vec![(edge.source, edge.target)]
        }
        "child" => vec![(edge.target, edge.source)],
        "supersedes" => vec![(edge.source, edge.target), (edge.target, edge.source)],
        _ => Vec::new(),
    }
}

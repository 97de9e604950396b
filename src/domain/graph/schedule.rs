//! Layers, critical path and slack over the ordering edges.

use super::cycles::cycles;
use super::kinds::Family;
use super::network::{Adjacency, Edge, Network, Node};

/// The order of work as the ordering edges give it.
#[derive(Debug)]
pub struct Schedule {
    /// From each node to those that come right after it.
    pub after: Adjacency,
    /// Nodes in an order in which each stands after those before it; nodes of cycles and behind them are missing.
    pub order: Vec<Node>,
    /// The longest chain that ends in each node, in steps.
    pub depth: Vec<u32>,
    /// The longest chain that begins in each node, in steps.
    pub height: Vec<u32>,
    /// Whether a node has an ordering edge.
    pub participates: Vec<bool>,
    /// Cycles, each sorted.
    pub cycles: Vec<Vec<Node>>,
    predecessor: Vec<Option<Node>>,
}

/// An edge of an ordering kind with the end that comes first in front.
pub fn precedence(edge: Edge) -> Vec<(Node, Node)> {
    if edge.kind.family == Family::Ordering { edge.ordered().into_iter().collect() } else { Vec::new() }
}

impl Schedule {
    /// Schedules the nodes of a network.
    pub fn of(network: &Network<'_>) -> Schedule {
        let after = network.adjacency(precedence);
        let n = network.len();
        let (mut waiting, mut participates) = (vec![0u32; n], vec![false; n]);
        for node in network.nodes() {
            for step in after.from(node) {
                waiting[step.to as usize] += 1;
                participates[step.to as usize] = true;
                participates[node as usize] = true;
            }
        }
        let (order, depth, predecessor) = layers(&after, waiting);
        let mut height = vec![0u32; n];
        for &node in order.iter().rev() {
            height[node as usize] =
                after.from(node).iter().map(|step| height[step.to as usize] + 1).max().unwrap_or(0);
        }
        let cycles = if order.len() == n { Vec::new() } else { cycles(&after) };
        Schedule { after, order, depth, height, participates, cycles, predecessor }
    }

    /// Whether no item waits for itself.
    pub fn acyclic(&self) -> bool {
        self.order.len() == self.after.nodes()
    }

    /// How many layers there are: the longest chain has so many nodes.
    pub fn layers(&self) -> u32 {
        self.order.iter().map(|&node| self.depth[node as usize] + 1).max().unwrap_or(0)
    }

    /// The nodes that wait for nothing.
    pub fn frontier(&self) -> impl Iterator<Item = Node> + '_ {
        self.order.iter().copied().filter(|&node| self.depth[node as usize] == 0)
    }

    /// The longest chain, from its first node to its last; of equal ones that with the smallest ids.
    pub fn critical_path(&self) -> Vec<Node> {
        let deepest = |best: Option<Node>, node: Node| match best {
            Some(b)
                if (self.depth[b as usize], std::cmp::Reverse(b))
                    >= (self.depth[node as usize], std::cmp::Reverse(node)) =>
            {
                Some(b)
            }
            _ => Some(node),
        };
        let mut at = self.order.iter().copied().fold(None, deepest);
        let mut path = Vec::new();
        while let Some(node) = at {
            path.push(node);
            at = self.predecessor[node as usize];
        }
        path.reverse();
        path
    }

    /// How many steps a node may slip without moving the end: 0 on the critical path.
    pub fn slack(&self, node: Node) -> u32 {
        let makespan = self.layers();
        makespan.saturating_sub(1 + self.depth[node as usize] + self.height[node as usize])
    }
}

/// Kahn's algorithm, smallest node first within a layer.
fn layers(after: &Adjacency, mut waiting: Vec<u32>) -> (Vec<Node>, Vec<u32>, Vec<Option<Node>>) {
    let n = waiting.len();
    let (mut order, mut depth) = (Vec::with_capacity(n), vec![0u32; n]);
    let mut predecessor: Vec<Option<Node>> = vec![None; n];
    let mut layer: Vec<Node> = (0..n as Node).filter(|&node| waiting[node as usize] == 0).collect();
    while !layer.is_empty() {
        let mut next = Vec::new();
        for &node in &layer {
            order.push(node);
            for step in after.from(node) {
                let to = step.to as usize;
                let deeper = depth[node as usize] + 1;
                if deeper > depth[to] || (deeper == depth[to] && predecessor[to].is_some_and(|p| node < p)) {
                    depth[to] = deeper;
                    predecessor[to] = Some(node);
                }
                waiting[to] -= 1;
                if waiting[to] == 0 {
                    next.push(step.to);
                }
            }
        }
        next.sort_unstable();
        layer = next;
    }
    (order, depth, predecessor)
}

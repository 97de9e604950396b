//! Centrality: who lies between the others (Brandes), and who is near them.

use super::network::{Network, Node};
use super::schedule::precedence;
use super::walk::Cost;

/// Above so many nodes the betweenness is estimated from [`SAMPLE`] sources.
pub const EXACT_NODES: usize = 4_000;

/// Sources of an estimate.
pub const SAMPLE: usize = 256;

/// One node's measures, on the simple undirected graph.
#[derive(Clone, Copy, Debug)]
pub struct Centrality {
    /// The node.
    pub node: Node,
    /// Its neighbours.
    pub degree: usize,
    /// Ordering edges that end in it.
    pub in_degree: usize,
    /// Ordering edges that begin in it.
    pub out_degree: usize,
    /// Shortest paths between others that pass it.
    pub betweenness: f64,
    /// Wasserman and Faust's closeness, which also works when not all is connected.
    pub closeness: f64,
}

/// All nodes, most central first.
#[derive(Debug)]
pub struct Ranking {
    /// By betweenness, then degree, then id.
    pub rows: Vec<Centrality>,
    /// Pairs of linked nodes.
    pub simple_edges: usize,
    /// Whether betweenness and closeness are estimates.
    pub sampled: bool,
    /// The work done.
    pub cost: Cost,
}

/// Measures every node.
pub fn ranking(network: &Network<'_>) -> Ranking {
    let graph = network.simple_undirected();
    let n = graph.len();
    let sampled = n > EXACT_NODES;
    let sources: Vec<usize> =
        if sampled { (0..SAMPLE).map(|k| k * n / SAMPLE).collect() } else { (0..n).collect() };
    let mut state = Brandes::new(n);
    let mut distances = vec![(0u64, 0u64); n];
    let mut cost = Cost::default();
    for &source in &sources {
        state.run(&graph, source, &mut cost);
        for &node in &state.order {
            let entry = &mut distances[if sampled { node as usize } else { source }];
            entry.0 += 1;
            entry.1 += u64::from(state.distance[node as usize]);
        }
    }
    let scale = if sources.is_empty() { 0.0 } else { n as f64 / sources.len() as f64 / 2.0 };
    let ordering = network.adjacency(precedence);
    let mut in_degree = vec![0usize; n];
    for node in network.nodes() {
        for step in ordering.from(node) {
            in_degree[step.to as usize] += 1;
        }
    }
    let mut rows: Vec<Centrality> = network
        .nodes()
        .map(|node| {
            let v = node as usize;
            Centrality {
                node,
                degree: graph[v].len(),
                in_degree: in_degree[v],
                out_degree: ordering.from(node).len(),
                betweenness: six_digits(state.between[v] * scale),
                closeness: six_digits(closeness(distances[v], sources.len(), n)),
            }
        })
        .collect();
    rows.sort_by(|a, b| {
        b.betweenness.total_cmp(&a.betweenness).then(b.degree.cmp(&a.degree)).then(a.node.cmp(&b.node))
    });
    let simple_edges = graph.iter().map(Vec::len).sum::<usize>() / 2;
    Ranking { rows, simple_edges, sampled, cost }
}

/// From how many nodes were reached, at what distance in all, of how many looked from.
fn closeness((reached, total): (u64, u64), sources: usize, n: usize) -> f64 {
    if total == 0 || n < 2 {
        return 0.0;
    }
    let others = if sources == n { reached - 1 } else { reached } as f64;
    let share = if sources == n { others / (n - 1) as f64 } else { others / sources as f64 };
    others / total as f64 * share
}

fn six_digits(x: f64) -> f64 {
    (x * 1e6).round() / 1e6
}

/// The state of one run of Brandes' algorithm, reused from source to source.
struct Brandes {
    between: Vec<f64>,
    distance: Vec<u32>,
    paths: Vec<f64>,
    dependency: Vec<f64>,
    order: Vec<Node>,
}

impl Brandes {
    fn new(n: usize) -> Brandes {
        Brandes {
            between: vec![0.0; n],
            distance: vec![u32::MAX; n],
            paths: vec![0.0; n],
            dependency: vec![0.0; n],
            order: Vec::with_capacity(n),
        }
    }

    fn run(&mut self, graph: &[Vec<Node>], source: usize, cost: &mut Cost) {
        for &node in &self.order {
            self.distance[node as usize] = u32::MAX;
        }
        self.order.clear();
        self.paths.fill(0.0);
        self.dependency.fill(0.0);
        self.distance[source] = 0;
        self.paths[source] = 1.0;
        self.order.push(source as Node);
        let mut at = 0;
        while at < self.order.len() {
            let v = self.order[at] as usize;
            at += 1;
            cost.visited_nodes += 1;
            for &w in &graph[v] {
                cost.inspected_edges += 1;
                let w = w as usize;
                if self.distance[w] == u32::MAX {
                    self.distance[w] = self.distance[v] + 1;
                    self.order.push(w as Node);
                }
                if self.distance[w] == self.distance[v] + 1 {
                    self.paths[w] += self.paths[v];
                }
            }
        }
        for &w in self.order.iter().rev() {
            let w = w as usize;
            for &v in &graph[w] {
                let v = v as usize;
                if self.distance[v] + 1 == self.distance[w] {
                    self.dependency[v] += self.paths[v] / self.paths[w] * (1.0 + self.dependency[w]);
                }
            }
            if w != source {
                self.between[w] += self.dependency[w];
            }
        }
    }
}

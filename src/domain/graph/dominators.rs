//! Dominators: the nodes that every way from the root must pass (Cooper, Harvey and Kennedy).

use super::network::{Adjacency, Node};
use super::walk::Cost;

/// A node that others can only be reached through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bottleneck {
    /// The node.
    pub node: Node,
    /// Its immediate dominator.
    pub idom: Node,
    /// How many nodes lie behind it.
    pub dominated: usize,
}

/// The bottlenecks below a root: most dominated first, then by id; and how many nodes are reachable, root included.
pub fn bottlenecks(graph: &Adjacency, root: Node) -> (Vec<Bottleneck>, usize, Cost) {
    let (order, mut cost) = reverse_postorder(graph, root);
    let n = graph.nodes();
    const NONE: u32 = u32::MAX;
    let mut number = vec![NONE; n];
    for (at, &node) in order.iter().enumerate() {
        number[node as usize] = at as u32;
    }
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); order.len()];
    for (at, &node) in order.iter().enumerate() {
        for step in graph.from(node) {
            cost.inspected_edges += 1;
            before[number[step.to as usize] as usize].push(at as u32);
        }
    }
    let mut idom = vec![NONE; order.len()];
    idom[0] = 0;
    let mut changed = true;
    while changed {
        changed = false;
        for at in 1..order.len() {
            let mut known = before[at].iter().copied().filter(|&p| idom[p as usize] != NONE);
            let Some(first) = known.next() else { continue };
            let meet = known.fold(first, |a, b| intersect(&idom, a, b));
            if idom[at] != meet {
                idom[at] = meet;
                changed = true;
            }
        }
    }
    let mut below = vec![0usize; order.len()];
    for at in (1..order.len()).rev() {
        below[idom[at] as usize] += below[at] + 1;
    }
    let mut found: Vec<Bottleneck> = (1..order.len())
        .filter(|&at| below[at] > 0)
        .map(|at| Bottleneck { node: order[at], idom: order[idom[at] as usize], dominated: below[at] })
        .collect();
    found.sort_by_key(|b| (std::cmp::Reverse(b.dominated), b.node));
    (found, order.len(), cost)
}

fn intersect(idom: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        while a > b {
            a = idom[a as usize];
        }
        while b > a {
            b = idom[b as usize];
        }
    }
    a
}

fn reverse_postorder(graph: &Adjacency, root: Node) -> (Vec<Node>, Cost) {
    let mut seen = vec![false; graph.nodes()];
    seen[root as usize] = true;
    let (mut work, mut order, mut cost) = (vec![(root, 0usize)], Vec::new(), Cost::default());
    while let Some(&mut (node, ref mut at)) = work.last_mut() {
        if let Some(step) = graph.from(node).get(*at) {
            *at += 1;
            if !std::mem::replace(&mut seen[step.to as usize], true) {
                work.push((step.to, 0));
            }
        } else {
            cost.visited_nodes += 1;
            order.push(node);
            work.pop();
        }
    }
    order.reverse();
    (order, cost)
}

//! Strongly connected components: where an order contradicts itself.

use super::network::{Adjacency, Node};

/// The components with more than one node, and single nodes that lead to themselves; each sorted, by first node.
pub fn cycles(graph: &Adjacency) -> Vec<Vec<Node>> {
    let mut found = components(graph);
    found.retain(|component| {
        component.len() > 1 || graph.from(component[0]).iter().any(|step| step.to == component[0])
    });
    found.sort();
    found
}

/// Tarjan's strongly connected components without recursion; each sorted.
pub fn components(graph: &Adjacency) -> Vec<Vec<Node>> {
    const UNSEEN: u32 = u32::MAX;
    let n = graph.nodes();
    let (mut index, mut low, mut on_stack) = (vec![UNSEEN; n], vec![0u32; n], vec![false; n]);
    let (mut stack, mut next, mut found) = (Vec::new(), 0u32, Vec::new());
    for root in 0..n as Node {
        if index[root as usize] != UNSEEN {
            continue;
        }
        let mut work: Vec<(Node, usize)> = vec![(root, 0)];
        while let Some(&mut (node, ref mut at)) = work.last_mut() {
            let v = node as usize;
            if *at == 0 {
                index[v] = next;
                low[v] = next;
                next += 1;
                stack.push(node);
                on_stack[v] = true;
            }
            if let Some(step) = graph.from(node).get(*at) {
                *at += 1;
                let w = step.to as usize;
                if index[w] == UNSEEN {
                    work.push((step.to, 0));
                } else if on_stack[w] {
                    low[v] = low[v].min(index[w]);
                }
                continue;
            }
            work.pop();
            if let Some(&(parent, _)) = work.last() {
                low[parent as usize] = low[parent as usize].min(low[v]);
            }
            if low[v] == index[v] {
                let at = stack.iter().rposition(|&w| w == node).unwrap_or(0);
                let mut component = stack.split_off(at);
                for &w in &component {
                    on_stack[w as usize] = false;
                }
                component.sort_unstable();
                found.push(component);
            }
        }
    }
    found
}

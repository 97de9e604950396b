//! Articulation points and bridges: what would fall apart if one node, or one edge, went.

use super::network::{Network, Node};

/// The weak places of the simple undirected graph.
#[derive(Debug, Default)]
pub struct WeakPlaces {
    /// Nodes whose removal splits a component.
    pub points: Vec<Node>,
    /// Edges whose removal splits a component, smaller end first.
    pub bridges: Vec<(Node, Node)>,
    /// Edge ends looked at.
    pub inspected: usize,
}

/// Finds them by Tarjan's low links, without recursion.
pub fn weak_places(network: &Network<'_>) -> WeakPlaces {
    const UNSEEN: u32 = u32::MAX;
    let graph = network.simple_undirected();
    let n = graph.len();
    let (mut index, mut low) = (vec![UNSEEN; n], vec![0u32; n]);
    let mut is_point = vec![false; n];
    let (mut weak, mut next) = (WeakPlaces::default(), 0u32);
    for root in 0..n {
        if index[root] != UNSEEN {
            continue;
        }
        let mut children_of_root = 0;
        index[root] = next;
        low[root] = next;
        next += 1;
        let mut work: Vec<(usize, Option<usize>, usize)> = vec![(root, None, 0)];
        while let Some(&mut (node, parent, ref mut at)) = work.last_mut() {
            if let Some(&to) = graph[node].get(*at) {
                *at += 1;
                weak.inspected += 1;
                let to = to as usize;
                if Some(to) == parent {
                    continue;
                }
                if index[to] == UNSEEN {
                    index[to] = next;
                    low[to] = next;
                    next += 1;
                    work.push((to, Some(node), 0));
                } else {
                    low[node] = low[node].min(index[to]);
                }
                continue;
            }
            work.pop();
            let Some(parent) = parent else { continue };
            low[parent] = low[parent].min(low[node]);
            if low[node] > index[parent] {
                weak.bridges.push((node.min(parent) as Node, node.max(parent) as Node));
            }
            if parent == root {
                children_of_root += 1;
            } else if low[node] >= index[parent] {
                is_point[parent] = true;
            }
        }
        is_point[root] = children_of_root > 1;
    }
    weak.points = (0..n).filter(|&node| is_point[node]).map(|node| node as Node).collect();
    weak.bridges.sort_unstable();
    weak
}

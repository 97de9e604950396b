//! Decisions that govern an item: those that it refers to, or that somebody above or before it does.

use std::cell::OnceCell;

use super::graph::kinds::Family;
use super::graph::network::{Adjacency, Network, Node};
use super::graph::walk;
use crate::model::records::{Record, Records};

/// How many decisions of an item are told, nearest first.
const TOLD: usize = 3;

/// A decision, and the way to it.
#[derive(Clone, Debug)]
pub struct Governing<'a> {
    /// The decision.
    pub decision: Record<'a>,
    /// The ids on the way, both ends included.
    pub path: Vec<&'a str>,
    /// The kinds of the links between them, as the way was walked.
    pub kinds: Vec<&'static str>,
}

/// The links of a tracker as they are followed to decisions.
#[derive(Debug)]
pub struct Ways<'a> {
    network: Network<'a>,
    steps: OnceCell<Adjacency>,
}

impl<'a> Ways<'a> {
    /// Of all items, finished ones too: a decision governs long after it was made.
    pub fn new(records: &'a Records) -> Ways<'a> {
        Ways { network: Network::build(records, |_| true), steps: OnceCell::new() }
    }

    /// Links are followed as they are stated, hierarchy upwards only: what somebody else's child decides does not
    /// govern.
    fn steps(&self) -> &Adjacency {
        self.steps.get_or_init(|| {
            self.network.adjacency(|edge| match (edge.kind.family, edge.ordered()) {
                (Family::Hierarchy, Some((parent, child))) => vec![(child, parent)],
                _ => vec![(edge.source, edge.target)],
            })
        })
    }

    /// The decisions within so many steps of an item, nearest first.
    pub fn decisions(&self, id: &str, depth: usize) -> Vec<Governing<'a>> {
        let Some(root) = self.network.node(id) else { return Vec::new() };
        let (reached, _) = walk::reach(self.steps(), root, Some(depth));
        let is_decision = |node: Node| self.network.record(node).kind().eq_ignore_ascii_case("decision");
        let places = (0..reached.len()).filter(|place| is_decision(reached[*place].node));
        places
            .take(TOLD)
            .map(|place| {
                let nodes = walk::route(&reached, root, place);
                let kinds = nodes.windows(2).map(|pair| self.kind(pair[0], pair[1])).collect();
                let path = nodes.iter().map(|node| self.network.id(*node)).collect();
                Governing { decision: self.network.record(reached[place].node), path, kinds }
            })
            .collect()
    }

    fn kind(&self, from: Node, to: Node) -> &'static str {
        self.steps().from(from).iter().find(|step| step.to == to).map_or("", |step| step.kind.name)
    }
}

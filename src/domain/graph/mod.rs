//! The relationship graph of a tracker: items as nodes, links as typed edges (surfaces.md §10).
//!
//! A [`Network`] is built from records once and asked many times. Node numbers follow the order of ids, so "by id"
//! and "by node number" are the same order everywhere in this module.

pub mod articulation;
pub mod audit;
pub mod centrality;
pub mod communities;
pub mod cycles;
pub mod dominators;
pub mod hierarchy;
pub mod kinds;
pub mod network;
pub mod outcome;
pub mod redundancy;
pub mod schedule;
pub mod walk;

pub use kinds::{Family, LinkKind};
pub use network::{Edge, Network, Node};

//! `pm graph`: questions to the relationship graph (surfaces.md §10).

pub(super) mod audit;
mod baseline;
pub(super) mod index;
pub(super) mod lineage;
pub(super) mod measures;
pub(super) mod overview;
pub(super) mod plan;
pub(super) mod routes;
mod scope;

//! `pm merge`: what Git calls, and what people do about what it could not merge.

mod documents;
pub(super) mod driver;
pub(super) mod install;
pub(super) mod reconcile;
pub(super) mod report;
pub(super) mod resolve;
mod returned;
mod sides;
pub(super) mod status;
mod unmerged;

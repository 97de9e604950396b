//! `pm merge`: what Git calls, and what people do about what it could not merge.

pub(super) mod driver;
pub(super) mod install;
pub(super) mod reconcile;
pub(super) mod report;
pub(super) mod resolve;
pub(super) mod status;
mod unmerged;

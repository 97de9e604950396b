//! `pm assurance`: what a tracker promises about itself, and whether it keeps it.

pub(super) mod list;
mod observation;
pub(super) mod registry;
pub(super) mod run;
pub(super) mod show;

//! `pm hooks`: which programs run after changes, and whether they may.

pub(super) mod decide;
pub(super) mod list;

//! `pm plan`: plans with steps, and their logs.

pub(super) mod create;
pub(super) mod links;
pub(super) mod logs;
pub(super) mod materialize;
pub(super) mod places;
pub(super) mod runbook;
pub(super) mod show;
pub(super) mod state;
pub(super) mod steps;

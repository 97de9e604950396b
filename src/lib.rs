//! `pm`: a project tracker whose items are plain files in the user's own Git repository.
//!
//! The modules in layer order; each may use those above it only (docs/architecture.md):
//! [`error`], [`clock`], [`environment`], [`ids`], [`nearest`], [`model`], [`codec`], [`domain`] and [`store`], [`tracker`], [`answer`] and
//! [`contract`], [`kb`], [`catalog`], [`read_output`], [`surface`], [`mutation`], [`grammar`], [`generate`], [`commands`], [`cli`], [`client`].

// A test may panic; the build that is no test is checked all the same.
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod answer;
pub mod catalog;
pub mod cli;
pub mod client;
pub mod clock;
pub mod codec;
pub mod commands;
pub mod contract;
pub mod domain;
pub mod environment;
pub mod error;
pub mod generate;
pub mod grammar;
pub mod ids;
pub mod import;
pub mod kb;
pub mod model;
pub mod mutation;
pub mod nearest;
pub mod read_output;
pub mod rows;
pub mod store;
pub mod surface;
pub mod tracker;

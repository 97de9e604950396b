//! `pm kb`: what a repository says, from its Markdown and its items, at a depth that the caller declares (seed 000).
//!
//! Everything but [`library`] is pure: [`actions`] declares the five actions, [`request`] checks a call against the
//! declaration, [`document`] reads a file, [`corpus`] ties documents together by URI and kind, [`score`] ranks,
//! [`resolve`] follows aliases, renames and supersession, [`reply`] makes the envelopes. [`library`] reads a
//! repository, at the work tree or at any revision.

pub mod actions;
pub mod config;
pub mod corpus;
pub mod cost;
pub mod document;
pub(crate) mod filter;
pub mod kind;
pub mod legacy;
pub mod library;
pub mod lint;
pub(crate) mod record;
pub mod refusal;
pub mod reply;
pub mod request;
pub mod resolve;
pub mod schema;
pub(crate) mod score;
pub(crate) mod snippet;
pub(crate) mod words;

pub use actions::{Action, Flag, Verb};
pub use library::Library;
pub use request::Request;

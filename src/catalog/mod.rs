//! `pm catalog`: procedures of a repository as static files that any client can check (seed 002).
//!
//! A Git commit, a trust root and a day go in; files below `/v1/` come out. Nothing here touches files or the clock
//! but through [`crate::store`] and what the caller hands in.
//!
//! The declarations: [`words`] has the closed vocabularies, [`authored`] what an author writes, [`statement`] what
//! principals sign, [`policy`] whom to trust, [`served`] and [`status`] what is published; [`schema`] makes the
//! published schemas of these types.
//!
//! The rules: [`identity`] names content, [`trust`] climbs the ladder and has the reader's rule
//! ([`trust::effective_trust`]).
//!
//! The building side (records read and checked, artifacts made, written, verified) and the client's side (`signature`,
//! `search`, `conformance`, `serve`, `page`) know each other by these declarations only: `signature` weighs the bytes of
//! [`statement::canonical_bytes`] against [`policy::TrustRoot`] and gives a [`words::Verdict`]; `search` makes the words
//! of [`served::Terms`] and answers from [`served::SearchIndex`]; `conformance` judges a served record by its schema.

pub mod authored;
pub mod identity;
pub mod page;
pub mod policy;
pub mod schema;
pub mod search;
pub mod served;
pub mod signature;
pub mod statement;
pub mod status;
pub mod trust;
pub mod words;

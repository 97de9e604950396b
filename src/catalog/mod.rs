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
//! ([`trust::effective_trust`]), [`output`] is what is forced on a record, [`validator`] holds values to the schemas.
//!
//! The way of a source: [`source`] lists its files at a commit, [`document`] reads one, [`lint`] finds what a schema
//! cannot say, [`judge`] ties a record to its evidence, [`compile`] concludes about all on a day, [`render`] makes bytes
//! of one and [`artifacts`] of all; [`cache`] keeps what does not depend on the day. [`folder`] reads what was built,
//! [`edition`] one major of it, [`sealed`] only what its manifest names; [`verify`] holds it to the contract, [`stability`] to an older build.
//!
//! The client's side: [`signature`] weighs the bytes of [`statement::canonical_bytes`] against
//! [`policy::TrustRoot`], [`search`] makes the words of [`served::Terms`] and answers from [`served::SearchIndex`],
//! [`page`] is what a browser gets, [`serve`] a host for this machine. [`conformance`] decides whether a record may be
//! run, by [`allowlist`] and [`approval`]; [`published`] reads a record of a catalog that was built.

pub mod allowlist;
pub mod approval;
pub mod artifacts;
pub mod authored;
pub mod cache;
pub mod compile;
pub mod conformance;
pub mod document;
pub mod edition;
pub mod finding;
pub mod folder;
pub mod identity;
pub mod judge;
pub mod lint;
pub mod output;
pub mod page;
pub mod policy;
pub mod published;
pub mod render;
pub mod schema;
pub mod sealed;
pub mod search;
pub mod serve;
pub mod served;
pub mod settings;
pub mod signature;
pub mod source;
pub mod stability;
pub mod statement;
pub mod status;
pub mod trust;
pub mod typescript;
pub mod validator;
pub mod verify;
pub mod words;

//! What is made of the declarations: help, documentation, completions, contracts.

pub mod artifacts;
pub mod completions;
pub mod contracts;
pub mod docs;
pub mod man;
pub mod page;
pub mod schema;
pub mod sections;
pub mod surfaces_page;
pub mod tools;

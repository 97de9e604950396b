//! What is made of the declarations: help, documentation, completions, contracts.

pub mod page;

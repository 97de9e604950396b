//! Black-box tests, one file per command.

mod bulk;
mod get;
mod history;
mod list;
mod next;
mod search;

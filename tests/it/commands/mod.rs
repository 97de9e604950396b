//! Black-box tests, one file per command.

mod bulk;
mod append;
mod claim;
mod close;
mod close_task;
mod comments;
mod copy;
mod create;
mod delete;
mod docs;
mod files;
mod focus;
mod get;
mod history;
mod item;
mod learnings;
mod list;
mod next;
mod notes;
mod pause_task;
mod release;
mod restore;
mod search;
mod start_task;
mod test;
mod update;

//! How much of a tracker the checks looked at: what was checked and what could not be read are all there is.

use serde_json::{Value, json};

use crate::domain::survey::Streams;
use crate::model::records::Records;

/// The files of items and, where their chains were verified, of histories: how many there are, how many were checked,
/// how many cannot be read.
pub fn coverage(records: &Records, streams: Option<&Streams>) -> Value {
    let unreadable = unreadable_items(records);
    let mut all = json!({"items": counts(records.len(), unreadable)});
    let folders = records.unreadable().len() - unreadable;
    if folders > 0 {
        all["unreadable_folders"] = folders.into();
    }
    if let Some(streams) = streams {
        let broken = streams.streams.values().filter(|facts| facts.problem.is_some()).count();
        all["histories"] = counts(streams.streams.len() - broken, broken);
    }
    all
}

fn counts(checked: usize, unreadable: usize) -> Value {
    json!({"files": checked + unreadable, "checked": checked, "unreadable": unreadable})
}

/// How many item files cannot be read; what has no extension of one is a folder.
fn unreadable_items(records: &Records) -> usize {
    let is_file = |path: &str| path.ends_with(".toon") || path.ends_with(".md");
    records.unreadable().iter().filter(|file| is_file(&file.path)).count()
}

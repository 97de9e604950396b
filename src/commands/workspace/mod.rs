//! `pm workspace`: copies of the whole tracker, and who holds what.

pub(super) mod claims;
pub(super) mod copies;
pub(super) mod restore;
pub(super) mod views;

use crate::error::{Code, Error, Result};
use crate::mutation::templates::legal_name;
use crate::nearest;
use crate::tracker::{Tracker, WorkspaceSnapshot};

/// What a call means: a name, or the hex digits that an object's name begins with.
#[derive(Debug)]
struct Target {
    object: String,
    /// All names of that object when it was named itself, else the one that was typed.
    names: Vec<String>,
}

/// The copy that is meant.
///
/// Errors: `workspace_snapshot_not_found`.
fn find(tracker: &Tracker, typed: &str) -> Result<Target> {
    let (all, _) = tracker.workspace_snapshots()?;
    let word = typed.trim().to_ascii_lowercase();
    if let Some(one) = all.iter().find(|one| one.name == word) {
        return Ok(Target { object: one.object.clone(), names: vec![word] });
    }
    let mut objects: Vec<&str> = all
        .iter()
        .map(|one| one.object.as_str())
        .filter(|o| word.len() >= 4 && o.starts_with(&word))
        .collect();
    objects.sort_unstable();
    objects.dedup();
    if let [object] = objects.as_slice() {
        let names = all.iter().filter(|one| one.object == *object).map(|one| one.name.clone()).collect();
        return Ok(Target { object: (*object).to_owned(), names });
    }
    let known: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
    Err(Error::new(Code::WorkspaceSnapshotNotFound, format!("no copy of the tracker is called `{typed}`"))
        .at("TARGET")
        .rejecting(typed)
        .fact("allowed_values", nearest::order(&word, &known))
        .hint("pm workspace snapshot list"))
}

/// A name that nobody has yet: `<word>-<time>`.
fn free_name(tracker: &Tracker, word: &str) -> Result<String> {
    let (all, broken) = tracker.workspace_snapshots()?;
    let at = crate::model::timestamp::format(tracker.clock().now());
    let digits: String = at.chars().take(19).filter(char::is_ascii_digit).collect();
    let taken =
        |name: &String| all.iter().any(|one: &WorkspaceSnapshot| one.name == *name) || broken.contains(name);
    let first = legal_name(&format!("{word}-{digits}"))?;
    let mut names = std::iter::once(first.clone()).chain((2..10_000).map(|n| format!("{first}-{n}")));
    names
        .find(|name| !taken(name))
        .ok_or_else(|| Error::new(Code::Internal, "no free name for a copy was found"))
}

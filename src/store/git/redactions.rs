//! What commits tell of redactions: which histories lost one in a merge, and what a history said before.

use std::path::Path;

use super::{look_up, read, run};

/// How an entry that tells of a redaction looks in a history.
const MARKER: &str = "\"op\":\"history_redact\"";

/// How many commits of one history are looked at.
const MOST: &str = "--max-count=16";

/// The commit that is checked out, and those that are being joined with it: the answers of this module depend on them.
pub fn heads(folder: &Path) -> Vec<String> {
    let names = ["HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD"];
    let found = look_up(folder, &names).unwrap_or_default();
    found.lines().filter_map(|line| line.split_once(" commit ")).map(|(name, _)| name.to_owned()).collect()
}

/// The ids of the histories of which a commit, or what a merge joined, tells of another number of redactions than the one
/// before: one of them may have been given up since. Commits that these earlier heads reach are left out.
pub fn unlike(folder: &Path, heads: &[String], earlier: &[String]) -> Option<Vec<String>> {
    let search = format!("-S{MARKER}");
    let mut question = vec!["log", "-m", "--no-renames", "--format=", "--name-only", "-z", &search];
    question.extend(heads.iter().map(String::as_str));
    question.extend(std::iter::once("--not").filter(|_| !earlier.is_empty()));
    question.extend(earlier.iter().map(String::as_str));
    question.extend(["--", "history"]);
    let text = run(folder, &question).ok()?;
    let id = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.strip_suffix(".jsonl").map(str::to_owned)
    };
    let mut ids: Vec<String> = text.split(['\0', '\n']).filter_map(id).collect();
    ids.sort();
    ids.dedup();
    Some(ids)
}

/// A history, by its path below the folder, before and after each commit that tells of a redaction in it, as far as these
/// heads reach.
pub fn redactions(folder: &Path, path: &str, heads: &[String]) -> Vec<[Vec<u8>; 2]> {
    let search = format!("-S{MARKER}");
    let mut question = vec!["log", "--full-history", "-m", MOST, "--format=%H %P", "--no-patch", &search];
    question.extend(heads.iter().map(String::as_str));
    question.extend(["--", path]);
    let text = run(folder, &question).unwrap_or_default();
    let blob =
        |commit: &str| read(folder, &["cat-file", "blob", &format!("{commit}:./{path}")]).unwrap_or_default();
    let count = |bytes: &[u8]| bytes.windows(MARKER.len()).filter(|part| *part == MARKER.as_bytes()).count();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.dedup();
    let steps = lines.into_iter().flat_map(|line| {
        let mut names = line.split(' ');
        let after = names.next().map(&blob).unwrap_or_default();
        names.map(|parent| [blob(parent), after.clone()]).collect::<Vec<_>>()
    });
    steps.filter(|[before, after]| count(after) > count(before)).collect()
}

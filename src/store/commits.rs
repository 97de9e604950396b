//! What Git tells of files: the commits that changed them, and which commit each line comes from.

use std::collections::BTreeMap;
use std::path::Path;

pub use super::git::GitError;

use super::git;

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its full name.
    pub id: String,
    /// When it was made, in milliseconds since the epoch.
    pub at: i64,
    /// Its message.
    pub message: String,
    /// How many of the lines in question come from it; none when no lines are in question.
    pub lines: Option<usize>,
}

/// Where some lines of a file come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The commits, those of most lines first.
    pub commits: Vec<Commit>,
    /// How many lines no commit has yet.
    pub uncommitted: usize,
}

/// How commits are printed: name, seconds, message, a NUL after each.
const FORMAT: &str = "--format=%H%x1f%ct%x1f%B";

/// The latest commits that changed one of these files, or something below a path that ends in `/`; at most so many.
///
/// Errors: there is no `git`, or the folder is in no repository.
pub fn touching(folder: &Path, paths: &[String], most: usize) -> Result<Vec<Commit>, GitError> {
    let most = format!("-n{most}");
    let mut arguments = vec!["--literal-pathspecs", "log", "-z", &most, FORMAT, "--"];
    arguments.extend(paths.iter().map(String::as_str));
    git::plumbing(folder, &arguments).map(|bytes| commits(&bytes))
}

/// Where the lines `first` to `last` of a file come from, as it is now.
///
/// Errors: as [`touching`]; also when the file is not tracked or has fewer lines.
pub fn of_lines(folder: &Path, path: &str, first: usize, last: usize) -> Result<Origin, GitError> {
    let range = format!("-L{first},{last}");
    let bytes = git::plumbing(folder, &["blame", "--porcelain", &range, "--", path])?;
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        if let Some(id) = origin(line) {
            *counts.entry(id.to_owned()).or_default() += 1;
        }
    }
    let own = |id: &String| id.bytes().all(|byte| byte == b'0');
    let uncommitted = counts.iter().filter(|(id, _)| own(id)).map(|(_, lines)| lines).sum();
    counts.retain(|id, _| !own(id));
    if counts.is_empty() {
        return Ok(Origin { commits: Vec::new(), uncommitted });
    }
    let mut arguments = vec!["log", "--no-walk=unsorted", "-z", FORMAT];
    arguments.extend(counts.keys().map(String::as_str));
    let mut found = commits(&git::plumbing(folder, &arguments)?);
    for commit in &mut found {
        commit.lines = counts.get(&commit.id).copied();
    }
    found.sort_by(|a, b| (b.lines, b.at, &a.id).cmp(&(a.lines, a.at, &b.id)));
    Ok(Origin { commits: found, uncommitted })
}

/// The commit that a header line of `blame --porcelain` names: a full name and the numbers of lines.
fn origin(line: &[u8]) -> Option<&str> {
    let mut words = std::str::from_utf8(line).ok()?.split(' ');
    let id = words.next()?;
    let numbers = words.clone().count() >= 2
        && words.all(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit()));
    let named = matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    (named && numbers).then_some(id)
}

fn commits(bytes: &[u8]) -> Vec<Commit> {
    let commit = |text: &[u8]| {
        let text = String::from_utf8_lossy(text).into_owned();
        let mut fields = text.splitn(3, '\u{1f}');
        let (id, at) = (fields.next()?.trim().to_owned(), fields.next()?.parse::<i64>().ok()?);
        let message = fields.next()?.trim_end().to_owned();
        Some(Commit { id, at: at.saturating_mul(1_000), message, lines: None })
    };
    bytes.split(|byte| *byte == 0).filter_map(commit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_told_from_lines_of_the_file() {
        let id = "a".repeat(40);
        assert_eq!(origin(format!("{id} 1 1 3").as_bytes()), Some(id.as_str()));
        assert_eq!(origin(format!("{id} 2 2").as_bytes()), Some(id.as_str()));
        for line in [format!("\t{id} 1 1"), format!("{id} x 1"), "author A 1 1".to_owned(), id.clone()] {
            assert_eq!(origin(line.as_bytes()), None, "{line}");
        }
        let read = commits(b"ab\x1f12\x1fFix pm-a1\n\nmore\n\0cd\x1f13\x1fTwo\n");
        assert_eq!((read.len(), read[0].at, read[0].message.as_str()), (2, 12_000, "Fix pm-a1\n\nmore"));
    }
}

//! The Git repository around a tracker. The only module that starts `git`.

mod merge;
mod redactions;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub use merge::{Joined, Merge, Versions, documents_before};
pub use redactions::{heads, redactions, unlike};

/// A merge driver: the name in `.gitattributes`, what people see, the arguments of `pm merge driver`.
struct Driver {
    name: &'static str,
    title: &'static str,
    arguments: &'static str,
}

/// The names are those of the reference, so that one `.gitattributes` serves both programs (storage.md §8.1).
const DRIVERS: [Driver; 5] = [
    Driver {
        name: "pm-item-toon",
        title: "pm: items, field by field",
        arguments: "item \"%O\" \"%A\" \"%B\" --item-path %P",
    },
    Driver {
        name: "pm-item-markdown",
        title: "pm: older items, field by field",
        arguments: "item \"%O\" \"%A\" \"%B\" --item-path %P",
    },
    Driver {
        name: "pm-history",
        title: "pm: history, entry by entry",
        arguments: "history \"%O\" \"%A\" \"%B\"",
    },
    Driver {
        name: "pm-relationship",
        title: "pm: event streams, entry by entry",
        arguments: "relationship \"%O\" \"%A\" \"%B\"",
    },
    Driver {
        name: "pm-json",
        title: "pm: settings and schema, key by key",
        arguments: "json \"%O\" \"%A\" \"%B\"",
    },
];

/// Why the drivers are not in the repository's configuration.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no `git` to ask.
    #[error("git cannot be started: {0}")]
    Unavailable(std::io::Error),
    /// It refused.
    #[error("git refused: {0}")]
    Refused(String),
}

/// The work tree that a folder lies in: the nearest folder upwards with a `.git`, which a linked worktree has as
/// a file.
pub fn work_tree(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_owned)
}

/// The configuration that the drivers need, for the program at `executable`.
fn wanted(executable: &Path) -> BTreeMap<String, String> {
    let program = executable.to_string_lossy().replace('\'', r"'\''");
    // A program that moved is looked for by its name, so that a merge does not fail for that.
    let find = format!("p='{program}'; test -x \"$p\" || p=pm; \"$p\"");
    DRIVERS
        .iter()
        .flat_map(|driver| {
            let command = format!("{find} merge driver {}", driver.arguments);
            [
                (format!("merge.{}.name", driver.name), driver.title.to_owned()),
                (format!("merge.{}.driver", driver.name), command),
            ]
        })
        .collect()
}

/// Names `executable` as the merge driver of a repository, as far as it is not that already. Returns whether
/// anything changed; a dry run changes nothing.
pub fn install_drivers(work_tree: &Path, executable: &Path, dry_run: bool) -> Result<bool, GitError> {
    let present = read_config(work_tree)?;
    let missing: Vec<_> =
        wanted(executable).into_iter().filter(|(key, value)| present.get(key) != Some(value)).collect();
    if !dry_run {
        for (key, value) in &missing {
            run(work_tree, &["config", "--local", "--replace-all", key, value])?;
        }
    }
    Ok(!missing.is_empty())
}

/// Whether the repository names `executable` for every driver.
pub fn drivers_installed(work_tree: &Path, executable: &Path) -> Result<bool, GitError> {
    install_drivers(work_tree, executable, true).map(|differs| !differs)
}

/// What is wrong with the merge drivers of a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DriverState {
    /// Keys of the configuration that are not there.
    pub missing: Vec<String>,
    /// Keys that name something else. A driver of either program will do: both merge alike.
    pub drifted: Vec<String>,
    /// Programs that the keys name and that are not there, each once.
    pub gone: Vec<String>,
}

/// Looks at the merge drivers that a repository names.
pub fn driver_state(work_tree: &Path) -> Result<DriverState, GitError> {
    let present = read_config(work_tree)?;
    let mut state = DriverState::default();
    for driver in &DRIVERS {
        let key = format!("merge.{}.driver", driver.name);
        let verb = driver.arguments.split(' ').next().unwrap_or_default();
        match present.get(&key) {
            None => state.missing.push(key),
            Some(command) if !command.contains(&format!(" merge driver {verb} ")) => state.drifted.push(key),
            Some(command) => state.gone.extend(gone(command)),
        }
    }
    state.gone.sort();
    state.gone.dedup();
    Ok(state)
}

/// The program, or the script that it runs, that a driver's command names by an absolute path where nothing is.
fn gone(command: &str) -> Option<String> {
    let head = command.split(" merge driver ").next()?.replace(r"'\''", "\0");
    let words = head.split('\'').skip(1).step_by(2).map(|word| word.replace('\0', "'"));
    words.filter(|word| Path::new(word).is_absolute()).find(|word| !Path::new(word).exists())
}

/// The files that Git tracks below these paths, relative to `folder`; all of them when no path is given.
pub fn tracked(folder: &Path, paths: &[String]) -> Result<Vec<String>, GitError> {
    let arguments: Vec<&str> =
        ["ls-files", "-z", "--"].into_iter().chain(paths.iter().map(String::as_str)).collect();
    let text = run(folder, &arguments)?;
    Ok(text.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect())
}

/// The folder in which Git keeps what belongs to this clone.
pub fn common_folder(folder: &Path) -> Option<PathBuf> {
    let text = run(folder, &["rev-parse", "--path-format=absolute", "--git-common-dir"]).ok()?;
    Some(PathBuf::from(text.trim_end_matches('\n')))
}

fn read_config(work_tree: &Path) -> Result<BTreeMap<String, String>, GitError> {
    // Exit code 1 says that no key matches.
    let text = match run(work_tree, &["config", "--local", "--null", "--get-regexp", r"^merge\.pm-"]) {
        Err(GitError::Refused(problem)) if problem.is_empty() => return Ok(BTreeMap::new()),
        other => other?,
    };
    let entries = text.split('\0').filter_map(|entry| entry.split_once('\n'));
    Ok(entries.map(|(key, value)| (key.to_owned(), value.to_owned())).collect())
}

fn run(work_tree: &Path, arguments: &[&str]) -> Result<String, GitError> {
    read(work_tree, arguments).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// Git in a work tree. What a commit holds is what its id names: replacements are of this clone alone, and would make
/// the same commit another one here.
fn git(work_tree: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(work_tree).env("GIT_NO_REPLACE_OBJECTS", "1");
    command
}

/// Runs a command that only reads, and takes nothing from the configuration that runs programs.
pub(super) fn plumbing(work_tree: &Path, arguments: &[&str]) -> Result<Vec<u8>, GitError> {
    let quiet = ["-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "--no-optional-locks"];
    read(work_tree, &[&quiet, arguments].concat())
}

/// Starts a process that hands out blobs.
pub(super) fn batch(work_tree: &Path) -> std::io::Result<std::process::Child> {
    super::documents::cat_file(&mut git(work_tree))
}

/// What names mean, in one question: a line for each, with id, kind and size, or saying that it is missing.
fn look_up(work_tree: &Path, names: &[&str]) -> std::io::Result<String> {
    use std::io::Write as _;
    let mut command = git(work_tree);
    command.args(["cat-file", "--batch-check"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(format!("{}\n", names.join("\n")).as_bytes())?;
    }
    child.wait_with_output().map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn read(work_tree: &Path, arguments: &[&str]) -> Result<Vec<u8>, GitError> {
    let output =
        git(work_tree).args(arguments).stdin(Stdio::null()).output().map_err(GitError::Unavailable)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(GitError::Refused(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drivers_are_quoted_for_the_shell() {
        let wanted = wanted(Path::new("/opt/it's/pm"));
        assert_eq!(
            wanted["merge.pm-item-toon.driver"],
            r#"p='/opt/it'\''s/pm'; test -x "$p" || p=pm; "$p" merge driver item "%O" "%A" "%B" --item-path %P"#
        );
        assert_eq!(gone(&wanted["merge.pm-item-toon.driver"]).as_deref(), Some("/opt/it's/pm"));
        assert_eq!(gone("'/bin/sh' '/no/cli.js' merge driver item x").as_deref(), Some("/no/cli.js"));
        for found in ["'/bin/sh' merge driver item x", "pm merge driver item x", "'it merge driver item"] {
            assert_eq!(gone(found), None, "{found}");
        }
        assert_eq!(wanted.len(), 10);
    }

    #[test]
    fn a_worktree_is_found_by_its_file() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("a/b")).unwrap();
        std::fs::write(dir.path().join("a/.git"), "gitdir: elsewhere").unwrap();
        assert_eq!(work_tree(&dir.path().join("a/b")).unwrap(), dir.path().join("a"));
    }
}

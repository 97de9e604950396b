//! The write-ahead journal: item files and history entries land together, or the next command lands them.
//!
//! A transaction writes down everything it is about to do (`transactions/pm/<pid>-<random>.json`), and waits until
//! that is on disk. From then on it will have happened: its process does it and removes the journal, or dies, and
//! whoever comes next finds the journal of a dead process and does it again. Doing it twice does no harm: each
//! step looks at what is there first, and what others have changed meanwhile stays.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::fault::{self, Fault};
use super::file;
use super::process;
use super::setup;

use crate::codec::hex;

/// The form of journals.
pub(super) const VERSION: u64 = 1;

/// Where journals lie.
pub(super) const FOLDER: &str = "transactions/pm";

/// What is done to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileChange {
    /// Below the tracker root.
    pub(crate) path: String,
    /// What was there when the transaction looked.
    pub(crate) before: Option<Vec<u8>>,
    /// What will be there; nothing: the file goes.
    pub(crate) after: Option<String>,
}

/// A history stream and the files that go with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    /// The stream's path.
    pub(crate) stream: String,
    /// Whether the stream was there.
    pub(crate) existed: bool,
    /// How many bytes of it stay: what follows was never finished.
    pub(crate) keep: u64,
    /// What is appended; nothing where the stream itself is one of the files, written anew.
    pub(crate) text: String,
    /// The files.
    pub(crate) files: Vec<FileChange>,
}

pub(super) fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Lands all groups, or none. The caller holds the locks, whose names a later recovery takes. Returns warnings about
/// what followed from that outside of the tracker.
pub(crate) fn commit(
    root: &Path,
    locks: &[String],
    groups: &[Group],
    fault: &Fault,
) -> io::Result<Vec<String>> {
    fault.reach("locked");
    let mut places = Vec::new();
    for group in groups {
        for change in &group.files {
            let path = file::place(root, &change.path)?;
            places.push((file::temporary(&path), path, change));
        }
    }
    let streams: Vec<PathBuf> =
        groups.iter().map(|group| file::place(root, &group.stream)).collect::<Result<_, _>>()?;
    let journal = write_journal(root, locks, groups, &places)?;
    fault.reach("journal_written");
    let mut undo = Undo::default();
    let outcome = (|| {
        for (temporary, _, change) in &places {
            if let Some(text) = &change.after {
                file::write_new(temporary, text.as_bytes())?;
                undo.temporaries.push(temporary.clone());
            }
        }
        fault.reach("temporary_written");
        for (group, stream) in groups.iter().zip(&streams).filter(|(group, _)| !group.text.is_empty()) {
            undo.streams.push((stream.clone(), group.existed, group.keep));
            append(stream, group.keep, &group.text, fault)?;
        }
        fault.reach("appended");
        let mut folders = BTreeSet::new();
        for (temporary, path, change) in &places {
            undo.files.push((path.clone(), change.before.clone()));
            match &change.after {
                Some(_) => {
                    file::rename(temporary, path)?;
                    fault.reach("renamed");
                }
                None => {
                    remove(path)?;
                    fault.reach("removed");
                }
            }
            folders.extend(path.parent().map(Path::to_owned));
        }
        folders.iter().try_for_each(|folder| file::sync_folder(folder))
    })();
    if let Err(error) = outcome {
        undo.run();
        let _ = fs::remove_file(&journal);
        return Err(error);
    }
    fault.reach("applied");
    let declares = groups.iter().any(|group| declares(&group.stream));
    let warnings = if declares { setup::renew_attributes(root) } else { Vec::new() };
    // Should the removal get lost, the journal is found to be done already.
    let _ = fs::remove_file(&journal);
    fault.reach("journal_removed");
    Ok(warnings)
}

/// Whether a stream is that of the settings and the schema: what Git is told about the tracker follows from them.
pub(super) fn declares(stream: &str) -> bool {
    stream == "history/_workspace.jsonl"
}

/// What takes a failed transaction back; best effort, since the disk that failed may fail again.
#[derive(Default)]
struct Undo {
    temporaries: Vec<PathBuf>,
    streams: Vec<(PathBuf, bool, u64)>,
    files: Vec<(PathBuf, Option<Vec<u8>>)>,
}

impl Undo {
    fn run(self) {
        for (path, before) in self.files.iter().rev() {
            let now = fs::read(path).ok();
            if now != *before {
                let _ = match before {
                    Some(bytes) => file::replace(path, bytes),
                    None => fs::remove_file(path),
                };
            }
        }
        for (path, existed, keep) in self.streams.iter().rev() {
            let _ = if *existed {
                OpenOptions::new().write(true).open(path).and_then(|stream| stream.set_len(*keep))
            } else {
                fs::remove_file(path)
            };
        }
        for path in &self.temporaries {
            let _ = fs::remove_file(path);
        }
    }
}

pub(super) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Appends in one write after cutting off what was never finished, and waits for the disk.
pub(super) fn append(path: &Path, keep: u64, text: &str, fault: &Fault) -> io::Result<()> {
    if let Ok(metadata) = fs::symlink_metadata(path)
        && !metadata.is_file()
    {
        return Err(io::Error::new(
            io::ErrorKind::NotADirectory,
            format!("`{}` is no regular file", path.display()),
        ));
    }
    let created = !path.exists();
    let mut stream = OpenOptions::new().append(true).create(true).open(path)?;
    if stream.metadata()?.len() > keep {
        stream.set_len(keep)?;
    }
    if fault.is("append_torn") {
        let _ = stream.write_all(&text.as_bytes()[..text.len() / 2]);
        fault::die();
    }
    stream.write_all(text.as_bytes())?;
    stream.sync_all()?;
    if created && let Some(folder) = path.parent() {
        file::sync_folder(folder)?;
    }
    Ok(())
}

/// Takes back a journal of which nothing was done yet: an empty one says nothing, where it cannot be removed.
fn withdraw(journal: &Path) {
    if remove(journal).is_err() {
        let _ = OpenOptions::new().write(true).truncate(true).open(journal);
    }
}

pub(super) fn write_journal(
    root: &Path,
    locks: &[String],
    groups: &[Group],
    places: &[(PathBuf, PathBuf, &FileChange)],
) -> io::Result<PathBuf> {
    let pid = std::process::id();
    let mut places = places.iter();
    let groups: Vec<Value> = groups
        .iter()
        .map(|group| {
            let files: Vec<Value> = places
                .by_ref()
                .take(group.files.len())
                .map(|(temporary, _, change)| {
                    json!({
                        "path": change.path,
                        "before": change.before.as_deref().map(digest),
                        "after": change.after,
                        "temporary": temporary.file_name().map(|name| name.to_string_lossy().into_owned()),
                    })
                })
                .collect();
            json!({"stream": group.stream, "keep": group.keep, "text": group.text, "files": files})
        })
        .collect();
    let journal = json!({
        "version": VERSION, "pid": pid, "realm": process::realm(), "started": process::started(pid), "locks": locks, "groups": groups,
    });
    let path = file::place(root, &format!("{FOLDER}/{pid}-{}.json", file::random_hex(6)))?;
    let written = file::write_new(&path, journal.to_string().as_bytes());
    let kept = written.and_then(|()| path.parent().map_or(Ok(()), file::sync_folder));
    if let Err(error) = kept {
        // Whoever is told that nothing was changed must not find it done by the next command.
        withdraw(&path);
        return Err(error);
    }
    Ok(path)
}

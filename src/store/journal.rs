//! The write-ahead journal: item files and history entries land together, or the next command lands them.
//!
//! A transaction writes down everything it is about to do (`transactions/pm/<pid>-<random>.json`), and waits until
//! that is on disk. From then on it will have happened: its process does it and removes the journal, or dies, and
//! whoever comes next finds the journal of a dead process and does it again. Doing it twice does no harm: each
//! step looks at what is there first, and what others have changed meanwhile stays.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::fault::{self, Fault};
use super::file;
use super::history::MAX_STREAM_BYTES;
use super::lock::{self, Terms};
use super::process::{self, Life};

/// Where journals lie.
const FOLDER: &str = "transactions/pm";

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
    /// What is appended.
    pub(crate) text: String,
    /// The files.
    pub(crate) files: Vec<FileChange>,
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Lands all groups, or none. The caller holds the locks, whose names a later recovery takes.
pub(crate) fn commit(root: &Path, locks: &[String], groups: &[Group], fault: &Fault) -> io::Result<()> {
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
        for (group, stream) in groups.iter().zip(&streams) {
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
    // Should the removal get lost, the journal is found to be done already.
    let _ = fs::remove_file(&journal);
    fault.reach("journal_removed");
    Ok(())
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

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Appends in one write after cutting off what was never finished, and waits for the disk.
fn append(path: &Path, keep: u64, text: &str, fault: &Fault) -> io::Result<()> {
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

fn write_journal(
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
        "version": 1, "pid": pid, "realm": process::realm(), "started": process::started(pid), "locks": locks, "groups": groups,
    });
    let path = file::place(root, &format!("{FOLDER}/{pid}-{}.json", file::random_hex(6)))?;
    file::write_new(&path, journal.to_string().as_bytes())?;
    if let Some(folder) = path.parent() {
        file::sync_folder(folder)?;
    }
    Ok(path)
}

/// Finishes what dead processes began, and removes the locks that they left. Journals of living ones, and of other
/// machines, are left alone; so is everything when the tracker cannot be written. `held` are locks that the caller
/// has already.
pub(crate) fn recover(root: &Path, terms: &Terms, held: &[String]) {
    redo_all(root, terms, held);
    if let Ok(locks) = lock::existing_folder(root) {
        lock::sweep(&locks, terms);
    }
}

fn redo_all(root: &Path, terms: &Terms, held: &[String]) {
    let Ok(entries) = fs::read_dir(root.join(FOLDER)) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".json") {
            let _ = recover_one(root, &path, &name, terms, held);
        }
    }
}

fn recover_one(root: &Path, path: &Path, name: &str, terms: &Terms, held: &[String]) -> io::Result<()> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Ok(());
    }
    let Ok(Value::Object(journal)) = serde_json::from_slice(&fs::read(path)?) else {
        // Never finished, so nothing was done yet; its name says who began it.
        let pid = name.split('-').next().and_then(|pid| pid.parse().ok());
        if pid.is_some_and(|pid| process::life(pid, None) == Life::Dead) {
            fs::remove_file(path)?;
        }
        return Ok(());
    };
    let pid = journal.get("pid").and_then(Value::as_u64).and_then(|pid| u32::try_from(pid).ok());
    let ours = journal.get("realm").and_then(Value::as_str) == Some(process::realm().as_str());
    let started = journal.get("started").and_then(Value::as_str);
    if !ours || !pid.is_some_and(|pid| process::life(pid, started) == Life::Dead) {
        return Ok(());
    }
    let folder = lock::folder(root)?;
    let mut taken = Vec::new();
    for id in texts(journal.get("locks")).filter(|id| !held.iter().any(|known| known == id)) {
        if !crate::model::id::is_file_name(id) {
            return Ok(());
        }
        taken.push(lock::acquire(&folder, id, terms).map_err(io::Error::other)?);
    }
    // Somebody else may have done it while we waited.
    if path.exists() {
        for group in journal.get("groups").and_then(Value::as_array).into_iter().flatten() {
            redo(root, group)?;
        }
        fs::remove_file(path)?;
    }
    drop(taken);
    Ok(())
}

fn texts(value: Option<&Value>) -> impl Iterator<Item = &str> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// How far a group came.
enum Progress {
    /// The entries are not there, or only a part of them.
    Pending,
    /// They are the last of the stream.
    Appended,
    /// Others wrote after them, or in their place.
    Overtaken,
}

/// Does one group again, as far as it is not done, and unless others went on from another state.
fn redo(root: &Path, group: &Value) -> io::Result<()> {
    let (Some(stream), Some(keep), Some(text)) = (
        group.get("stream").and_then(Value::as_str),
        group.get("keep").and_then(Value::as_u64),
        group.get("text").and_then(Value::as_str),
    ) else {
        return Ok(());
    };
    let files: Vec<&Map<String, Value>> = group
        .get("files")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_object)
        .collect();
    let stream = file::place(root, stream)?;
    let progress = progress(&stream, keep, text)?;
    let mut pending = Vec::new();
    for change in &files {
        let Some(relative) = change.get("path").and_then(Value::as_str) else { continue };
        let path = file::place(root, relative)?;
        if let Some(name) = change.get("temporary").and_then(Value::as_str)
            && name.starts_with('.')
            && crate::store::source::is_safe_name(name)
        {
            let _ = fs::remove_file(path.with_file_name(name));
        }
        let now = fs::read(&path).ok();
        let after = change.get("after").and_then(Value::as_str);
        let before = change.get("before").and_then(Value::as_str);
        if now.as_deref() == after.map(str::as_bytes) {
            continue;
        }
        if now.as_deref().map(digest).as_deref() != before {
            // Changed by somebody else since: what they wrote stays, and so does the stream.
            return Ok(());
        }
        pending.push((path, after));
    }
    match progress {
        Progress::Overtaken => return Ok(()),
        Progress::Pending => append(&stream, keep, text, &Fault::default())?,
        Progress::Appended => {}
    }
    for (path, after) in pending {
        match after {
            Some(text) => file::replace(&path, text.as_bytes())?,
            None => remove(&path)?,
        }
    }
    Ok(())
}

fn progress(stream: &Path, keep: u64, text: &str) -> io::Result<Progress> {
    let mut file = match fs::File::open(stream) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound && keep == 0 => return Ok(Progress::Pending),
        Err(error) => return Err(error),
    };
    let size = file.metadata()?.len();
    if size < keep || size > MAX_STREAM_BYTES {
        return Ok(Progress::Overtaken);
    }
    file.seek(SeekFrom::Start(keep))?;
    let mut rest = Vec::new();
    file.read_to_end(&mut rest)?;
    Ok(if rest == text.as_bytes() {
        Progress::Appended
    } else if text.as_bytes().starts_with(&rest) {
        Progress::Pending
    } else {
        Progress::Overtaken
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::time::Duration;

    use super::*;

    fn terms() -> Terms {
        let wait = Duration::from_millis(100);
        Terms { owner: "ann".to_owned(), wait, ttl_seconds: 1800, force: false, force_required: true }
    }

    fn group() -> Group {
        Group {
            stream: "history/pm-1.jsonl".to_owned(),
            existed: true,
            keep: 6,
            text: "{\"n\":2}\n".to_owned(),
            files: vec![
                FileChange {
                    path: "issues/pm-1.toon".to_owned(),
                    before: None,
                    after: Some("new".to_owned()),
                },
                FileChange { path: "tasks/pm-1.toon".to_owned(), before: Some(b"old".to_vec()), after: None },
            ],
        }
    }

    /// A tracker in which an item is about to move, with a torn line in its stream.
    fn tracker() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["history", "tasks", "issues", "locks"] {
            fs::create_dir(dir.path().join(folder)).unwrap();
        }
        fs::write(dir.path().join("history/pm-1.jsonl"), "{\"n\"}\n{\"to").unwrap();
        fs::write(dir.path().join("tasks/pm-1.toon"), "old").unwrap();
        dir
    }

    fn files(dir: &Path) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for folder in ["history", "issues", "tasks", "locks", FOLDER] {
            for entry in fs::read_dir(dir.join(folder)).into_iter().flatten() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(dir).unwrap().to_str().unwrap().to_owned();
                found.push((name, fs::read_to_string(path).unwrap()));
            }
        }
        found.sort();
        found
    }

    fn done() -> Vec<(String, String)> {
        [("history/pm-1.jsonl", "{\"n\"}\n{\"n\":2}\n"), ("issues/pm-1.toon", "new")]
            .map(|(name, text)| (name.to_owned(), text.to_owned()))
            .to_vec()
    }

    /// The journal as a process that is gone would have left it.
    fn leave_journal(dir: &Path) -> PathBuf {
        let path = write_journal(dir, &["pm-1".to_owned()], &[group()], &places(dir)).unwrap();
        let mut journal: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        journal["started"] = json!("1");
        fs::write(&path, journal.to_string()).unwrap();
        path
    }

    fn places(dir: &Path) -> Vec<(PathBuf, PathBuf, &'static FileChange)> {
        let group: &'static Group = Box::leak(Box::new(group()));
        group
            .files
            .iter()
            .map(|change| {
                let path = dir.join(&change.path);
                (file::temporary(&path), path, change)
            })
            .collect()
    }

    #[test]
    fn a_commit_lands_everything_and_leaves_nothing() {
        let dir = tracker();
        commit(dir.path(), &[], &[group()], &Fault::default()).unwrap();
        assert_eq!(files(dir.path()), done());
    }

    #[test]
    fn recovery_lands_a_transaction_from_every_state() {
        let torn = "{\"n\"}\n{\"n\":";
        let whole = "{\"n\"}\n{\"n\":2}\n";
        for (stream, moved, removed) in [
            ("{\"n\"}\n", false, false),
            (torn, false, false),
            (whole, false, false),
            (whole, true, false),
            (whole, true, true),
        ] {
            let dir = tracker();
            leave_journal(dir.path());
            fs::write(dir.path().join("history/pm-1.jsonl"), stream).unwrap();
            if moved {
                fs::write(dir.path().join("issues/pm-1.toon"), "new").unwrap();
            }
            if removed {
                fs::remove_file(dir.path().join("tasks/pm-1.toon")).unwrap();
            }
            recover(dir.path(), &terms(), &[]);
            assert_eq!(files(dir.path()), done(), "{stream:?} {moved} {removed}");
        }
    }

    #[test]
    fn what_others_wrote_since_stays() {
        for (path, text) in [
            ("tasks/pm-1.toon", "edited by hand"),
            ("history/pm-1.jsonl", "{\"n\"}\n{\"other\":1}\n"),
            ("history/pm-1.jsonl", "{\"n\"}\n{\"n\":2}\n{\"n\":3}\n"),
        ] {
            let dir = tracker();
            fs::write(dir.path().join(path), text).unwrap();
            let before = files(dir.path());
            leave_journal(dir.path());
            recover(dir.path(), &terms(), &[]);
            assert_eq!(files(dir.path()), before, "{path} {text}");
        }
    }

    #[test]
    fn journals_of_the_living_and_of_strangers_are_left_alone() {
        let dir = tracker();
        let journal = leave_journal(dir.path());
        for change in
            [json!({"started": process::started(std::process::id())}), json!({"realm": "elsewhere"})]
        {
            let mut value: Value = serde_json::from_slice(&fs::read(&journal).unwrap()).unwrap();
            value.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
            fs::write(&journal, value.to_string()).unwrap();
            let before = files(dir.path());
            recover(dir.path(), &terms(), &[]);
            assert_eq!(files(dir.path()), before);
        }
    }

    #[test]
    fn an_unfinished_journal_of_a_dead_process_goes() {
        let dir = tracker();
        fs::create_dir_all(dir.path().join(FOLDER)).unwrap();
        let before = files(dir.path());
        fs::write(dir.path().join(FOLDER).join("4194305-abc.json"), "{\"version\":1,\"gro").unwrap();
        recover(dir.path(), &terms(), &[]);
        assert_eq!(files(dir.path()), before);
    }

    #[test]
    fn a_failed_commit_takes_everything_back() {
        let dir = tracker();
        let before = files(dir.path());
        let mut failing = group();
        // A folder stands where the second file should go.
        failing.files.push(FileChange {
            path: "tasks/full".to_owned(),
            before: None,
            after: Some("x".to_owned()),
        });
        fs::create_dir_all(dir.path().join("tasks/full/x")).unwrap();
        assert!(commit(dir.path(), &[], &[failing], &Fault::default()).is_err());
        fs::remove_dir_all(dir.path().join("tasks/full")).unwrap();
        // The torn line is gone, as it would be after any write; nothing else changed.
        let repaired: Vec<_> =
            before.into_iter().map(|(name, text)| (name, text.replace("{\"to", ""))).collect();
        assert_eq!(files(dir.path()), repaired);
    }
}

//! Finishing what dead processes began: their journals are done again, their locks go.

use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::fault::Fault;
use super::file;
use super::git;
use super::history::MAX_STREAM_BYTES;
use super::journal::{FOLDER, append, declares, digest, remove};
use super::lock::{self, Lock, LockError, Terms};
use super::process::{self, Life};
use super::setup;
use super::source::is_safe_name;
use crate::model::id;

/// How long to wait before a lock is tried again that had to be given back.
const RETRY: Duration = Duration::from_millis(25);

/// Finishes what dead processes began, and removes the locks that they left, without waiting for anybody. Journals of
/// living ones, and of other machines, are left alone; so is everything when the tracker cannot be written.
pub(crate) fn recover(root: &Path, terms: &Terms) {
    // Whoever holds a lock that is needed here finishes the journal himself.
    let terms = Terms { wait: Duration::ZERO, ..terms.clone() };
    let _ = redo_all(root, &terms, &[], None);
    let Ok(folder) = lock::existing_folder(root) else { return };
    for id in lock::sweep(&folder) {
        drop(take_lock(root, &id, &terms, &mut Vec::new()));
    }
}

/// Takes a lock and adds it to those that are `held`. Whatever journal a dead owner of it left is done before that:
/// nobody goes on from a state that is half of another.
pub(crate) fn take_lock(
    root: &Path,
    id: &str,
    terms: &Terms,
    held: &mut Vec<String>,
) -> Result<Lock, LockError> {
    let failed = |source| LockError::Io { id: id.to_owned(), source };
    let folder = lock::folder(root).map_err(failed)?;
    let start = Instant::now();
    loop {
        let left = terms.wait.saturating_sub(start.elapsed());
        let lock = lock::acquire(&folder, id, &Terms { wait: left, ..terms.clone() })?;
        held.push(id.to_owned());
        // Not waiting here, so that two who each need what the other one has do not wait for ever.
        let quick = Terms { wait: Duration::ZERO, ..terms.clone() };
        match redo_all(root, &quick, held, Some(id)) {
            Ok(()) => return Ok(lock),
            Err(error) => {
                held.pop();
                drop(lock);
                if !matches!(error, LockError::Held { .. }) || start.elapsed() >= terms.wait {
                    return Err(error);
                }
                std::thread::sleep(lock::jitter(RETRY));
            }
        }
    }
}

/// Does again what journals of dead processes say, all of them or those that need the lock `only`; `held` are locks
/// that the caller has.
///
/// Errors: a lock that one of them needs is held by somebody else, or the system refuses.
fn redo_all(root: &Path, terms: &Terms, held: &[String], only: Option<&str>) -> Result<(), LockError> {
    let Ok(entries) = fs::read_dir(root.join(FOLDER)) else { return Ok(()) };
    for entry in entries.flatten() {
        let Some(journal) = Journal::left_behind(entry.path()) else { continue };
        if only.is_none_or(|id| journal.locks.iter().any(|known| known == id)) {
            journal.finish(root, terms, held)?;
        }
    }
    Ok(())
}

/// A journal whose process is gone.
struct Journal {
    path: PathBuf,
    locks: Vec<String>,
    groups: Vec<Value>,
}

impl Journal {
    /// Reads a journal; none when its process lives, is of another machine, or never finished writing it.
    fn left_behind(path: PathBuf) -> Option<Journal> {
        let name = path.file_name()?.to_str()?.strip_suffix(".json")?.to_owned();
        if !fs::symlink_metadata(&path).ok()?.is_file() {
            return None;
        }
        let Ok(Value::Object(mut journal)) = serde_json::from_slice(&fs::read(&path).ok()?) else {
            // Never finished, so nothing was done yet; its name says who began it.
            let pid = name.split('-').next()?.parse().ok()?;
            if process::life(pid, None) == Life::Dead {
                let _ = fs::remove_file(&path);
            }
            return None;
        };
        // One of a newer program is for that program.
        if journal.get("version").and_then(Value::as_u64) != Some(super::journal::VERSION) {
            return None;
        }
        let pid = journal.get("pid").and_then(Value::as_u64).and_then(|pid| u32::try_from(pid).ok())?;
        let ours = journal.get("realm").and_then(Value::as_str) == Some(process::realm().as_str());
        let started = journal.get("started").and_then(Value::as_str);
        if !ours || process::life(pid, started) != Life::Dead {
            return None;
        }
        let mut list = |key: &str| match journal.remove(key) {
            Some(Value::Array(list)) => list,
            _ => Vec::new(),
        };
        let locks: Vec<String> = list("locks").iter().filter_map(Value::as_str).map(str::to_owned).collect();
        let usable = locks.iter().all(|lock| id::is_file_name(lock));
        usable.then(|| Journal { path, locks, groups: list("groups") })
    }

    fn finish(&self, root: &Path, terms: &Terms, held: &[String]) -> Result<(), LockError> {
        let mut held = held.to_vec();
        let mut taken = Vec::new();
        for id in &self.locks {
            if !held.contains(id) {
                taken.push(take_lock(root, id, terms, &mut held)?);
            }
        }
        // Somebody else may have done it meanwhile.
        if self.path.exists() {
            let done = self.groups.iter().try_for_each(|group| redo(root, group));
            let stream = |group: &Value| group.get("stream").and_then(Value::as_str).is_some_and(declares);
            if done.is_ok() && self.groups.iter().any(stream) {
                setup::renew_attributes(root);
                sweep_attributes(root);
            }
            done.and_then(|()| fs::remove_file(&self.path)).map_err(|source| {
                let id = self.locks.first().cloned().unwrap_or_default();
                LockError::Io { id, source }
            })?;
        }
        drop(taken);
        Ok(())
    }
}

/// Removes what dead processes left beside the file that tells Git how to merge a tracker.
fn sweep_attributes(root: &Path) {
    let Some(work_tree) = git::work_tree(root) else { return };
    for entry in fs::read_dir(work_tree).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let owner = file::temporary_owner(&name).filter(|_| name.starts_with("..gitattributes."));
        if owner.is_some_and(|pid| process::life(pid, None) == Life::Dead) {
            let _ = fs::remove_file(entry.path());
        }
    }
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
    // Nothing to append: the stream is one of the files.
    let progress = if text.is_empty() { Progress::Appended } else { progress(&stream, keep, text)? };
    let mut pending = Vec::new();
    for change in &files {
        let Some(relative) = change.get("path").and_then(Value::as_str) else { continue };
        let path = file::place(root, relative)?;
        let Some(name) = change.get("temporary").and_then(Value::as_str) else { continue };
        if !name.starts_with('.') || !is_safe_name(name) {
            continue;
        }
        let temporary = path.with_file_name(name);
        remove(&temporary)?;
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
        pending.push((path, temporary, after));
    }
    match progress {
        Progress::Overtaken => return Ok(()),
        Progress::Pending => append(&stream, keep, text, &Fault::default())?,
        Progress::Appended => {}
    }
    for (path, temporary, after) in pending {
        match after {
            // Under the name that the journal knows: should we die as well, the next one removes it.
            Some(text) => {
                file::write_new(&temporary, text.as_bytes())?;
                file::rename(&temporary, &path)?;
            }
            None => remove(&path)?,
        }
        path.parent().map_or(Ok(()), file::sync_folder)?;
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
    } else if text.as_bytes().starts_with(&rest) || !rest.contains(&b'\n') {
        // A line that nobody finished, this one or one from before, is cut off.
        Progress::Pending
    } else {
        Progress::Overtaken
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::super::journal::{FileChange, Group, commit, write_journal};
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
            recover(dir.path(), &terms());
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
            recover(dir.path(), &terms());
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
            recover(dir.path(), &terms());
            assert_eq!(files(dir.path()), before);
        }
    }

    #[test]
    fn nobody_gets_a_lock_before_its_journal_is_done() {
        let dir = tracker();
        let journal = leave_journal(dir.path());
        let mut value: Value = serde_json::from_slice(&fs::read(&journal).unwrap()).unwrap();
        value["locks"] = json!(["pm-1", "pm-2"]);
        fs::write(&journal, value.to_string()).unwrap();
        let locks = lock::folder(dir.path()).unwrap();
        let other = lock::acquire(&locks, "pm-2", &terms()).unwrap();
        let refused = take_lock(dir.path(), "pm-1", &terms(), &mut Vec::new());
        assert!(matches!(refused, Err(LockError::Held { id, .. }) if id == "pm-2"));
        assert!(!locks.join("pm-1.lock").exists());
        drop(other);
        drop(take_lock(dir.path(), "pm-1", &terms(), &mut Vec::new()).unwrap());
        assert_eq!(files(dir.path()), done());
    }

    #[test]
    fn an_unfinished_journal_of_a_dead_process_goes() {
        let dir = tracker();
        fs::create_dir_all(dir.path().join(FOLDER)).unwrap();
        let before = files(dir.path());
        fs::write(dir.path().join(FOLDER).join("4194305-abc.json"), "{\"version\":1,\"gro").unwrap();
        recover(dir.path(), &terms());
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

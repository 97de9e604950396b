//! Locks: the reference's files and protocol, with an owner that can be asked whether it lives (storage.md §5.1,
//! product.md §5.3).
//!
//! A lock appears with its whole content at once (a hard link to a finished file). Whoever dies leaves it behind;
//! a holder that is known to be dead does not hold anybody up, one that lives is waited for, however long ago it
//! came. Only a holder that nobody can ask is judged by the age of its lock.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use super::file;
use super::process::{self, Life};
use crate::clock::Clock;
use crate::domain::health::Locks;
use crate::model::timestamp;

/// How long a holder that names no realm must be seen dead before its lock is taken over: it could live in
/// another process namespace, and then its lock goes away in less.
const DOUBT: Duration = Duration::from_millis(400);

/// After this time a lock without readable content is one that nobody is about to fill.
const UNFINISHED: Duration = Duration::from_secs(1);

/// The ages at which the folder that guards a takeover is stale itself (storage.md §5.1).
const GATE_STALE: Duration = Duration::from_secs(10);
const GATE_CAP: Duration = Duration::from_secs(300);

/// What the caller offers and allows.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    /// The author, for people who look into the file.
    pub(crate) owner: String,
    /// How long to wait for one holder that lives.
    pub(crate) wait: Duration,
    /// The age at which the lock of a holder that cannot be asked is stale.
    pub(crate) ttl_seconds: u64,
    /// Whether `--force` was given.
    pub(crate) force: bool,
    /// Whether a stale lock is taken over only with `--force`.
    pub(crate) force_required: bool,
}

/// Why a lock was not taken.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LockError {
    /// A holder lives, or may live.
    #[error("`{id}` is locked by {holder}")]
    Held { id: String, holder: String, waited: Duration },
    /// The lock is older than its time, and the tracker wants `--force` for that.
    #[error("the lock on `{id}`, left by {holder}, is stale")]
    Stale { id: String, holder: String },
    /// The system refused.
    #[error("the lock on `{id}` cannot be taken: {source}")]
    Io { id: String, source: io::Error },
}

/// A lock that this process holds; dropping it releases it.
#[derive(Debug)]
pub(crate) struct Lock {
    path: PathBuf,
    content: Vec<u8>,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Somebody may have judged us dead and taken over: then it is no longer ours to remove.
        if fs::read(&self.path).is_ok_and(|content| content == self.content) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Who holds a lock, as far as its content says.
#[derive(Debug, Default)]
struct Holder {
    pid: Option<u32>,
    owner: String,
    created_ms: Option<i64>,
    realm: Option<String>,
    started: Option<String>,
}

impl Holder {
    fn read(content: &[u8]) -> Option<Holder> {
        let value: Value = serde_json::from_slice(content).ok()?;
        let object = value.as_object()?;
        let text = |key: &str| object.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(Holder {
            pid: object.get("pid").and_then(Value::as_u64).and_then(|pid| u32::try_from(pid).ok()),
            owner: text("owner").unwrap_or_default(),
            created_ms: text("created_at").and_then(|at| timestamp::parse(&at)),
            realm: text("realm"),
            started: text("started"),
        })
    }

    /// Whether it is known for certain that the holder is gone.
    fn is_dead(&self) -> bool {
        self.realm.as_deref() == Some(process::realm().as_str())
            && self.pid.is_some_and(|pid| process::life(pid, self.started.as_deref()) == Life::Dead)
    }

    fn describe(&self) -> String {
        let pid =
            self.pid.map(|pid| format!("process {pid}")).unwrap_or_else(|| "an unknown process".to_owned());
        if self.owner.is_empty() { pid } else { format!("{pid} ({})", self.owner) }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    /// The holder lives or may live.
    Wait,
    /// The holder is dead.
    TakeOver,
    /// The lock is too old, and nobody can be asked.
    Stale,
}

/// The folder of a tracker's locks, made when it is missing; a link in its place is refused.
pub(crate) fn folder(root: &Path) -> io::Result<PathBuf> {
    let folder = root.join("locks");
    match fs::symlink_metadata(&folder) {
        Ok(found) if found.is_dir() => Ok(folder),
        Ok(_) => Err(io::ErrorKind::NotADirectory.into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => fs::create_dir_all(&folder).map(|()| folder),
        Err(error) => Err(error),
    }
}

/// What the locks of a tracker are: held, left behind, or no locks.
pub(crate) fn census(root: &Path, ttl_seconds: u64) -> Locks {
    let mut locks = Locks::default();
    let Ok(entries) = fs::read_dir(root.join("locks")) else { return locks };
    let terms = Terms {
        owner: String::new(),
        wait: Duration::ZERO,
        ttl_seconds,
        force: false,
        force_required: false,
    };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(id) = name.strip_suffix(".lock").filter(|id| !id.starts_with('.')) else { continue };
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        let list = match is_file.then(|| fs::read(entry.path())).transpose() {
            Ok(Some(content)) => match Holder::read(&content) {
                None => &mut locks.unparseable,
                Some(holder) => match judge(Some(&holder), &entry.path(), Duration::ZERO, &terms) {
                    Verdict::Wait => &mut locks.active,
                    Verdict::TakeOver | Verdict::Stale => &mut locks.stale,
                },
            },
            _ => &mut locks.unreadable,
        };
        list.push(id.to_owned());
    }
    for list in [&mut locks.active, &mut locks.stale, &mut locks.unreadable, &mut locks.unparseable] {
        list.sort_unstable();
    }
    locks
}

/// The folder of a tracker's locks, if there is one.
pub(crate) fn existing_folder(root: &Path) -> io::Result<PathBuf> {
    let folder = root.join("locks");
    if fs::symlink_metadata(&folder)?.is_dir() {
        Ok(folder)
    } else {
        Err(io::ErrorKind::NotADirectory.into())
    }
}

/// Takes the lock `id` in the folder `locks`, which must exist.
pub(crate) fn acquire(locks: &Path, id: &str, terms: &Terms) -> Result<Lock, LockError> {
    let path = locks.join(format!("{id}.lock"));
    let failed = |source| LockError::Io { id: id.to_owned(), source };
    let content = content(id, terms);
    let temporary = file::temporary(&path);
    // A lock need not survive a power cut, so nothing waits for the disk here.
    fs::write(&temporary, &content).map_err(failed)?;
    let taken = compete(&path, id, (&temporary, &content), terms);
    let _ = fs::remove_file(&temporary);
    taken.map(|()| Lock { path, content })
}

/// Whether a temporary file or folder is nobody's any more: by what it says of its owner, else by its name.
fn is_abandoned(path: &Path, pid: u32) -> bool {
    let content = fs::read(path).or_else(|_| fs::read(path.join("owner.json")));
    match content.ok().and_then(|content| Holder::read(&content)) {
        Some(owner) => owner.is_dead(),
        // Should it be about to be filled by a process that we cannot see, that one makes it anew.
        None => process::life(pid, None) == Life::Dead,
    }
}

/// Looks for what dead processes of this machine left among the locks: the ids of locks that wait for somebody to
/// inherit them. Temporary files are removed at once.
pub(crate) fn sweep(locks: &Path) -> Vec<String> {
    let mut left = Vec::new();
    for entry in fs::read_dir(locks).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if let Some(id) = name.strip_suffix(".lock").filter(|_| !name.starts_with('.')) {
            let holder = fs::read(entry.path()).ok().and_then(|content| Holder::read(&content));
            left.extend(holder.filter(Holder::is_dead).map(|_| id.to_owned()));
        } else if file::temporary_owner(&name).is_some_and(|pid| is_abandoned(&entry.path(), pid)) {
            let _ = fs::remove_file(entry.path()).or_else(|_| fs::remove_dir_all(entry.path()));
        }
    }
    left
}

fn content(id: &str, terms: &Terms) -> Vec<u8> {
    let pid = std::process::id();
    let mut value = json!({
        "id": id,
        "pid": pid,
        "owner": terms.owner,
        "created_at": timestamp::format(Clock::System.now()),
        "ttl_seconds": terms.ttl_seconds,
        "token": file::random_hex(8),
        "realm": process::realm(),
    });
    if let Some(started) = process::started(pid) {
        value["started"] = Value::from(started);
    }
    let mut text = serde_json::to_string_pretty(&value).unwrap_or_default();
    text.push('\n');
    text.into_bytes()
}

/// How long to sleep before a lock is tried again: at first, and at last.
const SHORTEST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// Each holder is waited for anew, so that a busy item turns nobody away, but not for ever.
const MOST_HOLDERS: u32 = 40;

fn compete(
    path: &Path,
    id: &str,
    (temporary, content): (&Path, &[u8]),
    terms: &Terms,
) -> Result<(), LockError> {
    let failed = |source| LockError::Io { id: id.to_owned(), source };
    let start = Instant::now();
    let mut seen: Option<(Vec<u8>, Instant)> = None;
    let mut pause = SHORTEST_PAUSE;
    loop {
        match link(temporary, path) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            // Taken for abandoned by somebody who cannot see this process.
            Err(error) if error.kind() == io::ErrorKind::NotFound && !temporary.exists() => {
                fs::write(temporary, content).map_err(failed)?;
                continue;
            }
            Err(source) => return Err(failed(source)),
        }
        let found = match fs::read(path) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(source) => return Err(failed(source)),
        };
        if seen.as_ref().is_none_or(|(content, _)| *content != found) {
            seen = Some((found.clone(), Instant::now()));
            // The queue moves: it may be this one's turn soon.
            pause = SHORTEST_PAUSE;
        }
        let watched = seen.as_ref().map_or(Duration::ZERO, |(_, since)| since.elapsed());
        let holder = Holder::read(&found);
        match judge(holder.as_ref(), path, watched, terms) {
            Verdict::Stale if terms.force_required && !terms.force => {
                let holder = holder.unwrap_or_default().describe();
                return Err(LockError::Stale { id: id.to_owned(), holder });
            }
            Verdict::Stale | Verdict::TakeOver => match take_over(path, &found, temporary) {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(source) => return Err(failed(source)),
            },
            Verdict::Wait => {}
        }
        let waited = start.elapsed();
        if watched >= terms.wait || waited >= terms.wait.saturating_mul(MOST_HOLDERS) {
            let holder = holder.unwrap_or_default().describe();
            return Err(LockError::Held { id: id.to_owned(), holder, waited });
        }
        std::thread::sleep(jitter(pause).min(terms.wait - watched));
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Makes the lock appear, whole; fails with `AlreadyExists` when there is one.
fn link(temporary: &Path, path: &Path) -> io::Result<()> {
    match fs::hard_link(temporary, path) {
        Err(error)
            if matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied)
                || error.raw_os_error() == Some(95) =>
        {
            // A file system without hard links: one write right after the exclusive creation.
            let content = fs::read(temporary)?;
            let mut file = fs::OpenOptions::new().write(true).create_new(true).open(path)?;
            io::Write::write_all(&mut file, &content)
        }
        other => other,
    }
}

/// Half to one and a half times the pause, so that those who wait do not move in step.
pub(crate) fn jitter(pause: Duration) -> Duration {
    let mut byte = [0u8; 1];
    let _ = getrandom::fill(&mut byte);
    pause.mul_f64(0.5 + f64::from(byte[0]) / 255.0)
}

fn judge(holder: Option<&Holder>, path: &Path, watched: Duration, terms: &Terms) -> Verdict {
    let age_of_file = fs::metadata(path).and_then(|m| m.modified()).ok();
    let age_of_file =
        age_of_file.and_then(|at| SystemTime::now().duration_since(at).ok()).unwrap_or_default();
    let unchanged = watched.max(age_of_file);
    let Some(holder) = holder else {
        return if unchanged >= UNFINISHED { Verdict::Stale } else { Verdict::Wait };
    };
    let age = holder.created_ms.map(|at| Clock::System.now().saturating_sub(at));
    let ttl_ms = i64::try_from(terms.ttl_seconds.saturating_mul(1000)).unwrap_or(i64::MAX);
    // Without a time of its own a lock is as old as its file.
    let age = age.unwrap_or_else(|| i64::try_from(age_of_file.as_millis()).unwrap_or(i64::MAX));
    let by_age = || if age > ttl_ms { Verdict::Stale } else { Verdict::Wait };
    let (Some(pid), asked) = (holder.pid, holder.realm.as_deref()) else { return by_age() };
    match asked {
        Some(realm) if realm == process::realm() => match process::life(pid, holder.started.as_deref()) {
            Life::Dead => Verdict::TakeOver,
            Life::Alive => Verdict::Wait,
            Life::Unknown => by_age(),
        },
        Some(_) => by_age(),
        // The reference says no more than a number. On a network the number may belong to another machine.
        None if is_shared(path) => by_age(),
        None => match process::life(pid, None) {
            Life::Dead if age > ttl_ms => Verdict::Stale,
            Life::Dead if unchanged >= DOUBT => Verdict::TakeOver,
            Life::Alive if age > ttl_ms && terms.force => Verdict::TakeOver,
            Life::Unknown => by_age(),
            Life::Dead | Life::Alive => Verdict::Wait,
        },
    }
}

/// Whether a path lies on a file system that other machines may write to.
#[cfg(target_os = "linux")]
fn is_shared(path: &Path) -> bool {
    // nfs, smb2, cifs, 9p, fuse, afs, ceph, lustre, vboxsf
    const SHARED: [u64; 9] = [
        0x6969,
        0xfe53_4d42,
        0xff53_4d42,
        0x0102_1997,
        0x6573_5546,
        0x5346_414f,
        0x00c3_6400,
        0x0bd0_0bd0,
        0x786f_4256,
    ];
    rustix::fs::statfs(path).is_ok_and(|stat| SHARED.contains(&(stat.f_type as u64 & 0xffff_ffff)))
}

#[cfg(not(target_os = "linux"))]
fn is_shared(_: &Path) -> bool {
    false
}

/// Puts our lock in the place of one that was judged. False when somebody else is at it, or the lock changed.
fn take_over(path: &Path, judged: &[u8], temporary: &Path) -> io::Result<bool> {
    let mut gate = path.as_os_str().to_owned();
    gate.push(".stale-cleanup");
    let gate = PathBuf::from(gate);
    if !enter(&gate)? {
        return Ok(false);
    }
    let same = fs::read(path).is_ok_and(|content| content == judged);
    // Renaming leaves no moment without a lock, and a copy of ours stays for the caller to remove.
    let taken = same
        && fs::hard_link(temporary, gate.join("lock")).is_ok()
        && fs::rename(gate.join("lock"), path).is_ok();
    let taken = taken || same && fs::rename(temporary, path).is_ok();
    leave(&gate);
    Ok(taken)
}

/// Enters the gate: at most one process takes a lock over at a time. It appears with its owner in it.
fn enter(gate: &Path) -> io::Result<bool> {
    let prepared = file::temporary(gate);
    fs::create_dir(&prepared)?;
    let pid = std::process::id();
    let owner = json!({"pid": pid, "token": file::random_hex(8), "realm": process::realm(), "started": process::started(pid)});
    let entered = fs::write(prepared.join("owner.json"), format!("{owner}\n")).and_then(|()| {
        match rename_new(&prepared, gate) {
            // What a dead process left holds nobody up, not even for one call.
            Err(error) if is_taken(&error) && gate_is_stale(gate) => {
                leave(gate);
                rename_new(&prepared, gate)
            }
            other => other,
        }
    });
    let Err(error) = entered else { return Ok(true) };
    let _ = fs::remove_dir_all(&prepared);
    if is_taken(&error) { Ok(false) } else { Err(error) }
}

/// Whether a gate was not entered because somebody else is in it.
fn is_taken(error: &io::Error) -> bool {
    let taken = [io::ErrorKind::AlreadyExists, io::ErrorKind::DirectoryNotEmpty, io::ErrorKind::NotFound];
    taken.contains(&error.kind())
}

/// Removes a gate in one step: one whose owner died in it half removed would hold everybody up. What is left of it
/// under another name is swept.
fn leave(gate: &Path) {
    let away = file::temporary(gate);
    if fs::rename(gate, &away).is_ok() {
        let _ = fs::remove_dir_all(&away);
    }
}

/// Renames a folder to a name that nobody has; an empty folder of that name is somebody's too.
#[cfg(target_os = "linux")]
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => fs::rename(from, to),
        other => Ok(other?),
    }
}

#[cfg(not(target_os = "linux"))]
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}

fn gate_is_stale(gate: &Path) -> bool {
    let age = fs::metadata(gate).and_then(|m| m.modified()).ok();
    let age = age.and_then(|at| SystemTime::now().duration_since(at).ok()).unwrap_or_default();
    let owner = fs::read(gate.join("owner.json")).ok().and_then(|content| Holder::read(&content));
    let life = owner.as_ref().and_then(|owner| Some(process::life(owner.pid?, owner.started.as_deref())));
    let ours = owner.as_ref().and_then(|owner| owner.realm.as_deref()) == Some(process::realm().as_str());
    match life {
        Some(Life::Dead) if ours => true,
        Some(Life::Alive) => age > GATE_CAP,
        _ => age > GATE_STALE,
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn terms(wait_ms: u64) -> Terms {
        Terms {
            owner: "ann".to_owned(),
            wait: Duration::from_millis(wait_ms),
            ttl_seconds: 1800,
            force: false,
            force_required: false,
        }
    }

    fn dead_pid() -> u32 {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        child.id()
    }

    fn leave(dir: &Path, content: &Value) -> Vec<u8> {
        let bytes = serde_json::to_vec(content).unwrap();
        fs::write(dir.join("pm-1.lock"), &bytes).unwrap();
        bytes
    }

    fn foreign(pid: u32, age_seconds: i64) -> Value {
        let at = timestamp::format(Clock::System.now() - age_seconds * 1000);
        json!({"id": "pm-1", "pid": pid, "owner": "bob", "created_at": at, "ttl_seconds": 1800})
    }

    fn names(dir: &Path) -> Vec<String> {
        fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn one_holder_at_a_time_and_nothing_left() {
        let dir = tempfile::tempdir().unwrap();
        let lock = acquire(dir.path(), "pm-1", &terms(0)).unwrap();
        assert_eq!(names(dir.path()), ["pm-1.lock"]);
        let held = acquire(dir.path(), "pm-1", &terms(0)).unwrap_err();
        assert!(matches!(&held, LockError::Held { holder, .. } if holder.contains("ann")), "{held}");
        drop(lock);
        assert!(names(dir.path()).is_empty());
        drop(acquire(dir.path(), "pm-1", &terms(0)).unwrap());
    }

    #[test]
    fn the_shape_is_that_of_the_reference() {
        let value: Value = serde_json::from_slice(&content("pm-1", &terms(0))).unwrap();
        let keys: Vec<_> = value.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys[..5], ["id", "pid", "owner", "created_at", "ttl_seconds"]);
    }

    #[test]
    fn a_living_holder_is_waited_for_at_any_age() {
        let dir = tempfile::tempdir().unwrap();
        let left = leave(dir.path(), &foreign(std::process::id(), 999_999));
        assert!(matches!(acquire(dir.path(), "pm-1", &terms(30)), Err(LockError::Held { .. })));
        assert_eq!(fs::read(dir.path().join("pm-1.lock")).unwrap(), left);
        let forced = Terms { force: true, ..terms(0) };
        drop(acquire(dir.path(), "pm-1", &forced).unwrap());
    }

    #[test]
    fn a_dead_holder_of_ours_is_taken_over_at_once_under_any_preset() {
        let dir = tempfile::tempdir().unwrap();
        let mut left: Value = serde_json::from_slice(&content("pm-1", &terms(0))).unwrap();
        left["pid"] = json!(dead_pid());
        leave(dir.path(), &left);
        let strict = Terms { force_required: true, ..terms(0) };
        drop(acquire(dir.path(), "pm-1", &strict).unwrap());
        assert!(names(dir.path()).is_empty(), "{:?}", names(dir.path()));
        // The number lives, but it is another process.
        left["pid"] = json!(std::process::id());
        left["started"] = json!("1");
        leave(dir.path(), &left);
        drop(acquire(dir.path(), "pm-1", &strict).unwrap());
    }

    #[test]
    fn a_dead_foreign_holder_is_doubted_first() {
        let dir = tempfile::tempdir().unwrap();
        leave(dir.path(), &foreign(dead_pid(), 0));
        assert!(matches!(acquire(dir.path(), "pm-1", &terms(0)), Err(LockError::Held { .. })));
        drop(acquire(dir.path(), "pm-1", &terms(3000)).unwrap());
    }

    #[test]
    fn age_decides_only_where_nobody_can_be_asked() {
        let dir = tempfile::tempdir().unwrap();
        let strict = Terms { force_required: true, ..terms(0) };
        let forced = Terms { force: true, ..strict.clone() };
        for left in [foreign(dead_pid(), 2000), {
            let mut other = foreign(1, 2000);
            other["realm"] = json!("elsewhere");
            other
        }] {
            leave(dir.path(), &left);
            assert!(matches!(acquire(dir.path(), "pm-1", &strict), Err(LockError::Stale { .. })), "{left}");
            drop(acquire(dir.path(), "pm-1", &forced).unwrap());
            leave(dir.path(), &left);
            drop(acquire(dir.path(), "pm-1", &terms(0)).unwrap());
        }
        let mut young = foreign(1, 10);
        young["realm"] = json!("elsewhere");
        leave(dir.path(), &young);
        assert!(matches!(acquire(dir.path(), "pm-1", &forced), Err(LockError::Held { .. })));
    }

    #[test]
    fn what_the_dead_left_is_swept_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let mut left: Value = serde_json::from_slice(&content("pm-1", &terms(0))).unwrap();
        left["pid"] = json!(dead_pid());
        let (alive, dead) = (std::process::id(), dead_pid());
        leave(dir.path(), &left);
        fs::write(dir.path().join("pm-2.lock"), foreign(dead, 0).to_string()).unwrap();
        fs::write(dir.path().join(format!(".pm-3.lock.{dead}.1.00000000.tmp")), "").unwrap();
        fs::write(dir.path().join(format!(".pm-4.lock.{alive}.1.00000000.tmp")), "").unwrap();
        fs::write(dir.path().join(format!(".pm-5.lock.{alive}.1.00000000.tmp")), left.to_string()).unwrap();
        assert_eq!(sweep(dir.path()), ["pm-1"]);
        let mut rest = names(dir.path());
        rest.sort();
        assert_eq!(
            rest,
            [format!(".pm-4.lock.{alive}.1.00000000.tmp"), "pm-1.lock".to_owned(), "pm-2.lock".to_owned()]
        );
    }

    #[test]
    fn a_gate_of_the_dead_holds_nobody_up() {
        let dir = tempfile::tempdir().unwrap();
        let mut left: Value = serde_json::from_slice(&content("pm-1", &terms(0))).unwrap();
        left["pid"] = json!(dead_pid());
        leave(dir.path(), &left);
        let gate = dir.path().join("pm-1.lock.stale-cleanup");
        fs::create_dir(&gate).unwrap();
        let owner = json!({"pid": dead_pid(), "token": "t", "realm": process::realm(), "started": "1"});
        fs::write(gate.join("owner.json"), owner.to_string()).unwrap();
        drop(acquire(dir.path(), "pm-1", &terms(0)).unwrap());
        assert!(names(dir.path()).is_empty(), "{:?}", names(dir.path()));
        // What a process left that died while it removed its gate.
        let pid = dead_pid();
        fs::create_dir(dir.path().join(format!(".pm-1.lock.stale-cleanup.{pid}.1.00000000.tmp"))).unwrap();
        assert!(sweep(dir.path()).is_empty());
        assert!(names(dir.path()).is_empty(), "{:?}", names(dir.path()));
    }

    #[test]
    fn a_lock_that_is_not_ours_stays() {
        let dir = tempfile::tempdir().unwrap();
        let lock = acquire(dir.path(), "pm-1", &terms(0)).unwrap();
        let other = leave(dir.path(), &foreign(1, 0));
        drop(lock);
        assert_eq!(fs::read(dir.path().join("pm-1.lock")).unwrap(), other);
    }

    #[test]
    fn an_empty_lock_is_about_to_be_filled() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("pm-1.lock"), "").unwrap();
        assert!(matches!(acquire(dir.path(), "pm-1", &terms(50)), Err(LockError::Held { .. })));
        drop(acquire(dir.path(), "pm-1", &terms(3000)).unwrap());
    }

    #[test]
    fn threads_exclude_each_other_also_over_a_dead_lock() {
        let dir = tempfile::tempdir().unwrap();
        let mut left: Value = serde_json::from_slice(&content("pm-1", &terms(0))).unwrap();
        left["pid"] = json!(dead_pid());
        leave(dir.path(), &left);
        let inside = std::sync::atomic::AtomicUsize::new(0);
        let most = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    use std::sync::atomic::Ordering::SeqCst;
                    let lock = acquire(dir.path(), "pm-1", &terms(20_000)).unwrap();
                    let now = inside.fetch_add(1, SeqCst) + 1;
                    most.fetch_max(now, SeqCst);
                    inside.fetch_sub(1, SeqCst);
                    drop(lock);
                });
            }
        });
        assert_eq!(most.into_inner(), 1);
        assert!(names(dir.path()).is_empty(), "{:?}", names(dir.path()));
    }
}

//! Every command of the catalog that writes, among locks of others, in folders that cannot be written, under clocks that
//! jump, beside another version of the program: it does what it does without all that, or it refuses and changes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::every_change::{CALLS, INPUT, copy, difference, prepared};
use super::every_fault::{STEPWISE, broken, bytes, litter, words};
use crate::sandbox::{Output, Sandbox};
use crate::store::reliability::hold;

type Files = BTreeMap<String, Vec<u8>>;

/// What a call came to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    /// What it comes to without the hindrance.
    AsWithout,
    /// Refused with this exit code and error code; nothing changed.
    Refused(i32, String),
    /// A bulk call did the part that it could do, and said so by its exit code.
    InPart,
}

/// A call and what it comes to without any hindrance.
struct Trial<'t> {
    name: &'t str,
    argv: Vec<&'t str>,
    after: Files,
    output: Output,
    /// The checks that fail afterwards.
    findings: BTreeSet<String>,
}

/// The tracker that every trial begins with, and the trials: made once, as they are the same for every hindrance.
struct Ground {
    tracker: Sandbox,
    before: Files,
    trials: Vec<Trial<'static>>,
}

impl Ground {
    fn new() -> Ground {
        let tracker = prepared();
        let trial = |(name, rest, _): &(&'static str, &'static [&'static str], _)| {
            let mut argv = words(name, rest);
            argv.push("--json");
            let sandbox = copy(&tracker);
            let output = sandbox.pm_with(&argv, INPUT);
            let after = unlocked(&sandbox);
            Trial { name, argv, after, output, findings: findings(&sandbox) }
        };
        let trials = CALLS.iter().map(trial).collect();
        Ground { before: unlocked(&copy(&tracker)), trials, tracker }
    }
}

/// One for all tests, gone when the last of them is done with it.
fn ground() -> Arc<Ground> {
    static GROUND: Mutex<Weak<Ground>> = Mutex::new(Weak::new());
    let mut shared = GROUND.lock().unwrap_or_else(PoisonError::into_inner);
    shared.upgrade().unwrap_or_else(|| {
        let ground = Arc::new(Ground::new());
        *shared = Arc::downgrade(&ground);
        ground
    })
}

/// The files without the locks, which a test may have put there itself, and without the place of the binary.
fn unlocked(sandbox: &Sandbox) -> Files {
    let mut files = bytes(sandbox);
    files.retain(|path, _| !path.contains("/locks/"));
    if let Some(config) = files.get_mut(".git/config") {
        let text = String::from_utf8_lossy(config).into_owned();
        let lasting = text.lines().map(|line| line.split_once("driver = ").map_or(line, |(start, _)| start));
        *config = lasting.collect::<Vec<_>>().join("\n").into_bytes();
    }
    files
}

fn code_of(output: &Output) -> String {
    let json: Value = serde_json::from_str(&output.stderr).unwrap_or_default();
    json["code"].as_str().unwrap_or("no code").to_owned()
}

impl Trial<'_> {
    /// What the hindered call came to, or what is wrong about it.
    fn judge(&self, ground: &Ground, sandbox: &Sandbox, output: &Output) -> Result<End, String> {
        self.judge_from(ground, &ground.before, sandbox, output)
    }

    /// The same where the hindrance changed files itself, which makes of them what was there before.
    fn judge_from(
        &self,
        ground: &Ground,
        before: &Files,
        sandbox: &Sandbox,
        output: &Output,
    ) -> Result<End, String> {
        let told = || format!("exit {}: {}{}", output.code, output.stdout, output.stderr);
        let now = unlocked(sandbox);
        if output.stderr.contains("panicked") || output.code < 0 {
            return Err(format!("it died: {}", told()));
        }
        // A copy of the workspace is named after what is in it.
        let touched_of = |before: &Files, after: &Files| {
            let mut paths = difference(before, after);
            paths.retain(|path| !path.contains("/workspace-snapshots/"));
            paths
        };
        let same = if *before == ground.before {
            now == self.after
        } else {
            touched_of(before, &now) == touched_of(&ground.before, &self.after)
        };
        if same && output.code == self.output.code {
            return Ok(End::AsWithout);
        }
        let touched = || difference(before, &now).join(" ");
        let said = ["_unwritable:", "_not_configured:", "gc_not_removed:"];
        match output.code {
            0 if said.iter().any(|warning| output.stdout.contains(warning)) => Ok(End::InPart),
            0 => {
                let missing = difference(&self.after, &now).join(" ");
                Err(format!("it says that it is done, but: {missing}; {}", told()))
            }
            code if now == *before => match code_of(output) {
                // A bulk call tells on its standard output what became of each item.
                code_of if code_of == "no code" && ![1, 6, 7].contains(&code) => Err(told()),
                code_of => Ok(End::Refused(code, code_of)),
            },
            // "No effect" leaves nothing, not even the checkpoint of a call that changed nothing.
            code if STEPWISE.contains(&self.name) && code != 6 => Ok(End::InPart),
            _ => Err(format!("refused, but it changed {}: {}", touched(), told())),
        }
    }
}

/// Tries every call under a hindrance and holds what comes of it in the table. `hinder` runs the call.
fn every(fault: &str, ground: &Ground, hinder: &dyn Fn(&mut Sandbox, &Trial<'_>) -> Result<End, String>) {
    let (mut wrong, mut ends) = (Vec::new(), BTreeMap::<End, Vec<&str>>::new());
    for trial in &ground.trials {
        let mut sandbox = copy(&ground.tracker);
        match hinder(&mut sandbox, trial) {
            Ok(end) => ends.entry(end).or_default().push(trial.name),
            Err(what) => {
                wrong.push(format!("{}: {what}", trial.name).chars().take(500).collect::<String>());
            }
        }
    }
    assert!(wrong.is_empty(), "{fault}:\n{}", wrong.join("\n"));
    hold(fault, &told(&ends));
}

/// How many commands a row of the table names.
const MOST_NAMED: usize = 12;

/// The outcomes in words, the commonest first; those that differ from it by name.
fn told(ends: &BTreeMap<End, Vec<&str>>) -> String {
    let mut ends: Vec<(&End, &Vec<&str>)> = ends.iter().collect();
    ends.sort_by_key(|(end, names)| (std::cmp::Reverse(names.len()), *end));
    let said = |end: &End| match end {
        End::AsWithout => "done as without it".to_owned(),
        End::Refused(code, of) if of == "no code" => {
            format!("refused item by item with exit {code}, nothing changed")
        }
        End::Refused(code, of) => format!("refused with exit {code} `{of}`, nothing changed"),
        End::InPart => "done as far as it can be, and said so".to_owned(),
    };
    let mut parts = Vec::new();
    for (n, (end, names)) in ends.iter().enumerate() {
        let names = match names.len() {
            few if few <= MOST_NAMED => {
                names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            }
            _ => "others".to_owned(),
        };
        parts.push(if n == 0 { said(end) } else { format!("{}: {names}", said(end)) });
    }
    parts.join("; ")
}

/// Runs the call as it is.
fn run(sandbox: &Sandbox, trial: &Trial<'_>) -> Output {
    sandbox.pm_with(&trial.argv, INPUT)
}

/// Everything that a call may take a lock on.
fn lockable(base: &Sandbox) -> BTreeSet<String> {
    let others =
        ["hierarchy-integrity", "workspace-history", "workspace-snapshots", "sdk-workspace-transaction"];
    let streams = bytes(base).into_keys();
    let ids = streams.filter_map(|path| {
        Some(path.strip_prefix(".agents/pm/history/")?.strip_suffix(".jsonl")?.to_owned())
    });
    ids.chain(others.map(str::to_owned)).collect()
}

fn lay(sandbox: &Sandbox, id: &str, lock: &Value) -> PathBuf {
    let mut lock = lock.clone();
    lock["id"] = json!(id);
    let path = format!(".agents/pm/locks/{id}.lock");
    sandbox.write(&path, format!("{lock}\n"));
    sandbox.path().join(path)
}

/// The lock of a process that was killed while it held it.
fn of_the_dead(base: &Sandbox) -> Value {
    let here = copy(base);
    let killed = here.command(&["update", "a", "--priority", "3"]).env("PM_FAULT", "locked").output();
    assert_eq!(killed.expect("the binary runs").status.code(), None);
    serde_json::from_str(&here.read(".agents/pm/locks/pm-a.lock")).expect("a lock is JSON")
}

/// A lock as the reference writes it.
fn of_the_reference(pid: u64) -> Value {
    let now = pm::model::timestamp::format(pm::clock::Clock::System.now());
    json!({"id": "", "pid": pid, "owner": "other", "created_at": now, "ttl_seconds": 1800})
}

#[test]
fn locks_of_the_dead_hold_nobody_up() {
    let ground = ground();
    let (ids, dead) = (lockable(&ground.tracker), of_the_dead(&ground.tracker));
    let whole = |sandbox: &Sandbox, trial: &Trial<'_>| {
        let end = trial.judge(&ground, sandbox, &run(sandbox, trial))?;
        let left = litter(&bytes(sandbox));
        if end == End::AsWithout && left.is_empty() {
            Ok(end)
        } else {
            Err(format!("{end:?}, left {left:?}"))
        }
    };
    every("every command: locks of dead processes", &ground, &|sandbox, trial| {
        ids.iter().for_each(|id| drop(lay(sandbox, id, &dead)));
        whole(sandbox, trial)
    });
    // Nothing says whose number it is: it must have been seen dead for a while, and these have lain there for longer.
    let foreign = of_the_reference(dead["pid"].as_u64().expect("a number"));
    let an_hour_ago = SystemTime::now() - Duration::from_secs(3600);
    every("every command: locks of dead processes of the reference", &ground, &|sandbox, trial| {
        for id in &ids {
            let lock = fs::File::options().write(true).open(lay(sandbox, id, &foreign));
            lock.and_then(|lock| lock.set_modified(an_hour_ago)).expect("the lock can be made older");
        }
        let end = trial.judge(&ground, sandbox, &run(sandbox, trial))?;
        if end == End::AsWithout { Ok(end) } else { Err(format!("{end:?}")) }
    });
}

#[test]
fn locks_of_the_living_are_respected() {
    let ground = ground();
    let (ids, alive) = (lockable(&ground.tracker), of_the_reference(u64::from(std::process::id())));
    every("every command: locks of living processes", &ground, &|sandbox, trial| {
        let locks: Vec<PathBuf> = ids.iter().map(|id| lay(sandbox, id, &alive)).collect();
        let laid: Vec<Vec<u8>> = locks.iter().filter_map(|lock| fs::read(lock).ok()).collect();
        let end = trial.judge(&ground, sandbox, &run(sandbox, trial))?;
        let now: Vec<Vec<u8>> = locks.iter().filter_map(|lock| fs::read(lock).ok()).collect();
        if now == laid { Ok(end) } else { Err("a lock of somebody who lives is gone".to_owned()) }
    });
    every("every command: locks that are given back late", &ground, &|sandbox, trial| {
        let locks: Vec<PathBuf> = ids.iter().map(|id| lay(sandbox, id, &alive)).collect();
        sandbox.set("PM_LOCK_WAIT_MS", "60000");
        let output = given_back(sandbox, trial, &locks);
        sandbox.set("PM_LOCK_WAIT_MS", "0");
        let end = trial.judge(&ground, sandbox, &output)?;
        if end == End::AsWithout { Ok(end) } else { Err(format!("{end:?}: {}", output.stderr)) }
    });
}

/// Runs the call and gives the locks back once it waits for one of them.
fn given_back(sandbox: &Sandbox, trial: &Trial<'_>, locks: &[PathBuf]) -> Output {
    let folder = sandbox.root().join("locks");
    let (code, stdout, stderr) = spawned(sandbox.process(&trial.argv), |ended| {
        let waits = || {
            let mut names = fs::read_dir(&folder).into_iter().flatten().flatten();
            names.any(|entry| entry.file_name().to_string_lossy().ends_with(".tmp"))
        };
        while !ended() && !waits() {
            std::thread::yield_now();
        }
        locks.iter().for_each(|lock| drop(fs::remove_file(lock)));
    });
    Output { argv: Vec::new(), stdout, stderr, code }
}

/// Runs a process with the input that calls read; `meanwhile` happens while it runs.
fn spawned(mut command: Command, meanwhile: impl FnOnce(&mut dyn FnMut() -> bool)) -> (i32, String, String) {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary runs");
    // One that does not read its input is none the worse for it.
    drop(std::io::Write::write_all(&mut child.stdin.take().expect("it is piped"), INPUT.as_bytes()));
    meanwhile(&mut || !matches!(child.try_wait(), Ok(None)));
    let output = child.wait_with_output().expect("the binary ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

/// Somebody without rights of his own on files, when the tests run as somebody who may do anything.
const NOBODY: u32 = 65_534;

fn may_do_anything() -> bool {
    rustix::process::geteuid().is_root()
}

fn each_below(folder: &Path, each: &dyn Fn(&Path)) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            each_below(&entry.path(), each);
        }
        each(&entry.path());
    }
    each(folder);
}

/// Lets a folder, with all that is in it, be written or not.
fn permit(folder: &Path, writable: bool) {
    each_below(folder, &|path| {
        let Ok(meta) = fs::symlink_metadata(path) else { return };
        let mode = meta.permissions().mode();
        let mode = if writable { mode | 0o200 } else { mode & !0o222 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("the mode can be set");
    });
}

/// The binary where everybody can run it.
fn program(folder: &tempfile::TempDir) -> PathBuf {
    let program = folder.path().join("pm");
    fs::copy(env!("CARGO_BIN_EXE_pm"), &program).expect("the binary can be copied");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("the mode can be set");
    program
}

/// Runs a call as somebody who has no rights but those that the files give.
fn run_as_nobody(sandbox: &Sandbox, argv: &[&str], program: Option<&Path>) -> Output {
    let plain = sandbox.process(argv);
    let mut command = Command::new(program.map_or(plain.get_program(), Path::as_os_str));
    command.env_clear().current_dir(sandbox.path()).args(argv);
    command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    if program.is_some() {
        command.uid(NOBODY);
    }
    let (code, stdout, stderr) = spawned(command, |_| {});
    Output { argv: Vec::new(), stdout, stderr, code }
}

fn read_only(fault: &str, folder: &str) {
    closed(fault, folder, &permit);
}

/// Lets a folder be entered and written, but not opened: nobody can wait until its entries are on disk.
fn permit_listing(folder: &Path, listed: bool) {
    let mode = if listed { 0o755 } else { 0o333 };
    fs::set_permissions(folder, fs::Permissions::from_mode(mode)).expect("the mode can be set");
}

/// Tries every call while a folder is closed to it; `permit` closes it and opens it again.
fn closed(fault: &str, folder: &str, permit: &dyn Fn(&Path, bool)) {
    let ground = ground();
    let place = tempfile::tempdir().expect("a temporary folder can be made");
    let own = may_do_anything().then(|| program(&place));
    every(fault, &ground, &|sandbox, trial| {
        fs::create_dir_all(sandbox.root().join("transactions/pm")).expect("the folder can be made");
        if own.is_some() {
            each_below(sandbox.path(), &|path| {
                chown(path, Some(NOBODY), None).expect("it can be given away")
            });
        }
        let closed = sandbox.path().join(folder);
        permit(&closed, false);
        let output = run_as_nobody(sandbox, &trial.argv, own.as_deref());
        let reading = run_as_nobody(sandbox, &["list", "--json"], own.as_deref());
        permit(&closed, true);
        if reading.code != 0 {
            return Err(format!("nothing can be read: {}", reading.stderr));
        }
        let end = trial.judge(&ground, sandbox, &output)?;
        let left = litter(&bytes(sandbox));
        if !left.is_empty() {
            return Err(format!("left {}", left.join(" ")));
        }
        if end != End::AsWithout {
            whole(sandbox)?;
        }
        if matches!(end, End::Refused(..)) {
            let again = run_as_nobody(sandbox, &trial.argv, own.as_deref());
            let again = trial.judge(&ground, sandbox, &again)?;
            if again != End::AsWithout {
                return Err(format!("with the folder open again it is {again:?}"));
            }
        }
        Ok(end)
    });
}

/// Every history verifies but the two that were broken from the start.
fn whole(sandbox: &Sandbox) -> Result<(), String> {
    let wrong: Vec<String> = broken(sandbox).into_iter().filter(|id| id != "pm-d" && id != "pm-x").collect();
    if wrong.is_empty() { Ok(()) } else { Err(format!("broken: {}", wrong.join(" "))) }
}

/// Folders that may not be written, or not be read, are told as what they are.
#[test]
fn closed_folders_have_codes_of_their_own() {
    let place = tempfile::tempdir().expect("a temporary folder can be made");
    let own = may_do_anything().then(|| program(&place));
    let sandbox = Sandbox::tracker();
    sandbox.create(&["One", "--id", "a"]);
    fs::set_permissions(sandbox.path(), fs::Permissions::from_mode(0o755)).expect("the mode can be set");
    if own.is_some() {
        each_below(sandbox.path(), &|path| chown(path, Some(NOBODY), None).expect("it can be given away"));
    }
    let code = |argv: &[&str]| {
        let output = run_as_nobody(&sandbox, argv, own.as_deref());
        serde_json::from_str::<Value>(&output.stderr).unwrap_or_default()["code"].clone()
    };
    permit(&sandbox.root(), false);
    let written = code(&["update", "a", "--priority", "0", "--json"]);
    permit(&sandbox.root(), true);
    let mode = |mode: u32| fs::set_permissions(sandbox.root(), fs::Permissions::from_mode(mode));
    // What lies in it can be named and not listed.
    mode(0o111).expect("the mode can be set");
    let read = code(&["list", "--json"]);
    mode(0o755).expect("the mode can be set");
    assert_eq!((written, read), (json!("tracker_read_only"), json!("tracker_root_unreadable")));
}

#[test]
fn a_project_that_is_read_only_stays_as_it_is() {
    read_only("every command: the project is read-only", "");
}

#[test]
fn a_folder_that_is_read_only_leaves_nothing_half_done() {
    read_only("every command: `history` is read-only", ".agents/pm/history");
    read_only("every command: `tasks` is read-only", ".agents/pm/tasks");
}

#[test]
fn a_journal_that_may_not_last_is_taken_back() {
    closed(
        "every command: `transactions/pm` cannot be synced",
        ".agents/pm/transactions/pm",
        &permit_listing,
    );
}

#[test]
fn folders_that_a_change_needs_for_itself_may_be_read_only() {
    read_only("every command: `locks` is read-only", ".agents/pm/locks");
    read_only("every command: `transactions` is read-only", ".agents/pm/transactions");
}

/// The checks that fail, by name.
fn findings(sandbox: &Sandbox) -> BTreeSet<String> {
    let answer: Value = serde_json::from_str(&sandbox.pm(&["validate", "--json"]).stdout).unwrap_or_default();
    let checks = answer["checks"].as_array().cloned().unwrap_or_default();
    let failing = checks.iter().filter(|check| check["status"] != "ok");
    failing.map(|check| check["name"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn clocks_may_jump() {
    let ground = ground();
    for (fault, clock) in [
        ("every command: clock a year back, then right again", "2025-03-01T12:00:00.000Z"),
        ("every command: clock ten years ahead, then right again", "2036-03-01T12:00:00.000Z"),
    ] {
        every(fault, &ground, &|sandbox, trial| {
            sandbox.set("PM_CLOCK", clock);
            let output = run(sandbox, trial);
            sandbox.set("PM_CLOCK", "2026-03-01T12:00:01.000Z");
            if output.code != trial.output.code {
                return Err(format!("exit {}: {}{}", output.code, output.stdout, output.stderr));
            }
            let paths = |files: &Files| files.keys().filter(|path| !path.contains("/checkpoints/")).count();
            let (there, now) = (paths(&trial.after), paths(&unlocked(sandbox)));
            if there != now {
                return Err(format!("{now} files instead of {there}"));
            }
            let found = findings(sandbox);
            if found != trial.findings {
                return Err(format!("validate finds {found:?} instead of {:?}", trial.findings));
            }
            let next = sandbox.pm(&["comments", "r", "the clock is right again", "--json"]);
            if next.code != 0 {
                return Err(format!("the next change: {}", next.stderr));
            }
            whole(sandbox).map(|()| End::AsWithout)
        });
    }
}

fn replaced(sandbox: &Sandbox, path: &str, change: impl Fn(&str) -> String) {
    let text = sandbox.read(path);
    let changed = change(&text);
    assert_ne!(text, changed, "{path} is to be changed");
    sandbox.write(path, changed);
}

/// The files below a folder of the tracker whose names end so.
fn ending(sandbox: &Sandbox, ending: &str) -> Vec<String> {
    let wanted = |path: &String| path.starts_with(".agents/pm/") && path.ends_with(ending);
    bytes(sandbox).into_keys().filter(|path| wanted(path) && !path.contains("/runtime/")).collect()
}

/// What a newer program wrote stays as it wrote it, whatever the call does otherwise.
fn newer(fault: &str, ground: &Ground, paths: &[String], change: &dyn Fn(&str) -> String) {
    every(fault, ground, &|sandbox, trial| {
        paths.iter().for_each(|path| replaced(sandbox, path, change));
        let before = unlocked(sandbox);
        let output = run(sandbox, trial);
        let now = unlocked(sandbox);
        let gone: Vec<&String> = paths.iter().filter(|path| now.get(*path) != before.get(*path)).collect();
        if !gone.is_empty() {
            return Err(format!(
                "it changed {gone:?}: exit {} {}{}",
                output.code, output.stdout, output.stderr
            ));
        }
        trial.judge_from(ground, &before, sandbox, &output)
    });
}

#[test]
fn what_a_newer_program_wrote_is_left_to_it() {
    let ground = ground();
    let settings = [".agents/pm/settings.json".to_owned()];
    newer("every command: tracker written by a newer program", &ground, &settings, &|text| {
        text.replacen("\"version\": 1", "\"version\": 99", 1)
    });
    newer(
        "every command: items written by a newer program",
        &ground,
        &ending(&ground.tracker, ".toon"),
        &|text| text.replacen("\nbody:", "\npm_format_version: 99\nbody:", 1),
    );
    let streams = ending(&ground.tracker, ".jsonl").into_iter().filter(|path| path.contains("/history/pm-"));
    let streams: Vec<String> = streams.collect();
    newer("every command: histories written by a newer program", &ground, &streams, &|text| {
        let (rest, last) = text.trim_end().rsplit_once('\n').unwrap_or(("", text.trim_end()));
        let last = last.replace("\"item_hash_version\":2", "\"item_hash_version\":3");
        format!("{rest}{}{last}\n", if rest.is_empty() { "" } else { "\n" })
    });
}

#[test]
fn caches_of_another_program_are_none() {
    let ground = ground();
    let mut changed = 0;
    let changed = std::cell::RefCell::new(&mut changed);
    every("every command: caches written by another program", &ground, &|sandbox, trial| {
        sandbox.ok(&["list"]);
        let caches = fs::read_dir(sandbox.root().join("runtime")).expect("there are caches").flatten();
        for cache in caches.map(|entry| entry.path()) {
            if cache.extension().is_some_and(|extension| extension == "bin") {
                let mut bytes = fs::read(&cache).expect("a cache can be read");
                // The number of the format stands behind the name of the format.
                bytes[8] = bytes[8].wrapping_add(1);
                fs::write(&cache, bytes).expect("a cache can be written");
                **changed.borrow_mut() += 1;
            }
        }
        trial.judge(&ground, sandbox, &run(sandbox, trial))
    });
    assert!(**changed.borrow() >= CALLS.len(), "there are caches");
}

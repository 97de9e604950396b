//! What each fault comes to, found out by causing it; docs/reliability.md is the table that comes out.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use pm::store::fault::POINTS;

use super::crash::{assert_whole, files, prepared};
use super::parallel::{Call, at_once, words};
use crate::sandbox::{Output, Sandbox};

/// A change, for faults to meet.
const CHANGE: &[&str] = &["update", "a", "--priority", "0", "--add-tags", "x", "--json"];

/// What is there, caches and what only this moment has left out.
fn content(here: &Sandbox) -> BTreeMap<String, String> {
    let lasting = |name: &str| {
        !["locks/", "transactions/", "search/", "checkpoints/"].iter().any(|folder| name.starts_with(folder))
    };
    files(&here.root()).into_iter().filter(|(name, _)| lasting(name)).collect()
}

fn is_done(here: &Sandbox) -> bool {
    here.read(".agents/pm/tasks/pm-a.toon").contains("priority: 0\n")
}

fn code_of(output: &Output) -> String {
    let error: serde_json::Value = serde_json::from_str(&output.stderr).unwrap_or_default();
    error["code"].as_str().unwrap_or("no code").to_owned()
}

/// What became of a change that ended by itself.
fn told(here: &Sandbox, before: &BTreeMap<String, String>, output: &Output) -> String {
    if output.code == 0 {
        assert!(is_done(here), "{output:?}");
        assert_whole(here, "a change that was made");
        return "done; the chain verifies".to_owned();
    }
    assert_eq!(content(here), *before, "{output:?}");
    format!("refused with exit {} `{}`; nothing changed", output.code, code_of(output))
}

type Row = (String, String);

fn killed() -> Vec<Row> {
    let outcome = |point: &&str| {
        let here = prepared();
        let before = content(&here);
        let _ = here.command(CHANGE).env("PM_FAULT", point).output().unwrap();
        here.ok(&["list", "--all"]);
        assert_whole(&here, point);
        let outcome = match (is_done(&here), content(&here) == before) {
            (true, false) => "finished by the next command, reads included",
            (false, true) => "nothing changed",
            other => panic!("{point}: half of it is there: {other:?}"),
        };
        (format!("`kill -9` at `{point}`"), outcome.to_owned())
    };
    POINTS.iter().map(outcome).collect()
}

/// A disk that takes no more: files of this process cannot grow beyond so many blocks of 512 bytes.
#[cfg(unix)]
fn full_disk() -> Vec<Row> {
    let outcome = |blocks: u32| {
        let here = prepared();
        let before = content(&here);
        let limited = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let plain = here.process(CHANGE);
        let mut command = std::process::Command::new("sh");
        command.arg("-c").arg(limited).arg(plain.get_program()).args(plain.get_args());
        command.env_clear().current_dir(here.path());
        command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let output = command.output().unwrap();
        let output = Output {
            argv: CHANGE.iter().map(|&word| word.to_owned()).collect(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code().unwrap_or(-1),
        };
        let outcome = told(&here, &before, &output);
        here.ok(CHANGE);
        assert_whole(&here, "the disk has room again");
        (blocks, outcome)
    };
    let found: Vec<(u32, String)> = [0, 1, 2, 3, 4, 64].into_iter().map(outcome).collect();
    let refused = found.iter().filter(|(_, outcome)| outcome.starts_with("refused")).count();
    assert!(refused > 1 && found.last().is_some_and(|(_, outcome)| outcome.starts_with("done")), "{found:?}");
    vec![(
        "disk full, at any write".to_owned(),
        "refused with exit 1, nothing changed; done once there is room".to_owned(),
    )]
}

#[cfg(not(unix))]
fn full_disk() -> Vec<Row> {
    Vec::new()
}

fn with(what: &str, break_it: impl Fn(&mut Sandbox)) -> Row {
    let mut here = prepared();
    break_it(&mut here);
    let before = content(&here);
    let output = here.pm(CHANGE);
    (what.to_owned(), told(&here, &before, &output))
}

fn replace(here: &Sandbox, path: &str, from: &str, to: &str) {
    let path = format!(".agents/pm/{path}");
    let text = here.read(&path);
    assert!(text.contains(from), "{path}: {text}");
    here.write(&path, text.replacen(from, to, 1));
}

fn lock(here: &Sandbox, pid: u32, age: &str) {
    let text = format!(
        "{{\n  \"id\": \"pm-a\",\n  \"pid\": {pid},\n  \"owner\": \"other\",\n  \"created_at\": \"{age}\",\n  \"ttl_seconds\": 1800\n}}\n"
    );
    here.write(".agents/pm/locks/pm-a.lock", text);
}

fn surroundings() -> Vec<Row> {
    const STREAM: &str = "history/pm-a.jsonl";
    let now = pm::model::timestamp::format(pm::clock::Clock::System.now());
    vec![
        with("clock a year back", |here| {
            here.set("PM_CLOCK", "2025-03-01T12:00:00.000Z");
        }),
        with("clock ten years ahead", |here| {
            here.set("PM_CLOCK", "2036-03-01T12:00:00.000Z");
        }),
        with("`locks` is a file", |here| {
            let _ = fs::remove_dir_all(here.root().join("locks"));
            here.write(".agents/pm/locks", "");
        }),
        with("`runtime` is a file", |here| {
            let _ = fs::remove_dir_all(here.root().join("runtime"));
            here.write(".agents/pm/runtime", "");
        }),
        with("tracker written by a newer program", |here| {
            replace(here, "settings.json", "\"version\": 1", "\"version\": 99")
        }),
        with("item written by a newer program", |here| {
            replace(here, "tasks/pm-a.toon", "body:", "pm_format_version: 99\nbody:")
        }),
        with("settings cut off in the middle", |here| {
            let text = here.read(".agents/pm/settings.json");
            here.write(".agents/pm/settings.json", &text[..text.len() / 2]);
        }),
        with("item edited by hand", |here| replace(here, "tasks/pm-a.toon", "title: first", "title: edited")),
        with("last line of the history torn", |here| {
            let text = here.read(&format!(".agents/pm/{STREAM}"));
            here.write(&format!(".agents/pm/{STREAM}"), format!("{text}{{\"ts\":\"20"));
        }),
        with("history gone", |here| fs::remove_file(here.root().join(STREAM)).unwrap()),
        with("conflict markers in the history", |here| {
            let text = here.read(&format!(".agents/pm/{STREAM}"));
            here.write(
                &format!(".agents/pm/{STREAM}"),
                format!("<<<<<<< ours\n{text}=======\n>>>>>>> theirs\n"),
            );
        }),
        with("conflict markers in the item", |here| {
            replace(here, "tasks/pm-a.toon", "title: first", "<<<<<<< ours\ntitle: first")
        }),
        with("lock of a process that was killed", |here| {
            let _ = here.command(CHANGE).env("PM_FAULT", "locked").output().unwrap();
            assert!(here.root().join("locks/pm-a.lock").exists());
        }),
        with("lock of a process that lives", |here| lock(here, std::process::id(), &now)),
    ]
}

fn writers() -> Vec<Row> {
    let one = Sandbox::tracker();
    one.create(&["A", "--id", "a"]);
    let calls: Vec<Call<'_>> =
        (0..16).map(|n| (words(&["notes", "a", "--add", &format!("note {n}")]), vec![])).collect();
    assert!(at_once(&one, &calls).iter().all(|(code, _)| *code == 0));
    assert_eq!(one.json(&["notes", "a", "--limit", "1"])["total"], 16);
    assert_whole(&one, "16 writers on one item");
    let many = Sandbox::tracker();
    for n in 0..16 {
        many.create(&["A", "--id", &format!("n{n}")]);
    }
    let calls: Vec<Call<'_>> =
        (0..16).map(|n| (words(&["update", &format!("n{n}"), "--priority", "0"]), vec![])).collect();
    assert!(at_once(&many, &calls).iter().all(|(code, _)| *code == 0));
    assert_eq!(many.json(&["list", "--priority", "0"])["total"], 16);
    assert_whole(&many, "16 writers on 16 items");
    vec![
        ("16 writers on one item".to_owned(), "all 16 changes are there; the chain verifies".to_owned()),
        ("16 writers on 16 items".to_owned(), "all 16 changes are there; the chains verify".to_owned()),
    ]
}

/// What tests of every command that writes find out, in the order of the table; each holds its own row.
const EVERY: &[&str] = &[
    "every command: `kill -9` at any write point",
    "every command: disk full, at any write",
    "every command: locks of dead processes",
    "every command: locks of dead processes of the reference",
    "every command: locks of living processes",
    "every command: locks that are given back late",
    "every command: the project is read-only",
    "every command: `history` is read-only",
    "every command: `tasks` is read-only",
    "every command: `locks` is read-only",
    "every command: `transactions` is read-only",
    "every command: `transactions/pm` cannot be synced",
    "every command: clock a year back, then right again",
    "every command: clock ten years ahead, then right again",
    "every command: tracker written by a newer program",
    "every command: items written by a newer program",
    "every command: histories written by a newer program",
    "every command: caches written by another program",
];

/// One writer of the page at a time.
static PAGE: Mutex<()> = Mutex::new(());

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reliability.md")
}

/// Holds a row of the second table to what a test found out; `scripts/reliability` rewrites it.
pub(crate) fn hold(fault: &str, outcome: &str) {
    let _alone = PAGE.lock().unwrap_or_else(PoisonError::into_inner);
    assert!(EVERY.contains(&fault), "{fault} has no place in the table");
    let text = fs::read_to_string(page()).unwrap_or_default();
    let (first, second) = text.split_once(HEADING).unwrap_or((&text, ""));
    let row = format!("| {fault} | {outcome} |");
    if std::env::var_os("UPDATE").is_none() {
        assert!(second.lines().any(|line| line == row), "run scripts/reliability: {row}");
        return;
    }
    let mut table = String::from("| Fault | Outcome |\n| --- | --- |\n");
    for name in EVERY {
        let start = format!("| {name} |");
        let old = second.lines().find(|line| line.starts_with(&start));
        if let Some(line) = if *name == fault { Some(row.as_str()) } else { old } {
            table.push_str(line);
            table.push('\n');
        }
    }
    fs::write(page(), format!("{first}{HEADING}{table}")).unwrap();
}

const HEADING: &str = "\n## Every command that writes\n\n";

/// `scripts/reliability` rewrites the table.
#[test]
fn the_table_of_faults_is_what_happens() {
    let rows = [killed(), full_disk(), surroundings(), writers()].concat();
    let mut text = String::from(
        "# What each fault comes to\n\nMade by `scripts/reliability`, which causes every fault and looks at what is left; the tests hold it.\n\n## One change\n\nAn `update` of two fields of one item.\n\n| Fault | Outcome |\n| --- | --- |\n",
    );
    for (fault, outcome) in rows {
        text.push_str(&format!("| {fault} | {outcome} |\n"));
    }
    let _alone = PAGE.lock().unwrap_or_else(PoisonError::into_inner);
    let found = fs::read_to_string(page()).unwrap_or_default();
    let (first, second) = found.split_once(HEADING).unwrap_or((&found, ""));
    if std::env::var_os("UPDATE").is_some() {
        fs::write(page(), format!("{text}{HEADING}{second}")).unwrap();
    } else if cfg!(unix) {
        assert_eq!(first, text, "run scripts/reliability");
        let names = second.lines().filter_map(|line| line.strip_prefix("| every ")?.split(" | ").next());
        let names: Vec<String> = names.map(|name| format!("every {name}")).collect();
        assert_eq!(names, EVERY, "run scripts/reliability");
    }
}

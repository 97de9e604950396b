use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// A tracker in which, minute by minute, two items were created and each commented twice.
fn chatty() -> Sandbox {
    let mut sandbox = Sandbox::tracker();
    let steps: [(&str, &[&str]); 6] = [
        ("ann", &["create", "--title", "One", "--id", "pm-one"]),
        ("ann", &["create", "--title", "Two", "--id", "pm-two", "--message", "second"]),
        ("bob", &["comments", "pm-two", "--add", "a"]),
        ("ann", &["comments", "pm-one", "--add", "b"]),
        ("bob", &["comments", "pm-one", "--add", "c"]),
        ("ann", &["close", "pm-two", "--reason", "done"]),
    ];
    for (minute, (author, argv)) in steps.iter().enumerate() {
        sandbox.set("PM_CLOCK", &format!("2026-03-01T09:0{minute}:00.000Z")).set("PM_AUTHOR", author);
        sandbox.ok(argv);
    }
    sandbox
}

/// The rows and the trailer of a stream.
fn stream(text: &str) -> (Vec<Value>, Value) {
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (rows, mut others): (Vec<Value>, Vec<Value>) =
        lines.into_iter().partition(|line| line.get("item_id").is_some());
    (rows, others.pop().unwrap_or_default())
}

fn told(rows: &[Value]) -> Vec<String> {
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    rows.iter()
        .map(|row| format!("{} {} {}", text(row, "item_id"), row["version"], text(row, "type")))
        .collect()
}

const ALL: [&str; 6] = [
    "pm-one 1 create",
    "pm-two 1 create",
    "pm-two 2 comment_add",
    "pm-one 2 comment_add",
    "pm-one 3 comment_add",
    "pm-two 3 close",
];

#[test]
fn events_are_lines_of_json_with_a_trailer() {
    let sandbox = chatty();
    let (rows, trailer) = stream(&sandbox.ok(&["events", "--limit", "2"]));
    assert_eq!(
        rows[1],
        json!({"item_id": "pm-two", "version": 1, "ts": "2026-03-01T09:01:00.000Z", "author": "ann",
            "type": "create", "message": "second", "patch_count": rows[1]["patch_count"]})
    );
    assert_eq!((&trailer["count"], &trailer["has_more"]), (&json!(2), &json!(true)));
    assert_eq!(trailer["record_type"], "pm.stream.trailer");
    let (rows, trailer) =
        stream(&sandbox.ok(&["events", "--since", trailer["next_cursor"].as_str().unwrap()]));
    assert_eq!(told(&rows), ALL[2..]);
    assert_eq!(trailer["has_more"], false);
    let (rows, end) = stream(&sandbox.ok(&["events", "--since", trailer["next_cursor"].as_str().unwrap()]));
    assert_eq!((rows.len(), &end["count"], &end["next_cursor"]), (0, &json!(0), &Value::Null));
    let empty = Sandbox::tracker();
    assert_eq!(stream(&empty.ok(&["events"])).1["count"], 0);
    assert_eq!(empty.json(&["events"])["events"], json!([]));
}

#[test]
fn a_cursor_in_each_row_needs_no_trailer() {
    let sandbox = chatty();
    let text = sandbox.ok(&["events", "--limit", "3", "--cursor-mode", "row"]);
    let (rows, trailer) = stream(&text);
    assert_eq!((rows.len(), trailer), (3, Value::Null));
    let (rest, _) = stream(&sandbox.ok(&["events", "--since", rows[0]["cursor"].as_str().unwrap()]));
    assert_eq!(told(&rest), ALL[1..]);
}

#[test]
fn encodings_are_those_of_every_read() {
    let sandbox = chatty();
    let answer = sandbox.json(&["events", "--limit", "2"]);
    assert_eq!(told(answer["events"].as_array().unwrap()), ALL[..2]);
    assert_eq!(
        (&answer["count"], &answer["total"], &answer["has_more"]),
        (&json!(2), &json!(6), &json!(true))
    );
    let next = answer["next_cursor"].as_str().unwrap();
    let rest = sandbox.json(&["events", "--limit", "2", "--output-cursor", next]);
    assert_eq!(told(rest["events"].as_array().unwrap()), ALL[2..4]);
    let toon = sandbox.ok(&["events", "--output-format", "toon"]);
    assert!(toon.starts_with("events[6]{item_id,version,ts,author,type,message,patch_count}:\n"), "{toon}");
    let full = sandbox.json(&["events", "--full", "--limit", "1"]);
    assert_eq!(full["events"][0]["entry"]["op"], "create");
    let who = sandbox.json(&["events", "--provenance", "--limit", "1", "--provenance-summary"]);
    assert_eq!(who["events"][0]["provenance"]["author_source"], "asserted");
    assert_eq!(who["provenance_summary"]["entries"], 1);
}

#[test]
fn a_budget_cuts_the_stream_and_the_cursor_goes_on() {
    let sandbox = chatty();
    let mut argv = vec!["events".to_owned(), "--output-budget".to_owned(), "200".to_owned()];
    let mut seen = Vec::new();
    for _ in 0..10 {
        let text = sandbox.ok(&argv.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(text.len().div_ceil(4) <= 200, "{text}");
        let (rows, trailer) = stream(&text);
        seen.extend(told(&rows));
        if trailer["has_more"] == false {
            break;
        }
        argv.truncate(3);
        argv.extend(["--since".to_owned(), trailer["next_cursor"].as_str().unwrap().to_owned()]);
    }
    assert_eq!(seen, ALL);
    let refused = sandbox.pm(&["events", "--output-budget", "5"]).expect(2);
    assert!(refused.stdout.contains("requested_budget_infeasible"), "{refused:?}");
}

#[test]
fn filters_narrow_and_bind_the_cursor() {
    let sandbox = chatty();
    let of = |argv: &[&str]| told(&stream(&sandbox.ok(&[&["events"], argv].concat())).0);
    assert_eq!(of(&["--type", "create,close"]), ["pm-one 1 create", "pm-two 1 create", "pm-two 3 close"]);
    assert_eq!(of(&["--author", "bob", "--item", "one"]), ["pm-one 3 comment_add"]);
    assert_eq!(of(&["--since", "2026-03-01T09:04:00Z"]), ALL[4..], "the time itself belongs to it");
    assert_eq!(of(&["--since", "1h"]).len(), 6);
    assert_eq!(of(&["--provenance-filter", "author=bob"]).len(), 2);
    let cursor = sandbox.json(&["events", "--type", "create", "--limit", "1"])["next_cursor"].clone();
    let cursor = cursor.as_str().unwrap();
    assert_eq!(of(&["--type", "create", "--since", cursor]), ["pm-two 1 create"]);
    sandbox.refused(&["events", "--type", "close", "--since", cursor], 2, "event_cursor_query_mismatch");
}

#[test]
fn what_cannot_be_is_refused() {
    let sandbox = chatty();
    for (argv, code) in [
        (&["--limit", "1001"][..], "invalid_event_limit"),
        (&["--limit", "-1"], "invalid_event_limit"),
        (&["--since", "whenever"], "invalid_event_since"),
        (&["--since", "eyJ2ZXJzaW9uIjoxfQ"], "invalid_event_cursor"),
        (&["--output-cursor", "nonsense"], "read_output_cursor_invalid"),
        (&["--cursor-mode", "both"], "invalid_event_cursor_mode"),
        (&["--follow", "--interval-ms", "9"], "invalid_event_follow_interval"),
        (&["--interval-ms", "100"], "missing_required_option"),
        (&["--idle-ms", "100"], "missing_required_option"),
        (&["--full", "--provenance"], "conflicting_arguments"),
        (&["--follow", "--output-budget", "100"], "conflicting_arguments"),
        (&["--follow", "--format", "table"], "conflicting_arguments"),
    ] {
        let argv: Vec<&str> = ["events"].iter().chain(argv).copied().collect();
        sandbox.refused(&argv, 2, code);
    }
    assert_eq!(stream(&sandbox.ok(&["events", "--limit", "0"])).1["count"], 0);
    let list = Sandbox::with_items(&[("pm-a", ""), ("pm-b", "")]);
    let page = list.json(&["list", "--output-limit", "1", "--output-budget", "unbounded"]);
    let cursor = page["next_cursor"].as_str().unwrap();
    assert_eq!(list.pm(&["events", "--output-cursor", cursor]).code, 2);
}

#[test]
fn an_unreadable_stream_is_named_in_the_trailer() {
    let sandbox = chatty();
    sandbox.write(".agents/pm/history/pm-one.jsonl", "nothing\n");
    let (rows, trailer) = stream(&sandbox.ok(&["events"]));
    assert_eq!(rows.len(), 3);
    assert_eq!(trailer["completeness"]["unreadable"][0]["path"], "history/pm-one.jsonl");
}

#[test]
fn following_gives_what_happens_and_ends_with_its_reader() {
    let mut sandbox = chatty();
    let argv = ["events", "--follow", "--limit", "4", "--idle-ms", "0", "--cursor-mode", "row"];
    let (rows, _) = stream(&sandbox.ok(&argv));
    assert_eq!(told(&rows), ALL, "page after page, then an end since nothing happens");

    let since = ["events", "--follow", "--since", "2026-03-01T09:05:00Z", "--interval-ms", "10"];
    let mut child = sandbox.process(&since).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(told(&[next()]), ["pm-two 3 close"]);
    assert_eq!(next()["record_type"], "pm.stream.trailer");
    sandbox.set("PM_CLOCK", "2026-03-01T09:06:00.000Z");
    sandbox.ok(&["comments", "pm-one", "--add", "new"]);
    assert_eq!(told(&[next()]), ["pm-one 4 comment_add"]);
    drop(lines);
    assert!(child.wait().unwrap().success(), "nobody reads any more");
}

/// Reads lines until the trailer of a page; the rows, told, and the cursor.
#[cfg(unix)]
fn page(lines: &mut impl Iterator<Item = std::io::Result<String>>) -> (Vec<String>, String) {
    let mut rows = Vec::new();
    loop {
        let line = lines.next().expect("the stream goes on").expect("it can be read");
        let row: Value = serde_json::from_str(&line).expect("a line is JSON");
        if row["record_type"] == "pm.stream.trailer" {
            return (told(&rows), row["next_cursor"].as_str().expect("a cursor").to_owned());
        }
        rows.push(row);
    }
}

/// Whether this process was started so that it, and what it starts, ignores a signal.
#[cfg(unix)]
fn ignores(signal: rustix::process::Signal) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    mask >> (signal.as_raw() - 1) & 1 == 1
}

#[cfg(unix)]
#[test]
fn following_ends_with_a_signal_and_goes_on_where_it_ended() {
    use rustix::process::{Pid, Signal, kill_process};
    let mut sandbox = chatty();
    let mut cursor = String::new();
    // What is started in the background of a script has to ignore the interrupt, and we leave it at that.
    let interrupt = if ignores(Signal::INT) { Signal::TERM } else { Signal::INT };
    for (round, signal) in [Signal::TERM, interrupt].into_iter().enumerate() {
        let mut argv = vec!["events", "--follow", "--interval-ms", "10"];
        if !cursor.is_empty() {
            argv.extend(["--since", &cursor]);
        }
        let mut child = sandbox.process(&argv).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (rows, _) = page(&mut lines);
        match round {
            0 => assert_eq!(rows, ALL),
            _ => assert_eq!(rows, ["pm-one 5 comment_add"], "what happened while nobody followed"),
        }
        sandbox.set("PM_CLOCK", &format!("2026-03-01T10:0{}:00.000Z", 2 * round));
        sandbox.ok(&["comments", "pm-one", "--add", "followed"]);
        let (rows, next) = page(&mut lines);
        assert_eq!(rows, [format!("pm-one {} comment_add", 4 + 2 * round)]);
        kill_process(Pid::from_child(&child), signal).unwrap();
        let ended = std::os::unix::process::ExitStatusExt::signal(&child.wait().unwrap());
        assert_eq!(ended, Some(signal.as_raw()), "the shell sees what ended it");
        assert!(lines.next().is_none(), "nothing half is left behind");
        sandbox.set("PM_CLOCK", &format!("2026-03-01T10:0{}:00.000Z", 2 * round + 1));
        sandbox.ok(&["comments", "pm-one", "--add", "alone"]);
        cursor = next;
    }
}

//! Many processes at once: nothing is lost, nothing is torn, one wins.

use std::process::Child;

use super::crash::assert_whole;
use crate::sandbox::Sandbox;

/// A call: its words, and what it adds to the environment.
pub(super) type Call<'a> = (Vec<String>, Vec<(&'a str, String)>);

/// Starts all calls before it waits for the first one; each has its own seed and what `own` sets for it.
pub(super) fn at_once(here: &Sandbox, calls: &[Call<'_>]) -> Vec<(i32, String)> {
    let children: Vec<Child> = calls
        .iter()
        .enumerate()
        .map(|(n, (argv, own))| {
            let argv: Vec<&str> = argv.iter().map(String::as_str).collect();
            let mut command = here.process(&argv);
            command.env("PM_SEED", format!("seed-{n}")).env("PM_LOCK_WAIT_MS", "60000");
            command.envs(own.iter().map(|(name, value)| (*name, value)));
            command.stdin(std::process::Stdio::null());
            command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    children
        .into_iter()
        .map(|child| {
            let output = child.wait_with_output().unwrap();
            let text = String::from_utf8_lossy(&output.stdout).into_owned()
                + &String::from_utf8_lossy(&output.stderr);
            (output.status.code().unwrap_or(-1), text)
        })
        .collect()
}

pub(super) fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn twenty_creates_make_twenty_items() {
    let here = Sandbox::tracker();
    let calls: Vec<_> =
        (0..20).map(|n| (words(&["create", &format!("item {n}"), "--json"]), vec![])).collect();
    let outcomes = at_once(&here, &calls);
    assert!(outcomes.iter().all(|(code, _)| *code == 0), "{outcomes:?}");
    assert_eq!(here.json(&["list", "--all", "--no-truncate"])["total"], 20);
    assert_whole(&here, "twenty creates");
}

#[test]
fn creates_with_one_seed_still_make_different_items() {
    let here = Sandbox::tracker();
    let calls: Vec<_> = (0..6)
        .map(|n| (words(&["create", &format!("item {n}")]), vec![("PM_SEED", "same".to_owned())]))
        .collect();
    let outcomes = at_once(&here, &calls);
    assert!(outcomes.iter().all(|(code, _)| *code == 0), "{outcomes:?}");
    assert_eq!(here.json(&["list", "--all"])["total"], 6);
    assert_whole(&here, "one seed");
}

#[test]
fn eight_comments_are_all_there() {
    let here = Sandbox::tracker();
    here.ok(&["create", "Task", "busy", "--id", "a"]);
    let calls: Vec<_> = (0..8).map(|n| (words(&["comments", "a", &format!("said {n}")]), vec![])).collect();
    let outcomes = at_once(&here, &calls);
    assert!(outcomes.iter().all(|(code, _)| *code == 0), "{outcomes:?}");
    let item = here.json(&["get", "a", "--full"]);
    let mut texts: Vec<String> = item["item"]["comments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|comment| comment["text"].as_str().unwrap().to_owned())
        .collect();
    texts.sort();
    assert_eq!(texts, (0..8).map(|n| format!("said {n}")).collect::<Vec<_>>());
    assert_whole(&here, "eight comments");
}

#[test]
fn forty_long_notes_on_one_item_are_all_there_with_the_usual_patience() {
    let here = Sandbox::tracker();
    here.create(&["A", "--id", "a"]);
    let text = "x".repeat(8 * 1024);
    let usual = || vec![("PM_LOCK_WAIT_MS", "3000".to_owned())];
    let calls: Vec<_> =
        (0..40).map(|n| (words(&["notes", "a", "--add", &format!("{n} {text}")]), usual())).collect();
    let outcomes = at_once(&here, &calls);
    assert!(outcomes.iter().all(|(code, _)| *code == 0), "{outcomes:?}");
    assert_eq!(here.json(&["notes", "a", "--limit", "1"])["total"], 40);
    assert_whole(&here, "forty notes");
}

#[test]
fn of_eight_claims_one_wins() {
    for (what, own) in [("authors", "PM_AUTHOR"), ("sessions", "PM_SESSION")] {
        let here = Sandbox::tracker();
        here.ok(&["create", "Task", "wanted", "--id", "a"]);
        let calls: Vec<_> =
            (0..8).map(|n| (words(&["claim", "a"]), vec![(own, format!("claimant-{n}"))])).collect();
        let outcomes = at_once(&here, &calls);
        let won = outcomes.iter().filter(|(code, _)| *code == 0).count();
        let lost = outcomes.iter().filter(|(code, _)| *code == 4).count();
        assert_eq!((won, lost), (1, 7), "{what}: {outcomes:?}");
        assert_whole(&here, what);
    }
}

#[test]
fn writers_that_die_do_not_hold_the_others_up() {
    let here = Sandbox::tracker();
    here.ok(&["create", "Task", "busy", "--id", "a"]);
    let points = ["locked", "journal_written", "append_torn", "appended", "renamed", "applied"];
    let calls: Vec<_> = (0..12)
        .map(|n| {
            let own = points.get(n).map(|point| ("PM_FAULT", (*point).to_owned()));
            (words(&["comments", "a", &format!("said {n}")]), own.into_iter().collect())
        })
        .collect();
    let outcomes = at_once(&here, &calls);
    let lived = outcomes.iter().filter(|(code, _)| *code == 0).count();
    assert_eq!(lived, 6, "{outcomes:?}");
    here.ok(&["comments", "a", "last"]);
    let item = here.json(&["get", "a", "--full"]);
    // Those that had written their journal count as well.
    assert_eq!(item["item"]["comments"].as_array().unwrap().len(), 6 + 5 + 1);
    assert_whole(&here, "dying writers");
}

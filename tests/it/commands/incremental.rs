//! `validate` and `health` remember what they found out; what they answer is what they would answer if they knew
//! nothing. Random changes, by `pm` and behind its back, one after the other.

use std::fs::{self, File, FileTimes};
use std::path::PathBuf;

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

use crate::sandbox::Sandbox;

const IDS: [&str; 4] = ["pm-a", "pm-b", "pm-c", "pm-d"];

/// A change of one item, by its number.
#[derive(Clone, Copy, Debug)]
enum Change {
    Update(usize),
    Close(usize),
    Reopen(usize),
    Comment(usize),
    /// Links a file that is not there.
    Link(usize),
    /// Another text of the same length, the file's time as before.
    EditInPlace(usize),
    EditFreely(usize),
    Break(usize),
    Conflict(usize),
    Remove(usize),
    RemoveHistory(usize),
    /// The same bytes, written again.
    TouchHistory(usize),
    BreakHistory(usize),
    /// One digit of a hash.
    ForgeHistory(usize),
    CutHistory(usize),
    SwapHistories(usize),
    /// Brings an item and its history back as they were at first.
    Restore(usize),
    Settings(usize),
}

fn change() -> impl Strategy<Value = Change> {
    use Change::*;
    let any: [fn(usize) -> Change; 18] = [
        Update,
        Close,
        Reopen,
        Comment,
        Link,
        EditInPlace,
        EditFreely,
        Break,
        Conflict,
        Remove,
        RemoveHistory,
        TouchHistory,
        BreakHistory,
        ForgeHistory,
        CutHistory,
        SwapHistories,
        Restore,
        Settings,
    ];
    (prop::sample::select(any.to_vec()), 0..IDS.len()).prop_map(|(make, n)| make(n))
}

struct Tracker {
    pm: Sandbox,
    /// Item and history of each as they were at first.
    first: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Tracker {
    fn new() -> Tracker {
        let pm = Sandbox::tracker();
        for (n, id) in IDS.iter().enumerate() {
            let mut argv = vec!["--title", "Some title", "--id", id, "--description", "text"];
            if n > 0 {
                argv.extend(["--dep", IDS[n - 1]]);
            }
            pm.create(&argv);
        }
        let mut tracker = Tracker { pm, first: Vec::new() };
        let read = |path: PathBuf| fs::read(path).unwrap();
        tracker.first = (0..IDS.len()).map(|n| (read(tracker.item(n)), read(tracker.history(n)))).collect();
        tracker
    }

    fn item(&self, n: usize) -> PathBuf {
        self.pm.root().join(format!("tasks/{}.toon", IDS[n]))
    }

    fn history(&self, n: usize) -> PathBuf {
        self.pm.root().join(format!("history/{}.jsonl", IDS[n]))
    }

    fn edit(path: &PathBuf, edit: impl Fn(String) -> String) {
        if let Ok(text) = fs::read_to_string(path) {
            fs::write(path, edit(text)).unwrap();
        }
    }

    fn make(&self, change: Change) {
        // What `pm` refuses, because the item is broken by then, is no change.
        let call = |argv: &[&str]| drop(self.pm.pm(argv));
        match change {
            Change::Update(n) => call(&["update", IDS[n], "--priority", "1", "--estimate", "5"]),
            Change::Close(n) => call(&["close", IDS[n], "done"]),
            Change::Reopen(n) => call(&["update", IDS[n], "--status", "open"]),
            Change::Comment(n) => call(&["comments", IDS[n], "a word"]),
            Change::Link(n) => call(&["files", IDS[n], "--add", "src/none.rs"]),
            Change::EditInPlace(n) => {
                let path = self.item(n);
                let Ok(before) = fs::metadata(&path).and_then(|meta| meta.modified()) else { return };
                Tracker::edit(&path, |text| text.replace("Some title", "Same title"));
                let file = File::options().write(true).open(&path).unwrap();
                file.set_times(FileTimes::new().set_modified(before)).unwrap();
            }
            Change::EditFreely(n) => {
                Tracker::edit(&self.item(n), |text| {
                    text.replace("description: text", "description: other words")
                });
            }
            Change::Break(n) => fs::write(self.item(n), "id: [\n").unwrap(),
            Change::Conflict(n) => Tracker::edit(&self.item(n), |text| format!("<<<<<<< ours\n{text}")),
            Change::Remove(n) => drop(fs::remove_file(self.item(n))),
            Change::RemoveHistory(n) => drop(fs::remove_file(self.history(n))),
            Change::TouchHistory(n) => Tracker::edit(&self.history(n), |text| text),
            Change::BreakHistory(n) => Tracker::edit(&self.history(n), |text| format!("{text}no entry\n")),
            Change::ForgeHistory(n) => Tracker::edit(&self.history(n), |text| {
                text.replacen("\"after_hash\":\"", "\"after_hash\":\"0", 1)
            }),
            Change::CutHistory(n) => Tracker::edit(&self.history(n), |mut text| {
                text.pop();
                text
            }),
            Change::SwapHistories(n) => {
                let (one, other) = (self.history(n), self.history((n + 1) % IDS.len()));
                if let (Ok(a), Ok(b)) = (fs::read(&one), fs::read(&other)) {
                    fs::write(one, b).unwrap();
                    fs::write(other, a).unwrap();
                }
            }
            Change::Restore(n) => {
                fs::write(self.item(n), &self.first[n].0).unwrap();
                fs::write(self.history(n), &self.first[n].1).unwrap();
            }
            Change::Settings(n) => {
                let profile = ["core", "strict"][n % 2];
                call(&["config", "set", "metadata_validation_profile", profile]);
            }
        }
    }

    /// What the two commands say.
    fn verdicts(&self) -> Vec<(i32, String)> {
        let calls: [&[&str]; 2] = [&["validate"], &["health", "--full"]];
        calls
            .iter()
            .map(|argv| {
                let argv = [*argv, &["--json", "--full-envelope", "--output-budget", "unbounded"]].concat();
                let output = self.pm.pm(&argv);
                (output.code, output.stdout)
            })
            .collect()
    }

    /// The same of a tracker of which nothing is remembered; what is remembered stays for the next change.
    fn verdicts_from_nothing(&self) -> Vec<(i32, String)> {
        let (runtime, aside) = (self.pm.root().join("runtime"), self.pm.path().join("aside"));
        let kept = fs::rename(&runtime, &aside).is_ok();
        let verdicts = self.verdicts();
        let _ = fs::remove_dir_all(&runtime);
        if kept {
            fs::rename(aside, runtime).unwrap();
        }
        verdicts
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 8,
        failure_persistence: Some(Box::new(FileFailurePersistence::Off)),
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_is_remembered_changes_no_verdict(changes in prop::collection::vec(change(), 6..14)) {
        let tracker = Tracker::new();
        for (n, change) in changes.iter().enumerate() {
            tracker.make(*change);
            // Not after every one: several changes between two calls are another case than one.
            if n % 3 != 1 {
                let (known, anew) = (tracker.verdicts(), tracker.verdicts_from_nothing());
                prop_assert_eq!(known, anew, "after {:?}", &changes[..=n]);
            }
        }
    }
}

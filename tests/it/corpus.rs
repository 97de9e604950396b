//! The format against real trackers and independent programs, where they lie beside the repository.
//!
//! `../shared` is no part of the project; without it, or without Python, these tests say so and pass.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pm::codec::item::{self, Format, Rules};
use pm::codec::{front, toon};
use pm::domain::chain;
use pm::domain::hash::{Epoch, item_hash};
use pm::domain::patch::diff_items;
use pm::model::canonical::canonical_item;
use pm::model::front::Front;
use pm::model::item::Item;
use pm::store::WorkTree;
use pm::store::index::{Place, Reader, load};
use serde_json::Value;

/// The folder beside the repository, when it is there.
fn shared() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?.join("shared");
    folder.join("data/trackers").is_dir().then_some(folder)
}

/// A copy of a real tracker to work on, where the data is there.
pub(crate) fn copy_of(tracker: &str) -> Option<crate::sandbox::Sandbox> {
    let from = shared()?.join("data/trackers").join(tracker);
    let sandbox = crate::sandbox::Sandbox::empty();
    let from = if from.join(".agents/pm").is_dir() { from.join(".agents/pm") } else { from };
    copy(&from, &sandbox.root());
    Some(sandbox)
}

/// Copies what is in a folder, and below it, into another.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("the folder can be made");
    for entry in fs::read_dir(from).expect("the folder is there").flatten() {
        let target = to.join(entry.file_name());
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => copy(&entry.path(), &target),
            _ => drop(fs::copy(entry.path(), target)),
        }
    }
}

/// Says that the test at hand was skipped, and why.
pub(crate) fn skipped(missing: &str) {
    let name = std::thread::current().name().unwrap_or_default().to_owned();
    let _ = std::io::Write::write_fmt(
        &mut std::io::stderr(),
        format_args!("{name}: skipped, {missing} is not there\n"),
    );
}

macro_rules! or_skip {
    ($value:expr, $missing:literal) => {
        match $value {
            Some(value) => value,
            None => {
                skipped($missing);
                return;
            }
        }
    };
}

/// What an independent program says of the files of a tracker.
#[derive(Default)]
struct Opinion {
    /// Item file -> its text and its hashes in both epochs.
    items: BTreeMap<PathBuf, (String, [String; 2])>,
    /// Stream -> its fault, empty when there is none.
    streams: BTreeMap<PathBuf, String>,
}

const ASK: &str = r"
import glob, json, os, sys
sys.path.insert(0, sys.argv[1])
import toonenc as te
root, streams, step = sys.argv[2], sys.argv[3] == 'streams', int(sys.argv[4])
for f in [] if streams else te.item_files(root)[::step]:
    meta, body = te.read_item(f)
    print(json.dumps({'item': f, 'text': te.item_text(meta, body), 'hashes': [te.item_hash(meta, body, e) for e in (1, 2)]}))
for f in sorted(glob.glob(os.path.join(root, 'history', '*.jsonl')))[::step] if streams else []:
    print(json.dumps({'stream': f, 'fault': te.stream_error(f) or ''}))
";

/// Asks the independent encoder and verifier; none when there is no Python.
fn ask(shared: &Path, root: &Path, streams: bool) -> Option<Opinion> {
    // The program looks for the verifier beside its own folder.
    let place = tempfile::tempdir().ok()?;
    let lib = place.path().join("lib");
    fs::create_dir(&lib).ok()?;
    fs::copy(shared.join("acceptance/lib/toonenc.py"), lib.join("toonenc.py")).ok()?;
    let tools = place.path().join("shared/tools");
    fs::create_dir_all(&tools).ok()?;
    fs::copy(shared.join("tools/verify_history.py"), tools.join("verify_history.py")).ok()?;
    let said = Command::new("python3")
        .args(["-c", ASK])
        .args([lib.as_os_str(), root.as_os_str()])
        .arg(if streams { "streams" } else { "items" })
        .arg(step(root).to_string())
        .output()
        .ok()?;
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let mut opinion = Opinion::default();
    for line in String::from_utf8(said.stdout).ok()?.lines() {
        let row: Value = serde_json::from_str(line).ok()?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match row.get("item") {
            Some(path) => {
                let hashes = [text(&row["hashes"][0]), text(&row["hashes"][1])];
                opinion.items.insert(text(path).into(), (text(&row["text"]), hashes));
            }
            None => drop(opinion.streams.insert(text(&row["stream"]).into(), text(&row["fault"]))),
        }
    }
    Some(opinion)
}

/// The roots of the trackers, the big one last.
fn trackers(shared: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(shared.join("data/trackers")).expect("the folder was there");
    let mut roots: Vec<PathBuf> = folders
        .filter_map(|folder| Some(folder.ok()?.path().join(".agents/pm")))
        .filter(|root| root.is_dir())
        .collect();
    roots.sort_by_key(|root| (is_big(root), root.clone()));
    roots
}

/// The tracker with 2,536 items and 2,551 good streams: too slow for the independent verifier.
fn is_big(root: &Path) -> bool {
    root.ends_with("unbraind+pm-cli/.agents/pm")
}

/// A debug build takes every n-th file.
fn step(root: &Path) -> usize {
    match (cfg!(debug_assertions), is_big(root)) {
        (true, true) => 8,
        (true, false) => 3,
        (false, _) => 1,
    }
}

fn decode(path: &Path) -> Item {
    let bytes = fs::read(path).expect("the file was listed");
    let format =
        if path.extension().is_some_and(|e| e == "md") { Format::JsonMarkdown } else { Format::Toon };
    let status = |status: &str| Some(status.to_owned());
    item::decode(&bytes, format, &Rules::lenient(&status)).unwrap_or_else(|e| panic!("{path:?}: {e}")).item
}

#[test]
fn the_front_of_every_real_item_is_read_without_decoding() {
    let shared = or_skip!(shared(), "../shared");
    let status = |status: &str| Some(status.to_owned());
    let rules = Rules::lenient(&status);
    let (mut scanned, mut files) = (0, 0);
    for root in trackers(&shared) {
        for path in
            item_files(&root).into_iter().step_by(step(&root)).filter(|p| p.extension().unwrap() == "toon")
        {
            let bytes = fs::read(&path).unwrap();
            if bytes.starts_with(b"front_matter:") {
                continue;
            }
            files += 1;
            if let Some(front) = front::scan(&bytes, &rules) {
                assert_eq!(front, Front::from_item(&decode(&path)), "{path:?}");
                scanned += 1;
            }
        }
    }
    assert!(files > 300 && scanned == files, "{scanned} of {files}");
}

#[test]
fn the_index_gives_every_real_item_warm_and_cold() {
    let shared = or_skip!(shared(), "../shared");
    for root in trackers(&shared) {
        let source = WorkTree::open(&root).unwrap();
        let rules = Rules::lenient(&|status| Some(status.to_owned()));
        let folder = tempfile::tempdir().unwrap();
        let place = Place::folder(folder.path());
        let load = |place| load(&source, &Reader { rules: &rules, key: b"" }, place).unwrap();
        let plain = load(None);
        assert_eq!((plain.len(), plain.unreadable()), (item_files(&root).len(), &[][..]), "{root:?}");
        assert!(plain == load(Some(&place)) && plain == load(Some(&place)), "{root:?}");
        assert!(folder.path().join("index-v1.bin").is_file());
    }
}

/// The item files of a tracker, sorted.
fn item_files(root: &Path) -> Vec<PathBuf> {
    let folders = listed(root).into_iter().filter(|folder| folder.is_dir() && !folder.ends_with("history"));
    let files = folders.flat_map(|folder| listed(&folder));
    let mut files: Vec<_> =
        files.filter(|file| file.extension().is_some_and(|e| e == "toon" || e == "md")).collect();
    files.sort();
    files
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder was there");
    entries.map(|entry| entry.expect("the folder can be listed").path()).collect()
}

fn entries(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("the file was listed");
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{path:?}: {e}"))).collect()
}

#[test]
fn every_real_item_is_written_as_the_independent_encoder_writes_it() {
    let shared = or_skip!(shared(), "../shared");
    let mut seen = 0;
    for root in trackers(&shared) {
        let opinion = or_skip!(ask(&shared, &root, false), "python3");
        for (path, (text, hashes)) in &opinion.items {
            let item = decode(path);
            assert_eq!(item::encode(&item).unwrap(), *text, "{path:?}");
            assert_eq!(
                [item_hash(&item, Epoch::First), item_hash(&item, Epoch::Second)],
                *hashes,
                "{path:?}"
            );
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn every_real_chain_has_the_verdict_of_the_independent_verifier() {
    let shared = or_skip!(shared(), "../shared");
    let mut seen = 0;
    for root in trackers(&shared).into_iter().filter(|root| !is_big(root)) {
        let opinion = or_skip!(ask(&shared, &root, true), "python3");
        for (path, fault) in &opinion.streams {
            let replay = chain::verify(&entries(path));
            assert_eq!(replay.fault.unwrap_or_default(), *fault, "{path:?}");
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn every_chain_of_the_big_tracker_verifies_and_ends_in_its_item() {
    let shared = or_skip!(shared(), "../shared");
    let root = or_skip!(trackers(&shared).into_iter().find(|root| is_big(root)), "the big tracker");
    let items: BTreeMap<_, _> =
        item_files(&root).into_iter().map(|path| (path.file_stem().unwrap().to_owned(), path)).collect();
    let mut streams = listed(&root.join("history"));
    streams.sort();
    let mut seen = 0;
    for path in
        streams.iter().filter(|path| path.extension().is_some_and(|e| e == "jsonl")).step_by(step(&root))
    {
        let replay = chain::verify(&entries(path));
        assert_eq!(replay.fault, None, "{path:?}");
        if path.file_stem().is_some_and(|stem| stem != "_workspace") {
            let item = items.get(path.file_stem().unwrap()).map(|path| decode(path));
            assert_eq!(replay.disagreement(item.as_ref()), None, "{path:?}");
        }
        seen += replay.entries;
    }
    assert!(seen > 3_000, "{seen}");
}

#[test]
fn patches_are_those_that_the_reference_recorded() {
    let shared = or_skip!(shared(), "../shared");
    let root = or_skip!(trackers(&shared).into_iter().find(|root| is_big(root)), "the big tracker");
    let mut streams = listed(&root.join("history"));
    streams.sort();
    // Older entries were written by older rules.
    let canonical = |item: Item| canonical_item(&item).ok().filter(|_| !item.metadata.is_empty());
    let mut seen = 0;
    for path in streams.iter().step_by(step(&root)) {
        let entries = entries(path);
        for n in (0..entries.len().min(60)).filter(|n| entries[*n].get("item_hash_version").is_some()) {
            let [before, after] =
                [n, n + 1].map(|count| canonical(chain::item_after(&entries, count).unwrap()));
            if n > 0 && before.is_some() == after.is_some() {
                let patch = diff_items(before.as_ref(), after.as_ref());
                assert_eq!(Value::Array(patch), entries[n]["patch"], "{path:?}: entry {}", n + 1);
                seen += 1;
            }
        }
    }
    assert!(seen > 300, "{seen}");
}

#[test]
fn the_official_toon_fixtures_hold() {
    let shared = or_skip!(shared(), "../shared");
    let fixtures = shared.join("data/toon-fixtures/v4.0.0/tests/fixtures");
    let mut seen = 0;
    for kind in ["decode", "encode"] {
        for file in fs::read_dir(fixtures.join(kind)).unwrap() {
            let file: Value = serde_json::from_slice(&fs::read(file.unwrap().path()).unwrap()).unwrap();
            for case in file["tests"].as_array().unwrap() {
                let options = &case["options"];
                // Only what the wrapper offers: strict, comma, two spaces.
                if options.get("strict").is_some_and(|s| s == false)
                    || options.get("delimiter").is_some_and(|d| d != ",")
                    || options.get("indent").or(options.get("indentSize")).is_some_and(|i| i != 2)
                {
                    continue;
                }
                let name = &case["name"];
                if kind == "encode" {
                    assert_eq!(toon::encode(&case["input"]).unwrap(), case["expected"], "{name}");
                } else if case["shouldError"] == true {
                    assert!(toon::decode(case["input"].as_str().unwrap()).is_err(), "{name}");
                } else {
                    let read = toon::decode(case["input"].as_str().unwrap());
                    assert_eq!(read.unwrap_or_else(|e| panic!("{name}: {e}")), case["expected"], "{name}");
                }
                seen += 1;
            }
        }
    }
    assert!(seen > 300, "{seen}");
}

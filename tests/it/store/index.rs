//! The index changes no answer: warm, cold, absent and broken ones give the same records.

use std::fs::{self, File, FileTimes};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::sandbox::Sandbox;
use pm::codec::item::Rules;
use pm::model::records::Records;
use pm::store::index::{Place, Reader, glance, load};
use pm::store::source::Recall;
use pm::store::{FileKind, Listing, ReadError, Source, Stamp, WorkTree};
use proptest::prelude::*;
use proptest::sample::Index;

struct Tracker {
    dir: tempfile::TempDir,
}

fn text(id: &str, title: &str, priority: u8) -> String {
    format!(
        "id: {id}\ntitle: {title}\ndescription: \"\"\ntype: Task\nstatus: open\npriority: {priority}\ntags[2]: a,b\n\
         created_at: \"2026-01-01T00:00:00.000Z\"\nupdated_at: \"2026-01-01T00:00:00.000Z\"\n\
         dependencies[1]{{id,kind,created_at}}:\n  pm-0,related,\"2026-01-01T00:00:00.000Z\"\nbody: {title}\n"
    )
}

impl Tracker {
    fn new(items: usize, title: &str) -> Tracker {
        let tracker = Tracker { dir: tempfile::tempdir().unwrap() };
        for folder in ["tasks", "issues", "history"] {
            fs::create_dir_all(tracker.path(folder)).unwrap();
        }
        for n in 0..items {
            let id = format!("pm-{n}");
            fs::write(tracker.path(&format!("tasks/{id}.toon")), text(&id, title, 2)).unwrap();
        }
        tracker
    }

    fn path(&self, below: &str) -> PathBuf {
        self.dir.path().join(below)
    }

    fn runtime(&self) -> PathBuf {
        self.path("runtime")
    }

    fn load_by(&self, key: &[u8], status: &(dyn Fn(&str) -> Option<String> + Sync)) -> Records {
        let source = WorkTree::open(self.dir.path()).unwrap();
        let place = Place::folder(self.runtime());
        load(&source, &Reader { rules: &Rules::lenient(status), key }, Some(&place)).unwrap()
    }

    fn load(&self) -> Records {
        self.load_by(b"", &|status| Some(status.to_owned()))
    }

    /// What the files say, without any index.
    fn truth(&self) -> Records {
        let source = WorkTree::open(self.dir.path()).unwrap();
        let rules = Rules::lenient(&|status| Some(status.to_owned()));
        load(&source, &Reader { rules: &rules, key: b"" }, None).unwrap()
    }

    /// Loads twice, so that the second load may use what the first has written.
    fn check(&self) -> Records {
        let truth = self.truth();
        assert_eq!(self.load(), truth);
        assert_eq!(self.load(), truth);
        truth
    }
}

fn titles(records: &Records) -> Vec<&str> {
    records.iter().map(|record| record.title()).collect()
}

#[test]
fn warm_cold_absent_and_garbage_indexes_give_the_same_records() {
    let tracker = Tracker::new(30, "one");
    fs::write(tracker.path("issues/pm-broken.toon"), "id: pm-broken\n").unwrap();
    let truth = tracker.check();
    assert_eq!((truth.len(), truth.unreadable().len()), (30, 1));
    assert_eq!(truth.unreadable()[0].path, "issues/pm-broken.toon");
    let index = tracker.runtime().join("index-v1.bin");
    for garbage in [&b""[..], b"garbage", &[0; 5000]] {
        fs::write(&index, garbage).unwrap();
        tracker.check();
        assert_ne!(fs::read(&index).unwrap(), garbage, "it was written anew");
    }
    fs::remove_dir_all(tracker.runtime()).unwrap();
    tracker.check();
    fs::remove_dir_all(tracker.runtime()).unwrap();
    fs::write(tracker.runtime(), "a file").unwrap();
    tracker.check();
    assert_eq!(fs::read(tracker.runtime()).unwrap(), b"a file");
}

#[test]
fn an_edit_in_place_with_the_same_size_and_time_is_seen() {
    let tracker = Tracker::new(3, "one");
    tracker.check();
    let path = tracker.path("tasks/pm-1.toon");
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    fs::write(&path, text("pm-1", "two", 2)).unwrap();
    File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_times(FileTimes::new().set_modified(modified))
        .unwrap();
    assert_eq!(titles(&tracker.load()), ["one", "two", "one"]);
    tracker.check();
}

/// Files whose stamps a test sets, and a count of those that were read.
#[derive(Debug, Default)]
struct Told {
    folder: Stamp,
    files: Vec<(String, String, Stamp)>,
    read: Mutex<Vec<String>>,
}

impl Source for Told {
    fn identity(&self) -> [u64; 2] {
        [1, 2]
    }

    fn scan(&self, recall: &Recall<'_>) -> io::Result<Vec<Listing>> {
        let remembered = recall("tasks", &self.folder);
        let names: Vec<&str> = match &remembered {
            Some(remembered) => remembered.listing.iter().map(|entry| entry.name).collect(),
            None => self.files.iter().map(|(name, ..)| name.as_str()).collect(),
        };
        let mut tasks = Listing::new("tasks", self.folder);
        for name in names {
            let file = self.files.iter().find(|(known, ..)| known == name).expect("it was listed");
            tasks.push(name, FileKind::File, file.2);
        }
        Ok(vec![Listing::new("", STAMP), tasks])
    }

    fn item_folders(&self) -> io::Result<Vec<String>> {
        Ok(vec!["tasks".to_owned()])
    }

    fn list_again(&self, folder: &str, _extension: &str, _recall: &Recall<'_>) -> io::Result<Listing> {
        Ok(Listing::new(folder, Stamp::default()))
    }

    fn folder_stamp(&self, folder: &str) -> Option<Stamp> {
        Some(if folder == "tasks" { self.folder } else { STAMP })
    }

    fn stamp(&self, _path: &str) -> io::Result<Option<Stamp>> {
        Ok(None)
    }

    fn read(&self, path: &str, _limit: u64) -> Result<Vec<u8>, ReadError> {
        self.read.lock().unwrap().push(path.to_owned());
        let file = self.files.iter().find(|(name, ..)| path == format!("tasks/{name}"));
        file.map(|(_, text, _)| text.clone().into_bytes()).ok_or(ReadError::NotFound)
    }

    fn read_tail(&self, _path: &str, _bytes: u64) -> Result<(Vec<u8>, u64), ReadError> {
        Err(ReadError::NotFound)
    }

    fn read_part(&self, _path: &str, _offset: u64, _length: u64) -> Result<Vec<u8>, ReadError> {
        Err(ReadError::NotFound)
    }
}

const OLD: i64 = 1_600_000_000_123_456_789;
const STAMP: Stamp = Stamp { size: 9, mtime_ns: OLD, ctime_ns: OLD, ino: 7 };

impl Told {
    /// Titles in the order of ids, and how many files were read for them.
    fn load(&self, place: &Place) -> (String, usize) {
        let rules = Rules::lenient(&|status| Some(status.to_owned()));
        self.read.lock().unwrap().clear();
        let records = load(self, &Reader { rules: &rules, key: b"" }, Some(place)).unwrap();
        (titles(&records).concat(), self.read.lock().unwrap().len())
    }
}

fn file(name: &str, title: &str, stamp: Stamp) -> (String, String, Stamp) {
    (name.to_owned(), text(name.trim_end_matches(".toon"), title, 2), stamp)
}

#[test]
fn few_changes_go_into_a_delta_and_many_into_the_base() {
    let dir = tempfile::tempdir().unwrap();
    let place = Place::folder(dir.path());
    let read = |name: &str| fs::read(dir.path().join(name)).ok();
    // Over 1 MiB in all.
    let title = "long ".repeat(2_000);
    let files = (100..230).map(|n| file(&format!("pm-{n}.toon"), title.trim(), STAMP)).collect();
    let mut source = Told { folder: STAMP, files, ..Told::default() };
    source.load(&place);
    let base = read("index-v1.bin");
    let change = |source: &mut Told, at: usize, title: &str| {
        let (name, _, stamp) = source.files[at].clone();
        source.files[at] = file(&name, title, Stamp { ctime_ns: stamp.ctime_ns + 1, ..stamp });
    };
    change(&mut source, 3, "A");
    assert_eq!(source.load(&place).1, 1);
    assert!(read("index-v1.bin") == base && read("index-v1.delta").is_some());
    // What is in the delta is known, may change again, and may go.
    assert_eq!(source.load(&place).1, 0);
    change(&mut source, 3, "B");
    assert_eq!(source.load(&place).1, 1);
    source.files.remove(3);
    source.folder.mtime_ns += 1;
    let (titles, read_again) = source.load(&place);
    assert_eq!((titles.contains('B'), read_again), (false, 0));
    assert!(read("index-v1.bin") == base);
    // A delta of another base is of no use.
    let delta = read("index-v1.delta").unwrap();
    (0..9).for_each(|at| change(&mut source, at, "C"));
    assert_eq!(source.load(&place), (format!("{}{}", "C".repeat(9), title.trim().repeat(120)), 9));
    assert!(read("index-v1.bin") != base && read("index-v1.delta").is_none());
    fs::write(dir.path().join("index-v1.delta"), delta).unwrap();
    assert_eq!(source.load(&place), (format!("{}{}", "C".repeat(9), title.trim().repeat(120)), 0));
}

#[test]
fn while_somebody_else_writes_nothing_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let place = Place::folder(dir.path());
    let files = vec![file("pm-0.toon", "one", STAMP)];
    let source = Told { folder: STAMP, files, ..Told::default() };
    let lock = File::create(dir.path().join("index-v1.writing")).unwrap();
    lock.lock().unwrap();
    assert_eq!(source.load(&place), ("one".to_owned(), 1));
    assert!(!dir.path().join("index-v1.bin").exists());
    drop(lock);
    // What a killed writer left is no trouble.
    fs::write(dir.path().join("index-v1.bin.tmp"), "half").unwrap();
    assert_eq!(source.load(&place), ("one".to_owned(), 1));
    assert_eq!(source.load(&place), ("one".to_owned(), 0));
    assert!(!dir.path().join("index-v1.bin.tmp").exists());
}

#[test]
fn a_glance_trusts_folders_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let place = Place::folder(dir.path());
    let files = ["pm-0.toon", "pm-2.toon", "pm-3.toon"].map(|name| file(name, "one", STAMP)).to_vec();
    let mut source = Told { folder: STAMP, files, ..Told::default() };
    let glance_at = |source: &Told, id: &str| {
        let rules = Rules::lenient(&|status| Some(status.to_owned()));
        let look = |records: &Records| records.find(id).map(|record| record.title().to_owned());
        glance(source, &Reader { rules: &rules, key: b"" }, &place, look)
    };
    assert_eq!(glance_at(&source, "pm-2"), None);
    source.load(&place);
    assert_eq!(glance_at(&source, "pm-2"), Some(Some("one".to_owned())));
    assert_eq!(glance_at(&source, "pm-1"), Some(None));
    assert_eq!(source.read.lock().unwrap().len(), 3, "it reads no file");
    // A folder that changed.
    source.folder.mtime_ns += 1;
    assert_eq!(glance_at(&source, "pm-2"), None);
    source.load(&place);
    assert_eq!(glance_at(&source, "pm-2"), Some(Some("one".to_owned())));
    // A damaged row is never shown, others are.
    let index = dir.path().join("index-v1.bin");
    let mut bytes = fs::read(&index).unwrap();
    // The file ends with the row of the last item.
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&index, &bytes).unwrap();
    assert_eq!(glance_at(&source, "pm-3"), None);
    assert_eq!(glance_at(&source, "pm-0"), Some(Some("one".to_owned())));
    // An index that is none.
    fs::write(&index, "garbage").unwrap();
    assert_eq!(glance_at(&source, "pm-0"), None);
}

#[test]
fn a_folder_with_the_same_old_stamp_is_not_listed_again() {
    let dir = tempfile::tempdir().unwrap();
    let place = Place::folder(dir.path());
    let files = vec![file("pm-0.toon", "a", STAMP), file("pm-2.toon", "c", STAMP)];
    let mut source = Told { folder: STAMP, files, ..Told::default() };
    assert_eq!(source.load(&place), ("ac".to_owned(), 2));
    source.files.insert(1, file("pm-1.toon", "b", STAMP));
    assert_eq!(source.load(&place), ("ac".to_owned(), 0));
    source.folder.mtime_ns += 1;
    assert_eq!(source.load(&place), ("abc".to_owned(), 1));
    // Under a young stamp there may have been more changes.
    source.folder.ctime_ns = i64::MAX;
    assert_eq!(source.load(&place), ("abc".to_owned(), 0));
    source.files.insert(3, file("pm-3.toon", "d", STAMP));
    assert_eq!(source.load(&place), ("abcd".to_owned(), 1));
}

#[test]
fn only_files_with_another_or_a_young_stamp_are_read_again() {
    let young = Stamp { ctime_ns: i64::MAX, ..STAMP };
    let dir = tempfile::tempdir().unwrap();
    let place = Place::folder(dir.path());
    let files = [("pm-0.toon", STAMP), ("pm-1.toon", young), ("pm-2.toon", STAMP)];
    let files = files.map(|(name, stamp)| file(name, "one", stamp)).to_vec();
    let mut source = Told { files, ..Told::default() };
    let load = |source: &Told| source.load(&place);
    assert_eq!(load(&source), ("oneoneone".to_owned(), 3));
    assert_eq!(load(&source), ("oneoneone".to_owned(), 1));
    source.files[1].1 = text("pm-1", "two", 2);
    assert_eq!(load(&source), ("onetwoone".to_owned(), 1));
    for change in [
        |stamp: &mut Stamp| stamp.size += 1,
        |stamp: &mut Stamp| stamp.mtime_ns -= 1,
        |stamp: &mut Stamp| stamp.ctime_ns += 1,
        |stamp: &mut Stamp| stamp.ino += 1,
    ] {
        change(&mut source.files[2].2);
        assert_eq!(load(&source).1, 2, "{:?}", source.files[2].2);
        assert_eq!(load(&source).1, 1);
    }
    source.files.remove(0);
    assert_eq!(load(&source), ("twoone".to_owned(), 1));
}

#[test]
fn edits_right_after_a_load_are_seen() {
    let tracker = Tracker::new(2, "one");
    let path = tracker.path("tasks/pm-1.toon");
    // Many in a row, so that some fall into one tick of the file system's clock.
    for n in 0..200 {
        let title = format!("{:04}", n);
        fs::write(&path, text("pm-1", &title, 2).replace(&title, &format!("t{title}"))).unwrap();
        assert_eq!(tracker.load().find("PM-1").unwrap().title(), format!("t{title}"));
    }
}

#[test]
fn rules_of_another_key_read_every_file_again() {
    let tracker = Tracker::new(2, "one");
    tracker.check();
    let records = tracker.load_by(b"other", &|_| Some("ready".to_owned()));
    assert!(records.iter().all(|record| record.status() == "ready"));
    tracker.check();
}

#[test]
fn an_index_that_was_copied_with_its_tracker_is_not_trusted() {
    let (one, two) = (Tracker::new(2, "one"), Tracker::new(2, "two"));
    one.check();
    fs::create_dir_all(two.runtime()).unwrap();
    fs::copy(one.runtime().join("index-v1.bin"), two.runtime().join("index-v1.bin")).unwrap();
    assert_eq!(titles(&two.load()), ["two", "two"]);
}

#[cfg(unix)]
#[test]
fn links_are_named_and_a_linked_runtime_folder_is_not_written() {
    let tracker = Tracker::new(2, "one");
    let outside = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(tracker.path("tasks/pm-0.toon"), tracker.path("issues/pm-0.toon")).unwrap();
    std::os::unix::fs::symlink(outside.path(), tracker.path("chores")).unwrap();
    std::os::unix::fs::symlink(outside.path(), tracker.runtime()).unwrap();
    let truth = tracker.check();
    let paths: Vec<&str> = truth.unreadable().iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["chores", "issues/pm-0.toon"]);
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn flipped_bits_and_random_bytes_change_no_answer() {
    let tracker = Tracker::new(12, "one");
    let truth = tracker.check();
    let index = tracker.runtime().join("index-v1.bin");
    let good = fs::read(&index).unwrap();
    let mut seed = 7u64;
    let mut roll = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize
    };
    for _ in 0..300 {
        let mut bad = good.clone();
        match roll() % 3 {
            0 => (0..1 + roll() % 4).for_each(|_| bad[roll() % good.len()] ^= 1 << (roll() % 8)),
            1 => bad.truncate(roll() % good.len()),
            _ => (0..1 + roll() % 64).for_each(|_| bad[roll() % good.len()] = roll() as u8),
        }
        fs::write(&index, &bad).unwrap();
        assert_eq!(tracker.load(), truth);
    }
}

#[test]
fn answers_of_the_binary_do_not_depend_on_the_index() {
    let sandbox = Sandbox::tracker();
    for title in ["one", "two", "three"] {
        sandbox.ok(&["create", "--title", title]);
    }
    let runtime = sandbox.root().join("runtime");
    let ask = || ["list", "next"].map(|command| sandbox.ok(&[command, "--json"]));
    let answers = ask();
    assert_eq!(ask(), answers);
    for entry in fs::read_dir(&runtime).unwrap() {
        fs::write(entry.unwrap().path(), "garbage").unwrap();
    }
    assert_eq!(ask(), answers);
    fs::remove_dir_all(&runtime).unwrap();
    assert_eq!(ask(), answers);
    fs::remove_dir_all(&runtime).unwrap();
    fs::write(&runtime, "a file").unwrap();
    assert_eq!(ask(), answers);
}

#[derive(Clone, Debug)]
enum Edit {
    Write(Index, u8),
    InPlace(Index, u8),
    Create(u16, u8),
    Move(Index),
    Rename(Index, u16),
    Delete(Index),
    Touch(Index),
    Break(Index),
    Load,
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        (any::<Index>(), 0..5u8).prop_map(|(at, p)| Edit::Write(at, p)),
        (any::<Index>(), 0..5u8).prop_map(|(at, p)| Edit::InPlace(at, p)),
        (0..500u16, 0..5u8).prop_map(|(id, p)| Edit::Create(id, p)),
        any::<Index>().prop_map(Edit::Move),
        (any::<Index>(), 0..500u16).prop_map(|(at, id)| Edit::Rename(at, id)),
        any::<Index>().prop_map(Edit::Delete),
        any::<Index>().prop_map(Edit::Touch),
        any::<Index>().prop_map(Edit::Break),
        Just(Edit::Load),
    ]
}

impl Edit {
    fn apply(&self, tracker: &Tracker, title: &str) {
        let files: Vec<PathBuf> = ["issues", "tasks"]
            .iter()
            .flat_map(|folder| fs::read_dir(tracker.path(folder)).unwrap())
            .map(|entry| entry.unwrap().path())
            .collect();
        let pick = |at: &Index| (!files.is_empty()).then(|| files[at.index(files.len())].clone());
        let name = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
        match self {
            Edit::Write(at, priority) => {
                let Some(path) = pick(at) else { return };
                let temporary = path.with_extension("tmp");
                fs::write(&temporary, text(&name(&path), title, *priority)).unwrap();
                fs::rename(&temporary, &path).unwrap();
            }
            Edit::InPlace(at, priority) => {
                let Some(path) = pick(at) else { return };
                let modified = fs::metadata(&path).unwrap().modified().unwrap();
                fs::write(&path, text(&name(&path), title, *priority)).unwrap();
                let file = File::options().write(true).open(&path).unwrap();
                file.set_times(FileTimes::new().set_modified(modified)).unwrap();
            }
            Edit::Create(id, priority) => {
                let id = format!("PM-{id}");
                fs::write(tracker.path(&format!("issues/{id}.toon")), text(&id, title, *priority)).unwrap();
            }
            Edit::Move(at) => {
                let Some(path) = pick(at) else { return };
                let to = tracker.path(&format!("issues/{}.toon", name(&path)));
                fs::rename(path, to).unwrap();
            }
            Edit::Rename(at, id) => {
                let Some(path) = pick(at) else { return };
                fs::rename(&path, path.with_file_name(format!("pm-{id}.toon"))).unwrap();
            }
            Edit::Delete(at) => {
                let Some(path) = pick(at) else { return };
                fs::remove_file(path).unwrap();
            }
            Edit::Touch(at) => {
                let Some(path) = pick(at) else { return };
                let file = File::options().write(true).open(&path).unwrap();
                file.set_times(FileTimes::new().set_modified(std::time::SystemTime::UNIX_EPOCH)).unwrap();
            }
            Edit::Break(at) => {
                let Some(path) = pick(at) else { return };
                fs::write(path, "<<<<<<< ours\n").unwrap();
            }
            Edit::Load => assert_eq!(tracker.load(), tracker.truth()),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn after_any_edits_the_index_gives_what_the_files_say(edits in prop::collection::vec(edit(), 1..24)) {
        let tracker = Tracker::new(8, "one");
        tracker.load();
        for edit in &edits {
            edit.apply(&tracker, "one");
        }
        tracker.check();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    /// Large enough (over 1 MiB, over 50 items) for changes to go into a delta.
    #[test]
    fn the_same_holds_with_a_delta(edits in prop::collection::vec(edit(), 1..12)) {
        let title = "long ".repeat(2_000);
        let tracker = Tracker::new(130, title.trim());
        tracker.load();
        for edit in &edits {
            edit.apply(&tracker, title.trim());
            if matches!(edit, Edit::Load) {
                tracker.check();
            }
        }
        tracker.check();
    }
}

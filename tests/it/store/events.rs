//! The indexes of histories change no answer: after any edits they give the events that the streams hold, and their
//! sizes.

use std::fs;
use std::path::PathBuf;

use pm::model::events::Events;
use pm::store::WorkTree;
use pm::store::index::{Place, load_events, load_sizes};
use proptest::prelude::*;

struct Histories {
    dir: tempfile::TempDir,
}

impl Histories {
    fn new() -> Histories {
        let histories = Histories { dir: tempfile::tempdir().unwrap() };
        fs::create_dir_all(histories.dir.path().join("history")).unwrap();
        histories
    }

    fn path(&self, stream: usize) -> PathBuf {
        self.dir.path().join(format!("history/pm-{stream}.jsonl"))
    }

    fn runtime(&self) -> PathBuf {
        self.dir.path().join("runtime")
    }

    fn load(&self, place: Option<&Place>) -> Events {
        load_events(&WorkTree::open(self.dir.path()).unwrap(), place).unwrap()
    }

    fn append(&self, stream: usize, text: &str) {
        let path = self.path(stream);
        let mut whole = fs::read_to_string(&path).unwrap_or_default();
        whole.push_str(text);
        fs::write(path, whole).unwrap();
    }

    /// Loads with the index twice, so that the second load may use what the first has written.
    fn check(&self) -> Events {
        let truth = self.load(None);
        let place = Place::folder(self.runtime());
        assert_eq!(self.load(Some(&place)), truth);
        assert_eq!(self.load(Some(&place)), truth);
        let sizes = |place| load_sizes(&WorkTree::open(self.dir.path()).unwrap(), place).unwrap();
        let measured = sizes(None);
        assert_eq!(sizes(Some(&place)), measured);
        assert_eq!(sizes(Some(&place)), measured);
        truth
    }
}

fn entry(n: usize, message: &str) -> String {
    let (minute, second) = (n / 60 % 60, n % 60);
    format!(
        "{{\"ts\":\"2026-01-01T00:{minute:02}:{second:02}.000Z\",\"author\":\"ann\",\"op\":\"update\",\"patch\":[{{}}],\"message\":\"{message}\"}}\n"
    )
}

fn told(events: &Events) -> Vec<String> {
    let order = events.select(|_| true);
    let event = |place: &_| events.get(*place);
    order
        .iter()
        .map(event)
        .map(|event| format!("{}@{} {}", event.id(), event.version(), event.message().unwrap_or_default()))
        .collect()
}

#[derive(Clone, Debug)]
enum Edit {
    Append(usize, String),
    Torn(usize),
    Blank(usize),
    Unended(usize, String),
    Broken(usize),
    Rewritten(usize, String),
    Cut(usize),
    Deleted(usize),
    IndexDamaged(usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    let stream = 0..4usize;
    let word = "[a-z]{0,6}";
    prop_oneof![
        6 => (stream.clone(), word).prop_map(|(stream, word)| Edit::Append(stream, word)),
        1 => stream.clone().prop_map(Edit::Torn),
        1 => stream.clone().prop_map(Edit::Blank),
        1 => (stream.clone(), word).prop_map(|(stream, word)| Edit::Unended(stream, word)),
        1 => stream.clone().prop_map(Edit::Broken),
        2 => (stream.clone(), word).prop_map(|(stream, word)| Edit::Rewritten(stream, word)),
        1 => stream.clone().prop_map(Edit::Cut),
        1 => stream.prop_map(Edit::Deleted),
        1 => any::<usize>().prop_map(Edit::IndexDamaged),
    ]
}

fn apply(histories: &Histories, n: usize, edit: &Edit) {
    let read = |stream: usize| fs::read(histories.path(stream)).unwrap_or_default();
    match edit {
        Edit::Append(stream, word) => histories.append(*stream, &entry(n, word)),
        Edit::Torn(stream) => histories.append(*stream, "{\"ts\":\"2026-"),
        Edit::Blank(stream) => histories.append(*stream, "\n \n"),
        Edit::Unended(stream, word) => histories.append(*stream, entry(n, word).trim_end()),
        Edit::Broken(stream) => histories.append(*stream, "no entry\n"),
        Edit::Rewritten(stream, word) => {
            let whole = String::from_utf8(read(*stream)).unwrap().replace("update", word);
            fs::write(histories.path(*stream), whole).unwrap();
        }
        Edit::Cut(stream) => {
            let whole = read(*stream);
            fs::write(histories.path(*stream), &whole[..whole.len() / 2]).unwrap();
        }
        Edit::Deleted(stream) => {
            let _ = fs::remove_file(histories.path(*stream));
        }
        Edit::IndexDamaged(at) => {
            for index in ["events-v1.bin", "streams-v1.bin"] {
                let index = histories.runtime().join(index);
                if let Ok(mut bytes) = fs::read(&index)
                    && !bytes.is_empty()
                {
                    let at = at % bytes.len();
                    bytes[at] ^= 0x10;
                    fs::write(index, bytes).unwrap();
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn after_any_edits_the_index_gives_what_the_streams_hold(edits in prop::collection::vec(edit(), 1..16)) {
        let histories = Histories::new();
        for (n, edit) in edits.iter().enumerate() {
            apply(&histories, n, edit);
            histories.check();
        }
    }
}

#[test]
fn events_are_in_the_order_of_time_then_id_then_line() {
    let histories = Histories::new();
    histories.append(2, &(entry(5, "c") + &entry(5, "d")));
    histories.append(1, &(entry(9, "e") + &entry(5, "b")));
    histories.append(0, &entry(1, "a"));
    assert_eq!(told(&histories.check()), ["pm-0@1 a", "pm-1@2 b", "pm-2@1 c", "pm-2@2 d", "pm-1@1 e"]);
}

#[test]
fn an_unended_last_line_counts_and_may_go_on() {
    let histories = Histories::new();
    histories.append(0, &(entry(1, "a") + entry(2, "b").trim_end()));
    assert_eq!(told(&histories.check()).len(), 2);
    histories.append(0, "\n");
    assert_eq!(told(&histories.check()).len(), 2);
    histories.append(0, &entry(3, "c"));
    assert_eq!(told(&histories.check()), ["pm-0@1 a", "pm-0@2 b", "pm-0@3 c"]);
}

#[test]
fn without_a_place_to_write_the_events_are_the_same() {
    let histories = Histories::new();
    histories.append(0, &entry(1, "a"));
    fs::write(histories.runtime(), "a file").unwrap();
    assert_eq!(told(&histories.check()), ["pm-0@1 a"]);
    let none = tempfile::tempdir().unwrap();
    assert_eq!(load_events(&WorkTree::open(none.path()).unwrap(), None).unwrap(), Events::default());
}

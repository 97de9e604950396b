//! Writes a synthetic tracker: canonical item files and history streams whose chains verify.
//!
//! `cargo run --release --example generate -- FOLDER ITEMS [--seed N] [--weight N]`
//!
//! The same arguments give the same bytes on every machine. `--weight 1` (default) makes small items (about 2 KB
//! with 4 events); larger weights add comments and with them events: 20 is about what a busy team leaves behind.
#![expect(clippy::print_stdout, reason = "a program of its own")]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use pm::codec;
use pm::domain::hash::{Epoch, GENESIS, item_hash};
use pm::domain::patch;
use pm::model::canonical::canonical_item;
use pm::model::item::Item;
use pm::model::kind::default_folder;
use pm::model::{settings, timestamp};
use serde_json::{Map, Value, json};

type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

const PREFIX: &str = "gen-";
const KINDS: &[(&str, u64)] = &[
    ("Task", 52),
    ("Issue", 18),
    ("Chore", 12),
    ("Decision", 4),
    ("Milestone", 1),
    ("Plan", 3),
    ("Feature", 8),
    ("Epic", 2),
];
const PEOPLE: &[&str] =
    &["amara", "benedikt", "chidi", "daniela", "emre", "fumiko", "harness:one", "harness:two"];
const VERBS: &[&str] = &[
    "add", "audit", "bound", "cache", "clarify", "document", "drop", "encode", "fix", "guard", "harden",
    "inline", "measure", "merge", "migrate", "parse", "pin", "prune", "rank", "refactor", "rename", "render",
    "repair", "replace", "retry", "sign", "sort", "speed up", "split", "stream", "test", "trace", "validate",
    "verify",
];
const NOUNS: &[&str] = &[
    "account",
    "adapter",
    "alarm",
    "archive",
    "backup",
    "badge",
    "branch",
    "budget",
    "buffer",
    "calendar",
    "cell",
    "certificate",
    "channel",
    "checksum",
    "cluster",
    "column",
    "comment",
    "config",
    "cursor",
    "dashboard",
    "device",
    "digest",
    "driver",
    "editor",
    "encoder",
    "event",
    "export",
    "feed",
    "field",
    "filter",
    "form",
    "gateway",
    "graph",
    "header",
    "history",
    "hook",
    "import",
    "index",
    "invoice",
    "journal",
    "key",
    "label",
    "layout",
    "ledger",
    "limit",
    "link",
    "listing",
    "lock",
    "login",
    "mailbox",
    "menu",
    "merge",
    "metric",
    "mirror",
    "notice",
    "outline",
    "page",
    "panel",
    "parser",
    "patch",
    "payment",
    "permission",
    "pipeline",
    "plugin",
    "policy",
    "port",
    "preview",
    "profile",
    "prompt",
    "proxy",
    "query",
    "queue",
    "quota",
    "receipt",
    "record",
    "region",
    "release",
    "report",
    "request",
    "ring",
    "route",
    "row",
    "rule",
    "sandbox",
    "schedule",
    "schema",
    "script",
    "search",
    "segment",
    "sensor",
    "session",
    "shard",
    "signal",
    "snapshot",
    "socket",
    "stream",
    "summary",
    "tenant",
    "theme",
    "thread",
    "timer",
    "token",
    "topic",
    "transaction",
    "tree",
    "trigger",
    "upload",
    "vault",
    "version",
    "view",
    "volume",
    "webhook",
    "widget",
    "window",
    "worker",
    "zone",
];
const CIRCUMSTANCES: &[&str] = &[
    "after a restart",
    "before the deadline",
    "behind a proxy",
    "during a merge",
    "for large inputs",
    "for new tenants",
    "in a fresh checkout",
    "in the nightly run",
    "on a full disk",
    "on slow networks",
    "when two writers race",
    "while offline",
    "with an empty cache",
    "with hostile input",
    "without a session",
];
const TAGS: &[&str] = &[
    "api", "auth", "backend", "billing", "build", "ci", "cli", "data", "docs", "frontend", "infra", "mobile",
    "ops", "perf", "release", "search", "security", "storage", "testing", "ux",
];
/// 2026-01-05T09:00:00Z.
const START: i64 = 1_767_603_600_000;
const MINUTE: i64 = 60_000;

/// Splitmix64: small, and the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.roll() % n.max(1)
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len() as u64) as usize]
    }

    /// Common words are common: the smaller of two picks.
    fn noun(&mut self) -> &'static str {
        let n = NOUNS.len() as u64;
        NOUNS[self.below(n).min(self.below(n)) as usize]
    }

    fn phrase(&mut self) -> String {
        format!("{} the {} {} {}", self.pick(VERBS), self.noun(), self.noun(), self.pick(CIRCUMSTANCES))
    }

    fn prose(&mut self, sentences: u64) -> String {
        let sentence = |dice: &mut Dice| {
            let phrase = dice.phrase();
            let (first, rest) = phrase.split_at(1);
            format!("{}{rest}: the {} must not lose its {}.", first.to_uppercase(), dice.noun(), dice.noun())
        };
        (0..sentences).map(|_| sentence(self)).collect::<Vec<_>>().join(" ")
    }
}

/// What one call generates.
struct Plan {
    root: PathBuf,
    items: u64,
    seed: u64,
    weight: u64,
}

impl Plan {
    /// Scattered like random ids, yet all different: multiplication modulo 36^6 by a number prime to it.
    fn id(&self, number: u64) -> String {
        let mut rest = (number.wrapping_add(self.seed % 1_000_003) * 1_103_515_245) % 36u64.pow(6);
        let mut token = [0u8; 6];
        for digit in token.iter_mut().rev() {
            *digit = b"0123456789abcdefghijklmnopqrstuvwxyz"[(rest % 36) as usize];
            rest /= 36;
        }
        format!("{PREFIX}{}", String::from_utf8_lossy(&token))
    }

    /// The first items are epics, the next ones features: so every parent has a smaller number than its children.
    fn kind(&self, number: u64, dice: &mut Dice) -> &'static str {
        let place = number * 100 / self.items.max(1);
        match place {
            0..2 => "Epic",
            2..10 => "Feature",
            _ => {
                let mut left = dice.below(90);
                KINDS
                    .iter()
                    .find(|(_, share)| left.checked_sub(*share).map(|l| left = l).is_none())
                    .map_or("Task", |k| k.0)
            }
        }
    }

    fn parent(&self, number: u64, kind: &str, dice: &mut Dice) -> Option<u64> {
        let (epics, features) = (self.items * 2 / 100, self.items * 10 / 100);
        match kind {
            "Epic" => None,
            "Feature" => (epics > 0).then(|| dice.below(epics)),
            _ if dice.one_in(8) => None,
            _ => (features > epics).then(|| epics + dice.below(features - epics)),
        }
        .filter(|parent| *parent < number)
    }

    /// The item's states, oldest first, each with the operation that led to it.
    fn states(&self, number: u64) -> Outcome<Vec<(&'static str, Item)>> {
        let mut dice = Dice(self.seed ^ number.wrapping_mul(0x2545_f491_4f6c_dd1d));
        let mut now = START + 30 * MINUTE * i64::try_from(number)?;
        let mut item = self.created(number, now, &mut dice);
        let mut states = vec![("create", item.clone())];
        let mut next = |op, now, item: &mut Item| {
            item.metadata.insert("updated_at".to_owned(), timestamp::format(now).into());
            states.push((op, item.clone()));
        };
        for _ in 0..dice.below(2 * self.weight + 1) {
            now += MINUTE * (1 + dice.below(600)) as i64;
            let comment = json!({"created_at": timestamp::format(now), "author": dice.pick(PEOPLE), "text": dice.prose(1 + self.weight.min(4))});
            push(&mut item, "comments", comment);
            next("comment_add", now, &mut item);
        }
        if dice.one_in(3) {
            now += MINUTE * (1 + dice.below(100)) as i64;
            push(
                &mut item,
                "files",
                json!({"path": format!("src/{}/{}.rs", dice.noun(), dice.noun()), "scope": "project"}),
            );
            next("files_add", now, &mut item);
        }
        let fate = dice.below(100);
        now += MINUTE * (10 + dice.below(3000)) as i64;
        if fate < 12 {
            item.metadata.insert("assignee".to_owned(), dice.pick(PEOPLE).into());
            item.metadata.insert("status".to_owned(), if fate < 6 { "in_progress" } else { "open" }.into());
            next("claim", now, &mut item);
        } else if fate < 80 && number >= (self.items / 50).max(2) {
            close(&mut item, now, &mut dice);
            next("close", now, &mut item);
        }
        Ok(states)
    }

    fn created(&self, number: u64, now: i64, dice: &mut Dice) -> Item {
        let kind = self.kind(number, dice);
        let at = timestamp::format(now);
        let author = dice.pick(PEOPLE);
        let mut tags: Vec<&str> = (0..dice.below(4)).map(|_| dice.pick(TAGS)).collect();
        tags.sort_unstable();
        tags.dedup();
        let fields = json!({
            "id": self.id(number), "title": format!("{} ({number})", dice.phrase()), "description": dice.prose(2 + dice.0 % 3),
            "type": kind, "status": "open", "priority": dice.below(5), "tags": tags, "created_at": at, "updated_at": at,
            "author": author, "estimated_minutes": 15 * (1 + dice.below(20)),
            "acceptance_criteria": format!("a test shows that we {}", dice.phrase()),
        });
        let Value::Object(mut metadata) = fields else { return Item::default() };
        let mut set = |key: &str, value: Value| metadata.insert(key.to_owned(), value);
        if let Some(parent) = self.parent(number, kind, dice) {
            set("parent", self.id(parent).into());
        }
        if dice.one_in(10) {
            set("deadline", timestamp::format(now + 1440 * MINUTE * (5 + dice.below(120)) as i64).into());
        }
        if dice.one_in(3) {
            set("risk", dice.pick(&["low", "medium", "high"]).into());
        }
        if dice.one_in(4) {
            set("sprint", format!("s{}", 1 + number % 26).into());
        }
        if number > 0 && dice.one_in(3) {
            let link = |dice: &mut Dice| {
                let target = self.id(dice.below(number));
                let kind = dice.pick(&[
                    "related",
                    "related",
                    "implements",
                    "blocked_by",
                    "discovered_from",
                    "verifies",
                ]);
                json!({"id": target, "kind": kind, "created_at": at, "author": author, "source_kind": "cli:create:dep"})
            };
            let links: Vec<Value> = (0..1 + dice.below(3)).map(|_| link(dice)).collect();
            set("dependencies", links.into());
        }
        let body = if dice.one_in(2) {
            String::new()
        } else {
            format!("## Notes\n\n{}", dice.prose(self.weight.min(6)))
        };
        Item { metadata, body }
    }

    /// Writes the item's file and its stream; returns how many bytes and entries.
    fn write(&self, number: u64) -> Outcome<(usize, usize)> {
        let mut stream = String::new();
        let mut before = json!({"metadata": {}, "body": ""});
        let mut hash = GENESIS.to_owned();
        let mut last = Item::default();
        let states = self.states(number)?;
        for (op, state) in &states {
            last = canonical_item(state)?;
            let after = json!({"metadata": last.metadata, "body": last.body});
            let after_hash = item_hash(&last, Epoch::Second);
            let mut entry = Map::new();
            entry.insert("ts".to_owned(), last.text("updated_at").into());
            entry.insert("author".to_owned(), last.text("author").into());
            entry.insert("author_source".to_owned(), "asserted".into());
            entry.insert("op".to_owned(), (*op).into());
            entry.insert("patch".to_owned(), patch::diff(&before, &after).into());
            entry.insert("before_hash".to_owned(), hash.into());
            entry.insert("after_hash".to_owned(), after_hash.clone().into());
            entry.insert("item_hash_version".to_owned(), 2.into());
            if *op == "create" {
                entry.insert("message".to_owned(), "".into());
            }
            stream.push_str(&codec::json::compact(&entry.into()));
            stream.push('\n');
            (before, hash) = (after, after_hash);
        }
        let text = codec::item::encode(&last)?;
        let id = last.id();
        fs::write(self.root.join(default_folder(last.kind())).join(format!("{id}.toon")), &text)?;
        fs::write(self.root.join("history").join(format!("{id}.jsonl")), &stream)?;
        Ok((text.len() + stream.len(), states.len()))
    }
}

fn push(item: &mut Item, key: &str, value: Value) {
    match item.metadata.entry(key).or_insert_with(|| json!([])) {
        Value::Array(list) => list.push(value),
        other => *other = json!([value]),
    }
}

fn close(item: &mut Item, now: i64, dice: &mut Dice) {
    let mut set = |key: &str, value: String| item.metadata.insert(key.to_owned(), value.into());
    set("status", if dice.one_in(20) { "canceled" } else { "closed" }.to_owned());
    set("closed_at", timestamp::format(now));
    set("completed_at", timestamp::format(now));
    set("close_reason", format!("done: {}", dice.phrase()));
    set("resolution", dice.prose(1));
    set("expected_result", format!("the {} holds", dice.noun()));
    set("actual_result", format!("the {} holds", dice.noun()));
}

fn prepare(root: &Path) -> Outcome {
    let kinds = KINDS.iter().map(|(kind, _)| default_folder(kind));
    for folder in kinds.chain(["history".to_owned(), "schema".to_owned()]) {
        fs::create_dir_all(root.join(folder))?;
    }
    let mut document = settings::default_document().clone();
    document.insert("id_prefix".to_owned(), PREFIX.into());
    fs::write(root.join("settings.json"), codec::json::pretty(&document.into()) + "\n")?;
    Ok(())
}

fn parse(arguments: &[String]) -> Option<Plan> {
    let (mut plain, mut seed, mut weight) = (Vec::new(), 1, 1);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--seed" => seed = rest.next()?.parse().ok()?,
            "--weight" => weight = rest.next()?.parse().ok()?,
            plain_one => plain.push(plain_one),
        }
    }
    let [folder, items] = plain[..] else { return None };
    Some(Plan { root: Path::new(folder).join(".agents/pm"), items: items.parse().ok()?, seed, weight })
}

fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(plan) = parse(&arguments) else {
        return Err("usage: generate FOLDER ITEMS [--seed N] [--weight N]".into());
    };
    prepare(&plan.root)?;
    let threads = std::thread::available_parallelism()?.get() as u64;
    let plan = &plan;
    let share = |thread: u64| -> Outcome<(usize, usize)> {
        (thread..plan.items).step_by(usize::try_from(threads)?).try_fold((0, 0), |sum, number| {
            let done = plan.write(number)?;
            Ok((sum.0 + done.0, sum.1 + done.1))
        })
    };
    let (bytes, entries) = std::thread::scope(|scope| -> Outcome<(usize, usize)> {
        let workers: Vec<_> = (0..threads).map(|thread| scope.spawn(move || share(thread))).collect();
        workers.into_iter().try_fold((0, 0), |sum, worker| {
            let done = worker.join().map_err(|_| "a worker died")??;
            Ok((sum.0 + done.0, sum.1 + done.1))
        })
    })?;
    println!(
        "{} items, {entries} history entries, {} KiB in {}",
        plan.items,
        bytes / 1024,
        plan.root.display()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use pm::codec::item::{Format, Rules, decode};
    use pm::domain::chain;

    use super::*;

    fn generated(items: u64, seed: u64) -> (tempfile::TempDir, Vec<(String, String, String)>) {
        let dir = tempfile::tempdir().unwrap();
        let plan = Plan { root: dir.path().to_owned(), items, seed, weight: 2 };
        prepare(&plan.root).unwrap();
        (0..items).for_each(|number| assert!(plan.write(number).unwrap().1 > 0));
        let mut files = Vec::new();
        for (kind, _) in KINDS {
            for entry in fs::read_dir(dir.path().join(default_folder(kind))).unwrap() {
                let path = entry.unwrap().path();
                let id = path.file_stem().unwrap().to_string_lossy().into_owned();
                let stream = fs::read_to_string(dir.path().join(format!("history/{id}.jsonl"))).unwrap();
                files.push((id, fs::read_to_string(&path).unwrap(), stream));
            }
        }
        files.sort();
        (dir, files)
    }

    #[test]
    fn items_are_canonical_and_their_chains_verify() {
        let (_dir, files) = generated(60, 3);
        assert_eq!(files.len(), 60);
        for (id, text, stream) in &files {
            let rules = Rules::lenient(&|status| Some(status.to_owned()));
            let item = decode(text.as_bytes(), Format::Toon, &rules).unwrap().item;
            assert_eq!((item.id(), &codec::item::encode(&item).unwrap()), (id.as_str(), text));
            let entries: Vec<Value> =
                stream.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            let replay = chain::verify(&entries);
            assert_eq!(
                (replay.fault, replay.latest_after_hash),
                (None, Some(item_hash(&item, Epoch::Second)))
            );
        }
    }

    #[test]
    fn a_seed_gives_the_same_bytes_and_another_one_others() {
        let files = |seed| generated(20, seed).1;
        assert_eq!(files(1), files(1));
        assert_ne!(files(1), files(2));
    }

    #[test]
    fn ids_are_all_different() {
        let plan = Plan { root: PathBuf::new(), items: 0, seed: 9, weight: 1 };
        let ids: BTreeSet<String> = (0..50_000).map(|number| plan.id(number)).collect();
        assert_eq!(ids.len(), 50_000);
    }
}

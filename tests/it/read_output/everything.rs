//! Every surface, walked to its end by `next_cursor` alone with small budgets and limits, in both encodings: every row
//! once, in order, whole, and nothing said of the cost that is not true.

use std::collections::BTreeMap;

use pm::codec::toon;
use pm::commands::CATALOG;
use pm::read_output::PM_READ_OUTPUT_SURFACE_CONTRACTS;
use serde_json::Value;

use super::{at, items, row_keys};
use crate::corpus;
use crate::sandbox::Sandbox;

/// Reads that cover every surface; `{id}` stands for an item.
const CALLS: &[&str] = &[
    "list",
    "list --full",
    "list --all --compact",
    "list --tree",
    "list --limit 7",
    "search the",
    "search something --full --limit 9",
    "context",
    "get {id}",
    "get {id} --tree",
    "get {id} {other} --full",
    "next",
    "next --limit 12 --blocked-limit 9",
    "health",
    "health --full",
    "deps {id}",
    "deps {id} --format graph --node-limit 9",
    "deps {id} --format graph --full",
    "deps {id} --format context",
    "graph descendants {id}",
    "graph impact {id}",
    "graph communities --include-closed",
    "graph centrality",
    "graph articulation --include-closed",
    "graph redundancy --include-closed",
    "graph audit --include-closed",
    "graph plan",
    "history {id}",
    "history {id} --full",
    "activity",
    "activity --raw --limit 20",
    "validate",
    "validate --full",
    "events --limit 20",
    "contracts",
    "comments {id}",
    "notes {id}",
    "files {id}",
    "docs {id}",
    "stats",
    "stats --by-tag --by-assignee",
    "aggregate --group-by tags --status all",
    "duplicates --threshold 0.3",
    "comments-audit --full-history",
    "assurance list",
    "assurance run g",
];

/// Numbers that look like any others, the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}

/// A read in an encoding.
struct Read<'a> {
    sandbox: &'a Sandbox,
    argv: Vec<String>,
    json: bool,
}

/// Whether a path leads through a row.
fn is_nested(path: &str) -> bool {
    path.split('.').any(|step| step.parse::<usize>().is_ok())
}

/// Without nulls, which a table has where a row says nothing, and with long strings as a budget cuts them.
fn plain(value: &Value) -> Value {
    match value {
        Value::Object(map) => map
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key.clone(), plain(value)))
            .collect(),
        Value::Array(values) => values.iter().map(plain).collect(),
        Value::Number(number) => number.as_f64().map_or(Value::Null, Value::from),
        Value::String(text) if text.encode_utf16().count() > 240 => {
            let mut units = 0;
            let fits = |c: &char| {
                units += c.len_utf16();
                units <= 240
            };
            format!("{}…", text.chars().take_while(fits).collect::<String>()).into()
        }
        other => other.clone(),
    }
}

fn rows(answer: &Value, path: &str) -> Vec<Value> {
    match at(answer, path) {
        Value::Array(rows) => rows.iter().map(plain).collect(),
        Value::Object(record) if !record.values().all(Value::is_object) => vec![plain(at(answer, path))],
        Value::Object(entries) => {
            entries.iter().map(|(key, row)| plain(&serde_json::json!([key, row]))).collect()
        }
        _ => Vec::new(),
    }
}

fn continuations(answer: &Value) -> Vec<(String, String)> {
    let lists = [&answer["output_budget_truncation"]["continuations"], &answer["continuations"]];
    let entries = lists.into_iter().flat_map(|list| list.as_array().into_iter().flatten());
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    entries.map(|entry| (text(&entry["path"]), text(&entry["cursor"]))).collect()
}

/// The budget with which the same page holds what was cut inside its rows.
fn recovery(answer: &Value) -> Option<u64> {
    let disclosure = &answer["output_budget_truncation"];
    let goes_on: Vec<String> = continuations(answer).into_iter().map(|(path, _)| path).collect();
    let cut = disclosure["compacted_row_paths"].as_array()?;
    if cut.iter().filter_map(Value::as_str).all(|path| goes_on.iter().any(|own| own == path)) {
        return None;
    }
    let place = if goes_on.is_empty() { &disclosure["recovery"] } else { &disclosure["nested_recovery"] };
    let budget = place["sdk"]["outputBudget"].as_f64().unwrap_or_else(|| panic!("no way back: {disclosure}"));
    Some(budget as u64)
}

impl Read<'_> {
    fn surface(&self) -> &str {
        &self.argv[0]
    }

    /// A page; none when it was omitted.
    fn page(&self, controls: &[String], budget: Option<u64>, cursor: Option<&str>) -> Option<Value> {
        let mut words = self.argv.clone();
        words.extend_from_slice(controls);
        words.push(format!("--output-format={}", if self.json { "json" } else { "toon" }));
        words.push(format!("--output-budget={}", budget.map_or("unbounded".to_owned(), |n| n.to_string())));
        words.extend(cursor.map(|cursor| format!("--output-cursor={cursor}")));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let output = self.sandbox.pm(&words);
        let answer = match self.json {
            true => serde_json::from_str(&output.stdout).ok(),
            false => toon::decode(&output.stdout).ok(),
        };
        let answer: Value = answer.unwrap_or_else(|| panic!("{output:?}"));
        let cost = (output.stdout.len() as u64).div_ceil(4);
        let omitted = !answer["output_budget_exceeded"].is_null();
        let receipt = &answer["read_output"];
        if !receipt.is_null() {
            assert_eq!(receipt["estimated_tokens"].as_f64(), Some(cost as f64), "{words:?}");
            assert_eq!(receipt["within_budget"].as_bool(), Some(!omitted), "{words:?}");
        }
        assert!(omitted || budget.is_none_or(|most| cost <= most), "{words:?} costs {cost}");
        assert_eq!(omitted, output.code == 2, "{words:?}");
        (!omitted).then_some(answer)
    }

    /// The same, with more room where it needs it.
    fn some_page(&self, controls: &[String], budget: Option<u64>, cursor: Option<&str>) -> Value {
        let Some(budget) = budget else {
            return self.page(controls, None, cursor).expect("nothing bounds it");
        };
        let mut budgets = (0..8).map(|n| budget << n);
        let found = budgets.find_map(|budget| self.page(controls, Some(budget), cursor));
        let mut answer =
            found.unwrap_or_else(|| panic!("{:?}: nothing fits into {}", self.argv, budget << 7));
        if let Some(more) = recovery(&answer) {
            assert!(more > budget && more % 100 == 0);
            answer = self.page(controls, Some(more), cursor).expect("it said so");
            assert_eq!(recovery(&answer), None, "{:?} with {more} instead of {budget}", self.argv);
        }
        answer
    }

    /// Adds to the nested lists of a page what their own cursors bring; gives what it added, by place.
    fn complete(&self, answer: &mut Value, controls: &[String], budget: u64) -> BTreeMap<String, Vec<Value>> {
        let mut added = BTreeMap::new();
        for (path, first) in continuations(answer).into_iter().filter(|(path, _)| is_nested(path)) {
            let (table, rest) = path.split_once('.').unwrap();
            let rest = rest.split_once('.').unwrap().1;
            let (mut more, mut cursor, mut place) = (Vec::new(), Some(first), String::new());
            for n in 0.. {
                assert!(n < 300, "{:?}: {path} has no end", self.argv);
                let Some(from) = cursor.take() else { break };
                let page = self.some_page(controls, Some(budget), Some(&from));
                // The row that holds the list is the last of such a page.
                place = format!("{table}.{}.{rest}", page[table].as_array().map_or(0, Vec::len) - 1);
                let found = at(&page, &place).as_array().cloned().unwrap_or_default();
                assert!(!found.is_empty(), "{:?}: an empty page of {place}", self.argv);
                more.extend(found);
                cursor =
                    continuations(&page).into_iter().find(|(own, _)| *own == place).map(|(_, next)| next);
            }
            let list = path.split('.').fold(&mut *answer, |value, step| match step.parse::<usize>() {
                Ok(n) if value.is_array() => &mut value[n],
                _ => &mut value[step],
            });
            list.as_array_mut().unwrap().extend(more.iter().cloned());
            added.insert(place, more);
        }
        added
    }

    /// Follows `next_cursor` from a page whose tables are complete through the nested lists it left.
    fn check_nested_chain(
        &self,
        start: &str,
        controls: &[String],
        budget: u64,
        want: BTreeMap<String, Vec<Value>>,
    ) {
        let mut got: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        let mut cursor = Some(start.to_owned());
        for n in 0.. {
            assert!(n < 600, "{:?}: no end", self.argv);
            let Some(from) = cursor.take() else { break };
            let page = self.some_page(controls, Some(budget), Some(&from));
            for place in want.keys() {
                let row = place.split('.').nth(1).and_then(|row| row.parse::<usize>().ok());
                if row.is_some_and(|row| {
                    page[place.split('.').next().unwrap()].as_array().is_some_and(|rows| row < rows.len())
                }) {
                    got.entry(place.clone())
                        .or_default()
                        .extend(at(&page, place).as_array().cloned().unwrap_or_default());
                }
            }
            cursor = page["next_cursor"].as_str().map(str::to_owned);
        }
        assert_eq!(got, want, "{:?} with {budget}", self.argv);
    }

    /// All rows by path, by following `next_cursor` alone.
    fn walk(
        &self,
        paths: &[String],
        controls: &[String],
        budget: Option<u64>,
    ) -> BTreeMap<String, Vec<Value>> {
        let mut got: BTreeMap<String, Vec<Value>> =
            paths.iter().map(|path| (path.clone(), Vec::new())).collect();
        let mut cursor: Option<String> = None;
        for page in 0.. {
            assert!(page < 500, "{:?} with {budget:?} {controls:?} has no end", self.argv);
            let mut answer = self.some_page(controls, budget, cursor.as_deref());
            let next = answer["next_cursor"].as_str().map(str::to_owned);
            let nested = continuations(&answer)
                .iter()
                .any(|(path, own)| is_nested(path) && Some(own) == next.as_ref());
            let added = self.complete(&mut answer, controls, budget.unwrap_or_default());
            let mut told = 0;
            for (path, got) in &mut got {
                let mut rows = rows(&answer, path);
                if ["history", "comments", "notes", "learnings"].contains(&self.surface()) {
                    // Logs keep their newest rows first: pages run from new to old, the rows of a page do not.
                    rows.reverse();
                }
                told += rows.len();
                got.extend(rows);
            }
            assert!(told > 0 || page == 0, "{:?}: an empty page {answer}", self.argv);
            if let Some(next) = next.as_ref().filter(|_| nested) {
                if page == 0 {
                    self.check_nested_chain(next, controls, budget.unwrap_or_default(), added);
                }
                break;
            }
            // `events` hands out a cursor for what has not happened yet.
            cursor = next.filter(|_| answer["has_more"] == true);
            if cursor.is_none() {
                break;
            }
        }
        got
    }
}

/// Collections of other forms of an answer, which no surface declares.
const UNDECLARED: &[&str] =
    &["items", "tree", "tree.items", "breakdowns.tag.rows", "breakdowns.assignee.rows"];

/// The paths of a read's collections.
fn paths(read: &Read<'_>, whole: &Value) -> Vec<String> {
    let declared = row_keys(read.surface()).iter().filter(|path| !at(whole, path).is_null());
    let undeclared = UNDECLARED.iter().filter(|path| at(whole, path).is_array());
    let there = declared.chain(undeclared).map(|path| (*path).to_owned());
    let first = read.page(&["--output-limit=1".to_owned()], None, None).expect("nothing bounds it");
    // Collections that are not declared are cut by a budget only.
    let cost = whole.to_string().len() as u64 / 3;
    let cut =
        [cost / 2, cost / 4].into_iter().filter_map(|budget| read.page(&[], Some(budget.max(350)), None));
    let others = cut.chain([first]).flat_map(|page| continuations(&page)).map(|(path, _)| path);
    let mut all: Vec<String> = there.chain(others.filter(|path| !is_nested(path))).collect();
    all.sort();
    all.dedup();
    all
}

/// What a read tells depends on how much it may tell: `context` packs, `next` tells more of fewer.
fn packs(call: &str) -> bool {
    call.starts_with("context") || call.starts_with("next")
}

/// Walks every call with a few budgets and limits.
fn walk_everything(sandbox: &Sandbox, id: &str, other: &str, seed: u64) -> usize {
    let mut random = Random(seed);
    let mut walks = 0;
    for call in CALLS {
        let argv: Vec<String> =
            call.split(' ').map(|word| word.replace("{id}", id).replace("{other}", other)).collect();
        for json in [true, false] {
            let read = Read { sandbox, argv: argv.clone(), json };
            let Some(whole) = read.page(&[], None, None) else { panic!("{argv:?}") };
            let cost = whole.to_string().len() as u64 / 3;
            let paths = paths(&read, &whole);
            let want = read.walk(&paths, &[], None);
            // Not more than some forty pages.
            let least = (cost / 40).max(350);
            let budget = least + random.below(least);
            let got = read.walk(&paths, &[], Some(budget));
            if !packs(call) {
                assert_eq!(got, want, "{argv:?} with {budget}");
            }
            let most = want.values().map(Vec::len).max().unwrap_or_default() as u64;
            let limit = vec![format!("--output-limit={}", 1 + most / 12 + random.below(4))];
            for budget in [None, Some(budget.max(cost / 4))] {
                let got = read.walk(&paths, &limit, budget);
                if !packs(call) {
                    assert_eq!(got, want, "{argv:?} {limit:?} with {budget:?}");
                }
            }
            walks += 3;
        }
    }
    walks
}

#[test]
fn every_surface_is_called() {
    for surface in PM_READ_OUTPUT_SURFACE_CONTRACTS {
        let there = CATALOG.iter().any(|known| known.contract.path[0] == surface.surface);
        let called = CALLS.iter().any(|call| call.split(' ').next() == Some(surface.surface));
        assert!(called || !there, "{} is walked by nothing", surface.surface);
    }
}

#[test]
fn s64_a_made_tracker_is_told_whole_and_once() {
    let sandbox = items(70);
    let each = |text: &str| (0..9).map(|n| text.replace('#', &n.to_string())).collect::<Vec<_>>().join(",");
    let measurements = each(r#"{"id": "m#", "source": {"kind": "items"}}"#);
    let assertions = each(r#"{"id": "a#", "measurement_id": "m#", "floor": #, "enforcement": "block"}"#);
    let names = each(r#""a#""#);
    let registry = format!(
        r#"{{"measurements": [{measurements}], "assertions": [{assertions}], "gates": [{{"id": "g", "assertion_ids": [{names}]}}]}}"#
    );
    sandbox.write(".agents/pm/assurance.json", registry);
    for n in 0..12 {
        sandbox.ok(&["comments", "pm-003", &format!("Comment {n} about this and that")]);
    }
    assert!(walk_everything(&sandbox, "pm-000", "pm-003", 0x2545_f491_4f6c_dd1d) > 200);
}

#[test]
fn s64_a_real_tracker_is_told_whole_and_once() {
    let Some(sandbox) = corpus::copy_of("unbraind+pm-github") else { return };
    sandbox.write(".agents/pm/assurance.json", r#"{"measurements": [{"id": "m", "source": {"kind": "items"}}],
        "assertions": [{"id": "a", "measurement_id": "m", "floor": 0}], "gates": [{"id": "g", "assertion_ids": ["a"]}]}"#);
    walk_everything(&sandbox, "pm-github-9dqy", "pm-github-sx18", 0x9e37_79b9_7f4a_7c15);
}

//! Every surface, walked to its end by `next_cursor` alone with small budgets and limits, in both encodings: every row
//! once, in order, whole, and nothing said of the cost that is not true.

use std::collections::BTreeMap;

use pm::codec::toon;
use pm::commands::CATALOG;
use pm::read_output::{PM_READ_OUTPUT_SURFACE_CONTRACTS, read_output_surface};
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

    /// What the own cursors of a page's nested lists bring, by the name of the row and the path in it.
    fn rest_of_nested(
        &self,
        answer: &Value,
        controls: &[String],
        budget: u64,
    ) -> BTreeMap<String, Vec<Value>> {
        let mut rests = BTreeMap::new();
        for (path, first) in continuations(answer).into_iter().filter(|(path, _)| is_nested(path)) {
            let steps: Vec<&str> = path.splitn(3, '.').collect();
            let (table, row, rest) = (steps[0], steps[1].parse::<usize>().unwrap(), steps[2]);
            let name = answer[table][row]["name"].clone();
            // A page of its own has one row: its name, and the list.
            let own = format!("{table}.0.{rest}");
            let (mut more, mut cursor) = (Vec::new(), Some(first));
            for n in 0.. {
                assert!(n < 300, "{:?}: {path} has no end", self.argv);
                let Some(from) = cursor.take() else { break };
                let page = self.some_page(controls, Some(budget), Some(&from));
                assert_eq!(page[table][0]["name"], name, "{:?}: {path}", self.argv);
                let found = at(&page, &own).as_array().cloned().unwrap_or_default();
                assert!(!found.is_empty(), "{:?}: an empty page of {path}: {page}", self.argv);
                more.extend(found.iter().map(plain));
                cursor =
                    continuations(&page).into_iter().find(|(path, _)| *path == own).map(|(_, next)| next);
            }
            rests.insert(format!("{table}.{}.{rest}", name.as_str().unwrap()), more);
        }
        rests
    }

    /// All rows by path, by following `next_cursor` alone.
    fn walk(
        &self,
        paths: &[String],
        controls: &[String],
        budget: Option<u64>,
    ) -> BTreeMap<String, Vec<Value>> {
        let empty = |is_list: bool| -> BTreeMap<String, Vec<Value>> {
            let own = paths.iter().filter(|path| path.contains(".details.") == is_list);
            own.map(|path| (path.clone(), Vec::new())).collect()
        };
        let (mut got, mut nested) = (empty(false), empty(true));
        let (mut rests, mut starts) = (BTreeMap::new(), BTreeMap::new());
        let mut cursor: Option<String> = None;
        for page in 0.. {
            assert!(page < 900, "{:?} with {budget:?} {controls:?} has no end", self.argv);
            let answer = self.some_page(controls, budget, cursor.as_deref());
            let next = answer["next_cursor"].as_str().map(str::to_owned);
            let mut told = 0;
            for path in nested.keys().cloned().collect::<Vec<_>>() {
                let (table, rest) = path.split_once('.').unwrap();
                let (name, rest) = rest.split_once('.').unwrap();
                let rows = answer[table].as_array().cloned().unwrap_or_default();
                for row in rows.iter().filter(|row| row["name"] == name) {
                    let found = at(row, rest).as_array().cloned().unwrap_or_default();
                    told += found.len();
                    nested.get_mut(&path).unwrap().extend(found.iter().map(plain));
                }
            }
            if cursor.is_none() && budget.is_some() && self.json {
                rests = self.rest_of_nested(&answer, controls, budget.unwrap_or_default());
                starts = nested.iter().map(|(path, told)| (path.clone(), told.len())).collect();
            }
            for (path, got) in &mut got {
                let mut rows = rows(&answer, path);
                if is_resumable(self.surface()) {
                    // A list that goes on stands in a row of its own, which says nothing else.
                    rows.retain(|row| !row.is_object() || row.get("status").is_some());
                    rows.iter_mut().for_each(forget_lists);
                }
                if ["history", "comments", "notes", "learnings"].contains(&self.surface()) {
                    // Logs keep their newest rows first: pages run from new to old, the rows of a page do not.
                    rows.reverse();
                }
                told += rows.len();
                got.extend(rows);
            }
            assert!(told > 0 || page == 0, "{:?}: an empty page {answer}", self.argv);
            // `events` hands out a cursor for what has not happened yet.
            cursor = next.filter(|_| answer["has_more"] == true);
            if cursor.is_none() {
                break;
            }
        }
        for (path, rest) in rests {
            assert_eq!(nested[&path][starts[&path]..], rest, "{:?} with {budget:?}: {path}", self.argv);
        }
        got.extend(nested);
        got
    }
}

/// Whether a surface declares lists in its rows.
fn is_resumable(surface: &str) -> bool {
    read_output_surface(surface).is_some_and(|surface| !surface.continuation_row_keys.is_empty())
}

/// The paths of the lists in a row, by its name.
fn nested_paths(path: &str, value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(values) if !values.is_empty() => found.push(path.to_owned()),
        Value::Object(map) => {
            map.iter().for_each(|(key, value)| nested_paths(&format!("{path}.{key}"), value, found))
        }
        _ => {}
    }
}

/// Leaves of a row what is no list: they are told by themselves.
fn forget_lists(row: &mut Value) {
    if let Value::Object(map) = row {
        map.retain(|_, value| !value.is_array());
        map.values_mut().for_each(forget_lists);
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
    if is_resumable(read.surface()) {
        for row in whole["checks"].as_array().into_iter().flatten() {
            nested_paths(
                &format!("checks.{}.details", row["name"].as_str().unwrap()),
                &row["details"],
                &mut all,
            );
        }
    }
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

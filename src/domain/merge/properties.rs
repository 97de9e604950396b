//! Random histories of two branches, merged: nothing that either added is lost, whichever side is called ours.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::conflicts::{self, undecided};
use super::{Prefer, items, streams};
use crate::codec::json::stable;
use crate::domain::hash::{Epoch, GENESIS, item_hash};
use crate::domain::{chain, patch, values};
use crate::model::canonical::canonical_item;
use crate::model::item::Item;
use crate::model::timestamp;

/// One thing that somebody does to an item.
#[derive(Clone, Debug)]
pub(super) enum Act {
    Add(&'static str, u8),
    Remove(&'static str, u8),
    Set(&'static str, u8),
    Append(u8),
    Replace(u8),
}

const LOGS: [&str; 4] = ["comments", "notes", "learnings", "plan_decisions"];
const SETS: [&str; 5] = ["tags", "acceptance_criteria", "dependencies", "files", "plan_steps"];
const SCALARS: [&str; 6] = ["title", "priority", "status", "parent", "approval", "step"];

pub(super) fn act() -> impl Strategy<Value = Act> {
    let list = prop::sample::select([LOGS.as_slice(), SETS.as_slice()].concat());
    prop_oneof![
        6 => (list.clone(), 0..6u8).prop_map(|(list, n)| Act::Add(list, n)),
        2 => (list, 0..6u8).prop_map(|(list, n)| Act::Remove(list, n)),
        3 => (prop::sample::select(SCALARS.as_slice()), 0..4u8).prop_map(|(field, n)| Act::Set(field, n)),
        1 => (0..4u8).prop_map(Act::Append),
        1 => (0..4u8).prop_map(Act::Replace),
    ]
}

/// Acts with the minute at which each is done; minutes of both sides may be the same.
type Script = Vec<(Act, u8)>;

fn script(most: usize) -> impl Strategy<Value = Script> {
    prop::collection::vec((act(), 0..3u8), 0..most)
}

/// The row that a number stands for; who adds it at another time adds another one, but in a set.
fn row(list: &str, n: u8, at: &str, who: &str) -> Value {
    match list {
        "tags" | "acceptance_criteria" => json!(format!("{} {n}", &list[..3])),
        "dependencies" => json!({"id": format!("pm-{n}"), "kind": "related", "created_at": at}),
        "files" => json!({"path": format!("src/{n}.rs"), "scope": "project"}),
        "plan_decisions" => json!({"ts": at, "author": who, "decision": format!("decision {n}")}),
        _ => json!({"created_at": at, "author": who, "text": format!("{list} {n}")}),
    }
}

fn rows(item: &Item, list: &str) -> Vec<Value> {
    match list {
        "acceptance_criteria" => {
            values::criteria(item.text(list).unwrap_or_default()).into_iter().map(Value::from).collect()
        }
        _ => item.list(list).to_vec(),
    }
}

fn put(item: &mut Item, list: &str, rows: Vec<Value>) {
    let value = match list {
        _ if rows.is_empty() => None,
        "acceptance_criteria" => {
            Some(rows.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("; ").into())
        }
        _ => Some(Value::Array(rows)),
    };
    match value {
        Some(value) => item.metadata.insert(list.to_owned(), value),
        None => item.metadata.shift_remove(list),
    };
}

pub(super) fn perform(item: &Item, act: &Act, at: &str, who: &str) -> Item {
    let mut after = item.clone();
    match act {
        Act::Add("plan_steps", n) => {
            let mut steps = rows(item, "plan_steps");
            let last = steps
                .iter()
                .filter_map(|step| step["id"].as_str()?.strip_prefix("plan-step-")?.parse::<u32>().ok())
                .max();
            let id = format!("plan-step-{:03}", last.unwrap_or(0) + 1);
            steps.push(json!({"id": id, "order": steps.len() + 1, "title": format!("step {n} of {who}"), "status": "pending",
                "created_at": at, "updated_at": at}));
            put(&mut after, "plan_steps", steps);
        }
        Act::Add(list, n) => {
            let mut rows = rows(item, list);
            let new = row(list, *n, at, who);
            if !rows.contains(&new) {
                rows.push(new);
            }
            put(&mut after, list, rows);
        }
        Act::Remove(list, n) => {
            let mut rows = rows(item, list);
            if usize::from(*n) < rows.len() {
                rows.remove(usize::from(*n));
            }
            put(&mut after, list, rows);
        }
        Act::Set("step", n) => {
            let mut steps = rows(item, "plan_steps");
            if let Some(step) = steps.get_mut(usize::from(*n)) {
                step["evidence"] = json!(format!("seen by {who} at {at}"));
                step["updated_at"] = json!(at);
            }
            put(&mut after, "plan_steps", steps);
        }
        Act::Set(field, n) => {
            let value = match *field {
                "priority" => json!(n),
                "status" => json!(["open", "in_progress", "blocked", "closed"][usize::from(*n)]),
                "approval" => json!({"by": who, (format!("k{n}")): n}),
                field => json!(format!("{field} {n}")),
            };
            after.metadata.insert((*field).to_owned(), value);
        }
        Act::Append(n) => after.body = format!("{}\n\nappended {n} by {who}", item.body),
        Act::Replace(n) => after.body = format!("text {n}"),
    }
    after.metadata.insert("updated_at".to_owned(), at.into());
    canonical_item(&after).expect("every act makes an item that has a canonical form")
}

/// What a script makes of an item and its stream.
fn play(item: &Item, stream: &[Value], script: &Script, start: i64, who: &str) -> (Item, Vec<Value>) {
    let (mut item, mut stream, mut now) = (item.clone(), stream.to_vec(), start);
    for (act, minutes) in script {
        now += i64::from(*minutes) * 60_000;
        let at = timestamp::format(now);
        let after = perform(&item, act, &at, who);
        stream.push(entry(Some(&item), &after, &at, who));
        item = after;
    }
    (item, stream)
}

pub(super) fn entry(before: Option<&Item>, after: &Item, at: &str, who: &str) -> Value {
    let hash = |item: &Item| item_hash(item, Epoch::Second);
    json!({"ts": at, "author": who, "op": if before.is_some() { "update" } else { "create" },
        "patch": patch::diff_items(before, Some(after)),
        "before_hash": before.map_or_else(|| GENESIS.to_owned(), hash), "after_hash": hash(after), "item_hash_version": 2})
}

pub(super) fn beginning() -> Item {
    let metadata = json!({"id": "pm-x", "title": "T", "description": "", "type": "Plan", "status": "open", "priority": 2,
        "tags": [], "created_at": "2026-01-01T00:00:00.000Z", "updated_at": "2026-01-01T00:00:00.000Z"});
    Item { metadata: metadata.as_object().cloned().unwrap_or_default(), body: String::new() }
}

pub(super) fn lines(stream: &[Value]) -> String {
    stream.iter().map(|entry| format!("{entry}\n")).collect()
}

/// What a side has and the base had not.
fn added(base: &Item, side: &Item, list: &str) -> Vec<Value> {
    let known = rows(base, list);
    rows(side, list).into_iter().filter(|row| !known.contains(row)).collect()
}

/// Everything that both sides added is there; a step counts by its title, since what was done about it may differ.
pub(super) fn nothing_is_lost(base: &Item, sides: [&Item; 2], merged: &Item) -> Result<(), TestCaseError> {
    for side in sides {
        for list in LOGS.iter().chain(&SETS).filter(|list| **list != "plan_steps") {
            let there: BTreeSet<String> = rows(merged, list).iter().map(stable).collect();
            for row in added(base, side, list) {
                prop_assert!(there.contains(&stable(&row)), "{list} lost {row}");
            }
        }
        let before: BTreeSet<String> =
            rows(base, "plan_steps").iter().map(|s| s["title"].to_string()).collect();
        let titles: Vec<String> = rows(merged, "plan_steps").iter().map(|s| s["title"].to_string()).collect();
        for step in
            rows(side, "plan_steps").iter().filter(|step| !before.contains(&step["title"].to_string()))
        {
            prop_assert!(titles.contains(&step["title"].to_string()), "lost {step} of {titles:?}");
        }
    }
    Ok(())
}

/// A field that both sides set to different values keeps both.
fn both_values_are_told(base: &Item, [ours, theirs]: [&Item; 2], merged: &Item) -> Result<(), TestCaseError> {
    let open = undecided(merged);
    for field in ["title", "priority", "status", "parent"] {
        let at = |item: &Item| conflicts::value_at(item, field);
        let (b, o, t) = (at(base), at(ours), at(theirs));
        if o != t && o != b && t != b {
            let told = open.iter().find(|entry| entry.field == field);
            prop_assert!(
                told.is_some_and(|told| told.values.contains(&o) && told.values.contains(&t)),
                "{field}"
            );
        } else {
            prop_assert_eq!(at(merged), if o == b { t } else { o });
        }
    }
    let kept = |body: &str| {
        let parts: Vec<&str> = body.split("\n\n").collect();
        parts.iter().all(|part| merged.body.contains(part))
            || open.iter().any(|entry| entry.field == "body" && entry.values.contains(&body.into()))
    };
    for side in [ours, theirs].into_iter().filter(|side| side.body != base.body) {
        prop_assert!(kept(&side.body), "the body {:?} is gone: {:?}", side.body, merged.body);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn branches_merge_without_loss(base in script(6), ours in script(7), theirs in script(7), lag in 0..4i64) {
        let first = beginning();
        let start = timestamp::parse("2026-01-02T00:00:00.000Z").unwrap_or_default();
        let created = vec![entry(None, &first, "2026-01-01T00:00:00.000Z", "ann")];
        let (base, shared) = play(&first, &created, &base, start, "ann");
        let day = 86_400_000;
        let (ours, our_stream) = play(&base, &shared, &ours, start + day, "ann");
        let (theirs, their_stream) = play(&base, &shared, &theirs, start + day + lag * 60_000, "bob");

        let merged = items(&base, &ours, &theirs, Prefer::Stable).item;
        let other = items(&base, &theirs, &ours, Prefer::Stable).item;
        let canonical = canonical_item(&merged).expect("a merged item has a canonical form");
        prop_assert_eq!(stable(&Value::Object(canonical.metadata.clone())),
            stable(&Value::Object(canonical_item(&other).expect("as above").metadata)));
        prop_assert_eq!(&merged.body, &other.body);
        nothing_is_lost(&base, [&ours, &theirs], &canonical)?;
        both_values_are_told(&base, [&ours, &theirs], &canonical)?;

        let one = streams(&shared, &our_stream, &their_stream).expect("both streams replay");
        let two = streams(&shared, &their_stream, &our_stream).expect("both streams replay");
        prop_assert_eq!(lines(&one), lines(&two));
        let replay = chain::verify(&one);
        prop_assert_eq!(&replay.fault, &None);
        prop_assert_eq!(replay.disagreement(Some(&canonical)), None);
        prop_assert_eq!(stable(&Value::Object(replay.item.metadata)), stable(&Value::Object(canonical.metadata.clone())));

        // What was merged merges again with either side, and says nothing new.
        let again = items(&ours, &merged, &ours, Prefer::Stable).item;
        prop_assert_eq!(again, merged);
    }
}

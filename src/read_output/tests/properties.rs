//! What holds for every answer: generated envelopes, both encodings, any budget.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;

use super::super::cursor::Inside;
use super::specs::{Kind, Spec, leaf, nested, rows, spec};
use super::*;
use crate::codec::toon;

/// `list`, with every table primary.
const SURFACE: ReadOutput = ReadOutput { row_keys: &[], ..surfaces::LIST };

fn ask(spec: &Spec, words: &[String]) -> Delivered {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    read(spec.answer(), SURFACE, &words).unwrap()
}

/// JSON as TOON tells it: in tables a missing value is a null one, so nulls count for nothing.
pub(super) fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(map) => Value::Object(
            map.iter().filter(|(_, v)| !v.is_null()).map(|(k, v)| (k.clone(), without_nulls(v))).collect(),
        ),
        Value::Array(values) => values.iter().map(without_nulls).collect(),
        Value::Number(n) => n.as_f64().map_or(Value::Null, |n| json!(n)),
        other => other.clone(),
    }
}

/// Values that a session always tells apart.
const WORDS: [[&str; 4]; 2] =
    [["open", "closed", "in_progress", "blocked"], ["Task", "Issue", "Epic", "Feature"]];

pub(super) fn decoded(out: &Delivered, json: bool) -> Value {
    if json { value(out) } else { toon::decode(text(out)).unwrap_or_else(|e| panic!("{e}\n{}", text(out))) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_said_of_the_cost_is_true(spec in spec(), budget in 1u64..3_000, json: bool, receipt: bool) {
        let format = if json { "json" } else { "toon" };
        let mut words = vec![format!("--output-format={format}"), format!("--output-budget={budget}")];
        if receipt {
            words.push("--output-row-contract".into());
        }
        let out = ask(&spec, &words);
        let decoded = decoded(&out, json);
        let receipt = &decoded["read_output"];
        if !receipt.is_null() {
            prop_assert_eq!(receipt["estimated_tokens"].as_f64(), Some(tokens(&out) as f64));
            prop_assert_eq!(receipt["within_budget"].as_bool(), Some(!out.omitted));
            prop_assert_eq!(receipt["result_omitted"].as_bool().unwrap_or_default(), out.omitted);
        }
        if out.omitted {
            prop_assert_eq!(out.exit_code, 2);
        } else {
            prop_assert!(tokens(&out) <= budget, "{} > {budget}", tokens(&out));
        }
    }

    #[test]
    fn both_encodings_tell_the_same(spec in spec()) {
        let [json, toon] = ["json", "toon"].map(|format| {
            let out = ask(&spec, &[format!("--output-format={format}"), "--output-budget=unbounded".into()]);
            decoded(&out, format == "json")
        });
        prop_assert_eq!(without_nulls(&json), without_nulls(&toon));
    }

    #[test]
    fn the_measure_is_the_rendering(spec in spec(), format in 0..3usize, full: bool) {
        let flag = ["--output-format=json", "--output-format=toon", "--lean"][format];
        let mut words = vec![flag, "--output-row-contract", "--output-budget=unbounded"];
        if format == 2 {
            words.push("--json");
        }
        if full {
            words.push("--full-envelope");
        }
        let controls = resolve(&contract(Some(SURFACE)), &args(&words)).unwrap();
        let environment = Environment::default();
        let mut run = prepared(&spec, &controls, &environment);
        run.settle().unwrap();
        let Standing { measure, served } = run.stand().unwrap();
        let around = run.around(measure.tokens, &served, &run.cut_as_told()).unwrap();
        let text = run.text(&around, measure);
        prop_assert_eq!((text.len() as u64 + measure.padding).div_ceil(4), measure.tokens);
    }

    #[test]
    fn every_cut_list_keeps_the_largest_prefix(spec in spec(), budget in 150u64..2_000, json: bool) {
        let format = if json { "--output-format=json" } else { "--output-format=toon" };
        let controls = resolve(&contract(Some(SURFACE)), &args(&[format, &format!("--output-budget={budget}")])).unwrap();
        let environment = Environment::default();
        let mut run = prepared(&spec, &controls, &environment);
        if run.settle().unwrap() == Verdict::Fits && run.compacting {
            let mut shown = Vec::new();
            run.frame.each_shown(&mut |list| shown.push(list));
            // A page that cannot hold its first row whole holds no other.
            let tables = if run.cuts_inside_rows() { run.frame.tables.len() } else { 0 };
            for list in shown.into_iter().filter(|list| *list >= tables) {
                let kept = run.frame.doc.lists[list].shown;
                if kept + 1 < run.full(list) {
                    run.show(list, kept + 1).unwrap();
                    prop_assert!(!run.fits().unwrap(), "{} could keep {}", run.frame.doc.lists[list].path, kept + 1);
                    run.show(list, kept).unwrap();
                }
            }
        }
    }

    #[test]
    fn a_larger_budget_keeps_no_fewer_rows(rows in rows(60), budget in 150u64..2_000, more in 1u64..500, json: bool) {
        let spec = Spec {
            parts: vec![("items".into(), Kind::Table { rows, columns: true, limit: None, newest_last: false })],
            question: true,
        };
        let format = if json { "json" } else { "toon" };
        let kept = |budget: u64| {
            let out = ask(&spec, &[format!("--output-format={format}"), format!("--output-budget={budget}")]);
            let value = decoded(&out, json);
            let cut = value.get("output_budget_truncation").is_some();
            (!out.omitted && cut).then(|| value["items"].as_array().map_or(0, Vec::len))
        };
        if let (Some(less), Some(more)) = (kept(budget), kept(budget + more)) {
            prop_assert!(less <= more, "{less} then {more}");
        }
    }

    #[test]
    fn cursors_yield_every_row_once(spec in spec(), budget in 700u64..2_000, json: bool, limit in proptest::option::of(1usize..30)) {
        let format = if json { "json" } else { "toon" };
        for (path, mut want, newest_last) in spec.collections(limit.is_some()) {
            let mut words = vec![format!("--output-format={format}"), format!("--output-budget={budget}")];
            words.extend(limit.map(|n| format!("--output-limit={n}")));
            let mut got: Vec<Value> = Vec::new();
            let mut cursor: Option<String> = None;
            for page in 0.. {
                prop_assert!(page < 200, "no end");
                let words: Vec<String> = words.iter().cloned().chain(cursor.take()).collect();
                let out = ask(&spec, &words);
                if out.omitted {
                    return Ok(());
                }
                let answer = decoded(&out, json);
                let mut rows = ids_at(&answer, &path);
                if newest_last {
                    rows.reverse();
                }
                got.extend(rows);
                match continuation(&answer, &path) {
                    Some(next) => cursor = Some(format!("--output-cursor={next}")),
                    None => break,
                }
            }
            if newest_last {
                want.reverse();
            }
            let want: Vec<Value> = want.iter().map(|row| row["id"].clone()).collect();
            prop_assert_eq!(got, want, "{}", path);
        }
    }

    /// Whoever only follows `next_cursor` is told every row of every collection once, in order, and every record once.
    #[test]
    fn the_next_cursor_leads_through_everything_once(spec in spec(), budget in 700u64..2_000, json: bool, limit in proptest::option::of(1usize..30)) {
        let mut words = vec![format!("--output-format={}", if json { "json" } else { "toon" }), format!("--output-budget={budget}")];
        words.extend(limit.map(|n| format!("--output-limit={n}")));
        // Pages without rows have no end.
        let is_none = |kind: &Kind| matches!(kind, Kind::Table { limit: Some(0), .. });
        prop_assume!(limit.is_some() || !spec.parts.iter().any(|(_, kind)| is_none(kind)));
        let collections = spec.collections(limit.is_some());
        let mut got: Vec<Vec<Value>> = vec![Vec::new(); collections.len()];
        let mut cursor: Option<String> = None;
        for page in 0.. {
            prop_assert!(page < 400, "no end");
            let words: Vec<String> = words.iter().cloned().chain(cursor.take()).collect();
            let out = ask(&spec, &words);
            if out.omitted {
                return Ok(());
            }
            let answer = decoded(&out, json);
            let mut told = 0;
            for ((path, _, newest_last), got) in collections.iter().zip(&mut got) {
                let mut rows = ids_at(&answer, path);
                if *newest_last {
                    rows.reverse();
                }
                told += rows.len();
                got.extend(rows);
            }
            prop_assert!(told > 0 || page == 0, "an empty page: {}", text(&out));
            prop_assert_eq!(answer["next_cursor"].is_string(), answer["has_more"] == json!(true));
            match answer["next_cursor"].as_str() {
                Some(next) => cursor = Some(format!("--output-cursor={next}")),
                None => break,
            }
        }
        for ((path, want, newest_last), got) in collections.iter().zip(got) {
            let mut want: Vec<Value> = want.iter().map(|row| row["id"].clone()).collect();
            if *newest_last {
                want.reverse();
            }
            prop_assert_eq!(got, want, "{}", path);
        }
    }

    /// A row is whole or on another page; one that is more than a page says with which budget it is whole.
    #[test]
    fn what_is_cut_inside_rows_is_recovered(sizes in vec((0..400usize, 0..4usize), 1..8), notes in 0..300usize, budget in 400u64..1_500, json: bool, declared: bool) {
        let rows: Vec<Value> = sizes.iter().enumerate().map(|(n, (members, tags))| json!({
            "id": format!("pm-{n:03}"), "title": format!("Row {n}"),
            "members": (0..*members).map(|m| format!("member-{m:03}")).collect::<Vec<_>>(),
            "tags": (0..*tags).map(|m| json!({"name": m, "more": vec![m; *tags]})).collect::<Vec<_>>(),
        })).collect();
        let notes: Vec<Value> = (0..notes).map(|n| json!(format!("note {n}"))).collect();
        let answer = || {
            let rows = Rows::values(rows.clone());
            let rows = if declared { rows.columns(["id", "title", "members", "tags"]) } else { rows };
            Answer::new().rows("communities", rows).value("notes", notes.clone())
        };
        let format = format!("--output-format={}", if json { "json" } else { "toon" });
        let page = |budget: u64, cursor: &Option<String>| {
            let mut words = vec![format.clone(), format!("--output-budget={budget}")];
            words.extend(cursor.clone());
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let out = read(answer(), surfaces::GRAPH, &words).unwrap();
            (!out.omitted).then(|| decoded(&out, json))
        };
        let (mut got, mut cursor) = (Vec::new(), None);
        loop {
            let Some(mut answer) = page(budget, &cursor) else { return Ok(()) };
            let cut = |answer: &Value| {
                let paths = answer["output_budget_truncation"]["compacted_row_paths"].as_array().cloned().unwrap_or_default();
                paths.into_iter().any(|path| path != "communities")
            };
            if cut(&answer) {
                let disclosure = &answer["output_budget_truncation"];
                let recovery = if disclosure["continuations"].as_array().is_some_and(|list| !list.is_empty()) { &disclosure["nested_recovery"] } else { &disclosure["recovery"] };
                let more = recovery["sdk"]["outputBudget"].as_f64().unwrap() as u64;
                prop_assert!(more > budget && more.is_multiple_of(100));
                answer = page(more, &cursor).unwrap();
                prop_assert!(!cut(&answer), "{}", answer);
            }
            // What is no row is told once.
            let told = if cursor.is_none() { Value::from(notes.clone()) } else { Value::Null };
            prop_assert_eq!(without_nulls(&answer["notes"]), without_nulls(&told));
            got.extend(answer["communities"].as_array().unwrap().iter().map(without_nulls));
            match answer["next_cursor"].as_str() {
                Some(next) => cursor = Some(format!("--output-cursor={next}")),
                None => break,
            }
        }
        prop_assert_eq!(Value::from(got), without_nulls(&Value::from(rows.clone())));
    }

    #[test]
    fn selecting_twice_is_selecting_once(spec in spec(), which in vec(0..3usize, 1..3)) {
        let fields: Vec<&str> = which.iter().map(|n| ["id", "title", "priority"][*n]).collect();
        let words = ["--json".to_owned(), format!("--output-include={}", fields.join(",")), "--output-budget=unbounded".into()];
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let Ok(once) = read(spec.answer(), SURFACE, &words) else { return Ok(()) };
        let kept: Vec<Value> = value(&once)["items"].as_array().unwrap().clone();
        let again = Answer::new().rows("items", Rows::values(kept.clone()));
        if let Ok(twice) = read(again, SURFACE, &words) {
            prop_assert_eq!(&value(&twice)["items"], &Value::from(kept));
        }
    }

    /// A reference stands in only for what was told and is still so; what was told and is still so is told by
    /// reference, and a state only grows. Items change between the calls, and some change back.
    #[test]
    fn a_session_tells_everything_once(items in vec((leaf(), 0..3u8, proptest::option::of(nested())), 1..30), calls in vec((400u64..4_000, 0..4usize, vec((any::<prop::sample::Index>(), 0..5usize, leaf()), 0..6)), 2..8), json: bool) {
        let mut items: Vec<Value> = items.into_iter().enumerate().map(|(n, (title, card, extra))| {
            let mut row = json!({"id": format!("pm-{n:03}"), "title": title, "extra": extra});
            if card > 0 {
                row["status"] = json!("open");
            }
            if card > 1 {
                row["type"] = json!("Task");
            }
            row
        }).collect();
        let format = format!("--output-format={}", if json { "json" } else { "toon" });
        let mut state = json!({"version": 1, "id": "s", "token_budget": 1_000_000, "spent_tokens": 0, "seen_item_ids": []});
        let before = items.clone();
        let mut told: BTreeMap<String, BTreeMap<&str, Value>> = BTreeMap::new();
        for (budget, include, changes) in calls {
            for (which, field, value) in changes {
                let which = which.index(items.len());
                match ["title", "status", "type", "extra"].get(field).copied() {
                    Some(field @ ("title" | "extra")) => items[which][field] = value,
                    Some(field) => items[which][field] = json!(WORDS[usize::from(field == "type")][value.to_string().len() % 4]),
                    None => items[which] = before[which].clone(),
                }
            }
            let mut words = vec![format.clone(), format!("--output-budget={budget}"), format!("--output-session={state}")];
            let selected: &[&str] = [&["title", "status", "type", "extra"][..], &["title"], &["title", "extra"], &["status"]][include];
            if include > 0 {
                words.push(format!("--output-include=id,{}", selected.join(",")));
            }
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let out = match read(Answer::new().rows("items", Rows::values(items.clone())), surfaces::LIST, &words) {
                Ok(out) => out,
                Err(error) => {
                    prop_assert!(matches!(error.code, Code::UnknownOutputIncludeSelector | Code::ReadOutputSessionExhausted));
                    continue;
                }
            };
            let answer = decoded(&out, json);
            let session = &answer["read_session"];
            prop_assert_eq!(session["spent_this_call_tokens"].as_f64(), Some(tokens(&out) as f64));
            let mut now = Vec::new();
            for (row, item) in answer["items"].as_array().into_iter().flatten().zip(&items) {
                let id = row["id"].as_str().unwrap();
                let says = |field: &&str| selected.contains(field) && !hollow(&item[*field]);
                let fields: Vec<&str> = ["title", "status", "type", "extra"].into_iter().filter(says).collect();
                // What else a list says of an item belongs to the answer.
                let of_item = |field: &&&str| include > 0 || **field != "extra";
                let needed: Vec<&str> = fields.iter().filter(of_item).copied().collect();
                let known = told.get(id);
                let has_title = item["title"].as_str().is_some_and(|title| !title.is_empty());
                let covered = has_title && known.is_some_and(|known| needed.iter().all(|field| known.get(field) == Some(&item[*field])));
                if row.get("context_ref").is_some_and(|place| !place.is_null()) {
                    prop_assert!(covered, "{id}: {needed:?} of {known:?}");
                } else {
                    prop_assert!(!covered || needed.is_empty(), "{id} is told again: {row}, known {known:?}");
                    let whole = |field: &&str| without_nulls(&row[*field]) == without_nulls(&item[*field]);
                    if has_title {
                        let told = needed.iter().map(|field| (*field, whole(field).then(|| item[*field].clone())));
                        now.push((id.to_owned(), told.collect::<Vec<_>>()));
                    }
                }
            }
            for (id, fields) in now {
                let known = told.entry(id).or_default();
                for (field, told) in fields {
                    match told {
                        Some(told) => known.insert(field, told),
                        None => known.remove(field),
                    };
                }
            }
            let carried = state["seen_item_ids"].as_array().unwrap();
            let next = session["next_state"]["seen_item_ids"].as_array().unwrap();
            prop_assert!(next.is_sorted_by_key(|id| id.as_str()) && carried.iter().all(|id| next.contains(id)));
            state = session["next_state"].clone();
            for key in ["version", "token_budget", "spent_tokens"] {
                state[key] = json!(state[key].as_f64().unwrap() as u64);
            }
            if state["seen_item_ids"].is_null() {
                state["seen_item_ids"] = json!([]);
            }
        }
    }

    #[test]
    fn any_control_text_is_answered_or_refused(text in "\\PC{0,60}", words in vec("[-a-z0-9{}\\[\\]\":,. _]{0,12}", 0..4)) {
        for flag in ["--output-cursor", "--output-session", "--output-include", "--output-limit", "--output-budget", "--output-format", "--after", "--limit"] {
            let mut args = args(&[]);
            let joined = format!("{text}{}", words.concat());
            match flag {
                "--output-cursor" => args.cursor = Some(joined),
                "--output-session" => args.session = Some(joined),
                "--output-include" => args.include = Some(joined),
                "--output-limit" => args.limit = Some(joined),
                "--output-budget" => args.budget = Some(joined),
                "--output-format" => args.format = Some(joined),
                flag => args.typed.push(Typed { flag: flag.into(), value: Some(joined) }),
            }
            if let Ok(controls) = resolve(&contract(Some(surfaces::LIST)), &args) {
                let _ = deliver(list(3), &controls, &Environment::default());
            }
        }
    }

    #[test]
    fn any_well_formed_cursor_is_answered_or_refused(offset: u32, total: u32, path in "[a-z.0-9]{0,8}", f in "[A-Za-z0-9_-]{8}", index: u32) {
        for cursor in [
            Cursor::Rows { surface: "list".into(), path: path.clone(), offset: offset as usize, total: total as usize, fingerprint: f.clone(), base: index as usize, window: index % 2 == 0, inside: (index % 3 == 0).then(|| Inside { row: index as usize % 5, list: index as usize % 2, runs: vec![(offset as usize, total as usize); index as usize % 4] }), later: vec![(index as usize % 7, offset as usize); index as usize % 3], asked: index % 5 == 0 },
            Cursor::Rows { surface: "list".into(), path: "items".into(), offset: offset as usize, total: 3, fingerprint: f.clone(), base: index as usize, window: index % 2 == 0, inside: (index % 3 == 0).then(|| Inside { row: index as usize % 5, list: index as usize % 2, runs: vec![(offset as usize, total as usize); index as usize % 4] }), later: vec![(index as usize % 7, offset as usize); index as usize % 3], asked: index % 5 == 0 },
            Cursor::Item { fingerprint: f.clone(), after_id: path.clone(), after_index: index as usize, snapshot: None },
        ] {
            let flag = format!("--output-cursor={}", cursor.encode());
            prop_assert_eq!(Cursor::decode(&cursor.encode()), Some(cursor.clone()));
            prop_assert_eq!(Cursor::decode(&cursor.encode()[..cursor.encode().len() - 7]), None);
            let _ = read(list(3), surfaces::LIST, &[&flag]);
        }
    }
}

/// Whether a value says nothing.
fn hollow(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(values) => values.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}

/// The cursor with which a collection goes on, wherever the answer says it.
fn continuation(answer: &Value, path: &str) -> Option<String> {
    let disclosed = [&answer["output_budget_truncation"]["continuations"], &answer["continuations"]];
    let entries = disclosed.into_iter().flat_map(|list| list.as_array().into_iter().flatten());
    let mut own = entries.filter(|entry| entry["path"] == path).map(|entry| &entry["cursor"]);
    if let Some(own) = own.next() {
        return own.as_str().map(str::to_owned);
    }
    let next = answer.get("next_cursor")?.as_str()?;
    // Only the one counted table has cursors that continue after an item.
    match Cursor::decode(next)? {
        Cursor::Rows { path: theirs, .. } => theirs == path,
        Cursor::Item { .. } => matches!(path, "items" | "checks"),
    }
    .then(|| next.to_owned())
}

/// The ids of the rows at a path.
fn ids_at(answer: &Value, path: &str) -> Vec<Value> {
    let place = path.split('.').fold(answer, |place, step| &place[step]);
    let ids = |row: &Value| row["id"].clone();
    match place {
        Value::Object(entries) => entries.values().map(ids).collect(),
        place => place.as_array().into_iter().flatten().map(ids).collect(),
    }
}

fn prepared<'c>(spec: &Spec, controls: &'c Controls, environment: &'c Environment) -> Run<'static, 'c> {
    let mut frame = Frame::new(spec.answer(), controls);
    let surface = controls.surface.as_ref().unwrap();
    project::project(&mut frame, controls, surface).unwrap();
    page::page(&mut frame, controls, surface).unwrap();
    let mut run = Run::new(frame, controls, surface, environment);
    run.refer();
    run
}

/// A fifth of `PROPTEST_CASES`: the suite runs often, and answers are large.
pub(super) fn cases() -> u32 {
    ProptestConfig::default().cases.clamp(1, 100_000) / 5
}

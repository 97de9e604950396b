//! Numbered statements of read-output.md §11, and sentences of seed 001, on answers made by hand.

use std::cell::Cell;

use super::*;

fn refused(surface: ReadOutput, words: &[&str]) -> Error {
    read(list(40), surface, words).map(|out| text(&out).to_owned()).expect_err("it should be refused")
}

fn code(surface: ReadOutput, words: &[&str]) -> Code {
    refused(surface, words).code
}

#[test]
fn s1_to_s7_values_outside_the_grammar() {
    for value in ["0", "-1", "abc", "1.5", "1e3", "", "99999999999999999999"] {
        for flag in ["--output-limit", "--output-budget"] {
            let error = refused(surfaces::LIST, &[&format!("{flag}={value}")]);
            assert_eq!(error.code, Code::InvalidArgumentValue);
            assert_eq!(error.message, format!("{flag} must be a positive integer or unbounded"));
            assert_eq!((error.surface.as_deref(), error.rejected.as_deref()), (Some(flag), Some(value)));
        }
    }
    for value in ["xml", "JSON", "csv", "table", ""] {
        assert_eq!(code(surfaces::LIST, &[&format!("--output-format={value}")]), Code::InvalidArgumentValue);
    }
    for value in [",", "", " , "] {
        assert_eq!(code(surfaces::LIST, &[&format!("--output-include={value}")]), Code::InvalidArgumentValue);
    }
    assert_eq!(code(surfaces::LIST, &["--output-cursor="]), Code::InvalidArgumentValue);
}

#[test]
fn s11_the_strongest_format_wins() {
    let format = |words: &[&str], defaults: Defaults| {
        let args = OutputArgs { defaults, ..args(words) };
        resolve(&contract(Some(surfaces::LIST)), &args).unwrap().format
    };
    let terminal = Defaults { terminal: true, ..Defaults::default() };
    let environment = Defaults { environment_format: Some("csv".into()), ..terminal.clone() };
    let setting = Defaults { setting_format: Some("json".into()), ..environment.clone() };
    assert_eq!(format(&[], Defaults::default()), Format::Toon);
    assert_eq!(format(&[], terminal), Format::Table);
    assert_eq!(format(&[], environment), Format::Csv);
    assert_eq!(format(&[], setting.clone()), Format::Json);
    assert_eq!(format(&["--format=markdown"], setting.clone()), Format::Markdown);
    assert_eq!(format(&["--format=markdown", "--json"], setting.clone()), Format::Json);
    assert_eq!(format(&["--output-format=toon", "--json"], setting), Format::Toon);
}

#[test]
fn s15_to_s22_controls_are_refused_where_something_changes() {
    let hybrid = contract(Some(surfaces::COMMENTS));
    let mutation = contract(None);
    for control in [
        "--output-include=id",
        "--output-limit=1",
        "--output-budget=1",
        "--output-session={}",
        "--output-cursor=x",
    ] {
        for (contract, words) in [(&hybrid, vec!["--add=hi", control]), (&mutation, vec![control])] {
            let error = resolve(contract, &args(&words)).unwrap_err();
            assert_eq!(error.code, Code::OutputControlNotApplicable);
            assert_eq!(error.surface.as_deref(), control.split('=').next());
        }
    }
    let controls = resolve(&mutation, &args(&["--output-format=json"])).unwrap();
    let out = deliver(Answer::new().value("id", "pm-a1").warn("careful"), &controls, &Environment::default())
        .unwrap();
    assert_eq!(text(&out), "{\n  \"id\": \"pm-a1\",\n  \"warnings\": [\n    \"careful\"\n  ]\n}\n");
}

#[test]
fn s23_to_s28_modes_and_where_they_came_from() {
    let resolved = |words: &[&str]| resolve(&contract(Some(surfaces::LIST)), &args(words)).unwrap();
    for words in [&["--output-include=brief"][..], &["--brief"]] {
        assert_eq!(resolved(words).want.mode.as_deref(), Some("brief"));
    }
    let receipt = |words: &[&str]| {
        let mut all = vec!["--json"];
        all.extend(words);
        value(&read(list(3), surfaces::LIST, &all).unwrap())["read_output"].clone()
    };
    let only = receipt(&["--output-include=brief"]);
    assert_eq!(only["canonical_options_used"], json!(["--output-include"]));
    assert_eq!((&only["legacy_aliases_used"], &only["migration_hints"]), (&json!([]), &json!([])));
    let mixed = receipt(&["--brief", "--output-include=id"]);
    assert_eq!(mixed["legacy_aliases_used"], json!(["--brief"]));
    assert_eq!(mixed["requested_dimensions"], json!(["include"]));
    let full = receipt(&["--full", "--output-include=full", "--limit=2"]);
    assert_eq!(full["legacy_aliases_used"], json!(["--full", "--limit"]));
    assert_eq!(
        full["migration_hints"],
        json!([
            "--full is a compatibility alias; prefer --output-include full.",
            "--limit is a compatibility alias; prefer --output-limit <n>.",
        ])
    );
    assert_eq!(receipt(&[]), Value::Null);
}

#[test]
fn s36_two_modes_exclude_each_other() {
    for words in [
        &["--output-include=brief,full"][..],
        &["--brief", "--full"],
        &["--fields=id", "--output-include=full"],
    ] {
        assert_eq!(code(surfaces::LIST, words), Code::ProjectionOptionsMutuallyExclusive);
    }
}

#[test]
fn s29_to_s38_selectors() {
    let rows = |words: &[&str]| value(&read(list(3), surfaces::LIST, words).unwrap())["items"].clone();
    assert_eq!(rows(&["--json", "--output-include= id ,,id,"])[0], json!({"id": "pm-0000"}));
    assert_eq!(rows(&["--json", "--output-include=items.id"])[0], json!({"id": "pm-0000"}));
    assert_eq!(rows(&["--json", "--output-include=brief,status"])[0], json!({"status": "open"}));
    let error = refused(surfaces::LIST, &["--output-include=id,nosuch"]);
    assert_eq!((error.code, error.rejected.as_deref()), (Code::UnknownOutputIncludeSelector, Some("nosuch")));
    assert!(error.message.contains("brief, compact, full"), "{}", error.message);
    let error = refused(surfaces::STATS, &["--output-include=items.nosuch"]);
    assert!(error.message.contains("no projection modes"), "{}", error.message);
    assert!(read(list(0), surfaces::LIST, &["--output-include=nosuch"]).is_ok());
    let table = text(&read(list(1), surfaces::LIST, &["--output-include=title,id"]).unwrap()).to_owned();
    assert!(table.starts_with("items[1]{id,title}:\n"), "{table}");
}

#[test]
fn s35_a_selection_of_get_is_the_item_and_named_sections() {
    let answer = || {
        Answer::new()
            .record("item", json!({"id": "pm-a1", "title": "One", "body": "text"}))
            .value("linked", json!({"files": []}))
            .value("children", json!({"count": 2}))
    };
    let ask =
        |include: &str| read(answer(), surfaces::GET, &["--json", &format!("--output-include={include}")]);
    let json = value(&ask("id,title").unwrap());
    assert_eq!(json["item"], json!({"id": "pm-a1", "title": "One"}));
    assert_eq!(json.as_object().unwrap().keys().collect::<Vec<_>>(), ["item", "read_output"]);
    let json = value(&ask("title,children").unwrap());
    assert_eq!((&json["item"], &json["children"]), (&json!({"title": "One"}), &json!({"count": 2})));
    for wrong in ["item,id", "nosuch", "item.nosuch"] {
        assert_eq!(ask(wrong).unwrap_err().code, Code::UnknownOutputIncludeSelector, "{wrong}");
    }
}

#[test]
fn s37_sections_narrow_the_answer() {
    let answer = Answer::new()
        .value("totals", json!({"items": 3}))
        .rows("by_type", Rows::entries(vec![("Task".into(), json!(3))]));
    let json = value(&read(answer, surfaces::STATS, &["--json", "--output-include=totals"]).unwrap());
    assert_eq!(json.as_object().unwrap().keys().collect::<Vec<_>>(), ["totals", "read_output"]);
}

#[test]
fn s39_s40_a_limited_page_goes_on() {
    let json = value(&read(list(40), surfaces::LIST, &["--json", "--output-limit=3"]).unwrap());
    assert_eq!(json["applied_bound"], json!({"kind": "output_limit", "source": "explicit", "value": 3}));
    assert_eq!((&json["count"], &json["total"], &json["has_more"]), (&json!(3), &json!(40), &json!(true)));
    let next = json["next_cursor"].as_str().unwrap();
    for flag in ["--output-cursor", "--after"] {
        let words = [&format!("{flag}={next}"), "--json", "--output-limit=3"];
        let page = value(&read(list(40), surfaces::LIST, &words).unwrap());
        assert_eq!(page["items"][0]["id"], "pm-0003", "{flag}");
    }
    let local = value(&read(limited(40, 3), surfaces::LIST, &["--json"]).unwrap());
    let keys: Vec<_> = local.as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["items", "count", "total", "has_more", "next_cursor"]);
    let words = [&format!("--output-cursor={}", local["next_cursor"].as_str().unwrap()), "--json"];
    assert_eq!(value(&read(limited(40, 3), surfaces::LIST, &words).unwrap())["items"][2]["id"], "pm-0005");
}

fn limited(total: usize, limit: usize) -> Answer<'static> {
    let rows = Rows::lazy(total, |n| Ok(row(n))).columns(["id", "status", "type", "title"]);
    Answer::new().rows("items", rows.limited(Some(limit))).question(json!({}))
}

#[test]
fn s41_each_declared_collection_is_bounded_and_can_go_on() {
    let nodes = || Rows::ready((0..5).map(row).collect());
    let answer = Answer::new().group("graph", Answer::new().rows("nodes", nodes()).rows("edges", nodes()));
    let json = value(&read(answer, surfaces::DEPS, &["--json", "--output-limit=2"]).unwrap());
    assert_eq!(json["graph"]["nodes"].as_array().unwrap().len(), 2);
    assert_eq!(json["graph"]["edges"].as_array().unwrap().len(), 2);
    let paths: Vec<_> = json["continuations"].as_array().unwrap().iter().map(|c| c["path"].clone()).collect();
    assert_eq!(paths, ["graph.nodes", "graph.edges"]);
}

#[test]
fn s42_s50_a_control_that_changes_nothing_says_nothing() {
    let plain = read(list(3), surfaces::LIST, &["--json"]).unwrap().bytes;
    for control in
        ["--output-limit=1000", "--output-limit=unbounded", "--output-budget=5000", "--output-format=json"]
    {
        assert_eq!(read(list(3), surfaces::LIST, &["--json", control]).unwrap().bytes, plain, "{control}");
    }
}

#[test]
fn s49_an_overridden_limit_is_reported() {
    let json = value(&read(list(500), surfaces::LIST, &["--json", "--output-limit=unbounded"]).unwrap());
    let disclosure = &json["output_budget_truncation"];
    assert_eq!(disclosure["overridden_dimensions"], json!(["amount"]));
    assert_eq!(
        (&disclosure["budget_source"], &disclosure["budget_tokens"]),
        (&json!("default"), &json!(6000))
    );
    assert_eq!(disclosure["restore_with"], "recovery");
    assert_eq!(disclosure["recovery"]["cursor"], json["next_cursor"]);
    assert!(json["read_output"].get("canonical_options_used").is_some());
    let json = value(&read(list(500), surfaces::LIST, &["--json"]).unwrap());
    assert!(json["read_output"].get("canonical_options_used").is_none());
}

#[test]
fn s54_to_s56_complete_spellings_defeat_the_default_only() {
    for words in [&["--all"][..], &["--no-truncate"], &["--unbounded"]] {
        let json = ["--json"].iter().chain(words).copied().collect::<Vec<_>>();
        assert_eq!(value(&read(list(500), surfaces::LIST, &json).unwrap())["count"], 500, "{words:?}");
    }
    let out = read(list(500), surfaces::LIST, &["--all", "--json", "--output-budget=900"]).unwrap();
    assert!(tokens(&out) <= 900);
    let full = value(&read(list(500), surfaces::LIST, &["--full", "--json"]).unwrap());
    assert!(full["next_cursor"].is_string(), "full is a projection of list, no promise of completeness");
    let controls = resolve(&contract(Some(surfaces::CONTRACTS)), &args(&["--output-include=full"])).unwrap();
    assert_eq!(controls.ceiling, Ceiling { tokens: None, source: BudgetSource::Intent });
}

fn diagnostics() -> Answer<'static> {
    let findings: Vec<Value> = (0..200).map(|n| json!(format!("pm-{n:04}:resolution"))).collect();
    let check = json!({"name": "resolution", "status": "warn", "details": {"count": 200, "rows": findings, "hints": ["a", "b"]}});
    let rows = vec![check.as_object().unwrap().clone()];
    Answer::new()
        .value("ok", true)
        .rows("checks", Rows::ready(rows))
        .rows("warnings", Rows::values(vec![json!("w:1")]))
}

#[test]
fn s57_nested_findings_are_cut_before_checks_and_go_on() {
    let mut found: Vec<Value> = Vec::new();
    let mut cursor = String::new();
    for _ in 0..100 {
        let mut words = vec!["--json", "--output-budget=800"];
        if !cursor.is_empty() {
            words.push(&cursor);
        }
        let out = read(diagnostics(), surfaces::VALIDATE, &words).unwrap();
        assert!(tokens(&out) <= 800);
        let json = value(&out);
        found.extend(json["checks"][0]["details"]["rows"].as_array().unwrap().clone());
        let entries =
            json["output_budget_truncation"]["continuations"].as_array().cloned().unwrap_or_default();
        match entries.iter().find(|entry| entry["path"] == "checks.0.details.rows") {
            Some(entry) => cursor = format!("--output-cursor={}", entry["cursor"].as_str().unwrap()),
            None => break,
        }
    }
    let all: Vec<Value> = (0..200).map(|n| json!(format!("pm-{n:04}:resolution"))).collect();
    assert_eq!(found, all);
}

#[test]
fn s58_s59_get_falls_back_to_brief() {
    let item = |body: bool| {
        let mut item =
            json!({"id": "pm-a1", "title": "One", "dependencies": [{"id": "pm-b2", "kind": "blocks"}]});
        if body {
            item["body"] = json!("word ".repeat(2_000));
        }
        item
    };
    let answer = || {
        Answer::new().record("item", item(true)).value("linked", json!({"files": vec!["a"; 50]})).fallback(
            "brief",
            move || {
                Ok(Answer::new()
                    .record("item", item(false))
                    .omits("body", "--output-include body")
                    .omits("linked", "--output-include linked"))
            },
        )
    };
    let out = read(answer(), surfaces::GET, &["--json", "--output-budget=600"]).unwrap();
    let json = value(&out);
    assert_eq!((out.exit_code, json["item"].clone()), (0, item(false)));
    assert_eq!(
        (&json["read_output"]["applied_depth"], &json["read_output"]["rows_compacted"]),
        (&json!("brief"), &json!(false))
    );
    assert_eq!(json["read_output"]["degradation_reason"], "output_budget_reached");
    assert_eq!(json["omission_receipt"]["omitted_field_groups"][0]["name"], "body");
    assert!(json.get("output_budget_truncation").is_none());
    let selected =
        read(answer(), surfaces::GET, &["--json", "--output-budget=600", "--output-include=id,body"])
            .unwrap();
    assert!(!text(&selected).contains("applied_depth"));
    assert!(!text(&read(answer(), surfaces::GET, &["--json"]).unwrap()).contains("applied_depth"));
}

#[test]
fn s63_a_finite_recovery_cuts_no_more() {
    let answer = || {
        let tags: Vec<Value> = (0..400).map(|n| json!(format!("tag-{n}"))).collect();
        Answer::new().value("totals", json!({"items": 3})).value("tags", tags)
    };
    let json = value(&read(answer(), surfaces::STATS, &["--json", "--output-budget=900"]).unwrap());
    let budget = json["output_budget_truncation"]["recovery"]["sdk"]["outputBudget"].as_u64().unwrap();
    assert!(budget > 900 && budget.is_multiple_of(100));
    let flag = format!("--output-budget={budget}");
    let whole = value(&read(answer(), surfaces::STATS, &["--json", &flag]).unwrap());
    assert_eq!(whole["tags"].as_array().unwrap().len(), 400);
    assert_eq!(resolve_read_output_recovery_budget(600, 500), Some(800));
    assert_eq!(resolve_read_output_recovery_budget(600, 6_000), Some(7_500));
    assert_eq!(resolve_read_output_recovery_budget(u64::MAX, 1), None);
    assert_eq!(resolve_read_output_recovery_budget(9_007_199_254_740_991, 1), None);
}

#[test]
fn s67_to_s69_cursors_that_are_refused() {
    let first = value(&read(list(60), surfaces::LIST, &["--json", "--output-budget=600"]).unwrap());
    let cursor = first["next_cursor"].as_str().unwrap();
    let flag = format!("--output-cursor={cursor}");
    assert_eq!(code(surfaces::SEARCH, &[&flag]), Code::ReadOutputCursorCommandMismatch);
    assert_eq!(code(surfaces::LIST, &[&flag]), Code::ReadOutputCursorStale, "another total");
    let changed = Answer::new().rows(
        "items",
        Rows::lazy(60, |n| {
            let mut row = row(n);
            if n == 50 {
                row.insert("title".into(), json!("Changed"));
            }
            Ok(row)
        }),
    );
    assert_eq!(read(changed, surfaces::LIST, &[&flag]).unwrap_err().code, Code::ReadOutputCursorStale);
    for wrong in
        ["bm90IGEgY3Vyc29y".to_owned(), cursor[..cursor.len() - 7].to_owned(), "A".repeat(5_000), "!".into()]
    {
        assert_eq!(
            code(surfaces::LIST, &[&format!("--output-cursor={wrong}")]),
            Code::ReadOutputCursorInvalid
        );
        assert_eq!(code(surfaces::LIST, &[&format!("--after={wrong}")]), Code::InvalidQueryCursor);
    }
    let page = value(&read(limited(40, 2), surfaces::LIST, &["--json"]).unwrap());
    let other = list(40).question(json!({"status": "closed"}));
    let flag = format!("--after={}", page["next_cursor"].as_str().unwrap());
    assert_eq!(read(other, surfaces::LIST, &[&flag]).unwrap_err().code, Code::InvalidQueryCursor);
}

#[test]
fn s71_a_cut_page_of_items_goes_on_after_its_last_row() {
    let json = value(&read(limited(200, 50), surfaces::SEARCH, &["--json", "--output-budget=700"]).unwrap());
    assert_eq!(json["continuation_kind"], "producer_cursor");
    assert_eq!(json["output_budget_truncation"]["continuation_cursor_rebased"], true);
    assert_eq!(json["output_budget_truncation"]["continuations"][0]["total_rows"], 50);
    let kept = json["items"].as_array().unwrap().len();
    let flag = format!("--after={}", json["next_cursor"].as_str().unwrap());
    let next = value(&read(limited(200, 50), surfaces::SEARCH, &["--json", &flag]).unwrap());
    assert_eq!(next["items"][0]["id"], format!("pm-{kept:04}"));
}

#[test]
fn an_item_cursor_survives_the_loss_of_its_item() {
    let rows = |skip: usize| {
        let ids: Vec<usize> = (0..10).filter(|n| *n != skip).collect();
        let rows = Rows::lazy(ids.len(), move |n| Ok(row(ids[n]))).limited(Some(3));
        Answer::new().rows("items", rows).question(json!({}))
    };
    let page = value(&read(rows(99), surfaces::LIST, &["--json"]).unwrap());
    let flag = format!("--after={}", page["next_cursor"].as_str().unwrap());
    for (skip, first) in [(99, "pm-0003"), (2, "pm-0003"), (0, "pm-0003")] {
        assert_eq!(
            value(&read(rows(skip), surfaces::LIST, &["--json", &flag]).unwrap())["items"][0]["id"],
            first
        );
    }
}

#[test]
fn the_newest_survive() {
    let log = || Answer::new().rows("history", Rows::lazy(300, |n| Ok(row(n))).newest_last());
    let json = value(&read(log(), surfaces::HISTORY, &["--json", "--output-budget=700"]).unwrap());
    let rows = json["history"].as_array().unwrap();
    assert_eq!(rows.last().unwrap()["id"], "pm-0299");
    let flag = format!("--output-cursor={}", json["next_cursor"].as_str().unwrap());
    let older = value(&read(log(), surfaces::HISTORY, &["--json", "--output-budget=700", &flag]).unwrap());
    let last = older["history"].as_array().unwrap().last().unwrap()["id"].clone();
    assert_eq!(last, format!("pm-{:04}", 299 - rows.len()));
}

#[test]
fn s73_health_forgets_what_changes_by_itself() {
    let checks = |queue: u64, items: u64, endpoint: &str| {
        let rows = json!([
            {"name": "settings", "status": "ok", "details": {"queue_entries": items}},
            {"name": "telemetry", "status": "ok", "details": {"queue_entries": queue, "endpoint": endpoint, "endpoint_probe": {"queue_entries": 1}}},
            {"name": "storage", "status": "ok", "details": {"a": "x".repeat(230), "b": "x".repeat(230), "c": "x".repeat(230), "d": "x".repeat(230)}},
            {"name": "locks", "status": "ok", "details": {"text": "y".repeat(200), "more": "z".repeat(200)}},
            {"name": "integrity", "status": "ok", "details": {"text": "y".repeat(200), "more": "z".repeat(200)}},
        ]);
        let rows = rows.as_array().unwrap().iter().map(|row| row.as_object().unwrap().clone()).collect();
        Answer::new().rows("checks", Rows::ready(rows))
    };
    let words = ["--json", "--output-budget=600"];
    let json = value(&read(checks(1, 1, "e"), surfaces::HEALTH, &words).unwrap());
    let flag = format!("--output-cursor={}", json["next_cursor"].as_str().unwrap());
    let again =
        |answer| read(answer, surfaces::HEALTH, &["--json", &flag]).map(|_| ()).map_err(|error| error.code);
    assert_eq!(again(checks(7, 1, "e")), Ok(()));
    assert_eq!(
        again(checks(1, 2, "e")),
        Err(Code::ReadOutputCursorStale),
        "another row's field of the same name"
    );
    assert_eq!(again(checks(1, 1, "f")), Err(Code::ReadOutputCursorStale), "a field that counts");
}

fn state(seen: &[&str], budget: u64, spent: u64) -> String {
    let state = json!({"version": 1, "id": "o", "token_budget": budget, "spent_tokens": spent, "seen_item_ids": seen});
    format!("--output-session={state}")
}

#[test]
fn s75_to_s77_repeats_are_references_and_spend_is_what_was_written() {
    let out = read(list(3), surfaces::LIST, &["--json", &state(&["pm-0000"], 4_000, 100)]).unwrap();
    let json = value(&out);
    assert_eq!(json["items"][0], json!({"id": "pm-0000", "context_ref": "session:o:pm-0000"}));
    let receipt = &json["read_session"];
    assert_eq!(receipt["spent_this_call_tokens"], tokens(&out));
    assert_eq!(receipt["next_state"]["spent_tokens"], 100 + tokens(&out));
    assert_eq!(receipt["next_state"]["seen_item_ids"], json!(["pm-0000", "pm-0001", "pm-0002"]));
    assert_eq!((&receipt["new_item_count"], &receipt["suppressed_repeat_count"]), (&json!(2), &json!(1)));
    assert_eq!(json["read_output"]["estimated_tokens"], tokens(&out));
    assert_eq!(out.served_ids, ["pm-0001", "pm-0002"]);
    let toon = read(list(3), surfaces::LIST, &[&state(&["pm-0000"], 4_000, 0)]).unwrap();
    assert!(text(&toon).starts_with(
        "items[3]{id,status,type,title,context_ref}:\n  pm-0000,null,null,null,\"session:o:pm-0000\"\n"
    ));
}

#[test]
fn p39_get_is_recorded_and_suppressed() {
    let answer = || Answer::new().record("item", json!({"id": "pm-a1", "title": "One"}));
    let first = value(&read(answer(), surfaces::GET, &["--json", &state(&[], 4_000, 0)]).unwrap());
    assert_eq!(first["read_session"]["next_state"]["seen_item_ids"], json!(["pm-a1"]));
    let again = value(&read(answer(), surfaces::GET, &["--json", &state(&["pm-a1"], 4_000, 0)]).unwrap());
    assert_eq!(again["item"], json!({"id": "pm-a1", "context_ref": "session:o:pm-a1"}));
    assert_eq!(again["read_session"]["suppressed_repeat_count"], 1);
}

#[test]
fn s78_states_that_are_refused() {
    let good = json!({"version": 1, "id": "o", "token_budget": 4000, "spent_tokens": 0, "seen_item_ids": []});
    let with = |key: &str, value: Value| {
        let mut state = good.clone();
        state[key] = value;
        state.to_string()
    };
    assert!(Session::parse(&good.to_string()).is_ok());
    let many: Vec<String> = (0..10_001).map(|n| format!("i{n}")).collect();
    for (text, says) in [
        ("{bad".to_owned(), "must be a valid JSON object"),
        ("[]".into(), "must be a JSON object"),
        ("3".into(), "must be a JSON object"),
        (with("zz", json!(1)), "contains unknown field \"zz\""),
        (with("version", json!(2)), "version must equal 1"),
        (with("id", json!("a b")), "id must be 1-64 portable"),
        (with("id", json!("a".repeat(65))), "id must be 1-64 portable"),
        (with("token_budget", json!(255)), "at least 256"),
        (with("token_budget", json!(256.5)), "at least 256"),
        (with("token_budget", json!(9_007_199_254_740_992u64)), "at least 256"),
        (with("spent_tokens", json!(4001)), "no larger than token_budget"),
        (with("spent_tokens", json!(-1)), "no larger than token_budget"),
        (with("seen_item_ids", json!(["a b"])), "at most 10000 portable"),
        (with("seen_item_ids", json!(many)), "at most 10000 portable"),
        (with("seen_item_ids", json!("x")), "at most 10000 portable"),
    ] {
        let error = Session::parse(&text).unwrap_err();
        assert_eq!(error.code, Code::InvalidReadOutputSession);
        assert!(error.message.contains(says), "{}", error.message);
    }
}

#[test]
fn s79_the_served_set_ends_at_its_capacity() {
    let seen: Vec<String> = (0..9_999).map(|n| format!("i{n:04}")).collect();
    let state = json!({"version": 1, "id": "o", "token_budget": 1_000_000_000, "spent_tokens": 0, "seen_item_ids": seen});
    let flag = format!("--output-session={state}");
    let json =
        value(&read(list(5), surfaces::LIST, &["--json", "--output-budget=unbounded", &flag]).unwrap());
    let receipt = &json["read_session"];
    assert_eq!(receipt["next_state"]["seen_item_ids"].as_array().unwrap().len(), 10_000);
    assert_eq!((&receipt["seen_item_overflow_count"], &receipt["new_item_count"]), (&json!(4), &json!(5)));
    assert!(Session::from_value(&receipt["next_state"]).is_ok());
}

#[test]
fn s80_s81_the_session_binds() {
    let error = read(list(5), surfaces::LIST, &["--json", &state(&[], 4_000, 3_900)]).unwrap_err();
    assert_eq!(error.code, Code::ReadOutputSessionExhausted);
    for (budget, call, source) in
        [(900, "--output-budget=3000", "session"), (9_000, "--output-budget=1200", "canonical")]
    {
        let out = read(list(300), surfaces::LIST, &["--json", call, &state(&[], budget, 0)]).unwrap();
        assert_eq!(value(&out)["output_budget_truncation"]["budget_source"], source);
        assert!(tokens(&out) <= 1_200);
    }
}

#[test]
fn s84_s85_a_row_contract_on_request() {
    let answer = || {
        Answer::new()
            .value("totals", json!({"items": 3}))
            .rows("by_type", Rows::entries(vec![("Task".into(), json!(3)), ("Bug".into(), json!(1))]))
            .rows("by_status", Rows::entries(vec![("open".into(), json!(4))]))
    };
    let json = value(&read(answer(), surfaces::STATS, &["--json", "--output-row-contract"]).unwrap());
    assert_eq!(json["row_contract"]["row_keys"], json!(["by_type", "by_status"]));
    assert_eq!(json["row_contract"]["fields"], "unsupported");
    assert!(json["row_contract"]["jq_selector"].as_str().unwrap().contains("getpath"));
    assert!(json.get("read_output").is_some());
    let bounded = value(&read(answer(), surfaces::STATS, &["--json", "--output-limit=1"]).unwrap());
    assert_eq!((&bounded["by_type"], &bounded["by_status"]), (&json!({"Task": 3}), &json!({"open": 4})));
}

#[test]
fn s90_failing_verdicts_come_first() {
    let row = |n: usize, verdict: &str| json!({"id": format!("a{n}"), "severity": "block", "verdict": verdict, "why": "because ".repeat(20)});
    let mut rows: Vec<Value> = (0..40).map(|n| row(n, "pass")).collect();
    rows.push(row(40, "fail"));
    let answer = Answer::new().rows("assertions", Rows::values(rows)).value("assertions_total", 41);
    let json = value(&read(answer, surfaces::ASSURANCE, &["--json", "--output-budget=600"]).unwrap());
    assert_eq!((&json["assertions"][0]["id"], &json["assertions_total"]), (&json!("a40"), &json!(41)));
    assert_eq!(json["budget_retention_policy"], "verdict_priority");
}

#[test]
fn the_full_envelope_has_the_reference_order() {
    let answer = list(5)
        .completeness(crate::answer::Completeness::default())
        .echo("now", "2026-01-01T00:00:00.000Z")
        .omits("full_item_fields", "--output-include full");
    let out = read(answer, surfaces::LIST, &["--json", "--full-envelope", "--output-limit=2"]).unwrap();
    let json = value(&out);
    let keys: Vec<_> = json.as_object().unwrap().keys().cloned().collect();
    assert_eq!(
        keys,
        [
            "items",
            "count",
            "total",
            "applied_limit",
            "has_more",
            "truncated",
            "next_cursor",
            "applied_bound",
            "completeness",
            "filters",
            "now",
            "omission_receipt",
            "read_output"
        ]
    );
}

#[test]
fn what_could_not_be_read_is_named() {
    let partial = crate::answer::Completeness {
        unreadable: vec![("tasks/pm-x.toon".into(), "item_document_invalid".into(), "no item".into())],
        unreadable_directories: 0,
    };
    let json = value(&read(list(1).completeness(partial), surfaces::LIST, &["--json"]).unwrap());
    assert_eq!(
        (&json["completeness"]["status"], &json["completeness"]["unreadable"][0]["path"]),
        (&json!("partial"), &json!("tasks/pm-x.toon"))
    );
}

#[test]
fn long_strings_are_cut_and_say_so() {
    let long =
        json!({"id": "pm-a1", "body": format!("{}😀{}", "x".repeat(239), "y".repeat(4_000)), "tags": ["t"]});
    let answer = Answer::new().record("item", long);
    let json = value(&read(answer, surfaces::GET, &["--json", "--output-budget=500"]).unwrap());
    assert_eq!(json["read_output"]["strings_compacted"], true);
    assert_eq!(json["item"]["body"], format!("{}…", "x".repeat(239)));
    assert_eq!(json["item"]["tags"], json!(["t"]));
}

#[test]
fn rows_are_made_as_they_are_needed() {
    let made = Cell::new(0usize);
    let answer = Answer::new()
        .rows(
            "items",
            Rows::lazy(100_000, |n| {
                made.set(made.get() + 1);
                Ok(row(n))
            })
            .limited(Some(10)),
        )
        .question(json!({}));
    read(answer, surfaces::LIST, &[]).unwrap();
    assert!(made.get() < 40, "{}", made.get());
}

#[test]
fn the_library_speaks_the_same_contract() {
    let options =
        json!({"outputInclude": ["id", "title"], "output_limit": 2, "outputSession": null, "status": "open"});
    let controls = resolve_read_output_dimensions("list-open", options.as_object().unwrap()).unwrap();
    assert_eq!(controls.dimensions()["amount"], json!({"value": 2, "source": "canonical"}));
    let envelope =
        json!({"items": (0..5).map(row).collect::<Vec<_>>(), "count": 5, "total": 5, "note": "kept"});
    let applied = apply_read_output_dimensions(envelope.clone(), &controls).unwrap();
    assert_eq!(applied.value["items"].as_array().unwrap().len(), 2);
    assert_eq!(applied.value["items"][0].as_object().unwrap().len(), 2);
    assert_eq!((&applied.value["count"], &applied.value["note"]), (&json!(2), &json!("kept")));
    let said = applied.value["read_output"]["estimated_tokens"].as_u64().unwrap();
    assert_eq!(said, (applied.value.to_string().len() as u64).div_ceil(4));
    let tiny =
        resolve_read_output_dimensions("ctx", json!({"outputBudget": 1}).as_object().unwrap()).unwrap();
    let omitted = apply_read_output_dimensions(envelope, &tiny).unwrap();
    assert!(is_read_output_budget_exceeded(&omitted.value) && omitted.exit_code == 2);
    let typed = PmReadOutputBudgetExceeded::of(&omitted.value).unwrap();
    assert_eq!(typed.recovery, json!({"outputBudget": "unbounded"}));
    assert_eq!(read_output_include_mode_options("health"), ["brief", "full", "summary"]);
    assert_eq!(read_output_include_mode_options("create"), [""; 0]);
}

#[test]
fn s83_discovery_covers_every_surface() {
    let rows = discovery::dimension_rows();
    assert_eq!(rows.len(), surfaces::ALL.len());
    for row in &rows {
        assert_eq!(row["dimensions"].as_object().unwrap().len(), 4);
        assert_eq!(row["precedence"].as_array().unwrap().len(), 4);
        for dimension in row["dimensions"].as_object().unwrap().values() {
            for alias in dimension["legacy_aliases"].as_array().unwrap() {
                let hint = alias["migration_hint"].as_str().unwrap();
                assert!(hint.starts_with(alias["flag"].as_str().unwrap()) && hint.ends_with('.'), "{hint}");
            }
        }
    }
    let list = discovery::projection_contracts(read_output_surface("list"));
    assert_eq!(list["commands"], json!([{"command": "list", "modes": ["brief", "compact", "full"]}]));
    assert_eq!(list["global_ladder_scope"], "union_not_per_command");
}

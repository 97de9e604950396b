//! 75 to 81: sessions.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{BIG, SMALL, at, exists, listed, reads, row_keys, state, tokens};

#[test]
fn s75_s77_repeats_become_references_and_spend_is_what_was_printed() {
    let ids = listed(&SMALL.json(&["list", "--limit", "3"]));
    let output = SMALL
        .pm(&["list", "--limit", "3", "--output-session", &state(&[&ids[0]], 4_000, 100), "--json"])
        .expect(0);
    let answer = output.json();
    assert_eq!(
        answer["items"][0],
        json!({"id": ids[0], "context_ref": format!("session:orientation:{}", ids[0])})
    );
    let receipt = &answer["read_session"];
    assert_eq!(receipt["suppressed_repeat_count"], 1);
    assert_eq!(receipt["new_item_count"], 2);
    let mut sorted = ids.clone();
    sorted.sort();
    assert_eq!(receipt["next_state"]["seen_item_ids"], json!(sorted));
    assert_eq!(receipt["spent_this_call_tokens"], tokens(&output));
    assert_eq!(receipt["charged_this_call_tokens"], tokens(&output));
    assert_eq!(receipt["spent_total_tokens"], 100 + tokens(&output));
    assert_eq!(answer["read_output"]["estimated_tokens"], tokens(&output));
    assert_eq!(receipt["restore_reference_with"], "pm get <item-id> --brief");
}

#[test]
fn s76_the_next_state_is_input_of_the_next_read() {
    let mut carried = state(&[], 20_000, 0);
    let mut told: Vec<Value> = Vec::new();
    let reads: [&[&str]; 5] = [
        &["context"],
        &["list", "--limit", "5"],
        &["search", "something", "--limit", "5"],
        &["get", "pm-003"],
        &["next"],
    ];
    for argv in reads.into_iter().filter(|argv| exists(argv[0])) {
        let words: Vec<&str> = argv.iter().copied().chain(["--output-session", &carried]).collect();
        let receipt = SMALL.json(&words)["read_session"].clone();
        let seen = receipt["next_state"]["seen_item_ids"].as_array().unwrap().clone();
        assert!(told.iter().all(|id| seen.contains(id)), "{argv:?}");
        told = seen;
        carried = receipt["next_state"].to_string();
    }
    assert!(!told.is_empty());
}

/// The card of an item is told once in a session, whatever is asked, and so is the whole of it; later it is a reference,
/// which never stands for what was not told: an item that was listed is told whole when it is asked for, an event of it
/// always.
#[test]
fn seed_a_session_tells_every_item_once() {
    let mut carried = state(&[], 1_000_000, 0);
    let (mut titles, mut cards, mut wholes) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut references = 0;
    for argv in reads().into_iter().chain(reads()) {
        let words: Vec<&str> = argv.iter().copied().chain(["--output-session", &carried, "--json"]).collect();
        let output = BIG.pm(&words);
        let answer = output.json();
        let mut rows: Vec<&Value> = vec![&answer["item"], &answer["recommended"]];
        for path in row_keys(argv[0]) {
            rows.extend(at(&answer, path).as_array().into_iter().flatten());
        }
        let is_whole = argv[0] == "get";
        for row in rows {
            let Some(id) = row["id"].as_str().map(str::to_owned) else { continue };
            if row.get("context_ref").is_some() {
                references += 1;
                assert_eq!(row.as_object().unwrap().len(), 2, "{argv:?}: {row}");
                let told = if is_whole { &wholes } else { &titles };
                assert!(told.contains(&id), "{argv:?} hides {id}");
            } else if row["title"].is_string() && argv[0] != "comments-audit" {
                let told = if is_whole { &wholes } else { &cards };
                assert!(!told.contains(&id), "{argv:?} tells {id} again");
                let is_card = row["status"].is_string() && row["type"].is_string();
                titles.insert(id.clone());
                cards.extend(is_card.then(|| id.clone()));
                wholes.extend(is_whole.then_some(id));
            }
        }
        let receipt = &answer["read_session"];
        assert_eq!(receipt["spent_this_call_tokens"], tokens(&output), "{argv:?}");
        let before: Value = serde_json::from_str(&carried).unwrap();
        let next = &receipt["next_state"]["seen_item_ids"];
        let kept = |id: &Value| next.as_array().unwrap().contains(id);
        assert!(before["seen_item_ids"].as_array().unwrap().iter().all(kept), "{argv:?} forgets");
        carried = receipt["next_state"].to_string();
    }
    assert!(references > 20 && !wholes.is_empty(), "{references} references");
}

/// Several items are recorded like one, a row of chosen fields for what it told.
#[test]
fn what_was_told_in_part_is_told() {
    let session = |argv: &[&str], carried: &str| {
        let words: Vec<&str> = argv.iter().copied().chain(["--output-session", carried]).collect();
        let answer = SMALL.json(&words);
        let next = answer["read_session"]["next_state"].to_string();
        (answer, next)
    };
    let (first, next) = session(&["get", "pm-003", "pm-004"], &state(&[], 20_000, 0));
    assert!(first["items"][1]["description"].is_string());
    let (again, next) = session(&["get", "pm-003", "pm-004"], &next);
    assert_eq!(again["read_session"]["suppressed_repeat_count"], 2);
    // What `get` told holds for one of them, and for its card in a list.
    let (one, next) = session(&["get", "pm-004", "--brief"], &next);
    assert_eq!(one["item"], json!({"id": "pm-004", "context_ref": "session:orientation:pm-004"}));
    let (listed, _) = session(&["list", "--output-limit", "40"], &next);
    assert_eq!(listed["read_session"]["suppressed_repeat_count"], 2);

    let (ids, next) =
        session(&["list", "--output-include", "id,status", "--output-limit", "2"], &state(&[], 20_000, 0));
    let id = ids["items"][0]["id"].as_str().unwrap();
    let (listed, next) = session(&["list", "--output-limit", "2"], &next);
    assert!(listed["items"][0]["title"].is_string(), "{listed}");
    let (full, _) = session(&["get", id], &next);
    assert!(full["item"]["description"].is_string(), "{full}");
}

/// A session of thousands of items has room for rows under the default ceiling.
#[test]
fn a_large_session_still_tells_rows() {
    let seen: Vec<String> = (0..3_000).map(|n| format!("pm-seen{n:05}")).collect();
    let seen: Vec<&str> = seen.iter().map(String::as_str).collect();
    let carried = state(&seen, 1_000_000, 0);
    for format in ["json", "toon"] {
        let output = BIG.pm(&["list", "--output-session", &carried, "--output-format", format]).expect(0);
        let rows = output.stdout.matches("something to do").count();
        assert!(rows > 60, "{rows} rows in {format}");
        assert!(output.stdout.contains("carried_state_tokens"));
    }
}

#[test]
fn s78_states_that_are_refused() {
    for text in [
        "{bad".to_owned(),
        "[]".into(),
        "3".into(),
        r#"{"version":1,"id":"o","token_budget":4000,"spent_tokens":0,"seen_item_ids":[],"zz":1}"#.into(),
        r#"{"version":2,"id":"o","token_budget":4000,"spent_tokens":0,"seen_item_ids":[]}"#.into(),
        r#"{"version":1,"id":"a b","token_budget":4000,"spent_tokens":0,"seen_item_ids":[]}"#.into(),
        state(&[], 255, 0),
        state(&[], 4_000, 4_001),
        state(&["a b"], 4_000, 0),
        state(&(0..10_001).map(|_| "a").collect::<Vec<_>>(), 4_000, 0),
    ] {
        let error = SMALL.refused(&["list", "--output-session", &text], 2, "invalid_read_output_session");
        assert_eq!(error["refusal"]["surface"], "--output-session");
    }
}

#[test]
fn s79_the_served_set_ends_at_ten_thousand() {
    let seen: Vec<String> = (0..9_999).map(|n| format!("i{n:04}")).collect();
    let seen: Vec<&str> = seen.iter().map(String::as_str).collect();
    let carried = state(&seen, 1_000_000_000, 0);
    let answer =
        SMALL.json(&["list", "--limit", "5", "--output-budget", "unbounded", "--output-session", &carried]);
    let receipt = &answer["read_session"];
    assert_eq!(receipt["next_state"]["seen_item_ids"].as_array().unwrap().len(), 10_000);
    assert_eq!(receipt["seen_item_overflow_count"], 4);
    let again = receipt["next_state"].to_string();
    let _ = SMALL.json(&["list", "--limit", "1", "--output-budget", "unbounded", "--output-session", &again]);
}

#[test]
fn s80_s81_the_smaller_allowance_binds() {
    SMALL.refused(
        &["list", "--output-session", &state(&[], 4_000, 3_900)],
        2,
        "read_output_session_exhausted",
    );
    for (session, call, source) in [(900, "3000", "session"), (9_000, "1200", "canonical")] {
        let argv = ["list", "--output-session", &state(&[], session, 0), "--output-budget", call, "--json"];
        let output = BIG.pm(&argv).expect(0);
        assert!(tokens(&output) <= session.min(1_200));
        assert_eq!(output.json()["output_budget_truncation"]["budget_source"], source);
    }
}

#[test]
fn p39_get_is_recorded_and_suppressed() {
    let first = SMALL.json(&["get", "pm-003", "--output-session", &state(&[], 8_000, 0)]);
    let carried = first["read_session"]["next_state"].to_string();
    assert!(carried.contains("pm-003"));
    let again = SMALL.json(&["get", "pm-003", "--output-session", &carried]);
    assert_eq!(again["item"], json!({"id": "pm-003", "context_ref": "session:orientation:pm-003"}));
    assert_eq!(again["read_session"]["suppressed_repeat_count"], 1);
}

#[test]
fn the_advice_of_an_omission_works_as_it_stands() {
    let carried = state(&[], 600, 150);
    let omitted = BIG.pm(&["get", "pm-000", "--full", "--json", "--output-session", &carried]);
    assert_eq!(omitted.code, 2, "{omitted:?}");
    let advice = omitted.json()["output_budget_exceeded"]["restore_with"].as_str().unwrap().to_owned();
    let (flag, value) = advice.split_once(' ').unwrap();
    let value = value.trim_matches('\'');
    let again = BIG.pm(&["get", "pm-000", "--full", "--json", "--output-session", &carried, flag, value]);
    assert!(again.code == 0 && again.json().get("item").is_some(), "{advice}: {again:?}");
    // Where the budget of the call binds, its own advice holds.
    let roomy = state(&[], 100_000, 0);
    let omitted = BIG.pm(&["get", "pm-000", "--json", "--output-session", &roomy, "--output-budget", "20"]);
    assert_eq!(omitted.json()["output_budget_exceeded"]["restore_with"], "--output-budget unbounded");
    let again = [
        "get",
        "pm-000",
        "--output-session",
        &roomy,
        "--output-budget",
        "20",
        "--output-budget",
        "unbounded",
    ];
    assert!(BIG.json(&again).get("item").is_some());
}

/// An item that was updated since is told as it is now; the others are not.
#[test]
fn p39_an_update_is_told() {
    let sandbox = super::items(6);
    let session = |argv: &[&str], carried: &str| {
        let words: Vec<&str> = argv.iter().copied().chain(["--output-session", carried]).collect();
        let answer = sandbox.json(&words);
        let next = answer["read_session"]["next_state"].to_string();
        (answer, next)
    };
    let (_, next) = session(&["list", "--limit", "6"], &state(&[], 100_000, 0));
    let (_, next) = session(&["get", "pm-003"], &next);
    let _ = sandbox.pm(&["update", "pm-003", "--title", "Another thing to do"]).expect(0);
    let (listed, next) = session(&["list", "--limit", "6"], &next);
    assert_eq!(listed["read_session"]["suppressed_repeat_count"], 5, "{listed}");
    assert!(listed.to_string().contains("Another thing to do"));
    let (got, next) = session(&["get", "pm-003"], &next);
    assert_eq!(got["item"]["title"], "Another thing to do");
    // A field that no card has.
    let (_, next) = session(&["get", "pm-004"], &next);
    let _ = sandbox.pm(&["update", "pm-004", "--description", "Why it is to be done"]).expect(0);
    let (got, next) = session(&["get", "pm-004"], &next);
    assert_eq!(got["item"]["description"], "Why it is to be done");
    let (again, next) = session(&["get", "pm-004"], &next);
    assert!(again["item"].get("description").is_none(), "{again}");
    let (listed, _) = session(&["list", "--limit", "6"], &next);
    assert_eq!(listed["read_session"]["suppressed_repeat_count"], 6, "{listed}");
}

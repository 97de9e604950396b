//! Statements about sessions.

use super::*;

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
    let next = first["read_session"]["next_state"].clone();
    assert!(next["seen_item_ids"].as_array().unwrap().contains(&json!("pm-a1")));
    let flag = format!("--output-session={next}");
    let again = value(&read(answer(), surfaces::GET, &["--json", &flag]).unwrap());
    assert_eq!(again["item"], json!({"id": "pm-a1", "context_ref": "session:o:pm-a1"}));
    assert_eq!(again["read_session"]["suppressed_repeat_count"], 1);
    assert_eq!(again["read_session"]["next_state"]["seen_item_ids"], next["seen_item_ids"]);
}

/// The card of an item does not stand for the rest of it.
#[test]
fn what_a_list_told_does_not_hide_the_item() {
    let item = |body: &str| {
        json!({"id": "pm-0001", "title": row(1)["title"], "status": "open", "type": "Task", "description": "Because.",
            "body": body, "tags": ["a"]})
    };
    let get = |body: &str, words: &[&str]| {
        value(&read(Answer::new().record("item", item(body)), surfaces::GET, words).unwrap())
    };
    let listed = value(&read(list(2), surfaces::LIST, &["--json", &state(&[], 9_000, 0)]).unwrap());
    let flag = format!("--output-session={}", listed["read_session"]["next_state"]);
    let got = get("Text.", &["--json", &flag]);
    assert_eq!((&got["item"], &got["read_session"]["new_item_count"]), (&item("Text."), &json!(0)));
    // What was cut was not told, so that it comes when it is asked for with more room.
    let long = "long text ".repeat(200);
    let cut = get(&long, &["--json", "--output-budget=600", &flag]);
    assert_eq!(cut["read_output"]["strings_compacted"], true);
    let flag = format!("--output-session={}", cut["read_session"]["next_state"]);
    let whole = get(&long, &["--json", &flag]);
    assert_eq!(whole["item"]["body"], long);
    let flag = format!("--output-session={}", whole["read_session"]["next_state"]);
    assert_eq!(get(&long, &["--json", &flag])["item"]["context_ref"], "session:o:pm-0001");
    // A list of cards has nothing to add to what `get` told.
    let again = value(&read(list(2), surfaces::LIST, &["--json", &flag]).unwrap());
    assert_eq!(again["read_session"]["suppressed_repeat_count"], 2);
}

/// What changed since it was told is told, also when it changes back; what did not is not.
#[test]
fn what_changed_since_is_told() {
    let items = |title: &str, status: &str| {
        let row = |n: u8, title: &str, status: &str| json!({"id": format!("pm-{n}"), "title": title, "status": status, "type": "Task"});
        Answer::new()
            .rows("items", Rows::values(vec![row(1, title, status), row(2, "Another", "open")]))
            .question(json!({}))
    };
    let mut carried = state(&[], 20_000, 0);
    for (title, status, told) in [
        ("One", "open", 2),
        ("One", "open", 0),
        ("One", "closed", 1),
        ("Two", "closed", 1),
        ("One", "closed", 1),
        ("One", "closed", 0),
        ("One", "open", 1),
    ] {
        let answer = value(&read(items(title, status), surfaces::LIST, &["--json", &carried]).unwrap());
        assert_eq!(answer["read_session"]["suppressed_repeat_count"], 2 - told, "{title} {status}: {answer}");
        if told == 1 {
            assert_eq!(answer["items"][0]["title"], title);
        }
        carried = format!("--output-session={}", answer["read_session"]["next_state"]);
    }
    // Ids of a caller who counts for itself stand for whatever the items say, and stay among themselves.
    let own = state(&["pm-1"], 20_000, 0);
    let answer = value(&read(items("One", "open"), surfaces::LIST, &["--json", &own]).unwrap());
    assert_eq!(answer["read_session"]["suppressed_repeat_count"], 1);
    assert_eq!(answer["read_session"]["next_state"]["seen_item_ids"], json!(["pm-1", "pm-2"]));
    // Marks of an older version say nothing any more; they are carried on.
    let old = state(&["pm-1", "pm-1:abcdef"], 20_000, 0);
    let answer = value(&read(items("One", "open"), surfaces::LIST, &["--json", &old]).unwrap());
    let seen = &answer["read_session"]["next_state"]["seen_item_ids"];
    assert_eq!(seen, &json!(["pm-1", "pm-1:abcdef", "pm-2"]));
}

/// The cards of a hundred items take less than half as much again as their ids.
#[test]
fn what_a_session_knows_is_short() {
    let answer = value(
        &read(list(100), surfaces::LIST, &["--json", &state(&[], 90_000, 0), "--output-budget=unbounded"])
            .unwrap(),
    );
    let next = &answer["read_session"]["next_state"]["seen_item_ids"];
    let ids: Vec<String> = (0..100).map(|n| format!("pm-{n:04}")).collect();
    let seen = next.as_array().unwrap();
    assert!(ids.iter().all(|id| seen.contains(&json!(id))));
    assert!(seen.len() <= 110, "{}", seen.len());
    assert!(next.to_string().len() < json!(ids).to_string().len() * 5 / 2);
}

/// An id never travels without what it says: where there is no room for both, both stay behind, and all that travels is
/// known in the next answer.
#[test]
fn s79_ids_travel_with_what_they_say() {
    let mut flag = json!({"version": 1, "id": "o", "token_budget": 1_000_000_000, "spent_tokens": 0, "seen_item_ids": []});
    let mut known = 0;
    for _ in 0..3 {
        let session = format!("--output-session={flag}");
        let answer = value(
            &read(list(9_900), surfaces::LIST, &["--json", "--output-budget=unbounded", &session]).unwrap(),
        );
        let receipt = &answer["read_session"];
        let seen = receipt["next_state"]["seen_item_ids"].as_array().unwrap();
        let ids = seen.iter().filter(|id| id.as_str().unwrap().starts_with("pm-")).count();
        assert!(seen.len() <= 10_000);
        assert!((9_600..9_900).contains(&ids), "{ids}");
        assert_eq!(receipt["seen_item_overflow_count"], 9_900 - ids);
        assert_eq!(receipt["suppressed_repeat_count"], known);
        known = ids;
        flag = receipt["next_state"].clone();
    }
}

/// A row that does not show its id tells of no item that the caller could know.
#[test]
fn rows_without_ids_are_not_remembered() {
    let first = read(
        list(3),
        surfaces::LIST,
        &["--json", "--output-include=title,status,type", &state(&[], 9_000, 0)],
    );
    let first = value(&first.unwrap());
    assert_eq!(first["read_session"]["next_state"]["seen_item_ids"], json!([]));
    let flag = format!("--output-session={}", first["read_session"]["next_state"]);
    let again = value(&read(list(3), surfaces::LIST, &["--json", &flag]).unwrap());
    assert_eq!(again["read_session"]["suppressed_repeat_count"], 0);
    let flag = format!("--output-session={}", again["read_session"]["next_state"]);
    let third =
        read(list(3), surfaces::LIST, &["--json", "--output-include=title,status,type", &flag]).unwrap();
    assert_eq!(value(&third)["read_session"]["suppressed_repeat_count"], 0);
}

/// Cards belong to the ids that they came with.
#[test]
fn cards_of_other_ids_say_nothing() {
    let first = value(&read(list(3), surfaces::LIST, &["--json", &state(&[], 9_000, 0)]).unwrap());
    let mut next = first["read_session"]["next_state"].clone();
    next["seen_item_ids"].as_array_mut().unwrap().retain(|id| *id != json!("pm-0001"));
    let flag = format!("--output-session={next}");
    let again = value(&read(list(3), surfaces::LIST, &["--json", &flag]).unwrap());
    assert_eq!(again["read_session"]["suppressed_repeat_count"], 0);
    let flag = format!("--output-session={}", again["read_session"]["next_state"]);
    let third = value(&read(list(3), surfaces::LIST, &["--json", &flag]).unwrap());
    assert_eq!(third["read_session"]["suppressed_repeat_count"], 3);
}

#[test]
fn several_items_of_get_are_recorded() {
    let rows = || {
        let row =
            |n: u8| json!({"id": format!("pm-{n}"), "title": format!("Item {n}"), "description": "Why."});
        Answer::new().rows("items", Rows::values(vec![row(1), row(2)]))
    };
    let first = value(&read(rows(), surfaces::GET, &["--json", &state(&[], 9_000, 0)]).unwrap());
    assert_eq!(first["read_session"]["new_item_count"], 2);
    let flag = format!("--output-session={}", first["read_session"]["next_state"]);
    let again = value(&read(rows(), surfaces::GET, &["--json", &flag]).unwrap());
    assert_eq!(again["read_session"]["suppressed_repeat_count"], 2);
    assert_eq!(again["items"][1], json!({"id": "pm-2", "context_ref": "session:o:pm-2"}));
}

/// What the caller carries is no part of what a default ceiling bounds; a ceiling that was asked for bounds it all.
#[test]
fn a_large_state_leaves_room_for_rows() {
    let seen: Vec<String> = (0..9_000).map(|n| format!("seen-{n:05}")).collect();
    let seen: Vec<&str> = seen.iter().map(String::as_str).collect();
    let flag = state(&seen, 1_000_000_000, 0);
    for (format, ceiling) in [("--output-format=json", 6_000), ("--output-format=toon", 4_000)] {
        let out = read(list(500), surfaces::LIST, &[format, &flag]).unwrap();
        assert_eq!(out.exit_code, 0);
        assert!(out.served_ids.len() > 60, "{} rows", out.served_ids.len());
        let answer =
            if ceiling == 6_000 { value(&out) } else { crate::codec::toon::decode(text(&out)).unwrap() };
        let number = |place: &Value| place.as_f64().unwrap() as u64;
        let carried = number(&answer["read_session"]["carried_state_tokens"]);
        assert_eq!(number(&answer["read_output"]["budget_tokens"]), ceiling + carried);
        assert!(tokens(&out) <= ceiling + carried);
        // Without the state it is an answer of the ordinary size.
        assert!(tokens(&out) - carried > ceiling * 9 / 10);
        let asked = read(list(500), surfaces::LIST, &[format, "--output-budget=4000", &flag]).unwrap();
        assert!(asked.omitted);
    }
    let small = value(&read(list(500), surfaces::LIST, &["--json", &state(&["a", "b"], 9_000, 0)]).unwrap());
    assert_eq!(small["read_output"]["budget_tokens"], 6_000);
    assert!(small["read_session"].get("carried_state_tokens").is_none());
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

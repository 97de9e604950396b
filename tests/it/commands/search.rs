//! `pm search`.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

fn tracker() -> Sandbox {
    Sandbox::with_items(&[
        ("pm-lock", "title: Lock file handling\ndescription: The file lock is taken before writing"),
        (
            "pm-block",
            "title: Blocked pipeline\ndescription: \"A block, blocked builds and blockers: block block\"",
        ),
        ("pm-clock", "title: Clock drift\ndescription: clock and o'clock"),
        (
            "pm-retry",
            "title: Retry connections\ndescription: Connections are retried with backoff\ntags[2]: net,slow\nparent: pm-net",
        ),
        (
            "pm-other",
            "title: Cache of the connection pool\ndescription: pool of sockets\ntags[1]: net\nstatus: closed",
        ),
        (
            "pm-phrase",
            "title: Order of words\ndescription: merge queue order matters\ntags[1]: slow\ntype: Issue",
        ),
        (
            "pm-words",
            "title: Queue for the merge\nbody: \"order of the queue: first merge, then queue again\\n\\npm-lock\"",
        ),
        ("pm-nfd", "title: \"E\u{301}tude in C\"\nfiles[1]{path,scope}:\n  src/zebra.rs,project"),
    ])
}

fn hits(pm: &Sandbox, argv: &[&str]) -> Vec<String> {
    let mut words = vec!["search", "--output-budget", "unbounded"];
    words.extend(argv);
    let answer = pm.json(&words);
    answer["items"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn words_end_at_word_boundaries_and_meet_in_their_stems() {
    let pm = tracker();
    for (question, expected) in [
        ("lock", &["pm-lock", "pm-words"][..]),
        ("connection retries", &["pm-retry", "pm-other"]),
        ("retry conn", &["pm-retry", "pm-other"]),
        ("\"merge queue\"", &["pm-phrase"]),
        ("connection -backoff", &["pm-other"]),
        ("the clock", &["pm-clock"]),
        ("\u{e9}tude", &["pm-nfd"]),
        ("zzzzqqqq", &[]),
        ("zebra", &[]),
    ] {
        assert_eq!(hits(&pm, &[question]), expected, "{question}");
    }
    assert_eq!(hits(&pm, &["cache", "-sockets"]), [""; 0]);
    assert_eq!(hits(&pm, &["zebra", "--include-linked"]), ["pm-nfd"]);
}

#[test]
fn an_id_comes_first() {
    let pm = tracker();
    for question in ["pm-lock", "PM-LOCK", "lock"] {
        assert_eq!(hits(&pm, &[question])[0], "pm-lock");
    }
    let row = &pm.json(&["search", "pm-clock", "--fields", "id,score,matched_fields"])["items"][0];
    assert_eq!(*row, json!({"id": "pm-clock", "score": 1, "matched_fields": ["id"]}));
}

#[test]
fn a_typo_is_corrected_and_said() {
    let pm = tracker();
    let answer = pm.json(&["search", "conection", "pool"]);
    assert_eq!(answer["did_you_mean"], "connection pool");
    assert_eq!(answer["items"][0]["id"], "pm-other");
    assert!(pm.json(&["search", "zzzzqqqq"])["did_you_mean"].is_null());
}

#[test]
fn filters_stand_in_the_question_or_beside_it() {
    let pm = tracker();
    assert_eq!(hits(&pm, &["tag:net connection"]), ["pm-other", "pm-retry"]);
    assert_eq!(hits(&pm, &["connection", "--tag", "net", "--status", "open"]), ["pm-retry"]);
    assert_eq!(hits(&pm, &["status:all type:Issue order"]), ["pm-phrase"]);
    assert_eq!(hits(&pm, &["parent:pm-net connection"]), ["pm-retry"]);
    let answer = pm.json(&["search", "tag:slow status:open connection"]);
    assert_eq!((&answer["query"], &answer["total"]), (&json!("connection"), &json!(1)));
    let both = pm.json(&["search", "tag:slow connection", "--tag", "net"]);
    assert_eq!(both["warnings"], json!(["search_inline_filter_ignored:tag:flag_takes_precedence"]));
    let error = pm.refused(&["search", "tag:net"], 2, "missing_required_argument");
    assert!(error["detail"].as_str().unwrap().contains("no word"), "{error}");
    pm.refused(&["search", "order", "--match-mode", "nad"], 2, "invalid_argument_value");
    pm.refused(&["search", "order", "--fields", "id,scor"], 2, "unknown_field_projection");
    pm.refused(&["search", "order", "--for", "discovr"], 2, "unknown_context_intent");
}

#[test]
fn modes_narrow_what_matches() {
    let pm = tracker();
    assert_eq!(hits(&pm, &["merge", "order"]), ["pm-phrase", "pm-words"]);
    assert_eq!(hits(&pm, &["merge", "matters", "--match-mode", "and"]), ["pm-phrase"]);
    assert_eq!(hits(&pm, &["queue", "order", "--match-mode", "exact"]), ["pm-phrase"]);
    assert_eq!(hits(&pm, &["queue", "order", "--phrase-exact"]), ["pm-phrase"]);
    assert_eq!(hits(&pm, &["order of words", "--title-exact"]), ["pm-phrase"]);
    assert_eq!(hits(&pm, &["order", "--title-exact"]), [""; 0]);
    let counted = pm.json(&["search", "order", "--count"]);
    assert_eq!(
        (&counted["items"], &counted["count_only"], &counted["total"]),
        (&json!([]), &json!(true), &json!(2))
    );
    let hybrid = pm.json(&["search", "order", "--hybrid"]);
    assert_eq!(hybrid["mode"], "keyword");
    assert_eq!(
        hybrid["warnings"],
        json!(["search_hybrid_fallback:no_embedding_provider:using_keyword_mode"])
    );
}

#[test]
fn rows_say_why_they_are_there() {
    let pm = tracker();
    let answer = pm.json(&["search", "backoff", "connections"]);
    let rows = answer["items"].as_array().unwrap();
    assert_eq!(rows[0]["snippet"], "Connections are retried with backoff");
    let scores: Vec<f64> = rows.iter().map(|row| row["score"].as_f64().unwrap()).collect();
    assert!(
        scores.is_sorted_by(|a, b| a >= b) && scores.iter().all(|s| (0.0..=1.0).contains(s)),
        "{scores:?}"
    );
    let whole = &pm.json(&["search", "backoff", "--full"])["items"][0];
    assert_eq!(
        (&whole["item"]["id"], &whole["matched_fields"]),
        (&json!("pm-retry"), &json!(["description"]))
    );
    let marked = &pm.json(&["search", "backoff", "--highlight"])["items"][0]["highlights"];
    assert_eq!(
        *marked,
        json!([{"field": "description", "snippet": "Connections are retried with «backoff»"}])
    );
    let least = scores[1].to_string();
    assert_eq!(hits(&pm, &["backoff", "connections", "--min-score", &least]).len(), 2);
    assert_eq!(hits(&pm, &["backoff", "connections", "--min-score", "0.99"]).len(), 0);
    let text = pm.ok(&["search", "order"]);
    assert!(text.contains("items[2]{id,title,status,type,priority,score,snippet}:"), "{text}");
}

#[test]
fn explained_scores_add_up() {
    let pm = tracker();
    for argv in [
        &["search", "merge", "queue", "orders", "--explain"][..],
        &["search", "\"merge queue\" ordr lock", "--fields", "id,score,why"],
        &["search", "pm-lock", "connection", "--explain", "--full"],
        &["search", "backoff", "--output-include", "score,why"],
    ] {
        let answer = pm.json(argv);
        let rows = answer["items"].as_array().unwrap();
        assert!(!rows.is_empty(), "{argv:?}");
        for row in rows {
            let why = row["why"].as_str().unwrap();
            let ten_thousandths = |number: f64| (number * 10_000.0).round() as i64;
            let parts = why.split(" + ").map(|part| part.rsplit_once(' ').unwrap().1.parse().unwrap());
            let sum: i64 = parts.map(ten_thousandths).sum();
            assert_eq!(sum, ten_thousandths(row["score"].as_f64().unwrap()), "{argv:?}: {why}");
        }
    }
    assert!(pm.json(&["search", "merge"])["items"][0].get("why").is_none());
    assert_eq!(pm.json(&["search", "pm-lock", "--explain"])["items"][0]["why"], "(id) 1");
}

#[test]
fn the_answer_is_that_of_the_files_as_they_are() {
    let pm = tracker();
    assert_eq!(hits(&pm, &["walrus"]), [""; 0]);
    for n in 0..100 {
        let id = format!("pm-n{n}");
        pm.item(&id, &format!("description: walrus number {n}"));
        if n % 9 == 0 {
            assert_eq!(hits(&pm, &["walrus", "--limit", "200"]).len(), n + 1);
        }
    }
    pm.item("pm-n7", "description: wolfish number 7");
    std::fs::remove_file(pm.root().join("tasks/pm-n8.toon")).unwrap();
    let changed = hits(&pm, &["walrus", "--limit", "200"]);
    assert!(changed.len() == 98 && !changed.contains(&"pm-n7".to_owned()), "{changed:?}");
    assert_eq!(hits(&pm, &["wolfish"]), ["pm-n7"]);
    let warm = pm.ok(&["search", "walrus", "number"]);
    std::fs::remove_dir_all(pm.root().join("runtime")).unwrap();
    assert_eq!(pm.ok(&["search", "walrus", "number"]), warm);
}

#[test]
fn damaged_postings_change_no_answer() {
    let pm = tracker();
    let whole = pm.json(&["search", "order", "queue"]);
    let path = pm.root().join("runtime/search-v1.bin");
    let bytes = std::fs::read(&path).unwrap();
    for at in (0..bytes.len()).step_by(bytes.len() / 23) {
        let mut bad = bytes.clone();
        bad[at] ^= 0x55;
        std::fs::write(&path, &bad).unwrap();
        assert_eq!(pm.json(&["search", "order", "queue"]), whole, "byte {at}");
    }
    std::fs::write(&path, "not an index").unwrap();
    assert_eq!(pm.json(&["search", "order", "queue"]), whole);
}

#[test]
fn an_empty_tracker_answers() {
    let pm = Sandbox::with_items(&[]);
    let answer = pm.json(&["search", "anything"]);
    assert_eq!((&answer["items"], &answer["count"]), (&Value::Array(Vec::new()), &json!(0)));
}

#[test]
fn a_question_of_punctuation_is_refused_for_what_it_is() {
    let pm = Sandbox::with_items(&[("pm-a", "")]);
    for typed in ["...", "?!", "/ //", "\u{2014}"] {
        let error = pm.refused(&["search", typed], 2, "invalid_argument_value");
        assert!(error["detail"].as_str().unwrap().contains("letter"), "{error}");
        assert_eq!(error["refusal"]["rejected_value"], typed, "{error}");
    }
    pm.refused(&["search", " "], 2, "missing_required_argument");
    pm.refused(&["search", "tag:a"], 2, "missing_required_argument");
}

#[test]
fn a_count_is_no_page() {
    let pm = Sandbox::with_items(&[("pm-a", "title: Lock"), ("pm-b", "title: Lock again")]);
    let answer = pm.json(&["search", "lock", "--count"]);
    assert_eq!(answer["items"], json!([]));
    assert_eq!(
        (&answer["count"], &answer["total"], &answer["count_only"]),
        (&json!(2), &json!(2), &json!(true))
    );
    assert!(answer.get("has_more").is_none(), "{answer}");
}

#[test]
fn a_whole_question_finds_what_is_named_before_what_says_the_words() {
    let long = "The settings of the theme are stored. Stored settings change; change stored settings where you work. "
        .repeat(12);
    let pm = Sandbox::with_items(&[
        ("pm-set", "title: Settings are stored in one file\ndescription: Every key of it has a default"),
        ("pm-long", &format!("title: Notes of the meeting\nbody: \"{long}\"")),
        ("pm-branch", "title: Two branches change one item\ndescription: Fields are merged one by one"),
        ("pm-rare", "title: Colours\ndescription: What happens yesterday"),
        ("pm-day", "title: List what changed since a day\ndescription: The rows that are new"),
        ("pm-other", "title: Footer\nbody: \"items change and happen\""),
    ]);
    for (question, first) in [
        ("where are settings stored?", "pm-set"),
        ("How do I change the settings that are stored?", "pm-set"),
        ("what happens when two branches change the same item", "pm-branch"),
        ("how can I see what changed since yesterday?", "pm-day"),
    ] {
        assert_eq!(hits(&pm, &[question])[0], first, "{question}");
    }
    assert_eq!(hits(&pm, &["settings stored theme"])[0], "pm-long", "all words beat two of three");
}

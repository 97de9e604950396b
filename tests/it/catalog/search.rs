//! Search: one function, the same answers everywhere (B-33 to B-46).

use pm::catalog::search::{Kind, Query, ranked};
use pm::catalog::served::SearchEntry;
use serde_json::{Value, json};

use super::shelf::{DAY, REPLICA, SOURCE, Shelf, ids, simple};

/// Entries, queries with their hits, queries that are refused; worked out by neither of the implementations.
pub(super) fn vectors() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/catalog/search-vectors.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

pub(super) fn given(case: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    case["query"].as_array().unwrap().iter().map(|pair| (text(&pair[0]), text(&pair[1]))).collect()
}

#[test]
fn b46_rust_answers_the_shared_vectors() {
    let vectors = vectors();
    let entries: Vec<SearchEntry> = serde_json::from_value(vectors["entries"].clone()).unwrap();
    let cases = vectors["cases"].as_array().unwrap();
    assert!(cases.len() >= 90);
    for case in cases {
        let query = Query::read(&given(case)).unwrap();
        let hits = ranked(&entries, &query, case["today"].as_str().unwrap().parse().unwrap());
        let shown: Value = hits
            .iter()
            .map(|hit| {
                let kind = if hit.kind == Kind::Topic { "topic" } else { "runbook" };
                let variants: Value =
                    hit.variants.iter().map(|one| json!([one.entry.id, one.score, one.level])).collect();
                json!([kind, hit.name, hit.score(), variants, hit.variants_total])
            })
            .collect();
        assert_eq!(shown, case["hits"], "{}", case["query"]);
    }
    for case in vectors["refused"].as_array().unwrap() {
        let error = Query::read(&given(case)).unwrap_err().answer().unwrap();
        assert_eq!(error["error_code"], "PARAMETER_REFUSED");
        assert_eq!(error["parameter"], case["parameter"], "{error}");
    }
}

/// Several procedures about zebras: three variants of one, and others that fit less.
fn zebras() -> Shelf {
    let shelf = Shelf::empty();
    for (name, execution) in [("a", "manual"), ("b", "assisted"), ("c", "assisted")] {
        let more = json!({"topic": "trio", "symptoms": ["zebra stripes flicker"], "execution": execution});
        shelf.reviewed(&simple(&format!("trio-{name}"), more));
    }
    for n in 0..12 {
        let symptom = if n < 5 { "zebra stripes flicker" } else { "zebra nose" };
        shelf.reviewed(&simple(&format!("lone-{n:02}"), json!({"symptoms": [symptom]})));
    }
    shelf.sandbox.write(
        &format!("{SOURCE}/_topics/trio.toon"),
        "title: Trio of procedures\nsummary: Three ways\norder: 1\n",
    );
    shelf.commit();
    shelf
}

/// C12.
#[test]
fn b33_a_symptom_finds_and_the_answer_says_what_was_applied() {
    let shelf = Shelf::with_examples();
    let answer = shelf.found(&["--symptom", "replica lag"]);
    let applied = json!({"symptom": "replica lag", "trust_min": "T2", "limit": 25, "capability_semantics": "all", "as_of": DAY});
    assert_eq!(answer["applied"], applied);
    assert_eq!(ids(&answer), [REPLICA]);
    let best = &answer["hits"][0]["variants"][0];
    assert_eq!((&best["trust"], &best["trust_expires_on"]), (&json!("T3"), &json!("2026-11-28")));
    assert!(answer.get("next_cursor").is_none());
}

/// C15, C16.
#[test]
fn b34_b35_available_means_every_capability() {
    let shelf = Shelf::with_examples();
    shelf.reviewed(&simple("by-hand", json!({})));
    shelf.commit();
    let found = |words: &[&str]| ids(&shelf.found(words));
    let by_hand = pm::catalog::identity::id("by-hand");
    assert_eq!(found(&["--available", "mcp:pg.query"]), [by_hand.as_str()]);
    assert_eq!(found(&["--available", "shell:kubectl,mcp:pg.query,ssh:other"]).len(), 2);
    assert_eq!(found(&["--available", ""]), [by_hand.as_str()]);
    assert_eq!(found(&["--target", "postgres"]), [REPLICA]);
    shelf.sandbox.write("mine.txt", "mcp:pg.query\nshell:kubectl\n");
    let answer = shelf.found(&["--available", "@mine.txt"]);
    assert_eq!(answer["applied"]["available"], json!(["mcp:pg.query", "shell:kubectl"]));
    assert_eq!(ids(&answer).len(), 2);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 500, failure_persistence: None, ..Default::default() })]

    #[test]
    fn b36_a_hit_is_what_the_offered_set_covers(offered in proptest::collection::btree_set(0..6usize, 0..6)) {
        const POOL: [&str; 6] = ["shell:kubectl", "mcp:pg.query", "http:status", "ssh:jump", "http:stat", "a:b"];
        let entries: Vec<SearchEntry> = serde_json::from_value(vectors()["entries"].clone()).unwrap();
        let offered: Vec<&str> = offered.into_iter().map(|n| POOL[n]).collect();
        let query = Query::read(&[
            ("available".to_owned(), offered.join(",")),
            ("trust_min".to_owned(), "T0".to_owned()),
        ]).unwrap();
        let hits = ranked(&entries, &query, DAY.parse().unwrap());
        let mut got: Vec<&str> = hits.iter().flat_map(|hit| &hit.variants).map(|one| one.entry.slug.as_str()).collect();
        got.sort_unstable();
        let covered = |entry: &&SearchEntry| entry.capabilities.iter().all(|one| offered.contains(&one.as_str()));
        let want: Vec<&str> = entries.iter().filter(covered).map(|entry| entry.slug.as_str()).collect();
        proptest::prop_assert_eq!(got, want);
    }
}

/// C20.
#[test]
fn b37_b38_what_cannot_be_answered_is_refused_by_name() {
    let shelf = Shelf::with_examples();
    let refused = |more: &[&str], parameter: &str| {
        shelf.refused(&[&["--symptom", "disk"], more].concat(), "PARAMETER_REFUSED", parameter)
    };
    assert_eq!(
        refused(&["--risk-max", "severe"], "risk_max"),
        json!({
            "status": "ERROR", "error_code": "PARAMETER_REFUSED",
            "error_message": "risk_max 'severe' is not one of: read_only, reversible, destructive, irreversible.",
            "parameter": "risk_max", "value": "severe", "permitted": ["read_only", "reversible", "destructive", "irreversible"],
        })
    );
    assert_eq!(refused(&["--riskmax", "x"], "riskmax")["reason"], "UNKNOWN_PARAMETER");
    for (flag, value) in [("--execution", "robot"), ("--trust-min", "T9"), ("--profile", "p7")] {
        refused(&[flag, value], &flag[2..].replace('-', "_"));
    }
    refused(&["--risk-max", "read_only", "--risk-max", "irreversible"], "risk_max");
    refused(&["--available", "*"], "available");
    refused(&["--clock", "tomorrow"], "clock");
    for limit in ["0", "101", "-1", "abc"] {
        refused(&[&format!("--limit={limit}")], "limit");
    }
    refused(&["--output-limit", "unbounded"], "limit");
    refused(&["--limit", "5", "--output-limit", "6"], "limit");
    refused(&["--available", "a:b,,c:d"], "available");
    shelf.refused(&["--symptom", ""], "PARAMETER_REFUSED", "symptom");
    shelf.refused(&["--symptom", " ?! "], "PARAMETER_REFUSED", "symptom");
    refused(&["--output-limit", "101"], "limit");
    shelf.refused(&[], "PARAMETER_REFUSED", "symptom");
    assert_eq!(shelf.found(&["--symptom", "disk", "--limit", "100"])["applied"]["limit"], 100);
    assert_eq!(shelf.found(&["--symptom", "disk", "--output-limit", "1"])["applied"]["limit"], 1);
}

#[test]
fn b39_b42_variants_are_one_hit_and_fail_filters_one_by_one() {
    let shelf = zebras();
    let topic = |words: &[&str]| {
        let answer = shelf.found(&[&["--symptom", "zebra"], words].concat());
        let hits = answer["hits"].as_array().unwrap().clone();
        let topics: Vec<Value> = hits.into_iter().filter(|hit| hit["type"] == "topic").collect();
        assert_eq!(topics.len(), 1);
        topics.into_iter().next().unwrap()
    };
    let counts = |hit: &Value| {
        (
            hit["variants_total"].as_u64(),
            hit["variants_matched"].as_u64(),
            hit["variants"].as_array().unwrap().len(),
        )
    };
    let whole = topic(&[]);
    assert_eq!((&whole["topic"], &whole["title"]), (&json!("trio"), &json!("Trio of procedures")));
    assert_eq!(counts(&whole), (Some(3), Some(3), 3));
    assert_eq!(counts(&topic(&["--execution", "assisted"])), (Some(3), Some(2), 2));
    let all = shelf.found(&["--symptom", "zebra", "--limit", "100"]);
    assert_eq!((all["hits"].as_array().unwrap().len(), ids(&all).len()), (13, 15));
    assert_eq!(shelf.found(&["--symptom", "zebra", "--limit", "1"])["hits"].as_array().unwrap().len(), 1);
    assert!(ids(&shelf.found(&["--symptom", "zebra", "--risk-max", "read_only"])).is_empty());
}

/// C12, C20.
#[test]
fn b39_no_variant_is_above_the_risk_that_was_asked_for() {
    let shelf = Shelf::empty();
    const RISKS: [&str; 4] = ["read_only", "reversible", "destructive", "irreversible"];
    for (n, risk) in RISKS.iter().enumerate() {
        for (topic, slug) in [(json!("mixed"), format!("mixed-{n}")), (Value::Null, format!("alone-{n}"))] {
            let mut record = simple(&slug, json!({"symptoms": ["zebra stripes"]}));
            record["steps"][0]["risk"] = json!(risk);
            if topic != Value::Null {
                record["topic"] = topic;
            }
            shelf.reviewed(&record);
        }
    }
    shelf.commit();
    for (most, risk) in RISKS.iter().enumerate() {
        let answer = shelf.found(&["--symptom", "zebra", "--risk-max", risk]);
        let hits = answer["hits"].as_array().unwrap();
        assert_eq!(hits.len(), most + 2, "{risk}: one topic, and a record of each risk");
        let variants =
            hits.iter().flat_map(|hit| hit["variants"].as_array().cloned().unwrap_or(vec![hit.clone()]));
        let found: Vec<usize> =
            variants.map(|one| RISKS.iter().position(|risk| one["risk"] == *risk).expect("a risk")).collect();
        assert_eq!(found.len(), 2 * (most + 1), "{answer}");
        assert!(found.iter().all(|risk| *risk <= most), "{risk}: {answer}");
        let topic = hits.iter().find(|hit| hit["type"] == "topic").unwrap();
        assert_eq!((&topic["variants_matched"], &topic["variants_total"]), (&json!(most + 1), &json!(4)));
    }
}

#[test]
fn b40_a_record_below_the_floor_moves_nothing() {
    let shelf = zebras();
    let before = shelf.found(&["--symptom", "zebra stripes flicker", "--limit", "100"]);
    let best =
        json!({"symptoms": ["zebra stripes flicker"], "tags": ["zebra"], "title": "Zebra stripes flicker"});
    shelf.record(&simple("best-of-all", best));
    shelf.commit();
    assert_eq!(
        shelf.found(&["--symptom", "zebra stripes flicker", "--limit", "100"])["hits"],
        before["hits"]
    );
    let low = shelf.found(&["--symptom", "zebra stripes flicker", "--trust-min", "T1"]);
    assert_eq!(ids(&low)[0], pm::catalog::identity::id("best-of-all"));
    assert_eq!(low["applied"]["trust_min"], "T1");
}

#[test]
fn b41_a_stale_build_is_read_with_its_expiry() {
    let shelf = Shelf::with_examples();
    let dist = shelf.build();
    let from = |floor: &str, day: &str| {
        let words = [
            "--symptom",
            "replica lag",
            "--from",
            dist.to_str().unwrap(),
            "--trust-min",
            floor,
            "--clock",
            day,
        ];
        shelf.found(&words)
    };
    assert_eq!(ids(&from("T3", DAY)), [REPLICA]);
    assert!(ids(&from("T3", "2026-11-28")).is_empty());
    let later = from("T2", "2026-11-28");
    let variant = &later["hits"][0]["variants"][0];
    assert_eq!((&variant["trust"], &variant["expired_from"]), (&json!("T2"), &json!("T3")));
    assert!(variant.get("trust_expires_on").is_none());
}

/// All pages of a search.
fn walk(shelf: &Shelf, words: &[&str], mut cursor: Option<String>) -> (Vec<Value>, Vec<usize>) {
    let (mut hits, mut pages) = (Vec::new(), Vec::new());
    loop {
        let more: Vec<&str> = cursor.iter().flat_map(|cursor| ["--cursor", cursor.as_str()]).collect();
        let answer = shelf.found(&[words, &more].concat());
        let page = answer["hits"].as_array().unwrap();
        pages.push(page.len());
        hits.extend(page.iter().cloned());
        match answer["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => return (hits, pages),
        }
    }
}

/// C21.
#[test]
fn b43_a_walk_meets_every_hit_once() {
    let shelf = zebras();
    let (hits, pages) = walk(&shelf, &["--symptom", "zebra", "--limit", "3"], None);
    assert_eq!(pages, [3, 3, 3, 3, 1]);
    assert_eq!(json!(hits), shelf.found(&["--symptom", "zebra", "--limit", "100"])["hits"]);
    let (by_risk, _) = walk(&shelf, &["--available", "", "--limit", "2"], None);
    assert_eq!(by_risk.len(), 13);
    let control = shelf.found(&["--symptom", "zebra", "--limit", "3"]);
    let next = control["next_cursor"].as_str().unwrap();
    let second = shelf.found(&["--symptom", "zebra", "--limit", "3", "--output-cursor", next]);
    assert_eq!(second["hits"], json!(hits[3..6]));
}

#[test]
fn b44_a_cursor_outlives_its_hit() {
    let shelf = zebras();
    let words = ["--symptom", "zebra stripes flicker", "--limit", "3"];
    let (before, _) = walk(&shelf, &words, None);
    let first = shelf.found(&words);
    let last = first["hits"][2]["slug"].as_str().unwrap().to_owned();
    std::fs::remove_dir_all(shelf.sandbox.path().join(SOURCE).join(last)).unwrap();
    let new =
        json!({"symptoms": ["zebra stripes flicker"], "title": "Zebra stripes flicker", "tags": ["zebra"]});
    shelf.reviewed(&simple("aaa-first", new));
    shelf.commit();
    let (rest, _) = walk(&shelf, &words, first["next_cursor"].as_str().map(str::to_owned));
    assert_eq!(rest, before[3..]);
}

#[test]
fn b45_a_cursor_belongs_to_one_query() {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    let shelf = zebras();
    let first = shelf.found(&["--symptom", "zebra", "--limit", "3"]);
    let cursor = first["next_cursor"].as_str().unwrap().to_owned();
    let refused = |symptom: &str, more: &[&str], cursor: &str| {
        let words = [&["--symptom", symptom, "--limit", "3", "--cursor", cursor], more].concat();
        shelf.refused(&words, "CURSOR_REFUSED", "cursor");
    };
    refused("zebra nose", &[], &cursor);
    refused("zebra", &["--risk-max", "destructive"], &cursor);
    let bytes = URL_SAFE_NO_PAD.decode(&cursor).unwrap();
    for at in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1;
        if at % 7 == 0 || at + 1 == bytes.len() {
            refused("zebra", &[], &URL_SAFE_NO_PAD.encode(flipped));
        }
    }
    refused("zebra", &[], "x");
    refused("zebra", &[], "");
    // Another spelling of the same query, and another limit, are fine.
    shelf.found(&["--symptom", "ZEBRA", "--limit", "5", "--cursor", &cursor]);
}

#[test]
fn b67_only_the_call_itself_opens_what_nobody_vouches_for() {
    let mut shelf = Shelf::with_examples();
    let low = pm::catalog::identity::id("rotate-api-token");
    let plain = shelf.found(&["--available", "mcp:pg.query,shell:kubectl"]);
    let settings = shelf.sandbox.read(".agents/pm/settings.json");
    let mut settings: Value = serde_json::from_str(&settings).unwrap();
    settings["catalog"] =
        json!({"include_untrusted": true, "trust_min": "T0", "untrusted": true, "floor": "T0"});
    shelf.sandbox.write(".agents/pm/settings.json", settings.to_string());
    shelf.commit();
    shelf.sandbox.set("PM_CATALOG_UNTRUSTED", "1");
    let after = shelf.found(&["--available", "mcp:pg.query,shell:kubectl"]);
    assert_eq!(after["hits"], plain["hits"]);
    assert!(!ids(&after).contains(&low));
    let listed = shelf.catalog(&["list"]).expect(0).stdout;
    assert!(listed.contains(REPLICA) && !listed.contains(&low));
    assert!(ids(&shelf.found(&["--available", "", "--trust-min", "T1"])).contains(&low));
}

#[test]
fn b68_a_level_never_travels_without_its_expiry() {
    let shelf = Shelf::with_examples();
    shelf.reviewed(&simple("lone", json!({"symptoms": ["replica lag"]})));
    shelf.commit();
    let answer = shelf.found(&["--symptom", "replica lag", "--output-include", "title"]);
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let hit = |kind: &str| {
        let hits = answer["hits"].as_array().unwrap();
        hits.iter().find(|hit| hit["type"] == kind).unwrap().clone()
    };
    assert_eq!(keys(&hit("topic")["variants"][0]), ["id", "title", "trust", "trust_expires_on"]);
    assert_eq!(keys(&hit("runbook")), ["type", "id", "title", "trust"]);
    let listed = shelf.catalog(&["list", "--output-include", "title"]).expect(0).json();
    let rows = listed["records"].as_array().unwrap();
    let example = rows.iter().find(|row| row["id"] == REPLICA).unwrap();
    assert_eq!((&example["trust"], &example["trust_expires_on"]), (&json!("T3"), &json!("2026-11-28")));
}

#[test]
fn a_budget_drops_hits_from_the_end_and_moves_the_cursor() {
    let shelf = zebras();
    let words = ["--symptom", "zebra", "--limit", "10", "--output-budget", "700"];
    let (hits, pages) = walk(&shelf, &words, None);
    assert!(pages.len() > 2 && pages[0] < 10, "{pages:?}");
    assert_eq!(json!(hits), shelf.found(&["--symptom", "zebra", "--limit", "100"])["hits"]);
}

/// A list in JSON is the list that its words would be; what is one value stays one.
#[test]
fn lists_in_json_are_lists() {
    let shelf = Shelf::with_examples();
    let variables = [("PM_CLOCK", "2026-11-27T12:00:00.000Z"), ("PM_SEED", "lists")];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let env = pm::environment::Env::new(shelf.sandbox.path(), variables);
    let client = pm::client::PmClient::with(env).author("x");
    let found = |asked: Value| client.call("catalog search", asked.as_object().unwrap().clone());
    for (list, words) in [
        (
            json!({"available": ["mcp:pg.query", "shell:kubectl"]}),
            json!({"available": "mcp:pg.query,shell:kubectl"}),
        ),
        (json!({"available": []}), json!({"available": ""})),
        (json!({"target": ["postgres", "vault"]}), json!({"target": "postgres,vault"})),
    ] {
        let (list, words) = (found(list).unwrap(), found(words).unwrap());
        assert_eq!(list["hits"], words["hits"]);
        assert_eq!(list["applied"], words["applied"]);
    }
    assert!(found(json!({"symptom": ["lag", "slow"]})).is_err());
    // A file is for who sits at its machine: no call brings what is in it.
    shelf.sandbox.write("allowed", "secret-in-a-file\n");
    for path in ["@allowed", "@/etc/hostname"] {
        let error = found(json!({"available": path})).unwrap_err();
        let told = error.answer().unwrap_or_default().to_string();
        assert!(!told.contains("secret-in-a-file") && told.contains(path), "{told}");
    }
}

/// A refusal names what was wrong, and permits nothing that is refused.
#[test]
fn refusals_name_the_parameter_and_what_it_takes() {
    let shelf = Shelf::with_examples();
    let word = shelf.refused(&["restart"], "PARAMETER_REFUSED", "restart");
    assert!(word["permitted"].to_string().contains("symptom"), "{word}");
    for limit in ["0", "101", "unbounded", "x"] {
        let refused =
            shelf.refused(&["--symptom", "lag", "--output-limit", limit], "PARAMETER_REFUSED", "limit");
        assert_eq!(refused["permitted"], json!({"minimum": 1, "maximum": 100}), "{limit}");
    }
}

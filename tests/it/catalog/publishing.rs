//! What is published: lists, schemas, sizes, stability (B-14 to B-17, B-26 to B-29, B-51, B-52, B-59 to B-61, B-67, B-68).

use serde_json::{Value, json};

use super::kit::{DAY, Dist, Repo, SOURCE, approve, many, ran, simple, walkable};
use crate::json_schema;
use pm::catalog::identity;
use pm::catalog::validator::Validator;

/// B-14: an author claims nothing that the catalog assigns. C9, C26.
#[test]
fn b14_assigned_fields_are_refused_by_name() {
    let repo = Repo::new();
    repo.record(&simple("alpha"), &[]);
    repo.commit();
    let files = repo.build(DAY, &[]).files();
    let fields = [
        ("trust", json!("T4")),
        ("id", json!("rb_6cqhnwwnvxe79x6f")),
        ("content_hash", json!("sha256:0")),
        ("risk", json!("read_only")),
        ("signature", json!({"verdict": "valid"})),
        ("trust_expires_on", json!("2027-01-01")),
        ("trust_evidence", json!([])),
        ("untrusted", json!(false)),
        ("surprise", json!(1)),
    ];
    for (field, value) in fields {
        let mut record = simple("alpha");
        let place = if field == "untrusted" { &mut record["steps"][0]["body"] } else { &mut record };
        place[field] = value;
        repo.record(&record, &[]);
        let checked = repo.catalog(&["check", "alpha"]).expect(1);
        assert!(checked.stdout.contains(field), "{checked:?}");
        repo.commit();
        let error = repo.pm.refused(&["catalog", "build", "--clock", DAY], 1, "catalog_source_invalid");
        assert!(error.to_string().contains(field), "{error}");
        assert_eq!(repo.dist().files(), files, "{field}");
    }
    repo.record(&simple("alpha"), &[]);
    let _ = repo.catalog(&["check", "alpha"]).expect(0);
}

/// B-15, B-16: what is served fits `record.json` and no authored schema; what is written fits its own. C9, C10, C11.
#[test]
fn b15_b16_records_fit_the_published_schemas() {
    let repo = many(20);
    let dist = repo.build(DAY, &[]);
    let schema = |name: &str| dist.json(&format!("/v1/schema/{name}.json"));
    let (record, p0, p1) = (schema("record"), schema("p0"), schema("p1"));
    for name in pm::catalog::schema::NAMES {
        assert_eq!(json_schema::unsound(&schema(name), name), None);
    }
    let of = |profile: &Value| if profile == "p0" { &p0 } else { &p1 };
    let mut seen = 0;
    for (path, document) in dist.documents().iter().filter(|(path, _)| path.starts_with("/v1/runbooks/")) {
        assert_eq!(json_schema::fault(document, &record, path), None);
        assert!(json_schema::fault(document, of(&document["profile"]), path).is_some(), "{path}");
        let source = format!("{SOURCE}/{}/runbook.json", document["slug"].as_str().expect("a slug"));
        let authored: Value = serde_json::from_str(&repo.pm.read(&source)).expect("JSON");
        assert_eq!(json_schema::fault(&authored, of(&authored["profile"]), &source), None);
        seen += 1;
    }
    assert_eq!(seen, 20);
    for (path, name) in [
        ("/v1/index.json", "index"),
        ("/v1/index.untrusted.json", "index"),
        ("/v1/search-index.json", "search-index"),
        ("/v1/status.json", "status"),
        ("/v1/manifest.json", "manifest"),
    ] {
        assert_eq!(json_schema::fault(&dist.json(path), &schema(name), path), None);
    }
}

/// Topics that have a trusted variant have a file of their own. C11, C18.
#[test]
fn topics_have_files_of_their_own() {
    let repo = Repo::new();
    for slug in ["one", "two"] {
        let mut record = simple(slug);
        record["topic"] = json!("pair");
        repo.record(&record, &[approve(&record)]);
    }
    let mut low = simple("low");
    low["topic"] = json!("pair");
    repo.record(&low, &[]);
    repo.pm.write(&format!("{SOURCE}/_topics/pair.toon"), "title: A pair\nsummary: Two ways\norder: 3\n");
    repo.commit();
    let dist = repo.build(DAY, &[]);
    let topic = dist.json("/v1/topics/pair.json");
    assert_eq!(json_schema::fault(&topic, &dist.json("/v1/schema/topic.json"), "topic"), None);
    assert_eq!((&topic["title"], &topic["order"]), (&json!("A pair"), &json!(3)));
    let slugs = |topic: &Value| -> Vec<String> {
        let variants = topic["variants"].as_array().expect("variants");
        variants.iter().map(|one| one["slug"].as_str().expect("a slug").to_owned()).collect()
    };
    assert_eq!(slugs(&topic), ["one", "two"]);
    let rest = dist.json("/v1/topics.untrusted.json");
    assert_eq!(slugs(&rest["entries"][0]), ["low"]);
    repo.pm.write(&format!("{SOURCE}/_topics/pair.toon"), "titel: A pair\n");
    repo.commit();
    let error = repo.pm.refused(&["catalog", "build", "--clock", DAY], 1, "catalog_source_invalid");
    assert!(error.to_string().contains("titel"), "{error}");
}

/// Both validators say the same of damaged records. C11, C30.
#[test]
fn two_validators_agree_on_damaged_records() {
    let repo = Repo::new();
    let (walk, plain) = (walkable("walk"), simple("plain"));
    repo.record(&walk, &[approve(&walk), ran(&walk, "2026-10-01T00:00:00Z", "staging")]);
    repo.record(&plain, &[]);
    repo.commit();
    let dist = repo.build(DAY, &[]);
    let schema = dist.json("/v1/schema/record.json");
    let validator = Validator::new(&schema);
    let mut state = 15u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or(0) % below
    };
    let (mut good, mut bad) = (0, 0);
    for _ in 0..600 {
        let mut record = dist.record(["walk", "plain"][random(2)]);
        damage(&mut record, &mut random);
        let own = validator.faults(&record).is_empty();
        let other = json_schema::fault(&record, &schema, "record");
        assert_eq!(own, other.is_none(), "{record} {other:?}");
        if own { good += 1 } else { bad += 1 }
    }
    assert!(good > 20 && bad > 200, "{good} {bad}");
}

/// Changes something somewhere below.
fn damage(value: &mut Value, random: &mut impl FnMut(usize) -> usize) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            let key = map.keys().nth(random(map.len())).expect("a key").clone();
            match random(5) {
                0 => drop(map.remove(&key)),
                1 => drop(map.insert(
                    key,
                    [json!(7), json!(null), json!("x"), json!([]), json!({})][random(5)].clone(),
                )),
                2 => drop(map.insert("later".to_owned(), json!(1))),
                _ => damage(&mut map[&key], random),
            }
        }
        Value::Array(items) if !items.is_empty() => {
            let n = random(items.len());
            damage(&mut items[n], random);
        }
        other => *other = json!(["T3", "", "x".repeat(200), true, -1])[random(5)].clone(),
    }
}

/// B-17: the served schema is derived from the authored ones; nothing of them is lost. C11.
#[test]
fn b17_the_served_schema_is_derived() {
    let named = |name: &str| pm::catalog::schema::named(name).expect("it is published");
    let record = named("record")["oneOf"].as_array().expect("two branches");
    for (name, branch) in ["p0", "p1"].iter().zip(record) {
        let authored = named(name);
        assert_eq!(authored["additionalProperties"], false);
        let assigned =
            ["id", "content_hash", "risk", "trust", "trust_evidence", "trust_expires_on", "signature"];
        for field in assigned {
            assert!(
                authored["properties"].get(field).is_none() && branch["properties"].get(field).is_some(),
                "{field}"
            );
        }
        let keys = |value: &Value| value.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
        for field in keys(&authored["properties"]) {
            assert!(branch["properties"].get(&field).is_some(), "{name} {field}");
        }
        let steps = |schema: &Value| schema["properties"]["steps"]["items"]["properties"].clone();
        for field in keys(&steps(authored)) {
            assert!(steps(branch).get(&field).is_some(), "{name} steps {field}");
        }
        assert_eq!(branch["properties"]["x-layout"], false);
        assert!(!branch.to_string().contains("additionalProperties\":false"), "{name}");
    }
}

/// B-26: positions are served nowhere. C27.
#[test]
fn b26_no_layout_is_served() {
    let repo = many(20);
    for (path, bytes) in repo.build(DAY, &[]).files() {
        let exempt = path.starts_with("/v1/schema/") || path.starts_with("/spec/");
        assert!(exempt || !String::from_utf8_lossy(&bytes).contains("x-layout"), "{path}");
    }
}

/// B-27, B-28, B-29: a page names the next; the two halves share nothing. C22, C23, C17.
#[test]
fn b27_b28_b29_pages_and_halves() {
    let repo = many(60);
    repo.settings(&json!({"page_size": 10}));
    repo.commit();
    let dist = repo.build(DAY, &[]);
    let mut ids: Vec<Vec<String>> = Vec::new();
    for (first, floor) in [("/v1/index.json", json!("T2")), ("/v1/index.untrusted.json", Value::Null)] {
        let (entries, paths) = dist.entries(first);
        assert!(entries.iter().map(|entry| entry["slug"].as_str()).is_sorted());
        assert_eq!(paths.len(), entries.len().div_ceil(10).max(1));
        for (n, path) in paths.iter().enumerate() {
            let page = dist.json(path);
            assert_eq!(
                (&page["page"], &page["total"], &page["floor"]),
                (&json!(n + 1), &json!(entries.len()), &floor)
            );
            assert_eq!(page.get("next_cursor").is_none(), n + 1 == paths.len(), "{path}");
            let low = page["entries"]
                .as_array()
                .expect("entries")
                .iter()
                .all(|one| ["T0", "T1"].iter().any(|level| one["trust"] == *level));
            assert_eq!(low, floor.is_null(), "{path}");
        }
        ids.push(entries.iter().map(|entry| entry["id"].as_str().expect("an id").to_owned()).collect());
    }
    assert_eq!(ids[0].len() + ids[1].len(), 60);
    let untrusted = dist.json("/v1/index.untrusted.json");
    assert_eq!(untrusted["ceiling"], "T1");
    // No trusted file names an id of the other half.
    for (path, bytes) in dist.files() {
        let trusted =
            ["/v1/index.", "/v1/search-index.", "/v1/topics"].iter().any(|begin| path.starts_with(begin))
                && !path.contains("untrusted");
        let text = String::from_utf8_lossy(&bytes);
        for id in ids[1].iter().filter(|_| trusted) {
            assert!(!text.contains(id.as_str()), "{path} names {id}");
        }
    }
    for (path, half) in [("/v1/search-index.json", &ids[0]), ("/v1/search-index.untrusted.json", &ids[1])] {
        let index = dist.json(path);
        let own: Vec<&str> = index["entries"]
            .as_array()
            .expect("entries")
            .iter()
            .filter_map(|entry| entry["id"].as_str())
            .collect();
        assert_eq!(own.len(), half.len(), "{path}");
        assert!(own.iter().all(|id| half.iter().any(|one| one == id)), "{path}");
    }
    let verified = repo.catalog(&["verify", "dist/catalog", "--output-format", "json"]).expect(0).json();
    assert_eq!(verified["findings"], json!([]));
}

/// An empty catalog has its pages too.
#[test]
fn an_empty_catalog_is_whole() {
    let repo = Repo::new();
    repo.commit();
    let dist = repo.build(DAY, &[]);
    assert_eq!(dist.json("/v1/index.json")["entries"], json!([]));
    let _ = repo.catalog(&["verify", "dist/catalog"]).expect(0);
}

/// B-51, B-52: the index states its own size against a budget. C14.
#[test]
fn b51_b52_the_search_index_has_a_budget() {
    let repo = many(6);
    let dist = repo.build(DAY, &[]);
    let (index, status) = (dist.json("/v1/search-index.json"), dist.json("/v1/status.json"));
    let measured = json!(identity::canonical(&index["entries"]).len());
    assert_eq!((&index["size"]["entries_bytes"], &status["search"]["entries_bytes"]), (&measured, &measured));
    assert_eq!(
        (&status["search"]["budget_bytes"], &status["search"]["within_budget"]),
        (&json!(1_048_576), &json!(true))
    );
    assert_eq!((&status["search"]["endpoint"], &status["majors"][0]["major"]), (&Value::Null, &json!(1)));
    let shown = repo.catalog(&["status", "--clock", DAY, "--output-format", "json"]).expect(0).json();
    for key in ["as_of", "records", "ages", "evidence", "search", "majors", "trust_root"] {
        assert_eq!(shown[key], status[key], "{key}");
    }
    repo.settings(&json!({"search_budget_bytes": 100}));
    repo.commit();
    let over = repo.build(DAY, &[]).json("/v1/status.json");
    assert_eq!(over["search"]["within_budget"], false);
    assert!(over["warnings"].to_string().contains("budget"), "{over}");
    let _ = repo.catalog(&["check"]).expect(0);
    assert!(repo.catalog(&["check", "--strict"]).expect(1).stdout.contains("search_budget_bytes"));
}

/// B-59: every document has its version, every path its major. C29.
#[test]
fn b59_versions_and_majors() {
    let repo = many(6);
    let dist = repo.build(DAY, &[]);
    for (path, document) in dist.documents() {
        assert_eq!(document["schema_version"], "1.0", "{path}");
    }
    for path in dist.files().keys() {
        let known = ["/v1/", "/spec/v1/", "/catalog/", "/status/", "/assets/"]
            .iter()
            .any(|begin| path.starts_with(begin));
        assert!(known || path == "/_headers", "{path}");
    }
}

/// B-60: what is added breaks nobody; what is removed, narrowed or moved does. C29, C30.
#[test]
fn b60_what_breaks_readers_is_told() {
    let repo = many(6);
    let old = repo.build(DAY, &[]);
    let copy = |name: &str| {
        let root = repo.pm.path().join("dist").join(name);
        for (path, bytes) in old.files() {
            let place = root.join(path.trim_start_matches('/'));
            std::fs::create_dir_all(place.parent().expect("a parent")).expect("it can be made");
            std::fs::write(place, bytes).expect("it can be written");
        }
        Dist { root }
    };
    let against = |dist: &Dist, code: i32| {
        let root = dist.root.to_string_lossy().into_owned();
        repo.catalog(&["verify", &root, "--against", "dist/catalog", "--output-format", "json"])
            .expect(code)
            .stdout
    };
    let branches = |schema: &mut Value, change: &dyn Fn(&mut Value)| {
        schema["oneOf"].as_array_mut().expect("branches").iter_mut().for_each(change);
    };
    const RECORD: &str = "/v1/schema/record.json";
    assert!(against(&copy("same"), 0).contains("\"findings\": []"));
    let added = copy("added");
    added.patch(RECORD, |schema| {
        branches(schema, &|one| one["properties"]["note"] = json!({"type": "string"}))
    });
    against(&added, 0);
    let removed = copy("removed");
    removed.patch(RECORD, |schema| {
        branches(schema, &|one| drop(one["properties"].as_object_mut().map(|all| all.remove("summary"))))
    });
    assert!(against(&removed, 1).contains("summary"));
    let narrowed = copy("narrowed");
    narrowed.patch(RECORD, |schema| {
        branches(schema, &|one| {
            let words = one["properties"]["risk"]["enum"].as_array_mut().expect("words");
            words.retain(|word| word != "reversible");
        });
    });
    assert!(against(&narrowed, 1).contains("reversible"));
    // A field that every record had breaks who reads it, though no schema named it.
    let had = copy("had");
    for path in old.files().keys().filter(|path| path.starts_with("/v1/runbooks/")) {
        had.patch(path, |record| record["steps"][0]["zzz"] = json!(1));
    }
    let had = had.root.to_string_lossy().into_owned();
    let told = |new: &str, before: &str, code: i32| {
        repo.catalog(&["verify", new, "--against", before, "--output-format", "json"]).expect(code).stdout
    };
    assert!(told("dist/catalog", &had, 1).contains("steps[].zzz"));
    told(&had, "dist/catalog", 0);
    let moved = copy("moved");
    std::fs::rename(moved.root.join("v1/topics.json"), moved.root.join("v1/topic-list.json"))
        .expect("it can be moved");
    assert!(against(&moved, 1).contains("/v1/topics.json"));
    let _ = repo.catalog(&["verify", "nowhere"]).expect(3);
}

/// A body that was changed under an old hash is found out, whatever the manifest says.
#[test]
fn verify_finds_a_changed_body() {
    let repo = Repo::new();
    let record = walkable("walk");
    repo.record(&record, &[approve(&record)]);
    repo.commit();
    let dist = repo.build(DAY, &[]);
    dist.patch(&format!("/v1/runbooks/{}.json", identity::id("walk")), |record| {
        record["steps"][2]["body"]["text"] = json!("Something else.");
    });
    let found = repo.catalog(&["verify", "dist/catalog"]).expect(1).stdout;
    assert!(found.contains("content_hash"), "{found}");
}

/// B-61: an older major is served for twelve months, and both are written until then. C29.
#[test]
fn b61_two_majors_overlap() {
    let repo = Repo::new();
    let record = simple("alpha");
    repo.record(&record, &[approve(&record)]);
    let majors = |until: &str| json!({"majors": [{"major": 1, "supported_until": until}, {"major": 2, "released_on": "2027-01-01"}]});
    repo.settings(&majors("2027-12-30"));
    repo.commit();
    let error =
        repo.pm.refused(&["catalog", "build", "--clock", "2027-02-01"], 1, "catalog_settings_invalid");
    assert!(error.to_string().contains("2028-01-01"), "{error}");
    repo.settings(&majors("2028-01-01"));
    repo.commit();
    let dist = repo.build("2027-02-01", &[]);
    assert_eq!(dist.json("/v1/index.json")["entries"][0]["trust"], "T2");
    let second = dist.json("/v2/index.json");
    assert_eq!((&second["schema_version"], &second["entries"][0]["trust"]), (&json!("2.0"), &json!("T2")));
    assert!(
        second["entries"][0]["href"].as_str().is_some_and(|href| href.starts_with("/v2/runbooks/")),
        "{second}"
    );
    assert!(!repo.build("2028-01-01", &[]).root.join("v1/index.json").exists());
}

/// B-67: unverified content is reached by a path; no setting turns it on. C23.
#[test]
fn b67_no_setting_opens_the_other_half() {
    let repo = many(12);
    let list = |more: &[&str]| {
        let words =
            [&["list", "--clock", DAY, "--output-limit", "unbounded", "--output-budget", "unbounded"], more]
                .concat();
        repo.catalog(&words).expect(0).stdout
    };
    let (before, index) = (list(&[]), repo.build(DAY, &[]).bytes("/v1/index.json"));
    repo.settings(&json!({"include_untrusted": true, "untrusted": true, "trust_min": "T0", "floor": "T0"}));
    repo.commit();
    assert_eq!(list(&[]), before);
    assert_eq!(repo.build(DAY, &[]).bytes("/v1/index.json"), index);
    let (low, _) = repo.dist().entries("/v1/index.untrusted.json");
    assert!(!low.is_empty());
    for entry in low {
        let id = entry["id"].as_str().expect("an id");
        assert!(!before.contains(id) && list(&["--untrusted"]).contains(id), "{id}");
    }
}

/// B-68: a level never travels without its record and its expiry. C7.
#[test]
fn b68_levels_are_pinned() {
    let repo = many(30);
    let answer = repo
        .catalog(&["list", "--clock", DAY, "--output-include", "title", "--output-format", "json"])
        .expect(0)
        .json();
    let rows = answer["records"].as_array().expect("rows");
    assert!(rows.len() > 5, "{answer}");
    for row in rows {
        let decays = row["trust"] == "T3" || row["trust"] == "T4";
        let keys: Vec<&str> = row.as_object().expect("a row").keys().map(String::as_str).collect();
        let want = if decays {
            &["id", "title", "trust", "trust_expires_on"][..]
        } else {
            &["id", "title", "trust"]
        };
        let mut sorted = keys.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, want, "{row}");
    }
}

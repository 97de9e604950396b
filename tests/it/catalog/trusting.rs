//! Levels: what lifts a record, what drops it, until when (B-09 to B-13, B-18 to B-24).

use serde_json::{Value, json};

use super::kit::{DAY, Repo, approve, many, ran, say, simple, walkable};
use pm::catalog::identity;
use pm::catalog::trust::effective_trust;
use pm::catalog::words::Level;

fn with(repo: &Repo, slug: &str, statements: &dyn Fn(&Value) -> Vec<Value>) {
    let record = simple(slug);
    repo.record(&record, &statements(&record));
}

fn level(at: &(String, Option<String>)) -> (&str, Option<&str>) {
    (at.0.as_str(), at.1.as_deref())
}

/// B-09: the days of the contract. C8.
#[test]
fn b09_the_day_table() {
    const ROWS: [(&str, &str, &str); 5] = [
        ("2026-06-01T23:59:59Z", "2026-06-10", "2026-11-28"),
        ("2026-06-01T23:30:00-05:00", "2026-06-10", "2026-11-29"),
        ("2026-01-01T00:00:00Z", "2026-06-10", "2026-06-30"),
        ("2027-09-04T12:00:00Z", "2028-03-01", "2028-03-02"),
        ("2028-02-29T00:00:00Z", "2028-03-01", "2028-08-27"),
    ];
    let repo = Repo::new();
    for (n, (at, ..)) in ROWS.iter().enumerate() {
        with(&repo, &format!("day-{n}"), &|record| vec![approve(record), ran(record, at, "staging")]);
    }
    repo.commit();
    for (n, (_, day, expires)) in ROWS.iter().enumerate() {
        let trust = repo.build(day, &[]).trust(&format!("day-{n}"));
        assert_eq!(level(&trust), ("T3", Some(*expires)), "row {n}");
        let trust = repo.build(expires, &[]).trust(&format!("day-{n}"));
        assert_eq!(level(&trust), ("T2", None), "row {n}");
    }
}

/// B-10: proven, exercised, reviewed; and the reader's rule. C8, C26.
#[test]
fn b10_the_worked_example() {
    let repo = Repo::new();
    with(&repo, "worked", &|record| {
        vec![
            approve(record),
            ran(record, "2026-03-01T00:00:00Z", "production"),
            ran(record, "2026-06-01T00:00:00Z", "staging"),
        ]
    });
    repo.commit();
    for (day, want) in [
        ("2026-08-27", ("T4", Some("2026-08-28"))),
        ("2026-08-28", ("T3", Some("2026-11-28"))),
        ("2026-11-28", ("T2", None)),
    ] {
        assert_eq!(level(&repo.build(day, &[]).trust("worked")), want, "{day}");
    }
    let day = |text: &str| text.parse().expect("a day");
    assert_eq!(effective_trust(Level::T4, Some(day("2026-08-28")), day("2026-08-28")), Level::T2);
}

/// B-11, B-12: whoever reads an older build is never above a rebuild; levels and expiries go together. C7, C8.
#[test]
fn b11_b12_readers_of_old_builds_are_never_above_a_rebuild() {
    let repo = many(40);
    let days = ["2026-02-01", "2026-06-15", "2026-09-20", DAY, "2027-02-01"];
    let mut builds = Vec::new();
    for day in days {
        let dist = repo.build(day, &[]);
        let mut stated = 0;
        for (path, document) in dist.documents() {
            each(&document, &mut |map| {
                let Some(level) = map.get("trust").and_then(Value::as_str).and_then(Level::named) else {
                    return;
                };
                stated += 1;
                assert_eq!(level.decays(), map.contains_key("trust_expires_on"), "{path} {map:?}");
            });
        }
        assert!(stated > 100, "{stated}");
        let (mut all, _) = dist.entries("/v1/index.json");
        all.extend(dist.entries("/v1/index.untrusted.json").0);
        builds.push((day.parse::<jiff::civil::Date>().expect("a day"), all));
    }
    for (n, (_, old)) in builds.iter().enumerate() {
        for (today, new) in &builds[n..] {
            for entry in old {
                let now = new.iter().find(|one| one["id"] == entry["id"]).expect("it is there");
                let of =
                    |entry: &Value| Level::named(entry["trust"].as_str().expect("a level")).expect("a level");
                let day = entry["trust_expires_on"].as_str().map(|day| day.parse().expect("a day"));
                assert!(effective_trust(of(entry), day, *today) <= of(now), "{entry} on {today}");
            }
        }
    }
}

fn each(value: &Value, look: &mut impl FnMut(&serde_json::Map<String, Value>)) {
    match value {
        Value::Object(map) => {
            look(map);
            map.values().for_each(|below| each(below, look));
        }
        Value::Array(items) => items.iter().for_each(|below| each(below, look)),
        _ => {}
    }
}

/// B-13: what is dated after the build counts for nothing yet, and is told. C26.
#[test]
fn b13_a_run_of_the_future_waits() {
    let repo = Repo::new();
    with(&repo, "future", &|record| vec![approve(record), ran(record, "2026-12-01T00:00:00Z", "staging")]);
    repo.commit();
    let dist = repo.build("2026-06-10", &[]);
    assert_eq!(level(&dist.trust("future")), ("T2", None));
    let status = dist.json("/v1/status.json");
    assert_eq!((&status["evidence"]["future"], &status["evidence"]["valid"]), (&json!(1), &json!(1)));
    assert!(status["warnings"][0].as_str().is_some_and(|text| text.contains("future")), "{status}");
    assert_eq!(dist.record("future")["trust_evidence"][1]["future"], true);
}

/// B-18, B-19: approvals are forced where something can be lost, and kept where the author wants them. C24.
#[test]
fn b18_b19_approvals_are_forced_and_kept() {
    let repo = Repo::new();
    repo.record(&walkable("walk"), &[]);
    repo.commit();
    let dist = repo.build(DAY, &[]);
    let asked = |n: usize| dist.record("walk")["steps"][n].get("requires_approval").cloned();
    assert_eq!((asked(0), asked(1), asked(2)), (Some(json!(true)), Some(json!(true)), None));
    let verify =
        |code: i32| repo.catalog(&["verify", "dist/catalog", "--output-format", "json"]).expect(code).json();
    assert_eq!(verify(0)["findings"], json!([]));
    let path = format!("/v1/runbooks/{}.json", identity::id("walk"));
    dist.patch(&path, |record| record["steps"][1]["requires_approval"] = json!(false));
    assert!(verify(1).to_string().contains("steps[1].requires_approval"));
}

/// B-20: below T2 every body is marked, above none is. C25, C4.
#[test]
fn b20_untrusted_marks() {
    let repo = Repo::new();
    with(&repo, "low", &|_| Vec::new());
    with(&repo, "high", &|record| vec![approve(record)]);
    repo.commit();
    let dist = repo.build(DAY, &[]);
    assert_eq!(dist.record("low")["steps"][0]["body"]["untrusted"], true);
    assert_eq!(dist.record("high")["steps"][0]["body"].get("untrusted"), None);
    let path = |slug: &str| format!("/v1/runbooks/{}.json", identity::id(slug));
    dist.patch(&path("low"), |record| {
        drop(record["steps"][0]["body"].as_object_mut().map(|body| body.remove("untrusted")))
    });
    dist.patch(&path("high"), |record| record["steps"][0]["body"]["untrusted"] = json!(true));
    let found =
        repo.catalog(&["verify", "dist/catalog", "--output-format", "json"]).expect(1).json().to_string();
    assert!(found.matches("body.untrusted").count() >= 2, "{found}");
}

/// B-21: who can lift a record to T2. C26.
#[test]
fn b21_only_a_person_who_is_not_the_publisher_reviews() {
    let repo = Repo::new();
    let by = |who: &'static str| {
        move |record: &Value| {
            vec![say(record, "review", who, "2026-02-01T00:00:00Z", json!({"verdict": "approve"}))]
        }
    };
    with(&repo, "by-agent", &by("bot@example.org"));
    with(&repo, "by-nobody", &by("ci@example.org"));
    with(&repo, "by-human", &by("dana@example.org"));
    let mut own = simple("by-publisher");
    own["publisher"] = json!("dana@example.org");
    repo.record(&own, &[approve(&own)]);
    let mut strange = simple("stranger");
    strange["publisher"] = json!("stranger@example.org");
    repo.record(&strange, &[approve(&strange)]);
    repo.commit();
    let dist = repo.build(DAY, &[]);
    for (slug, want) in [
        ("by-agent", "T1"),
        ("by-nobody", "T1"),
        ("by-publisher", "T1"),
        ("by-human", "T2"),
        ("stranger", "T0"),
    ] {
        assert_eq!(dist.trust(slug).0, want, "{slug}");
    }
    // What no commit has is attributed to nobody.
    repo.pm.write("x.txt", "x");
    let clean = repo.build(DAY, &["--worktree", "--out", "dist/clean"]);
    drop(clean);
    let at = |name: &str| super::kit::Dist { root: repo.pm.path().join("dist").join(name) };
    assert_eq!(at("clean").trust("by-human").0, "T2");
    repo.record(&simple("fresh"), &[]);
    let _ = repo.catalog(&["build", "--clock", DAY, "--worktree", "--out", "dist/dirty"]).expect(0);
    assert_eq!(at("dirty").trust("by-human").0, "T0");
    assert_eq!(at("dirty").json("/v1/status.json")["dirty"], true);
}

/// B-22: a changed character makes every statement stale. C26.
#[test]
fn b22_a_changed_record_is_reviewed_again() {
    let repo = Repo::new();
    with(&repo, "alpha", &|record| vec![approve(record)]);
    repo.commit();
    assert_eq!(repo.build(DAY, &[]).trust("alpha").0, "T2");
    repo.edit("alpha", |record| record["steps"][0]["body"]["text"] = json!("Do alpha!"));
    repo.commit();
    let dist = repo.build(DAY, &[]);
    assert_eq!(dist.trust("alpha").0, "T1");
    assert_eq!(dist.record("alpha")["trust_evidence"][0]["stale"], true);
    assert_eq!(dist.json("/v1/status.json")["evidence"]["stale"], 1);
}

/// B-23: a signature counts only for its purpose, by a key of its principal. C10.
#[test]
fn b23_verdicts_of_publishers() {
    let repo = Repo::new();
    let old = format!("ops@example.org {}", super::kit::key("an old key").1);
    let revoked = super::kit::key("an old key").1;
    repo.trust("attribution: signed\n", &[old], &revoked);
    let publish =
        |record: &Value| say(record, "publish", "ops@example.org", "2026-05-01T00:00:00Z", json!({}));
    for (slug, signer, namespace) in [
        ("valid", "ops@example.org", None),
        ("invalid", "ops@example.org", Some("pm-catalog-run")),
        ("unknown-key", "nobody listed it", None),
        ("revoked-key", "an old key", None),
        ("wrong-principal", "dana@example.org", None),
    ] {
        let record = simple(slug);
        repo.record(&record, &[]);
        repo.attest_by(slug, &publish(&record), signer, namespace);
    }
    repo.record(&simple("absent"), &[]);
    repo.commit();
    let dist = repo.build(DAY, &[]);
    for slug in ["valid", "invalid", "unknown-key", "revoked-key", "wrong-principal", "absent"] {
        let record = dist.record(slug);
        assert_eq!(record["signature"]["verdict"], json!(slug.replace('-', "_")), "{slug}");
        assert_eq!(record["trust"], if slug == "valid" { "T1" } else { "T0" }, "{slug}");
    }
    assert_eq!(dist.record("valid")["signature"]["principal"], "ops@example.org");
}

/// B-24: a failure, a revocation, a rejection. C26.
#[test]
fn b24_what_speaks_against_a_record_counts_at_once() {
    let repo = Repo::new();
    let failed = |record: &Value, at: &str, place: &str| {
        say(record, "run", "ci@example.org", at, json!({"outcome": "failure", "environment": place}))
    };
    let good = |record: &Value| vec![approve(record), ran(record, "2026-07-01T00:00:00Z", "staging")];
    let and = |more: &dyn Fn(&Value) -> Value, record: &Value| {
        let mut all = good(record);
        all.push(more(record));
        all
    };
    with(&repo, "failed", &|record| and(&|record| failed(record, "2027-01-01T00:00:00Z", "staging"), record));
    with(&repo, "failed-elsewhere", &|record| {
        and(&|record| failed(record, "2026-07-02T00:00:00Z", "rehearsal"), record)
    });
    with(&repo, "failed-in-production", &|record| {
        and(&|record| failed(record, "2026-07-02T00:00:00Z", "production"), record)
    });
    with(&repo, "rejected", &|record| {
        and(
            &|record| {
                say(record, "review", "rui@example.org", "2027-01-01T00:00:00Z", json!({"verdict": "reject"}))
            },
            record,
        )
    });
    with(&repo, "revoked", &|record| {
        and(
            &|record| {
                say(record, "revoke", "rui@example.org", "2026-07-03T00:00:00Z", json!({"reason": "unsafe"}))
            },
            record,
        )
    });
    with(&repo, "revoked-by-nobody", &|record| {
        and(
            &|record| {
                say(record, "revoke", "ci@example.org", "2026-07-03T00:00:00Z", json!({"reason": "mine"}))
            },
            record,
        )
    });
    repo.commit();
    let dist = repo.build(DAY, &[]);
    for (slug, want) in [
        ("failed", "T2"),
        ("failed-elsewhere", "T3"),
        ("failed-in-production", "T2"),
        ("rejected", "T1"),
        ("revoked", "T0"),
        ("revoked-by-nobody", "T3"),
    ] {
        assert_eq!(dist.trust(slug).0, want, "{slug}");
    }
    assert_eq!(dist.record("revoked")["steps"][0]["body"]["untrusted"], true);
}

/// The trust root may lie outside of the repository, where those who may merge cannot change it.
#[test]
fn a_trust_root_outside_rules_over_the_one_inside() {
    let repo = Repo::new();
    with(&repo, "alpha", &|record| vec![approve(record)]);
    repo.commit();
    let inside = repo.build(DAY, &[]);
    assert_eq!(inside.json("/v1/status.json")["trust_root"]["source"], "repository");
    repo.pm.write(
        "outside/policy.toon",
        "principals:\n  \"ops@example.org\":\n    kind: human\n    roles: []\n",
    );
    let outside = repo.build(DAY, &["--trust-root", "outside"]);
    assert_eq!(outside.trust("alpha").0, "T1");
    assert_eq!(outside.json("/v1/status.json")["trust_root"]["source"], "folder");
    repo.pm.refused(&["catalog", "build", "--trust-root", "nowhere"], 1, "catalog_trust_root_invalid");
    repo.pm.write("outside/policy.toon", "atribution: signed\n");
    repo.pm.refused(&["catalog", "build", "--trust-root", "outside"], 1, "catalog_trust_root_invalid");
}

//! What a caller and the settings choose: a revision, a span of days, the capabilities that there are, a base path.

use serde_json::{Value, json};

use super::kit::{DAY, Repo, approve, ran, simple, walkable};
use crate::cases::repository::git_ok;
use pm::catalog::identity;

/// An older revision is read as it was: records, statements, trust root and settings.
#[test]
fn a_revision_is_read_as_it_was() {
    let repo = Repo::new();
    let record = simple("alpha");
    repo.record(&record, &[approve(&record)]);
    repo.commit();
    let then = git_ok(&repo.pm, &["rev-parse", "HEAD"]).trim().to_owned();
    let before = repo.build(DAY, &[]).files();
    repo.edit("alpha", |record| record["title"] = json!("Another title"));
    repo.record(&simple("beta"), &[]);
    repo.settings(&json!({"page_size": 1, "base_path": "/docs"}));
    repo.trust("attribution: signed\n", &[], "");
    repo.commit();
    let now = repo.build(DAY, &[]);
    assert_eq!(
        (now.trust("alpha").0, now.json("/v1/index.json")["total"].clone()),
        ("T0".to_owned(), json!(0))
    );
    assert_eq!(repo.build(DAY, &["--rev", &then]).files(), before);
    assert_eq!(repo.build(DAY, &["--rev", "HEAD~1"]).files(), before);
    let shown =
        |words: &[&str]| repo.catalog(&[words, &["--clock", DAY, "--output-format", "json"]].concat());
    let got = shown(&["get", "alpha", "--rev", &then]).expect(0).json();
    assert_eq!((&got["record"]["title"], &got["record"]["trust"]), (&json!("Handle alpha"), &json!("T2")));
    assert_eq!(shown(&["list", "--rev", &then]).expect(0).json()["records"][0]["slug"], "alpha");
    assert_eq!(shown(&["list"]).expect(0).json()["records"], json!([]));
    repo.pm.refused(&["catalog", "build", "--rev", "nowhere"], 3, "REVISION_NOT_FOUND");
}

/// C14: the levels that end soon, and within how many days.
#[test]
fn what_ends_soon_is_told_for_any_span() {
    let repo = Repo::new();
    for (slug, at) in [("soon", "2026-06-05T00:00:00Z"), ("later", "2026-08-20T00:00:00Z")] {
        let record = simple(slug);
        repo.record(&record, &[approve(&record), ran(&record, at, "staging")]);
    }
    repo.commit();
    let expiring = |more: &[&str]| {
        let words = [&["status", "--clock", DAY, "--output-format", "json"], more].concat();
        repo.catalog(&words).expect(0).json()["expiring"].clone()
    };
    let row = |slug: &str, on: &str| json!({"id": identity::id(slug), "level": "T3", "expires_on": on});
    let (soon, later) = (row("soon", "2026-12-02"), row("later", "2027-02-16"));
    assert_eq!(expiring(&[]), json!([soon]));
    assert_eq!(expiring(&["--expiring-within", "4"]), json!([]));
    assert_eq!(expiring(&["--expiring-within", "90"]), json!([soon, later]));
    assert_eq!(repo.build(DAY, &[]).json("/v1/status.json")["expiring"], json!([soon]));
}

/// The setting names the capabilities that there are, one by one or all of a scheme.
#[test]
fn capabilities_are_of_the_vocabulary() {
    let repo = Repo::new();
    repo.record(&walkable("walk"), &[]);
    for (vocabulary, fits) in [
        (json!(["shell:kubectl"]), true),
        (json!(["mcp:pg.query", "shell:*"]), true),
        (json!(["shell:kube"]), false),
        (json!(["mcp:*"]), false),
    ] {
        repo.settings(&json!({"capability_vocab": vocabulary}));
        let told = repo.catalog(&["check", "walk"]).expect(i32::from(!fits)).stdout;
        assert_eq!(told.contains("capability_vocab"), !fits, "{vocabulary}: {told}");
    }
}

/// Every path of a catalog below a base path leads below it, and `verify` takes a folder as an address too.
#[test]
fn paths_stand_below_the_base_path() {
    let repo = Repo::new();
    for slug in ["alpha", "beta"] {
        let mut record = simple(slug);
        record["topic"] = json!("pair");
        repo.record(&record, &[approve(&record)]);
    }
    repo.settings(&json!({"page_size": 1, "base_path": "/docs/runbooks"}));
    repo.commit();
    let dist = repo.build(DAY, &[]);
    let index = dist.json("/v1/index.json");
    assert_eq!(index["next_cursor"], "/docs/runbooks/v1/index.2.json");
    let id = identity::id("alpha");
    assert_eq!(index["entries"][0]["href"], json!(format!("/docs/runbooks/v1/runbooks/{id}.json")));
    assert_eq!(dist.json("/v1/topics.json")["entries"][0]["href"], "/docs/runbooks/v1/topics/pair.json");
    let address = format!("file://{}", dist.root.display());
    let told = repo.catalog(&["verify", &address, "--output-format", "json"]).expect(0).json();
    assert_eq!(told["findings"], Value::Array(Vec::new()));
    for wrong in ["docs", "//evil.example", "https://evil.example", "/a/../b"] {
        repo.settings(&json!({"base_path": wrong}));
        repo.pm.refused(&["catalog", "check"], 1, "catalog_settings_invalid");
    }
}

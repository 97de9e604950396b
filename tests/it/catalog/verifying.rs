//! `pm catalog verify`: every statement that a client can check, in every major (B-18, B-20, B-27, B-28, B-60, B-61).

use serde_json::{Value, json};

use super::kit::{Dist, Repo, SOURCE, approve, many, ran, say, simple, walkable};
use pm::catalog::identity;

/// A catalog on a day on which two majors are served, below a path, with pages of one entry.
fn two_majors() -> (Repo, Dist) {
    let repo = Repo::new();
    let mut walk = walkable("walk");
    walk["topic"] = json!("pair");
    repo.record(&walk, &[approve(&walk), ran(&walk, "2026-10-01T00:00:00Z", "staging")]);
    let mut other = simple("other");
    other["topic"] = json!("pair");
    other["former_slugs"] = json!(["older"]);
    repo.record(&other, &[approve(&other)]);
    for slug in ["low", "lower"] {
        repo.record(&simple(slug), &[]);
    }
    repo.pm.write(&format!("{SOURCE}/_topics/pair.toon"), "title: A pair\nsummary: Two ways\norder: 3\n");
    repo.settings(&json!({"page_size": 1, "base_path": "/docs", "majors": majors()}));
    repo.commit();
    let dist = repo.build("2027-02-01", &[]);
    (repo, dist)
}

fn majors() -> Value {
    json!([{"major": 1, "supported_until": "2028-01-01"}, {"major": 2, "released_on": "2027-01-01"}])
}

/// The findings of a folder: the answer and what it says.
fn verified(repo: &Repo, dist: &Dist, more: &[&str], exit: i32) -> String {
    let root = dist.root.to_string_lossy().into_owned();
    let words =
        [&["verify", root.as_str()], more, &["--output-format", "json", "--output-limit", "unbounded"]]
            .concat();
    repo.catalog(&words).expect(exit).stdout
}

type Change = Box<dyn Fn(&mut Value)>;

fn set(place: &'static str, value: Value) -> Change {
    Box::new(move |document| {
        *document.pointer_mut(place).unwrap_or_else(|| panic!("no {place}")) = value.clone()
    })
}

/// What somebody does to a document of major 1, and a word of what is told.
fn tampers() -> Vec<(String, Change, &'static str)> {
    let record = format!("/v1/runbooks/{}.json", identity::id("walk"));
    let mut all: Vec<(String, Change, &'static str)> = vec![
        ("/v1/index.json".into(), set("/floor", json!("T3")), "`floor` is"),
        ("/v1/index.untrusted.json".into(), set("/ceiling", json!("T4")), "`ceiling` is"),
        ("/v1/search-index.json".into(), set("/floor", Value::Null), "`floor` is"),
        (
            "/v1/index.json".into(),
            set("/next_cursor", json!("https://evil.example/v1/index.2.json")),
            "no path of this host",
        ),
        (
            "/v1/index.json".into(),
            set("/next_cursor", json!("//evil.example/v1/index.2.json")),
            "no path of this host",
        ),
        (
            "/v1/index.json".into(),
            set("/next_cursor", json!("/elsewhere/v1/index.2.json")),
            "other paths of this catalog",
        ),
        ("/v1/index.json".into(), set("/next_cursor", json!("/docs/v1/index.json")), "no further page"),
        ("/v1/index.2.json".into(), set("/page", json!(7)), "`page` is"),
        ("/v1/index.json".into(), set("/total", json!(9)), "`total` is"),
        ("/v1/index.json".into(), set("/entries/0/title", json!("Another")), "in `title`"),
        (
            "/v1/index.2.json".into(),
            set("/entries/0/trust_expires_on", json!("2027-05-01")),
            "in `trust_expires_on`",
        ),
        (
            "/v1/index.json".into(),
            set("/entries/0/href", json!("/docs/v1/runbooks/rb_0000000000000000.json")),
            "in `href`",
        ),
        ("/v1/index.json".into(), set("/schema_version", json!("3.0")), "`schema_version` is not"),
        (record.clone(), set("/trust_expires_on", json!("2027-03-31")), "180 days"),
        (record.clone(), set("/trust_expires_on", json!("2027-02-30")), "is no day"),
        (record.clone(), set("/trust_evidence/1/on", json!("2026-09-01")), "180 days"),
        (record.clone(), set("/trust_evidence/1/verdict", json!("failure")), "180 days"),
        (record.clone(), set("/trust", json!("T4")), "no run that bears T4"),
        (
            record.clone(),
            set("/trust_evidence/0/principal", json!("ops@example.org")),
            "nobody but its publisher",
        ),
        (record.clone(), set("/signature/verdict", json!("invalid")), "signature"),
        (record.clone(), set("/steps/1/requires_approval", json!(false)), "requires_approval"),
        (record.clone(), set("/steps/2/body/text", json!("Something else.")), "content_hash"),
        (record.clone(), set("/risk", json!("read_only")), "`risk` is not the highest"),
        ("/v1/aliases.json".into(), set("/aliases/older", json!(identity::id("low"))), "no such slug"),
        ("/v1/search-index.json".into(), set("/entries/0/terms/title", json!(["anything"])), "in `terms`"),
        ("/v1/search-index.json".into(), set("/size/within_budget", json!(false)), "within_budget"),
        ("/v1/topics.json".into(), set("/entries/0/variants", json!([])), "not listed"),
        ("/v1/topics/pair.json".into(), set("/title", json!("Two pairs")), "differs from its entry"),
        ("/v1/status.json".into(), set("/records/total", json!(99)), "`records.total` is 99"),
        ("/v1/status.json".into(), set("/records/by_risk/irreversible", json!(0)), "`records.by_risk` is"),
        ("/v1/status.json".into(), set("/evidence/valid", json!(99)), "`evidence` is"),
        ("/v1/status.json".into(), set("/search/entries_bytes", json!(1)), "`search` is"),
        ("/v1/status.json".into(), set("/as_of", json!("2027-04-01")), "had come on the day of the build"),
        ("/v1/status.json".into(), set("/dirty", json!(true)), "can only be T0"),
        ("/v1/status.json".into(), set("/majors/0/status", json!("ended")), "majors"),
        ("/v1/status.json".into(), set("/majors/0/supported_until", json!("2027-06-01")), "12 months"),
        (
            "/v1/schema/record.json".into(),
            set("/$id", json!("https://evil.example/v1/schema/record.json")),
            "`$id` is",
        ),
    ];
    let ghost: Change = Box::new(|document| document["aliases"]["ghost"] = json!(identity::id("low")));
    let lost: Change = Box::new(|document| {
        drop(document["aliases"].as_object_mut().expect("aliases").shift_remove("older"))
    });
    let twice: Change = Box::new(|document| {
        let entries = document["entries"].as_array_mut().expect("entries");
        entries.push(entries[0].clone());
    });
    all.push(("/v1/aliases.json".into(), ghost, "no such slug"));
    all.push(("/v1/aliases.json".into(), lost, "does not lead to"));
    all.push(("/v1/search-index.json".into(), twice, "stands there twice"));
    all
}

/// The same document in another major.
fn raised(path: &str, major: u32) -> String {
    path.replacen("/v1/", &format!("/v{major}/"), 1)
}

/// C29: nothing that a client can check passes unseen, whatever the manifest says, in the first major and in a later one.
#[test]
fn b60_verify_finds_every_tampering_in_every_major() {
    let (repo, dist) = two_majors();
    assert!(verified(&repo, &dist, &[], 0).contains("\"findings\": []"));
    for (path, change, word) in tampers() {
        for major in [1, 2] {
            let path = raised(&path, major);
            let before = dist.bytes(&path);
            let manifest = dist.bytes(&raised("/v1/manifest.json", major));
            dist.patch(&path, |document| {
                change(document);
                if major != 1 {
                    let text = document.to_string().replace("/v1/", &format!("/v{major}/"));
                    *document = serde_json::from_str(&text).expect("JSON");
                }
            });
            let told = verified(&repo, &dist, &[], 1);
            assert!(told.contains(word), "{path}: no `{word}` in {told}");
            assert!(told.contains(&format!("\"/v{major}/")), "{path}: {told}");
            for (path, bytes) in [(path.clone(), before), (raised("/v1/manifest.json", major), manifest)] {
                std::fs::write(dist.root.join(path.trim_start_matches('/')), bytes)
                    .expect("it can be written");
            }
        }
    }
    assert!(verified(&repo, &dist, &[], 0).contains("\"findings\": []"));
}

/// C1, C23: what lies beside the files of the catalog is told; in its own folders it is a fault.
#[test]
fn b60_verify_names_what_no_manifest_names() {
    let (repo, dist) = two_majors();
    std::fs::write(dist.root.join("CNAME"), "runbooks.example.org\n").expect("it can be written");
    assert!(verified(&repo, &dist, &[], 0).contains("no part of the catalog"));
    for extra in [
        "v1/extra.json",
        "v2/runbooks/rb_0000000000000000.json",
        "catalog/evil.html",
        "spec/v1/more.md",
        "v1/index.9.json",
    ] {
        let place = dist.root.join(extra);
        std::fs::write(&place, "{}\n").expect("it can be written");
        assert!(verified(&repo, &dist, &[], 1).contains(extra), "{extra}");
        std::fs::remove_file(place).expect("it can be removed");
    }
    #[cfg(unix)]
    {
        let place = dist.root.join("assets/more.js");
        std::os::unix::fs::symlink("/etc/hostname", &place).expect("a link");
        assert!(verified(&repo, &dist, &[], 1).contains("assets/more.js"));
        std::fs::remove_file(place).expect("it can be removed");
    }
    // A file that the manifest leaves out is as bad as one that is gone.
    let mut manifest = dist.json("/v2/manifest.json");
    drop(manifest["files"].as_object_mut().expect("files").shift_remove("/v2/aliases.json"));
    std::fs::write(dist.root.join("v2/manifest.json"), identity::artifact(&manifest))
        .expect("it can be written");
    assert!(verified(&repo, &dist, &[], 1).contains("the manifest does not name it"));
}

/// C28: a tag follows the content; what a cache would keep too long is a fault, in every major.
#[test]
fn b32_verify_holds_every_tag_to_its_content() {
    let (repo, dist) = two_majors();
    for major in [1, 2] {
        let list = format!("/v{major}/manifest.json");
        let whole = dist.bytes(&list);
        let is_schema = |path: &str| path.contains("/schema/");
        let spoil = |all: bool| {
            dist.patch(&list, |manifest| {
                for (path, facts) in manifest["files"].as_object_mut().expect("files") {
                    if all || is_schema(path) {
                        facts["etag"] = json!(format!("\"{}\"", "0".repeat(32)));
                    }
                }
            });
        };
        // Readers may go by an older schema within a major.
        spoil(false);
        assert!(verified(&repo, &dist, &[], 0).contains("entity tag"));
        spoil(true);
        let told: Value = serde_json::from_str(&verified(&repo, &dist, &[], 1)).expect("JSON");
        let findings = told["findings"].as_array().expect("findings");
        for path in dist.json(&list)["files"].as_object().expect("files").keys() {
            let severity = if is_schema(path) { "warning" } else { "error" };
            let is_told = findings.iter().any(|one| {
                let about = one["message"].as_str().is_some_and(|text| text.contains("entity tag"));
                about && one["path"] == json!(path) && one["severity"] == severity
            });
            assert!(is_told, "{path}: {told}");
        }
        std::fs::write(dist.root.join(list.trim_start_matches('/')), whole).expect("it can be written");
    }
    assert!(verified(&repo, &dist, &[], 0).contains("\"findings\": []"));
}

/// The page and the prose are known to the byte: a changed one is found out although the manifest agrees with it.
#[test]
fn b60_verify_knows_the_page_and_the_prose() {
    let (repo, dist) = two_majors();
    let both = ["/v1/manifest.json", "/v2/manifest.json"];
    let before = dist.files();
    let restore = || {
        for (path, bytes) in &before {
            std::fs::write(dist.root.join(path.trim_start_matches('/')), bytes).expect("it can be written");
        }
    };
    let agree = |path: &str, bytes: &[u8]| {
        std::fs::write(dist.root.join(path.trim_start_matches('/')), bytes).expect("it can be written");
        for list in both {
            dist.patch(list, |manifest| {
                let known = manifest["files"].get(path).is_some() || !path.contains("/v2/");
                if known {
                    manifest["files"][path] = json!({
                        "etag": identity::file_etag(bytes), "sha256": identity::sha256(bytes), "bytes": bytes.len(),
                    });
                }
            });
        }
    };
    for path in
        ["/assets/dom.js", "/catalog/index.html", "/status/index.html", "/spec/v2/contract.md", "/_headers"]
    {
        agree(path, &[dist.bytes(path), b"fetch('https://evil.example')\n".to_vec()].concat());
        let told = verified(&repo, &dist, &[], 1);
        assert!(told.contains(path) && told.contains("is not the file that pm"), "{path}: {told}");
        restore();
    }
    agree("/assets/evil.js", b"fetch('https://evil.example')\n");
    assert!(verified(&repo, &dist, &[], 1).contains("none of the files that pm"));
    std::fs::remove_file(dist.root.join("assets/evil.js")).expect("it can be removed");
    restore();
    // Another version may write another page; that is told and no fault. A catalog without a page is one.
    for major in [1, 2] {
        dist.patch(&format!("/v{major}/status.json"), |status| status["tool"] = json!("pm 9.9"));
    }
    agree("/assets/dom.js", b"// Another page.\n");
    assert!(verified(&repo, &dist, &[], 0).contains("another version wrote it"));
    for path in
        ["/catalog/index.html", "/catalog/untrusted/index.html", "/status/index.html", "/spec/v1/trust.md"]
    {
        restore();
        for list in both {
            dist.patch(list, |manifest| {
                drop(manifest["files"].as_object_mut().expect("files").shift_remove(path));
            });
        }
        std::fs::remove_file(dist.root.join(path.trim_start_matches('/'))).expect("it can be removed");
        assert!(verified(&repo, &dist, &[], 1).contains(path), "{path}");
    }
}

/// Honest catalogs of every sort pass without a word: every level, verdict and half, renamed records, both majors.
#[test]
fn b60_honest_catalogs_pass() {
    let repo = many(40);
    repo.trust(
        "",
        &[format!("ops@example.org {}", super::kit::key("an old key").1)],
        &super::kit::key("an old key").1,
    );
    let publish =
        |record: &Value| say(record, "publish", "ops@example.org", "2026-05-01T00:00:00Z", json!({}));
    for (slug, signer) in
        [("signed", "ops@example.org"), ("badly-signed", "nobody"), ("once-signed", "an old key")]
    {
        let record = simple(slug);
        repo.record(&record, &[approve(&record), ran(&record, "2027-05-01T00:00:00Z", "staging")]);
        repo.attest_by(slug, &publish(&record), signer, None);
    }
    let mut stale = simple("changed");
    repo.record(&stale, &[approve(&stale)]);
    stale["title"] = json!("Changed since");
    repo.record(&stale, &[]);
    repo.settings(&json!({"page_size": 7, "majors": majors()}));
    repo.commit();
    for day in ["2026-02-01", "2026-06-15", "2027-03-01", "2028-02-01"] {
        let dist = repo.build(day, &[]);
        let told = verified(&repo, &dist, &[], 0);
        assert!(told.contains("\"findings\": []"), "{day}: {told}");
    }
}

/// Copies a build.
fn copy(repo: &Repo, dist: &Dist, name: &str) -> Dist {
    let root = repo.pm.path().join("dist").join(name);
    for (path, bytes) in dist.files() {
        let place = root.join(path.trim_start_matches('/'));
        std::fs::create_dir_all(place.parent().expect("a parent")).expect("it can be made");
        std::fs::write(place, bytes).expect("it can be written");
    }
    Dist { root }
}

/// C29: when the first major has ended, what is left is a whole catalog: built into, verified, read, searched.
#[test]
fn b61_a_catalog_lives_on_when_its_first_major_ends() {
    let (repo, dist) = two_majors();
    let both = copy(&repo, &dist, "both");
    for day in ["2028-01-01", "2028-01-02"] {
        let dist = repo.build(day, &[]);
        let paths: Vec<String> = dist.files().into_keys().collect();
        assert!(!paths.iter().any(|path| path.contains("/v1/")), "{paths:?}");
        for path in ["/v2/manifest.json", "/v2/index.json", "/spec/v2/contract.md", "/catalog/index.html"] {
            assert!(paths.iter().any(|own| own == path), "{path}");
        }
        for (path, bytes) in dist.files() {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            assert!(path.ends_with(".js") || !text.contains("/v1/"), "{path} leads to the first major");
        }
        assert!(verified(&repo, &dist, &[], 0).contains("\"findings\": []"));
    }
    let ended = repo.dist();
    let status = ended.json("/v2/status.json");
    assert_eq!(
        (&status["majors"][0]["status"], &status["majors"][1]["status"]),
        (&json!("ended"), &json!("current"))
    );
    let words = ["search", "--target", "x", "--from", "dist/catalog", "--output-format", "json"];
    let _ = repo.catalog(&words).expect(0);
    let found = repo
        .catalog(&["search", "--symptom", "handle", "--from", "dist/catalog", "--output-format", "json"])
        .expect(0)
        .json();
    assert_eq!(found["total"], 1, "{found}");
    let run = ["run", "other", "--dry-run", "--from", "dist/catalog", "--output-format", "json"];
    assert_eq!(repo.catalog(&run).expect(0).json()["decision"], "may_run");
    let _ = repo.catalog(&["run", "older", "--dry-run", "--from", "dist/catalog"]).expect(0);
    // The end was announced, and has come: nobody is broken.
    let against = |dist: &Dist, exit: i32| verified(&repo, dist, &["--against", "dist/both"], exit);
    against(&ended, 0);
    let early = copy(&repo, &ended, "early");
    early.patch("/v2/status.json", |status| status["majors"][0]["supported_until"] = json!("2027-12-31"));
    assert!(against(&early, 1).contains("12 months"));
    let silent = copy(&repo, &ended, "silent");
    silent
        .patch("/v2/status.json", |status| drop(status["majors"].as_array_mut().expect("majors").remove(0)));
    assert!(against(&silent, 1).contains("major 1 is gone"));
    let gone = copy(&repo, &both, "gone");
    std::fs::remove_dir_all(gone.root.join("v1")).expect("it can be removed");
    assert!(against(&gone, 1).contains("major 1 is gone"));
    // A change that breaks readers of the second major is told as well.
    let narrowed = copy(&repo, &both, "narrowed");
    narrowed.patch("/v2/schema/status.json", |schema| {
        drop(schema["properties"].as_object_mut().expect("properties").shift_remove("warnings"));
    });
    assert!(against(&narrowed, 1).contains("/v2/schema/status.json"));
}

/// C29: a minor version adds, so a reader of 1.0 reads 1.1.
#[test]
fn b58_a_later_minor_version_breaks_no_reader() {
    let repo = Repo::new();
    let record = simple("alpha");
    repo.record(&record, &[approve(&record)]);
    repo.commit();
    let old = repo.build(super::kit::DAY, &[]);
    let new = copy(&repo, &old, "later");
    for (path, _) in old.documents().iter().filter(|(path, _)| path != "/v1/manifest.json") {
        new.patch(path, |document| {
            document["schema_version"] = json!("1.1");
            document["added"] = json!({"x": 1});
        });
    }
    new.patch("/v1/manifest.json", |manifest| manifest["schema_version"] = json!("1.1"));
    verified(&repo, &new, &["--against", "dist/catalog"], 0);
    let _ = repo.catalog(&["run", "alpha", "--dry-run", "--from", "dist/later"]).expect(0);
    let found = repo
        .catalog(&["search", "--symptom", "handle", "--from", "dist/later", "--output-format", "json"])
        .expect(0);
    assert_eq!(found.json()["total"], 1);
}

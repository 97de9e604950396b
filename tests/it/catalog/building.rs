//! What a build writes, and what it leaves alone (B-01 to B-08, B-62 to B-65).

use serde_json::json;

use super::kit::{DAY, Dist, Repo, SOURCE, approve, differing, many, ran, simple, walkable};
use crate::cases::repository::git_ok;
use crate::sandbox::Sandbox;
use pm::catalog::identity;

const STATUS: &str = "/v1/status.json";

fn clone_of(repo: &Repo, depth: &[&str]) -> Repo {
    let sandbox = Sandbox::empty();
    let from = format!("file://{}", repo.pm.path().display());
    git_ok(&sandbox, &[&["clone", "-q"], depth, &[from.as_str(), "deep/a b"]].concat());
    let mut at = Sandbox::empty();
    for (path, _) in walk(&sandbox.path().join("deep/a b")) {
        at.write(&path, std::fs::read(sandbox.path().join("deep/a b").join(&path)).expect("it can be read"));
    }
    at.set("TZ", "Pacific/Kiritimati").set("LC_ALL", "tr_TR.UTF-8").set("RAYON_NUM_THREADS", "1");
    Repo { pm: at }
}

fn walk(root: &std::path::Path) -> Vec<(String, ())> {
    let paths = pm::store::publish::files_below(root, 100_000).expect("the folder can be read");
    paths.into_iter().map(|path| (path.trim_start_matches('/').to_owned(), ())).collect()
}

/// C1: one command makes everything from a fresh clone, and touches nothing else.
#[test]
fn b01_a_fresh_clone_builds_every_path() {
    let repo = many(12);
    let dist = repo.build(DAY, &[]);
    let files = dist.files();
    for path in [
        "/v1/index.json",
        "/v1/index.untrusted.json",
        "/v1/topics.json",
        "/v1/topics.untrusted.json",
        "/v1/search-index.json",
        "/v1/search-index.untrusted.json",
        "/v1/aliases.json",
        "/v1/manifest.json",
        STATUS,
        "/spec/v1/contract.md",
        "/spec/v1/trust.md",
        "/catalog/index.html",
        "/catalog/untrusted/index.html",
        "/status/index.html",
    ] {
        assert!(files.contains_key(path), "{path}");
    }
    for name in pm::catalog::schema::NAMES {
        assert!(files.contains_key(&format!("/v1/schema/{name}.json")), "{name}");
    }
    assert_eq!(files.keys().filter(|path| path.starts_with("/v1/runbooks/")).count(), 12);
    assert!(files.keys().any(|path| path.starts_with("/assets/")) && !files.contains_key("/v1/search"));
    let changed = git_ok(&repo.pm, &["status", "--porcelain"]);
    assert_eq!(changed, "", "a build touches nothing but the out folder");
}

/// B-02: bytes depend on commit, trust root and day alone. C28.
#[test]
fn b02_two_clones_give_the_same_bytes() {
    let repo = many(12);
    let own = repo.build(DAY, &[]).files();
    let deep = clone_of(&repo, &[]);
    assert_eq!(differing(&deep.build(DAY, &["--verify"]).files(), &own), Vec::<String>::new());
    let shallow = clone_of(&repo, &["--depth", "1"]);
    assert_eq!(differing(&shallow.build(DAY, &[]).files(), &own), Vec::<String>::new());
}

#[test]
fn b02_what_is_not_committed_is_not_built_and_nothing_tells_of_the_machine() {
    let mut repo = many(3);
    let own = repo.build(DAY, &[]).files();
    repo.record(&simple("fresh"), &[]);
    assert_eq!(differing(&repo.build(DAY, &["--full"]).files(), &own), Vec::<String>::new());
    let head = git_ok(&repo.pm, &["rev-parse", "HEAD"]).trim().to_owned();
    let place = repo.pm.path().to_string_lossy().into_owned();
    for (path, bytes) in &own {
        let text = String::from_utf8_lossy(bytes);
        assert!(path == STATUS || !text.contains(&head[..10]), "{path} names the commit");
        assert!(!text.contains(&place), "{path} names the folder");
    }
    // SOURCE_DATE_EPOCH is the clock when no other is given.
    repo.pm.set("SOURCE_DATE_EPOCH", "1795766400");
    let _ = repo.catalog(&["build"]).expect(0);
    assert_eq!(repo.dist().json(STATUS)["as_of"], "2026-11-27");
    assert_eq!(repo.dist().files(), own);
}

/// B-03, B-04, B-05: what is the same is not written. C28.
#[test]
fn b03_b04_b05_only_the_status_follows_the_days_and_commits() {
    let repo = many(6);
    let first = repo.build(DAY, &[]);
    let (files, stamps) = (first.files(), first.stamps());
    let again = repo.build(DAY, &[]);
    assert_eq!((again.files(), again.stamps()), (files.clone(), stamps.clone()));
    // No statement of the fixture begins or ends on the day after.
    let next = repo.build("2026-11-28", &[]);
    assert_eq!(differing(&next.files(), &files), [STATUS]);
    repo.build(DAY, &[]);
    repo.pm.write("unrelated.txt", "x");
    repo.commit();
    let later = repo.build(DAY, &[]);
    assert_eq!(differing(&later.files(), &files), [STATUS]);
    let moved: Vec<String> = later
        .stamps()
        .into_iter()
        .filter(|(path, stamp)| stamps.get(path) != Some(stamp))
        .map(|(path, _)| path)
        .collect();
    assert_eq!(moved, [STATUS]);
}

/// B-06: positions of an editor are outside of every hash. C27, C28.
#[test]
fn b06_layout_changes_nothing() {
    let repo = Repo::new();
    let record = simple("alpha");
    repo.record(&record, &[approve(&record)]);
    repo.commit();
    let before = repo.build(DAY, &[]);
    let (files, etags) = (before.files(), before.etags());
    repo.edit("alpha", |record| record["x-layout"] = json!({"one": {"x": 999, "deep": {"x-layout": [1.5]}}}));
    repo.commit();
    let after = repo.build(DAY, &[]);
    assert_eq!(differing(&after.files(), &files), [STATUS]);
    assert_eq!(after.etags(), etags);
}

/// B-07: one body touches one record and the lists that name it. C28.
#[test]
fn b07_one_body_moves_one_record_and_its_lists() {
    let repo = Repo::new();
    for slug in ["alpha", "beta"] {
        repo.record(&simple(slug), &[]);
    }
    repo.commit();
    let before = repo.build(DAY, &[]);
    let (files, etags, hash) =
        (before.files(), before.etags(), before.record("alpha")["content_hash"].clone());
    repo.edit("alpha", |record| record["steps"][0]["body"]["text"] = json!("Another text."));
    repo.commit();
    let after = repo.build(DAY, &[]);
    let own = format!("/v1/runbooks/{}.json", identity::id("alpha"));
    let lists = ["/v1/index.untrusted.json", "/v1/search-index.untrusted.json"];
    let moved: Vec<String> = after
        .etags()
        .into_iter()
        .filter(|(path, tag)| etags.get(path) != Some(tag))
        .map(|(path, _)| path)
        .collect();
    assert_eq!(moved, [lists[0], own.as_str(), lists[1]]);
    assert_ne!(after.record("alpha")["content_hash"], hash);
    assert_eq!(differing(&after.files(), &files), [lists[0], "/v1/manifest.json", &own, lists[1], STATUS]);
}

/// B-08: an expiry changes the level, its tags, and not the content. C7, C8.
#[test]
fn b08_on_the_day_of_expiry_a_record_is_t2() {
    let repo = Repo::new();
    let record = simple("alpha");
    repo.record(&record, &[approve(&record), ran(&record, "2026-06-01T10:00:00Z", "staging")]);
    repo.commit();
    let before = repo.build(DAY, &[]);
    assert_eq!(before.trust("alpha"), ("T3".to_owned(), Some("2026-11-28".to_owned())));
    let (tags, hash) = (before.etags(), before.record("alpha")["content_hash"].clone());
    let after = repo.build("2026-11-28", &[]);
    assert_eq!(after.trust("alpha"), ("T2".to_owned(), None));
    for path in
        ["/v1/index.json", "/v1/search-index.json", &format!("/v1/runbooks/{}.json", identity::id("alpha"))]
    {
        assert_ne!(after.etags()[path], tags[path], "{path}");
    }
    assert_eq!(after.record("alpha")["content_hash"], hash);
    assert_eq!(after.json(STATUS)["expired_to_t2"], json!([identity::id("alpha")]));
}

/// B-62: after any edit the incremental build is the full one, and nothing is left behind. C1.
#[test]
fn b62_incremental_builds_equal_full_ones() {
    let repo = Repo::new();
    for n in 0..8 {
        repo.record(&simple(&format!("record-{n}")), &[]);
    }
    repo.commit();
    repo.build(DAY, &[]);
    let mut state = 62u64;
    for step in 0..40 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let pick = usize::try_from(state >> 40).unwrap_or(0);
        let folder = repo.pm.path().join(SOURCE);
        let mut slugs: Vec<String> = std::fs::read_dir(&folder)
            .expect("the source can be read")
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| !name.starts_with('_'))
            .collect();
        slugs.sort();
        let slug = slugs[pick % slugs.len()].clone();
        let record: serde_json::Value =
            serde_json::from_str(&repo.pm.read(&format!("{SOURCE}/{slug}/runbook.json"))).expect("a record");
        match (pick / 64) % 7 {
            0 => {
                let mut new = simple(&format!("new-{step}"));
                new["topic"] = json!(["ta", "tb"][step % 2]);
                repo.record(&new, &[]);
            }
            1 => repo
                .edit(&slug, |record| record["steps"][0]["body"]["text"] = json!(format!("Changed {step}"))),
            2 => {
                let to = format!("moved-{step}");
                std::fs::rename(folder.join(&slug), folder.join(&to)).expect("it can be renamed");
                repo.edit(&to, |record| {
                    let mut former = record["former_slugs"].as_array().cloned().unwrap_or_default();
                    former.push(json!(slug));
                    record["former_slugs"] = json!(former);
                    record["slug"] = json!(to);
                });
            }
            3 if slugs.len() > 4 => std::fs::remove_dir_all(folder.join(&slug)).expect("it can be removed"),
            4 => repo.attest(&slug, &approve(&record)),
            5 => repo.attest(
                &slug,
                &super::kit::say(
                    &record,
                    "revoke",
                    "rui@example.org",
                    "2026-05-01T00:00:00Z",
                    json!({"reason": "r"}),
                ),
            ),
            _ => repo.pm.write(&format!("{SOURCE}/_topics/ta.toon"), format!("title: Topic {step}\n")),
        }
        repo.commit();
        let incremental = repo.build(DAY, &["--verify"]).files();
        let out = format!("dist/full-{step}");
        let _ = repo.catalog(&["build", "--clock", DAY, "--full", "--out", &out]).expect(0);
        let full = Dist { root: repo.pm.path().join(&out) };
        assert_eq!(differing(&full.files(), &incremental), Vec::<String>::new(), "step {step}");
    }
}

/// B-63: a build that is killed leaves whole files, and the next one repairs the rest. C1.
#[cfg(unix)]
#[test]
fn b63_a_killed_build_tears_nothing() {
    let repo = many(20);
    repo.build(DAY, &[]);
    for round in 0..6 {
        repo.pm.write("round.txt", round.to_string());
        let slug = std::fs::read_dir(repo.pm.path().join(SOURCE))
            .expect("a source")
            .flatten()
            .filter_map(|e| e.file_name().into_string().ok())
            .filter(|n| !n.starts_with('_'))
            .max()
            .expect("a record");
        repo.edit(&slug, |record| record["title"] = json!(format!("Round {round}")));
        repo.commit();
        if round % 3 == 0 {
            let _ = std::fs::remove_dir_all(repo.pm.path().join("dist"));
        }
        let mut child = repo
            .pm
            .process(&["catalog", "build", "--clock", DAY])
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("it starts");
        // Spinning, not sleeping: the kill falls into another part of the build each time.
        for _ in 0..round * 40_000 {
            std::hint::spin_loop();
        }
        let _ = child.kill();
        child.wait().expect("it ends");
        if !repo.dist().root.exists() {
            continue;
        }
        for (path, bytes) in repo.dist().files() {
            if path.starts_with("/v1/") && path.ends_with(".json") {
                let value: serde_json::Value =
                    serde_json::from_slice(&bytes).unwrap_or_else(|_| panic!("{path} is torn"));
                assert_eq!(identity::artifact(&value), bytes, "{path}");
            }
        }
    }
    let repaired = repo.build(DAY, &[]).files();
    let _ = repo.catalog(&["build", "--clock", DAY, "--full", "--out", "dist/clean"]).expect(0);
    assert_eq!(Dist { root: repo.pm.path().join("dist/clean") }.files(), repaired);
    let left: Vec<String> = std::fs::read_dir(repo.pm.path().join("dist"))
        .expect("dist")
        .flatten()
        .filter_map(|e| e.file_name().into_string().ok())
        .collect();
    assert!(left.iter().all(|name| !name.ends_with(".tmp")), "{left:?}");
}

/// B-64: a bad record stops the build before the first byte, or is left out when told to.
#[test]
fn b64_an_invalid_record_stops_the_build_or_is_left_out() {
    let repo = Repo::new();
    repo.record(&simple("alpha"), &[]);
    repo.commit();
    let before = repo.build(DAY, &[]);
    let (files, stamps) = (before.files(), before.stamps());
    let mut broken = simple("broken-one");
    broken["steps"] = json!([]);
    repo.record(&broken, &[]);
    repo.commit();
    let error = repo.pm.refused(&["catalog", "build", "--clock", DAY], 1, "catalog_source_invalid");
    assert!(error.to_string().contains("broken-one"), "{error}");
    assert_eq!((repo.dist().files(), repo.dist().stamps()), (files, stamps));
    let after = repo.build(DAY, &["--keep-going"]);
    let named: Vec<String> = after
        .files()
        .into_iter()
        .filter(|(_, bytes)| String::from_utf8_lossy(bytes).contains("broken-one"))
        .map(|(path, _)| path)
        .collect();
    assert_eq!(named, [STATUS]);
    let refused = &after.json(STATUS)["refused_sources"][0];
    assert!(
        refused["path"].as_str().is_some_and(|path| path.ends_with("broken-one/runbook.json")),
        "{refused}"
    );
    // Reading goes on with the rest, and says so.
    let list = repo.catalog(&["list", "--untrusted", "--output-format", "json"]).expect(0).json();
    assert_eq!(list["records"][0]["slug"], "alpha");
    assert!(list["warnings"][0].as_str().is_some_and(|text| text.contains("broken-one")), "{list}");
}

/// B-65: a renamed record keeps its id, and two records cannot share one.
#[test]
fn b65_a_renamed_record_keeps_its_id() {
    let repo = Repo::new();
    let mut record = simple("new-name");
    record["former_slugs"] = json!(["old-name"]);
    repo.record(&record, &[approve(&record)]);
    repo.commit();
    let dist = repo.build(DAY, &[]);
    let id = identity::id("old-name");
    assert_eq!(dist.record("old-name")["slug"], "new-name");
    assert_eq!(dist.trust("old-name").0, "T2");
    let aliases = dist.json("/v1/aliases.json");
    assert_eq!(aliases["aliases"], json!({"new-name": id, "old-name": id}));
    let got = repo.catalog(&["get", "old-name", "--output-format", "json"]).expect(0).json();
    assert_eq!(got["record"]["id"], json!(id));
    repo.record(&simple("old-name"), &[]);
    repo.commit();
    for more in [&[][..], &["--keep-going"]] {
        let words = [&["catalog", "build", "--clock", DAY], more].concat();
        let error = repo.pm.refused(&words, 1, "catalog_source_invalid");
        assert!(error.to_string().contains(&id), "{error}");
    }
    // Two records that claim one former slug are as bad.
    let mut other = simple("third");
    other["former_slugs"] = json!(["zero", "old-name"]);
    std::fs::remove_dir_all(repo.pm.path().join(SOURCE).join("old-name")).expect("it can be removed");
    repo.record(&other, &[]);
    repo.commit();
    repo.pm.refused(&["catalog", "build", "--clock", DAY], 1, "catalog_source_invalid");
}

/// A folder that holds something else is never built into.
#[test]
fn a_foreign_folder_is_left_alone() {
    let repo = Repo::new();
    repo.record(&simple("alpha"), &[]);
    repo.pm.write("site/status/mine.txt", "mine");
    repo.commit();
    repo.pm.refused(&["catalog", "build", "--out", "site"], 4, "catalog_out_occupied");
    assert_eq!(repo.pm.read("site/status/mine.txt"), "mine");
    let told = repo.catalog(&["build", "--dry-run", "--output-format", "json"]).expect(0);
    assert!(!repo.dist().root.exists(), "{told:?}");
    for out in [".git/x", "dist/../.git/hooks/x", ".agents/pm/runbooks/x", ".agents", "."] {
        repo.pm.refused(&["catalog", "build", "--out", out], 4, "catalog_out_occupied");
    }
    assert!(!repo.pm.path().join(".git/x").exists());
    assert_eq!(git_ok(&repo.pm, &["status", "--porcelain"]), "");
}

/// The same record in three encodings has one hash.
#[test]
fn three_encodings_have_one_hash() {
    let repo = Repo::new();
    let record = walkable("three-ways");
    repo.record(&record, &[]);
    repo.commit();
    let want = repo.build(DAY, &[]).record("three-ways")["content_hash"].clone();
    let yaml = serde_json::to_string(&record).expect("JSON is YAML");
    let toon = pm::codec::toon::encode(&record).expect("it can be written");
    for (name, text) in [("yaml", yaml), ("toon", toon)] {
        std::fs::remove_dir_all(repo.pm.path().join(SOURCE).join("three-ways")).expect("it can be removed");
        repo.pm.write(&format!("{SOURCE}/three-ways/runbook.{name}"), text);
        repo.commit();
        assert_eq!(repo.build(DAY, &[]).record("three-ways")["content_hash"], want, "{name}");
    }
}

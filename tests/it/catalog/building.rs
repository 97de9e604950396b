//! What a build writes, and what it leaves alone (B-01 to B-08, B-62 to B-65).

use std::collections::BTreeMap;

use serde_json::json;

use super::kit::{DAY, Dist, Repo, SOURCE, approve, differing, many, ran, simple, walkable};
use crate::cases::repository::git_ok;
use crate::sandbox::Sandbox;
use pm::catalog::identity;

const STATUS: &str = "/v1/status.json";

/// A clone at another place, in other surroundings.
fn clone_of(repo: &Repo, depth: &[&str]) -> Repo {
    let sandbox = Sandbox::empty();
    let from = format!("file://{}", repo.pm.path().display());
    git_ok(&sandbox, &[&["clone", "-q"], depth, &[from.as_str(), "deep/a b"]].concat());
    let mut at = Sandbox::empty();
    for path in walk(&sandbox.path().join("deep/a b")) {
        at.write(&path, std::fs::read(sandbox.path().join("deep/a b").join(&path)).expect("it can be read"));
    }
    at.set("TZ", "Pacific/Kiritimati").set("LC_ALL", "tr_TR.UTF-8");
    Repo { pm: at }
}

fn walk(root: &std::path::Path) -> Vec<String> {
    let paths = pm::store::publish::files_below(root, 100_000).expect("the folder can be read");
    paths.into_iter().map(|path| path.trim_start_matches('/').to_owned()).collect()
}

/// Runs `pm` through a shell that changes its surroundings first; how it ended.
#[cfg(unix)]
fn surrounded(repo: &Repo, shell: &str, words: &[&str]) -> std::process::Output {
    let plain = repo.pm.process(words);
    let mut command = std::process::Command::new("/bin/sh");
    command.arg("-c").arg(format!("{shell} \"$0\" \"$@\"")).arg(plain.get_program()).args(plain.get_args());
    command.env_clear().current_dir(repo.pm.path());
    command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.output().expect("the shell runs")
}

/// What a commit holds is what its id names: a replacement is of one clone, and builds of the same commit are the same.
#[test]
fn replaced_objects_change_no_build() {
    let repo = many(3);
    let built = repo.build(DAY, &[]).files();
    let record = simple("low");
    repo.record(&record, &[]);
    repo.commit();
    let [now, before] = ["HEAD", "HEAD~1"].map(|rev| git_ok(&repo.pm, &["rev-parse", rev]).trim().to_owned());
    git_ok(&repo.pm, &["replace", &before, &now]);
    let again = repo.build(DAY, &["--rev", &before]).files();
    assert_eq!(differing(&built, &again), [""; 0]);
    // Nor does one of a file alone.
    git_ok(&repo.pm, &["replace", "-d", &before]);
    let names = git_ok(&repo.pm, &["ls-tree", "-r", &before, "--format=%(objectname) %(path)"]);
    let blobs: Vec<&str> = names
        .lines()
        .filter(|line| line.ends_with("/runbook.json") || line.ends_with("/runbook.toon"))
        .filter_map(|line| line.split(' ').next())
        .collect();
    let [one, other, ..] = blobs[..] else { panic!("{names}") };
    git_ok(&repo.pm, &["replace", one, other]);
    let again = repo.build(DAY, &["--rev", &before]).files();
    assert_eq!(differing(&built, &again), [""; 0]);
}

/// C1: one command makes everything from a fresh clone, and touches nothing else.
#[test]
fn b01_a_fresh_clone_builds_every_path() {
    let repo = clone_of(&many(12), &[]);
    let kept = |repo: &Repo| {
        let own = walk(repo.pm.path())
            .into_iter()
            .filter(|path| !path.starts_with("dist/") && !path.starts_with(".git/"));
        own.map(|path| (repo.pm.read(&path), path)).collect::<Vec<_>>()
    };
    let before = kept(&repo);
    let dist = repo.build(DAY, &[]);
    assert_eq!(kept(&repo), before, "nothing else is touched, whether Git looks at it or not");
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

/// B-02: nor on the number of processors, or on what files may be read by others. C28.
#[cfg(unix)]
#[test]
fn b02_one_thread_and_two_give_the_same_bytes() {
    let repo = many(40);
    let own = repo.build(DAY, &[]).files();
    let both = std::process::Command::new("taskset").args(["-c", "0,1", "true"]).output();
    if !both.is_ok_and(|output| output.status.success()) {
        return crate::corpus::skipped("taskset and two processors");
    }
    for (processors, umask) in [("0", "077"), ("0,1", "002"), ("1", "022")] {
        let clone = clone_of(&repo, &[]);
        let shell = format!("umask {umask}; exec taskset -c {processors}");
        let ended = surrounded(&clone, &shell, &["catalog", "build", "--clock", DAY, "--verify"]);
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        assert_eq!(differing(&clone.dist().files(), &own), Vec::<String>::new(), "on {processors}");
    }
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

/// One random edit of the source, committed.
fn edited(repo: &Repo, step: usize, random: &mut impl FnMut(usize) -> usize) {
    let folder = repo.pm.path().join(SOURCE);
    let mut slugs: Vec<String> = std::fs::read_dir(&folder)
        .expect("the source can be read")
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !name.starts_with('_'))
        .collect();
    slugs.sort();
    let slug = slugs[random(slugs.len())].clone();
    let record: serde_json::Value =
        serde_json::from_str(&repo.pm.read(&format!("{SOURCE}/{slug}/runbook.json"))).expect("a record");
    let at = format!("2026-{:02}-{:02}T00:00:00Z", 1 + random(11), 1 + random(27));
    match random(9) {
        0 => {
            let mut new = simple(&format!("new-{step}"));
            new["topic"] = json!(["ta", "tb"][step % 2]);
            new["steps"][0]["risk"] = json!(["read_only", "irreversible"][random(2)]);
            repo.record(&new, &[]);
        }
        1 => {
            repo.edit(&slug, |record| record["steps"][0]["body"]["text"] = json!(format!("Changed {step}")));
        }
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
        5 => repo.attest(&slug, &ran(&record, &at, ["rehearsal", "staging", "production"][random(3)])),
        6 => {
            let why = json!({"reason": "r"});
            repo.attest(&slug, &super::kit::say(&record, "revoke", "rui@example.org", &at, why));
        }
        7 => repo.edit(&slug, |record| record["x-layout"] = json!({"one": {"x": step}})),
        _ => repo.pm.write(&format!("{SOURCE}/_topics/ta.toon"), format!("title: Topic {step}\n")),
    }
    // An edit may come to nothing; its commit is one all the same.
    repo.pm.write("edits.txt", step.to_string());
    repo.commit();
}

/// After any edit the incremental build is the full one, and nothing is left behind.
fn incremental_builds_equal_full_ones(seed: u64, edits: usize) {
    let repo = Repo::new();
    for n in 0..8 {
        repo.record(&simple(&format!("record-{n}")), &[]);
    }
    repo.commit();
    repo.build(DAY, &[]);
    let mut state = seed;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or(0) % below
    };
    for step in 0..edits {
        edited(&repo, step, &mut random);
        let dist = repo.build(DAY, &["--verify"]);
        let mut known: Vec<String> = dist.etags().into_keys().collect();
        known.extend([STATUS.to_owned(), "/v1/manifest.json".to_owned()]);
        known.sort();
        let incremental = dist.files();
        assert_eq!(
            incremental.keys().cloned().collect::<Vec<_>>(),
            known,
            "edit {step} leaves a file behind"
        );
        if step % 10 == 9 {
            let out = format!("dist/full-{step}");
            let _ = repo.catalog(&["build", "--clock", DAY, "--full", "--out", &out]).expect(0);
            let full = Dist { root: repo.pm.path().join(&out) };
            assert_eq!(differing(&full.files(), &incremental), Vec::<String>::new(), "edit {step}");
        }
    }
    let clone = clone_of(&repo, &["--depth", "1"]);
    assert_eq!(differing(&clone.build(DAY, &[]).files(), &repo.dist().files()), Vec::<String>::new());
}

/// B-62: 300 edits, here the first hundred. C1.
#[test]
fn b62_a_hundred_edits() {
    incremental_builds_equal_full_ones(62, 100);
}

/// B-62: the second hundred. C1.
#[test]
fn b62_another_hundred_edits() {
    incremental_builds_equal_full_ones(1_062, 100);
}

/// B-62: the third hundred. C1.
#[test]
fn b62_a_third_hundred_edits() {
    incremental_builds_equal_full_ones(2_062, 100);
}

/// The files of a catalog as they were and as they are to be: an edit that touches every record, and one that is gone.
fn before_and_after(repo: &Repo) -> (BTreeMap<String, Vec<u8>>, BTreeMap<String, Vec<u8>>) {
    let slugs: Vec<String> = repo
        .build(DAY, &[])
        .documents()
        .into_iter()
        .filter_map(|(path, document)| {
            path.starts_with("/v1/runbooks/").then(|| document["slug"].as_str().map(str::to_owned)).flatten()
        })
        .collect();
    let before = repo.dist().files();
    for (n, slug) in slugs.iter().enumerate() {
        repo.edit(slug, |record| record["title"] = json!(format!("Edited {n}")));
    }
    std::fs::remove_dir_all(repo.pm.path().join(SOURCE).join(&slugs[0])).expect("it can be removed");
    repo.commit();
    let _ = repo.catalog(&["build", "--clock", DAY, "--full", "--out", "dist/clean"]).expect(0);
    let after = Dist { root: repo.pm.path().join("dist/clean") }.files();
    std::fs::remove_dir_all(repo.pm.path().join("dist/clean")).expect("it can be removed");
    (before, after)
}

/// Puts files back as they were.
fn restore(repo: &Repo, files: &BTreeMap<String, Vec<u8>>) {
    let _ = std::fs::remove_dir_all(repo.pm.path().join("dist"));
    for (path, bytes) in files {
        repo.pm.write(&format!("dist/catalog{path}"), bytes);
    }
}

/// What a build left beside its files.
fn litter(repo: &Repo) -> Vec<String> {
    walk(&repo.pm.path().join("dist")).into_iter().filter(|path| path.contains(".tmp")).collect()
}

/// B-63: a build that is killed at any of its steps leaves whole files, old or new, lists no file that is not there,
/// and the next build makes the rest. C1.
#[cfg(unix)]
#[test]
fn b63_a_killed_build_tears_nothing() {
    let repo = many(12);
    let (before, after) = before_and_after(&repo);
    assert!(differing(&before, &after).len() > 12);
    let nothing = BTreeMap::new();
    for first in [false, true] {
        let points: &[&str] = if first {
            &["temporary_written", "applied"]
        } else {
            &["temporary_written", "renamed", "applied", "removed"]
        };
        for point in points {
            for cached in [true, false] {
                restore(&repo, if first { &nothing } else { &before });
                if !cached {
                    std::fs::remove_dir_all(repo.pm.path().join(".git/pm")).expect("there is a cache");
                }
                let mut build = repo.pm.command(&["catalog", "build", "--clock", DAY]);
                let ended = build.env("PM_FAULT", point).output().expect("it runs");
                assert_eq!(ended.status.code(), None, "{point} is reached");
                if first {
                    assert!(!repo.dist().root.exists(), "{point}: the first build appears as a whole");
                } else {
                    for (path, bytes) in repo.dist().files() {
                        let whole = [&before, &after].iter().any(|files| files.get(&path) == Some(&bytes));
                        assert!(whole || path.contains(".tmp"), "{point}: {path} is torn");
                    }
                    for path in repo.dist().etags().keys() {
                        assert!(
                            repo.dist().root.join(&path[1..]).exists(),
                            "{point}: {path} is listed and gone"
                        );
                    }
                }
                assert_eq!(repo.build(DAY, &[]).files(), after, "{point}");
                assert_eq!(litter(&repo), Vec::<String>::new(), "{point}");
            }
        }
    }
}

/// A disk that takes no more: the out folder is as it was to the byte, or is not there yet; with room it is whole. C1.
#[cfg(unix)]
#[test]
fn b63_a_full_disk_changes_nothing() {
    let repo = many(12);
    let (before, after) = before_and_after(&repo);
    let nothing = BTreeMap::new();
    // Files of this process cannot grow beyond so many blocks of 512 bytes; the largest has some forty thousand bytes.
    for first in [false, true] {
        let limits: &[&str] = if first { &["0", "2", "6", "20"] } else { &["0", "1", "2", "6"] };
        for blocks in limits {
            restore(&repo, if first { &nothing } else { &before });
            let shell = format!("trap '' XFSZ; ulimit -f {blocks}; exec");
            let ended = surrounded(&repo, &shell, &["catalog", "build", "--clock", DAY, "--full"]);
            let told = String::from_utf8_lossy(&ended.stderr);
            assert_eq!(ended.status.code(), Some(1), "{blocks} blocks: {told}");
            assert!(told.contains("dist/catalog"), "{told}");
            match first {
                true => assert!(!repo.dist().root.exists(), "{blocks} blocks"),
                false => assert_eq!(repo.dist().files(), before, "{blocks} blocks"),
            }
            assert_eq!(litter(&repo), Vec::<String>::new(), "{blocks} blocks");
            assert_eq!(repo.build(DAY, &[]).files(), after, "{blocks} blocks");
        }
    }
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

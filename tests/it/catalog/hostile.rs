//! Records that mean harm are refused, or shown as text; nothing is written where it should not be.

use serde_json::json;

use super::kit::{DAY, Repo, SOURCE, approve, simple, walkable};
use pm::catalog::identity;

fn refused(repo: &Repo, slug: &str) -> String {
    let told = repo.catalog(&["check", slug, "--output-format", "json"]).expect(1).json();
    told["findings"].to_string()
}

#[test]
fn tags_are_text_and_paths_lead_nowhere() {
    let repo = Repo::new();
    let mut record = simple("evil");
    record["title"] = json!("<script>alert(1)</script>");
    record["steps"][0]["body"]["text"] = json!("</script><img src=x onerror=alert(1)>\u{1b}[31m");
    repo.record(&record, &[approve(&record)]);
    repo.commit();
    let dist = repo.build(DAY, &[]);
    assert_eq!(dist.record("evil")["title"], record["title"]);
    let shown = repo.catalog(&["get", "evil"]).expect(0).stdout;
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
    for slug in ["../../evil", "Evil", "a", "-x", "a/b", "a\n"] {
        let mut record = simple("named");
        record["slug"] = json!(slug);
        repo.pm.write(&format!("{SOURCE}/named/runbook.json"), record.to_string());
        assert!(refused(&repo, "named").contains("slug"), "{slug:?}");
    }
    let mut record = simple("named");
    record["topic"] = json!("../../../etc");
    repo.record(&record, &[]);
    assert!(refused(&repo, "named").contains("topic"));
}

#[test]
fn names_that_lead_nowhere_circles_and_capabilities() {
    let repo = Repo::new();
    let mut cases: Vec<(&str, serde_json::Value)> = Vec::new();
    let mut add = |want, change: &dyn Fn(&mut serde_json::Value)| {
        let mut record = walkable("walk");
        change(&mut record);
        cases.push((want, record));
    };
    add("nowhere", &|record| record["steps"][0]["next"] = json!(["nowhere"]));
    add("shell:other", &|record| record["steps"][1]["capability"] = json!("shell:other"));
    add("no step leads", &|record| drop(record["steps"][0].as_object_mut().map(|step| step.remove("next"))));
    add("walk would not end", &|record| record["steps"][2]["next"] = json!(["look"]));
    add("two steps", &|record| record["steps"][2]["id"] = json!("look"));
    add("mcp:*", &|record| record["capabilities"] = json!(["shell:kubectl", "mcp:*"]));
    add("capability", &|record| record["capabilities"] = json!([]));
    add("more than 20000", &|record| record["steps"][0]["body"]["text"] = json!("x".repeat(20_001)));
    add("more than 200", &|record| {
        record["steps"] = (0..201).map(|n| json!({"id": format!("s{n}"), "title": "t", "kind": "manual", "risk": "read_only", "body": {"text": ""}})).collect()
    });
    add("secret", &|record| {
        record["inputs"] = json!([{"name": "x", "type": "enum", "secret": true, "values": ["hunter2"]}])
    });
    for (want, record) in cases {
        repo.record(&record, &[]);
        assert!(refused(&repo, "walk").contains(want), "{want}: {}", refused(&repo, "walk"));
    }
    let mut record = walkable("walk");
    record["slug"] = json!("another");
    repo.pm.write(&format!("{SOURCE}/walk/runbook.json"), record.to_string());
    assert!(refused(&repo, "walk").contains("folder"));
    repo.record(&walkable("walk"), &[]);
    repo.pm.write(&format!("{SOURCE}/walk/runbook.yaml"), "slug: walk\n");
    assert!(refused(&repo, "walk").contains("one must stand"));
}

#[test]
fn bombs_doubles_and_links() {
    let repo = Repo::new();
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for n in 1..30 {
        let p = n - 1;
        bomb += &format!("a{n}: &a{n} [*a{p}, *a{p}, *a{p}, *a{p}, *a{p}, *a{p}, *a{p}, *a{p}, *a{p}]\n");
    }
    repo.pm.write(&format!("{SOURCE}/bomb/runbook.yaml"), bomb);
    assert!(refused(&repo, "bomb").contains("nodes"));
    repo.pm.write(&format!("{SOURCE}/twice/runbook.json"), r#"{"slug": "twice", "slug": "other"}"#);
    assert!(refused(&repo, "twice").contains("stands twice"));
    repo.pm.write(&format!("{SOURCE}/deep/runbook.json"), "[".repeat(100_000));
    refused(&repo, "deep");
    repo.pm.write(&format!("{SOURCE}/bytes/runbook.toon"), [0xff, 0xfe, 0x00]);
    assert!(refused(&repo, "bytes").contains("UTF-8"));
    repo.pm.write(&format!("{SOURCE}/large/runbook.json"), " ".repeat(5 << 20));
    assert!(refused(&repo, "large").contains("more than"));
    #[cfg(unix)]
    {
        std::fs::create_dir_all(repo.pm.path().join(SOURCE).join("link")).expect("it can be made");
        std::os::unix::fs::symlink("/etc/passwd", repo.pm.path().join(SOURCE).join("link/runbook.json"))
            .expect("a link");
        repo.commit();
        let error = repo.pm.refused(&["catalog", "build", "--clock", DAY], 1, "catalog_source_invalid");
        assert!(!error.to_string().contains("root:"), "{error}");
    }
}

/// What lies where a record would and cannot be one is refused by its name; nothing vanishes without a word.
#[cfg(unix)]
#[test]
fn links_and_names_of_other_bytes_are_told() {
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::symlink;
    let repo = Repo::new();
    let record = simple("alpha");
    repo.record(&record, &[approve(&record)]);
    repo.commit();
    let files = repo.build(DAY, &[]).files();
    let source = repo.pm.path().join(SOURCE);
    let other = std::ffi::OsStr::from_bytes(b"record-\xff");
    let gone = |path: &std::path::Path| {
        let _ = std::fs::remove_file(path).or_else(|_| std::fs::remove_dir_all(path));
    };
    let cases: [(&str, &dyn Fn(), &std::path::Path); 4] = [
        ("linked", &|| symlink("alpha", source.join("linked")).expect("a link"), &source.join("linked")),
        ("outside", &|| symlink("/etc", source.join("outside")).expect("a link"), &source.join("outside")),
        (
            "UTF-8",
            &|| {
                std::fs::create_dir(source.join(other)).expect("a folder");
                std::fs::copy(source.join("alpha/runbook.json"), source.join(other).join("runbook.json"))
                    .expect("a file");
            },
            &source.join(other),
        ),
        (
            "lent/evidence",
            &|| {
                repo.record(&simple("lent"), &[]);
                symlink("../alpha/evidence", source.join("lent/evidence")).expect("a link");
            },
            &source.join("lent"),
        ),
    ];
    for (word, make, place) in cases {
        make();
        let told = repo.catalog(&["check"]).expect(1).stdout;
        assert!(told.contains(word), "{word}: {told}");
        repo.commit();
        let error = repo.pm.refused(&["catalog", "build", "--clock", DAY], 1, "catalog_source_invalid");
        assert!(error.to_string().contains(word), "{word}: {error}");
        assert_eq!(repo.dist().files(), files);
        let status = repo.build(DAY, &["--keep-going"]).json("/v1/status.json");
        assert!(status["refused_sources"].to_string().contains(word), "{word}: {status}");
        let listed = repo.catalog(&["list", "--clock", DAY]).expect(0).stdout;
        assert!(listed.contains(word), "{word}: {listed}");
        gone(place);
        repo.commit();
        assert_eq!(super::kit::differing(&repo.build(DAY, &[]).files(), &files), ["/v1/status.json"]);
        repo.pm.write("x", word);
        let _ = std::fs::remove_dir_all(repo.dist().root);
        let _ = repo.catalog(&["build", "--clock", DAY]).expect(0);
        for (path, bytes) in &files {
            std::fs::write(repo.dist().root.join(path.trim_start_matches('/')), bytes)
                .expect("it can be written");
        }
    }
    symlink("alpha", source.join("linked")).expect("a link");
    assert!(refused(&repo, "linked").contains("link"));
    gone(&source.join("linked"));
    // A trust root that is a link is none; it must not leave a catalog that trusts nobody.
    std::fs::rename(source.join("_trust"), repo.pm.path().join("trust")).expect("it can be moved");
    symlink("../../../trust", source.join("_trust")).expect("a link");
    repo.commit();
    repo.pm.refused(&["catalog", "build", "--clock", DAY], 1, "catalog_trust_root_invalid");
    gone(&source.join("_trust"));
    std::fs::rename(repo.pm.path().join("trust"), source.join("_trust")).expect("it can be moved");
    // Nor is the whole source taken from elsewhere.
    std::fs::rename(&source, repo.pm.path().join("books")).expect("it can be moved");
    symlink("../../books", &source).expect("a link");
    assert!(repo.catalog(&["check"]).expect(1).stdout.contains("link"));
    repo.commit();
    repo.pm.refused(&["catalog", "build", "--clock", DAY], 1, "catalog_source_invalid");
}

#[test]
fn statements_about_something_else_stop_the_record() {
    let repo = Repo::new();
    let (alpha, beta) = (simple("alpha"), simple("beta"));
    repo.record(&alpha, &[]);
    repo.record(&beta, &[]);
    // A review of beta, put beside alpha.
    repo.attest("alpha", &approve(&beta));
    assert!(refused(&repo, "alpha").contains(&identity::id("beta")));
    let folder = repo.pm.path().join(SOURCE).join("alpha/evidence");
    std::fs::remove_dir_all(&folder).expect("it can be removed");
    repo.pm.write(&format!("{SOURCE}/alpha/evidence/review-20260101-00000000.json"), "{}");
    assert!(refused(&repo, "alpha").contains("missing"));
    std::fs::remove_dir_all(&folder).expect("it can be removed");
    // A signature that is none counts for nothing, and is told.
    repo.attest("alpha", &approve(&alpha));
    let name = std::fs::read_dir(&folder)
        .expect("a folder")
        .flatten()
        .filter_map(|e| e.file_name().into_string().ok())
        .find(|n| n.ends_with(".sig"))
        .expect("a signature");
    repo.pm.write(&format!("{SOURCE}/alpha/evidence/{name}"), "no signature");
    let told = repo.catalog(&["check", "alpha"]).expect(0).stdout;
    assert!(told.contains("invalid"), "{told}");
    repo.commit();
    let dist = repo.build(DAY, &[]);
    assert_eq!(dist.record("alpha")["trust_evidence"][0]["verdict"], "invalid");
    assert_eq!(dist.trust("alpha").0, "T1");
}

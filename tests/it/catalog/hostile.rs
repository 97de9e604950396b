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

const SCRIPT: &str = "<script>alert(1)</script>";

/// Tags in every text are shown as the text that they are; in every name they are refused, as other tricks are.
#[test]
fn tags_in_every_field() {
    type Place = (&'static str, serde_json::Value);
    let texts: [Place; 8] = [
        ("/title", json!(SCRIPT)),
        ("/summary", json!(SCRIPT)),
        ("/publisher", json!(SCRIPT)),
        ("/symptoms", json!([SCRIPT])),
        ("/targets", json!([SCRIPT])),
        ("/tags", json!([SCRIPT])),
        ("/steps/0/title", json!(SCRIPT)),
        ("/steps/0/body/text", json!(SCRIPT)),
    ];
    let repo = Repo::new();
    let put = |slug: &str, (place, value): &Place| {
        let mut record = simple(slug);
        let (parent, key) = place.rsplit_once('/').expect("a pointer");
        record.pointer_mut(parent).expect("it is there")[key] = value.clone();
        repo.pm.write(&format!("{SOURCE}/{slug}/runbook.json"), record.to_string());
    };
    for (n, case) in texts.iter().enumerate() {
        put(&format!("text-{n}"), case);
    }
    repo.record(&simple("topical"), &[]);
    repo.edit("topical", |record| record["topic"] = json!("tagged"));
    repo.pm.write(
        &format!("{SOURCE}/_topics/tagged.toon"),
        format!("title: \"{SCRIPT}\"\nsummary: \"{SCRIPT}\"\n"),
    );
    let _ = repo.catalog(&["check"]).expect(0);
    repo.commit();
    let dist = repo.build(DAY, &["--verify"]);
    for (n, (place, value)) in texts.iter().enumerate() {
        assert_eq!(dist.record(&format!("text-{n}")).pointer(place), Some(value), "{place}");
    }
    assert_eq!(dist.json("/v1/topics.untrusted.json")["entries"][0]["title"], SCRIPT);
    let _ = repo.catalog(&["verify", "dist/catalog"]).expect(0);
    let mut wide = simple("named");
    wide["steps"][0]["body"]["text"] = json!("x".repeat(20_000));
    repo.record(&wide, &[]);
    let _ = repo.catalog(&["check", "named"]).expect(0);
    for (place, value) in [
        ("/slug", json!(SCRIPT)),
        ("/topic", json!(SCRIPT)),
        ("/topic", json!("javascript:alert(1)")),
        ("/topic", json!("a\u{202e}b")),
        ("/former_slugs", json!([SCRIPT])),
        ("/former_slugs", json!(["../../x"])),
        ("/former_slugs", json!((0..101).map(|n| format!("x{n}")).collect::<Vec<_>>())),
        ("/capabilities", json!([format!("shell:{SCRIPT}")])),
        ("/capabilities", json!([format!("shell:{}", "x".repeat(300))])),
        ("/capabilities", json!((0..101).map(|n| format!("a:b{n}")).collect::<Vec<_>>())),
        ("/publisher", json!("x".repeat(201))),
        ("/title", json!("x".repeat(121))),
        ("/title", json!(" \u{200b}\u{2060}")),
        ("/steps/0/id", json!(SCRIPT)),
        ("/steps/0/id", json!("__proto__")),
        ("/steps/0/title", json!("\u{feff}")),
        ("/profile", json!(["p0"])),
        ("/steps", json!({"0": 1})),
        ("/tags", json!(vec!["t"; 21])),
    ] {
        put("named", &(place, value.clone()));
        let told = refused(&repo, "named");
        let field = place.rsplit('/').next().expect("a field");
        assert!(told.contains("named/runbook.json") && told.contains(field), "{place} {value}: {told}");
        assert!(told.len() < 700, "a long value is told in short: {told}");
    }
    // What turns the text around it is told, and served as it stands.
    for (place, value) in [
        ("/title", "safe \u{202e}gnp.exe"),
        ("/steps/0/body/text", "rm -rf \u{2066}x"),
        ("/publisher", "ops\u{202e}@example.org"),
        ("/summary", "a\u{0}b"),
        ("/title", "a\u{1b}[31m"),
    ] {
        put("named", &(place, json!(value)));
        let told = repo.catalog(&["check", "named"]).expect(0).stdout;
        assert!(told.contains("what is seen is not what stands there"), "{value:?}: {told}");
    }
}

/// Files that are hardly any: each is refused by its name, with the line where there is one.
#[test]
fn files_that_are_none() {
    let repo = Repo::new();
    let good = simple("odd").to_string();
    let with = |before: &[u8], after: &[u8]| [before, good.as_bytes(), after].concat();
    let utf16: Vec<u8> = format!("\u{feff}{good}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut deep: String = (0..300).map(|n| format!("{}a{n}:\n", "  ".repeat(n))).collect();
    deep.push_str(&format!("{}x: 1\n", "  ".repeat(300)));
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("json", Vec::new(), "line 1"),
        ("json", vec![0; 1_000], "line 1"),
        ("json", with(b"", b"\0"), "line 1"),
        ("json", with(b"", b" x"), "line 1"),
        ("json", b"{\n\"slug\": \"odd\",\n\"slug\": \"odd\"}".to_vec(), "line 3"),
        ("json", br#"{"title": "\ud800"}"#.to_vec(), "line 1"),
        ("json", br#"{"slug": 1e999}"#.to_vec(), "line 1"),
        ("json", utf16, "UTF-8"),
        ("json", b"[]".to_vec(), "object"),
        ("json", b"null".to_vec(), "object"),
        ("json", "{\"a\":".repeat(5_000).into_bytes(), "line 1"),
        ("yaml", b"a: &a [*a]\n".to_vec(), "alias"),
        ("yaml", b"slug:\todd\n\ttitle: x\n".to_vec(), "line"),
        ("yaml", [good.as_bytes(), b"\n---\n", good.as_bytes()].concat(), "document"),
        ("yaml", "[".repeat(5_000).into_bytes(), "line 1"),
        ("yaml", deep.clone().into_bytes(), "nested"),
        ("yaml", b"slug: !!python/object/apply:os.system [id]\n".to_vec(), "runbook.yaml"),
        ("toon", b"slug: odd\n\ttitle: x\n".to_vec(), "line 2"),
        ("toon", b"steps[99999999999]: a\n".to_vec(), "line 1"),
        ("toon", deep.into_bytes(), "nest"),
    ];
    for (end, bytes, word) in cases {
        repo.pm.write(&format!("{SOURCE}/odd/runbook.{end}"), &bytes);
        let told = refused(&repo, "odd");
        assert!(told.contains(&format!("odd/runbook.{end}")) && told.contains(word), "{word}: {told}");
        std::fs::remove_dir_all(repo.pm.path().join(SOURCE).join("odd")).expect("it can be removed");
    }
    // A mark at the beginning and ends of lines of another system change nothing.
    let lines = serde_json::to_string_pretty(&simple("odd")).expect("JSON").replace('\n', "\r\n");
    for bytes in [with(b"\xef\xbb\xbf", b""), lines.into_bytes()] {
        repo.pm.write(&format!("{SOURCE}/odd/runbook.json"), &bytes);
        repo.commit();
        let hash = repo.build(DAY, &[]).record("odd")["content_hash"].clone();
        assert_eq!(hash, json!(identity::content_hash(&simple("odd"))));
    }
}

/// Pipes and sockets are no files: nobody waits for what they may bring, and each is told.
#[cfg(unix)]
#[test]
fn nobody_waits_for_a_pipe() {
    let repo = Repo::new();
    repo.record(&simple("alpha"), &[]);
    repo.commit();
    let pipe = |path: &str| {
        let place = repo.pm.path().join(path);
        std::fs::create_dir_all(place.parent().expect("a parent")).expect("it can be made");
        let _ = std::fs::remove_file(&place);
        let made = std::process::Command::new("mkfifo").arg(&place).status().expect("mkfifo runs");
        assert!(made.success());
        place
    };
    for path in [
        "alpha/pipe",
        "other/runbook.json",
        "alpha/evidence/review-20260101-00000000.json",
        "_topics/ta.toon",
    ] {
        let place = pipe(&format!("{SOURCE}/{path}"));
        let told = repo.catalog(&["check"]).expect(1).stdout;
        assert!(told.contains(path) && told.contains("no file"), "{path}: {told}");
        std::fs::remove_file(place).expect("it can be removed");
    }
    let place = pipe(&format!("{SOURCE}/_trust/revoked_keys"));
    repo.pm.refused(&["catalog", "check"], 1, "catalog_trust_root_invalid");
    std::fs::remove_file(place).expect("it can be removed");
    for name in ["policy.toon", "revoked_keys", "allowed_signers"] {
        let place = pipe(&format!("outside/{name}"));
        let words = ["catalog", "build", "--clock", DAY, "--trust-root", "outside"];
        let error = repo.pm.refused(&words, 1, "catalog_trust_root_invalid");
        assert!(error.to_string().contains(name), "{error}");
        std::fs::remove_file(place).expect("it can be removed");
    }
    pipe(".agents/pm/settings.json");
    let _ = repo.catalog(&["check"]);
}

/// What a list of revoked keys outside cannot say is not taken for an empty list.
#[test]
fn a_trust_root_that_cannot_be_read_is_refused() {
    let repo = Repo::new();
    repo.record(&simple("alpha"), &[]);
    repo.commit();
    repo.pm.write(
        "outside/policy.toon",
        "principals:\n  \"ops@example.org\":\n    kind: human\n    roles: []\n",
    );
    let _ = repo.catalog(&["build", "--clock", DAY, "--trust-root", "outside"]).expect(0);
    repo.pm.write("outside/revoked_keys", " ".repeat(5 << 20));
    let words = ["catalog", "build", "--clock", DAY, "--trust-root", "outside"];
    let error = repo.pm.refused(&words, 1, "catalog_trust_root_invalid");
    assert!(error.to_string().contains("revoked_keys"), "{error}");
}

/// Much that is wrong is told in little, and what nothing reads is told at all.
#[test]
fn faults_are_told_in_few_words_and_none_is_lost() {
    let repo = Repo::new();
    repo.record(&simple("alpha"), &[]);
    for n in 0..1_500 {
        repo.pm.write(&format!("{SOURCE}/bad/evidence/review-20260101-{n:08x}.json"), "{}");
    }
    repo.record(&simple("bad"), &[]);
    repo.commit();
    let listed = repo.catalog(&["list", "--untrusted", "--clock", DAY]).expect(0).stdout;
    assert!(
        listed.contains("alpha") && listed.contains("more files are left out") && listed.len() < 4_000,
        "{listed}"
    );
    let error = repo.pm.refused(&["catalog", "build", "--clock", DAY], 1, "catalog_source_invalid");
    assert!(error.to_string().len() < 4_000, "{error}");
    std::fs::remove_dir_all(repo.pm.path().join(SOURCE).join("bad/evidence")).expect("it can be removed");
    for path in [
        "stray.json",
        "bad/evidence/deep/review-20260101-00000000.json",
        "bad/evidence/note.md",
        "_topics/<b>.toon",
        "_topics/ta.json",
    ] {
        repo.pm.write(&format!("{SOURCE}/{path}"), "title: x\n");
        let told = repo.catalog(&["check", "--output-format", "json"]).expect(0).stdout;
        assert!(told.contains(path) && told.contains("unread"), "{path}: {told}");
        std::fs::remove_file(repo.pm.path().join(SOURCE).join(path)).expect("it can be removed");
    }
}

/// A repository inside, and a way out: what lies below is not published, and nothing is written where a link leads.
#[cfg(unix)]
#[test]
fn repositories_inside_and_links_outside() {
    use crate::cases::repository::git_ok;
    let repo = Repo::new();
    repo.record(&simple("alpha"), &[]);
    repo.record(&simple("inner"), &[]);
    let inner = format!("{SOURCE}/inner");
    git_ok(&repo.pm, &["init", "-q", &inner]);
    git_ok(&repo.pm, &["-C", &inner, "add", "-A"]);
    git_ok(&repo.pm, &["-C", &inner, "commit", "-qm", "inner"]);
    assert!(refused(&repo, "inner").contains("repository of its own"));
    repo.commit();
    let error = repo.pm.refused(&["catalog", "build", "--clock", DAY], 1, "catalog_source_invalid");
    assert!(error.to_string().contains("repository of its own"), "{error}");
    std::fs::remove_dir_all(repo.pm.path().join(&inner)).expect("it can be removed");
    repo.commit();
    let elsewhere = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink(elsewhere.path(), repo.pm.path().join("dist")).expect("a link");
    let error = repo.pm.refused(&["catalog", "build", "--clock", DAY], 4, "catalog_out_occupied");
    assert!(error.to_string().contains("out of the repository"), "{error}");
    assert_eq!(std::fs::read_dir(elsewhere.path()).expect("a folder").count(), 0);
    // Whoever types the folder chooses it.
    let typed = elsewhere.path().join("catalog").to_string_lossy().into_owned();
    let _ = repo.catalog(&["build", "--clock", DAY, "--out", &typed]).expect(0);
}

/// Names that differ in their capitals only are one file on some systems: there is one spelling.
#[test]
fn capitals_make_no_second_record() {
    let repo = Repo::new();
    repo.record(&simple("alpha"), &[]);
    for (folder, slug) in [("Alpha", "alpha"), ("ALPHA", "ALPHA")] {
        let mut record = simple("alpha");
        record["slug"] = json!(slug);
        repo.pm.write(&format!("{SOURCE}/{folder}/runbook.json"), record.to_string());
        assert!(refused(&repo, folder).contains("slug"), "{folder}");
        std::fs::remove_dir_all(repo.pm.path().join(SOURCE).join(folder)).expect("it can be removed");
    }
    repo.pm.write(&format!("{SOURCE}/beta/Runbook.json"), simple("beta").to_string());
    assert!(refused(&repo, "beta").contains("no record"));
}

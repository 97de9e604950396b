//! The conformance client: `pm catalog run --dry-run` (B-53 to B-58), and statements made with `pm catalog attest` (B-66).

use std::path::Path;

use pm::catalog::identity;
use pm::catalog::signature::sign;
use pm::catalog::statement::canonical_bytes;
use serde_json::{Value, json};

use super::shelf::{DAY, REPLICA, SOURCE, Shelf, private, replica, said, simple};
use crate::cases::repository::status;

const BOTH: &[&str] = &["--allow", "mcp:pg.query,shell:kubectl"];

/// The decision about a record.
fn run(shelf: &Shelf, id: &str, words: &[&str]) -> crate::sandbox::Output {
    shelf.catalog(&[&["run", id, "--dry-run"], words].concat())
}

/// A refusal with this code: no step was started, and the answer names these words.
fn refused(shelf: &Shelf, id: &str, words: &[&str], code: &str, named: &[&str]) -> Value {
    let output = run(shelf, id, words).expect(2);
    let answer = output.json();
    assert_eq!((&answer["status"], &answer["error_code"]), (&json!("ERROR"), &json!(code)), "{output:?}");
    assert_eq!(answer["steps_started"], 0);
    for word in named {
        assert!(output.stdout.contains(word), "{word}: {output:?}");
    }
    assert!(!output.stdout.contains("kubectl delete"), "{output:?}");
    answer
}

/// Writes an approval of steps and its signature; the name of the file.
fn approval(shelf: &Shelf, name: &str, said: &Value, key: &str, namespace: &str) -> String {
    let bytes = canonical_bytes(said);
    shelf.sandbox.write(name, &bytes);
    shelf.sandbox.write(&format!("{name}.sig"), sign(&private(key), namespace, &bytes).unwrap());
    name.to_owned()
}

const NAMESPACE: &str = "pm-catalog-approval";

fn approve(who: &str, steps: &[&str]) -> Value {
    said(&replica(), "approval", who, "2026-11-27T08:00:00Z", json!({"steps": steps}))
}

/// C3.
#[test]
fn b53_every_missing_capability_is_named_and_nothing_is_run_in_part() {
    let shelf = Shelf::with_examples();
    let only =
        refused(&shelf, REPLICA, &["--allow", "mcp:pg.query"], "CAPABILITY_NOT_ALLOWED", &["shell:kubectl"]);
    assert_eq!(only["missing_capabilities"], json!(["shell:kubectl"]));
    let none = refused(&shelf, "restart-postgres-replica", &[], "CAPABILITY_NOT_ALLOWED", &[]);
    assert_eq!(none["missing_capabilities"], json!(["mcp:pg.query", "shell:kubectl"]));
    refused(&shelf, REPLICA, &["--allow", "mcp:pg.*"], "CAPABILITY_NOT_ALLOWED", &["shell:kubectl"]);
    shelf.sandbox.write("allowed", "# the cluster\nmcp:pg.*\nshell:kubectl\n");
    refused(&shelf, REPLICA, &["--allow", "allowed"], "APPROVAL_REQUIRED", &["restart"]);
    for wrong in ["*", "mcp:*", "nothing-there"] {
        let error = run(&shelf, REPLICA, &["--allow", wrong]).expect(2);
        assert!(error.stdout.is_empty() && error.stderr.contains("--allow"), "{error:?}");
    }
}

#[test]
fn without_a_dry_run_nothing_is_decided() {
    let shelf = Shelf::with_examples();
    let error = shelf.sandbox.refused(&["catalog", "run", REPLICA], 2, "missing_required_option");
    assert!(error.to_string().contains("pm catalog run rb_6cqhnwwnvxe79x6f --dry-run"), "{error}");
}

/// C5.
#[test]
fn b54_a_person_who_is_not_the_agent_approves_of_this_content() {
    let shelf = Shelf::with_examples();
    let words = |file: &str, agent: &str| {
        let mut words: Vec<String> = BOTH.iter().map(|word| (*word).to_owned()).collect();
        words.extend(["--approval", file, "--agent", agent].map(str::to_owned));
        words
    };
    let case = |said: Value, key: &str, namespace: &str, agent: &str, code: &str, named: &[&str]| {
        let file = approval(&shelf, "approval.json", &said, key, namespace);
        let words = words(&file, agent);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        refused(&shelf, REPLICA, &words, code, named)
    };
    let (dana, bot, ci) = ("dana@example.org", "bot@example.org", "ci@example.org");
    let required = refused(&shelf, REPLICA, BOTH, "APPROVAL_REQUIRED", &["restart"]);
    assert_eq!(required["steps"], json!(["restart"]));
    case(approve(dana, &["restart"]), dana, NAMESPACE, dana, "APPROVAL_BY_SELF", &[dana]);
    case(approve(bot, &["restart"]), bot, NAMESPACE, ci, "APPROVAL_NOT_HUMAN", &[bot]);
    case(approve(dana, &["restart"]), "eve", NAMESPACE, bot, "APPROVAL_INVALID", &["unknown_key"]);
    case(
        approve(dana, &["restart"]),
        "rui@example.org",
        NAMESPACE,
        bot,
        "APPROVAL_INVALID",
        &["wrong_principal"],
    );
    case(approve(dana, &["restart"]), dana, "pm-catalog-review", bot, "APPROVAL_INVALID", &["invalid"]);
    case(approve(dana, &["verify"]), dana, NAMESPACE, bot, "APPROVAL_REQUIRED", &["restart"]);
    let mut stale = approve(dana, &["restart"]);
    stale["subject"]["content_hash"] = json!(format!("sha256:{}", "1".repeat(64)));
    case(stale, dana, NAMESPACE, bot, "APPROVAL_STALE", &[dana]);
    let mut early = approve(dana, &["restart"]);
    early["at"] = json!("2026-11-28T08:00:00Z");
    case(early, dana, NAMESPACE, bot, "APPROVAL_INVALID", &["future"]);
    let mut other = approve(dana, &["restart"]);
    other["subject"]["id"] = json!("rb_2pa1q8dcb088fbra");
    case(other, dana, NAMESPACE, bot, "APPROVAL_INVALID", &["rb_2pa1q8dcb088fbra"]);
    // One that counts is enough, whatever else is offered.
    let good = approval(&shelf, "good.json", &approve(dana, &["restart"]), dana, NAMESPACE);
    let bad = approval(&shelf, "bad.json", &approve(bot, &["restart"]), bot, NAMESPACE);
    let walk =
        run(&shelf, REPLICA, &[BOTH, &["--approval", &bad, "--approval", &good, "--agent", bot]].concat());
    let walk = walk.expect(0).json();
    assert_eq!((&walk["decision"], &walk["steps_started"]), (&json!("may_run"), &json!(0)));
    let order: Vec<&str> =
        walk["walk"].as_array().unwrap().iter().map(|step| step["id"].as_str().unwrap()).collect();
    assert_eq!(order, ["check-lag", "restart", "verify", "escalate"]);
    let restart = &walk["walk"][1];
    assert_eq!((&restart["requires_approval"], &restart["approved_by"]), (&json!(true), &json!(dana)));
    assert_eq!(restart["body"], json!({"text": "kubectl delete pod ${pod}"}));
}

/// C6.
#[test]
fn b55_the_runtime_comes_before_the_allowlist() {
    let shelf = Shelf::with_examples();
    let answer =
        refused(&shelf, REPLICA, &["--runtime-profile", "R0"], "RUNTIME_PROFILE_EXCEEDED", &["R1", "R0"]);
    assert_eq!((&answer["min_runtime_profile"], &answer["runtime_profile"]), (&json!("R1"), &json!("R0")));
    assert!(!answer.to_string().contains("shell:kubectl"));
}

/// Rewrites one file of a catalog, and the manifest's facts about it.
fn patch(dist: &Path, path: &str, change: impl FnOnce(&mut Value)) {
    let place = dist.join(path.trim_start_matches('/'));
    let mut value: Value = serde_json::from_slice(&std::fs::read(&place).unwrap()).unwrap();
    change(&mut value);
    let bytes = identity::artifact(&value);
    std::fs::write(&place, &bytes).unwrap();
    let manifest = dist.join("v1/manifest.json");
    let mut list: Value = serde_json::from_slice(&std::fs::read(&manifest).unwrap()).unwrap();
    list["files"][path]["sha256"] = json!(identity::sha256(&bytes));
    list["files"][path]["bytes"] = json!(bytes.len());
    std::fs::write(&manifest, identity::artifact(&list)).unwrap();
}

#[test]
fn b56_the_level_marks_a_body_whatever_its_file_says() {
    let shelf = Shelf::with_examples();
    shelf.record(&simple("unread", json!({})));
    shelf.commit();
    let dist = shelf.build();
    let from = dist.to_str().unwrap().to_owned();
    let low = run(&shelf, "unread", &["--from", &from, "--trust-min", "T1"]).expect(0);
    assert_eq!(low.json()["walk"][0]["body"], json!({"text": "Do it.", "untrusted": true}));
    refused(&shelf, "unread", &["--from", &from], "TRUST_BELOW_FLOOR", &["T1"]);
    let path = format!("/v1/runbooks/{}.json", identity::id("unread"));
    patch(&dist, &path, |record| {
        record["steps"][0]["body"].as_object_mut().unwrap().remove("untrusted");
    });
    refused(&shelf, "unread", &["--from", &from, "--trust-min", "T1"], "RECORD_INVALID", &["untrusted"]);
}

#[test]
fn b57_a_level_whose_day_has_come_is_t2() {
    let shelf = Shelf::with_examples();
    let from = shelf.build().to_str().unwrap().to_owned();
    let words = |day: &'static str| [BOTH, &["--from", &from, "--trust-min", "T3", "--clock", day]].concat();
    let answer =
        refused(&shelf, REPLICA, &words("2026-11-28"), "TRUST_BELOW_FLOOR", &["T3", "T2", "2026-11-28"]);
    assert_eq!((&answer["trust"], &answer["effective_trust"]), (&json!("T3"), &json!("T2")));
    refused(&shelf, REPLICA, &words(DAY), "APPROVAL_REQUIRED", &["restart"]);
}

#[test]
fn b58_fields_of_later_versions_are_read_over() {
    let shelf = Shelf::with_examples();
    let dist = shelf.build();
    patch(&dist, &format!("/v1/runbooks/{REPLICA}.json"), |record| {
        record["added_in_1_1"] = json!({"x": 1});
        record["steps"][0]["added"] = json!(true);
        record["steps"][0]["body"]["language"] = json!("sh");
        record["signature"]["added"] = json!("x");
    });
    let dana = "dana@example.org";
    let file = approval(&shelf, "approval.json", &approve(dana, &["restart"]), dana, NAMESPACE);
    let words = [BOTH, &["--from", dist.to_str().unwrap(), "--approval", &file]].concat();
    let _ = run(&shelf, REPLICA, &words).expect(0);
    // The library reads over them too: the record as it is served, its entries, and the decision.
    let folder = pm::catalog::folder::Folder::open(&dist).unwrap();
    let served = pm::catalog::published::record(&folder, REPLICA).unwrap();
    assert_eq!((&served.record["added_in_1_1"], served.tampered), (&json!({"x": 1}), None));
    assert_eq!(pm::catalog::validator::record(&served.record), []);
    let mut entry: Value =
        serde_json::from_slice(&std::fs::read(dist.join("v1/search-index.json")).unwrap()).unwrap();
    entry["entries"][0]["added"] = json!([1]);
    entry["entries"][0]["terms"]["added"] = json!(["x"]);
    let read: pm::catalog::served::SearchEntry = serde_json::from_value(entry["entries"][0].clone()).unwrap();
    assert_eq!(read.id, REPLICA);
    let variables = [("PM_CLOCK", "2026-11-27T12:00:00.000Z"), ("PM_SEED", "b58")];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let client =
        pm::client::PmClient::with(pm::environment::Env::new(shelf.sandbox.path(), variables)).author("x");
    let asked = json!({"id": REPLICA, "dry_run": true, "from": dist.to_str().unwrap(), "allow": "mcp:pg.query,shell:kubectl", "approval": file});
    let walk = client.call("catalog run", asked.as_object().unwrap().clone()).unwrap();
    assert_eq!(walk["decision"], "may_run");
}

#[test]
fn a_record_that_is_not_the_published_one_is_invalid() {
    let shelf = Shelf::with_examples();
    let dist = shelf.build();
    let from = ["--from", dist.to_str().unwrap()];
    let place = dist.join(format!("v1/runbooks/{REPLICA}.json"));
    let whole = std::fs::read_to_string(&place).unwrap();
    std::fs::write(&place, whole.replace("Run it again.", "Run it twice.")).unwrap();
    refused(&shelf, REPLICA, &from, "RECORD_INVALID", &["manifest"]);
    std::fs::write(&place, "{}").unwrap();
    refused(&shelf, REPLICA, &from, "RECORD_INVALID", &[]);
    std::fs::write(&place, &whole).unwrap();
    patch(&dist, &format!("/v1/runbooks/{REPLICA}.json"), |record| {
        record["content_hash"] = json!(format!("sha256:{}", "2".repeat(64)));
    });
    refused(&shelf, REPLICA, &from, "RECORD_INVALID", &["index"]);
    let missing = shelf.catalog(&["run", "no-such-record", "--dry-run", "--from", dist.to_str().unwrap()]);
    let _ = missing.expect(3);
}

/// Whoever can change a file can renew the manifest; what does not follow from the content is no record then either,
/// and no name leads anywhere that its own record does not say.
#[test]
fn what_was_changed_with_its_manifest_is_found_out() {
    let shelf = Shelf::with_examples();
    let record = format!("/v1/runbooks/{REPLICA}.json");
    type Change = fn(&mut Value);
    let of_the_record: [(&str, Change); 5] = [
        ("content_hash", |record| record["steps"][0]["body"]["text"] = json!("rm -rf /")),
        ("risk", |record| record["risk"] = json!("read_only")),
        ("trust", |record| record["trust"] = json!("T2")),
        ("capabilities", |record| record["capabilities"] = json!([])),
        ("trust_evidence", |record| record["trust_evidence"] = json!([])),
    ];
    for (what, change) in of_the_record {
        let dist = shelf.build();
        patch(&dist, &record, change);
        let answer = refused(&shelf, REPLICA, &["--from", dist.to_str().unwrap()], "RECORD_INVALID", &[]);
        assert!(!answer["path"].is_null(), "{what}: {answer}");
    }
    let slug = "restart-postgres-replica";
    let of_the_lists: [(&str, Change); 2] = [
        ("/v1/aliases.json", |names| {
            let other = names["aliases"]["rotate-api-token"].clone();
            names["aliases"]["restart-postgres-replica"] = other;
        }),
        ("/v1/index.json", |index| index["entries"][0]["risk"] = json!("read_only")),
    ];
    for (path, change) in of_the_lists {
        let dist = shelf.build();
        let from = dist.to_str().unwrap().to_owned();
        let whole = std::fs::read(dist.join(&path[1..])).unwrap();
        patch(&dist, path, change);
        refused(&shelf, slug, &["--from", &from], "RECORD_INVALID", &[]);
        // Nor is it believed with the manifest as it was.
        std::fs::write(dist.join(&path[1..]), whole.repeat(2)).unwrap();
        let answer = refused(&shelf, slug, &["--from", &from], "RECORD_INVALID", &["manifest"]);
        assert_eq!(answer["path"], path);
    }
}

/// Search goes by an index only when it is the one that was published.
#[test]
fn a_search_index_that_was_changed_is_none() {
    let shelf = Shelf::with_examples();
    let dist = shelf.build();
    let place = dist.join("v1/search-index.json");
    let whole = std::fs::read_to_string(&place).unwrap();
    let search = |code: i32| {
        let words = ["search", "--symptom", "lag", "--from", dist.to_str().unwrap(), "--json"];
        shelf.catalog(&words).expect(code).stderr
    };
    search(0);
    std::fs::write(&place, whole.replace("\"risk\":\"destructive\"", "\"risk\":\"read_only\"")).unwrap();
    assert_ne!(std::fs::read_to_string(&place).unwrap(), whole);
    let told = search(3);
    assert!(told.contains("catalog_folder_invalid") && told.contains("manifest"), "{told}");
}

/// A level never travels without its day, whatever is asked of the decision.
#[test]
fn a_level_that_is_asked_for_comes_with_its_day() {
    let shelf = Shelf::with_examples();
    let dana = "dana@example.org";
    let file = approval(&shelf, "approval.json", &approve(dana, &["restart"]), dana, NAMESPACE);
    let words = [BOTH, &["--approval", &file, "--output-include", "trust"]].concat();
    let answer = run(&shelf, REPLICA, &words).expect(0).json();
    assert_eq!((&answer["trust"], &answer["trust_expires_on"]), (&json!("T3"), &json!("2026-11-28")));
    assert!(answer.get("walk").is_none(), "{answer}");
}

#[test]
fn a_revoked_record_is_refused_before_all_that_could_let_it_through() {
    let shelf = Shelf::with_examples();
    let gone = json!({"reason": "unsafe"});
    shelf.attest(&replica(), "revoke", "rui@example.org", "2026-11-01T00:00:00Z", gone);
    shelf.commit();
    let words = [BOTH, &["--trust-min", "T0", "--runtime-profile", "R3"]].concat();
    refused(&shelf, REPLICA, &words, "RECORD_REVOKED", &["rui@example.org", "unsafe"]);
}

/// Attests about a record with the key of a principal.
fn attest(shelf: &Shelf, slug: &str, principal: &str, more: &[&str]) -> crate::sandbox::Output {
    shelf.sandbox.write("key", private(principal));
    shelf.catalog(&[&["attest", slug, "--principal", principal, "--key", "key"], more].concat())
}

#[test]
fn b66_statements_are_signed_and_lift_a_record() {
    let shelf = Shelf::with_examples();
    let level = || shelf.catalog(&["get", "rotate-api-token"]).expect(0).json()["record"]["trust"].clone();
    assert_eq!(level(), "T1");
    let review = ["--kind", "review", "--verdict", "approve"];
    let dry = attest(&shelf, "rotate-api-token", "dana@example.org", &[&review[..], &["--dry-run"]].concat());
    assert_eq!(dry.expect(0).json()["dry_run"], true);
    assert_eq!(status(&shelf.sandbox), ["?? key"]);
    let made = attest(&shelf, "rotate-api-token", "dana@example.org", &review).expect(0).json();
    assert_eq!(made["signature"], "valid");
    let path = made["path"].as_str().unwrap();
    assert!(path.starts_with(&format!("{SOURCE}/rotate-api-token/evidence/review-20261127-")), "{path}");
    let text = shelf.sandbox.read(path);
    assert!(
        text.starts_with("{\"at\":\"2026-11-27T12:00:00.000Z\",\"kind\":\"review\"") && !text.ends_with('\n')
    );
    shelf.commit();
    assert_eq!(level(), "T2");
    let run = ["--kind", "run", "--outcome", "success", "--environment", "production"];
    let _ = attest(&shelf, "rb_2pa1q8dcb088fbra", "ci@example.org", &run).expect(0);
    shelf.commit();
    assert_eq!(level(), "T4");
    let revoke = ["--kind", "revoke", "--reason", "replaced"];
    let _ = attest(&shelf, "rotate-api-token", "rui@example.org", &revoke).expect(0);
    shelf.commit();
    assert_eq!(level(), "T0");
}

#[test]
fn b66_a_statement_needs_what_its_kind_says() {
    let shelf = Shelf::with_examples();
    let refused = |more: &[&str], exit: i32, code: &str| {
        let output = attest(&shelf, "rotate-api-token", "dana@example.org", more).expect(exit);
        assert!(output.stderr.contains(code), "{output:?}");
        assert_eq!(output.stdout, "");
    };
    refused(&["--kind", "review"], 2, "missing_required_option");
    refused(&["--kind", "run", "--outcome", "success"], 2, "--environment");
    refused(&["--kind", "run", "--environment", "staging"], 2, "--outcome");
    refused(&["--kind", "revoke"], 2, "--reason");
    refused(&["--kind", "publish", "--verdict", "approve"], 2, "conflicting_arguments");
    refused(&["--kind", "publish", "--from-plan", "pm-x"], 2, "conflicting_arguments");
    let unlisted = attest(&shelf, "rotate-api-token", "eve", &["--kind", "publish"]).expect(0);
    assert!(unlisted.stdout.contains("unknown_key"), "{unlisted:?}");
    shelf.sandbox.write("key", "no key");
    let words = ["attest", "rotate-api-token", "--kind", "publish", "--principal", "x", "--key", "key"];
    assert!(shelf.catalog(&words).expect(2).stderr.contains("catalog_key_unusable"));
}

#[test]
fn the_tools_decide_and_search_but_neither_build_nor_attest() {
    let tools: Vec<String> = pm::commands::CATALOG
        .iter()
        .filter(|surface| surface.contract.path[0] == "catalog")
        .filter(|surface| pm::generate::tools::profile(surface).is_some())
        .map(pm::generate::tools::name)
        .collect();
    for name in ["list", "get", "search", "status", "check", "run_dry"] {
        assert!(tools.contains(&format!("catalog_{name}")), "{tools:?}");
    }
    for name in ["build", "attest", "serve"] {
        assert!(!tools.contains(&format!("catalog_{name}")), "{tools:?}");
    }
}

/// Only a maintainer revokes; who is none refuses nothing.
#[test]
fn a_revocation_by_somebody_without_the_role_is_none() {
    let shelf = Shelf::with_examples();
    let record = simple("low", json!({}));
    shelf.record(&record);
    shelf.commit();
    let low = ["--trust-min", "T0"];
    let _ = run(&shelf, "low", &low).expect(0);
    shelf.attest(&record, "revoke", "ops@example.org", "2026-11-01T00:00:00Z", json!({"reason": "no"}));
    shelf.commit();
    let _ = run(&shelf, "low", &low).expect(0);
    shelf.attest(&record, "revoke", "rui@example.org", "2026-11-02T00:00:00Z", json!({"reason": "unsafe"}));
    shelf.commit();
    refused(&shelf, "low", &low, "RECORD_REVOKED", &["rui@example.org"]);
}

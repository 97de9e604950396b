//! Runbooks and plans: a plan made of a record, its gates, what changed since, a record made of a plan (B-66).

use serde_json::{Value, json};

use super::kit::{Repo, SOURCE, approve, key, say, simple, walkable};
use pm::catalog::signature::sign;
use pm::catalog::statement;

fn repo() -> Repo {
    let mut repo = Repo::new();
    repo.pm.set("PM_CLOCK", "2026-11-20T12:00:00.000Z").set("PM_AUTHOR", "bot@example.org");
    let record = walkable("walk");
    repo.record(&record, &[approve(&record)]);
    repo.commit();
    repo
}

/// An approval of these steps, signed by its approver.
fn approval(repo: &Repo, name: &str, who: &str, steps: &[&str]) {
    let said = say(&walkable("walk"), "approval", who, "2026-11-20T08:00:00Z", json!({"steps": steps}));
    let bytes = statement::canonical_bytes(&said);
    repo.pm.write(name, &bytes);
    repo.pm
        .write(&format!("{name}.sig"), sign(&key(who).0, "pm-catalog-approval", &bytes).expect("it signs"));
}

/// Walks a plan to its end.
fn walk_through(repo: &Repo, id: &str) {
    approval(repo, "good.json", "dana@example.org", &["look", "drop"]);
    for step in ["look", "drop"] {
        repo.pm.json(&["plan", "complete-step", id, step, "--approval", "good.json"]);
    }
    repo.pm.json(&["plan", "complete-step", id, "note"]);
}

/// Tells of a run by a plan; the exit code and the answer, or the error.
fn attested(repo: &Repo, plan: &str, environment: &str) -> (i32, Value) {
    repo.pm.write("ci.key", key("ci@example.org").0);
    let words = ["catalog", "attest", "walk", "--kind", "run", "--environment", environment];
    let more = ["--from-plan", plan, "--principal", "ci@example.org", "--key", "ci.key", "--json"];
    let output = repo.pm.pm(&[&words[..], &more].concat());
    let told = if output.code == 0 { &output.stdout } else { &output.stderr };
    (output.code, serde_json::from_str(told).unwrap_or_else(|error| panic!("{error}: {output:?}")))
}

fn planned(repo: &Repo) -> String {
    let made = repo.pm.json(&["plan", "create", "--from-runbook", "walk", "--allow", "shell:kubectl"]);
    made["plan"]["id"].as_str().expect("an id").to_owned()
}

/// B-66: the allowlist covers the record or there is no plan; a gated step waits for a person. C5.
#[test]
fn b66_a_plan_of_a_runbook_has_its_gates() {
    let repo = repo();
    let error = repo.pm.refused(&["plan", "create", "--from-runbook", "walk"], 2, "CAPABILITY_NOT_ALLOWED");
    assert!(error.to_string().contains("shell:kubectl"), "{error}");
    let id = planned(&repo);
    let plan = repo.pm.json(&["plan", "show", &id, "--depth", "standard"])["plan"].clone();
    assert_eq!(plan["title"], "Handle walk");
    assert_eq!((&plan["runbook"]["slug"], &plan["runbook"]["trust"]), (&json!("walk"), &json!("T2")));
    let steps = plan["steps"].as_array().expect("steps");
    let ids: Vec<&Value> = steps.iter().map(|step| &step["id"]).collect();
    assert_eq!(ids, ["look", "drop", "note"]);
    assert_eq!((&steps[1]["risk"], &steps[1]["requires_approval"]), (&json!("irreversible"), &json!(true)));
    assert_eq!(steps[1]["body"], "> drop ${x}");
    let drop_it = |more: &[&str], exit: i32, code: &str| {
        repo.pm.refused(&[&["plan", "complete-step", &id, "drop"], more].concat(), exit, code)
    };
    drop_it(&[], 2, "APPROVAL_REQUIRED");
    repo.pm.refused(
        &["plan", "update-step", &id, "drop", "--step-status", "completed"],
        2,
        "APPROVAL_REQUIRED",
    );
    // Nor is it got rid of: what is to be done, and its words, are the runbook's.
    repo.pm.refused(&["plan", "remove-step", &id, "drop"], 4, "plan_step_of_runbook");
    for other in [["--step-title", "Anything"], ["--step-body", "rm -rf /"]] {
        repo.pm.refused(
            &[&["plan", "update-step", &id, "drop"], &other[..]].concat(),
            4,
            "plan_step_of_runbook",
        );
    }
    approval(&repo, "self.json", "bot@example.org", &["drop"]);
    drop_it(&["--approval", "self.json"], 2, "APPROVAL_BY_SELF");
    approval(&repo, "service.json", "ci@example.org", &["drop"]);
    drop_it(&["--approval", "service.json"], 2, "APPROVAL_NOT_HUMAN");
    approval(&repo, "other.json", "dana@example.org", &["look"]);
    drop_it(&["--approval", "other.json"], 2, "APPROVAL_REQUIRED");
    repo.pm.write("unsigned.json", repo.pm.read("other.json"));
    drop_it(&["--approval", "unsigned.json"], 2, "APPROVAL_INVALID");
    assert_eq!(repo.pm.json(&["plan", "show", &id])["plan"]["steps_summary"]["completed"], json!(0));
    approval(&repo, "good.json", "dana@example.org", &["look", "drop"]);
    for step in ["look", "drop"] {
        repo.pm.json(&["plan", "complete-step", &id, step, "--approval", "good.json"]);
    }
    repo.pm.json(&["plan", "complete-step", &id, "note"]);
    let plan = repo.pm.json(&["plan", "show", &id, "--depth", "standard"])["plan"].clone();
    assert_eq!(plan["steps"][1]["evidence"], "approved by dana@example.org");
}

/// B-66: a finished plan becomes a statement about its runbook, which lifts the record; what went otherwise says so. C5.
#[test]
fn b66_a_finished_plan_is_evidence() {
    let repo = repo();
    repo.pm.write("ci.key", key("ci@example.org").0);
    approval(&repo, "good.json", "dana@example.org", &["look", "drop"]);
    let attest_at = |clock: &str, plan: &str, more: &[&str]| {
        let words = [
            "catalog",
            "attest",
            "walk",
            "--kind",
            "run",
            "--environment",
            "staging",
            "--principal",
            "ci@example.org",
        ];
        let words =
            [&words[..], &["--key", "ci.key", "--from-plan", plan, "--output-format", "json"], more].concat();
        let output = repo.pm.command(&words).env("PM_CLOCK", clock).output().expect("it runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        crate::sandbox::Output {
            argv: words.iter().map(|word| (*word).to_owned()).collect(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
            code: output.status.code().unwrap_or(-1),
        }
    };
    let attest = |plan: &str, more: &[&str]| attest_at("2026-11-20T12:00:00.000Z", plan, more);
    let level = || repo.build("2026-11-21", &[]).trust("walk");
    let complete = |plan: &str, step: &str| {
        let gated = if step == "note" { &[][..] } else { &["--approval", "good.json"] };
        repo.pm.json(&[&["plan", "complete-step", plan, step], gated].concat());
    };
    let id = planned(&repo);
    assert!(attest(&id, &[]).expect(4).stderr.contains("catalog_plan_unfinished"));
    ["look", "drop", "note"].iter().for_each(|step| complete(&id, step));
    assert!(attest(&id, &["--outcome", "failure"]).expect(2).stderr.contains("conflicting_arguments"));
    assert_eq!(level().0, "T2");
    let made = attest(&id, &[]).expect(0).json();
    assert_eq!((&made["outcome"], &made["signature"]), (&json!("success"), &json!("valid")));
    let said: Value =
        serde_json::from_str(&repo.pm.read(made["path"].as_str().expect("a path"))).expect("JSON");
    assert_eq!(said["plan"], json!(id));
    repo.commit();
    assert_eq!(level(), ("T3".to_owned(), Some("2027-05-19".to_owned())));
    // A plan with a step that was left out tells of a failure, which takes the level away again.
    let again = ["plan", "create", "--from-runbook", "walk", "--allow", "shell:kubectl", "--title", "Again"];
    let other = repo.pm.json(&again)["plan"]["id"].as_str().expect("an id").to_owned();
    ["look", "drop"].iter().for_each(|step| complete(&other, step));
    let skipped = ["plan", "update-step", &other, "note", "--step-status", "skipped"];
    let mut later = repo.pm.command(&skipped);
    later.env("PM_CLOCK", "2026-11-20T12:30:00.000Z").assert().success();
    assert_eq!(attest_at("2026-11-20T13:00:00.000Z", &other, &[]).expect(0).json()["outcome"], "failure");
    repo.commit();
    assert_eq!(level().0, "T2");
    // Nothing is told of content that the plan did not follow, nor of another record.
    repo.record(&simple("low"), &[]);
    repo.commit();
    let low = repo.pm.json(&["plan", "create", "--from-runbook", "low"])["plan"]["id"].clone();
    assert!(
        attest(low.as_str().expect("an id"), &[]).expect(2).stderr.contains("was not made of the record")
    );
    repo.edit("walk", |record| record["steps"][0]["body"]["text"] = json!("look twice"));
    repo.commit();
    assert!(attest(&id, &[]).expect(4).stderr.contains("catalog_plan_stale"));
}

/// Bodies below T2 stay data in a plan.
#[test]
fn a_plan_of_an_unreviewed_record_says_so() {
    let repo = Repo::new();
    repo.record(&simple("low"), &[]);
    repo.commit();
    let made = repo.pm.json(&["plan", "create", "--from-runbook", "low"]);
    let id = made["plan"]["id"].as_str().expect("an id");
    let plan = repo.pm.json(&["plan", "show", id, "--depth", "standard"])["plan"].clone();
    assert_eq!((&plan["runbook"]["trust"], &plan["steps"][0]["untrusted"]), (&json!("T1"), &json!(true)));
    repo.pm.refused(&["plan", "create", "--from-runbook", "lou"], 3, "catalog_record_not_found");
}

/// `validate` tells of open plans whose runbook is not what it was.
#[test]
fn validate_tells_of_runbooks_that_moved() {
    let repo = repo();
    let id = planned(&repo);
    let codes = || {
        let told = repo.pm.pm(&["validate", "--json"]).json();
        let storage = told["checks"]
            .as_array()
            .expect("checks")
            .iter()
            .find(|check| check["name"] == "storage_integrity");
        let unreadable = &storage.expect("it is checked")["details"]["unreadable_item_files"];
        assert_eq!(unreadable, &json!([]), "records of the catalog are no items");
        told["warnings"]
            .as_array()
            .expect("warnings")
            .iter()
            .filter_map(Value::as_str)
            .filter(|text| text.contains("runbook"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(codes(), Vec::<String>::new());
    repo.edit("walk", |record| record["steps"][0]["body"]["text"] = json!("look twice"));
    repo.commit();
    assert_eq!(codes(), ["validate_plan_runbook_changed:1", "validate_plan_runbook_untrusted:1"]);
    repo.pm.json(&["plan", "show", &id]);
    std::fs::remove_dir_all(repo.pm.path().join(SOURCE).join("walk")).expect("it can be removed");
    repo.commit();
    assert_eq!(codes(), ["validate_plan_runbook_missing:1"]);
}

/// A record begun by hand, and one begun from a plan: valid, and nothing in it is called safe.
#[test]
fn new_records_are_valid_and_nothing_is_called_safe() {
    let repo = Repo::new();
    for (slug, profile) in [("rotate-token", "p0"), ("restart-replica", "p1")] {
        let _ = repo.catalog(&["new", slug, "--profile", profile]).expect(0);
        let _ = repo.catalog(&["check", slug]).expect(0);
        assert!(repo.pm.read(&format!("{SOURCE}/{slug}/runbook.toon")).contains("destructive"));
    }
    repo.pm.refused(&["catalog", "new", "rotate-token"], 4, "catalog_record_exists");
    let publisher = ["--publisher", "ops@example.org"];
    let _ = repo.catalog(&[&["new", "third"], &publisher[..]].concat()).expect(0);
    assert!(repo.pm.read(&format!("{SOURCE}/third/runbook.toon")).contains("publisher: ops@example.org"));
    repo.pm.refused(&["catalog", "new", "Not a slug"], 2, "invalid_argument_value");
    let plan = repo.pm.json(&[
        "plan",
        "create",
        "A plan",
        "--step",
        "Look at it",
        "--step",
        "Look at it",
        "--step",
        "42!",
    ]);
    let id = plan["plan"]["id"].as_str().expect("an id");
    repo.pm.refused(
        &["catalog", "new", "p", "--from-plan", id, "--profile", "p1"],
        2,
        "conflicting_arguments",
    );
    let _ = repo.catalog(&["new", "from-plan", "--from-plan", id, "--profile", "p0"]).expect(0);
    repo.commit();
    let got = repo.catalog(&["get", "from-plan", "--output-format", "json"]).expect(0).json();
    let steps = got["record"]["steps"].as_array().expect("steps");
    let ids: Vec<&Value> = steps.iter().map(|step| &step["id"]).collect();
    assert_eq!(ids, ["look-at-it", "look-at-it-2", "step-42"]);
    assert!(
        steps.iter().all(|step| step["risk"] == "destructive" && step["requires_approval"] == true),
        "{got}"
    );
}

/// Runbooks are documents of `pm kb` when the settings want that, and not otherwise.
#[test]
fn runbooks_are_documents_when_asked_for() {
    let repo = repo();
    let found = || repo.pm.pm(&["kb", "search", "Handle walk", "--output-format", "json"]).expect(0).stdout;
    assert!(!found().contains("walk/runbook.json"), "{}", found());
    repo.settings(&json!({"in_kb": true}));
    let answer = found();
    assert!(answer.contains("walk/runbook.json"), "{answer}");
}

/// A plan tells of a run only when it was walked to its end, by the content that the record has now.
#[test]
fn a_run_is_told_of_a_plan_that_was_walked() {
    let repo = repo();
    let id = planned(&repo);
    repo.pm.write("bot.key", super::shelf::private("bot@example.org"));
    let attest = || {
        let words = ["catalog", "attest", "walk", "--kind", "run", "--environment", "staging"];
        let more = ["--from-plan", &id, "--principal", "bot@example.org", "--key", "bot.key", "--json"];
        let output = repo.pm.pm(&[&words[..], &more].concat());
        let error: Value = serde_json::from_str(&output.stderr).unwrap_or_default();
        (output.code, error["code"].clone())
    };
    let of = |code: &str| {
        let found = pm::error::Code::ALL.iter().find(|known| known.as_str() == code);
        (i32::from(found.expect("it is a code").kind().exit_code()), json!(code))
    };
    assert_eq!(attest(), of("catalog_plan_unfinished"));
    repo.record(&simple("walk"), &[]);
    repo.commit();
    assert_eq!(attest(), of("catalog_plan_stale"));
}

/// What tells of a run is a plan whose own history shows it being walked.
#[test]
fn plans_that_nobody_walked_are_no_evidence() {
    let repo = repo();
    let id = planned(&repo);
    walk_through(&repo, &id);
    let unproven = |plan: &str, why: &str| {
        let (code, error) = attested(&repo, plan, "staging");
        assert_eq!((code, &error["code"]), (4, &json!("catalog_plan_unproven")), "{why}: {error}");
        assert!(error.to_string().contains(why), "{error}");
    };
    // A copy begins with steps that are done.
    let copy = repo.pm.json(&["copy", &id]);
    let copy = copy["item"]["id"].as_str().or(copy["id"].as_str()).expect("an id").to_owned();
    unproven(&copy, "from its first entry on");
    // One that was edited by hand is not what its history says.
    let edited = repo.pm.json(&[
        "plan",
        "create",
        "--from-runbook",
        "walk",
        "--allow",
        "shell:kubectl",
        "--title",
        "B",
    ]);
    let edited = edited["plan"]["id"].as_str().expect("an id").to_owned();
    let path = format!(".agents/pm/plans/{edited}.toon");
    repo.pm.write(&path, repo.pm.read(&path).replace("pending", "completed"));
    unproven(&edited, "does not hold");
    // One that was given up tells of no success.
    repo.pm.json(&["update", &id, "--status", "canceled"]);
    let (code, error) = attested(&repo, &id, "staging");
    assert_eq!((code, &error["code"]), (4, &json!("catalog_plan_unfinished")), "{error}");
}

/// A plan is one run: told again later it is the same statement, and it happened in one place.
#[test]
fn a_plan_is_one_run_whenever_it_is_told() {
    let mut repo = repo();
    let id = planned(&repo);
    walk_through(&repo, &id);
    let (code, first) = attested(&repo, &id, "staging");
    assert_eq!(code, 0, "{first}");
    repo.pm.set("PM_CLOCK", "2027-05-01T09:00:00.000Z");
    let (code, again) = attested(&repo, &id, "staging");
    assert_eq!((code, &again["already_said"], &again["path"]), (0, &json!(true), &first["path"]), "{again}");
    let (code, error) = attested(&repo, &id, "production");
    assert_eq!((code, &error["code"]), (2, &json!("conflicting_arguments")), "{error}");
    repo.pm.write("dana.key", key("dana@example.org").0);
    let by = ["--principal", "dana@example.org", "--key", "dana.key", "--environment", "staging"];
    let words = [&["catalog", "attest", "walk", "--kind", "run", "--from-plan", &id], &by[..]].concat();
    repo.pm.refused(&words, 2, "conflicting_arguments");
    repo.commit();
    let level = |day: &str| repo.build(day, &[]).trust("walk");
    assert_eq!(level("2027-05-18"), ("T3".to_owned(), Some("2027-05-19".to_owned())));
    assert_eq!(level("2027-05-19").0, "T2");
}

/// What nobody told of while a run counts is not told of afterwards.
#[test]
fn a_run_of_long_ago_is_no_evidence() {
    let mut repo = repo();
    let id = planned(&repo);
    walk_through(&repo, &id);
    repo.pm.set("PM_CLOCK", "2027-05-19T12:00:00.000Z");
    let (code, error) = attested(&repo, &id, "staging");
    assert_eq!((code, &error["code"]), (4, &json!("catalog_plan_unproven")), "{error}");
    repo.pm.set("PM_CLOCK", "2027-05-18T12:00:00.000Z");
    assert_eq!(attested(&repo, &id, "staging").0, 0);
}

/// A slug that another record has had is that record's, and whoever checks one of them is told.
#[test]
fn a_former_slug_is_taken() {
    let repo = Repo::new();
    let mut renamed = simple("new-name");
    renamed["former_slugs"] = json!(["old-name"]);
    repo.record(&renamed, &[]);
    repo.commit();
    repo.pm.refused(
        &["catalog", "new", "old-name", "--publisher", "ops@example.org"],
        4,
        "catalog_record_exists",
    );
    repo.record(&simple("old-name"), &[]);
    for slug in ["old-name", "new-name"] {
        let checked = repo.catalog(&["check", slug, "--output-format", "json"]).expect(1);
        assert!(checked.stdout.contains("old-name") && checked.stdout.contains("new-name"), "{checked:?}");
    }
}

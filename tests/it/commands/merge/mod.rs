//! `pm merge`: two branches of one repository, merged by Git through the drivers.

use serde_json::{Value, json};

use crate::cases::repository::{commit, git};
use crate::sandbox::Sandbox;

mod deletions;
mod documents;
mod kinds;
mod left;
mod markdown;
mod returned;
mod rewritten;
mod types;
mod undecided;
mod undeclared;

const ITEM: &str = ".agents/pm/tasks/pm-x.toon";
const STREAM: &str = ".agents/pm/history/pm-x.jsonl";

/// A repository with a tracker and one item, everything committed.
fn repository() -> Sandbox {
    let sandbox = Sandbox::empty();
    git(&sandbox, &["init", "-q", "-b", "main"]);
    sandbox.ok(&["init"]);
    sandbox.create(&["Task", "Shared", "--id", "x", "--ac", "one"]);
    commit(&sandbox);
    sandbox
}

fn on_branch(sandbox: &mut Sandbox, branch: &str, clock: &str, calls: &[&[&str]]) {
    git(sandbox, &["checkout", "-q", "-b", branch, "main"]);
    sandbox.set("PM_CLOCK", clock);
    for call in calls {
        sandbox.ok(call);
    }
    commit(sandbox);
}

fn whole(sandbox: &Sandbox) {
    let verdict = sandbox.json(&["history", "x", "--verify"])["verification"].clone();
    assert_eq!(
        (&verdict["ok"], &verdict["current_matches_latest"]),
        (&true.into(), &true.into()),
        "{verdict}"
    );
}

#[test]
fn branches_that_add_to_one_item_merge_clean_and_verify_at_once() {
    let mut sandbox = repository();
    let ours: &[&[&str]] = &[
        &["comments", "x", "ours"],
        &["update", "x", "--add-tags", "p", "--priority", "1", "--add-ac", "two"],
    ];
    let theirs: &[&[&str]] = &[
        &["comments", "x", "theirs"],
        &["update", "x", "--add-tags", "q", "--title", "Renamed", "--add-ac", "three"],
        &["append", "x", "more"],
    ];
    on_branch(&mut sandbox, "a", "2026-03-01T00:00:00.000Z", ours);
    on_branch(&mut sandbox, "b", "2026-02-01T00:00:00.000Z", theirs);
    let (code, text) = git(&sandbox, &["merge", "-q", "--no-edit", "a"]);
    assert_eq!(code, 0, "{text}");
    let item = sandbox.json(&["get", "x", "--full"])["item"].clone();
    let texts: Vec<&str> =
        item["comments"].as_array().into_iter().flatten().filter_map(|row| row["text"].as_str()).collect();
    assert_eq!(texts, ["theirs", "ours"], "comments stand in the order of their times");
    assert_eq!(item["tags"], Value::from(vec!["p", "q"]));
    assert_eq!(
        (&item["title"], &item["priority"], &item["body"]),
        (&"Renamed".into(), &1.into(), &"more".into())
    );
    assert_eq!(item["acceptance_criteria"], "one; three; two");
    whole(&sandbox);
    sandbox.ok(&["update", "x", "--priority", "0"]);
    whole(&sandbox);
}

#[test]
fn the_result_does_not_depend_on_which_branch_is_merged_into_which() {
    let mut sandbox = repository();
    on_branch(
        &mut sandbox,
        "a",
        "2026-03-01T00:00:00.000Z",
        &[&["update", "x", "--sprint", "1"], &["notes", "x", "a"]],
    );
    on_branch(
        &mut sandbox,
        "b",
        "2026-03-02T00:00:00.000Z",
        &[&["update", "x", "--release", "2"], &["files", "x", "--add", "b.rs"]],
    );
    let merged = |from: &str, into: &str| {
        git(&sandbox, &["checkout", "-q", "-B", "trial", into]);
        let (code, text) = git(&sandbox, &["merge", "-q", "--no-edit", from]);
        assert_eq!(code, 0, "{text}");
        (sandbox.read(".agents/pm/tasks/pm-x.toon"), sandbox.read(".agents/pm/history/pm-x.jsonl"))
    };
    assert_eq!(merged("a", "b"), merged("b", "a"));
    whole(&sandbox);
}

#[test]
fn two_values_for_one_field_are_a_conflict_that_stays_readable() {
    let mut sandbox = repository();
    on_branch(&mut sandbox, "a", "2026-03-01T00:00:00.000Z", &[&["update", "x", "--priority", "1"]]);
    on_branch(&mut sandbox, "b", "2026-03-02T00:00:00.000Z", &[&["update", "x", "--priority", "3"]]);
    let (code, text) = git(&sandbox, &["merge", "-q", "--no-edit", "a"]);
    assert_ne!(code, 0, "{text}");
    let (_, status) = git(&sandbox, &["status", "--porcelain"]);
    assert!(status.contains("UU .agents/pm/tasks/pm-x.toon"), "{status}");
    assert_eq!(sandbox.json(&["get", "x"])["item"]["priority"], 1);
    whole(&sandbox);
    let listed = sandbox.json(&["list", "--status", "conflicted"]);
    assert_eq!(listed["items"][0]["status"], "conflicted");
    assert_eq!(listed["warnings"], json!(["conflicted:pm-x:priority"]));
    let status = sandbox.json(&["merge", "status"]);
    assert_eq!((&status["conflicts"][0]["id"], &status["count"]), (&json!("pm-x"), &json!(1)));
    // Both looks at the whole tracker say so.
    assert_eq!(sandbox.pm(&["validate"]).code, 1);
    let health = sandbox.pm(&["health", "--strict-exit", "--json"]).expect(1).stdout;
    assert!(health.contains("integrity_merge_undecided:pm-x:priority"), "{health}");
    let field = &sandbox.json(&["merge", "status", "x"])["fields"][0];
    assert_eq!((&field["base"], &field["values"], &field["stands"]), (&json!(2), &json!([1, 3]), &json!(1)));
    sandbox.refused(&["merge", "resolve", "x"], 4, "merge_undecided");
    sandbox.refused(&["merge", "resolve", "x", "--set", "title=T"], 2, "invalid_argument_value");
    git(&sandbox, &["tag", "start", "b"]);
    // While the merge is under way, after it was committed, and with a value of its own.
    for (argv, value) in
        [(&["--ours"][..], 3), (&["--theirs"], 1), (&["--keep"], 1), (&["--set", "priority=0"], 0)]
    {
        for committed in [false, true] {
            git(&sandbox, &["merge", "--abort"]);
            git(&sandbox, &["reset", "-q", "--hard", "start"]);
            git(&sandbox, &["merge", "-q", "--no-edit", "a"]);
            if committed {
                commit(&sandbox);
            }
            let done = sandbox.json(&[&["merge", "resolve", "x"], argv].concat());
            assert_eq!(
                done["decided"],
                json!([{"field": "priority", "value": value}]),
                "{argv:?} {committed}"
            );
            assert_eq!(sandbox.json(&["get", "x"])["item"]["priority"], value);
            assert!(!sandbox.read(ITEM).contains("merge_conflicts"));
            whole(&sandbox);
            commit(&sandbox);
            assert_eq!(sandbox.json(&["merge", "resolve", "x", "--keep"])["unchanged"], true);
        }
    }
    let report = sandbox.json(&["merge", "report", "--include-reconciled"]);
    assert_eq!(report["decided"][0]["decisions"][0]["values"], json!([1, 3]));
    assert_eq!(report["undecided"], json!([]));
}

#[test]
fn values_that_no_item_can_have_are_refused() {
    let mut sandbox = repository();
    on_branch(&mut sandbox, "a", "2026-03-01T00:00:00.000Z", &[&["update", "x", "--priority", "1"]]);
    on_branch(&mut sandbox, "b", "2026-03-02T00:00:00.000Z", &[&["update", "x", "--priority", "3"]]);
    git(&sandbox, &["merge", "-q", "--no-edit", "a"]);
    let before = sandbox.read(ITEM);
    for value in ["9", "abc", ""] {
        sandbox.refused(
            &["merge", "resolve", "x", "--set", &format!("priority={value}")],
            2,
            "invalid_argument_value",
        );
    }
    assert_eq!(sandbox.read(ITEM), before);
    sandbox.ok(&["merge", "resolve", "x", "--set", "priority=0"]);
    whole(&sandbox);
}

#[test]
fn an_item_that_both_branches_deleted_is_gone_and_its_history_says_so() {
    let mut sandbox = repository();
    on_branch(&mut sandbox, "a", "2026-03-01T00:00:00.000Z", &[&["delete", "x"]]);
    on_branch(&mut sandbox, "b", "2026-03-02T00:00:00.000Z", &[&["delete", "x", "--author", "bob"]]);
    let (code, text) = git(&sandbox, &["merge", "-q", "--no-edit", "a"]);
    assert_eq!(code, 0, "{text}");
    let verdict = sandbox.json(&["history", "x", "--verify"])["verification"].clone();
    assert_eq!(
        (&verdict["ok"], &verdict["current_matches_latest"]),
        (&json!(true), &json!(true)),
        "{verdict}"
    );
}

#[test]
fn setting_the_field_decides_it() {
    let mut sandbox = repository();
    on_branch(&mut sandbox, "a", "2026-03-01T00:00:00.000Z", &[&["update", "x", "--priority", "1"]]);
    on_branch(&mut sandbox, "b", "2026-03-02T00:00:00.000Z", &[&["update", "x", "--priority", "3"]]);
    git(&sandbox, &["merge", "-q", "--no-edit", "a"]);
    sandbox.ok(&["update", "x", "--title", "Other"]);
    assert!(sandbox.read(ITEM).contains("merge_conflicts"));
    sandbox.ok(&["update", "x", "--priority", "0"]);
    assert!(!sandbox.read(ITEM).contains("merge_conflicts"));
    whole(&sandbox);
}

/// A merge of two branches that Git did on its own, without the drivers: markers in both files.
fn marked() -> Sandbox {
    let mut sandbox = repository();
    let ours: &[&[&str]] = &[&["notes", "x", "ours"], &["update", "x", "--add-tags", "p", "--priority", "1"]];
    let theirs: &[&[&str]] =
        &[&["update", "x", "--add-tags", "q", "--priority", "3"], &["notes", "x", "theirs"]];
    on_branch(&mut sandbox, "a", "2026-03-01T00:00:00.000Z", ours);
    on_branch(&mut sandbox, "b", "2026-03-02T00:00:00.000Z", theirs);
    for driver in ["pm-item-toon", "pm-history"] {
        git(&sandbox, &["config", "--remove-section", &format!("merge.{driver}")]);
    }
    let (code, _) = git(&sandbox, &["merge", "-q", "--no-edit", "a"]);
    assert_ne!(code, 0);
    assert!(sandbox.read(ITEM).contains("<<<<<<<") && sandbox.read(STREAM).contains("<<<<<<<"));
    sandbox
}

#[test]
fn a_merge_without_the_drivers_is_told_and_mended() {
    for committed in [false, true] {
        let sandbox = marked();
        if committed {
            commit(&sandbox);
        }
        let listed = sandbox.json(&["list"]);
        assert_eq!(listed["warnings"], json!(["conflicted:tasks/pm-x.toon"]));
        assert_eq!(listed["completeness"]["unreadable_item_count"], 1);
        // It is shown with what each branch says, and cannot be written.
        assert_eq!(
            (&listed["items"][0]["id"], &listed["items"][0]["status"]),
            (&json!("pm-x"), &json!("conflicted"))
        );
        assert_eq!(sandbox.json(&["list", "--status", "conflicted"])["total"], 1);
        assert_eq!(sandbox.json(&["list", "--output-include", "full"])["items"][0]["status"], "conflicted");
        let shown = sandbox.json(&["get", "x"]);
        assert_eq!(
            (&shown["item"]["status"], &shown["item"]["title"]),
            (&json!("conflicted"), &json!("Shared"))
        );
        assert_eq!(shown["item"]["merge_conflicts"]["priority"]["values"], json!([1, 3]));
        assert_eq!(
            shown["warnings"],
            json!(["conflicted:tasks/pm-x.toon", "resolve_with:pm merge resolve pm-x"])
        );
        assert_eq!(sandbox.json(&["get", "x", "x"])["items"][0]["status"], "conflicted");
        let row = sandbox.json(&["merge", "status"])["conflicts"][0].clone();
        assert_eq!((&row["id"], &row["kind"]), (&json!("pm-x"), &json!("item_markers")));
        let bytes = sandbox.read(ITEM);
        sandbox.refused(&["update", "x", "--title", "T"], 1, "merge_conflict_markers_detected");
        assert_eq!(sandbox.read(ITEM), bytes);
        assert_eq!(sandbox.pm(&["validate", "--json"]).json()["ok"], false);
        let status = sandbox.json(&["merge", "status", "x"]);
        assert_eq!((&status["ours"]["priority"], &status["theirs"]["priority"]), (&json!(3), &json!(1)));
        let done = sandbox.json(&["merge", "resolve", "x", "--ours"]);
        assert_eq!(done["decided"], json!([{"field": "priority", "value": 3}]));
        let item = sandbox.json(&["get", "x", "--full"])["item"].clone();
        assert_eq!((&item["tags"], &item["priority"]), (&json!(["p", "q"]), &json!(3)));
        assert_eq!(item["notes"].as_array().map(Vec::len), Some(2));
        whole(&sandbox);
        sandbox.ok(&["comments", "x", "goes on"]);
        whole(&sandbox);
    }
}

/// The version before both branches is known from Git: what one branch alone changed is no question, and what one took
/// away stays away.
#[test]
fn a_merge_without_the_drivers_knows_the_version_before_both() {
    for by in [&["merge", "resolve", "x"][..], &["merge", "reconcile"]] {
        let mut sandbox = repository();
        sandbox.ok(&["update", "x", "--tags", "x,y", "--assignee", "bob", "--description", "before"]);
        commit(&sandbox);
        let ours: &[&[&str]] =
            &[&["update", "x", "--title", "Ours", "--tags", "y,z"], &["update", "x", "--unset", "assignee"]];
        let theirs: &[&[&str]] = &[&["update", "x", "--description", "theirs", "--tags", "x,y,w"]];
        on_branch(&mut sandbox, "a", "2026-03-01T00:00:00.000Z", ours);
        on_branch(&mut sandbox, "b", "2026-03-02T00:00:00.000Z", theirs);
        for driver in ["pm-item-toon", "pm-history"] {
            git(&sandbox, &["config", "--remove-section", &format!("merge.{driver}")]);
        }
        assert_ne!(git(&sandbox, &["merge", "-q", "--no-edit", "a"]).0, 0);
        sandbox.ok(by);
        let item = sandbox.json(&["get", "x", "--full"])["item"].clone();
        assert_eq!((&item["title"], &item["description"]), (&json!("Ours"), &json!("theirs")), "{by:?}");
        assert_eq!(item["tags"], json!(["w", "y", "z"]), "{by:?}");
        assert!(item["assignee"].is_null(), "{by:?}");
        assert_eq!(sandbox.json(&["merge", "status"])["count"], 0, "{by:?}");
        whole(&sandbox);
    }
}

#[test]
fn reconciling_merges_what_merges_by_itself_and_names_the_rest() {
    let sandbox = marked();
    let plan = sandbox.pm(&["merge", "reconcile", "--dry-run", "--json"]).json();
    assert_eq!((&plan["reconciled"], &plan["dry_run"]), (&json!(1), &json!(true)));
    assert!(sandbox.read(ITEM).contains("<<<<<<<"));
    let output = sandbox.pm(&["merge", "reconcile", "--json"]);
    let done = output.expect(1).json();
    assert_eq!((&done["reconciled"], &done["left"]), (&json!(1), &json!(["pm-x"])), "{done}");
    assert_eq!(sandbox.json(&["list"])["items"][0]["status"], "conflicted");
    whole(&sandbox);
    sandbox.ok(&["merge", "resolve", "x", "--theirs"]);
    let again = sandbox.json(&["merge", "reconcile"]);
    assert_eq!((&again["checked"], &again["left"]), (&json!(0), &json!([])));
}

#[test]
fn receipts_of_the_reference_are_noted_and_discards_are_accepted_first() {
    let sandbox = repository();
    let receipt = json!({
        "version": 1, "id": "r1", "item_path": ".agents/pm/tasks/pm-x.toon", "item_id": "pm-x", "state": "pending",
        "created_at": "2026-03-01T00:00:00.000Z", "decisions": [{"field": "priority", "retained": 1, "discarded": 3}],
    });
    sandbox.write(".agents/pm/merge-receipts/r1.json", receipt.to_string());
    assert_eq!(sandbox.json(&["merge", "report"])["receipts"][0]["item_id"], "pm-x");
    let error = sandbox.refused(&["merge", "reconcile"], 4, "merge_reconcile_discards_require_acceptance");
    assert_eq!(error["recovery"]["items"], json!(["pm-x"]));
    let done = sandbox.json(&["merge", "reconcile", "--force"]);
    assert_eq!((&done["receipts"], &done["reconciled"]), (&json!(1), &json!(1)));
    let last = sandbox.read(STREAM).lines().last().unwrap().to_owned();
    let last: Value = serde_json::from_str(&last).unwrap();
    assert_eq!(
        (&last["op"], &last["context"]["merge"]["receipts"][0]["id"]),
        (&json!("merge_reconcile"), &json!("r1"))
    );
    whole(&sandbox);
    assert!(sandbox.read(".agents/pm/merge-receipts/r1.json").contains("\"reconciled\""));
    assert_eq!(sandbox.json(&["merge", "report"])["receipts"], json!([]));
    assert_eq!(sandbox.json(&["merge", "reconcile"])["checked"], 0);
}

#[test]
fn drivers_that_cannot_be_installed_are_refused() {
    let sandbox = Sandbox::tracker();
    sandbox.refused(&["merge", "install"], 3, "merge_root_not_found");
    sandbox.refused(&["merge", "install", "--dry-run"], 3, "merge_root_not_found");
    // A folder that looks like a repository and is none.
    std::fs::create_dir(sandbox.path().join(".git")).unwrap();
    sandbox.refused(&["merge", "install"], 5, "merge_git_config_unwritable");
    assert!(!sandbox.path().join(".gitattributes").exists(), "nothing was changed");
}

#[test]
fn files_that_are_none_are_refused_and_left_alone() {
    let sandbox = Sandbox::empty();
    sandbox.write("o", "");
    sandbox.write("a", "id: pm-a\ntags[2]: x\n");
    sandbox.write("b", "no item");
    sandbox.refused(&["merge", "driver", "item", "o", "a", "b"], 1, "merge_input_invalid");
    assert_eq!(sandbox.read("a"), "id: pm-a\ntags[2]: x\n");
    sandbox.refused(&["merge", "driver", "json", "o", "a", "missing"], 1, "merge_input_invalid");
}

/// Two branches that both add to one item, committed; the second is checked out.
fn both_added() -> Sandbox {
    let mut sandbox = repository();
    let ours: &[&[&str]] = &[&["comments", "x", "ours"], &["update", "x", "--add-tags", "p"]];
    let theirs: &[&[&str]] =
        &[&["comments", "x", "theirs"], &["update", "x", "--add-tags", "q"], &["notes", "x", "n"]];
    on_branch(&mut sandbox, "a", "2026-03-01T00:00:00.000Z", ours);
    on_branch(&mut sandbox, "b", "2026-03-02T00:00:00.000Z", theirs);
    sandbox
}

fn has_both(sandbox: &Sandbox) {
    let item = sandbox.json(&["get", "x", "--full"])["item"].clone();
    let texts: Vec<&str> =
        item["comments"].as_array().into_iter().flatten().filter_map(|row| row["text"].as_str()).collect();
    assert_eq!(texts, ["ours", "theirs"]);
    assert_eq!((&item["tags"], &item["notes"][0]["text"]), (&json!(["p", "q"]), &json!("n")));
    whole(sandbox);
}

#[test]
fn a_rebase_keeps_what_both_sides_added() {
    let sandbox = both_added();
    let (code, text) = git(&sandbox, &["rebase", "-q", "a"]);
    assert_eq!(code, 0, "{text}");
    has_both(&sandbox);
}

#[test]
fn a_cherry_pick_keeps_what_both_sides_added() {
    let sandbox = both_added();
    git(&sandbox, &["checkout", "-q", "a"]);
    let (code, text) = git(&sandbox, &["cherry-pick", "b"]);
    assert_eq!(code, 0, "{text}");
    has_both(&sandbox);
}

#[test]
fn a_merge_in_another_worktree_uses_the_drivers_too() {
    let sandbox = both_added();
    let (code, text) = git(&sandbox, &["worktree", "add", "-q", "tree", "a"]);
    assert_eq!(code, 0, "{text}");
    let (code, text) = git(&sandbox, &["-C", "tree", "merge", "-q", "--no-edit", "b"]);
    assert_eq!(code, 0, "{text}");
    let item = sandbox.json(&["get", "x", "--full", "--pm-path", "tree/.agents/pm"])["item"].clone();
    assert_eq!((&item["tags"], item["comments"].as_array().map(Vec::len)), (&json!(["p", "q"]), Some(2)));
    let verdict = sandbox.json(&["history", "x", "--verify", "--pm-path", "tree/.agents/pm"]);
    assert_eq!(verdict["verification"]["current_matches_latest"], true, "{verdict}");
    let (_, status) = git(&sandbox, &["status", "--porcelain", "--", ".agents"]);
    assert_eq!(status, "", "the first worktree is left alone");
}

/// Real merges of other trackers, where there are any: what both sides added is in the result, which verifies.
#[test]
fn real_merges_lose_nothing() {
    let cases =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("shared/data/merge-cases");
    if !cases.is_dir() {
        crate::corpus::skipped("../shared/data/merge-cases");
        return;
    }
    let mut seen = 0;
    let below = |folder: &std::path::Path| -> Vec<std::path::PathBuf> {
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    for case in below(&cases).iter().flat_map(|project| below(project)) {
        for stream in below(&case).into_iter().filter(|path| path.join("ours.jsonl").is_file()) {
            let sandbox = Sandbox::empty();
            let name = stream.file_name().unwrap().to_string_lossy().replace("history__", "");
            let item = below(&case)
                .into_iter()
                .find(|path| path.to_string_lossy().ends_with(&name.replace(".jsonl", ".toon")));
            let Some(item) = item else { continue };
            let kind = item.file_name().unwrap().to_string_lossy().split("__").next().unwrap().to_owned();
            let id = name.trim_end_matches(".jsonl");
            let place = |side: &str| {
                let paths = [
                    (format!(".agents/pm/history/{name}"), stream.join(format!("{side}.jsonl"))),
                    (format!(".agents/pm/{kind}/{id}.toon"), item.join(format!("{side}.toon"))),
                ];
                for (to, from) in paths {
                    if from.is_file() {
                        sandbox.write(&to, std::fs::read(from).unwrap());
                    }
                }
            };
            git(&sandbox, &["init", "-q", "-b", "main"]);
            sandbox.ok(&["init"]);
            place("base");
            commit(&sandbox);
            for side in ["ours", "theirs"] {
                git(&sandbox, &["checkout", "-q", "-B", side, "main"]);
                place(side);
                commit(&sandbox);
            }
            // An item that a side does not have has no rows.
            let rows = |list: &str| -> Vec<Value> {
                let output = sandbox.pm(&["get", id, "--full", "--output-budget", "unbounded", "--json"]);
                if output.code == 3 {
                    return Vec::new();
                }
                output.expect(0).json()["item"][list].as_array().cloned().unwrap_or_default()
            };
            let lists = ["comments", "notes", "tags", "files", "dependencies", "learnings"];
            let mut had = Vec::new();
            for side in ["main", "ours", "theirs"] {
                git(&sandbox, &["checkout", "-q", side]);
                had.push(lists.map(rows));
            }
            let (_, text) = git(&sandbox, &["merge", "-q", "--no-edit", "ours"]);
            for (n, list) in lists.iter().enumerate() {
                let merged = rows(list);
                for row in had[1][n].iter().chain(&had[2][n]).filter(|row| !had[0][n].contains(row)) {
                    assert!(merged.contains(row), "{id} lost {row} of {list}: {text}");
                }
            }
            let verdict = sandbox.json(&["history", id, "--verify"])["verification"].clone();
            assert_eq!(
                (&verdict["ok"], &verdict["current_matches_latest"]),
                (&json!(true), &json!(true)),
                "{id}: {verdict}"
            );
            seen += 1;
        }
    }
    assert!(seen > 0);
}

#[test]
fn markers_around_one_version_are_damage_and_no_conflict() {
    let sandbox = repository();
    let text = sandbox.read(ITEM);
    sandbox.write(ITEM, format!("<<<<<<< a\n{text}=======\n{text}>>>>>>> b\n"));
    let listed = sandbox.json(&["list", "--all"]);
    assert_eq!((&listed["total"], &listed["completeness"]["unreadable_item_count"]), (&json!(0), &json!(1)));
    sandbox.refused(&["get", "x"], 1, "merge_conflict_markers_detected");
}

#[test]
fn versions_that_merge_by_themselves_wait_for_the_command_that_merges_them() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["Shared", "--id", "x"]);
    let text = sandbox.read(ITEM);
    let other = text.replace("priority: 2", "priority: 2\nrisk: high");
    sandbox.write(ITEM, format!("<<<<<<< a\n{text}=======\n{other}>>>>>>> b\n"));
    let listed = sandbox.json(&["list"]);
    assert_eq!((&listed["total"], &listed["items"][0]["status"]), (&json!(1), &json!("conflicted")));
    assert_eq!(sandbox.json(&["get", "x"])["item"]["title"], "Shared");
}

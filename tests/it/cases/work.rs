//! O33 to O35: what may be worked on next.

use serde_json::Value;

use crate::sandbox::Sandbox;

/// The ids that `next` offers.
fn offered(sandbox: &Sandbox) -> Vec<String> {
    let answer = sandbox.json(&["next", "--limit", "20"]);
    let rows = answer["ready"].as_array().cloned().unwrap_or_default();
    std::iter::once(&answer["recommended"])
        .chain(&rows)
        .filter_map(|row| row["id"].as_str())
        .map(str::to_owned)
        .collect()
}

#[test]
fn o33_both_ways_to_say_who_blocks_whom_mean_the_same() {
    for by_blocked in [true, false] {
        let sandbox = Sandbox::tracker();
        sandbox.create(&["B", "--id", "bb"]);
        if by_blocked {
            sandbox.create(&["A", "--id", "aa", "--blocked-by", "bb"]);
        } else {
            sandbox.create(&["A", "--id", "aa"]);
            sandbox.ok(&["update", "bb", "--dep", "id=aa,kind=blocks"]);
        }
        assert_eq!(offered(&sandbox), ["pm-bb"], "{by_blocked}");
        sandbox.ok(&["close", "bb", "Done"]);
        assert_eq!(offered(&sandbox), ["pm-aa"], "{by_blocked}");
    }
}

#[test]
fn o34_an_epic_is_no_work_while_its_children_are() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["E", "--id", "ee", "--type", "Epic"]);
    for id in ["c1", "c2"] {
        sandbox.create(&["Child", "--id", id, "--parent", "ee"]);
    }
    assert!(!offered(&sandbox).contains(&"pm-ee".to_owned()));
    sandbox.ok(&["close", "c1", "Done"]);
    sandbox.ok(&["close", "c2", "Done"]);
    let answer = sandbox.json(&["next"]);
    assert_eq!(answer["recommended"]["id"], "pm-ee");
    assert!(answer["recommended"]["reasons"].to_string().contains("close"), "{answer}");
}

#[test]
fn o35_a_blocker_that_does_not_exist_blocks() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["Near", "--id", "nape"]);
    let error = sandbox.refused(
        &["create", "X", "--id", "xx", "--dep", "id=nope,kind=blocked_by"],
        3,
        "dependency_target_not_found",
    );
    assert!(error.to_string().contains("pm-nape"), "{error}");
    sandbox.create(&["X", "--id", "xx"]);
    let path = ".agents/pm/tasks/pm-xx.toon";
    let item = sandbox.read(path).replace("body:", "blocked_by: pm-nope\nbody:");
    sandbox.write(path, item);
    assert_eq!(offered(&sandbox), ["pm-nape"]);
    let validated: Value = sandbox.pm(&["validate", "--json"]).json();
    assert!(validated.to_string().contains("pm-nope"), "{validated}");
}

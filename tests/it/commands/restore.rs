use crate::sandbox::Sandbox;

const ITEM: &str = ".agents/pm/tasks/pm-a.toon";

fn changed() -> (Sandbox, String) {
    let mut sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "a", "--body", "start"]);
    let first = sandbox.read(ITEM);
    sandbox.set("PM_CLOCK", "2026-03-02T00:00:00.000Z");
    sandbox.ok(&["update", "a", "--title", "B", "--priority", "0", "--body", "later"]);
    sandbox.set("PM_CLOCK", "2026-03-03T00:00:00.000Z");
    (sandbox, first)
}

#[test]
fn a_version_comes_back_as_it_was() {
    let (sandbox, first) = changed();
    sandbox.ok(&["restore", "a", "1"]);
    assert_eq!(sandbox.read(ITEM), first);
    sandbox.ok(&["restore", "a", "2026-03-02T12:00:00Z"]);
    assert!(sandbox.read(ITEM).contains("title: B\n"));
    let history = sandbox.json(&["history", "a", "--verify"]);
    assert_eq!(history["verification"]["ok"], true);
    assert_eq!(history["compact_history"][2]["op"], "restore");
}

#[test]
fn a_deleted_item_comes_back_too() {
    let (sandbox, first) = changed();
    sandbox.ok(&["delete", "a"]);
    sandbox.refused(&["restore", "a", "3"], 2, "history_target_out_of_range");
    sandbox.ok(&["restore", "a", "1"]);
    assert_eq!(sandbox.read(ITEM), first);
    assert_eq!(sandbox.json(&["history", "a", "--verify"])["verification"]["ok"], true);
}

/// Who looks for an item that is gone is told the call that brings it back as it was last.
#[test]
fn the_hint_of_a_deleted_item_brings_it_back() {
    let (sandbox, _) = changed();
    let last = sandbox.read(ITEM);
    sandbox.ok(&["delete", "a"]);
    let error = sandbox.refused(&["get", "a"], 3, "item_not_found");
    let hints = error["next_steps"].as_array().expect("hints").iter().filter_map(serde_json::Value::as_str);
    let mut hints = hints.filter(|hint| hint.starts_with("pm restore "));
    let hint = hints.next().expect("one restores").to_owned();
    sandbox.ok(&hint.split(' ').skip(1).collect::<Vec<_>>());
    assert_eq!(sandbox.read(ITEM), last);
}

#[test]
fn what_is_no_version_is_refused() {
    let (sandbox, _) = changed();
    for (target, code) in [
        ("99", "history_target_out_of_range"),
        ("0", "history_target_out_of_range"),
        ("2020-01-01", "history_target_out_of_range"),
        ("soon", "invalid_argument_value"),
    ] {
        sandbox.refused(&["restore", "a", target], 2, code);
    }
    sandbox.refused(&["restore", "nope", "1"], 3, "item_not_found");
}

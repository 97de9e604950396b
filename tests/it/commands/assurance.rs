//! `pm assurance`.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// A gate of assertions over everything that can be measured; the one that blocks and fails comes last.
fn tracker() -> Sandbox {
    let pm = Sandbox::with_items(&[
        ("pm-a", "type: Epic\ndescription: \"see pm-b and pm-d\""),
        (
            "pm-b",
            "parent: pm-a\ndependencies[2]{id,kind,created_at,source_kind}:\n      pm-c,blocks,\"2026-02-01T00:00:00.000Z\",cli\n      pm-d,related_to,\"2026-02-01T00:00:00.000Z\",cli",
        ),
        ("pm-c", "status: closed\nfiles[1]{path,scope}:\n      src/a.rs,project"),
        ("pm-d", "tags[1]: x"),
    ]);
    let mut measurements = vec![
        json!({"id": "blocks", "source": {"kind": "dependency_kind", "dependency_kind": "blocks"}}),
        json!({"id": "related", "source": {"kind": "dependency_kind", "dependency_kind": "related"}}),
        json!({"id": "uncited", "source": {"kind": "dependency_kind", "dependency_kind": "blocks", "source_kind_prefix": "proof"}}),
        json!({"id": "open", "source": {"kind": "items", "status": "open"}}),
        json!({"id": "files", "source": {"kind": "links", "link_kind": "files"}}),
        json!({"id": "entries", "source": {"kind": "history"}}),
        json!({"id": "nodes", "source": {"kind": "graph", "operation": "audit", "field": "profile.nodes"}}),
        json!({"id": "isolated", "source": {"kind": "graph", "field": "profile.finding_subjects_by_code.isolated_active_node"}}),
        json!({"id": "unresolved", "source": {"kind": "validate", "check": "resolution", "field": "missing_resolution_items"}}),
        json!({"id": "locks", "source": {"kind": "health", "check": "locks", "field": "status"}}),
        json!({"id": "gaps", "source": {"kind": "prose_edge_gap", "exemptions": []}}),
        json!({"id": "external", "source": {"kind": "provider", "provider": "repo", "key": "k"}}),
    ];
    measurements
        .push(json!({"id": "share", "source": {"kind": "derived", "expression": {"operator": "divide",
        "operands": [{"measurement": "blocks"}, {"measurement": "open"}]}}}));
    let wanted: &[(&str, f64)] = &[
        ("blocks", 1.0),
        ("related", 1.0),
        ("uncited", 0.0),
        ("open", 3.0),
        ("files", 1.0),
        ("entries", 0.0),
        ("nodes", 4.0),
        ("isolated", 0.0),
        ("unresolved", 1.0),
        ("locks", 0.0),
        ("gaps", 1.0),
    ];
    let mut assertions: Vec<Value> = wanted
        .iter()
        .map(|(id, n)| {
            json!({"id": format!("{id}-is"), "measurement_id": id, "equals": n, "enforcement": "block",
            "scope": {"kind": "all"}, "lifetime": "hold"})
        })
        .collect();
    assertions.push(json!({"id": "share-floor", "measurement_id": "share", "floor": 0.3, "ceiling": 0.4, "enforcement": "block"}));
    assertions.push(json!({"id": "old", "measurement_id": "blocks", "floor": 9, "enforcement": "block", "lifetime": "retired"}));
    assertions
        .push(json!({"id": "told", "measurement_id": "external", "floor": 9, "enforcement": "observe"}));
    assertions.push(json!({"id": "advised", "measurement_id": "blocks", "floor": 2, "enforcement": "warn"}));
    assertions
        .push(json!({"id": "broken", "measurement_id": "blocks", "ceiling": 0, "enforcement": "block"}));
    let ids: Vec<&str> = assertions.iter().map(|a| a["id"].as_str().unwrap()).collect();
    let soft: Vec<&str> = ids.iter().copied().filter(|id| *id != "broken").collect();
    let gates = json!([{"id": "all", "assertion_ids": ids, "triggers": ["ci"]},
        {"id": "soft", "assertion_ids": soft, "triggers": ["ci"]}, {"id": "odd", "assertion_ids": ["none"]}]);
    let registry =
        json!({"version": 1, "measurements": measurements, "assertions": assertions, "gates": gates});
    pm.write(".agents/pm/assurance.json", registry.to_string());
    pm
}

fn verdicts(answer: &Value) -> Vec<(&str, &str)> {
    let rows = answer["assertions"].as_array().unwrap().iter();
    rows.map(|row| (row["id"].as_str().unwrap(), row["verdict"].as_str().unwrap())).collect()
}

#[test]
fn a_gate_judges_and_tells_the_worst_first() {
    let pm = tracker();
    let answer = pm.pm(&["assurance", "run", "all", "--json"]).expect(1).json();
    let told = verdicts(&answer);
    assert_eq!(
        told[..4],
        [("broken", "fail"), ("advised", "fail"), ("told", "unknown"), ("old", "retired")],
        "{answer}"
    );
    assert!(told[4..].iter().all(|(_, verdict)| *verdict == "pass"), "{answer}");
    assert_eq!(
        (&answer["verdict"], &answer["assertions_total"], &answer["blocking_count"]),
        (&json!("fail"), &json!(16), &json!(1))
    );
    assert_eq!(answer["assertions"][0]["reason"], "1 is above the ceiling 0");
    let soft = pm.json(&["assurance", "run", "soft", "--trigger", "ci", "--tree", "abc"]);
    assert_eq!(
        (&soft["verdict"], &soft["warning_count"], &soft["tree"]),
        (&json!("warn"), &json!(1), &json!("abc"))
    );
    let odd = pm.pm(&["assurance", "run", "odd", "--json"]).expect(1).json();
    assert_eq!(verdicts(&odd), [("none", "unknown")]);
}

#[test]
fn a_small_budget_keeps_what_fails() {
    let pm = tracker();
    let answer = pm.pm(&["assurance", "run", "all", "--output-budget", "900", "--json"]).expect(1).json();
    assert_eq!((&answer["assertions"][0]["id"], &answer["assertions_total"]), (&json!("broken"), &json!(16)));
    assert_eq!(answer["budget_retention_policy"], "verdict_priority");
}

#[test]
fn declarations_are_listed_and_shown() {
    let pm = tracker();
    let all = pm.json(&["assurance", "list", "--output-budget", "unbounded"]);
    assert_eq!(
        (all["measurements"].as_array().unwrap().len(), all["gates"][0]["assertion_count"].clone()),
        (13, json!(16))
    );
    assert_eq!(pm.json(&["assurance", "list", "assertions"])["assertions"][0]["bound"], "equals 1.0");
    assert_eq!(pm.json(&["assurance", "show", "gate", "odd"])["gate"]["assertion_ids"], json!(["none"]));
    let error = pm.refused(&["assurance", "run", "al"], 3, "assurance_declaration_not_found");
    assert_eq!(error["recovery"]["nearest"][0], "all");
    pm.refused(&["assurance", "list", "moons"], 2, "invalid_argument_value");
    pm.refused(&["assurance", "run", "all", "--trigger", "never"], 2, "invalid_argument_value");
    pm.write(".agents/pm/assurance.json", "[]");
    pm.refused(&["assurance", "list"], 1, "assurance_registry_invalid");
    let none = Sandbox::with_items(&[]);
    assert_eq!(none.json(&["assurance", "list"])["gates"], json!([]));
}

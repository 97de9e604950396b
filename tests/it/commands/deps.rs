//! `pm deps`.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

fn tracker() -> Sandbox {
    Sandbox::with_items(&[
        ("pm-root", "dependencies[1]{id,kind,created_at}:\n  pm-mid,blocks,\"2026-02-01T00:00:00.000Z\""),
        ("pm-mid", "parent: pm-epic"),
        ("pm-leaf", "blocked_by: pm-mid"),
        ("pm-epic", "type: Epic\nparent: pm-top"),
        ("pm-top", "type: Epic"),
        ("pm-side", "dependencies[1]{id,kind,created_at}:\n  pm-mid,related,\"2026-02-01T00:00:00.000Z\""),
        ("pm-far", "dependencies[1]{id,kind,created_at}:\n  pm-side,related,\"2026-02-01T00:00:00.000Z\""),
        ("pm-odd", "blocked_by: pm-nowhere"),
    ])
}

fn lines(answer: &Value) -> Vec<String> {
    let rows = answer["tree"].as_array().unwrap().iter();
    rows.map(|row| {
        format!("{} {} {}", row["depth"], row["role"].as_str().unwrap(), row["id"].as_str().unwrap())
    })
    .collect()
}

#[test]
fn both_directions_are_shown_nearest_first() {
    let pm = tracker();
    let answer = pm.json(&["deps", "mid"]);
    assert_eq!(
        lines(&answer),
        [
            "1 prerequisite pm-root",
            "1 dependent pm-leaf",
            "1 ancestor pm-epic",
            "1 related pm-side",
            "2 ancestor pm-top"
        ]
    );
    assert_eq!((&answer["node_count"], &answer["root"]["id"]), (&json!(6), &json!("pm-mid")));
    assert_eq!(lines(&pm.json(&["deps", "pm-root"])), ["1 dependent pm-mid", "2 dependent pm-leaf"]);
    assert_eq!(
        lines(&pm.json(&["deps", "pm-mid", "--max-depth", "1", "--direction", "incoming"])),
        ["1 prerequisite pm-root", "1 dependent pm-leaf", "1 related pm-side"]
    );
    assert_eq!(
        lines(&pm.json(&["deps", "pm-mid", "--kind", "parent"])),
        ["1 ancestor pm-epic", "2 ancestor pm-top"]
    );
    assert_eq!(lines(&pm.json(&["deps", "pm-mid", "--max-depth", "0"])), [""; 0]);
}

#[test]
fn a_name_that_leads_nowhere_is_shown_as_missing() {
    let pm = tracker();
    let answer = pm.json(&["deps", "pm-odd"]);
    assert_eq!(answer["missing_count"], 1);
    assert_eq!(
        (&answer["tree"][0]["id"], &answer["tree"][0]["status"]),
        (&json!("pm-nowhere"), &json!("missing"))
    );
    pm.refused(&["deps", "pm-nope"], 3, "item_not_found");
}

#[test]
fn the_graph_has_nodes_and_the_links_as_they_are_stored() {
    let pm = tracker();
    let graph = pm.json(&["deps", "pm-mid", "--format", "graph", "--max-depth", "1"])["graph"].clone();
    let nodes: Vec<&str> =
        graph["nodes"].as_array().unwrap().iter().map(|n| n["id"].as_str().unwrap()).collect();
    assert_eq!(nodes, ["pm-mid", "pm-root", "pm-leaf", "pm-epic", "pm-side"]);
    assert_eq!(graph["edges"][0], json!({"from": "pm-leaf", "to": "pm-mid", "kind": "blocked_by"}));
    assert_eq!(graph["edges"].as_array().unwrap().len(), 4);
    let whole = pm.json(&["deps", "pm-mid", "--format", "graph"]);
    assert_eq!((&whole["node_count"], &whole["edge_count"]), (&json!(7), &json!(6)));
    let cut = pm.json(&["deps", "pm-mid", "--format", "graph", "--node-limit", "3"]);
    assert_eq!(cut["graph"]["nodes"].as_array().unwrap().len(), 3);
}

#[test]
fn a_context_packs_the_nearest_and_a_summary_only_counts() {
    let pm = tracker();
    let context =
        pm.json(&["deps", "pm-mid", "--format", "context", "--token-budget", "30"])["context"].clone();
    assert_eq!(context["nodes"].as_array().unwrap().len(), 2);
    assert_eq!(context["summary"]["directEdges"]["prerequisite"], 1);
    assert_eq!(context["nodes"][0]["role"], "prerequisite");
    let summary = pm.json(&["deps", "pm-root", "--summary"]);
    assert_eq!((&summary["node_count"], &summary["edge_count"]), (&json!(2), &json!(1)));
    assert!(summary["tree"].is_null());
    pm.refused(&["deps", "pm-root", "--summary", "--full"], 2, "projection_options_mutually_exclusive");
    pm.refused(&["deps", "pm-root", "--format", "tre"], 2, "invalid_argument_value");
    pm.refused(&["deps", "pm-root", "--kind", "blockd"], 2, "invalid_argument_value");
}

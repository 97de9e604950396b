//! Statements about what an answer says of itself, and what the library says of answers.

use super::*;

#[test]
fn s84_s85_a_row_contract_on_request() {
    let answer = || {
        Answer::new()
            .value("totals", json!({"items": 3}))
            .rows("by_type", Rows::entries(vec![("Task".into(), json!(3)), ("Bug".into(), json!(1))]))
            .rows("by_status", Rows::entries(vec![("open".into(), json!(4))]))
    };
    let json = value(&read(answer(), surfaces::STATS, &["--json", "--output-row-contract"]).unwrap());
    assert_eq!(json["row_contract"]["row_keys"], json!(["by_type", "by_status"]));
    assert_eq!(json["row_contract"]["fields"], "unsupported");
    assert!(json["row_contract"]["jq_selector"].as_str().unwrap().contains("getpath"));
    assert!(json.get("read_output").is_some());
    let bounded = value(&read(answer(), surfaces::STATS, &["--json", "--output-limit=1"]).unwrap());
    assert_eq!((&bounded["by_type"], &bounded["by_status"]), (&json!({"Task": 3}), &json!({"open": 4})));
}

#[test]
fn the_full_envelope_has_the_reference_order() {
    let answer = list(5)
        .completeness(crate::answer::Completeness::default())
        .echo("now", "2026-01-01T00:00:00.000Z")
        .omits("full_item_fields", "--output-include full");
    let out = read(answer, surfaces::LIST, &["--json", "--full-envelope", "--output-limit=2"]).unwrap();
    let json = value(&out);
    let keys: Vec<_> = json.as_object().unwrap().keys().cloned().collect();
    assert_eq!(
        keys,
        [
            "items",
            "count",
            "total",
            "applied_limit",
            "has_more",
            "truncated",
            "next_cursor",
            "applied_bound",
            "completeness",
            "filters",
            "now",
            "omission_receipt",
            "read_output"
        ]
    );
}

#[test]
fn what_could_not_be_read_is_named() {
    let partial = crate::answer::Completeness {
        unreadable: vec![("tasks/pm-x.toon".into(), "item_document_invalid".into(), "no item".into())],
        unreadable_directories: 0,
    };
    let json = value(&read(list(1).completeness(partial), surfaces::LIST, &["--json"]).unwrap());
    assert_eq!(
        (&json["completeness"]["status"], &json["completeness"]["unreadable"][0]["path"]),
        (&json!("partial"), &json!("tasks/pm-x.toon"))
    );
}

#[test]
fn the_library_speaks_the_same_contract() {
    let options =
        json!({"outputInclude": ["id", "title"], "output_limit": 2, "outputSession": null, "status": "open"});
    let controls = resolve_read_output_dimensions("list-open", options.as_object().unwrap()).unwrap();
    assert_eq!(controls.dimensions()["amount"], json!({"value": 2, "source": "canonical"}));
    let envelope =
        json!({"items": (0..5).map(row).collect::<Vec<_>>(), "count": 5, "total": 5, "note": "kept"});
    let applied = apply_read_output_dimensions(envelope.clone(), &controls).unwrap();
    assert_eq!(applied.value["items"].as_array().unwrap().len(), 2);
    assert_eq!(applied.value["items"][0].as_object().unwrap().len(), 2);
    assert_eq!((&applied.value["count"], &applied.value["note"]), (&json!(2), &json!("kept")));
    let said = applied.value["read_output"]["estimated_tokens"].as_u64().unwrap();
    assert_eq!(said, (applied.value.to_string().len() as u64).div_ceil(4));
    let tiny =
        resolve_read_output_dimensions("ctx", json!({"outputBudget": 1}).as_object().unwrap()).unwrap();
    let omitted = apply_read_output_dimensions(envelope, &tiny).unwrap();
    assert!(is_read_output_budget_exceeded(&omitted.value) && omitted.exit_code == 2);
    let typed = PmReadOutputBudgetExceeded::of(&omitted.value).unwrap();
    assert_eq!(typed.recovery, json!({"outputBudget": "unbounded"}));
    assert_eq!(read_output_include_mode_options("health"), ["brief", "full", "summary"]);
    assert_eq!(read_output_include_mode_options("create"), [""; 0]);
}

/// A number is what it says, whichever way a program writes it, among the controls and among the older options.
#[test]
fn whole_floats_are_numbers() {
    for key in ["limit", "outputLimit", "tokenBudget", "outputBudget"] {
        let resolved = |value: Value| {
            let options = json!({key: value, "for": "triage"});
            format!("{:?}", resolve_read_output_dimensions("list", options.as_object().unwrap()).unwrap())
        };
        assert_eq!(resolved(json!(700.0)), resolved(json!(700)), "{key}");
        // The older `limit` is the command's own; here only that it was given is known.
        let known = resolved(json!(700.0)) != resolved(json!(701));
        assert_eq!(known, key != "limit", "{key}");
    }
}

#[test]
fn keys_of_the_wrong_type_are_refused_by_the_flag_they_stand_for() {
    let refused = |options: Value| {
        let error = resolve_read_output_dimensions("list", options.as_object().unwrap()).unwrap_err();
        (error.code, error.surface.clone().unwrap_or_default())
    };
    for (options, flag) in [
        (json!({"outputInclude": [1]}), "--output-include"),
        (json!({"outputInclude": {}}), "--output-include"),
        (json!({"outputLimit": true}), "--output-limit"),
        (json!({"output_limit": -1}), "--output-limit"),
        (json!({"outputBudget": [600]}), "--output-budget"),
        (json!({"outputBudget": 1.5}), "--output-budget"),
        (json!({"outputFormat": 1}), "--output-format"),
        (json!({"outputCursor": {}}), "--output-cursor"),
        (json!({"outputRowContract": "yes"}), "--output-row-contract"),
    ] {
        assert_eq!(refused(options.clone()), (Code::InvalidArgumentValue, flag.to_owned()), "{options}");
    }
    assert_eq!(refused(json!({"outputSession": []})).0, Code::InvalidArgumentValue);
    assert_eq!(refused(json!({"outputSession": {"version": 2}})).0, Code::InvalidReadOutputSession);
}

#[test]
fn s83_discovery_covers_every_surface() {
    let rows = discovery::dimension_rows();
    assert_eq!(rows.len(), surfaces::ALL.len());
    for row in &rows {
        assert_eq!(row["dimensions"].as_object().unwrap().len(), 4);
        assert_eq!(row["precedence"].as_array().unwrap().len(), 4);
        for dimension in row["dimensions"].as_object().unwrap().values() {
            for alias in dimension["legacy_aliases"].as_array().unwrap() {
                let hint = alias["migration_hint"].as_str().unwrap();
                assert!(hint.starts_with(alias["flag"].as_str().unwrap()) && hint.ends_with('.'), "{hint}");
            }
        }
    }
    let list = discovery::projection_contracts(read_output_surface("list"));
    assert_eq!(list["commands"], json!([{"command": "list", "modes": ["brief", "compact", "full"]}]));
    assert_eq!(list["global_ladder_scope"], "union_not_per_command");
}

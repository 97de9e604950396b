//! Statements about controls: grammar, precedence, where they are refused.

use super::*;

#[test]
fn s1_to_s7_values_outside_the_grammar() {
    for value in ["0", "-1", "abc", "1.5", "1e3", "", "99999999999999999999"] {
        for flag in ["--output-limit", "--output-budget"] {
            let error = refused(surfaces::LIST, &[&format!("{flag}={value}")]);
            assert_eq!(error.code, Code::InvalidArgumentValue);
            assert_eq!(error.message, format!("{flag} must be a positive integer or unbounded"));
            assert_eq!((error.surface.as_deref(), error.rejected.as_deref()), (Some(flag), Some(value)));
        }
    }
    for value in ["xml", "JSON", "csv", "table", ""] {
        assert_eq!(code(surfaces::LIST, &[&format!("--output-format={value}")]), Code::InvalidArgumentValue);
    }
    for value in [",", "", " , "] {
        assert_eq!(code(surfaces::LIST, &[&format!("--output-include={value}")]), Code::InvalidArgumentValue);
    }
    assert_eq!(code(surfaces::LIST, &["--output-cursor="]), Code::InvalidArgumentValue);
}

#[test]
fn s11_the_strongest_format_wins() {
    let format = |words: &[&str], defaults: Defaults| {
        let args = OutputArgs { defaults, ..args(words) };
        resolve(&contract(Some(surfaces::LIST)), &args).unwrap().format
    };
    let terminal = Defaults { terminal: true, ..Defaults::default() };
    let environment = Defaults { environment_format: Some("csv".into()), ..terminal.clone() };
    let setting = Defaults { setting_format: Some("json".into()), ..environment.clone() };
    assert_eq!(format(&[], Defaults::default()), Format::Toon);
    assert_eq!(format(&[], terminal), Format::Table);
    assert_eq!(format(&[], environment), Format::Csv);
    assert_eq!(format(&[], setting.clone()), Format::Json);
    assert_eq!(format(&["--format=markdown"], setting.clone()), Format::Markdown);
    assert_eq!(format(&["--format=markdown", "--json"], setting.clone()), Format::Json);
    assert_eq!(format(&["--output-format=toon", "--json"], setting), Format::Toon);
}

#[test]
fn s15_to_s22_controls_are_refused_where_something_changes() {
    let hybrid = contract(Some(surfaces::COMMENTS));
    let mutation = contract(None);
    for control in [
        "--output-include=id",
        "--output-limit=1",
        "--output-budget=1",
        "--output-session={}",
        "--output-cursor=x",
    ] {
        for (contract, words) in [(&hybrid, vec!["--add=hi", control]), (&mutation, vec![control])] {
            let error = resolve(contract, &args(&words)).unwrap_err();
            assert_eq!(error.code, Code::OutputControlNotApplicable);
            assert_eq!(error.surface.as_deref(), control.split('=').next());
        }
    }
    let controls = resolve(&mutation, &args(&["--output-format=json"])).unwrap();
    let out = deliver(Answer::new().value("id", "pm-a1").warn("careful"), &controls, &Environment::default())
        .unwrap();
    assert_eq!(text(&out), "{\n  \"id\": \"pm-a1\",\n  \"warnings\": [\n    \"careful\"\n  ]\n}\n");
}

#[test]
fn s23_to_s28_modes_and_where_they_came_from() {
    let resolved = |words: &[&str]| resolve(&contract(Some(surfaces::LIST)), &args(words)).unwrap();
    for words in [&["--output-include=brief"][..], &["--brief"]] {
        assert_eq!(resolved(words).want.mode.as_deref(), Some("brief"));
    }
    let receipt = |words: &[&str]| {
        let mut all = vec!["--json"];
        all.extend(words);
        value(&read(list(3), surfaces::LIST, &all).unwrap())["read_output"].clone()
    };
    let only = receipt(&["--output-include=brief"]);
    assert_eq!(only["canonical_options_used"], json!(["--output-include"]));
    assert_eq!((&only["legacy_aliases_used"], &only["migration_hints"]), (&json!([]), &json!([])));
    let mixed = receipt(&["--brief", "--output-include=id"]);
    assert_eq!(mixed["legacy_aliases_used"], json!(["--brief"]));
    assert_eq!(mixed["requested_dimensions"], json!(["include"]));
    let full = receipt(&["--full", "--output-include=full", "--limit=2"]);
    assert_eq!(full["legacy_aliases_used"], json!(["--full", "--limit"]));
    assert_eq!(
        full["migration_hints"],
        json!([
            "--full is a compatibility alias; prefer --output-include full.",
            "--limit is a compatibility alias; prefer --output-limit <n>.",
        ])
    );
    assert_eq!(receipt(&[]), Value::Null);
}

#[test]
fn s36_two_modes_exclude_each_other() {
    for words in [&["--output-include=brief,full"][..], &["--brief", "--full"], &["--fields=id", "--full"]] {
        assert_eq!(code(surfaces::LIST, words), Code::ProjectionOptionsMutuallyExclusive);
    }
    // A canonical mode is stronger than an older spelling of another one.
    let resolved = |words: &[&str]| resolve(&contract(Some(surfaces::LIST)), &args(words)).unwrap().want;
    let strongest = resolved(&["--full", "--fields=id", "--output-include=brief"]);
    assert_eq!((strongest.mode.as_deref(), strongest.fields), (Some("brief"), None));
    let narrowed = resolved(&["--fields=title", "--output-include=id"]);
    assert_eq!((narrowed.mode, narrowed.fields, narrowed.selectors), (None, None, vec!["id".to_owned()]));
}

#[test]
fn s42_s50_a_control_that_changes_nothing_says_nothing() {
    let plain = read(list(3), surfaces::LIST, &["--json"]).unwrap().bytes;
    for control in
        ["--output-limit=1000", "--output-limit=unbounded", "--output-budget=5000", "--output-format=json"]
    {
        assert_eq!(read(list(3), surfaces::LIST, &["--json", control]).unwrap().bytes, plain, "{control}");
    }
}

#[test]
fn s54_to_s56_complete_spellings_defeat_the_default_only() {
    for words in [&["--all"][..], &["--no-truncate"], &["--unbounded"]] {
        let json = ["--json"].iter().chain(words).copied().collect::<Vec<_>>();
        assert_eq!(value(&read(list(500), surfaces::LIST, &json).unwrap())["count"], 500, "{words:?}");
    }
    let out = read(list(500), surfaces::LIST, &["--all", "--json", "--output-budget=900"]).unwrap();
    assert!(tokens(&out) <= 900);
    let full = value(&read(list(500), surfaces::LIST, &["--full", "--json"]).unwrap());
    assert!(full["next_cursor"].is_string(), "full is a projection of list, no promise of completeness");
    let controls = resolve(&contract(Some(surfaces::CONTRACTS)), &args(&["--output-include=full"])).unwrap();
    assert_eq!(controls.ceiling, Ceiling { tokens: None, source: BudgetSource::Intent, carried: 0 });
}

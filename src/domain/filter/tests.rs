use clap::Parser;
use serde_json::json;

use super::*;
use crate::model::item::Item;
use crate::model::status::Statuses;

#[derive(Parser)]
#[command(no_binary_name = true)]
struct Line {
    #[command(flatten)]
    filters: FilterArgs,
}

fn records() -> Records {
    let items = [
        json!({"id": "pm-a", "title": "A", "type": "Epic", "status": "open", "priority": 0, "tags": ["core", "sdk"],
            "created_at": "2026-01-01T00:00:00.000Z", "updated_at": "2026-03-01T08:00:00.000Z", "assignee": "ann",
            "notes": [{"text": "n"}], "acceptance_criteria": "x", "effort": 3}),
        json!({"id": "pm-b", "title": "B", "type": "Task", "status": "in_progress", "priority": 1, "tags": ["core"],
            "created_at": "2026-02-01T00:00:00.000Z", "updated_at": "2026-02-25T00:00:00.000Z", "parent": "pm-a",
            "deadline": "2026-03-10T00:00:00.000Z", "blocked_by": "pm-a", "sprint": "s1", "areas": ["ui", "db"]}),
        json!({"id": "pm-c", "title": "C", "type": "Task", "status": "closed", "priority": 2, "tags": [],
            "created_at": "2026-02-02T00:00:00.000Z", "updated_at": "2026-02-10T00:00:00.000Z", "parent": "pm-a"}),
        json!({"id": "pm-d", "title": "D", "type": "Issue", "status": "blocked", "priority": 3, "tags": ["sdk"],
            "created_at": "2026-02-03T00:00:00.000Z", "updated_at": "2026-02-28T23:00:00.000Z", "estimated_minutes": 5}),
    ];
    let item = |value: &Value| Item { metadata: value.as_object().unwrap().clone(), body: "text".into() };
    Records::from_items(
        &items.iter().map(|v| (format!("tasks/{}.toon", v["id"]), item(v))).collect::<Vec<_>>(),
    )
}

fn filter(argv: &str, custom: &[(&str, &str)]) -> Result<Filter> {
    let line = Line::try_parse_from(argv.split_whitespace()).unwrap();
    let custom = custom.iter().map(|(k, v)| ((*k).to_owned(), vec![(*v).to_owned()])).collect();
    let now = crate::domain::dates::parse("2026-03-01T12:00:00Z", 0).unwrap();
    let schema = Schema::default();
    Filter::new(&line.filters, &custom, StatusSet::Open, &Ground { now, schema: &schema, prefix: "pm-" })
}

fn passed(argv: &str, custom: &[(&str, &str)]) -> String {
    let (records, schema) = (records(), Schema::default());
    let filter = filter(argv, custom).unwrap();
    filter.over(&records, &schema).records().map(|record| record.id().trim_start_matches("pm-")).collect()
}

#[test]
fn each_filter_keeps_what_it_says() {
    for (argv, expected) in [
        ("", "abd"),
        ("--status all", "abcd"),
        ("--status blocked", "bd"),
        ("--status blocked,closed", "bcd"),
        ("--type task,EPIC", "ab"),
        ("--type bug", "d"),
        ("--tag core,sdk", "abd"),
        ("--tag-all core,SDK", "a"),
        ("--tag core,sdk --tag-all", "a"),
        ("--tag-all", "abd"),
        ("--priority 0,1", "ab"),
        ("--assignee ann", "a"),
        ("--assignee-filter unassigned", "bd"),
        ("--parent A", "b"),
        ("--parent a --status all", "bc"),
        ("--ids a,#pm-D,nope", "ad"),
        ("--sprint s1", "b"),
        ("--deadline-before 2026-03-10", "b"),
        ("--deadline-after 2026-03-11", ""),
        ("--updated-after -1d", "ad"),
        ("--updated-before 2026-02-25T00:00:00Z", "b"),
        ("--created-after 2026-02-01 --created-before 2026-02-01", "b"),
        ("--recent", "abd"),
        ("--has-notes --has-body", "a"),
        ("--no-notes --filter-estimates-missing", "b"),
        ("--filter-resolution-missing --status all", "c"),
        ("--filter-ac-missing", "bd"),
    ] {
        assert_eq!(passed(argv, &[]), expected, "{argv}");
    }
    assert_eq!(passed("", &[("effort", "3")]), "a");
    assert_eq!(passed("", &[("areas", "db")]), "b");
}

#[test]
fn what_makes_no_sense_is_refused_at_its_flag() {
    for (argv, flag, code) in [
        ("--type taks", "--type", Code::InvalidArgumentValue),
        ("--priority P1", "--priority", Code::InvalidArgumentValue),
        ("--assignee none", "--assignee", Code::InvalidArgumentValue),
        ("--assignee x --assignee-filter unassigned", "--assignee-filter", Code::ConflictingArguments),
        ("--assignee-filter some", "--assignee-filter", Code::InvalidArgumentValue),
        ("--today --recent", "--recent", Code::ConflictingArguments),
        ("--updated-after +3d+1h", "--updated-after", Code::InvalidArgumentValue),
        ("--ids ,", "--ids", Code::InvalidArgumentValue),
        ("--has-docs --no-docs", "--has-docs", Code::ConflictingArguments),
    ] {
        let error = filter(argv, &[]).unwrap_err();
        assert_eq!((error.surface.as_deref(), error.code), (Some(flag), code), "{argv}");
    }
    let error = filter("--deadline-before 2026-02-30", &[]).unwrap_err();
    assert!(error.message.contains("28 days"), "{error}");
}

#[test]
fn tags_that_nobody_has_are_named() {
    let asked = filter("--tag core,ghost --tag-all spectre", &[]).unwrap();
    assert_eq!(asked.unknown_tags(&records()), ["ghost", "spectre"]);
    assert!(Statuses::default().get("open").is_some());
}

#[test]
fn the_echo_names_what_was_asked() {
    let line = Line::try_parse_from("--tag a --tag b --no-files --today".split(' ')).unwrap();
    let echo = serde_json::to_string(&line.filters.echo()).unwrap();
    assert_eq!(echo, r#"{"tag":"a,b","no_files":true,"today":true}"#);
    assert!(FilterArgs::default().is_empty());
}

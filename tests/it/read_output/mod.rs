//! The read-output contract through the binary: the numbered statements of the specification, by number.

mod beside;
mod continuations;
mod controls;
mod cost;
mod damage;
mod every;
mod everything;
mod fuzz;
mod heavy;
mod include;
mod moving;
mod overviews;
mod refusals;
mod sessions;
mod statements;
mod statements_by_section;
mod surfaces;
mod views;
mod walks;

use std::sync::LazyLock;

use pm::commands::CATALOG;
use serde_json::Value;

use crate::sandbox::{Output, Sandbox};

/// Forty open items with long descriptions; nobody changes it.
static SMALL: LazyLock<Sandbox> = LazyLock::new(|| items(40));

/// Five hundred of them: more than any default ceiling holds.
static BIG: LazyLock<Sandbox> = LazyLock::new(|| items(500));

fn id(n: usize) -> String {
    format!("pm-{n:03}")
}

/// A tracker of its own with so many items: tags, a parent for most, a dependency for some, files and comments.
fn items(count: usize) -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write(".agents/pm/settings.json", "{\"version\": 1, \"id_prefix\": \"pm-\"}\n");
    for n in 0..count {
        let mut lines = format!(
            "title: \"Item {n}: something to do, about as long as titles are\"\n\
             description: \"{}\"\nupdated_at: \"2026-02-{:02}T00:{:02}:00.000Z\"\ntags[2]: area-{},release\n",
            "Sentences about it. ".repeat(30),
            1 + (n / 60) % 28,
            n % 60,
            n % 5
        );
        if n > 0 {
            lines.push_str("parent: pm-000\n");
        }
        if n % 7 == 3 {
            lines.push_str(&format!(
                "dependencies[1]{{id,kind,created_at}}:\n      {},blocked_by,\"2026-02-01T00:00:00.000Z\"\n",
                id(n - 1)
            ));
        }
        sandbox.item(&id(n), &lines);
    }
    sandbox.item(
        "pm-000",
        "type: Epic\ntitle: The whole of it\ncomments[3]{created_at,author,text}:\n      \
         \"2026-02-01T00:00:00.000Z\",ann,First\n      \"2026-02-02T00:00:00.000Z\",ann,Second\n      \
         \"2026-02-03T00:00:00.000Z\",ben,Third\nfiles[2]{path,scope}:\n      src/a.rs,project\n      src/b.rs,project",
    );
    sandbox
}

/// Whether the program has a command of this name.
fn exists(command: &str) -> bool {
    CATALOG.iter().any(|surface| surface.contract.path.first() == Some(&command))
}

/// `ceil(bytes / 4)` of what was printed.
fn tokens(output: &Output) -> u64 {
    (output.stdout.len() as u64).div_ceil(4)
}

/// An answer without what a spelling or a clock may change.
fn useful(mut answer: Value) -> Value {
    if let Value::Object(map) = &mut answer {
        for key in ["now", "generated_at", "read_output", "read_session", "cache"] {
            map.shift_remove(key);
        }
    }
    answer
}

fn keys(answer: &Value) -> Vec<String> {
    answer.as_object().map(|map| map.keys().cloned().collect()).unwrap_or_default()
}

fn listed(answer: &Value) -> Vec<String> {
    let rows = answer["items"].as_array().unwrap_or_else(|| panic!("no items in {answer}"));
    rows.iter().map(|row| row["id"].as_str().unwrap_or_default().to_owned()).collect()
}

/// One read of each surface, with the arguments that it needs.
fn reads() -> Vec<Vec<&'static str>> {
    let all: Vec<Vec<&str>> = vec![
        vec!["list"],
        vec!["context"],
        vec!["search", "something"],
        vec!["get", "pm-003"],
        vec!["next"],
        vec!["health", "--check-only"],
        vec!["deps", "pm-003"],
        vec!["graph", "descendants", "pm-000"],
        vec!["history", "pm-000"],
        vec!["activity"],
        vec!["validate", "--check-metadata"],
        vec!["events"],
        vec!["contracts"],
        vec!["comments", "pm-000"],
        vec!["notes", "pm-000"],
        vec!["files", "pm-000"],
        vec!["docs", "pm-000"],
        vec!["stats"],
        vec!["aggregate", "--group-by", "type"],
    ];
    all.into_iter().filter(|argv| exists(argv[0])).collect()
}

/// What stands at a dotted path.
fn at<'a>(answer: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(answer, |place, step| match step.parse::<usize>() {
        Ok(n) if place.is_array() => &place[n],
        _ => &place[step],
    })
}

/// The row collections that a surface declares.
fn row_keys(surface: &str) -> &'static [&'static str] {
    pm::read_output::read_output_surface(surface).map_or(&[], |surface| surface.row_keys)
}

/// The state of a session, as JSON text.
fn state(seen: &[&str], budget: u64, spent: u64) -> String {
    serde_json::json!({"version": 1, "id": "orientation", "token_budget": budget, "spent_tokens": spent,
        "seen_item_ids": seen})
    .to_string()
}

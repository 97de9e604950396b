//! The sections of `pm contracts` that follow from the declarations alone (read-output.md §9).

use serde_json::{Map, Value, json};

use crate::contract::Effect;
use crate::error::Kind;
use crate::grammar::{self, DEPRECATED};
use crate::read_output::{
    FingerprintPolicy, PM_READ_OUTPUT_CONTINUATION_FINGERPRINT_POLICIES as FINGERPRINTS,
};
use crate::surface::{Catalog, Surface};

use super::page::{Entry, Page};
use super::{contracts, schema};

/// The version of the shapes of all sections.
pub const VERSION: &str = "1.0.0";

/// Its name.
pub const ID: &str = "urn:pm:contracts:1";

/// Exit codes that are no error class, then the classes with their meaning.
const CLASSES: [(Kind, &str); 7] = [
    (Kind::Failure, "something inside failed, or a file could not be used"),
    (Kind::Usage, "the call was refused before it did anything"),
    (Kind::NotFound, "the named thing, or the tracker, is not there"),
    (Kind::Conflict, "somebody or something else stands in the way"),
    (Kind::Dependency, "a program or service that the call needs failed"),
    (Kind::NoEffect, "a bulk call matched nothing"),
    (Kind::PartialEffect, "a bulk call did a part of its work"),
];

/// Every class of errors with its meaning.
pub fn classes() -> [(Kind, &'static str); 7] {
    CLASSES
}

/// The name of a command as an action: `plan-add-step`.
pub fn action(surface: &Surface) -> String {
    surface.contract.path.join("-")
}

/// One command in a line: what it does, the options that its examples use, its ceiling.
pub fn summary(surface: &Surface, scoped: bool) -> Map<String, Value> {
    let contract = surface.contract;
    let mut row = Map::new();
    row.insert("command".into(), surface.name().into());
    row.insert("intent".into(), contract.about.into());
    let mut flags: Vec<&str> = Vec::new();
    for word in contract.examples.iter().flat_map(|example| example.argv) {
        let flag = word.split('=').next().unwrap_or(word);
        if flag.starts_with("--") && !flags.contains(&flag) {
            flags.push(flag);
        }
    }
    if scoped {
        row.insert("flags".into(), json!(flags));
        row.insert("effect".into(), effect(surface).into());
    }
    if let Some(output) = &contract.read_output {
        row.insert("default_max_estimated_tokens".into(), output.budget.toon().into());
        if scoped {
            let (toon, json) = (output.budget.toon(), output.budget.json());
            row.insert("default_max_estimated_tokens_by_format".into(), json!({"toon": toon, "json": json}));
        }
    }
    row
}

fn effect(surface: &Surface) -> &'static str {
    match surface.contract.effect {
        Effect::Reads => "reads",
        Effect::Writes => "writes",
        Effect::Hybrid(_) => "hybrid",
    }
}

/// How answers are measured and made smaller.
pub fn output_policy() -> Value {
    json!({
        "token_estimate": "ceil(utf8_bytes / 4)",
        "degradation_ladder": ["full", "compact", "brief", "summary", "counts"],
        "allows_unbounded_opt_out": true,
    })
}

/// Whether each command can be called, and how.
pub fn availability(surfaces: &[&Surface]) -> Value {
    let row = |surface: &&Surface| {
        let available = is_available(surface);
        let reason = (!available).then_some("this pm was built without the feature for it");
        json!({
            "action": action(surface), "invocable": available, "available": available, "requires_extension": false,
            "provider": "core", "disabled_reason": reason, "command_path": surface.name(), "cli_exposed": true,
        })
    };
    surfaces.iter().map(row).collect()
}

/// Whether this build can do it.
pub fn is_available(surface: &Surface) -> bool {
    surface.contract.path != ["mcp"] || cfg!(feature = "mcp")
}

/// Every flag of the commands, as their parsers have them; an older name is a row of its own.
pub fn flags(surfaces: &[&Surface], catalog: Catalog, parser: &dyn Fn(&Surface) -> clap::Command) -> Value {
    let row = |surface: &&Surface| {
        let contract = surface.contract;
        let page = Page::of_parser(surface, &parser(surface), catalog);
        let options = page.options.iter().flat_map(|section| &section.entries);
        let output = page.output.iter().filter(|_| contract.read_output.is_some());
        let all: Vec<&Entry> = options.chain(output).chain(&page.globals).collect();
        let older = all.iter().flat_map(|entry| {
            let long = entry.long.as_deref().unwrap_or_default();
            let row =
                move |old: &String| json!({"flag": format!("--{old}"), "alias_for": format!("--{long}")});
            entry.older.iter().map(row)
        });
        json!({
            "command": page.name,
            "positionals": page.arguments.iter().map(|entry| entry.flags.clone()).collect::<Vec<_>>(),
            "flags": all.iter().map(|entry| flag(entry)).chain(older).collect::<Vec<_>>(),
        })
    };
    surfaces.iter().map(row).collect()
}

/// The commands; where all of them are meant, before the first of each group the group.
pub fn names(surfaces: &[&Surface], catalog: Catalog) -> Vec<String> {
    let all = surfaces.len() == catalog.iter().count();
    let mut names: Vec<String> = Vec::new();
    for surface in surfaces {
        let path = surface.contract.path;
        for depth in 1..if all { path.len() } else { 1 } {
            let group = path[..depth].join(" ");
            if catalog.find(&path[..depth]).is_none() && !names.contains(&group) {
                names.push(group);
            }
        }
        names.push(surface.name());
    }
    names
}

fn flag(entry: &Entry) -> Value {
    let mut row = Map::new();
    row.insert("flag".into(), format!("--{}", entry.long.as_deref().unwrap_or_default()).into());
    if let Some(name) = &entry.value_name {
        row.insert("value_name".into(), name.as_str().into());
    }
    if !entry.aliases.is_empty() {
        let aliases: Vec<String> = entry.aliases.iter().map(|alias| format!("--{alias}")).collect();
        row.insert("aliases".into(), json!(aliases));
    }
    if !entry.values.is_empty() {
        row.insert("values".into(), json!(entry.values));
    }
    if let Some(default) = &entry.default {
        row.insert("default".into(), default.as_str().into());
    }
    for (key, holds) in [("required", entry.required), ("repeatable", entry.repeats)] {
        if holds {
            row.insert(key.into(), true.into());
        }
    }
    row.insert("about".into(), entry.help.lines().next().unwrap_or_default().into());
    Value::Object(row)
}

/// Other words for the commands: those that stay, and those of older days.
pub fn aliases(surfaces: &[&Surface], catalog: Catalog) -> Value {
    let mut rows: Vec<Value> = Vec::new();
    for surface in surfaces {
        let contract = surface.contract;
        let lasting = contract.aliases.iter().map(|alias| {
            let parents = &contract.path[..contract.path.len() - 1];
            let words: Vec<&str> = parents.iter().copied().chain([*alias]).collect();
            json!({"alias": words.join(" "), "canonical_argv": contract.path, "lifecycle": "permanent", "hidden": false})
        });
        let older = DEPRECATED.iter().filter(|old| {
            let words: Vec<&str> =
                old.argv.iter().copied().take_while(|word| !word.starts_with('-')).collect();
            catalog.find(&words).is_some_and(|known| known.contract.path == contract.path)
        });
        let older = older.map(|old| {
            json!({"alias": old.word, "canonical_argv": old.argv, "lifecycle": "deprecated", "hidden": true})
        });
        let all: Vec<Value> = lasting.chain(older).collect();
        if !all.is_empty() {
            rows.push(json!({"canonical": surface.name(), "contracts": all}));
        }
    }
    rows.into()
}

/// The keys that mean an option in a call that comes as JSON: its own, the same in snake case, its other names. By
/// command and by whether a list gives several values; switches have one spelling, and are not listed.
pub fn option_keys(surfaces: &[&Surface]) -> Value {
    let mut all = Map::new();
    for surface in surfaces {
        let parser = grammar::parser(surface);
        let (mut texts, mut lists): (Vec<Value>, Vec<Value>) = (Vec::new(), Vec::new());
        let own = |property: &schema::Property<'_>| {
            let arg = property.arg;
            let global = arg.get_help_heading() == Some(grammar::GLOBAL_HEADING);
            !global && !arg.is_hide_set() && !arg.is_positional() && !property.is_switch()
        };
        for property in schema::properties(&parser).filter(own) {
            let rows = if property.is_list() { &mut lists } else { &mut texts };
            rows.push(json!({"target": property.name(), "keys": keys(&parser, &property)}));
        }
        let action = action(surface).replace('-', "_");
        for (kind, rows) in [("string", texts), ("repeatable", lists)] {
            if !rows.is_empty() {
                all.insert(format!("{action}_{kind}_options"), rows.into());
            }
        }
    }
    Value::Object(all)
}

/// The keys of a property; one that means another property first is none of them.
fn keys(parser: &clap::Command, property: &schema::Property<'_>) -> Vec<String> {
    let name = property.name();
    let snake = property.arg.get_long().map(|long| long.replace('-', "_"));
    let others = property.arg.get_all_aliases().unwrap_or_default();
    let mut keys: Vec<String> = Vec::new();
    for key in
        std::iter::once(name.clone()).chain(snake).chain(others.iter().map(|other| schema::camel(other)))
    {
        let means = schema::find(parser, &key).is_some_and(|found| found.name() == name);
        if means && !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

/// One schema for calls of any of these commands: `action` says which, the other keys are its arguments.
pub fn schema(surfaces: &[&Surface], described: bool) -> Value {
    let branch = |surface: &&Surface| {
        let mut schema = schema::input(surface, described);
        let action = action(surface);
        if let Some(Value::Object(keys)) = schema.get_mut("properties") {
            keys.shift_insert(0, "action".into(), json!({"const": action}));
        }
        let mut required = vec![Value::from("action")];
        required.extend(schema["required"].as_array().into_iter().flatten().cloned());
        schema["required"] = required.into();
        schema
    };
    json!({
        "$schema": schema::DIALECT, "$id": format!("{ID}:calls"), "x-schema-version": VERSION, "type": "object",
        "required": ["action"],
        "oneOf": surfaces.iter().map(branch).collect::<Vec<_>>(),
    })
}

/// The schema of the answer of each command that has rows, by command; `described`: with what each field is.
pub fn answers(surfaces: &[&Surface], described: bool) -> Map<String, Value> {
    let schema = |surface: &&Surface| {
        let mut schema = schema::output_document(surface)?;
        if !described {
            schema::undescribe(&mut schema);
        }
        Some((surface.name(), schema))
    };
    surfaces.iter().filter_map(schema).collect()
}

/// What each read may cost and how its answer is built; a change answers with its receipt.
pub fn output_contracts(surfaces: &[&Surface]) -> Value {
    let row = |surface: &&Surface| {
        let contract = surface.contract;
        let Some(output) = &contract.read_output else {
            let kind = if contract.effect == Effect::Reads { "entity" } else { "mutation_receipt" };
            return json!({"command": surface.name(), "budget": null, "envelope": {"kind": kind}});
        };
        json!({
            "command": surface.name(),
            "budget": {
                "budget_class": output.budget.class(),
                "default_max_estimated_tokens": output.budget.toon(),
                "default_max_estimated_tokens_by_format": {"toon": output.budget.toon(), "json": output.budget.json()},
                "complete_modes": output.complete_modes,
            },
            "envelope": {
                "kind": "collection", "row_keys": output.row_keys,
                "continuation_row_keys": output.continuation_row_keys, "identity": output.identity,
                "format_flag": "--output-format",
            },
        })
    };
    surfaces.iter().map(row).collect()
}

/// Every exit code and what it means; 0 first.
pub fn exits() -> Value {
    let success = json!({
        "exit_code": 0, "outcome": "effect", "success": true, "meaning": "the call did what it was asked to do",
    });
    let classes = classes().map(|(kind, meaning)| {
        json!({
            "exit_code": kind.exit_code(), "outcome": contracts::class(kind), "success": false, "meaning": meaning,
        })
    });
    let vocabulary: Vec<Value> = std::iter::once(success).chain(classes).collect();
    json!({ "vocabulary": vocabulary })
}

/// What a refusal may cost.
pub fn diagnostics() -> Value {
    json!([{"diagnostic_class": "error", "max_estimated_tokens": 400, "unbounded_with": "--explain",
        "ladder": ["full", "shorter lists and texts", "one entry of each list"],
        "kept": ["code", "exit_code", "title", "refusal"]}])
}

/// Fields of rows that change while the tracker does not: cursors do not depend on them.
pub fn fingerprints() -> Value {
    let row = |policy: &FingerprintPolicy| {
        json!({
            "command": policy.surface, "path": policy.path, "row": policy.row,
            "ignored_detail_fields": policy.ignored_detail_fields, "version": policy.version,
        })
    };
    FINGERPRINTS.iter().map(row).collect()
}

/// Which commands there are, by their words.
pub fn grammar_contracts(surfaces: &[&Surface]) -> Value {
    let mut nouns: Vec<&str> = Vec::new();
    for surface in surfaces.iter().filter(|surface| surface.contract.path.len() > 1) {
        if !nouns.contains(&surface.contract.path[0]) {
            nouns.push(surface.contract.path[0]);
        }
    }
    let groups: Vec<Value> = nouns
        .iter()
        .map(|noun| {
            let below = surfaces.iter().filter(|s| s.contract.path.len() > 1 && s.contract.path[0] == *noun);
            let verbs: Vec<&str> = below.map(|surface| surface.contract.path[1]).collect();
            json!({"noun": noun, "about": grammar::group_about(&[noun]), "verbs": verbs})
        })
        .collect();
    json!({"groups": groups, "global_flags": grammar::global_longs().map(|long| format!("--{long}")).collect::<Vec<_>>()})
}

//! The machine-readable contracts: what every surface takes and promises, every error code.

use serde_json::{Map, Value, json};

use crate::catalog::{schema as published, typescript};
use crate::contract::{Alias, Effect, ReadOutput};
use crate::error::{Code, Kind};
use crate::read_output::Format;
use crate::surface::{Catalog, Surface};

use super::page::{Entry, Page};
use super::{schema, sections, tools};

/// `contracts/errors.json`.
pub fn errors_file(_: Catalog) -> String {
    file(&errors())
}

/// `contracts/surfaces.json`.
pub fn surfaces_file(catalog: Catalog) -> String {
    file(&surfaces(catalog))
}

/// `contracts/formats.json`.
pub fn formats_file(_: Catalog) -> String {
    file(&formats())
}

/// Every format: its name, whether it is an encoding of the contract or a view.
pub fn formats() -> Value {
    let encodings = [Format::Toon, Format::Json];
    let rows = Format::ALL.iter().map(|format| {
        let class = if encodings.contains(format) { "encoding" } else { "view" };
        json!({"format": format.name(), "class": class})
    });
    rows.collect()
}

/// `contracts/calls.json`: one schema for calls of all commands.
pub fn calls_file(catalog: Catalog) -> String {
    file(&sections::schema(&catalog.iter().collect::<Vec<_>>(), false))
}

/// `contracts/schemas/<command>.output.json` of every answer with rows: path and content.
pub fn answer_files(catalog: Catalog) -> Vec<(String, String)> {
    let made = |surface: &'static Surface| {
        let path = format!("contracts/schemas/{}.output.json", surface.contract.path.join("-"));
        Some((path, file(&schema::output_document(surface)?)))
    };
    catalog.iter().filter_map(made).collect()
}

/// The published schemas of `pm catalog` and their TypeScript declarations: path and content.
pub fn catalog_files() -> Vec<(String, String)> {
    let schema = |(name, schema): &(&str, Value)| (format!("contracts/catalog/{name}.json"), file(schema));
    let types = ("contracts/catalog/catalog.d.ts".to_owned(), typescript::declarations());
    published::all().iter().map(schema).chain([types]).collect()
}

/// `contracts/mcp-tools.json`.
pub fn tools_file(catalog: Catalog) -> String {
    file(&tools::all(catalog))
}

fn file(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}

/// Every error code: `code`, `class`, `exit_code`, `meaning`.
pub fn errors() -> Value {
    let rows = Code::ALL.iter().map(|code| {
        json!({
            "code": code.as_str(),
            "meaning": code.meaning(),
            "exit_code": code.kind().exit_code(),
            "class": class(code.kind()),
        })
    });
    rows.collect()
}

/// The class of an error, in the reference's words.
pub fn class(kind: Kind) -> &'static str {
    match kind {
        Kind::Failure => "generic_failure",
        Kind::Usage => "usage",
        Kind::NotFound => "not_found",
        Kind::Conflict => "conflict",
        Kind::Dependency => "dependency_failed",
        Kind::NoEffect => "no_effect",
        Kind::PartialEffect => "partial_effect",
    }
}

/// Every surface: its name, effect, tier, arguments, options, read output, errors, examples.
pub fn surfaces(catalog: Catalog) -> Value {
    surfaces_of(&catalog.iter().collect::<Vec<_>>(), catalog)
}

/// The same of some of them.
pub fn surfaces_of(scope: &[&Surface], catalog: Catalog) -> Value {
    scope.iter().map(|known| surface(&Page::of(known, catalog))).collect()
}

fn surface(page: &Page) -> Value {
    let contract = page.contract;
    let mut out = Map::new();
    out.insert("command".into(), page.name.as_str().into());
    if !contract.aliases.is_empty() {
        out.insert("aliases".into(), json!(contract.aliases));
    }
    out.insert("about".into(), contract.about.into());
    out.insert("tier".into(), contract.tier.as_str().into());
    let (effect, writing) = match contract.effect {
        Effect::Reads => ("reads", &[][..]),
        Effect::Writes => ("writes", &[][..]),
        Effect::Hybrid(options) => ("hybrid", options),
    };
    out.insert("effect".into(), effect.into());
    if !writing.is_empty() {
        out.insert("writes_with".into(), json!(writing));
    }
    out.insert("arguments".into(), page.arguments.iter().map(entry).collect());
    let options = page.options.iter().flat_map(|section| &section.entries);
    out.insert("options".into(), options.map(entry).collect());
    if contract.custom_flags {
        out.insert("custom_flags".into(), true.into());
    }
    if let Some(output) = &contract.read_output {
        out.insert("read_output".into(), read_output(output));
    }
    let errors: Vec<&str> = contract.errors.iter().map(|code| code.as_str()).collect();
    out.insert("errors".into(), json!(errors));
    let examples =
        contract.examples.iter().map(|example| json!({"about": example.about, "argv": example.argv}));
    out.insert("examples".into(), examples.collect());
    Value::Object(out)
}

fn entry(entry: &Entry) -> Value {
    let mut out = Map::new();
    out.insert("flags".into(), entry.flags.as_str().into());
    for (key, holds) in [("required", entry.required), ("repeats", entry.repeats)] {
        if holds {
            out.insert(key.into(), true.into());
        }
    }
    if !entry.values.is_empty() {
        out.insert("values".into(), json!(entry.values));
    }
    if let Some(default) = &entry.default {
        out.insert("default".into(), default.as_str().into());
    }
    out.insert("about".into(), entry.help.as_str().into());
    Value::Object(out)
}

fn read_output(output: &ReadOutput) -> Value {
    let alias = |alias: &Alias| {
        let dimension = format!("{:?}", alias.dimension).to_lowercase();
        json!({"flag": alias.flag, "dimension": dimension, "replacement": alias.replacement})
    };
    let mut out = json!({
        "surface": output.surface,
        "row_keys": output.row_keys,
        "identity": output.identity,
        "modes": output.modes,
        "aliases": output.aliases.iter().map(alias).collect::<Value>(),
        "budget": {"class": output.budget.class(), "toon": output.budget.toon(), "json": output.budget.json()},
    });
    if output.stream {
        out["stream"] = true.into();
    }
    out
}

//! Help as text and as JSON, made of the declarations.

use serde_json::{Map, Value, json};

use crate::contract::Tier;
use crate::error::Result;
use crate::error::report::command_line;
use crate::generate::page::{self, Entry, Page};
use crate::grammar::{self, OUTPUT_HEADING};
use crate::model::schema::Field;
use crate::surface::Catalog;

use super::argv;

/// The widest line.
const WIDTH: usize = 100;

/// The column where descriptions begin.
const INDENT: usize = 30;

/// How help is wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wish {
    /// `--json`.
    pub(super) json: bool,
    /// `--explain`: every example, every option of all commands with its description.
    pub(super) explain: bool,
}

/// The help of the command or group with these words; without any: of the program.
///
/// `fields` gives the fields that the tracker declares, if there is one.
pub(super) fn page<'f>(
    words: &[String],
    catalog: Catalog,
    wish: Wish,
    fields: &dyn Fn() -> &'f [Field],
) -> Result<String> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if let Some(surface) = argv::resolve(&words, catalog) {
        let mut parser = grammar::parser(surface);
        if surface.contract.custom_flags {
            parser = grammar::with_fields(parser, surface.contract.path[0], fields());
        }
        let page = Page::of_parser(surface, &parser, catalog);
        return Ok(if wish.json { pretty(&page_json(&page, &words, wish)) } else { page_text(&page, wish) });
    }
    let below = page::below(&words, catalog);
    if below.is_empty() {
        return Err(argv::unknown(&words, &[], catalog));
    }
    Ok(match (wish.json, words.is_empty()) {
        (true, _) => pretty(&group_json(&words, &below, catalog, wish)),
        (false, true) => root_text(catalog, wish),
        (false, false) => group_text(&words, &below),
    })
}

fn pretty(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}

/// Text that grows line by line.
#[derive(Default)]
struct Text(String);

impl Text {
    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    fn heading(&mut self, heading: &str) {
        self.0.push('\n');
        self.line(&format!("{heading}:"));
    }

    /// A name and what it means, in two columns.
    fn row(&mut self, name: &str, meaning: &str) {
        let mut lead = format!("  {name}");
        let mut lines = wrapped(meaning, WIDTH - INDENT).into_iter();
        if lead.chars().count() + 2 > INDENT {
            self.line(&lead);
            lead.clear();
        }
        match lines.next() {
            Some(first) => self.line(&format!("{lead:INDENT$}{first}")),
            None if !lead.is_empty() => self.line(&lead),
            None => {}
        }
        for line in lines {
            self.line(&format!("{:INDENT$}{line}", ""));
        }
    }

    fn paragraph(&mut self, text: &str, indent: usize) {
        for line in wrapped(text, WIDTH - indent) {
            self.line(&format!("{:indent$}{line}", ""));
        }
    }
}

/// Text broken at blanks; its own line feeds stay.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            for (n, piece) in pieces(word, width).into_iter().enumerate() {
                let gap = usize::from(n == 0 && !line.is_empty());
                if !line.is_empty() && line.chars().count() + gap + piece.chars().count() > width {
                    lines.push(std::mem::take(&mut line));
                } else if gap == 1 {
                    line.push(' ');
                }
                line.push_str(piece);
            }
        }
        if !line.is_empty() {
            lines.push(line);
        }
    }
    lines
}

/// A word that is wider than a line, cut behind its commas; any other as it is.
fn pieces(word: &str, width: usize) -> Vec<&str> {
    if word.chars().count() > width { word.split_inclusive([',', '|', '/']).collect() } else { vec![word] }
}

fn root_text(catalog: Catalog, wish: Wish) -> String {
    let mut text = Text::default();
    text.line("Usage: pm <command> [options]");
    text.line("");
    text.paragraph("Tracks the work of a project in plain files of its own Git repository.", 0);
    for (tier, heading) in
        [(Tier::Core, "Every day"), (Tier::Standard, "Regularly"), (Tier::Full, "Now and then")]
    {
        let words = words_of(tier, catalog);
        if words.is_empty() {
            continue;
        }
        text.heading(heading);
        if tier == Tier::Full && !wish.explain {
            let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            text.paragraph(&names.join(", "), 2);
            continue;
        }
        for (word, about) in words {
            text.row(word, about);
        }
    }
    text.line("");
    text.line("pm help <command> shows its options; pm <command> --help --json the same for programs.");
    text.line("Without a terminal answers are TOON; --json makes them JSON.");
    text.0
}

/// First words whose most prominent command is of this tier.
fn words_of(tier: Tier, catalog: Catalog) -> Vec<(&'static str, &'static str)> {
    let tier_of = |word: &str| {
        let tiers =
            catalog.iter().map(|surface| surface.contract).filter(|contract| contract.path[0] == word);
        tiers.map(|contract| contract.tier).min()
    };
    page::below(&[], catalog).into_iter().filter(|(word, _)| tier_of(word) == Some(tier)).collect()
}

fn group_text(words: &[&str], below: &[(&str, &str)]) -> String {
    let mut text = Text::default();
    text.line(&format!("Usage: pm {} <subcommand> [options]", words.join(" ")));
    text.line("");
    text.paragraph(&format!("{}.", grammar::group_about(words)), 0);
    text.heading("Subcommands");
    for (word, about) in below {
        text.row(word, about);
    }
    text.0
}

fn page_text(page: &Page, wish: Wish) -> String {
    let mut text = Text::default();
    text.line(&format!("Usage: {}", page.usage));
    text.line("");
    text.paragraph(&format!("{}.", page.contract.about), 0);
    if !page.contract.aliases.is_empty() {
        text.paragraph(&format!("Also: {}.", page.contract.aliases.join(", ")), 0);
    }
    if !page.subcommands.is_empty() {
        text.heading("Subcommands");
        for (word, about) in &page.subcommands {
            text.row(word, about);
        }
    }
    section(&mut text, "Arguments", &page.arguments);
    for options in &page.options {
        section(&mut text, &options.heading, &options.entries);
    }
    section(&mut text, OUTPUT_HEADING, &page.output);
    if wish.explain {
        section(&mut text, "Options of all commands", &page.globals);
    } else {
        text.heading(&format!("Options of all commands (pm help {} --explain describes them)", page.name));
        let names: Vec<String> = page.globals.iter().map(|entry| entry.flags.clone()).collect();
        text.paragraph(&names.join(", "), 2);
    }
    let examples = page.contract.examples;
    let shown = if wish.explain { examples } else { &examples[..examples.len().min(2)] };
    if !shown.is_empty() {
        text.heading("Examples");
    }
    for example in shown {
        text.line(&format!("  {}", example_line(example.argv)));
        text.paragraph(example.about, 6);
    }
    text.0
}

fn section(text: &mut Text, heading: &str, entries: &[Entry]) {
    if entries.is_empty() {
        return;
    }
    text.heading(heading);
    for entry in entries {
        let mut meaning = entry.help.trim_end_matches('.').to_owned();
        if !entry.values.is_empty() {
            meaning.push_str(&format!(" ({})", entry.values.join("|")));
        }
        if let Some(default) = &entry.default {
            meaning.push_str(&format!(" [default: {default}]"));
        }
        if entry.repeats && entry.long.is_some() {
            meaning.push_str("; may be repeated");
        }
        text.row(&entry.flags, &meaning);
    }
}

fn example_line(argv: &[&str]) -> String {
    let argv: Vec<String> = argv.iter().map(|&word| word.to_owned()).collect();
    command_line(&argv)
}

/// The reference's `pm_help_v1`.
fn page_json(page: &Page, asked: &[&str], wish: Wish) -> Value {
    let contract = page.contract;
    let own = page.options.iter().flat_map(|section| &section.entries).chain(&page.output);
    let globals = if wish.explain { &page.globals[..] } else { &[] };
    let examples = contract.examples.iter().map(|example| example_line(example.argv));
    let examples: Vec<String> = if wish.explain { examples.collect() } else { examples.take(1).collect() };
    let mut out = head(asked, contract.path, wish);
    out.insert("visibility_tier".into(), contract.tier.as_str().into());
    out.insert("description".into(), contract.about.into());
    out.insert("usage".into(), page.usage.as_str().into());
    out.insert("intent".into(), contract.about.into());
    out.insert("examples".into(), json!(examples));
    out.insert("tips".into(), json!([]));
    out.insert("arguments".into(), page.arguments.iter().map(argument_json).collect());
    out.insert("options".into(), own.chain(globals).map(option_json).collect());
    if !wish.explain {
        let names = page.globals.iter().map(|entry| Value::from(entry.flags.as_str()));
        out.insert("global_options".into(), names.collect());
    }
    let words: Vec<&str> = page.subcommands.iter().map(|(word, _)| *word).collect();
    out.insert("subcommands".into(), json!(words));
    out.insert("has_subcommands".into(), (!words.is_empty()).into());
    Value::Object(out)
}

fn group_json(words: &[&str], below: &[(&str, &str)], catalog: Catalog, wish: Wish) -> Value {
    let mut out = head(words, words, wish);
    let about = "Tracks the work of a project in plain files of its own Git repository";
    let about = if words.is_empty() { about } else { grammar::group_about(words) };
    out.insert("description".into(), about.into());
    out.insert(
        "usage".into(),
        ["pm", &words.join(" "), "<command> [options]"].join(" ").replace("  ", " ").into(),
    );
    let tier = |word: &str| {
        let path: Vec<&str> = words.iter().copied().chain([word]).collect();
        catalog
            .iter()
            .filter(|surface| surface.contract.path.starts_with(&path))
            .map(|s| s.contract.tier)
            .min()
    };
    let rows = below.iter().map(|(word, about)| {
        json!({"name": word, "description": about, "visibility_tier": tier(word).map(Tier::as_str)})
    });
    out.insert("subcommands".into(), rows.collect());
    out.insert("has_subcommands".into(), true.into());
    Value::Object(out)
}

fn head(asked: &[&str], resolved: &[&str], wish: Wish) -> Map<String, Value> {
    let mut head = Map::new();
    head.insert("format".into(), "pm_help_v1".into());
    head.insert("detail_mode".into(), if wish.explain { "explain" } else { "compact" }.into());
    head.insert("root_command".into(), "pm".into());
    head.insert("requested_path".into(), json!(asked));
    head.insert("resolved_path".into(), json!(resolved));
    head
}

fn argument_json(entry: &Entry) -> Value {
    json!({
        "name": entry.value_name.as_deref().unwrap_or_default().to_lowercase().replace('_', "-"),
        "description": entry.help,
        "required": entry.required,
        "variadic": entry.repeats,
    })
}

/// What is false or absent is left out.
fn option_json(entry: &Entry) -> Value {
    let mut out = Map::new();
    out.insert("flags".into(), entry.flags.as_str().into());
    out.insert("long".into(), entry.long.as_ref().map(|long| format!("--{long}")).into());
    if let Some(short) = entry.short {
        out.insert("short".into(), format!("-{short}").into());
    }
    out.insert("description".into(), entry.help.as_str().into());
    out.insert("takes_value".into(), entry.value_name.is_some().into());
    if let Some(name) = &entry.value_name {
        out.insert("value_required".into(), (!entry.value_optional).into());
        out.insert("value_name".into(), name.to_lowercase().into());
    }
    for (key, holds) in [("variadic", entry.repeats), ("required", entry.required)] {
        if holds {
            out.insert(key.into(), true.into());
        }
    }
    if !entry.aliases.is_empty() {
        let aliases = entry.aliases.iter().map(|alias| Value::from(format!("--{alias}")));
        out.insert("aliases".into(), aliases.collect());
    }
    if !entry.values.is_empty() {
        out.insert("values".into(), json!(entry.values));
    }
    Value::Object(out)
}

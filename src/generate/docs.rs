//! The reference pages: docs/commands.md and docs/errors.md.

use std::fmt::Write as _;

use crate::contract::{Effect, Tier};
use crate::error::Code;
use crate::error::report::command_line;
use crate::grammar::DEPRECATED;
use crate::surface::Catalog;

use super::page::{Entry, Page};
use super::sections;

/// What a generated page says of itself.
pub(super) const NOTE: &str = "<!-- Generated from the declarations: UPDATE=1 cargo test generated -->\n";

/// docs/commands.md.
pub fn commands(catalog: Catalog) -> String {
    let pages: Vec<Page> = catalog.iter().map(|surface| Page::of(surface, catalog)).collect();
    let mut out = format!("# Commands\n\n{NOTE}");
    for (tier, heading) in
        [(Tier::Core, "Every day"), (Tier::Standard, "Regularly"), (Tier::Full, "Now and then")]
    {
        let pages: Vec<&Page> = pages.iter().filter(|page| page.contract.tier == tier).collect();
        if pages.is_empty() {
            continue;
        }
        let links: Vec<String> = pages
            .iter()
            .map(|page| format!("[`{}`](#pm-{})", page.name, page.name.replace(' ', "-")))
            .collect();
        let _ = write!(out, "\n{heading}: {}\n", links.join(", "));
    }
    for page in &pages {
        command(&mut out, page);
    }
    if let Some(page) = pages.first() {
        out.push_str("\n## Options of all commands\n\nBefore or after the command.\n\n");
        table(&mut out, &page.globals);
    }
    if let Some(page) = pages.iter().find(|page| page.contract.read_output.is_some()) {
        out.push_str("\n## Output controls\n\nOf every command that reads.\n\n");
        table(&mut out, &page.output);
    }
    out.push_str("\n## Older spellings\n\nThey run as ever, and say so on standard error.\n\n| Older | Now |\n| --- | --- |\n");
    for old in DEPRECATED {
        let _ = writeln!(out, "| `pm {}` | `pm {}` |", old.word, old.argv.join(" "));
    }
    out
}

fn command(out: &mut String, page: &Page) {
    let contract = page.contract;
    let _ = write!(out, "\n## pm {}\n\n{}.", page.name, contract.about);
    if !contract.aliases.is_empty() {
        let _ = write!(out, " Also `{}`.", contract.aliases.join("`, `"));
    }
    match contract.effect {
        Effect::Reads => {}
        Effect::Writes => out.push_str(" Changes the tracker."),
        Effect::Hybrid(options) => {
            let _ = write!(out, " Changes the tracker with `{}`.", options.join("`, `"));
        }
    }
    let _ = write!(out, "\n\n```text\n{}\n```\n", page.usage);
    if !page.arguments.is_empty() {
        out.push('\n');
        table(out, &page.arguments);
    }
    for section in &page.options {
        if section.heading != "Options" {
            let _ = write!(out, "\n{}:\n", section.heading);
        }
        out.push('\n');
        table(out, &section.entries);
    }
    if !contract.examples.is_empty() {
        out.push_str("\n```sh\n");
        for example in contract.examples {
            let argv: Vec<String> = example.argv.iter().map(|&word| word.to_owned()).collect();
            let _ = writeln!(out, "{}  # {}", command_line(&argv), example.about);
        }
        out.push_str("```\n");
    }
    if !contract.errors.is_empty() {
        let codes: Vec<String> = contract.errors.iter().map(|code| format!("`{}`", code.as_str())).collect();
        let _ = write!(out, "\nErrors of its own: {}.\n", codes.join(", "));
    }
}

fn table(out: &mut String, entries: &[Entry]) {
    out.push_str("| | |\n| --- | --- |\n");
    for entry in entries {
        let mut about = entry.help.replace('\n', " ").replace('|', "\\|");
        // A switch needs no value, though it takes one.
        if !entry.values.is_empty() && entry.values != ["true", "false"] {
            let _ = write!(about, " (`{}`)", entry.values.join("`, `"));
        }
        if let Some(default) = &entry.default {
            let _ = write!(about, "; default `{default}`");
        }
        if entry.repeats && entry.long.is_some() {
            about.push_str("; may be repeated");
        }
        let _ = writeln!(out, "| `{}` | {about} |", entry.flags.replace('|', "\\|"));
    }
}

/// docs/errors.md.
pub fn errors(_: Catalog) -> String {
    let mut out = format!("# Errors\n\n{NOTE}\nCodes and exit codes are stable; sentences are not.\n");
    for (kind, meaning) in sections::classes() {
        let codes: Vec<&Code> = Code::ALL.iter().filter(|code| code.kind() == kind).collect();
        let _ = write!(out, "\n## Exit code {}: {meaning}\n", kind.exit_code());
        if !codes.is_empty() {
            out.push_str("\n| Code | Meaning |\n| --- | --- |\n");
        }
        for code in codes {
            let _ = writeln!(out, "| `{}` | {} |", code.as_str(), code.meaning());
        }
    }
    out
}

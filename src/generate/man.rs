//! Manual pages in roff, made of the same pages as help.

use std::fmt::Write as _;

use crate::error::report::command_line;
use crate::surface::{Catalog, Surface};

use super::page::{self, Entry, Page};

/// The page of the program.
pub fn program(catalog: Catalog) -> String {
    let mut out = head("PM", "pm", "project tracker in plain files of a Git repository");
    out.push_str(".SH SYNOPSIS\n.B pm\nCOMMAND [options]\n.SH COMMANDS\n");
    for (word, about) in page::below(&[], catalog) {
        let _ = writeln!(out, ".TP\n.B {}\n{}", text(word), text(about));
    }
    let globals = catalog.iter().next().map(|surface| Page::of(surface, catalog).globals);
    entries(&mut out, "OPTIONS OF ALL COMMANDS", &globals.unwrap_or_default());
    out.push_str(".SH SEE ALSO\n\\fBpm man\\fR COMMAND shows the page of a command.\n");
    out
}

/// The page of a command.
pub fn command(surface: &Surface, catalog: Catalog) -> String {
    let page = Page::of(surface, catalog);
    let name = format!("pm-{}", page.name.replace(' ', "-"));
    let mut out = head(&name.to_uppercase(), &name, page.contract.about);
    let _ = writeln!(out, ".SH SYNOPSIS\n{}", text(&page.usage));
    entries(&mut out, "ARGUMENTS", &page.arguments);
    for section in &page.options {
        entries(&mut out, &section.heading.to_uppercase(), &section.entries);
    }
    if page.contract.read_output.is_some() {
        entries(&mut out, "OUTPUT CONTROLS", &page.output);
    }
    if !page.contract.examples.is_empty() {
        out.push_str(".SH EXAMPLES\n");
    }
    for example in page.contract.examples {
        let argv: Vec<String> = example.argv.iter().map(|&word| word.to_owned()).collect();
        let _ = writeln!(out, ".TP\n{}\n.B {}", text(example.about), text(&command_line(&argv)));
    }
    out
}

fn head(title: &str, name: &str, about: &str) -> String {
    format!(
        ".TH \"{}\" 1 \"\" \"pm {}\"\n.SH NAME\n{} \\- {}\n",
        text(title),
        env!("CARGO_PKG_VERSION"),
        text(name),
        text(about)
    )
}

fn entries(out: &mut String, heading: &str, entries: &[Entry]) {
    if entries.is_empty() {
        return;
    }
    let _ = writeln!(out, ".SH \"{heading}\"");
    for entry in entries {
        let mut about = entry.help.replace('\n', " ");
        if !entry.values.is_empty() {
            let _ = write!(about, " ({})", entry.values.join(", "));
        }
        let _ = writeln!(out, ".TP\n.B \"{}\"\n{}", text(&entry.flags), text(&about));
    }
}

/// A text in roff: no letter of it is a command.
fn text(text: &str) -> String {
    let escaped = text.replace('\\', "\\e").replace('-', "\\-").replace('"', "\\(dq");
    match escaped.starts_with(['.', '\'']) {
        true => format!("\\&{escaped}"),
        false => escaped,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_letter_is_a_command() {
        assert_eq!(super::text(".agents -x \\n"), "\\&.agents \\-x \\en");
    }
}

//! README.md and docs/*.md: what their blocks show is run, what it prints is compared; commands in their prose are
//! ones that exist.

use std::path::{Path, PathBuf};

use pm::commands::CATALOG;
use pm::grammar;

use super::{prepared, promised, words};
use crate::sandbox::Sandbox;

/// A call that a block shows, with what follows it.
struct Shown {
    line: String,
    /// The rest of its line: what it is for.
    about: String,
    /// What it prints, where the block is a session.
    prints: Option<String>,
}

/// The documents; docs/commands.md is made of the examples of the commands, which have a test of their own.
fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = std::fs::read_dir(root.join("docs")).unwrap().flatten().map(|entry| entry.path());
    let pages = found.filter(|path| path.extension().is_some_and(|ext| ext == "md"));
    let mut all: Vec<PathBuf> = pages.filter(|path| !path.ends_with("commands.md")).collect();
    all.push(root.join("README.md"));
    all.sort();
    all
}

/// The blocks of a document: their language and text.
fn blocks(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("\n```").skip(1).step_by(2).filter_map(|block| block.split_once('\n'))
}

fn shown(text: &str) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    for (language, block) in blocks(text) {
        let session = language == "console";
        let mut open = false;
        for line in block.lines().filter(|_| session || language == "sh") {
            let call = if session { line.strip_prefix("$ ") } else { Some(line) };
            if let Some(call) = call {
                let (call, about) = call.split_once("  #").unwrap_or((call, ""));
                open = call.starts_with("pm ");
                if open {
                    let prints = session.then(String::new);
                    all.push(Shown { line: call.trim().to_owned(), about: about.to_owned(), prints });
                }
            } else if let Some(prints) =
                all.last_mut().filter(|_| open).and_then(|shown| shown.prints.as_mut())
            {
                prints.push_str(line);
                prints.push('\n');
            }
        }
    }
    all
}

/// Where the calls of a document are made.
fn place(document: &Path) -> Sandbox {
    match document.file_name().and_then(|name| name.to_str()) {
        Some("README.md") => prepared::nothing(),
        Some("catalog.md") => prepared::without_records(),
        Some("kb.md") => prepared::released(),
        _ => prepared::own(),
    }
}

#[test]
fn every_call_that_a_document_shows_works_and_prints_what_it_shows() {
    let (mut wrong, mut ran) = (Vec::new(), 0);
    for document in documents() {
        let calls = shown(&std::fs::read_to_string(&document).unwrap());
        if calls.is_empty() {
            continue;
        }
        let pm = place(&document);
        for call in calls {
            ran += 1;
            let words = words(&call.line);
            let output = pm.pm(&words[1..].iter().map(String::as_str).collect::<Vec<_>>());
            let wanted = promised(&call.about);
            if output.code != wanted || call.prints.as_ref().is_some_and(|prints| *prints != output.stdout) {
                wrong.push(format!("{}: {}\n{output:?}", document.display(), call.line));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(ran > 15, "{ran}");
}

/// Spans of code in prose that begin with `pm`: the commands are there, and the options that they name.
#[test]
fn commands_in_prose_exist() {
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for document in documents() {
        let text = std::fs::read_to_string(&document).unwrap();
        let prose: String = text.split("\n```").step_by(2).collect::<Vec<_>>().join("\n");
        for span in prose.split('`').skip(1).step_by(2).filter(|span| span.starts_with("pm ")) {
            seen += 1;
            if let Some(problem) = stray(span) {
                wrong.push(format!("{}: `{span}`: {problem}", document.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 50, "{seen}");
}

/// What of a span the program does not know.
fn stray(span: &str) -> Option<String> {
    let span = span.split(['|', '\\']).next().unwrap_or_default();
    let words: Vec<&str> = span.split_whitespace().skip(1).collect();
    let named: Vec<&str> = words
        .iter()
        .copied()
        .take_while(|word| {
            word.bytes().all(|b| b == b'-' || b.is_ascii_lowercase()) && !word.starts_with('-')
        })
        .collect();
    if named.is_empty() {
        return None;
    }
    let older = grammar::DEPRECATED.iter().any(|old| old.word == named[0]);
    let group = CATALOG.iter().any(|surface| surface.contract.path.starts_with(&named));
    let found = (1..=named.len()).rev().find_map(|n| CATALOG.find(&named[..n]));
    let Some(surface) = found else {
        let known = older || group || named[0] == "help" || words.contains(&"<package>");
        return (!known).then(|| "no command".to_owned());
    };
    let parser = grammar::parser(surface);
    let flags = words.iter().filter_map(|word| word.strip_prefix("--")).filter(|flag| !flag.is_empty());
    flags.map(|flag| flag.split(['=', ',']).next().unwrap_or(flag)).find_map(|flag| {
        let known = parser.get_arguments().any(|arg| {
            arg.get_long() == Some(flag) || arg.get_all_aliases().is_some_and(|all| all.contains(&flag))
        });
        (!known && flag != "help").then(|| format!("no option --{flag}"))
    })
}

//! The invariants of docs/architecture.md that a compiler does not check.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use pm::commands::CATALOG;

/// Which module may name which; a new edge is a new word here.
const EDGES: &[(&str, &str)] = &[
    ("error", ""),
    ("clock", ""),
    ("environment", ""),
    ("nearest", ""),
    // The one place that decides whose fault a lower error is.
    ("error::from", "error model codec domain store"),
    ("model", "error clock nearest"),
    ("codec", "error model"),
    ("domain", "error clock nearest model codec"),
    ("store", "error clock environment nearest model codec domain"),
    // Readers are pure: bytes of another tracker to records, records to items.
    ("import", "error clock nearest model codec domain"),
    ("ids", "error model"),
    ("kb", "error clock nearest model codec domain store answer contract"),
    ("catalog", "error clock nearest model codec domain store answer contract"),
    ("tracker", "error clock environment ids nearest model codec domain store"),
    ("answer", "error"),
    ("contract", "error"),
    // It knows fields, not items: no `model`, no `tracker`, no `commands`.
    ("read_output", "error clock nearest codec answer contract"),
    ("surface", "error clock environment nearest model answer contract tracker"),
    ("mutation", "error clock nearest model codec domain store import tracker answer surface"),
    ("grammar", "error nearest model contract surface"),
    ("generate", "error contract surface grammar read_output catalog rows"),
    (
        "commands",
        "error clock environment ids nearest model codec domain store import tracker answer contract read_output surface mutation grammar generate kb catalog",
    ),
    ("rows", ""),
    ("client", "cli environment error read_output rows"),
    (
        "cli",
        "error clock environment nearest codec model tracker answer contract read_output surface grammar generate commands",
    ),
];

/// What only its owners may say: the text, and where it may stand.
const OWNED: &[(&str, &[&str])] = &[
    ("std::env::", &["src/cli/"]),
    ("std::io::stdout", &["src/cli/"]),
    ("std::io::stderr", &["src/cli/"]),
    ("std::io::stdin", &["src/cli/"]),
    // The age of a lock is real time, whatever clock a call has.
    ("SystemTime::now", &["src/clock.rs", "src/store/"]),
    ("toon_format::", &["src/codec/toon.rs"]),
    ("std::fs::", &["src/store/"]),
];

/// Names that say nothing.
const DRAWERS: &[&str] = &["util", "utils", "helpers", "common", "manager", "misc", "shared"];

/// Most lines of a source file.
const MAX_LINES: usize = 700;

struct Source {
    /// From the root of the project, with `/`.
    path: String,
    lines: usize,
    /// Without comments.
    code: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the entry can be read").path();
        if path.is_dir() {
            walk(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
}

fn sources() -> Vec<Source> {
    let mut files = Vec::new();
    walk(&root().join("src"), &mut files);
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("the source can be read");
        let code =
            text.lines().map(|line| line.split("//").next().unwrap_or(line)).collect::<Vec<_>>().join("\n");
        let path =
            path.strip_prefix(root()).expect("it is below the root").to_string_lossy().replace('\\', "/");
        Source { path, lines: text.lines().count(), code }
    };
    files.into_iter().map(read).collect()
}

/// The module of the table that a file belongs to.
fn module(path: &str) -> &str {
    let below = path.strip_prefix("src/").unwrap_or(path);
    if below == "error/from.rs" {
        return "error::from";
    }
    below.split('/').next().unwrap_or(below).trim_end_matches(".rs")
}

/// The modules of this crate that a text names.
fn named(code: &str) -> BTreeSet<String> {
    let mut modules = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if code[..at].ends_with(|c: char| c == '_' || c.is_ascii_alphanumeric()) {
            continue;
        }
        if let Some(group) = rest.strip_prefix('{') {
            let group = group.split('}').next().unwrap_or(group);
            modules.extend(
                group.split(',').filter_map(|part| part.trim().split("::").next().map(str::to_owned)),
            );
        } else {
            let end = rest.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
            modules.insert(rest[..end].to_owned());
        }
    }
    modules.retain(|module| !module.is_empty());
    modules
}

#[test]
fn modules_name_only_what_lies_below_them() {
    let table: BTreeMap<&str, BTreeSet<&str>> =
        EDGES.iter().map(|(module, below)| (*module, below.split(' ').collect())).collect();
    let mut faults = Vec::new();
    for source in sources() {
        let own = module(&source.path);
        if own == "lib" || own == "main" {
            continue;
        }
        let Some(allowed) = table.get(own) else {
            faults.push(format!("{}: `{own}` has no line in EDGES", source.path));
            continue;
        };
        for other in named(&source.code) {
            if other != own && !own.starts_with(&format!("{other}::")) && !allowed.contains(other.as_str()) {
                faults.push(format!("{}: `{own}` names `{other}`", source.path));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn the_map_names_every_module() {
    let map = std::fs::read_to_string(root().join("docs/architecture.md")).expect("the map can be read");
    for (module, _) in EDGES.iter().filter(|(module, _)| !module.contains("::")) {
        assert!(map.contains(&format!("`{module}`")), "docs/architecture.md does not name `{module}`");
    }
}

#[test]
fn owned_words_stand_with_their_owners() {
    let mut faults = Vec::new();
    for source in sources() {
        let code = source.code.split("#[cfg(test)]").next().unwrap_or_default();
        for (word, owners) in OWNED {
            if code.contains(word) && !owners.iter().any(|owner| source.path.starts_with(owner)) {
                faults.push(format!("{}: `{word}`", source.path));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn no_file_is_long_and_no_module_is_a_drawer() {
    let mut faults = Vec::new();
    for source in sources() {
        if source.lines > MAX_LINES {
            faults.push(format!("{}: {} lines", source.path, source.lines));
        }
        for segment in source.path.trim_end_matches(".rs").split('/') {
            if DRAWERS.contains(&segment) {
                faults.push(format!("{}: `{segment}` says nothing", source.path));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Every command that is written is in the list, under the name of its file.
#[test]
fn every_command_is_in_the_list() {
    let list = std::fs::read_to_string(root().join("src/commands/mod.rs")).expect("the list can be read");
    let mut faults = Vec::new();
    for source in sources().iter().filter(|source| source.path.starts_with("src/commands/")) {
        let file = source.path.rsplit('/').next().unwrap_or_default().trim_end_matches(".rs");
        for rest in source.code.split("impl Command for ").skip(1) {
            let name = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            // A macro that writes several commands of one file names none here.
            let listed = |end: &str| list.contains(&format!("{file}::{name}{end}"));
            if !name.is_empty() && ![",", "}", "]"].into_iter().any(listed) {
                faults.push(format!("{}: `{file}::{name}` is not in the list of commands", source.path));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn declarations_hold_together() {
    let mut paths = BTreeSet::new();
    for surface in CATALOG.iter() {
        let contract = surface.contract;
        let name = surface.name();
        assert!(!contract.path.is_empty() && paths.insert(contract.path), "`{name}` is declared twice");
        assert!(
            !contract.about.is_empty() && !contract.about.ends_with('.'),
            "`{name}`: about is one line, no full stop"
        );
        assert!(contract.about.starts_with(char::is_uppercase), "`{name}`: about begins with a capital");
        for alias in contract.aliases {
            let mut twin = contract.path.to_vec();
            *twin.last_mut().expect("a path has words") = alias;
            assert!(CATALOG.find(&twin).is_none(), "`{alias}` is both an alias of `{name}` and a command");
        }
        for example in contract.examples {
            assert!(example.argv.starts_with(contract.path), "`{name}`: an example of another command");
        }
        for depth in 1..contract.path.len() {
            let group = &contract.path[..depth];
            let speaks = CATALOG.find(group).is_some() || !pm::grammar::group_about(group).is_empty();
            assert!(speaks, "`{}` needs a line in grammar::GROUPS", group.join(" "));
        }
        // Panics when a declaration disagrees with itself.
        pm::grammar::parser(surface).debug_assert();
    }
    pm::grammar::root(CATALOG).debug_assert();
}

#[test]
fn every_code_has_one_name_and_a_meaning() {
    let mut names = BTreeSet::new();
    for code in pm::error::Code::ALL {
        assert!(names.insert(code.as_str()), "`{}` stands twice", code.as_str());
        // Those of the retrieval contract are spelled as that contract spells them.
        let one_case = |lower: bool| {
            code.as_str().bytes().all(|b| {
                b.is_ascii_digit()
                    || b == b'_'
                    || if lower { b.is_ascii_lowercase() } else { b.is_ascii_uppercase() }
            })
        };
        assert!(one_case(true) || one_case(false), "`{}`", code.as_str());
        assert!(code.meaning().ends_with('.'), "`{}`: the meaning is a sentence", code.as_str());
    }
}

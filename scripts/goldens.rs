//! Runs the recorded commands of the reference CLI on a copy of the tracker that they were recorded on and
//! compares exit codes, rows and counts. Rows that differ on purpose are explained by a line of
//! `docs/differences.md` that names the recording.
//!
//! `cargo run --example goldens [-- NUMBER | FIRST..LAST | WORD ...]`; `PM_BIN` names another binary.

#![expect(clippy::print_stdout, reason = "a program for people")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs, io};

use serde_json::Value;

const DATA: &str = "../shared/data";
const CLOCK: &[(&str, &str)] = &[
    ("PM_CLOCK", "2026-08-23T00:00:00.000Z"),
    ("PM_CLOCK_TICK_MS", "0"),
    ("PM_SEED", "golden"),
    ("PM_CONTEXT_USAGE_DISABLED", "1"),
    ("TZ", "UTC"),
];

/// The parts that a surface's answers are compared by; all others describe the question or the cut.
const PARTS: &[(&str, &[&str])] = &[
    ("list", &["items", "total"]),
    ("search", &["items", "total", "query"]),
    (
        "get",
        &[
            "item",
            "linked",
            "claim_state",
            "schedule",
            "children",
            "tree",
            "reconstructed",
            "as_of_version",
            "as_of_timestamp",
        ],
    ),
    ("next", &["recommended", "ready", "decision_needed", "blocked", "held_by_others", "summary"]),
    ("context", &["high_level", "low_level", "hierarchy", "blockers"]),
    ("deps", &["graph", "context", "tree", "summary"]),
    (
        "graph",
        &[
            "ids",
            "paths",
            "affected",
            "findings",
            "communities",
            "redundant",
            "bottlenecks",
            "rows",
            "articulation_points",
            "bridges",
            "steps",
            "count",
            "node_count",
            "edge_count",
        ],
    ),
    ("history", &["id", "compact_history", "history", "provenance_history", "verification"]),
    ("activity", &["activity_digest", "compact_activity", "activity", "total_count"]),
    ("stats", &["totals", "by_type", "by_status", "breakdowns", "metadata_coverage", "storage"]),
    ("aggregate", &["groups", "count", "totals"]),
    ("duplicates", &["clusters", "count", "threshold"]),
    ("comments", &["id", "comments", "count"]),
    ("notes", &["id", "notes", "count"]),
    ("learnings", &["id", "learnings", "count"]),
    ("files", &["id", "files", "matches", "total", "candidates"]),
    ("docs", &["id", "docs", "count"]),
    ("validate", &["ok", "has_warnings", "checks", "warnings"]),
    ("health", &["ok", "checks", "warnings", "findings"]),
    (
        "contracts",
        &[
            "commands",
            "actions",
            "action_availability",
            "command_summaries",
            "runtime_schema",
            "governance_contracts",
            "relationship_kind_contracts",
            "command_flags",
            "command_aliases",
            "list_projections",
        ],
    ),
];

/// Lists that are compared by the names in them, and the keys that may hold a row's name: ours may have more, in another
/// order, and say other things about each.
const NAMED: &[&str] =
    &["commands", "actions", "action_availability", "command_summaries", "command_flags.0.flags"];
const NAMES: &[&str] = &["flag", "action", "command"];

/// How many differences of a recording are shown.
const SHOWN: usize = 6;

struct Recording {
    number: String,
    argv: Vec<String>,
    exit: i32,
    answer: Option<Value>,
    text: Option<String>,
}

struct Difference {
    id: String,
    covers: Vec<Cover>,
}

/// What a difference says about one recording.
struct Cover {
    number: String,
    /// The path that may differ; an empty one stands for all.
    path: String,
    /// Words to add to the call, after which nothing else may differ.
    extra: Vec<String>,
}

fn main() -> io::Result<ExitCode> {
    let goldens = Path::new(DATA).join("goldens");
    if !goldens.is_dir() {
        println!("skipped: {} is not here", goldens.display());
        return Ok(ExitCode::SUCCESS);
    }
    let chosen: Vec<String> = env::args().skip(1).collect();
    let recordings: Vec<Recording> =
        recordings(&goldens)?.into_iter().filter(|r| wanted(r, &chosen)).collect();
    let differences = differences(Path::new("docs/differences.md"))?;
    let home = Copy::new()?;
    home.tracker(&Path::new(DATA).join("trackers/unbraind+pm-cli/.agents"))?;
    let (mut agree, mut explained, mut rest) = (0, 0, 0);
    for recording in &recordings {
        let added = differences.iter().find_map(|d| {
            let cover =
                d.covers.iter().find(|cover| cover.number == recording.number && !cover.extra.is_empty())?;
            Some((d.id.as_str(), cover.extra.as_slice()))
        });
        let found = compare(recording, added.map_or(&[][..], |(_, extra)| extra), &home.path);
        let (known, unknown): (Vec<_>, Vec<_>) = found
            .into_iter()
            .map(|d| (explanation(&differences, recording, &d), d))
            .partition(|(id, _)| id.is_some());
        let words = recording.argv.join(" ");
        if !unknown.is_empty() {
            rest += 1;
            println!("DIFFERS    {} {words}", recording.number);
            show(unknown.iter().map(|(_, d)| d.clone()));
        } else if !known.is_empty() || added.is_some() {
            explained += 1;
            let with = added
                .map_or(String::new(), |(id, extra)| format!("  (agrees with {}: {id})", extra.join(" ")));
            println!("explained  {} {words}{with}", recording.number);
            show(known.iter().map(|(id, d)| format!("{}: {d}", id.unwrap_or_default())));
        } else {
            agree += 1;
        }
    }
    println!(
        "{} recordings: {agree} agree, {explained} differ as explained, {rest} differ",
        recordings.len()
    );
    Ok(if rest == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The first few of many differences.
fn show(lines: impl ExactSizeIterator<Item = String>) {
    let left = lines.len().saturating_sub(SHOWN);
    lines.take(SHOWN).for_each(|line| println!("             {line}"));
    if left > 0 {
        println!("             ... and {left} more");
    }
}

fn wanted(recording: &Recording, chosen: &[String]) -> bool {
    chosen.is_empty()
        || chosen.iter().any(|c| match c.split_once("..") {
            Some((first, last)) => (first..=last).contains(&recording.number.as_str()),
            None => *c == recording.number || recording.argv.first() == Some(c),
        })
}

fn recordings(folder: &Path) -> io::Result<Vec<Recording>> {
    let read = |path: PathBuf| fs::read_to_string(path).ok();
    let mut names: Vec<PathBuf> = fs::read_dir(folder)?.filter_map(|e| Some(e.ok()?.path())).collect();
    names.retain(|p| p.extension().is_some_and(|e| e == "cmd"));
    names.sort();
    Ok(names
        .into_iter()
        .filter_map(|path| {
            let text = read(path.with_extension("out")).or_else(|| read(path.with_extension("toon")));
            Some(Recording {
                number: path.file_stem()?.to_str()?.to_owned(),
                argv: serde_json::from_str(&read(path.clone())?).ok()?,
                exit: read(path.with_extension("exit"))?.trim().parse().ok()?,
                answer: read(path.with_extension("json")).and_then(|t| serde_json::from_str(&t).ok()),
                text,
            })
        })
        .collect())
}

/// The table rows of docs/differences.md whose last cell names recordings: `015 items` (the part that may differ),
/// `021 +--full` (a word to add, after which nothing may differ).
fn differences(path: &Path) -> io::Result<Vec<Difference>> {
    let text = fs::read_to_string(path)?;
    let rows = text.lines().filter_map(|line| {
        let cells: Vec<&str> =
            line.trim().strip_prefix('|')?.trim_end_matches('|').split('|').map(str::trim).collect();
        let covers = cells.last()?.split(',').flat_map(covers);
        Some(Difference { id: (*cells.first()?).to_owned(), covers: covers.collect() })
    });
    Ok(rows.filter(|d| !d.covers.is_empty()).collect())
}

/// What one entry of such a cell covers: `015 items`, `062 to 072`, `080 to 094 +--include-closed`.
fn covers(entry: &str) -> Vec<Cover> {
    let mut words = entry.split_whitespace().peekable();
    let number = |word: &str| {
        let digits = word.len() == 3 && word.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| word.parse::<u16>().ok()).flatten()
    };
    let Some(first) = words.next().and_then(number) else { return Vec::new() };
    let last = match words.next_if_eq(&"to") {
        Some(_) => words.next().and_then(number).unwrap_or(first),
        None => first,
    };
    let (extra, path): (Vec<&str>, Vec<&str>) = words.partition(|word| word.starts_with('+'));
    let extra: Vec<String> = extra.iter().map(|word| word[1..].to_owned()).collect();
    let cover = |n: u16| Cover { number: format!("{n:03}"), path: path.concat(), extra: extra.clone() };
    (first..=last).map(cover).collect()
}

fn explanation<'a>(differences: &'a [Difference], recording: &Recording, found: &str) -> Option<&'a str> {
    differences
        .iter()
        .find(|d| {
            let mut covers = d.covers.iter().filter(|cover| cover.number == recording.number);
            covers.any(|cover| cover.extra.is_empty() && begins(found, &cover.path))
        })
        .map(|d| d.id.as_str())
}

/// Whether what was found begins with a path, in which `*` stands for one step.
fn begins(found: &str, path: &str) -> bool {
    if !path.contains('*') {
        return found.starts_with(path);
    }
    let mut steps = found.split(": ").next().unwrap_or_default().split('.');
    path.split('.').all(|step| steps.next().is_some_and(|own| step == "*" || own == step))
}

/// What differs, as `path: what`; empty when the recording is met.
fn compare(recording: &Recording, extra: &[String], home: &Path) -> Vec<String> {
    let mut command = Command::new(binary());
    command.args(&recording.argv).args(extra).current_dir(home).env_clear().envs(CLOCK.iter().copied());
    command.env("PATH", env::var_os("PATH").unwrap_or_default()).env("HOME", home).env("PM_AUTHOR", "golden");
    if recording.exit == 0 && !recording.argv.iter().any(|a| a == "--output-budget") {
        command.args(["--output-budget", "unbounded"]);
    }
    let output = match command.output() {
        Ok(output) => output,
        Err(e) => return vec![format!("start: {e}")],
    };
    let code = output.status.code().unwrap_or(-1);
    if code != recording.exit {
        let said = String::from_utf8_lossy(&output.stderr);
        return vec![format!(
            "exit: {} wanted, {code}: {}",
            recording.exit,
            said.lines().next().unwrap_or_default()
        )];
    }
    let Some(want) = &recording.answer else {
        let want = recording.text.as_deref().unwrap_or_default();
        let rows = want.lines().take_while(|l| !l.starts_with("count:"));
        let got = String::from_utf8_lossy(&output.stdout);
        return rows
            .zip(got.lines())
            .find(|(a, b)| without_cursor(a).trim_end() != without_cursor(b).trim_end())
            .map_or(Vec::new(), |(a, b)| vec![format!("text: {a:.90?} wanted, {b:.90?}")]);
    };
    let Ok(got) = serde_json::from_slice::<Value>(&output.stdout) else {
        return vec!["stdout: no JSON".to_owned()];
    };
    let surface = recording.argv[0].split('-').next().unwrap_or_default();
    let parts = PARTS.iter().find(|(name, _)| *name == surface).map_or(&[][..], |(_, parts)| parts);
    let cut = want.get("output_budget_truncation").is_some();
    let mut found = Vec::new();
    for part in parts.iter().filter(|p| want.get(**p).is_some()) {
        differ(&want[*part], got.get(*part).unwrap_or(&Value::Null), part, cut, &mut found);
    }
    found
}

/// Notes each place where `got` does not hold what `want` holds; after a cut, lists are prefixes.
fn differ(want: &Value, got: &Value, path: &str, cut: bool, found: &mut Vec<String>) {
    match (want, got) {
        (Value::Object(w), Value::Object(g)) => {
            let keys: BTreeMap<&String, ()> = w.keys().map(|k| (k, ())).collect();
            for key in keys.keys() {
                differ(&w[*key], g.get(*key).unwrap_or(&Value::Null), &format!("{path}.{key}"), cut, found);
            }
        }
        (Value::Array(w), Value::Array(g)) if NAMED.contains(&path) => {
            let known: Vec<String> = g.iter().map(name).collect();
            let missing = w.iter().map(name).filter(|name| !known.contains(name));
            found.extend(missing.map(|name| format!("{path}.{name}: missing")));
        }
        (Value::Array(w), Value::Null) if w.is_empty() => {}
        (Value::Array(w), Value::Array(g)) => {
            if w.len() > g.len() || (!cut && w.len() != g.len()) {
                found.push(format!("{path}: {} rows wanted, {}", w.len(), g.len()));
            }
            for (n, (w, g)) in w.iter().zip(g).enumerate() {
                differ(w, g, &format!("{path}.{n}"), cut, found);
            }
        }
        (Value::String(w), Value::String(g))
            if w.ends_with('…') && g.starts_with(w.trim_end_matches('…')) => {}
        (Value::Number(w), Value::Number(g)) if near(w.as_f64(), g.as_f64()) => {}
        _ if want == got => {}
        _ => found.push(format!("{path}: {} wanted, {}", short(want), short(got))),
    }
}

/// A line of JSON without its cursor, which is opaque.
fn without_cursor(line: &str) -> String {
    const KEY: &str = "\"cursor\":\"";
    let Some(start) = line.find(KEY) else { return line.to_owned() };
    let value = &line[start + KEY.len()..];
    let rest = value.find('"').map_or("", |end| &value[end + 1..]);
    format!("{}{}", &line[..start], rest.trim_start_matches(','))
}

/// What a row of a list of names is called; blanks would end a path.
fn name(row: &Value) -> String {
    let named = row.as_str().or_else(|| NAMES.iter().find_map(|key| row.get(key)?.as_str()));
    named.unwrap_or_default().replace(' ', "-")
}

fn near(a: Option<f64>, b: Option<f64>) -> bool {
    a.zip(b).is_some_and(|(a, b)| (a - b).abs() <= 1e-6 * a.abs().max(1.0))
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(60).collect()
}

fn binary() -> PathBuf {
    env::var_os("PM_BIN").map_or_else(
        || {
            let here = env::current_dir().unwrap_or_default();
            here.join("target/release/pm")
        },
        PathBuf::from,
    )
}

/// A folder of our own, gone with the value.
struct Copy {
    path: PathBuf,
}

impl Copy {
    fn new() -> io::Result<Copy> {
        let path = env::temp_dir().join(format!("pm-goldens-{}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Copy { path })
    }

    fn tracker(&self, from: &Path) -> io::Result<()> {
        copy(from, &self.path.join(".agents"))
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?;
        } else {
            fs::write(to, fs::read(entry.path())?)?;
        }
    }
    Ok(())
}

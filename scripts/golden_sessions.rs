//! Replays the scripted sessions of the reference CLI and compares what each step did to the repository: item files
//! byte for byte, history entries by operation and hashes, ids, exit codes, error codes. Steps that differ on purpose
//! are explained by a line of `docs/differences.md` that names them: `lifecycle.11`.
//!
//! `cargo run --example golden_sessions [-- SESSION ...]`; without a name those of the commands that change items,
//! `all` for every one; `PM_BIN` names another binary.

#![expect(clippy::print_stdout, reason = "a program for people")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::{env, fs, io};

use serde_json::Value;

const DATA: &str = "../shared/data/golden-sessions";
const DEFAULT: &[&str] = &["create", "update", "lifecycle", "annotations"];
/// Folders that are local to a working copy.
const LOCAL: &[&str] = &[".git", "runtime", "locks", "transactions", "checkpoints"];

fn main() -> io::Result<ExitCode> {
    if !Path::new(DATA).is_dir() {
        println!("golden-sessions: skipped, {DATA} is not there");
        return Ok(ExitCode::SUCCESS);
    }
    let wanted: Vec<String> = env::args().skip(1).collect();
    let chosen = |name: &str| match wanted.as_slice() {
        [] => DEFAULT.contains(&name),
        [all] if all == "all" => true,
        names => names.iter().any(|wanted| wanted == name),
    };
    let explained = explanations(Path::new("docs/differences.md"))?;
    let mut sum = Sum::default();
    let mut files: Vec<PathBuf> = fs::read_dir(DATA)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "json")) {
        let session: Value = serde_json::from_str(&fs::read_to_string(file)?)?;
        let name = session["session"].as_str().unwrap_or_default();
        if chosen(name) {
            replay(name, &session, &explained, &mut sum)?;
        }
    }
    println!(
        "{} of {} steps agree, {} differ for a reason, {} commands are not there, {} differ",
        sum.agree, sum.steps, sum.explained, sum.missing, sum.rest
    );
    Ok(if sum.rest == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[derive(Default)]
struct Sum {
    steps: usize,
    agree: usize,
    explained: usize,
    missing: usize,
    rest: usize,
}

/// The steps that `docs/differences.md` explains, with the id of the line: the last cell names them.
fn explanations(path: &Path) -> io::Result<BTreeMap<String, String>> {
    let text = fs::read_to_string(path)?;
    let mut found = BTreeMap::new();
    for line in text.lines().filter(|line| line.starts_with("| D-")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        if let (Some(id), Some(last)) = (cells.first(), cells.last()) {
            for step in last.split(',').map(str::trim).filter(|step| step.contains('.')) {
                found.insert(step.to_owned(), (*id).to_owned());
            }
        }
    }
    Ok(found)
}

/// The text files below a folder, those local to a working copy left out.
fn tree(folder: &Path) -> BTreeMap<String, String> {
    fn walk(root: &Path, folder: &Path, found: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                if !LOCAL.iter().any(|name| entry.file_name() == *name) {
                    walk(root, &path, found);
                }
            } else if let (Ok(below), Ok(text)) = (path.strip_prefix(root), fs::read_to_string(&path)) {
                found.insert(below.to_string_lossy().into_owned(), text);
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(folder, folder, &mut found);
    found
}

fn replay(
    name: &str,
    session: &Value,
    explained: &BTreeMap<String, String>,
    sum: &mut Sum,
) -> io::Result<()> {
    let place = tempfile::tempdir()?;
    let repository = place.path().join("repo");
    fs::create_dir(&repository)?;
    let git = Command::new("git").args(["init", "-q", "-b", "main"]).current_dir(&repository).status()?;
    if !git.success() {
        return Err(io::Error::other("git init failed"));
    }
    let mut before = tree(&repository);
    for step in session["steps"].as_array().into_iter().flatten() {
        let output = run(place.path(), &repository, session, step)?;
        let after = tree(&repository);
        let differences = compare(step, &output, &before, &after);
        before = after;
        let label = format!("{name}.{}", step["n"]);
        let words: Vec<&str> =
            step["argv"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        sum.steps += 1;
        if words.contains(&"--help") || differences.is_empty() {
            sum.agree += 1;
        } else if let Some(id) = explained.get(&label) {
            sum.explained += 1;
            println!("{label} {}: {id}", words.join(" "));
        } else if error_code(&output.stderr) == Some("unknown_command".to_owned()) {
            sum.missing += 1;
        } else {
            sum.rest += 1;
            println!("{label} {}", words.join(" "));
            for difference in differences {
                println!("    {difference}");
            }
        }
    }
    Ok(())
}

struct Output {
    code: i64,
    stderr: String,
}

fn run(place: &Path, repository: &Path, session: &Value, step: &Value) -> io::Result<Output> {
    let binary = env::var("PM_BIN").unwrap_or_else(|_| "target/release/pm".to_owned());
    let binary = fs::canonicalize(binary)?;
    let argv = step["argv"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut command = Command::new(binary);
    command.args(argv).current_dir(repository).env_clear();
    command.env("PATH", env::var("PATH").unwrap_or_default()).env("HOME", place.join("home"));
    command.env("PM_GLOBAL_PATH", place.join("global"));
    for variables in [&session["base_env"], &step["env"]] {
        let pairs = variables.as_object().into_iter().flatten();
        command.envs(pairs.filter_map(|(name, value)| Some((name, value.as_str()?))));
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        let text = step["stdin"].as_str().unwrap_or_default();
        // One that reads nothing may be gone already.
        let _ = io::Write::write_all(&mut stdin, text.as_bytes());
    }
    let output = child.wait_with_output()?;
    Ok(Output {
        code: output.status.code().map_or(-1, i64::from),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

fn error_code(stderr: &str) -> Option<String> {
    let error: Value = serde_json::from_str(stderr).ok()?;
    Some(error["code"].as_str()?.to_owned())
}

fn compare(
    step: &Value,
    output: &Output,
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) -> Vec<String> {
    let mut found = Vec::new();
    if step["exit"].as_i64() != Some(output.code) {
        let shown: String = output.stderr.chars().take(200).collect();
        found.push(format!("exit {} for {}: {shown}", output.code, step["exit"]));
    }
    let wanted = step["stderr"].as_str().and_then(error_code);
    // An error without a code of its own may have one here.
    if let Some(wanted) = wanted.filter(|code| code != "command_failed") {
        let got = error_code(&output.stderr);
        if got.as_deref() != Some(&wanted) {
            found.push(format!("error code {} for {wanted}", got.unwrap_or_default()));
        }
    }
    let texts =
        |key: &str| step[key].as_object().into_iter().flatten().filter_map(|(k, v)| Some((k, v.as_str()?)));
    for (path, text) in texts("written") {
        let same = match path.ends_with(".jsonl") {
            true => after.get(path).is_some_and(|mine| hashes(mine) == hashes(text)),
            false => !path.ends_with(".toon") || after.get(path).is_some_and(|mine| mine == text),
        };
        if !same {
            found.push(format!(
                "{path}: {}",
                if after.contains_key(path) { "bytes differ" } else { "not written" }
            ));
        }
    }
    for (path, text) in texts("appended") {
        let all = after.get(path).map_or("", String::as_str);
        let old = before.get(path).map_or("", String::as_str);
        let (got, wanted) = (hashes(all.strip_prefix(old).unwrap_or(all)), hashes(text));
        if got != wanted {
            found.push(format!("{path}: entries {got:?} for {wanted:?}"));
        }
    }
    let removed: Vec<&str> =
        step["removed"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    found.extend(
        removed.iter().filter(|path| after.contains_key(**path)).map(|path| format!("{path}: still there")),
    );
    let lost = before.keys().filter(|path| !after.contains_key(*path) && !removed.contains(&path.as_str()));
    found.extend(lost.map(|path| format!("{path}: removed")));
    found
}

/// Operation, hash before and hash after of each entry, shortened.
fn hashes(text: &str) -> Vec<String> {
    let short = |entry: &Value, key: &str| {
        entry[key].as_str().unwrap_or_default().chars().take(8).collect::<String>()
    };
    text.lines()
        .map(|line| match serde_json::from_str::<Value>(line) {
            Ok(entry) => {
                let op = entry["op"].as_str().unwrap_or_default();
                format!("{op} {}->{}", short(&entry, "before_hash"), short(&entry, "after_hash"))
            }
            Err(_) => "no JSON".to_owned(),
        })
        .collect()
}

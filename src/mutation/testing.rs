//! Runs linked tests and judges what they print (storage.md §2.4: the assertions of a test).

use std::time::Duration;

use regex::Regex;
use serde_json::{Map, Value, json};

use super::then;
use crate::domain::{annotations, values};
use crate::error::{Code, Error, Result};
use crate::store::shell::{self, Ending, Job, Line, Sandbox};
use crate::surface::Context;

/// How long a test may take that says nothing about it, in seconds.
const LIMIT: u64 = 300;

/// What kinds of failure are counted, in wire order.
const CATEGORIES: &[&str] =
    &["infra_collision", "assertion_failure", "empty_run", "timeout", "max_buffer", "spawn_error", "signal"];

/// How tests are run.
#[derive(Debug, Default)]
pub(crate) struct Terms {
    /// Seconds, where a test says none.
    pub(crate) timeout: Option<u64>,
    /// Variables for all of them.
    pub(crate) env_set: Vec<(String, String)>,
    /// Variables that none of them sees.
    pub(crate) env_clear: Vec<String>,
    /// `schema`, `tracker` or `auto`.
    pub(crate) context: Option<String>,
    /// The context of the call is stronger than that of a test.
    pub(crate) override_context: bool,
    /// A test without command counts as failed.
    pub(crate) fail_on_skipped: bool,
    /// A runner that reports no tests counts as failed.
    pub(crate) fail_on_empty: bool,
}

/// Flags of the calls that run tests.
#[derive(clap::Args, Debug, Default)]
#[command(next_help_heading = "Run options")]
pub(crate) struct RunArgs {
    /// Seconds for tests that name no limit
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<String>,
    /// Set a variable
    #[arg(long, value_name = "NAME=VALUE")]
    env_set: Vec<String>,
    /// Remove a variable
    #[arg(long, value_name = "NAME")]
    env_clear: Vec<String>,
    /// What pm sees inside tests: schema, tracker, auto
    #[arg(long, value_name = "MODE")]
    pm_context: Option<String>,
    /// --pm-context is stronger than what a test says
    #[arg(long)]
    override_linked_pm_context: bool,
    /// A test without a command fails
    #[arg(long)]
    fail_on_skipped: bool,
    /// A runner that finds no tests fails
    #[arg(long)]
    fail_on_empty_test_run: bool,
}

impl RunArgs {
    /// How the tests are run.
    ///
    /// Errors: `invalid_argument_value`.
    pub(crate) fn terms(&self) -> Result<Terms> {
        let timeout = match &self.timeout {
            None => None,
            Some(text) => match u64::try_from(values::whole("--timeout", text, 0)?) {
                Ok(seconds @ 1..) => Some(seconds),
                _ => return Err(values::refusal("--timeout", text, "a timeout is 1 second or more", &[])),
            },
        };
        let modes = ["schema", "tracker", "auto"];
        if let Some(mode) = self.pm_context.as_deref().filter(|mode| !modes.contains(mode)) {
            return Err(values::refusal("--pm-context", mode, "give schema, tracker or auto", &modes));
        }
        Ok(Terms {
            timeout,
            env_set: self.env_set.iter().map(|text| assignment(text)).collect::<Result<_>>()?,
            env_clear: self.env_clear.clone(),
            context: self.pm_context.clone(),
            override_context: self.override_linked_pm_context,
            fail_on_skipped: self.fail_on_skipped,
            fail_on_empty: self.fail_on_empty_test_run,
        })
    }
}

/// What came of all tests.
#[derive(Debug)]
pub(crate) struct Report {
    /// One row for each test that was selected.
    pub(crate) results: Vec<Value>,
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
    categories: Map<String, Value>,
}

impl Report {
    /// Nothing was run.
    pub(crate) fn none() -> Report {
        let categories = CATEGORIES.iter().map(|name| ((*name).to_owned(), Value::from(0))).collect();
        Report { results: Vec::new(), passed: 0, failed: 0, skipped: 0, categories }
    }

    /// How many tests failed in which way.
    pub(crate) fn categories(&self) -> Value {
        Value::Object(self.categories.clone())
    }

    /// Adds what another run came to.
    pub(crate) fn add(&mut self, other: &Report) {
        self.results.extend(other.results.iter().cloned());
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }

    fn count(&mut self, category: &str) {
        let number = self.categories.get(category).and_then(Value::as_u64).unwrap_or(0);
        self.categories.insert(category.to_owned(), Value::from(number + 1));
    }
}

/// Runs tests, one after the other.
///
/// Errors: a sandbox cannot be made; `call_cancelled` when nobody waits any more, and then nothing is recorded.
pub(crate) fn run(context: &Context, tests: &[&Value], terms: &Terms) -> Result<Report> {
    let mut report = Report::none();
    for (n, test) in tests.iter().enumerate() {
        context.step(n, tests.len(), text(test, "command").unwrap_or_default())?;
        judge(context, test, terms, &mut report)?;
    }
    Ok(report)
}

/// Runs one test.
///
/// Errors: those of [`run`].
pub(crate) fn run_one(context: &Context, test: &Value, terms: &Terms) -> Result<Report> {
    let mut report = Report::none();
    judge(context, test, terms, &mut report)?;
    Ok(report)
}

fn judge(context: &Context, test: &Value, terms: &Terms, report: &mut Report) -> Result<()> {
    let row = match text(test, "command") {
        Some(command) => one(context, test, command, terms, report)?,
        None => skipped(test, terms, report),
    };
    report.results.push(Value::Object(row));
    Ok(())
}

fn text<'a>(test: &'a Value, key: &str) -> Option<&'a str> {
    test.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

fn skipped(test: &Value, terms: &Terms, report: &mut Report) -> Map<String, Value> {
    report.skipped += 1;
    if terms.fail_on_skipped {
        report.failed += 1;
    }
    let mut row = Map::new();
    row.insert("path".to_owned(), Value::from(text(test, "path")));
    row.insert("status".to_owned(), Value::from("skipped"));
    row
}

fn one(
    context: &Context,
    test: &Value,
    command: &str,
    terms: &Terms,
    report: &mut Report,
) -> Result<Map<String, Value>> {
    let tracker = context.tracker()?;
    let own = text(test, "pm_context_mode");
    let asked = terms.context.as_deref();
    let mode = if terms.override_context { asked.or(own) } else { own.or(asked) }.unwrap_or("schema");
    // `auto` gives items to those that look at them.
    let reads = ["list", "get", "search", "next", "context", "stats", "deps", "graph", "history", "validate"];
    let looks = || command.split_whitespace().any(|word| reads.contains(&word)) && command.contains("pm ");
    let with_items = mode == "tracker" || (mode == "auto" && looks());
    let sandbox = Sandbox::new(tracker.root(), with_items).map_err(|cause| {
        Error::new(Code::Internal, "no place for the test to work in can be made").because(cause)
    })?;
    let mut set = vec![
        ("PM_PATH".to_owned(), sandbox.root().to_string_lossy().into_owned()),
        ("PM_GLOBAL_PATH".to_owned(), sandbox.global().to_string_lossy().into_owned()),
    ];
    set.extend(terms.env_set.iter().cloned());
    let own_env = test.get("env_set").and_then(Value::as_object);
    set.extend(own_env.into_iter().flatten().filter_map(|(k, v)| Some((k.clone(), v.as_str()?.to_owned()))));
    let mut clear = terms.env_clear.clone();
    clear.extend(strings(test, "env_clear").map(str::to_owned));
    let seconds = test.get("timeout_seconds").and_then(Value::as_u64).or(terms.timeout).unwrap_or(LIMIT);
    let limit = Duration::from_secs(seconds);
    let job = Job {
        command: Line::Shell(command),
        input: None,
        folder: tracker.workspace(),
        set: &set,
        clear: &clear,
        limit,
    };
    let mut row = Map::new();
    row.insert("command".to_owned(), Value::from(command));
    let ending = match shell::run_while(&job, &|| !context.watch.has_gone()) {
        Ok(ending) => {
            context.wanted()?;
            ending
        }
        Err(problem) => {
            report.failed += 1;
            report.count("spawn_error");
            row.insert("status".to_owned(), Value::from("failed"));
            row.insert("error".to_owned(), Value::from(problem.to_string()));
            return Ok(row);
        }
    };
    let fault = fault(test, &ending, seconds, terms);
    row.insert("status".to_owned(), Value::from(if fault.is_none() { "passed" } else { "failed" }));
    row.insert("exit_code".to_owned(), Value::from(ending.code));
    if let Some((category, problem)) = fault {
        report.failed += 1;
        report.count(category);
        row.insert("failure_category".to_owned(), Value::from(category));
        row.insert("error".to_owned(), Value::from(problem));
    } else {
        report.passed += 1;
    }
    row.insert("stdout".to_owned(), Value::from(ending.stdout));
    row.insert("stderr".to_owned(), Value::from(ending.stderr));
    Ok(row)
}

fn strings<'a>(test: &'a Value, key: &str) -> impl Iterator<Item = &'a str> {
    test.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// What is wrong with a run, if anything: its category and a sentence.
fn fault(test: &Value, ending: &Ending, seconds: u64, terms: &Terms) -> Option<(&'static str, String)> {
    if ending.timed_out {
        return Some(("timeout", format!("it took longer than {seconds} s")));
    }
    match ending.code {
        None => return Some(("signal", "a signal ended it".to_owned())),
        Some(0) => {}
        Some(code) => return Some(("assertion_failure", format!("it ended with exit code {code}"))),
    }
    if ending.cut {
        return Some(("max_buffer", "it printed more than is kept".to_owned()));
    }
    if terms.fail_on_empty && ran_nothing(&ending.stdout) {
        return Some(("empty_run", "it reports that no test was run".to_owned()));
    }
    assertions(test, ending).map(|problem| ("assertion_failure", problem))
}

/// Whether a runner says that it ran no tests.
fn ran_nothing(stdout: &str) -> bool {
    let lower = stdout.to_lowercase();
    [
        "running 0 tests",
        "no tests found",
        "no tests ran",
        "0 passing",
        "no test files found",
        "collected 0 items",
    ]
    .iter()
    .any(|phrase| lower.contains(phrase))
        && !lower.contains("running 1 ")
}

fn assertions(test: &Value, ending: &Ending) -> Option<String> {
    for (key, stream, name) in [
        ("assert_stdout_contains", &ending.stdout, "standard output"),
        ("assert_stderr_contains", &ending.stderr, "standard error"),
    ] {
        if let Some(missing) = strings(test, key).find(|wanted| !stream.contains(*wanted)) {
            return Some(format!("{name} lacks `{missing}`"));
        }
    }
    if let Some(least) = test.get("assert_stdout_min_lines").and_then(Value::as_u64) {
        let lines = ending.stdout.lines().count() as u64;
        if lines < least {
            return Some(format!("standard output has {lines} lines, not {least}"));
        }
    }
    for (key, stream, name) in [
        ("assert_stdout_regex", &ending.stdout, "standard output"),
        ("assert_stderr_regex", &ending.stderr, "standard error"),
    ] {
        for pattern in strings(test, key) {
            match Regex::new(pattern) {
                Err(_) => return Some(format!("`{pattern}` is no pattern")),
                Ok(regex) if !regex.is_match(stream) => {
                    return Some(format!("{name} does not match `{pattern}`"));
                }
                Ok(_) => {}
            }
        }
    }
    json_assertions(test, &ending.stdout)
}

/// `assert_json_field_equals` and `assert_json_field_gte`: fields of the JSON on standard output, by dotted path.
fn json_assertions(test: &Value, stdout: &str) -> Option<String> {
    let rules = |key: &str| test.get(key).and_then(Value::as_object).cloned().unwrap_or_default();
    let (equal, least) = (rules("assert_json_field_equals"), rules("assert_json_field_gte"));
    if equal.is_empty() && least.is_empty() {
        return None;
    }
    let Ok(document) = serde_json::from_str::<Value>(stdout) else {
        return Some("standard output is no JSON".to_owned());
    };
    let at = |path: &str| {
        path.split('.').try_fold(&document, |value, part| match value {
            Value::Array(list) => list.get(part.parse::<usize>().ok()?),
            other => other.get(part),
        })
    };
    for (path, wanted) in &equal {
        let found = at(path).unwrap_or(&Value::Null);
        let same_text = found.to_string().trim_matches('"') == wanted.to_string().trim_matches('"');
        if found != wanted && !same_text {
            return Some(format!("`{path}` is {found}, not {wanted}"));
        }
    }
    for (path, wanted) in &least {
        let found = at(path).and_then(Value::as_f64);
        let bound = wanted.as_f64().or_else(|| wanted.as_str()?.parse().ok());
        if found.zip(bound).is_none_or(|(found, bound)| found < bound) {
            return Some(format!("`{path}` is not at least {wanted}"));
        }
    }
    None
}

/// `NAME=VALUE` of `--env-set`.
fn assignment(text: &str) -> Result<(String, String)> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), value.to_owned())),
        _ => Err(values::refusal("--env-set", text, "write NAME=VALUE", &[])),
    }
}

/// Keeps a word about a run in the item, where the tracker wants that; `kind` is `test` or `test-all`.
///
/// Errors: those of the store.
pub(crate) fn record(context: &Context, id: &str, kind: &str, report: &Report, started: &str) -> Result<()> {
    let tracker = context.tracker()?;
    if !tracker.settings().flag("testing.record_results_to_items") || report.results.is_empty() {
        return Ok(());
    }
    let write = then(context, "test_run_track", None)?;
    let run_id = format!("run-{}", tracker.tokens().next(12).unwrap_or_default());
    tracker.change(id, &write, &mut |item, at| {
        let mut after = item.clone();
        annotations::append(&mut after, "test_runs", vec![track(report, (kind, &run_id), started, at)]);
        Ok(after)
    })?;
    Ok(())
}

/// The row that an item keeps of a run.
fn track(report: &Report, (kind, run_id): (&str, &str), started: &str, finished: &str) -> Value {
    json!({
        "run_id": run_id,
        "kind": kind,
        "status": if report.failed == 0 { "passed" } else { "failed" },
        "started_at": started,
        "finished_at": finished,
        "recorded_at": finished,
        "passed": report.passed,
        "failed": report.failed,
        "skipped": report.skipped,
        "linked_tests": report.results.len(),
    })
}

//! `pm test-all`.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::answer::{Answer, Rows};
use crate::codec::json;
use crate::contract::{Contract, Effect, Example};
use crate::domain::status_set::StatusSet;
use crate::error::{Code, Result};
use crate::model::records::Count;
use crate::model::timestamp;
use crate::mutation::testing::{self, Report, RunArgs};
use crate::surface::{Command, Context};

/// Runs the linked tests of many items.
pub(super) struct TestAll;

/// Arguments of `pm test-all`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Only items in these statuses
    #[arg(long, value_name = "STATUSES")]
    status: Vec<String>,
    /// At most so many items with tests
    #[arg(long, value_name = "COUNT")]
    limit: Option<usize>,
    /// Pass over so many items with tests
    #[arg(long, value_name = "COUNT")]
    offset: Option<usize>,
    #[command(flatten)]
    run: RunArgs,
    /// Accepted for compatibility
    #[arg(long, hide = true)]
    progress: bool,
}

/// How much of what a failed test printed is told, in characters, from the end.
const TAIL: usize = 2_000;

impl Command for TestAll {
    const CONTRACT: Contract = Contract {
        path: &["test-all"],
        about: "Run the tests linked to many items, each distinct one once",
        effect: Effect::Writes,
        expects: false,
        errors: &[Code::InvalidArgumentValue],
        examples: &[
            Example { about: "What would run?", argv: &["test-all", "--dry-run"] },
            Example {
                about: "Of the work in progress",
                argv: &["test-all", "--status", "in_progress", "--timeout", "600"],
            },
        ],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let terms = args.run.terms()?;
        let ids = items(&args, context)?;
        let tracker = context.tracker()?;
        let mut sweep = Sweep::default();
        let mut known: HashMap<String, Report> = HashMap::new();
        for (n, id) in ids.iter().enumerate() {
            // What was run for the items before this one is recorded there, each as a whole.
            context.step(n, ids.len(), id)?;
            let tests = tracker.item(id)?.item.list("tests").to_vec();
            if context.globals.dry_run {
                sweep.plan(id, &tests);
                continue;
            }
            let started = timestamp::format(context.clock.now());
            let mut own = Report::none();
            for test in &tests {
                let key = identity(test);
                let reused = known.contains_key(&key);
                if !reused {
                    known.insert(key.clone(), testing::run_one(context, test, &terms)?);
                }
                let Some(report) = known.get(&key) else { continue };
                sweep.runs += usize::from(!reused && report.skipped == 0);
                sweep.failures(id, report, reused);
                own.add(report);
            }
            testing::record(context, id, "test-all", &own, &started)?;
            sweep.item(id, &own);
        }
        Ok(sweep.answer(context.globals.dry_run))
    }
}

/// The ids of the items with tests that are looked at, sorted.
fn items(args: &Args, context: &Context) -> Result<Vec<String>> {
    let tracker = context.tracker()?;
    let statuses = &tracker.schema().statuses;
    let set = StatusSet::parse(&args.status, statuses, StatusSet::All)?;
    let records = tracker.records()?;
    let with = records
        .iter()
        .filter(|record| record.count(Count::Tests) > 0 && set.admits(record.status(), statuses));
    let chosen = with.skip(args.offset.unwrap_or(0)).take(args.limit.unwrap_or(usize::MAX));
    Ok(chosen.map(|record| record.id().to_owned()).collect())
}

/// What two tests have in common that need only be run once.
fn identity(test: &Value) -> String {
    let mut test = test.clone();
    if let Some(test) = test.as_object_mut() {
        let with_command = test.contains_key("command");
        test.retain(|key, _| !matches!(key.as_str(), "note" | "scope") && (key != "path" || !with_command));
    }
    json::stable(&test)
}

/// What came of all items.
#[derive(Default)]
struct Sweep {
    rows: Vec<Value>,
    failed: Vec<Value>,
    planned: Vec<Value>,
    totals: [usize; 4],
    runs: usize,
}

impl Sweep {
    fn plan(&mut self, id: &str, tests: &[Value]) {
        for test in tests {
            let text = |key: &str| test.get(key).and_then(Value::as_str);
            self.planned.push(json!({"id": id, "command": text("command"), "path": text("path")}));
        }
        self.rows.push(json!({"id": id, "linked_tests": tests.len()}));
    }

    fn item(&mut self, id: &str, report: &Report) {
        let all = [report.results.len(), report.passed, report.failed, report.skipped];
        self.totals.iter_mut().zip(all).for_each(|(total, one)| *total += one);
        let status = if report.failed == 0 { "passed" } else { "failed" };
        self.rows.push(json!({"id": id, "status": status, "passed": report.passed, "failed": report.failed, "skipped": report.skipped}));
    }

    /// What failed; what a test that was run for another item printed is told there.
    fn failures(&mut self, id: &str, report: &Report, reused: bool) {
        for result in report.results.iter().filter(|result| result["status"] == "failed") {
            let mut row = Map::new();
            row.insert("id".to_owned(), id.into());
            for key in ["command", "failure_category", "error"] {
                row.insert(key.to_owned(), result.get(key).cloned().unwrap_or(Value::Null));
            }
            for key in ["stdout", "stderr"] {
                let text = result.get(key).and_then(Value::as_str).filter(|_| !reused).unwrap_or_default();
                row.insert(key.to_owned(), tail(text).into());
            }
            self.failed.push(Value::Object(row));
        }
    }

    fn answer<'a>(self, dry_run: bool) -> Answer<'a> {
        let [tests, passed, failed, skipped] = self.totals;
        let count = self.rows.len();
        if dry_run {
            let tests = self.planned.len();
            return Answer::new()
                .value("dry_run", true)
                .rows("tests", Rows::values(self.planned))
                .value("count", tests)
                .value("item_count", count);
        }
        let totals = json!({"items": count, "linked_tests": tests, "runs": self.runs, "passed": passed, "failed": failed, "skipped": skipped});
        let answer = Answer::new()
            .value("ok", failed == 0)
            .value("totals", totals)
            .rows("failures", Rows::values(self.failed))
            .rows("results", Rows::values(self.rows))
            .value("count", count);
        if failed > 0 { answer.exit(Code::LinkedTestFailed.kind().exit_code()) } else { answer }
    }
}

fn tail(text: &str) -> String {
    match text.char_indices().rev().nth(TAIL) {
        Some((at, c)) => format!("…{}", &text[at + c.len_utf8()..]),
        None => text.to_owned(),
    }
}

//! `pm test`.

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::domain::{annotations, values};
use crate::error::{Code, Error, Result};
use crate::model::timestamp;
use crate::mutation::receipt::Receipt;
use crate::mutation::testing::{self, Report, RunArgs};
use crate::mutation::{text_or_stdin, write};
use crate::surface::{Command, Context};
use crate::tracker::Written;

/// Lists, adds, removes and runs the tests linked to an item.
pub(super) struct Test;

/// Arguments of `pm test`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Id of the item
    id: String,
    /// Link a test: command=<command>,timeout_seconds=<n>,path=<path>,scope=<scope>,note=<text>
    #[arg(long, value_name = "ENTRY")]
    add: Vec<String>,
    /// Link tests given as a JSON object or a list of them
    #[arg(long, value_name = "JSON")]
    add_json: Vec<String>,
    /// Remove the test with exactly this command or path
    #[arg(long, value_name = "COMMAND|PATH")]
    remove: Vec<String>,
    /// Remove the test at this place, counted from 1
    #[arg(long, value_name = "INDEX")]
    remove_index: Vec<String>,
    /// List the tests; changes nothing
    #[arg(long)]
    list: bool,
    /// Run the linked commands
    #[arg(long)]
    run: bool,
    /// With --run: only tests whose command or path contains this
    #[arg(long = "match", value_name = "TEXT", group = "selector")]
    matching: Option<String>,
    /// With --run: only the test at this place, counted from 1
    #[arg(long, value_name = "INDEX", group = "selector")]
    only_index: Option<String>,
    /// With --run: only the test that was added last
    #[arg(long, group = "selector")]
    only_last: bool,
    #[command(flatten)]
    run_args: RunArgs,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for Test {
    const CONTRACT: Contract = Contract {
        path: &["test"],
        about: "List, add, remove or run the tests linked to an item",
        effect: Effect::Hybrid(&["--add", "--add-json", "--remove", "--remove-index", "--run"]),
        errors: &[Code::ItemNotFound, Code::InvalidArgumentValue, Code::LinkedTestRemoveNoMatch],
        examples: &[
            Example {
                about: "Link a test",
                argv: &["test", "pm-a1b2", "--add", "command=cargo test parser,timeout_seconds=600"],
            },
            Example { about: "Run what is linked", argv: &["test", "pm-a1b2", "--run"] },
        ],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let id = tracker.resolve(&args.id)?;
        let changes = !(args.add.is_empty()
            && args.add_json.is_empty()
            && args.remove.is_empty()
            && args.remove_index.is_empty());
        if args.list && (changes || args.run) {
            let problem = "--list shows the tests and does nothing else";
            return Err(Error::new(Code::ConflictingArguments, problem).at("--list"));
        }
        let written = if changes { Some(change(&id, &args, context)?) } else { None };
        if let (Some(written), true) = (&written, context.globals.dry_run) {
            return Ok(Receipt::of(written.clone()).answer(&context.globals));
        }
        let tests = match &written {
            Some(Written { after: Some(item), .. }) => item.list("tests").to_vec(),
            _ => tracker.item(&id)?.item.list("tests").to_vec(),
        };
        let changed = written.as_ref().is_some_and(|written| !written.unchanged);
        let (report, selection) =
            if args.run { run(&id, &tests, &args, context)? } else { (Report::none(), None) };
        let mut answer = Answer::new()
            .value("ok", report.failed == 0)
            .value("id", id)
            .value("tests", tests.clone())
            .value("run_results", report.results.clone())
            .value("failure_categories", report.categories());
        if let Some(selection) = selection {
            answer = answer.value("selection", selection);
        }
        answer = answer.value("changed", changed).value("count", tests.len());
        let warnings = written.map(|written| written.warnings).unwrap_or_default();
        let answer = warnings.into_iter().fold(answer, Answer::warn);
        Ok(if report.failed > 0 { answer.exit(Code::LinkedTestFailed.kind().exit_code()) } else { answer })
    }
}

fn change(id: &str, args: &Args, context: &Context) -> Result<Written> {
    let tracker = context.tracker()?;
    let mut rows = Vec::new();
    for text in &args.add {
        rows.push(annotations::test_row("--add", text_or_stdin(context, text)?.trim_end())?);
    }
    for text in &args.add_json {
        rows.extend(annotations::tests_from_json("--add-json", text_or_stdin(context, text)?)?);
    }
    let op = if rows.is_empty() { "tests_remove" } else { "tests_add" };
    let write = write(context, op, args.message.as_deref())?;
    tracker.change(id, &write, &mut |item, _| {
        let mut list = item.list("tests").to_vec();
        let mut places = Vec::new();
        for text in &args.remove_index {
            places.push(annotations::index("--remove-index", text, list.len())?);
        }
        places.sort_unstable();
        places.dedup();
        for place in places.into_iter().rev() {
            list.remove(place);
        }
        for text in &args.remove {
            annotations::remove_test(&mut list, "--remove", text_or_stdin(context, text)?.trim_end())?;
        }
        annotations::add_tests(&mut list, rows.clone());
        let mut after = item.clone();
        annotations::store(&mut after, "tests", list);
        Ok(after)
    })
}

/// The places of the tests that are to run.
fn selected(tests: &[Value], args: &Args) -> Result<Vec<usize>> {
    let all = 0..tests.len();
    if let Some(text) = &args.only_index {
        return Ok(vec![annotations::index("--only-index", text, tests.len())?]);
    }
    if args.only_last {
        return Ok(all.rev().take(1).collect());
    }
    let Some(part) = &args.matching else { return Ok(all.collect()) };
    let has = |test: &Value, key: &str| {
        test.get(key).and_then(Value::as_str).is_some_and(|t| t.contains(part.as_str()))
    };
    let found: Vec<usize> =
        all.filter(|place| has(&tests[*place], "command") || has(&tests[*place], "path")).collect();
    if found.is_empty() {
        return Err(values::refusal("--match", part, "no linked test contains it", &[]));
    }
    Ok(found)
}

fn run(id: &str, tests: &[Value], args: &Args, context: &Context) -> Result<(Report, Option<Value>)> {
    let places = selected(tests, args)?;
    let terms = args.run_args.terms()?;
    if context.globals.dry_run {
        return Ok((Report::none(), None));
    }
    let started = timestamp::format(context.clock.now());
    let chosen: Vec<&Value> = places.iter().map(|place| &tests[*place]).collect();
    let report = testing::run(context, &chosen, &terms)?;
    testing::record(context, id, "test", &report, &started)?;
    let selector = [
        ("match", args.matching.is_some()),
        ("only_index", args.only_index.is_some()),
        ("only_last", args.only_last),
    ];
    let selection = json!({
        "selector": selector.iter().find(|(_, given)| *given).map(|(name, _)| *name),
        "requested": args.matching.as_ref().or(args.only_index.as_ref()),
        "selected_indexes": places.iter().map(|place| place + 1).collect::<Vec<_>>(),
        "selected_count": places.len(),
        "skipped_count": tests.len() - places.len(),
    });
    Ok((report, Some(selection)))
}

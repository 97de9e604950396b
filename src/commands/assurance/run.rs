//! `pm assurance run`: judges the assertions of a gate. Nothing is recorded: reading changes nothing.

use serde_json::{Map, Value, json};

use super::observation::Observation;
use super::registry;
use crate::answer::{Answer, Row, Rows, row};
use crate::contract::{Contract, Example, Tier, surfaces};
use crate::domain::assurance::{Observer, Outcome, Registry, Sort, bounds, text_of, triggers_of};
use crate::domain::filter::values;
use crate::error::{Code, Result};
use crate::surface::{Command, Context};

/// Judges a gate.
pub(in crate::commands) struct Run;

/// Arguments of `pm assurance run`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// The gate's id
    gate: String,
    /// On which occasion; the gate must know it
    #[arg(long, value_name = "TRIGGER")]
    trigger: Option<String>,
    /// Name of the revision that is judged, for the answer
    #[arg(long, value_name = "REVISION")]
    tree: Option<String>,
    /// Accepted for compatibility: nothing is ever recorded
    #[arg(long = "no-record", alias = "dry-run", hide = true)]
    no_record: bool,
}

impl Command for Run {
    const CONTRACT: Contract = Contract {
        path: &["assurance", "run"],
        about: "Judge the assertions of a gate; exit 1 when one that blocks does not hold",
        read_output: Some(surfaces::ASSURANCE),
        errors: &[
            Code::InvalidArgumentValue,
            Code::AssuranceRegistryInvalid,
            Code::AssuranceDeclarationNotFound,
        ],
        examples: &[Example {
            about: "A gate for CI",
            argv: &["assurance", "run", "release", "--trigger", "ci"],
        }],
        tier: Tier::Full,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let registry = registry::read(context)?;
        let gate = registry::find(&registry, Sort::Gate, &args.gate)?;
        if let Some(trigger) = args.trigger.as_deref() {
            let known: Vec<&str> = triggers_of(gate).collect();
            if !known.contains(&trigger.trim()) {
                return Err(values::illegal("--trigger", trigger, &known));
            }
        }
        let observation = Observation::new(context);
        let source = |source: &Map<String, Value>| observation.observe(source);
        let mut observer = Observer::new(&registry, &source);
        let ids = gate.get("assertion_ids").and_then(Value::as_array).into_iter().flatten();
        let rows: Vec<Row> =
            ids.filter_map(Value::as_str).map(|id| judged(id, &registry, &mut observer)).collect();
        let open = |row: &&Row| !matches!(row["verdict"].as_str(), Some("pass" | "retired"));
        let with = |level: &str| rows.iter().filter(open).filter(|row| row["enforcement"] == level).count();
        let (blocking, warning) = (with("block"), with("warn"));
        let verdict = match (blocking, warning) {
            (0, 0) => "pass",
            (0, _) => "warn",
            _ => "fail",
        };
        let mut answer = Answer::new()
            .value("gate", args.gate.trim())
            .value("verdict", verdict)
            .value("assertions_total", rows.len())
            .value("blocking_count", blocking)
            .value("warning_count", warning);
        for (key, value) in [("trigger", &args.trigger), ("tree", &args.tree)] {
            if let Some(value) = value {
                answer = answer.value(key, value.as_str());
            }
        }
        let columns = [
            "id",
            "verdict",
            "enforcement",
            "observed",
            "bound",
            "reason",
            "measurement_id",
            "owner_item_id",
        ];
        Ok(answer.rows("assertions", Rows::ready(rows).columns(columns)).exit(u8::from(blocking > 0)))
    }
}

fn judged(id: &str, registry: &Registry, observer: &mut Observer<'_>) -> Row {
    let declared = registry.find(Sort::Assertion, id);
    let outcome = match declared {
        Some(assertion) => observer.judge(assertion),
        None => Outcome {
            verdict: "unknown",
            observed: None,
            reason: Some(format!("no assertion `{id}` is declared")),
        },
    };
    let text = |key: &str| declared.and_then(|map| text_of(map, key)).map_or(Value::Null, Value::from);
    let mut row = row([
        ("id", id.into()),
        ("verdict", outcome.verdict.into()),
        // What nobody declared a level for is taken seriously.
        ("enforcement", declared.and_then(|map| text_of(map, "enforcement")).unwrap_or("block").into()),
        ("observed", outcome.observed.map_or(Value::Null, number)),
        ("bound", declared.map(bounds).unwrap_or_default().into()),
        ("reason", outcome.reason.into()),
        ("measurement_id", text("measurement_id")),
        ("owner_item_id", text("owner_item_id")),
    ]);
    row.retain(|_, value| !value.is_null());
    row
}

/// Whole numbers without a fraction, others with six digits.
fn number(observed: f64) -> Value {
    if observed.fract() == 0.0 && observed.abs() < 9e15 {
        json!(observed as i64)
    } else {
        json!((observed * 1e6).round() / 1e6)
    }
}

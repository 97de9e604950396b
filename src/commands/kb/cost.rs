//! `pm kb cost`.

use serde_json::{Value, json};

use super::place;
use crate::answer::{Answer, Rows, row};
use crate::contract::{Contract, Example, Want, surfaces};
use crate::error::{Code, Result};
use crate::kb::{Library, cost};
use crate::read_output::{self, Environment, OutputArgs};
use crate::surface::{Command, Context};

/// Measures what answers cost.
pub(in crate::commands) struct Cost;

/// Arguments of `pm kb cost`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {}

impl Command for Cost {
    const CONTRACT: Contract = Contract {
        path: &["kb", "cost"],
        about: "Measure typical calls against one answer with all front matter",
        read_output: Some(surfaces::KB_COST),
        errors: &[Code::KbConfigInvalidKind, Code::RepositoryMissing],
        examples: &[Example { about: "What does retrieval cost here?", argv: &["kb", "cost"] }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(_: Args, context: &'a Context) -> Result<Answer<'a>> {
        let place = place(context)?;
        let library = Library::open(&place, place.config()?)?;
        let tokens = |bytes: usize| u64::try_from(bytes.div_ceil(4)).unwrap_or(u64::MAX);
        let text = |value: &Value| serde_json::to_string_pretty(value).map_or(0, |text| text.len() + 1);
        let legacy = tokens(text(&cost::legacy(&library)));
        let (mut rows, mut sum, mut fat) = (Vec::new(), 0, 0);
        for (case, verb, given) in cost::workloads() {
            let own = given.as_object().cloned().unwrap_or_default();
            let answer = Library::call(&place, verb, &own, &Want::default(), &context.clock, None)?;
            let path = ["kb", verb.action().name];
            let Some(surface) = context.catalog.find(&path) else { continue };
            let args = OutputArgs { json: true, ..OutputArgs::default() };
            let controls = read_output::resolve(surface.contract, &args)?;
            let delivered = read_output::deliver(answer, &controls, &Environment::default())?;
            let estimate = tokens(delivered.bytes.len());
            sum += estimate;
            fat += legacy;
            rows.push(row([
                ("case", json!(case)),
                ("call", json!(cost::command_line(verb, &given))),
                ("estimated_tokens", json!(estimate)),
            ]));
        }
        #[expect(clippy::cast_precision_loss, reason = "a ratio for information")]
        let ratio = ((fat as f64 / sum.max(1) as f64) * 10.0).round() / 10.0;
        Ok(Answer::new()
            .rows("rows", Rows::ready(rows))
            .value("legacy_tokens", fat)
            .value("total_tokens", sum)
            .value("ratio", json!(ratio)))
    }
}

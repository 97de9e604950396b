//! `pm schema apply-preset`.

use serde_json::{Value, json};

use crate::answer::{Answer, Rows};
use crate::contract::{Contract, Effect, Example};
use crate::domain::declarations::{self, TYPES};
use crate::domain::presets;
use crate::domain::values::refusal;
use crate::error::{Code, Result};
use crate::mutation::{declaring, write};
use crate::surface::{Command, Context};
use crate::tracker::Document;

/// Declares the types of a preset.
pub(in crate::commands) struct ApplyPreset;

/// Arguments of `pm schema apply-preset`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// agile, ops or research
    name: String,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for ApplyPreset {
    const CONTRACT: Contract = Contract {
        path: &["schema", "apply-preset"],
        about: "Declare the types that agile, operations or research teams need",
        effect: Effect::Writes,
        expects: false,
        errors: &[Code::InvalidArgumentValue, Code::WorkspaceHistoryStateConflict],
        examples: &[Example { about: "Stories and spikes", argv: &["schema", "apply-preset", "agile"] }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let name = args.name.trim().to_ascii_lowercase();
        if !presets::NAMES.contains(&name.as_str()) {
            let problem = format!("the presets are {}", presets::NAMES.join(", "));
            return Err(refusal("NAME", &args.name, problem, &presets::NAMES));
        }
        let write = write(context, "schema:apply-preset", args.message.as_deref())?;
        let mut rows: Vec<Value> = Vec::new();
        let mut edit = |document: Option<&Document>| {
            rows.clear();
            let mut after = document.cloned();
            for kind in presets::kinds(&name) {
                let Some(given) = kind.as_object() else { continue };
                let word = kind["name"].as_str().unwrap_or_default();
                // What the tracker says itself about a type stays as it is.
                let known = declarations::find(&TYPES, after.as_ref(), word).is_some();
                if !known {
                    after = Some(declarations::put(&TYPES, after.as_ref(), given).document);
                }
                rows.push(json!({"name": word, "registered": !known}));
            }
            Ok(after.unwrap_or_default())
        };
        let path = declaring::path(tracker, &TYPES);
        let written = tracker
            .change_document(&path, &write, &mut edit)
            .map_err(|error| declaring::retry(error, context))?;
        let mut warnings = written.warnings;
        if !write.dry_run {
            warnings.extend(declaring::refresh_fence(tracker));
        }
        let mut answer = Answer::new().value("action", "apply-preset").value("preset", name);
        if write.dry_run {
            answer = answer.value("dry_run", true);
        }
        answer = answer.rows("types", Rows::values(rows)).value("changed", !written.unchanged);
        Ok(warnings.into_iter().fold(answer, Answer::warn))
    }
}

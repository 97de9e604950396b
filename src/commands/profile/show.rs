//! `pm profile show`.

use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::contract::{Contract, Example};
use crate::error::{Code, Result};
use crate::mutation::profiling;
use crate::surface::{Command, Context};

/// Shows a profile.
pub(in crate::commands) struct Show;

/// Arguments of `pm profile show`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// agile, ops or research
    name: String,
}

impl Command for Show {
    const CONTRACT: Contract = Contract {
        path: &["profile", "show"],
        about: "Show everything that a profile brings",
        errors: &[Code::UnknownProfile],
        examples: &[Example { about: "Before it is applied", argv: &["profile", "show", "agile"] }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, _: &'a Context) -> Result<Answer<'a>> {
        let profile = profiling::find(&args.name)?;
        let [types, statuses, fields, workflows] =
            profile.declarations().map(|(_, all)| Value::from_iter(all.into_iter().map(Value::Object)));
        let settings: Map<String, Value> =
            profile.settings().iter().map(|(name, text)| ((*name).to_owned(), json!(text))).collect();
        let (template, options) = profile.template();
        Ok(Answer::new()
            .value("action", "show")
            .value("name", profile.name)
            .value("title", profile.title)
            .value("summary", profile.summary)
            .value("types", types)
            .value("statuses", statuses)
            .value("fields", fields)
            .value("workflows", workflows)
            .value("config", settings)
            .value("templates", json!([{"name": template, "options": options}])))
    }
}

//! `pm templates list`.

use serde_json::{Value, json};

use crate::answer::{Answer, Rows};
use crate::contract::{Contract, Example};
use crate::error::Result;
use crate::mutation::templates;
use crate::surface::{Command, Context};

/// Lists the templates of new items.
pub(in crate::commands) struct List;

/// Arguments of `pm templates list`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {}

impl Command for List {
    const CONTRACT: Contract = Contract {
        path: &["templates", "list"],
        about: "List the templates of new items",
        examples: &[Example { about: "Which are there?", argv: &["templates", "list"] }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(_: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let mut rows: Vec<Value> = Vec::new();
        let mut warnings = Vec::new();
        for name in tracker.template_names() {
            match templates::options(tracker, &name) {
                Ok((_, options)) => {
                    let keys: Vec<&str> = options.keys().map(String::as_str).collect();
                    rows.push(json!({"name": name, "type": options.get("type"), "options": keys.join(",")}));
                }
                Err(error) => warnings.push(format!("template_invalid:{name}:{}", error.message)),
            }
        }
        let count = rows.len();
        let answer =
            Answer::new().value("action", "list").rows("templates", Rows::values(rows)).value("count", count);
        Ok(warnings.into_iter().fold(answer, Answer::warn))
    }
}

//! `pm assurance list`: what is declared.

use serde_json::{Map, Value};

use super::registry;
use crate::answer::{Answer, Row, Rows, row};
use crate::contract::{Contract, Example, Tier, surfaces};
use crate::domain::assurance::{Sort, bounds, text_of};
use crate::error::{Code, Result};
use crate::surface::{Command, Context};

/// Lists declarations.
pub(in crate::commands) struct List;

/// Arguments of `pm assurance list`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// What to list: measurement, assertion or gate; all of them when it is left out
    kind: Option<String>,
}

impl Command for List {
    const CONTRACT: Contract = Contract {
        path: &["assurance", "list"],
        about: "List what the tracker promises about itself: measurements, assertions, gates",
        read_output: Some(surfaces::ASSURANCE_LIST),
        errors: &[Code::InvalidArgumentValue, Code::AssuranceRegistryInvalid],
        examples: &[
            Example { about: "Everything", argv: &["assurance", "list"] },
            Example { about: "What can be run", argv: &["assurance", "list", "gate"] },
        ],
        tier: Tier::Full,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let sorts = match args.kind.as_deref() {
            Some(kind) => vec![registry::sort(kind)?],
            None => Sort::ALL.to_vec(),
        };
        let registry = registry::read(context)?;
        let mut answer = Answer::new();
        for sort in sorts {
            let rows = registry.all(sort).iter().map(|map| line(sort, map)).collect();
            answer = answer.rows(sort.key(), Rows::ready(rows));
        }
        Ok(answer)
    }
}

fn line(sort: Sort, map: &Map<String, Value>) -> Row {
    let text = |key: &str| text_of(map, key).map_or(Value::Null, Value::from);
    let words = |key: &str| -> Value {
        let list = map.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        list.collect::<Vec<_>>().join(",").into()
    };
    match sort {
        Sort::Measurement => {
            let kind = map.get("source").and_then(|source| source.get("kind")).cloned();
            row([
                ("id", text("id")),
                ("source", kind.unwrap_or(Value::Null)),
                ("description", text("description")),
            ])
        }
        Sort::Assertion => row([
            ("id", text("id")),
            ("measurement_id", text("measurement_id")),
            ("bound", bounds(map).into()),
            ("enforcement", text("enforcement")),
            ("lifetime", text("lifetime")),
            ("owner_item_id", text("owner_item_id")),
        ]),
        Sort::Gate => {
            let count = map.get("assertion_ids").and_then(Value::as_array).map_or(0, Vec::len);
            row([
                ("id", text("id")),
                ("assertion_count", count.into()),
                ("triggers", words("triggers")),
                ("description", text("description")),
            ])
        }
    }
}

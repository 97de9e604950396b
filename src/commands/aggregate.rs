//! `pm aggregate`.

use std::cmp::Ordering;
use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::answer::{Answer, Completeness, Row, Rows};
use crate::contract::{Contract, Example, Tier, surfaces};
use crate::domain::filter::{Filter, FilterArgs, Ground, values};
use crate::domain::status_set::StatusSet;
use crate::domain::tally::{self, Tally};
use crate::error::{Code, Error, Result};
use crate::model::records::Record;
use crate::model::schema::Schema;
use crate::model::timestamp;
use crate::surface::{Command, Context};

/// Counts items in groups.
pub(super) struct Aggregate;

/// What items can be grouped by; `tag_sets` are the tags of an item as a whole.
const FIELDS: &[&str] =
    &["parent", "type", "priority", "status", "assignee", "tags", "tag_sets", "sprint", "release"];

/// Arguments of `pm aggregate`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Group by these fields, joined by commas; each tag of an item counts by itself
    #[arg(long, value_name = "FIELDS")]
    group_by: Vec<String>,
    /// Accepted for compatibility: groups are always counted
    #[arg(long)]
    count: bool,
    /// Add how much of each group is done
    #[arg(long)]
    completion: bool,
    /// Add the sum of this number: estimated_minutes, priority, or a number of the tracker's own
    #[arg(long, value_name = "FIELD")]
    sum: Option<String>,
    /// Add the mean of this number
    #[arg(long, value_name = "FIELD")]
    avg: Option<String>,
    /// When grouping by parent: count items without one, too
    #[arg(long)]
    include_unparented: bool,
    #[command(flatten)]
    filters: FilterArgs,
}

impl Command for Aggregate {
    const CONTRACT: Contract = Contract {
        path: &["aggregate"],
        about: "Count items in groups",
        read_output: Some(surfaces::AGGREGATE),
        errors: &[Code::InvalidArgumentValue, Code::ConflictingArguments],
        examples: &[
            Example { about: "By type and status", argv: &["aggregate", "--group-by", "type,status"] },
            Example {
                about: "How far each parent is",
                argv: &["aggregate", "--group-by", "parent", "--completion"],
            },
            Example {
                about: "Open work by tag",
                argv: &["aggregate", "--group-by", "tags", "--status", "open"],
            },
        ],
        tier: Tier::Full,
        custom_flags: true,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let (schema, records, now) = (tracker.schema(), tracker.records()?, context.clock.now());
        let fields = fields(&args.group_by)?;
        let number = number(&args, schema)?;
        let prefix = tracker.settings().id_prefix();
        let ground = Ground { now, schema, prefix: &prefix };
        let filter = Filter::new(&args.filters, &context.custom, StatusSet::All, &ground)?;
        let selection = filter.over(records, schema);
        let mut groups: HashMap<Vec<Value>, Group, foldhash::fast::FixedState> = HashMap::default();
        let (mut considered, mut unparented) = (0, 0);
        for record in selection.records() {
            considered += 1;
            if fields.contains(&"parent") && !args.include_unparented && parent(record).is_none() {
                unparented += 1;
                continue;
            }
            let station = tally::station(&schema.statuses, record.status());
            let value = number.as_deref().map(|field| numeric(record, field));
            for key in keys(record, &fields) {
                groups.entry(key).or_default().add(station, value);
            }
        }
        let mut sorted: Vec<(Vec<Value>, Group)> = groups.into_iter().collect();
        sorted.sort_by(|a, b| {
            a.0.iter().zip(&b.0).map(|(a, b)| compare(a, b)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
        });
        let labelled = context.want.selectors.iter().any(|selector| selector.ends_with("group_label"));
        let rows: Vec<Row> =
            sorted.iter().map(|(key, group)| group.row(&fields, key, &args, labelled)).collect();
        let totals = json!({"items_considered": considered, "items_grouped": considered - unparented,
            "items_skipped_unparented": unparented});
        let mut echo = args.filters.echo();
        echo.insert("group_by".to_owned(), json!(fields));
        let answer = Answer::new()
            .rows("groups", Rows::ready(rows))
            .value("totals", totals)
            .completeness(Completeness::of(records.unserved()))
            .echo("filters", Value::Object(echo))
            .echo("now", timestamp::format(now));
        Ok(tracker.warnings().iter().fold(answer, |answer, warning| answer.warn(warning.clone())))
    }
}

fn fields(asked: &[String]) -> Result<Vec<&'static str>> {
    let names = values::split("--group-by", asked)?;
    if names.is_empty() {
        return Ok(vec!["status"]);
    }
    let field = |name: &String| {
        let known = FIELDS.iter().find(|field| field.eq_ignore_ascii_case(name)).copied();
        known.ok_or_else(|| values::illegal("--group-by", name, FIELDS))
    };
    names.iter().map(field).collect()
}

/// The number that is summed up: `estimated_minutes` (also `estimate`), `priority`, or a number that the tracker declares.
fn number(args: &Args, schema: &Schema) -> Result<Option<String>> {
    let (flag, asked) = match (&args.sum, &args.avg) {
        (None, None) => return Ok(None),
        (Some(sum), Some(avg)) if sum != avg => {
            let message = "`--sum` and `--avg` go over one field; name the same for both";
            return Err(Error::new(Code::ConflictingArguments, message)
                .at("--avg")
                .rejecting(avg)
                .hint(format!("pm aggregate --sum {sum} --avg {sum}")));
        }
        (Some(field), _) => ("--sum", field),
        (None, Some(field)) => ("--avg", field),
    };
    let name = if asked == "estimate" { "estimated_minutes" } else { asked.as_str() };
    let custom = schema.fields.iter().filter(|field| field.kind == crate::model::schema::FieldKind::Number);
    let mut legal = vec!["estimated_minutes", "estimate", "priority"];
    legal.extend(custom.map(|field| field.metadata_key.as_str()));
    if legal.contains(&name) { Ok(Some(name.to_owned())) } else { Err(values::illegal(flag, asked, &legal)) }
}

fn numeric(record: Record<'_>, field: &str) -> Option<f64> {
    match field {
        "estimated_minutes" => record.estimated_minutes(),
        "priority" => Some(f64::from(record.priority())),
        _ => record.custom_value(field).and_then(|value| value.as_f64()),
    }
    .filter(|value| value.is_finite())
}

fn parent(record: Record<'_>) -> Option<&str> {
    record.parent().filter(|parent| !parent.trim().is_empty())
}

/// The groups that an item belongs to: one, or one for each of its tags.
fn keys(record: Record<'_>, fields: &[&str]) -> Vec<Vec<Value>> {
    let text = |text: Option<&str>| text.filter(|text| !text.is_empty()).map_or(Value::Null, Value::from);
    let mut keys: Vec<Vec<Value>> = vec![Vec::with_capacity(fields.len())];
    for field in fields {
        let value = match *field {
            "parent" => text(parent(record)),
            "type" => record.kind().into(),
            "priority" => record.priority().into(),
            "status" => record.status().into(),
            "assignee" => text(record.assignee()),
            "sprint" => text(record.sprint()),
            "release" => text(record.release()),
            "tag_sets" => {
                let tags: Vec<&str> = record.tags().collect();
                if tags.is_empty() { Value::Null } else { tags.join(",").into() }
            }
            _ => {
                let tags: Vec<&str> = record.tags().collect();
                if tags.is_empty() {
                    Value::Null
                } else {
                    let before = std::mem::take(&mut keys);
                    for tag in tags {
                        keys.extend(before.iter().map(|key| [key.as_slice(), &[Value::from(tag)]].concat()));
                    }
                    continue;
                }
            }
        };
        keys.iter_mut().for_each(|key| key.push(value.clone()));
    }
    keys
}

/// Numbers by size, texts by their bytes, what is missing last.
fn compare(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Null, Value::Null) => Ordering::Equal,
        (Value::Null, _) => Ordering::Greater,
        (_, Value::Null) => Ordering::Less,
        (Value::String(a), Value::String(b)) => crate::model::collation::compare(a, b).then_with(|| a.cmp(b)),
        (a, b) => a.as_f64().unwrap_or(0.0).total_cmp(&b.as_f64().unwrap_or(0.0)),
    }
}

/// A group and its numbers.
#[derive(Debug, Default)]
struct Group {
    tally: Tally,
    sum: f64,
    numbers: usize,
}

impl Group {
    fn add(&mut self, station: usize, value: Option<Option<f64>>) {
        self.tally.add(station);
        if let Some(value) = value.flatten() {
            self.sum += value;
            self.numbers += 1;
        }
    }

    fn row(&self, fields: &[&str], key: &[Value], args: &Args, labelled: bool) -> Row {
        let mut row = Row::new();
        let group: Map<String, Value> =
            fields.iter().zip(key).map(|(field, value)| ((*field).to_owned(), value.clone())).collect();
        row.insert("group".to_owned(), Value::Object(group));
        row.insert("count".to_owned(), self.tally.total.into());
        if labelled {
            row.insert("group_label".to_owned(), label(fields, key).into());
        }
        if args.completion {
            let [open, in_progress, blocked, draft, closed, canceled, other] = self.tally.stations;
            row.insert("open".to_owned(), open.into());
            row.insert("in_progress".to_owned(), in_progress.into());
            row.insert("closed".to_owned(), closed.into());
            row.insert("other".to_owned(), (blocked + draft + canceled + other).into());
            let done = tally::percent(closed, self.tally.total, 2);
            row.insert("completion_pct".to_owned(), json!(done));
        }
        if args.sum.is_some() || args.avg.is_some() {
            row.insert("null_count".to_owned(), (self.tally.total - self.numbers).into());
        }
        if args.sum.is_some() {
            row.insert("sum".to_owned(), json!(self.sum));
        }
        if args.avg.is_some() {
            let mean = (self.numbers > 0).then(|| self.sum / self.numbers as f64);
            row.insert("avg".to_owned(), json!(mean.map(|mean| (mean * 100.0).round() / 100.0)));
        }
        row
    }
}

/// A group in words.
fn label(fields: &[&str], key: &[Value]) -> String {
    let word = |field: &str, value: &Value| match value {
        Value::Null => match field {
            "parent" => "(unparented)".to_owned(),
            "assignee" => "(unassigned)".to_owned(),
            "tags" | "tag_sets" => "(untagged)".to_owned(),
            _ => "(none)".to_owned(),
        },
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match (fields, key) {
        ([field], [value]) => word(field, value),
        _ => fields
            .iter()
            .zip(key)
            .map(|(field, value)| format!("{field}={}", word(field, value)))
            .collect::<Vec<_>>()
            .join(" | "),
    }
}

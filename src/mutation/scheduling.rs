//! The short ways to meetings, events and reminders.

use serde_json::Value;

use super::creating::{self, Request, Terms};
use super::draft::{self, Options};
use super::flags::{Flags, OnCreate};
use super::write;
use crate::answer::Answer;
use crate::domain::calendar::{self, Typed};
use crate::domain::changes::ListChange;
use crate::domain::{dates, values};
use crate::error::Result;
use crate::surface::Context;

/// What every shortcut takes beside its time.
#[derive(clap::Args, Debug)]
pub(crate) struct CommonArgs {
    /// Id of the parent
    #[arg(long, value_name = "ID")]
    parent: Option<String>,
    /// Let the parent be an item that does not exist
    #[arg(long)]
    allow_missing_parent: bool,
    /// Tags, separated by commas
    #[arg(long, value_name = "TAGS")]
    tags: Vec<String>,
    /// Priority: 0..4 or critical, high, medium, low, minimal
    #[arg(long, value_name = "PRIORITY")]
    priority: Option<String>,
    /// Body; - is standard input
    #[arg(long, value_name = "TEXT")]
    body: Option<String>,
    /// One paragraph on what it is about
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

/// When something takes place.
#[derive(clap::Args, Debug)]
pub(crate) struct SpanArgs {
    /// When it starts: an ISO time, now, or a distance such as +1h or +2d; now when not given
    #[arg(long, value_name = "WHEN")]
    start: Option<String>,
    /// How long it lasts: 1h, 2d, 30min, PT1H30M (m is a month); 1h when no end is given
    #[arg(long, value_name = "SPAN")]
    duration: Option<String>,
    /// When it ends; stronger than --duration
    #[arg(long, value_name = "WHEN")]
    end: Option<String>,
    /// Where
    #[arg(long, value_name = "TEXT")]
    location: Option<String>,
    /// Time zone, by its IANA name
    #[arg(long, value_name = "NAME")]
    timezone: Option<String>,
    /// It takes the whole day
    #[arg(long)]
    all_day: bool,
}

impl SpanArgs {
    /// The event as items store it.
    ///
    /// Errors: `invalid_argument_value` naming the flag at fault.
    pub(crate) fn event(&self, now: i64) -> Result<Value> {
        let start = self.start.as_deref().unwrap_or("now");
        let from = dates::parse(start, now).map_err(|p| values::refusal("--start", start, p, &[]))?;
        if let Some(end) = &self.end {
            dates::parse(end, now).map_err(|p| values::refusal("--end", end, p, &[]))?;
        }
        let duration = match (&self.end, &self.duration) {
            (Some(_), _) => None,
            (None, given) => Some(given.as_deref().unwrap_or("1h")),
        };
        if let Some(span) = duration {
            dates::duration(span, from).map_err(|p| values::refusal("--duration", span, p, &[]))?;
        }
        let typed = Typed {
            start: Some(start),
            end: self.end.as_deref(),
            duration,
            location: self.location.as_deref(),
            timezone: self.timezone.as_deref(),
            all_day: self.all_day.then_some("true"),
            ..Typed::default()
        };
        let flag = if self.end.is_some() { "--end" } else { "--duration" };
        calendar::event_row(flag, &typed, now).map(Value::Object)
    }
}

/// Creates an item of this type with one entry in a list of times.
///
/// Errors: those of `create`.
pub(crate) fn create<'a>(
    context: &'a Context,
    (kind, title): (&str, &str),
    (list, row): (&'static str, Value),
    args: CommonArgs,
) -> Result<Answer<'a>> {
    let mut flags = Flags::<OnCreate>::default();
    let given = [
        ("title", Some(title.to_owned())),
        ("type", Some(kind.to_owned())),
        ("parent", args.parent),
        ("priority", args.priority),
        ("body", args.body),
        ("description", args.description),
    ];
    for (key, value) in given {
        flags.fields.extend(value.map(|value| (key, vec![value])));
    }
    if !args.tags.is_empty() {
        flags.fields.insert("tags", args.tags);
    }
    let options = Options { allow_missing_parent: args.allow_missing_parent, ..Options::default() };
    let mut draft = draft::resolve(context, flags, &options, None)?;
    draft.changes.lists.push((list, ListChange { clear: false, rows: vec![row] }));
    let write = write(context, "create", args.message.as_deref())?;
    let mut transaction = context.tracker()?.transaction(&write)?;
    // What such an item must have is said by the shortcut itself.
    let terms = Terms { schedule_preset: Some("lightweight"), ..Terms::default() };
    let created = creating::create(context, &mut transaction, Request { draft, terms }, &write)?;
    transaction.commit()?;
    Ok(created.answer(&context.globals))
}

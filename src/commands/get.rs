//! `pm get`.

use serde_json::{Map, Value, json};

use crate::answer::{Answer, Row, Rows};
use crate::contract::{Contract, Example, Tier, surfaces};
use crate::domain::chain;
use crate::domain::children::{Children, Hierarchy};
use crate::domain::detail::{self, Depth, Selection};
use crate::domain::filter::values;
use crate::domain::merge::conflicts;
use crate::domain::projection;
use crate::domain::rows::Rows as RowIndex;
use crate::domain::sort::Sorting;
use crate::domain::tree;
use crate::domain::version::Version;
use crate::error::{Code, Error, Result};
use crate::model::item::Item;
use crate::model::records::Record;
use crate::surface::{Command, Context};
use crate::tracker::Tracker;

/// Shows items.
pub(super) struct Get;

/// Arguments of `pm get`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The items: full ids, ids without prefix, or beginnings that only one id has
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
    /// How much to show: brief, standard, deep or full
    #[arg(long, value_name = "DEPTH")]
    depth: Option<String>,
    /// Show the fields only, collections counted
    #[arg(long)]
    brief: bool,
    /// Show everything
    #[arg(long)]
    full: bool,
    /// Show these fields and sections, joined by commas
    #[arg(long, value_name = "FIELDS")]
    fields: Option<String>,
    /// Show what lies below the item
    #[arg(long)]
    tree: bool,
    /// How many levels of the tree to show
    #[arg(long, value_name = "N")]
    tree_depth: Option<usize>,
    /// Show the item as it was: a version from 1 on, or a time
    #[arg(long, value_name = "VERSION", allow_hyphen_values = true)]
    at: Option<String>,
    /// Show what a purpose needs: `inspect`
    #[arg(long = "for", value_name = "INTENT")]
    intent: Option<String>,
    /// The most tokens that the answer to `--for` may cost
    #[arg(long, value_name = "N")]
    token_budget: Option<String>,
}

impl Command for Get {
    const CONTRACT: Contract = Contract {
        path: &["get"],
        aliases: &["fetch", "read", "show", "view"],
        about: "Show items",
        read_output: Some(surfaces::GET),
        errors: &[
            Code::ItemNotFound,
            Code::AmbiguousItemId,
            Code::InvalidArgumentValue,
            Code::ConflictingArguments,
            Code::UnknownFieldProjection,
            Code::HistoryTargetOutOfRange,
        ],
        examples: &[
            Example { about: "One item", argv: &["get", "pm-a1b2"] },
            Example { about: "Its comments only", argv: &["get", "pm-a1b2", "--fields", "comments"] },
            Example { about: "Several at once", argv: &["get", "pm-a1b2", "pm-c3d4", "--brief"] },
            Example { about: "As it was a week ago", argv: &["get", "pm-a1b2", "--at", "-7d"] },
        ],
        tier: Tier::Core,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let shape = Shape::of(&args, context)?;
        let tracker = context.tracker()?;
        // Only selectors ask for them.
        let selects = !context.want.selectors.is_empty();
        let declared = || projection::declared(tracker.schema()).chain(detail::COUNTS).map(str::to_owned);
        let fields: Vec<String> = if selects { declared().collect() } else { Vec::new() };
        if let [id] = args.ids.as_slice() {
            return Ok(one(id, &args, shape, context)?.nameable(fields, &detail::SECTIONS));
        }
        if args.at.is_some() || args.tree {
            let flag = if args.tree { "--tree" } else { "--at" };
            return Err(
                Error::new(Code::ConflictingArguments, format!("`{flag}` looks at one item")).at(flag)
            );
        }
        Ok(several(&args.ids, shape, tracker)?.nameable(fields, &[]))
    }
}

/// What is shown of an item.
#[derive(Clone, Debug)]
struct Shape {
    depth: Depth,
    /// Fields and sections chosen by name.
    selection: Option<Selection>,
    /// Nothing was chosen: a smaller answer may stand in when this one costs too much.
    by_default: bool,
    /// What says nothing is left out: counts of nothing, links of nothing, a claim that never was.
    lean: bool,
    /// What is withheld is named in the answer, so that it has to be known whether it is there.
    named: bool,
}

impl Shape {
    fn of(args: &Args, context: &Context) -> Result<Shape> {
        check(args)?;
        let want = &context.want;
        let depth = match args.depth.as_deref() {
            Some(text) => Depth::parse(text)?,
            None if want.mode.as_deref() == Some("full") => Depth::Deep,
            // The pipeline cuts afterwards what the selectors do not name.
            None if !want.selectors.is_empty() => Depth::Deep,
            None if args.brief => Depth::Brief,
            None => Depth::Standard,
        };
        let selection = want.fields.as_ref().map(|fields| select(fields, args, context)).transpose()?;
        let by_default = depth == Depth::Standard && selection.is_none() && !args.tree;
        let lean = want.lean && depth < Depth::Deep && selection.is_none();
        Ok(Shape { depth, selection, by_default, lean, named: !want.lean })
    }

    fn fields(&self, item: &Item) -> Map<String, Value> {
        match &self.selection {
            Some(selection) => detail::selected(item, &selection.fields),
            None => {
                let mut fields = detail::fields(item, self.depth);
                if self.lean && detail::COLLECTIONS.iter().all(|key| item.list(key).is_empty()) {
                    fields.retain(|key, _| !detail::COUNTS.contains(&key.as_str()));
                }
                fields
            }
        }
    }

    fn wants(&self, section: &str) -> bool {
        match &self.selection {
            Some(selection) => selection.wants(section),
            None => self.depth >= Depth::Standard,
        }
    }

    fn cut(&self, section: &str, value: Value) -> Value {
        match &self.selection {
            Some(selection) => selection.cut(section, value),
            None => value,
        }
    }
}

fn check(args: &Args) -> Result<()> {
    let given = [
        ("--depth", args.depth.is_some()),
        ("--brief", args.brief),
        ("--full", args.full),
        ("--fields", args.fields.is_some()),
    ];
    let given: Vec<&str> = given.iter().filter(|(_, given)| *given).map(|(flag, _)| *flag).collect();
    if let [first, second, ..] = given[..] {
        let message = format!("`{first}` and `{second}` both say how much to show; give one");
        return Err(Error::new(Code::ConflictingArguments, message).at(second));
    }
    if args.at.is_some() && args.tree {
        let message = "`--at` looks at the past of one item, `--tree` at what lies below it now";
        return Err(Error::new(Code::ConflictingArguments, message).at("--tree"));
    }
    let needs = |flag: &str, other: &str| {
        Error::new(Code::MissingRequiredOption, format!("`{flag}` has a meaning only with `{other}`"))
            .at(flag)
            .fact("missing", vec![other])
    };
    match args.intent.as_deref().map(str::trim) {
        None if args.token_budget.is_some() => return Err(needs("--token-budget", "--for")),
        None | Some("inspect") => {}
        Some(other) => {
            let mut error = values::illegal("--for", other, &["inspect"]);
            error.code = Code::UnknownContextIntent;
            return Err(error);
        }
    }
    if args.tree_depth.is_some() && !args.tree { Err(needs("--tree-depth", "--tree")) } else { Ok(()) }
}

/// The fields asked for: those of every item, and whatever else the items at hand hold.
fn select(fields: &[String], args: &Args, context: &Context) -> Result<Selection> {
    let tracker = context.tracker()?;
    let call = format!("get {}", args.ids.join(" "));
    let refused = match Selection::parse(fields, &[], &call, tracker.schema()) {
        Err(error) if error.code == Code::UnknownFieldProjection => error,
        other => return other,
    };
    let item = |typed: &String| tracker.item(&tracker.resolve(typed).ok()?).ok();
    let keys = args.ids.iter().filter_map(item).flat_map(|stored| stored.item.metadata.into_iter());
    let held: Vec<String> = keys.map(|(key, _)| key).collect();
    Selection::parse(fields, &held, &call, tracker.schema()).map_err(|_| refused)
}

/// One item, with its sections.
fn one<'a>(typed: &str, args: &Args, shape: Shape, context: &'a Context) -> Result<Answer<'a>> {
    let tracker = context.tracker()?;
    let (id, past) = match &args.at {
        None => (tracker.resolve(typed)?, None),
        Some(at) => {
            let id = tracker.resolve_history(typed)?;
            let version = past(&id, at, context)?;
            (id, Some(version))
        }
    };
    let (item, warnings) = match &past {
        Some(past) => (past.item.clone(), Vec::new()),
        None => shown(&id, tracker)?,
    };
    let by_default = shape.by_default && past.is_none();
    let mut answer = view(&id, &item, &shape, past.as_ref(), tracker)?;
    if args.tree {
        answer = answer.group("tree", below(&id, &item, args, shape.depth, tracker)?);
    }
    if let Some(past) = past {
        answer = answer
            .value("reconstructed", true)
            .value("as_of_version", past.version)
            .value("as_of_timestamp", past.ts);
    }
    answer.warnings.extend(warnings);
    if by_default {
        let brief =
            Shape { depth: Depth::Brief, selection: None, by_default: false, lean: shape.lean, named: true };
        answer = answer.fallback("brief", move || view(&id, &item, &brief, None, tracker));
    }
    Ok(answer)
}

/// The item as it is, with what is to be said of it: one whose file has conflict markers waits for a decision.
fn shown(id: &str, tracker: &Tracker) -> Result<(Item, Vec<String>)> {
    let error = match tracker.item(id) {
        Ok(stored) => return Ok((stored.item, stored.warnings)),
        Err(error) => error,
    };
    let marked = tracker.listing()?.find(id).filter(|_| error.code == Code::MergeConflictMarkers);
    let Some(record) = marked else { return Err(error) };
    let (stored, _) = tracker.shown_item(record.path().to_owned())?;
    let mut item = stored.item;
    item.metadata.insert("status".to_owned(), conflicts::STATUS.into());
    let next = format!("resolve_with:pm merge resolve {id}");
    Ok((item, vec![format!("conflicted:{}", record.path()), next]))
}

/// The item and its sections as parts of an answer.
fn view<'a>(
    id: &str,
    item: &Item,
    shape: &Shape,
    past: Option<&Past>,
    tracker: &'a Tracker,
) -> Result<Answer<'a>> {
    let mut answer = Answer::new().record("item", shape.fields(item));
    let says = |value: &Value| !shape.lean || detail::says_something(value);
    let linked = shape.wants("linked").then(|| detail::linked(item)).filter(says);
    if let Some(linked) = linked {
        answer = answer.value("linked", shape.cut("linked", linked));
    }
    let mut withheld = Vec::new();
    if shape.wants("claim_state") || shape.named {
        let (claim, release) = match past {
            Some(past) => (past.last("claim"), past.last("release")),
            None => {
                let mut last = tracker.last_events(id, &["claim", "release"])?.into_iter();
                (last.next().flatten(), last.next().flatten())
            }
        };
        let state = detail::claim_state(item, claim.as_ref(), release.as_ref());
        if !shape.wants("claim_state") {
            withheld.extend(detail::says_something(&state).then_some("claim_state"));
        } else if says(&state) {
            answer = answer.value("claim_state", state);
        }
    }
    let schedule = shape.wants("schedule").then(|| detail::schedule(item)).flatten();
    if let Some(schedule) = schedule {
        answer = answer.value("schedule", shape.cut("schedule", schedule));
    }
    let container = detail::is_container(item.kind(), tracker.schema());
    let named = shape.selection.as_ref().is_some_and(|selection| selection.wants("children"));
    if past.is_none() && (named || (shape.selection.is_none() && container && shape.wants("children"))) {
        let sample = named || shape.depth == Depth::Deep;
        if let Some(children) = children(id, tracker, sample, named)? {
            answer = answer.value("children", children);
        }
    }
    Ok(omissions(answer, item, container, withheld))
}

/// Names what the item has and the answer does not show, beside what is known to be withheld.
fn omissions<'a>(
    answer: Answer<'a>,
    item: &Item,
    container: bool,
    withheld: Vec<&'static str>,
) -> Answer<'a> {
    let shown = match answer.parts.get("item") {
        Some(crate::answer::Part::Record(Value::Object(fields))) => fields.clone(),
        _ => Map::new(),
    };
    let shows = |field: &str| shown.contains_key(field);
    let mut left: Vec<&str> = withheld;
    left.extend((!item.body.is_empty() && !shows("body")).then_some("body"));
    left.extend(detail::COLLECTIONS.into_iter().filter(|key| !item.list(key).is_empty() && !shows(key)));
    left.extend((container && !answer.parts.contains_key("children")).then_some("children"));
    let linked = ["files", "tests", "docs"].iter().any(|key| !item.list(key).is_empty());
    left.extend((linked && !answer.parts.contains_key("linked")).then_some("linked"));
    let schedule = detail::schedule(item).is_some() && !answer.parts.contains_key("schedule");
    left.extend(schedule.then_some("schedule"));
    left.into_iter().fold(answer, |answer, name| answer.omits(name, &format!("--fields {name}")))
}

/// The children of an item; none when it has none and nobody asked.
fn children(id: &str, tracker: &Tracker, sample: bool, even_none: bool) -> Result<Option<Value>> {
    let records = tracker.records()?;
    let of = Children::of(id, records);
    let children: Vec<Record<'_>> = records.iter().filter(|record| of.has(record.number())).collect();
    let statuses = &tracker.schema().statuses;
    let wanted = even_none || !children.is_empty();
    Ok(wanted.then(|| detail::children(id, &children, statuses, sample, records.len())))
}

/// What lies below an item, as a table of its own.
fn below<'a>(id: &str, item: &Item, args: &Args, depth: Depth, tracker: &'a Tracker) -> Result<Answer<'a>> {
    let records = tracker.records()?;
    let mut all: Vec<Record<'a>> = records.iter().collect();
    Sorting::DEFAULT.sort(&mut all, &tracker.schema().statuses);
    let hierarchy = Hierarchy::new(records, &RowIndex::new(records));
    let root = records.find(id).map(Record::number);
    let lines = tree::grow(&all, records, &hierarchy, root, args.tree_depth);
    let total = lines.len();
    let row = move |n: usize| -> Result<Row> {
        let line = lines[n];
        let record: Record<'a> = records.get(line.row).expect("a line holds the number of a record");
        let mut row = if depth == Depth::Deep {
            tracker.read_item(record.path().to_owned())?.item.metadata
        } else {
            let value = |name: &&str| projection::from_record(record, name).unwrap_or(Value::Null);
            projection::COMPACT.iter().map(|name| ((*name).to_owned(), value(name))).collect()
        };
        row.insert("tree_depth".into(), line.depth.into());
        let parent = line.parent.and_then(|row| records.get(row)).map(Record::id);
        row.insert("tree_parent".into(), parent.into());
        row.insert("tree_children".into(), line.children.into());
        row.insert("tree_title".into(), tree::indented(record.title(), line.depth).into());
        Ok(row)
    };
    Ok(Answer::new()
        .value("root_id", id)
        .value("root_title", item.title())
        .value("depth_limit", args.tree_depth)
        .value("count", total)
        .rows("items", Rows::lazy(total, row)))
}

/// Several items as rows. Those that cannot be served are named one by one, and the exit code is that of the first;
/// when none can, that is the error.
fn several<'a>(typed: &[String], shape: Shape, tracker: &'a Tracker) -> Result<Answer<'a>> {
    let (mut ids, mut missing): (Vec<String>, Vec<(&String, Error)>) = (Vec::new(), Vec::new());
    for typed in typed {
        match tracker.resolve(typed).and_then(|id| shown(&id, tracker).map(|_| id)) {
            Ok(id) if !ids.contains(&id) => ids.push(id),
            Ok(_) => {}
            Err(error) => missing.push((typed, error)),
        }
    }
    if ids.is_empty() && !missing.is_empty() {
        return Err(missing.swap_remove(0).1);
    }
    let total = ids.len();
    let row = move |n: usize| Ok(shape.fields(&shown(&ids[n], tracker)?.0));
    let mut answer = Answer::new().rows("items", Rows::lazy(total, row));
    if let Some((_, first)) = missing.first() {
        answer = answer.exit(first.exit_code());
    }
    if !missing.is_empty() {
        let told = |(typed, error): &(&String, Error)| json!({"id": typed, "code": error.code.as_str(), "problem": error.message});
        answer = answer.value("missing", missing.iter().map(told).collect::<Vec<_>>());
    }
    Ok(answer)
}

/// An item as it was.
struct Past {
    item: Item,
    version: usize,
    ts: Value,
    entries: Vec<Value>,
}

impl Past {
    fn last(&self, op: &str) -> Option<Value> {
        let is = |entry: &&Value| entry.get("op").and_then(Value::as_str) == Some(op);
        self.entries.iter().rev().find(is).cloned()
    }
}

fn past(id: &str, at: &str, context: &Context) -> Result<Past> {
    let mut entries = context.tracker()?.history(id)?;
    let version = Version::parse("--at", at, context.clock.now());
    let count = version.and_then(|version| version.count(&entries)).map_err(|error| {
        let first = if entries.is_empty() { String::new() } else { " --at 1".to_owned() };
        error.hint(format!("pm get {id}{first}"))
    })?;
    entries.truncate(count);
    let replay = chain::verify(&entries);
    if let Some(fault) = replay.fault {
        return Err(Error::new(
            Code::HistoryChainInvalid,
            format!("the history of `{id}` does not verify: {fault}"),
        )
        .at("--at")
        .hint(format!("pm history {id} --verify")));
    }
    if replay.item.metadata.is_empty() {
        return Err(Error::new(Code::ItemNotFound, format!("`{id}` was deleted at version {count}"))
            .at("--at")
            .hint(format!("pm get {id} --at {}", count.saturating_sub(1).max(1))));
    }
    let ts = entries.last().and_then(|entry| entry.get("ts")).cloned().unwrap_or(Value::Null);
    Ok(Past { item: replay.item, version: count, ts, entries })
}

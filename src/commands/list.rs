//! `pm list`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::rc::Rc;

use serde_json::{Map, Value, json};

use crate::answer::{Answer, Completeness, Row, Rows};
use crate::contract::{Contract, Example, Tier, surfaces};
use crate::domain::children::Hierarchy;
use crate::domain::filter::{self, Filter, FilterArgs, Ground, values};
use crate::domain::merge::conflicts;
use crate::domain::projection::{self, Projection};
use crate::domain::rows::Rows as RowIndex;
use crate::domain::sort::Sorting;
use crate::domain::status_set::StatusSet;
use crate::domain::tree::{self, Branch};
use crate::error::{Code, Error, Result};
use crate::model::records::{Record, Records};
use crate::model::schema::Schema;
use crate::model::timestamp;
use crate::surface::{Command, Context};
use crate::tracker::Tracker;

/// Lists items.
pub(super) struct List;

/// From this many rows on a listing without a limit shows a page only.
const LARGE: usize = 10_000;
/// That page.
const LARGE_PAGE: usize = 20;
/// The page of `--for triage`: more than one can decide on at a time, at a cost that leaves room for the rest of an
/// orientation.
const TRIAGE_PAGE: usize = 25;

/// Arguments of `pm list`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Show items in every status
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    filters: FilterArgs,
    /// Order by priority, deadline, updated_at, created_at, title or parent
    #[arg(long, value_name = "KEY", help_heading = "Order")]
    sort: Option<String>,
    /// `asc` or `desc`; dates run from new to old unless told otherwise
    #[arg(long, value_name = "DIRECTION", help_heading = "Order")]
    order: Option<String>,
    /// Show children below their parents
    #[arg(long, help_heading = "Order")]
    tree: bool,
    /// How many levels of the tree to show below its roots
    #[arg(long, value_name = "N", help_heading = "Order")]
    tree_depth: Option<usize>,
    /// Show at most so many items
    #[arg(long, value_name = "N", help_heading = "Page")]
    limit: Option<usize>,
    /// Pass over the first so many items
    #[arg(long, value_name = "N", help_heading = "Page")]
    offset: Option<usize>,
    /// Continue after a page, with its `next_cursor`
    #[arg(long, value_name = "CURSOR", help_heading = "Page")]
    after: Option<String>,
    /// Show every item, whatever it costs
    #[arg(long, help_heading = "Page")]
    no_truncate: bool,
    /// The same as --no-truncate
    #[arg(long, hide = true)]
    unbounded: bool,
    /// Show id, status, type and title
    #[arg(long, help_heading = "Fields")]
    brief: bool,
    /// Show what one needs to choose
    #[arg(long, help_heading = "Fields")]
    compact: bool,
    /// Show all fields
    #[arg(long, help_heading = "Fields")]
    full: bool,
    /// Show these fields, joined by commas
    #[arg(long, value_name = "FIELDS", help_heading = "Fields")]
    fields: Option<String>,
    /// Add the body to each item
    #[arg(long, help_heading = "Fields")]
    include_body: bool,
    /// Show what a purpose needs: `triage`
    #[arg(long = "for", value_name = "INTENT", help_heading = "Fields")]
    intent: Option<String>,
    /// The most tokens that the answer to `--for` may cost
    #[arg(long, value_name = "N", help_heading = "Fields")]
    token_budget: Option<String>,
    /// Fail when an item file cannot be read
    #[arg(long)]
    strict_read: bool,
    /// With --json: one line for each item
    #[arg(long)]
    stream: bool,
}

impl Command for List {
    const CONTRACT: Contract = Contract {
        path: &["list"],
        about: "List items",
        read_output: Some(surfaces::LIST),
        errors: &[
            Code::InvalidArgumentValue,
            Code::ConflictingArguments,
            Code::MissingRequiredOption,
            Code::UnknownFieldProjection,
            Code::ListSourceIncomplete,
        ],
        examples: &[
            Example { about: "What is open, most urgent first", argv: &["list"] },
            Example { about: "What waits for something else", argv: &["list", "--status", "blocked"] },
            Example {
                about: "What changed this week",
                argv: &["list", "--all", "--recent", "--sort", "updated"],
            },
            Example {
                about: "Open bugs of two areas",
                argv: &["list", "--type", "Issue", "--tag", "ui,api"],
            },
        ],
        tier: Tier::Core,
        custom_flags: true,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        check(&args)?;
        let tracker = context.tracker()?;
        let schema = tracker.schema();
        let now = context.clock.now();
        let prefix = tracker.settings().id_prefix();
        let ground = Ground { now, schema, prefix: &prefix };
        let default = if args.all { StatusSet::All } else { StatusSet::Open };
        let mut filter = Filter::new(&args.filters, &context.custom, default, &ground)?;
        if args.tree {
            // A tree holds all descendants of the parent, not its children alone.
            filter.forget_parent();
        }
        let sorting = Sorting::parse(args.sort.as_deref(), args.order.as_deref())?;
        let columns = Columns::choose(&args, context, schema)?;
        // A file with conflict markers is a row too, and unreadable besides.
        let records = tracker.listing()?;
        if args.strict_read {
            refuse_unreadable(records)?;
        }
        let mut listed: Vec<Record<'a>> = filter.over(records, schema).records().collect();
        sorting.sort(&mut listed, &schema.statuses);
        let lines = if args.tree { grow(&args, &listed, records, &prefix) } else { flat(&listed) };
        let limit = args.limit.or_else(|| page_of(&args, lines.len()));
        let mut answer = Answer::new();
        let unknown = filter.unknown_tags(records);
        if !unknown.is_empty() {
            answer = answer.warn(format!("unknown_tags:{}", unknown.join(",")));
        }
        for warning in unmerged(&listed, records) {
            answer = answer.warn(warning);
        }
        let echo = echo(&args, &context.custom, &filter, sorting);
        let projection = columns.echo();
        let whole = columns.projection == Projection::Whole;
        let fields = columns.names();
        let lines = Rc::new(lines);
        let (digests, named) = (Rc::clone(&lines), Rc::clone(&lines));
        let mut rows = Rows::lazy(lines.len(), move |n| columns.row(lines[n], records, tracker))
            .digest(move || digest(&digests, records))
            .named(move |n| {
                records.get(named[n].row).map_or_else(String::new, |record| record.id().to_owned())
            })
            .limited(limit)
            .from_offset(args.offset.unwrap_or(0));
        if let Some(fields) = fields {
            rows = rows.columns(fields);
        }
        answer = answer
            .rows("items", rows)
            .completeness(Completeness::of(records.unserved()))
            .question(question(&args, &context.custom, sorting))
            .echo("filters", echo)
            .echo("projection", projection)
            .echo("sorting", json!({"sort": sorting.key.as_str(), "order": sorting.direction()}))
            .echo("now", timestamp::format(now));
        Ok(if whole { answer } else { answer.omits("full_item_fields", "--output-include full") })
    }
}

/// Arguments that need or exclude each other.
fn check(args: &Args) -> Result<()> {
    let needs = |flag: &str, other: &str| {
        Error::new(Code::MissingRequiredOption, format!("`{flag}` has a meaning only with `{other}`"))
            .at(flag)
            .fact("missing", vec![other])
    };
    if args.tree_depth.is_some() && !args.tree {
        return Err(needs("--tree-depth", "--tree"));
    }
    if args.token_budget.is_some() && args.intent.is_none() {
        return Err(needs("--token-budget", "--for"));
    }
    if args.after.is_some() && args.offset.is_some() {
        let message = "`--after` and `--offset` both say where the page starts; give one";
        return Err(Error::new(Code::ConflictingArguments, message).at("--offset"));
    }
    intent(args).map(|_| ())
}

/// The purpose of `--for`; there is one.
fn intent(args: &Args) -> Result<Option<&'static [&'static str]>> {
    match args.intent.as_deref().map(str::trim) {
        None => Ok(None),
        Some("triage") => Ok(Some(projection::TRIAGE)),
        Some(other) => {
            let mut error = values::illegal("--for", other, &["triage"]);
            error.code = Code::UnknownContextIntent;
            Err(error.hint("pm list --for triage"))
        }
    }
}

/// Whether every row was asked for.
fn complete(args: &Args) -> bool {
    args.all || args.no_truncate || args.unbounded
}

/// How many rows are shown when nobody said so; none for all of them.
fn page_of(args: &Args, rows: usize) -> Option<usize> {
    if complete(args) || args.token_budget.is_some() {
        None
    } else if args.intent.is_some() {
        Some(TRIAGE_PAGE)
    } else {
        (rows >= LARGE).then_some(LARGE_PAGE)
    }
}

/// One row to come: a record and its place in the tree.
type Line = Branch;

fn flat(listed: &[Record<'_>]) -> Vec<Line> {
    listed.iter().map(|record| Line { row: record.number(), depth: 0, parent: None, children: 0 }).collect()
}

fn grow(args: &Args, listed: &[Record<'_>], records: &Records, prefix: &str) -> Vec<Line> {
    let hierarchy = Hierarchy::new(records, &RowIndex::new(records));
    let Some(parent) = &args.filters.parent else {
        return tree::grow(listed, records, &hierarchy, None, args.tree_depth);
    };
    let [prefixed, plain] = filter::spellings(parent, prefix);
    let root = records.find(&prefixed).or_else(|| records.find(&plain));
    root.map_or(Vec::new(), |root| {
        tree::grow(listed, records, &hierarchy, Some(root.number()), args.tree_depth)
    })
}

/// What the rows are made from: the item files in their order, and the shape of the tree.
fn digest(lines: &[Line], records: &Records) -> String {
    let mut text = String::new();
    for line in lines {
        let file = records.get(line.row).map_or(0, Record::digest);
        let _ = write!(text, "{file:x}.{:x}.{:x} ", line.depth, line.children);
    }
    text
}

/// What the rows show.
#[derive(Clone, Debug)]
struct Columns {
    mode: &'static str,
    projection: Projection,
    tree: bool,
    body: bool,
}

impl Columns {
    /// The projection that was asked for, brief when none was.
    ///
    /// Selectors of `--output-include` without a mode widen the brief projection to what they name: the pipeline cuts
    /// the rows to them afterwards.
    fn choose(args: &Args, context: &Context, schema: &Schema) -> Result<Columns> {
        let want = &context.want;
        let (mode, projection) = match (want.mode.as_deref(), &want.fields, intent(args)?) {
            (Some("full"), ..) => ("full", Projection::Whole),
            (Some("compact"), ..) => ("compact", Projection::of(projection::COMPACT)),
            (Some(_), ..) => ("brief", Projection::of(projection::BRIEF)),
            (None, Some(fields), _) => ("fields", named(fields, context, schema)?),
            (None, None, Some(fields)) => ("fields", Projection::of(fields)),
            (None, None, None) => ("brief", widened(&want.selectors, schema)),
        };
        Ok(Columns { mode, projection, tree: args.tree, body: args.include_body })
    }

    /// The names of the columns, when they are fixed.
    fn names(&self) -> Option<Vec<String>> {
        let mut names = self.projection.fields()?.to_vec();
        if self.body && !names.iter().any(|name| name == "body") {
            names.push("body".to_owned());
        }
        Some(names)
    }

    fn echo(&self) -> Value {
        json!({"mode": self.mode, "fields": self.projection.fields()})
    }

    fn row(&self, line: Line, records: &Records, tracker: &Tracker) -> Result<Row> {
        let record = records.get(line.row).expect("a line holds the number of a record");
        let id = |row: usize| records.get(row).map_or("", Record::id);
        let in_tree = |field: &str| match field {
            "tree_depth" => Some(Value::from(line.depth)),
            "tree_parent" => Some(line.parent.map_or(Value::Null, |row| id(row).into())),
            "tree_children" => Some(Value::from(line.children)),
            "tree_title" => Some(tree::indented(record.title(), line.depth).into()),
            _ => None,
        };
        let Some(names) = self.names() else {
            let (stored, marked) = tracker.shown_item(record.path().to_owned())?;
            let item = stored.item;
            let mut row = item.metadata;
            if marked {
                row.insert("status".to_owned(), conflicts::STATUS.into());
            }
            if self.body {
                row.insert("body".to_owned(), item.body.into());
            }
            if self.tree {
                row.extend(
                    projection::TREE.iter().filter_map(|field| Some(((*field).to_owned(), in_tree(field)?))),
                );
            }
            return Ok(row);
        };
        let (mut row, mut item) = (Row::new(), None);
        for name in names {
            let value = match in_tree(&name).filter(|_| self.tree) {
                Some(value) => value,
                // Somebody has to decide first: whatever status it has may be one of the undecided values.
                None if name == "status" && conflicts::is_conflicted(record) => conflicts::STATUS.into(),
                None if self.tree && name == "title" => tree::indented(record.title(), line.depth).into(),
                None => match projection::from_record(record, &name) {
                    Some(value) => value,
                    None => {
                        if item.is_none() {
                            item = Some(tracker.shown_item(record.path().to_owned())?.0.item);
                        }
                        item.as_ref().map_or(Value::Null, |item| projection::field(item, &name))
                    }
                },
            };
            row.insert(name, value);
        }
        Ok(row)
    }
}

/// The fields asked for: those of every item, and whatever else some item holds.
fn named(fields: &[String], context: &Context, schema: &Schema) -> Result<Projection> {
    let refused = match Projection::named(fields, projection::TREE, schema, "list") {
        Err(error) if error.code == Code::UnknownFieldProjection => error,
        other => return other,
    };
    let records = context.tracker()?.records()?;
    let held: std::collections::BTreeSet<&str> =
        records.iter().flat_map(Record::custom).map(|(key, _)| key).collect();
    let legal: Vec<&str> = projection::TREE.iter().copied().chain(held).collect();
    Projection::named(fields, &legal, schema, "list").map_err(|_| refused)
}

/// The brief projection and the fields that selectors name beyond it.
fn widened(selectors: &[String], schema: &Schema) -> Projection {
    let mut fields: Vec<String> = projection::BRIEF.iter().map(|field| (*field).to_owned()).collect();
    for selector in selectors {
        let name = selector.strip_prefix("items.").unwrap_or(selector);
        let name = name.split('.').next().unwrap_or(name);
        if projection::is_field(name, projection::TREE, schema) && !fields.iter().any(|known| known == name) {
            fields.push(name.to_owned());
        }
    }
    Projection::Fields(fields)
}

/// A warning for each item that a merge left to somebody: `pm merge status` tells more.
fn unmerged(listed: &[Record<'_>], records: &Records) -> Vec<String> {
    let marked = |record: &Record<'_>| records.unreadable().iter().any(|file| file.path == record.path());
    let undecided = listed
        .iter()
        .filter(|record| conflicts::is_conflicted(**record) && !marked(record))
        .map(|record| format!("conflicted:{}:{}", record.id(), conflicts::fields_of(*record).join(",")));
    let with_markers = records
        .unreadable()
        .iter()
        .filter(|file| file.code == Code::MergeConflictMarkers.as_str())
        .map(|file| format!("conflicted:{}", file.path));
    undecided.chain(with_markers).collect()
}

fn refuse_unreadable(records: &Records) -> Result<()> {
    let Some(first) = records.unreadable().first() else { return Ok(()) };
    let count = records.unreadable().len();
    let paths: Vec<&str> = records.unreadable().iter().map(|file| file.path.as_str()).collect();
    Err(Error::new(
        Code::ListSourceIncomplete,
        format!("{count} of the item files cannot be read, `{}` among them: {}", first.path, first.problem),
    )
    .at("--strict-read")
    .fact("unreadable", paths)
    .hint("pm validate --check-storage-integrity"))
}

/// What decides which rows there are and in which order.
fn question(args: &Args, custom: &BTreeMap<String, Vec<String>>, sorting: Sorting) -> Value {
    let tree = args.tree.then_some(args.tree_depth);
    json!({
        "all": args.all,
        "filters": args.filters.echo(),
        "custom": custom,
        "sort": sorting.key.as_str(),
        "order": sorting.direction(),
        "tree": tree,
    })
}

/// The `filters` of a full envelope: everything that was said about rows.
fn echo(args: &Args, custom: &BTreeMap<String, Vec<String>>, filter: &Filter, sorting: Sorting) -> Value {
    let mut echo = Map::new();
    match &filter.statuses {
        StatusSet::Open => {}
        StatusSet::All => drop(echo.insert("status".into(), "all".into())),
        StatusSet::Some { ids, blocked, conflicted } => {
            let ids: Vec<&str> =
                ids.iter().map(String::as_str).chain(conflicted.then_some(conflicts::STATUS)).collect();
            let status = if let [one] = ids.as_slice() { Value::from(*one) } else { Value::from(ids) };
            echo.insert("status".into(), status);
            if *blocked {
                echo.insert("blocked_semantics".into(), "status_or_dependency".into());
            }
        }
    }
    let mut rest = args.filters.echo();
    rest.shift_remove("status");
    echo.append(&mut rest);
    for (key, number) in [("limit", args.limit), ("offset", args.offset), ("tree_depth", args.tree_depth)] {
        if let Some(number) = number {
            echo.insert(key.into(), number.to_string().into());
        }
    }
    if let Some(fields) = &args.fields {
        echo.insert("fields".into(), fields.as_str().into());
    }
    let flags = [
        ("include_body", args.include_body),
        ("no_truncate", args.no_truncate),
        ("strict_read", args.strict_read),
        ("tree", args.tree),
    ];
    echo.extend(
        flags.into_iter().filter(|(_, set)| *set).map(|(key, _)| (key.to_owned(), Value::Bool(true))),
    );
    if args.sort.is_some() {
        echo.insert("sort".into(), sorting.key.as_str().into());
        echo.insert("order".into(), sorting.direction().into());
    }
    echo.insert("runtime_filters".into(), json!(custom));
    Value::Object(echo)
}

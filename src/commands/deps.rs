//! `pm deps`.

use std::collections::HashMap;
use std::rc::Rc;

use serde_json::{Map, Value, json};

use crate::answer::{Answer, Completeness, Row, Rows};
use crate::contract::{Contract, Example, surfaces};
use crate::domain::deps::{Direction, Reached, Role, Walk, Web, stored_reach};
use crate::domain::filter::values;
use crate::domain::graph::LinkKind;
use crate::domain::graph::kinds::KINDS;
use crate::domain::packing;
use crate::domain::rows::Rows as RowIndex;
use crate::error::{Code, Error, Result};
use crate::model::checksum::checksum;
use crate::model::records::{Count, Record, Records};
use crate::surface::{Command, Context};

/// Shows what an item depends on and what depends on it.
pub(super) struct Deps;

/// The shapes of the answer; other words of `--format` are encodings and views.
const SHAPES: &[&str] = &["tree", "graph", "context"];
const VIEWS: &[&str] = &["toon", "json", "table", "csv", "ndjson", "markdown"];

const COLUMNS: &[&str] = &["depth", "id", "role", "kind", "via", "status", "type", "title"];

/// Arguments of `pm deps`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The item
    #[arg(value_name = "ID", required_unless_present = "item")]
    id: Option<String>,
    /// The item, as a flag
    #[arg(id = "item", long = "id", value_name = "ID", hide = true)]
    flag: Option<String>,
    /// Show a `tree` of what is before, behind, above and below; a `graph` of all links; a `context` of the nearest
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    /// Follow links so many steps
    #[arg(long, value_name = "N")]
    max_depth: Option<usize>,
    /// Say how many there are, and show none
    #[arg(long)]
    summary: bool,
    /// Show all of it, whatever it costs
    #[arg(long)]
    full: bool,
    /// Follow links that the item holds (`outgoing`), that name it (`incoming`), or `both`
    #[arg(long, value_name = "DIRECTION")]
    direction: Option<String>,
    /// Follow links of these kinds and their inverses
    #[arg(long, value_name = "KIND")]
    kind: Vec<String>,
    /// Show at most so many items
    #[arg(long, value_name = "N")]
    node_limit: Option<usize>,
    /// Show at most so many links
    #[arg(long, value_name = "N")]
    edge_limit: Option<usize>,
    /// The most tokens that the items of a context may cost
    #[arg(long, value_name = "N")]
    token_budget: Option<usize>,
    /// Accepted for compatibility (`none`, `repeated`): every item stands once
    #[arg(long, value_name = "MODE")]
    collapse: Option<String>,
    /// Older name of --output-cursor
    #[arg(long, value_name = "CURSOR", hide = true)]
    cursor: Option<String>,
}

impl Command for Deps {
    const CONTRACT: Contract = Contract {
        path: &["deps"],
        about: "Show what an item depends on and what depends on it",
        read_output: Some(surfaces::DEPS),
        errors: &[Code::InvalidArgumentValue, Code::ItemNotFound],
        examples: &[
            Example { about: "Everything around an item, nearest first", argv: &["deps", "pm-a1b2"] },
            Example { about: "What waits for it", argv: &["deps", "pm-a1b2", "--kind", "blocks"] },
            Example {
                about: "Links as a graph",
                argv: &["deps", "pm-a1b2", "--format", "graph", "--max-depth", "1"],
            },
        ],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let plan = Plan::of(&args, context)?;
        let tracker = context.tracker()?;
        let typed = args.id.as_deref().or(args.flag.as_deref()).unwrap_or_default();
        let id = tracker.resolve(typed)?;
        let records = tracker.records()?;
        let rows = RowIndex::new(records);
        let Some(root) = rows.find(&id) else {
            return Err(Error::new(Code::ItemNotFound, format!("no item `{typed}`")).rejecting(typed));
        };
        let web = Web::new(records, &rows);
        let walk = plan.walk();
        let reached = web.walk(root, records, &walk);
        let missing = reached.iter().filter(|item| item.row.is_none()).count();
        let found = Found { records, root, reached, web: &web, plan: &plan };
        let mut answer = Answer::new().value("id", id).value("format", plan.shape);
        if plan.summary {
            let (nodes, edges, missing) = stored_reach(records, &rows, root);
            answer =
                answer.value("node_count", nodes).value("edge_count", edges).value("missing_count", missing);
            answer = answer.value("around", found.around(&walk)).omits("dependency_rows", "--full");
        } else {
            answer = answer.value("node_count", found.reached.len() + 1).value("missing_count", missing);
            answer = match plan.shape {
                "graph" => found.graph(answer, &walk),
                "context" => found.context(answer, &walk),
                _ => found.tree(answer, &walk),
            };
        }
        let answer = answer.completeness(Completeness::of(records.unserved()));
        Ok(tracker.warnings().iter().fold(answer, |answer, warning| answer.warn(warning.clone())))
    }
}

/// What is shown of what.
struct Plan {
    shape: &'static str,
    summary: bool,
    direction: Direction,
    kinds: Vec<&'static LinkKind>,
    max_depth: usize,
    nodes: usize,
    edges: usize,
    bytes: usize,
}

impl Plan {
    fn of(args: &Args, context: &Context) -> Result<Plan> {
        let want = context.want.mode.as_deref();
        let summary = want == Some("summary");
        let full = want == Some("full");
        let shape = match args.format.as_deref().map(str::trim) {
            None => "tree",
            Some(word) if VIEWS.contains(&word) => "tree",
            Some(word) => match SHAPES.iter().find(|shape| **shape == word) {
                Some(shape) => shape,
                None => {
                    let legal: Vec<&str> = SHAPES.iter().chain(VIEWS).copied().collect();
                    return Err(values::illegal("--format", word, &legal));
                }
            },
        };
        if let Some(mode) = args.collapse.as_deref().filter(|mode| !["none", "repeated"].contains(mode)) {
            return Err(values::illegal("--collapse", mode, &["none", "repeated"]));
        }
        if let Some(cursor) = &args.cursor {
            let id = args.id.as_deref().or(args.flag.as_deref()).unwrap_or_default();
            let message = "pages of `pm deps` are continued by `--output-cursor`";
            return Err(Error::new(Code::InvalidArgumentValue, message)
                .at("--cursor")
                .hint(format!("pm deps {id} --format {shape} --output-cursor {cursor}")));
        }
        let direction = match args.direction.as_deref().map(str::trim) {
            None | Some("both") => Direction::Both,
            Some("outgoing") => Direction::Outgoing,
            Some("incoming") => Direction::Incoming,
            Some(other) => {
                return Err(values::illegal("--direction", other, &["both", "outgoing", "incoming"]));
            }
        };
        let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
        let kind =
            |name: &String| LinkKind::resolve(name).ok_or_else(|| values::illegal("--kind", name, &names));
        let kinds = values::split("--kind", &args.kind)?.iter().map(kind).collect::<Result<Vec<_>>>()?;
        let small = shape == "context";
        let (depth, nodes, edges) = if small { (3, 20, 40) } else { (32, 200, 400) };
        let most = |asked: Option<usize>, default| asked.unwrap_or(if full { usize::MAX } else { default });
        Ok(Plan {
            shape,
            summary,
            direction,
            kinds,
            max_depth: args.max_depth.unwrap_or(depth).min(10_000),
            nodes: most(args.node_limit, nodes),
            edges: most(args.edge_limit, edges),
            bytes: match args.token_budget {
                Some(tokens) => tokens.saturating_mul(packing::BYTES_PER_TOKEN),
                None if small && !full => 1_200 * packing::BYTES_PER_TOKEN,
                None => usize::MAX,
            },
        })
    }

    fn walk(&self) -> Walk<'_> {
        let in_role = self.shape == "tree";
        Walk { direction: self.direction, kinds: &self.kinds, max_depth: self.max_depth, in_role }
    }
}

/// What was reached.
struct Found<'w, 'a> {
    records: &'a Records,
    root: u32,
    reached: Vec<Reached>,
    web: &'w Web,
    plan: &'w Plan,
}

/// A row of the tree.
fn branch(records: &Records, item: &Reached) -> Row {
    let at = |row: u32| records.get(row as usize);
    let record = item.row.and_then(at);
    let cells = [
        ("depth", item.depth.into()),
        ("id", item.id.as_str().into()),
        ("role", item.role.name().into()),
        ("kind", item.kind.into()),
        ("via", at(item.via).map_or("", Record::id).into()),
        ("status", record.map_or("missing", Record::status).into()),
        ("type", record.map(Record::kind).into()),
        ("title", record.map(Record::title).into()),
    ];
    cells.into_iter().map(|(key, value): (&str, Value)| (key.to_owned(), value)).collect()
}

/// Changes whenever a row of the tree would.
fn digest(records: &Records, reached: &[Reached]) -> String {
    let mut bytes = Vec::with_capacity(reached.len() * 32);
    for item in reached {
        let record = item.row.and_then(|row| records.get(row as usize));
        bytes.extend_from_slice(item.id.as_bytes());
        bytes.extend_from_slice(&record.map_or(0, Record::digest).to_le_bytes());
        bytes.extend_from_slice(item.kind.as_bytes());
        bytes.extend_from_slice(records.get(item.via as usize).map_or("", Record::id).as_bytes());
        bytes.extend_from_slice(&[item.role as u8]);
        bytes.extend_from_slice(&item.depth.to_le_bytes());
    }
    format!("{:016x}", checksum(&bytes))
}

impl<'a> Found<'_, 'a> {
    fn record(&self, row: Option<u32>) -> Option<Record<'a>> {
        self.records.get(row? as usize)
    }

    fn id(&self, row: u32) -> &'a str {
        self.record(Some(row)).map_or("", Record::id)
    }

    /// How many links of each role the item has.
    fn around(&self, walk: &Walk<'_>) -> Value {
        let counts = self.web.direct(self.root, walk);
        Role::ALL
            .iter()
            .zip(counts)
            .map(|(role, count)| (role.name().to_owned(), count.into()))
            .collect::<Map<_, _>>()
            .into()
    }

    /// The item itself.
    fn root(&self) -> Value {
        let root = self.record(Some(self.root));
        json!({"id": root.map(Record::id), "title": root.map(Record::title), "status": root.map(Record::status),
            "type": root.map(Record::kind)})
    }

    /// One table, nearest first: what is before, behind, above and below, and what is related to the item itself.
    fn tree(self, answer: Answer<'a>, walk: &Walk<'_>) -> Answer<'a> {
        let answer = answer.value("around", self.around(walk)).value("root", self.root());
        let (records, reached) = (self.records, Rc::new(self.reached));
        let digested = Rc::clone(&reached);
        let rows = Rows::lazy(reached.len(), move |n| Ok(branch(records, &reached[n])))
            .digest(move || digest(records, &digested))
            .columns(COLUMNS.iter().copied())
            .limited(Some(self.plan.nodes));
        answer.rows("tree", rows)
    }

    /// The steps from the item to each row; the nearest rows, as many as may be shown.
    fn depths(&self) -> HashMap<u32, usize> {
        let shown = self.reached.iter().filter_map(|item| Some((item.row?, item.depth)));
        shown.take(self.plan.nodes.saturating_sub(1)).chain([(self.root, 0)]).collect()
    }

    fn graph(&self, answer: Answer<'a>, walk: &Walk<'_>) -> Answer<'a> {
        let node = |row: u32| {
            let record = self.record(Some(row));
            let cells = [
                ("id", record.map(Record::id).into()),
                ("title", record.map(Record::title).into()),
                ("type", record.map(Record::kind).into()),
                ("status", record.map(Record::status).into()),
                ("missing", false.into()),
            ];
            cells.into_iter().map(|(key, value): (&str, Value)| (key.to_owned(), value)).collect::<Row>()
        };
        let mut nodes = vec![node(self.root)];
        nodes.extend(self.reached.iter().filter_map(|item| item.row).map(node));
        let (edges, total) = self.edges(walk, ["from", "to", "kind"]);
        let missing: Vec<&str> =
            self.reached.iter().filter(|item| item.row.is_none()).map(|item| item.id.as_str()).collect();
        let mut group = Answer::new()
            .value("root_id", self.id(self.root))
            .rows("nodes", Rows::ready(nodes).limited(Some(self.plan.nodes)))
            .rows("edges", edges);
        if !missing.is_empty() {
            group = group.value("missing_ids", missing);
        }
        answer.value("edge_count", total).group("graph", group)
    }

    /// The links among the rows shown, and how many they are.
    fn edges(&self, walk: &Walk<'_>, keys: [&'static str; 3]) -> (Rows<'static>, usize) {
        let edges = self.web.edges_among(&self.depths(), walk);
        let row = |edge: &&crate::domain::deps::Edge| {
            let to = edge.to.row().map_or("", |to| self.id(to));
            let cells = keys.into_iter().zip([self.id(edge.from), to, edge.kind.name]);
            cells.map(|(key, value)| (key.to_owned(), value.into())).collect::<Row>()
        };
        let rows: Vec<Row> = edges.iter().map(row).collect();
        (Rows::ready(rows).limited(Some(self.plan.edges)), edges.len())
    }

    /// The nearest items with their roles, within a budget.
    fn context(&self, answer: Answer<'a>, walk: &Walk<'_>) -> Answer<'a> {
        let row = |item: &Reached| {
            let record = self.record(item.row);
            let cells = [
                ("id", item.id.as_str().into()),
                ("title", record.map(Record::title).into()),
                ("status", record.map_or("missing", Record::status).into()),
                ("type", record.map(Record::kind).into()),
                ("distance", item.depth.into()),
                ("role", item.role.name().into()),
                ("via", self.id(item.via).into()),
            ];
            cells.into_iter().map(|(key, value): (&str, Value)| (key.to_owned(), value)).collect::<Row>()
        };
        let rows: Vec<Row> = self.reached.iter().map(row).collect();
        let mut spent = 0;
        let fits = |cells: &&Row| {
            spent += packing::row(cells.values());
            spent <= self.plan.bytes
        };
        let shown = rows.iter().take(self.plan.nodes).take_while(fits).count();
        let (edges, total) = self.edges(walk, ["source", "target", "kind"]);
        let summary =
            json!({"directEdges": self.around(walk), "discoveredNodes": rows.len(), "returnedNodes": shown});
        let group = Answer::new()
            .value("root", self.root())
            .value("summary", summary)
            .rows("nodes", Rows::ready(rows).limited(Some(shown)))
            .rows("edges", edges)
            .value("evidence", self.evidence());
        answer.value("edge_count", total).group("context", group)
    }

    /// How much is attached to the item.
    fn evidence(&self) -> Value {
        let Some(record) = self.record(Some(self.root)) else { return Value::Null };
        let counts = [
            ("files", Count::Files),
            ("tests", Count::Tests),
            ("docs", Count::Docs),
            ("comments", Count::Comments),
            ("notes", Count::Notes),
            ("learnings", Count::Learnings),
        ];
        counts
            .into_iter()
            .map(|(name, of)| (name.to_owned(), record.count(of).into()))
            .collect::<Map<_, _>>()
            .into()
    }
}

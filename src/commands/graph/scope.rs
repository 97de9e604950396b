//! What all questions to the graph share: which items are in it, which kinds of links, how much is shown.

use serde_json::{Value, json};

use crate::answer::{Answer, Completeness};
use crate::domain::graph::walk::Cost;
use crate::domain::graph::{LinkKind, Network, Node, kinds};
use crate::error::{Code, Error, Result};
use crate::model::records::{Record, fold};
use crate::surface::Context;

/// Arguments of every question.
#[derive(clap::Args)]
pub(super) struct ScopeArgs {
    /// Count closed and canceled items in
    #[arg(long)]
    include_closed: bool,
    /// Show at most so many rows
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    /// Continue after a page, with its `next_cursor`
    #[arg(long, value_name = "CURSOR")]
    pub(super) after: Option<String>,
    /// Show the counts, not the rows
    #[arg(long)]
    summary: bool,
    /// Show all there is
    #[arg(long)]
    full: bool,
}

/// Arguments of questions that follow links of chosen kinds.
#[derive(clap::Args)]
pub(super) struct KindArgs {
    /// Follow links of these kinds only
    #[arg(long = "kind", value_name = "KINDS", value_delimiter = ',')]
    kinds: Vec<String>,
}

impl KindArgs {
    /// The kinds named, `None` when there are none.
    pub(super) fn resolve(&self) -> Result<Option<Vec<&'static LinkKind>>> {
        if self.kinds.is_empty() {
            return Ok(None);
        }
        self.kinds
            .iter()
            .map(|name| LinkKind::resolve(name).ok_or_else(|| unknown_kind(name)))
            .collect::<Result<_>>()
            .map(Some)
    }
}

fn unknown_kind(name: &str) -> Error {
    let names: Vec<&str> = kinds::KINDS.iter().map(|kind| kind.name).collect();
    Error::new(Code::InvalidArgumentValue, format!("no kind of link is called `{name}`"))
        .at("--kind")
        .rejecting(name)
        .fact("allowed_values", json!(names))
        .hint("pm graph analyze")
}

impl ScopeArgs {
    /// The most rows to show; `default` when nothing is said, everything with `--full`.
    pub(super) fn limit(&self, context: &Context, default: Option<usize>) -> Option<usize> {
        let full = context.want.mode.as_deref() == Some("full");
        if full { None } else { self.limit.map(|n| n as usize).or(default) }
    }

    /// Whether items that are over count too.
    pub(super) fn everything(&self) -> bool {
        self.include_closed
    }

    /// Whether rows are left out.
    pub(super) fn summary(&self, context: &Context) -> bool {
        context.want.mode.as_deref() == Some("summary")
    }

    /// The graph: open items only unless told otherwise; `roots` are in it in any case.
    pub(super) fn network<'a>(&self, context: &'a Context, roots: &[&str]) -> Result<Network<'a>> {
        let tracker = context.tracker()?;
        let roots: Vec<String> = roots.iter().map(|id| fold(id)).collect();
        let everything = self.include_closed;
        Ok(Network::build(tracker.records()?, |record| {
            everything || !is_over(context, record) || roots.contains(&fold(record.id()))
        }))
    }
}

/// Whether an item is closed or canceled.
pub(super) fn is_over(context: &Context, record: Record<'_>) -> bool {
    context.tracker().is_ok_and(|tracker| {
        tracker.schema().statuses.get(record.status()).is_some_and(|status| status.is_terminal())
    })
}

/// The node of what the user typed, and its full id.
pub(super) fn node(network: &Network<'_>, id: &str) -> Result<Node> {
    network.node(id).ok_or_else(|| {
        Error::new(Code::ItemNotFound, format!("`{id}` cannot be read")).at(id).hint(format!("pm get {id}"))
    })
}

/// The start of every answer: the question, and what could not be read.
pub(super) fn answer<'a>(context: &'a Context, question: &str) -> Result<Answer<'a>> {
    let records = context.tracker()?.records()?;
    let answer = Answer::new().value("subcommand", question);
    Ok(if records.unreadable().is_empty() {
        answer
    } else {
        answer.completeness(Completeness::of(records.unserved()))
    })
}

/// The same for an answer about a whole graph: one that has no open item says what was left out, and how to see it.
pub(super) fn overview<'a>(
    context: &'a Context,
    question: &str,
    network: &Network<'_>,
) -> Result<Answer<'a>> {
    let (answer, items) = (answer(context, question)?, context.tracker()?.records()?.len());
    Ok(if network.is_empty() && items > 0 {
        answer.value("left_out", items).value("widen_with", "--include-closed")
    } else {
        answer
    })
}

/// What a walk looked at, for the full envelope.
pub(super) fn cost(cost: Cost) -> Value {
    json!({"visited_nodes": cost.visited_nodes, "inspected_edges": cost.inspected_edges})
}

/// The ids of nodes.
pub(super) fn ids(network: &Network<'_>, nodes: &[Node]) -> Vec<Value> {
    nodes.iter().map(|&node| Value::from(network.id(node))).collect()
}

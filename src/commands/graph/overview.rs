//! `pm graph analyze`: the shape of the whole graph.

use serde_json::{Value, json};

use super::scope::{self, ScopeArgs};
use crate::answer::Answer;
use crate::contract::{Contract, Example, Tier, surfaces};
use crate::domain::graph::hierarchy::Hierarchy;
use crate::domain::graph::schedule::Schedule;
use crate::domain::graph::{Network, Node, cycles, walk::Direction};
use crate::error::Result;
use crate::surface::{Command, Context};

/// The shape of the graph.
pub(in crate::commands) struct Analyze;

/// Arguments of `pm graph analyze`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    #[command(flatten)]
    scope: ScopeArgs,
}

/// So many examples of each thing unless told otherwise.
const SAMPLE: usize = 10;

impl Command for Analyze {
    const CONTRACT: Contract = Contract {
        path: &["graph", "analyze"],
        about: "Show the shape of the graph: layers, critical path, components, hierarchy",
        read_output: Some(surfaces::GRAPH),
        examples: &[
            Example { about: "The open work at a glance", argv: &["graph", "analyze"] },
            Example {
                about: "Counts of everything",
                argv: &["graph", "analyze", "--summary", "--include-closed"],
            },
        ],
        tier: Tier::Standard,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let network = args.scope.network(context, &[])?;
        let sample = args.scope.limit(context, Some(SAMPLE)).unwrap_or(usize::MAX);
        let summary = args.scope.summary(context);
        let mut answer = scope::overview(context, "analyze", &network)?
            .value("node_count", network.len())
            .value("edge_count", network.edges().len())
            .echo("edge_basis", "deduplicated_directed")
            .echo("sample_limit", sample.min(network.len()))
            .value("execution", execution(&network, summary, sample))
            .value("knowledge", knowledge(&network, summary, sample))
            .value("hierarchy", hierarchy(&network, &|node| scope::is_over(context, network.record(node))));
        if summary {
            answer = answer.omits("result_rows", "--full");
        }
        Ok(answer)
    }
}

fn execution(network: &Network<'_>, summary: bool, sample: usize) -> Value {
    let schedule = Schedule::of(network);
    let path = schedule.critical_path();
    let mut shape = json!({
        "acyclic": schedule.acyclic(),
        "ordered_node_count": schedule.order.len(),
        "layer_count": schedule.layers(),
        "frontier_count": schedule.frontier().count(),
        "critical_path_length": path.len().saturating_sub(1),
        "cycle_count": schedule.cycles.len(),
    });
    if !summary {
        // What others wait for comes first; what stands alone can begin as well.
        let (first, rest): (Vec<Node>, Vec<Node>) =
            schedule.frontier().partition(|&n| schedule.participates[n as usize]);
        let frontier: Vec<Node> = first.into_iter().chain(rest).take(sample).collect();
        shape["frontier"] = scope::ids(network, &frontier).into();
        // A path of one item is none.
        let path = if path.len() > 1 { path.as_slice() } else { &[] };
        shape["critical_path"] = scope::ids(network, path).into();
        if !schedule.cycles.is_empty() {
            let cycles =
                schedule.cycles.iter().take(sample).map(|cycle| Value::from(scope::ids(network, cycle)));
            shape["cycles"] = cycles.collect();
        }
    }
    shape
}

fn knowledge(network: &Network<'_>, summary: bool, sample: usize) -> Value {
    let graph = network.adjacency(|edge| Direction::Both.pairs(edge));
    // Every edge goes both ways here, so that strong components are plain ones.
    let components = cycles::components(&graph);
    let alone: Vec<Node> = network.nodes().filter(|&node| graph.from(node).is_empty()).collect();
    let mut shape = json!({
        "component_count": components.len(),
        "largest_component_size": components.iter().map(Vec::len).max().unwrap_or(0),
        "orphan_count": alone.len(),
    });
    if !summary {
        shape["orphans"] = scope::ids(network, &alone[..alone.len().min(sample)]).into();
        let mut hubs: Vec<(usize, Node)> =
            network.nodes().map(|node| (graph.from(node).len(), node)).collect();
        hubs.sort_by_key(|&(degree, node)| (std::cmp::Reverse(degree), node));
        let hubs = hubs.into_iter().filter(|hub| hub.0 > 0).take(sample);
        shape["hubs"] =
            hubs.map(|(degree, node)| json!({"id": network.id(node), "degree": degree})).collect();
    }
    shape
}

fn hierarchy(network: &Network<'_>, is_over: &dyn Fn(Node) -> bool) -> Value {
    let hierarchy = Hierarchy::of(network);
    let all_over = |nodes: &[Node]| nodes.iter().all(|&node| is_over(node));
    let old_cycles = hierarchy.cycles.iter().filter(|cycle| all_over(cycle)).count();
    let old_several = hierarchy
        .several_parents
        .iter()
        .filter(|(child, parents)| is_over(*child) && all_over(parents))
        .count();
    let old_divergent = hierarchy
        .divergent
        .iter()
        .filter(|found| is_over(found.child) && is_over(found.scalar) && all_over(&found.rows))
        .count();
    json!({
        "acyclic": hierarchy.cycles.is_empty(),
        "relation_count": hierarchy.relations,
        "cycle_count": hierarchy.cycles.len(),
        "active_cycle_count": hierarchy.cycles.len() - old_cycles,
        "legacy_cycle_count": old_cycles,
        "cardinality_violation_count": hierarchy.several_parents.len(),
        "active_cardinality_violation_count": hierarchy.several_parents.len() - old_several,
        "legacy_cardinality_violation_count": old_several,
        "parent_divergence_count": hierarchy.divergent.len(),
        "active_parent_divergence_count": hierarchy.divergent.len() - old_divergent,
        "legacy_parent_divergence_count": old_divergent,
    })
}

//! `pm graph communities|redundancy|slack|centrality|articulation`: measures of the whole graph.

use serde_json::json;

use super::scope::{self, ScopeArgs};
use crate::answer::{Answer, Rows, row};
use crate::contract::{Contract, Example, Tier, surfaces};
use crate::domain::graph::articulation::weak_places;
use crate::domain::graph::centrality::ranking;
use crate::domain::graph::communities::communities;
use crate::domain::graph::redundancy::redundant;
use crate::domain::graph::schedule::Schedule;
use crate::domain::graph::walk::Cost;
use crate::domain::graph::{Network, Node};
use crate::error::Result;
use crate::surface::{Command, Context};

/// Arguments of all five.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    #[command(flatten)]
    scope: ScopeArgs,
}

/// Declares one measure: what it is called, what it shows, how it answers.
macro_rules! measure {
    ($(#[$doc:meta])* $name:ident, $word:literal, $about:literal, $answer:ident) => {
        $(#[$doc])*
        pub(in crate::commands) struct $name;

        impl Command for $name {
            const CONTRACT: Contract = Contract {
                path: &["graph", $word],
                about: $about,
                read_output: Some(surfaces::GRAPH),
                examples: &[Example { about: $about, argv: &["graph", $word, "--limit", "5"] }],
                tier: Tier::Full,
                ..Contract::BASE
            };
            type Args = Args;

            fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
                let network = args.scope.network(context, &[])?;
                $answer(&network, scope::overview(context, $word, &network)?, &View::of(&args, context))
            }
        }
    };
}

measure!(
    /// Groups of items that hang together.
    Communities, "communities", "Show groups of items that hang together", show_communities
);
measure!(
    /// Links that say nothing new.
    Redundancy, "redundancy", "Show links that other links imply", show_redundancy
);
measure!(
    /// How much each item may slip.
    Slack, "slack", "Show the critical path and how much each item may slip", show_slack
);
measure!(
    /// Who lies between the others.
    Centrality, "centrality", "Show the items that lie between the others", show_centrality
);
measure!(
    /// What holds the graph together.
    Articulation, "articulation", "Show the items and links whose loss would split the graph", show_articulation
);

/// How much of the rows is shown.
struct View {
    summary: bool,
    limit: Option<usize>,
}

impl View {
    fn of(args: &Args, context: &Context) -> View {
        View { summary: args.scope.summary(context), limit: args.scope.limit(context, None) }
    }

    /// Adds the rows, or says that they are left out.
    fn rows<'a>(&self, answer: Answer<'a>, key: &str, rows: Rows<'a>) -> Answer<'a> {
        if self.summary {
            answer.omits("result_rows", "--full")
        } else {
            answer.rows(key, rows.limited(self.limit))
        }
    }
}

fn show_communities<'a>(network: &Network<'a>, answer: Answer<'a>, view: &View) -> Result<Answer<'a>> {
    let found = communities(network);
    let answer = answer
        .value("community_count", found.groups.len())
        .value("largest_community_size", found.groups.first().map_or(0, Vec::len))
        .echo("iterations", found.rounds)
        .value("converged", found.converged);
    let rows = found
        .groups
        .iter()
        .map(|group| {
            let shown = &group[..view.limit.map_or(group.len(), |limit| limit.min(group.len()))];
            row([
                ("representative", network.id(group[0]).into()),
                ("size", group.len().into()),
                ("members", scope::ids(network, shown).into()),
            ])
        })
        .collect();
    Ok(view.rows(answer, "communities", Rows::ready(rows)).echo("cost", scope::cost(found.cost)))
}

fn show_redundancy<'a>(network: &Network<'a>, answer: Answer<'a>, view: &View) -> Result<Answer<'a>> {
    let (found, cost) = redundant(network);
    let answer = answer.value("redundant_count", found.len());
    let rows = found
        .iter()
        .map(|found| {
            row([
                ("source", network.id(found.edge.source).into()),
                ("target", network.id(found.edge.target).into()),
                ("kind", found.edge.kind.name.into()),
                ("witness", scope::ids(network, &found.witness).into()),
            ])
        })
        .collect();
    Ok(view.rows(answer, "redundant", Rows::ready(rows)).echo("cost", scope::cost(cost)))
}

fn show_slack<'a>(network: &Network<'a>, answer: Answer<'a>, view: &View) -> Result<Answer<'a>> {
    let schedule = Schedule::of(network);
    let mut scheduled: Vec<Node> =
        schedule.order.iter().copied().filter(|&node| schedule.participates[node as usize]).collect();
    scheduled.sort_by_key(|&node| (schedule.slack(node), schedule.depth[node as usize], node));
    let path = schedule.critical_path();
    let answer = answer
        .value("acyclic", schedule.acyclic())
        .value("makespan", if scheduled.is_empty() { 0 } else { schedule.layers() })
        .value("scheduled_count", scheduled.len())
        .value("critical_count", scheduled.iter().filter(|&&node| schedule.slack(node) == 0).count())
        .value("critical_path_length", path.len().saturating_sub(1))
        .value("cycle_count", schedule.cycles.len())
        .value("critical_path", if scheduled.is_empty() { Vec::new() } else { scope::ids(network, &path) });
    let rows = scheduled
        .iter()
        .map(|&node| {
            let (start, slack) = (schedule.depth[node as usize], schedule.slack(node));
            row([
                ("id", network.id(node).into()),
                ("earliest_start", start.into()),
                ("latest_start", (start + slack).into()),
                ("slack", slack.into()),
                ("critical", (slack == 0).into()),
            ])
        })
        .collect();
    Ok(view.rows(answer, "rows", Rows::ready(rows)))
}

fn show_centrality<'a>(network: &Network<'a>, answer: Answer<'a>, view: &View) -> Result<Answer<'a>> {
    let found = ranking(network);
    let mut answer = answer
        .value("node_count", network.len())
        .value("edge_count", found.simple_edges)
        .echo("edge_basis", "simple_undirected");
    if found.sampled {
        answer = answer.value("sampled", true);
    }
    let rows = found
        .rows
        .iter()
        .map(|found| {
            row([
                ("id", network.id(found.node).into()),
                ("degree", found.degree.into()),
                ("in_degree", found.in_degree.into()),
                ("out_degree", found.out_degree.into()),
                ("betweenness", json!(found.betweenness)),
                ("closeness", json!(found.closeness)),
            ])
        })
        .collect();
    Ok(view.rows(answer, "rows", Rows::ready(rows)).echo("cost", scope::cost(found.cost)))
}

fn show_articulation<'a>(network: &Network<'a>, answer: Answer<'a>, view: &View) -> Result<Answer<'a>> {
    let weak = weak_places(network);
    let answer =
        answer.value("articulation_count", weak.points.len()).value("bridge_count", weak.bridges.len());
    let bridges = weak
        .bridges
        .iter()
        .map(|&(a, b)| row([("source", network.id(a).into()), ("target", network.id(b).into())]))
        .collect();
    let answer = view.rows(answer, "articulation_points", Rows::values(scope::ids(network, &weak.points)));
    let cost = Cost { visited_nodes: network.len(), inspected_edges: weak.inspected };
    let answer = if view.summary { answer } else { view.rows(answer, "bridges", Rows::ready(bridges)) };
    Ok(answer.echo("cost", scope::cost(cost)))
}

//! `pm graph paths`, `impact`, `dominators`: what lies between items.

use serde_json::{Value, json};

use super::scope::{self, KindArgs, ScopeArgs};
use crate::answer::{Answer, Rows, row};
use crate::contract::{Contract, Example, Tier, surfaces};
use crate::domain::graph::network::Adjacency;
use crate::domain::graph::walk::{self, Direction, PathLimits, reach, route};
use crate::domain::graph::{LinkKind, Network, Node, dominators};
use crate::error::{Code, Result};
use crate::surface::{Command, Context};

/// Which way links are followed, as typed.
#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
pub(in crate::commands) enum Way {
    /// From an item to what it names.
    Outgoing,
    /// From an item to what names it.
    Incoming,
    /// Either way.
    #[default]
    Both,
}

impl Way {
    fn direction(self) -> Direction {
        match self {
            Way::Outgoing => Direction::Outgoing,
            Way::Incoming => Direction::Incoming,
            Way::Both => Direction::Both,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Way::Outgoing => "outgoing",
            Way::Incoming => "incoming",
            Way::Both => "both",
        }
    }
}

/// Arguments of questions with a direction.
#[derive(clap::Args)]
struct RouteArgs {
    #[command(flatten)]
    kinds: KindArgs,
    /// Follow links `outgoing`, `incoming` or `both` ways
    #[arg(long, value_name = "WAY", value_enum, default_value_t)]
    direction: Way,
    /// Go at most so many links far
    #[arg(long, value_name = "N")]
    max_depth: Option<usize>,
    #[command(flatten)]
    scope: ScopeArgs,
}

impl RouteArgs {
    fn adjacency(&self, network: &Network<'_>, kinds: Option<&[&'static LinkKind]>) -> Adjacency {
        network.adjacency(|edge| {
            let wanted = kinds.is_none_or(|kinds| edge.kind.is_among(kinds));
            if wanted { self.direction.direction().pairs(edge) } else { Vec::new() }
        })
    }
}

/// The ways between two items.
pub(in crate::commands) struct Paths;

/// Arguments of `pm graph paths`.
#[derive(clap::Args)]
pub(in crate::commands) struct PathsArgs {
    /// Where to start
    #[arg(value_name = "ID")]
    id: String,
    /// Where to end
    #[arg(value_name = "TARGET")]
    target: String,
    /// Show at most so many paths
    #[arg(long, value_name = "N", default_value_t = 5)]
    max_paths: usize,
    #[command(flatten)]
    route: RouteArgs,
}

impl Command for Paths {
    const CONTRACT: Contract = Contract {
        path: &["graph", "paths"],
        about: "Show the shortest ways from one item to another",
        read_output: Some(surfaces::GRAPH),
        errors: &[Code::ItemNotFound, Code::InvalidArgumentValue],
        examples: &[Example {
            about: "How two items hang together",
            argv: &["graph", "paths", "pm-a1b2", "pm-c3d4"],
        }],
        tier: Tier::Standard,
        ..Contract::BASE
    };
    type Args = PathsArgs;

    fn run<'a>(args: PathsArgs, context: &'a Context) -> Result<Answer<'a>> {
        let kinds = args.route.kinds.resolve()?;
        let tracker = context.tracker()?;
        let (root, target) = (tracker.resolve(&args.id)?, tracker.resolve(&args.target)?);
        let network = args.route.scope.network(context, &[&root, &target])?;
        let (from, to) = (scope::node(&network, &root)?, scope::node(&network, &target)?);
        let graph = args.route.adjacency(&network, kinds.as_deref());
        let limits = PathLimits {
            depth: args.route.max_depth.unwrap_or(PathLimits::default().depth),
            paths: args.max_paths,
            ..PathLimits::default()
        };
        let (found, more, cost) = walk::paths(&graph, from, to, limits);
        let rows = found
            .iter()
            .map(|path| {
                row([
                    ("nodes", Value::from(scope::ids(&network, &path.nodes))),
                    ("kinds", json!(path.kinds)),
                    ("length", json!(path.kinds.len())),
                ])
            })
            .collect::<Vec<_>>();
        let mut answer = scope::answer(context, "paths")?
            .value("root", root.as_str())
            .value("target", target.as_str())
            .echo("direction", args.route.direction.name());
        if more {
            answer = answer.value("truncated", true);
        }
        answer = if args.route.scope.summary(context) {
            answer.value("count", rows.len()).omits("result_rows", "--full")
        } else {
            answer.rows("paths", Rows::ready(rows).limited(args.route.scope.limit(context, None)))
        };
        Ok(answer.echo("cost", scope::cost(cost)))
    }
}

/// What an item touches, and over which way.
pub(in crate::commands) struct Impact;

/// Arguments of `pm graph impact` and `dominators`.
#[derive(clap::Args)]
pub(in crate::commands) struct RootArgs {
    /// Where to start
    #[arg(value_name = "ID")]
    id: String,
    #[command(flatten)]
    route: RouteArgs,
}

/// The graph as seen from one item.
struct Rooted<'a> {
    root: String,
    kinds: Option<Vec<&'static LinkKind>>,
    network: Network<'a>,
    start: Node,
    graph: Adjacency,
}

impl RootArgs {
    fn open<'a>(&self, context: &'a Context) -> Result<Rooted<'a>> {
        let kinds = self.route.kinds.resolve()?;
        let root = context.tracker()?.resolve(&self.id)?;
        let network = self.route.scope.network(context, &[&root])?;
        let start = scope::node(&network, &root)?;
        let graph = self.route.adjacency(&network, kinds.as_deref());
        Ok(Rooted { root, kinds, network, start, graph })
    }
}

/// So many rows unless told otherwise.
const IMPACT_ROWS: usize = 10;

impl Command for Impact {
    const CONTRACT: Contract = Contract {
        path: &["graph", "impact"],
        about: "Show what an item touches, nearest first, each with the way to it",
        read_output: Some(surfaces::GRAPH),
        errors: &[Code::ItemNotFound, Code::InvalidArgumentValue],
        examples: &[Example { about: "What a change may touch", argv: &["graph", "impact", "pm-a1b2"] }],
        tier: Tier::Standard,
        ..Contract::BASE
    };
    type Args = RootArgs;

    fn run<'a>(args: RootArgs, context: &'a Context) -> Result<Answer<'a>> {
        let Rooted { root, kinds, network, start, graph } = args.open(context)?;
        let (reached, cost) = reach(&graph, start, args.route.max_depth);
        let limit = args.route.scope.limit(context, Some(IMPACT_ROWS));
        let mut answer = scope::answer(context, "impact")?
            .value("root", root.as_str())
            .echo("direction", args.route.direction.name());
        if args.route.scope.summary(context) {
            return Ok(answer.value("count", reached.len()).omits("result_rows", "--full"));
        }
        if limit.is_some_and(|limit| limit < reached.len()) {
            answer = answer.value("truncated", true);
        }
        let question = json!({"subcommand": "impact", "root": root, "direction": args.route.direction.name(),
            "max_depth": args.route.max_depth,
            "kinds": kinds.map(|kinds| kinds.iter().map(|kind| kind.name).collect::<Vec<_>>())});
        let rows = Rows::lazy(reached.len(), move |n| {
            let path = route(&reached, start, n);
            Ok(row([
                ("id", Value::from(network.id(reached[n].node))),
                ("distance", json!(reached[n].distance)),
                ("path", Value::from(scope::ids(&network, &path))),
            ]))
        });
        Ok(answer.rows("affected", rows.limited(limit)).echo("cost", scope::cost(cost)).question(question))
    }
}

/// The items that every way from an item must pass.
pub(in crate::commands) struct Dominators;

impl Command for Dominators {
    const CONTRACT: Contract = Contract {
        path: &["graph", "dominators"],
        about: "Show the items that others can only be reached through",
        read_output: Some(surfaces::GRAPH),
        errors: &[Code::ItemNotFound, Code::InvalidArgumentValue],
        examples: &[Example {
            about: "Bottlenecks behind an item",
            argv: &["graph", "dominators", "pm-a1b2"],
        }],
        tier: Tier::Full,
        ..Contract::BASE
    };
    type Args = RootArgs;

    fn run<'a>(args: RootArgs, context: &'a Context) -> Result<Answer<'a>> {
        let Rooted { root, network, start, graph, .. } = args.open(context)?;
        let (found, reachable, cost) = dominators::bottlenecks(&graph, start);
        let answer = scope::answer(context, "dominators")?
            .value("root", root.as_str())
            .echo("direction", args.route.direction.name())
            .value("reachable_count", reachable)
            .value("bottleneck_count", found.len());
        if args.route.scope.summary(context) {
            return Ok(answer.omits("result_rows", "--full"));
        }
        let rows = found
            .iter()
            .map(|found| {
                row([
                    ("id", Value::from(network.id(found.node))),
                    ("idom", Value::from(network.id(found.idom))),
                    ("dominated_count", json!(found.dominated)),
                ])
            })
            .collect();
        let rows = Rows::ready(rows).limited(args.route.scope.limit(context, None));
        Ok(answer.rows("bottlenecks", rows).echo("cost", scope::cost(cost)))
    }
}

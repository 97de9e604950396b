//! `pm graph ancestors|descendants|predecessors|successors`: along one family of links.

use serde_json::{Value, json};

use super::scope::{self, KindArgs, ScopeArgs};
use crate::answer::{Answer, Rows};
use crate::contract::{Contract, Example, Tier, surfaces};
use crate::domain::graph::walk::{Lineage, reach};
use crate::domain::graph::{Family, LinkKind};
use crate::error::{Code, Error, Result};
use crate::surface::{Command, Context};

/// Arguments of the four commands.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// Where to start
    #[arg(value_name = "ID")]
    id: String,
    #[command(flatten)]
    kinds: KindArgs,
    /// Go at most so many links far
    #[arg(long, value_name = "N")]
    max_depth: Option<usize>,
    #[command(flatten)]
    scope: ScopeArgs,
}

/// Declares one of the four commands.
macro_rules! lineage {
    ($(#[$doc:meta])* $name:ident, $word:literal, $about:literal, $family:expr, $backwards:expr) => {
        $(#[$doc])*
        pub(in crate::commands) struct $name;

        impl Command for $name {
            const CONTRACT: Contract = Contract {
                path: &["graph", $word],
                about: $about,
                read_output: Some(surfaces::GRAPH),
                errors: &[Code::ItemNotFound, Code::InvalidArgumentValue],
                examples: &[Example { about: $about, argv: &["graph", $word, "pm-a1b2"] }],
                tier: Tier::Standard,
                ..Contract::BASE
            };
            type Args = Args;

            fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
                walk($word, Lineage { family: $family, backwards: $backwards }, &args, context)
            }
        }
    };
}

lineage!(
    /// Everything that contains an item.
    Ancestors, "ancestors", "Show what contains an item, nearest first", Family::Hierarchy, true
);
lineage!(
    /// Everything that an item contains.
    Descendants, "descendants", "Show what an item contains, nearest first", Family::Hierarchy, false
);
lineage!(
    /// Everything that comes before an item.
    Predecessors, "predecessors", "Show what must be done before an item", Family::Ordering, true
);
lineage!(
    /// Everything that comes after an item.
    Successors, "successors", "Show what can only be done after an item", Family::Ordering, false
);

fn walk<'a>(word: &'static str, lineage: Lineage, args: &Args, context: &'a Context) -> Result<Answer<'a>> {
    let kinds = args.kinds.resolve()?;
    check_kinds(word, lineage.family, kinds.as_deref())?;
    let root = context.tracker()?.resolve(&args.id)?;
    let network = args.scope.network(context, &[&root])?;
    let start = scope::node(&network, &root)?;
    let graph = lineage.adjacency(&network, kinds.as_deref());
    let (reached, cost) = reach(&graph, start, args.max_depth);
    let ids: Vec<Value> = reached.iter().map(|found| Value::from(network.id(found.node))).collect();
    let limit = args.scope.limit(context, None);
    let mut answer = scope::answer(context, word)?.value("root", root.as_str());
    if args.scope.summary(context) {
        answer = answer.value("count", ids.len()).omits("result_rows", "--full");
    } else {
        if limit.is_some_and(|limit| limit < ids.len()) {
            answer = answer.value("truncated", true);
        }
        answer = answer.rows("ids", Rows::values(ids).limited(limit));
    }
    let question = json!({"subcommand": word, "root": root, "max_depth": args.max_depth,
        "kinds": kinds.map(|kinds| kinds.iter().map(|kind| kind.name).collect::<Vec<_>>())});
    Ok(answer.echo("cost", scope::cost(cost)).question(question))
}

/// A lineage follows its own family, or links of a meaning of their own; others ask for another question.
fn check_kinds(word: &str, family: Family, kinds: Option<&[&'static LinkKind]>) -> Result<()> {
    let Some(wrong) = kinds.into_iter().flatten().find(|kind| {
        kind.family != family && !(family == Family::Ordering && kind.family == Family::Semantic)
    }) else {
        return Ok(());
    };
    let instead = match wrong.family {
        Family::Hierarchy => "pm graph descendants <id>",
        Family::Ordering => "pm graph successors <id>",
        Family::Association | Family::Semantic => "pm graph impact <id>",
    };
    let message = format!("`{}` links have no {word}", wrong.name);
    Err(Error::new(Code::InvalidArgumentValue, message).at("--kind").rejecting(wrong.name).hint(instead))
}

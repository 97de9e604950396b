//! `pm context`.

mod focus;
mod plan;
mod scene;
mod sections;
mod told;

use std::rc::Rc;

use crate::answer::Answer;
use crate::contract::{Contract, Example, Tier, surfaces};
use crate::domain::filter::FilterArgs;
use crate::error::{Code, Result};
use crate::surface::{Command, Context as Call};
use plan::Plan;
use scene::Scene;
use told::Told;

/// Shows where things stand.
pub(super) struct Context;

/// Arguments of `pm context`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Show what a purpose needs: `orient` or `handoff`
    #[arg(long = "for", value_name = "INTENT")]
    intent: Option<String>,
    /// Show only what changed since the state of this name, the `snapshot` of an earlier answer
    #[arg(long, value_name = "SNAPSHOT")]
    since: Option<String>,
    /// How much to show: brief, standard, deep or full
    #[arg(long, value_name = "DEPTH")]
    depth: Option<String>,
    /// Show these sections instead, by name; may be given several times
    #[arg(long, value_name = "SECTION")]
    section: Vec<String>,
    /// Show these fields of the focus rows, joined by commas
    #[arg(long, value_name = "FIELDS")]
    fields: Option<String>,
    /// Show at most so many rows of each list
    #[arg(long, value_name = "N", alias = "max-items")]
    limit: Option<usize>,
    /// Continue after a page, with its `next_cursor`
    #[arg(long, value_name = "CURSOR")]
    after: Option<String>,
    /// The most tokens that the focus rows may cost
    #[arg(long, value_name = "N")]
    token_budget: Option<usize>,
    /// Show so many changes of items
    #[arg(long, value_name = "N")]
    activity_limit: Option<usize>,
    /// From how many days without a change on an item is stale
    #[arg(long, value_name = "DAYS")]
    stale_threshold: Option<String>,
    /// Print what each place is made of
    #[arg(long, alias = "why")]
    explain_ranking: bool,
    /// The agenda begins here instead of now
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = "Agenda")]
    date: Option<String>,
    /// Leave out what is on the agenda before this time
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = "Agenda")]
    from: Option<String>,
    /// Leave out what is on the agenda after this time
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = "Agenda")]
    to: Option<String>,
    /// Show what was on the agenda before now, too
    #[arg(long, help_heading = "Agenda")]
    past: bool,
    /// Accepted for compatibility: tags are shown when selected
    #[arg(long, hide = true)]
    no_tags: bool,
    /// Accepted for compatibility: there are no extensions
    #[arg(long, hide = true)]
    no_extension_health: bool,
    #[command(flatten)]
    filters: FilterArgs,
}

impl Command for Context {
    const CONTRACT: Contract = Contract {
        path: &["context"],
        aliases: &["ctx"],
        about: "Show where things stand",
        read_output: Some(surfaces::CONTEXT),
        errors: &[
            Code::InvalidArgumentValue,
            Code::ItemNotFound,
            Code::UnknownContextIntent,
            Code::UnknownFieldProjection,
        ],
        examples: &[
            Example { about: "What matters now", argv: &["context"] },
            Example { about: "Get to know a tracker", argv: &["context", "--for", "orient"] },
            Example {
                about: "Progress and blockers",
                argv: &["context", "--section", "progress", "--section", "blockers"],
            },
        ],
        tier: Tier::Core,
        custom_flags: true,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, call: &'a Call) -> Result<Answer<'a>> {
        let plan = Plan::of(&args, call)?;
        let tracker = call.tracker()?;
        let scene = Rc::new(Scene::set(&args, call)?);
        let snapshot = tracker.snapshot()?;
        tracker.keep_snapshot(&snapshot)?;
        let told = Told::of(args, call, plan, scene, snapshot)?;
        Ok(Rc::new(told).answer())
    }
}

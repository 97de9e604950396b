//! `pm graph plan`: the steps that would put the links in order.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::audit::{ExemptArgs, report};
use super::scope::{self, ScopeArgs};
use crate::answer::{Answer, Row, Rows, row};
use crate::contract::{Contract, Example, Tier, surfaces};
use crate::domain::graph::Network;
use crate::domain::graph::audit::Finding;
use crate::domain::graph::redundancy::redundant;
use crate::error::Result;
use crate::surface::{Command, Context};

/// The steps that would put the links in order.
pub(in crate::commands) struct Plan;

/// Arguments of `pm graph plan`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    #[command(flatten)]
    exempt: ExemptArgs,
    #[command(flatten)]
    scope: ScopeArgs,
}

/// So many redundant links are planned for unless told otherwise.
const REDUNDANT: usize = 25;

impl Command for Plan {
    const CONTRACT: Contract = Contract {
        path: &["graph", "plan"],
        about: "Plan the steps that would put the links in order; changes nothing",
        read_output: Some(surfaces::GRAPH),
        examples: &[Example { about: "What to clean up", argv: &["graph", "plan"] }],
        tier: Tier::Full,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let network = args.scope.network(context, &[])?;
        let report = report(&network, &args.exempt, context)?;
        let limit = args.scope.limit(context, Some(REDUNDANT));
        let mut steps: Vec<Step> = report.findings.iter().flat_map(steps_of).collect();
        let (links, cost) = redundant(&network);
        steps.extend(links.iter().take(limit.unwrap_or(usize::MAX)).map(|link| Step {
            op: "remove",
            code: "redundant_edge",
            subject: network.id(link.edge.source).to_owned(),
            rationale: "Other links say the same.".to_owned(),
            evidence: vec![way(&network, link.edge.kind.name, &link.witness)],
            confidence: "medium",
        }));
        let answer = scope::overview(context, "plan", &network)?
            .value("step_count", steps.len())
            .value("steps_by_op", tally(&steps, |step| step.op))
            .value("steps_by_code", tally(&steps, |step| step.code))
            .value("finding_count", report.findings.len());
        let answer = if args.scope.summary(context) {
            answer.omits("result_rows", "--full")
        } else {
            let rows = steps.into_iter().map(Step::row).collect();
            answer.rows("steps", Rows::ready(rows).limited(limit))
        };
        Ok(answer.echo("cost", scope::cost(cost)))
    }
}

/// One step of the plan.
struct Step {
    op: &'static str,
    code: &'static str,
    subject: String,
    rationale: String,
    evidence: Vec<String>,
    confidence: &'static str,
}

impl Step {
    fn row(self) -> Row {
        row([
            ("op", json!(self.op)),
            ("code", json!(self.code)),
            ("subject", json!(self.subject)),
            ("rationale", json!(self.rationale)),
            ("evidence", json!(self.evidence)),
            ("confidence", json!(self.confidence)),
        ])
    }
}

/// What to do about the findings of each rule, and how sure that is.
fn remedy(code: &str) -> (&'static str, &'static str) {
    match code {
        "missing_reference_active" | "duplicate_edge" | "duplicate_dependency_row" => ("remove", "high"),
        "isolated_active_node" => ("add", "low"),
        "stale_lifecycle_block" | "sparse_active_node" => ("investigate", "low"),
        "hierarchy_direction_violation" | "ordering_storage_contradiction" => ("retype", "medium"),
        "ordering_cycle" | "hierarchy_cycle" | "hierarchy_cardinality_violation" => ("investigate", "medium"),
        _ => ("waive", "high"),
    }
}

fn steps_of(finding: &Finding) -> Vec<Step> {
    let (op, confidence) = remedy(finding.rule.code);
    finding
        .subjects
        .iter()
        .map(|subject| Step {
            op,
            code: finding.rule.code,
            subject: subject.clone(),
            rationale: finding.rule.remediation.to_owned(),
            evidence: vec![finding.rule.policy.to_owned()],
            confidence,
        })
        .collect()
}

fn way(network: &Network<'_>, kind: &str, witness: &[u32]) -> String {
    let ids: Vec<&str> = witness.iter().map(|&node| network.id(node)).collect();
    format!("{kind}: {}", ids.join(" -> "))
}

fn tally(steps: &[Step], key: impl Fn(&Step) -> &'static str) -> Value {
    let mut sums: BTreeMap<&str, usize> = BTreeMap::new();
    for step in steps {
        *sums.entry(key(step)).or_default() += 1;
    }
    json!(sums)
}

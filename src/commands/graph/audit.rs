//! `pm graph audit`: what is wrong with the links, and a census.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::baseline;
use super::scope::{self, ScopeArgs};
use crate::answer::{Answer, Row, Rows};
use crate::contract::{Contract, Example, Tier, surfaces};
use crate::domain::graph::audit::{self, Audit as Report, Facts, Finding, contradictions, profile};
use crate::domain::graph::outcome::{Reachability, outcomes};
use crate::domain::graph::redundancy::redundant;
use crate::domain::graph::{Network, Node};
use crate::error::Result;
use crate::model::status::Roles;
use crate::surface::{Command, Context};

/// What is wrong with the links.
pub(in crate::commands) struct Audit;

/// Arguments of `pm graph audit`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// Show at most so many items of each finding
    #[arg(long, value_name = "N", default_value_t = 25)]
    sample: usize,
    /// Keep this audit: later ones tell what is new since and what is resolved
    #[arg(long)]
    save_baseline: bool,
    #[command(flatten)]
    exempt: ExemptArgs,
    #[command(flatten)]
    scope: ScopeArgs,
}

/// Items that may stand alone.
#[derive(clap::Args)]
pub(super) struct ExemptArgs {
    /// Items that may stand alone
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    exempt_isolate: Vec<String>,
    /// Types whose items may stand alone
    #[arg(long, value_name = "TYPES", value_delimiter = ',')]
    exempt_isolate_type: Vec<String>,
}

impl Command for Audit {
    const CONTRACT: Contract = Contract {
        path: &["graph", "audit"],
        about: "Check the links: missing items, cycles, contradictions, items without links",
        read_output: Some(surfaces::GRAPH),
        examples: &[
            Example { about: "What is wrong among the open items", argv: &["graph", "audit"] },
            Example {
                about: "Counts of everything",
                argv: &["graph", "audit", "--include-closed", "--summary"],
            },
        ],
        tier: Tier::Full,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let network = args.scope.network(context, &[])?;
        let report = report(&network, &args.exempt, context)?;
        let summary = args.scope.summary(context);
        let mut answer = scope::overview(context, "audit", &network)?
            .value("finding_count", report.findings.len())
            .value("findings_by_severity", tally(&report, |finding| finding.rule.severity.as_str(), |_| 1))
            .value("findings_by_code", tally(&report, |finding| finding.rule.code, |_| 1))
            .value(
                "affected_subjects_by_severity",
                tally(&report, |finding| finding.rule.severity.as_str(), |finding| finding.subjects.len()),
            )
            .value(
                "affected_subjects_by_code",
                tally(&report, |finding| finding.rule.code, |finding| finding.subjects.len()),
            )
            .value("profile", census(&network, &report, summary, context))
            .value("legacy_alias_counts", aliases(&network));
        let everything = args.scope.everything();
        if let Some(told) = baseline::consult(&report, everything, args.save_baseline, context)? {
            answer = answer.value("baseline", told);
        }
        answer = if summary {
            answer.omits("result_rows", "--full")
        } else {
            let rows = report.findings.iter().map(|finding| row(finding, args.sample)).collect();
            answer.rows("findings", Rows::ready(rows).limited(args.scope.limit(context, None)))
        };
        Ok(answer)
    }
}

/// Audits the network for a caller.
pub(super) fn report(network: &Network<'_>, exempt: &ExemptArgs, context: &Context) -> Result<Report> {
    let tracker = context.tracker()?;
    let statuses = &tracker.schema().statuses;
    let facts = Facts {
        terminal: &|record| scope::is_over(context, record),
        blocked: &|record| {
            statuses.get(record.status()).is_some_and(|status| status.roles.any(Roles::BLOCKED))
        },
        exempt_ids: exempt
            .exempt_isolate
            .iter()
            .map(|typed| tracker.resolve(typed))
            .collect::<Result<_>>()?,
        exempt_kinds: exempt.exempt_isolate_type.iter().cloned().collect(),
    };
    Ok(audit::audit(network, &facts))
}

fn tally<'r>(
    report: &'r Report,
    key: impl Fn(&'r Finding) -> &'r str,
    count: impl Fn(&Finding) -> usize,
) -> Value {
    let mut sums: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in &report.findings {
        *sums.entry(key(finding)).or_default() += count(finding);
    }
    json!(sums)
}

fn aliases(network: &Network<'_>) -> Value {
    network
        .remarks
        .aliases
        .iter()
        .map(|(name, count)| (name.clone(), json!(count)))
        .collect::<Map<_, _>>()
        .into()
}

fn row(finding: &Finding, sample: usize) -> Row {
    let shown = sample.min(finding.subjects.len());
    let mut row = Row::new();
    row.insert("code".into(), finding.rule.code.into());
    row.insert("severity".into(), finding.rule.severity.as_str().into());
    row.insert("policy".into(), finding.rule.policy.into());
    row.insert("message".into(), message(finding).into());
    row.insert("count".into(), finding.subjects.len().into());
    row.insert("sample".into(), finding.subjects[..shown].into());
    row.insert("sample_truncated".into(), (shown < finding.subjects.len()).into());
    row.insert("remediation".into(), finding.rule.remediation.into());
    if !finding.evidence.is_empty() {
        row.insert("evidence".into(), finding.evidence[..shown.min(finding.evidence.len())].into());
    }
    row
}

fn message(finding: &Finding) -> String {
    let n = finding.subjects.len();
    let items = if n == 1 { "item breaks" } else { "items break" };
    format!("{n} {items} this: {}", finding.rule.policy)
}

/// The census, in the reference's order of keys.
fn census(network: &Network<'_>, report: &Report, summary: bool, context: &Context) -> Value {
    let is_over = |node: Node| scope::is_over(context, network.record(node));
    let counts = profile(network, &|record| scope::is_over(context, record));
    let edges = network.edges().len();
    let redundant = redundant(network).0.len();
    let contradictory = 2 * contradictions(network).len();
    let share = |count: usize| if edges == 0 { 0.0 } else { count as f64 / edges as f64 };
    let shares: BTreeMap<_, _> =
        counts.edges_by_kind.iter().map(|(kind, count)| (kind, share(*count))).collect();
    let coverage: Map<String, Value> = counts
        .coverage_by_kind
        .iter()
        .map(|(kind, [active, isolated, sparse])| {
            (kind.clone(), json!({"active": active, "isolated": isolated, "degree_leq_one": sparse}))
        })
        .collect();
    let mut census = json!({
        "nodes": network.len(),
        "recorded_nodes": network.len(),
        "edges": edges,
        "informative_edges": edges - redundant - contradictory,
        "redundant_edges": redundant,
        "ordering_contradiction_edges": contradictory,
        "edge_basis": "deduplicated_directed",
        "edges_by_kind": counts.edges_by_kind,
        "edge_share_by_kind": shares,
        "semantic_edges": counts.semantic_edges,
        "semantic_edge_share": share(counts.semantic_edges),
        "active_nodes": counts.active,
        "missing_nodes": network.remarks.missing.len(),
        "isolated_active_nodes": counts.isolated_active,
        "degree_leq_one_active_nodes": counts.sparse_active,
        "coverage_by_type": coverage,
        "articulation_points": counts.articulation_points,
        "bridge_edges": counts.bridges,
    });
    if let Some(object) = census.as_object_mut() {
        object.extend(reachability(&outcomes(network, &is_over)));
        if !summary {
            let by_code: Map<String, Value> = audit::RULES
                .iter()
                .map(|rule| (rule.code.to_owned(), json!(report.subjects_by_code.get(rule.code))))
                .collect();
            object.insert("finding_subjects_by_code".into(), by_code.into());
        }
    }
    census
}

fn reachability(found: &Reachability) -> Map<String, Value> {
    let mut keys = Map::new();
    keys.insert("outcome_nodes".into(), found.outcomes.into());
    for (name, share) in [("active_", &found.active), ("terminal_", &found.terminal), ("", &found.all)] {
        keys.insert(format!("{name}outcome_reachable_nodes"), share.reachable.into());
        keys.insert(format!("{name}outcome_unreachable_nodes"), share.unreachable.into());
        keys.insert(format!("{name}outcome_reachability_basis_points"), share.basis_points().into());
    }
    keys
}

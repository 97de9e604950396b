//! The audit: what of the relationship graph is wrong, old debt, or merely thin (surfaces.md §10.1).

use std::collections::{BTreeMap, BTreeSet};

use super::articulation::weak_places;
use super::hierarchy::Hierarchy;
use super::kinds::Family;
use super::network::{Network, Node};
use super::schedule::Schedule;
use crate::model::records::Record;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Work goes wrong because of it.
    Error,
    /// It misleads.
    Warning,
    /// Worth knowing.
    Info,
}

impl Severity {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        }
    }
}

/// A rule of the audit.
#[derive(Debug)]
pub struct Rule {
    /// The code of its findings.
    pub code: &'static str,
    /// How bad a breach is.
    pub severity: Severity,
    /// What should hold.
    pub policy: &'static str,
    /// What to do about a breach.
    pub remediation: &'static str,
}

const fn rule(
    code: &'static str,
    severity: Severity,
    policy: &'static str,
    remediation: &'static str,
) -> Rule {
    Rule { code, severity, policy, remediation }
}

const KEEP_HISTORY: &str =
    "All items involved are over: leave the rows as they are, or repair them on purpose.";

/// Every rule, in the order of the report.
pub static RULES: [Rule; 20] = [
    rule(
        "missing_reference_active",
        Severity::Error,
        "An open item names only items that exist.",
        "Remove the link, or restore the item.",
    ),
    rule("missing_reference_terminal", Severity::Info, "A link names an item that exists.", KEEP_HISTORY),
    rule(
        "legacy_no_blocker_sentinel",
        Severity::Info,
        "An item without blocker has no blocked_by.",
        "Clear it: pm update <id> --unset blocked-by",
    ),
    rule(
        "ordering_cycle",
        Severity::Error,
        "No open item waits for itself.",
        "Remove one link of the cycle.",
    ),
    rule("legacy_ordering_cycle", Severity::Info, "No item waits for itself.", KEEP_HISTORY),
    rule(
        "ordering_storage_contradiction",
        Severity::Error,
        "Of two items one comes first, not each.",
        "Remove the link that is wrong.",
    ),
    rule(
        "legacy_ordering_storage_contradiction",
        Severity::Info,
        "Of two items one comes first, not each.",
        KEEP_HISTORY,
    ),
    rule(
        "hierarchy_cycle",
        Severity::Error,
        "No open item contains itself.",
        "Give one item of the cycle another parent.",
    ),
    rule("legacy_hierarchy_cycle", Severity::Info, "No item contains itself.", KEEP_HISTORY),
    rule(
        "hierarchy_cardinality_violation",
        Severity::Error,
        "An item has one parent.",
        "Keep the right parent, remove the other links.",
    ),
    rule("legacy_hierarchy_cardinality_violation", Severity::Info, "An item has one parent.", KEEP_HISTORY),
    rule(
        "hierarchy_direction_violation",
        Severity::Error,
        "parent and the dependencies name the same parent.",
        "Make both say the same.",
    ),
    rule(
        "legacy_hierarchy_direction_violation",
        Severity::Info,
        "parent and the dependencies name the same parent.",
        KEEP_HISTORY,
    ),
    rule("duplicate_edge", Severity::Info, "A relation is stored once.", "Remove the second link."),
    rule("legacy_duplicate_edge", Severity::Info, "A relation is stored once.", KEEP_HISTORY),
    rule(
        "duplicate_dependency_row",
        Severity::Warning,
        "Dependencies hold no two equal rows.",
        "Remove the second row.",
    ),
    rule(
        "legacy_duplicate_dependency_row",
        Severity::Info,
        "Dependencies hold no two equal rows.",
        KEEP_HISTORY,
    ),
    rule(
        "stale_lifecycle_block",
        Severity::Warning,
        "A blocked item waits for something open.",
        "Open it: pm update <id> --status open",
    ),
    rule(
        "isolated_active_node",
        Severity::Warning,
        "An open item has a link.",
        "Give it a parent or another link.",
    ),
    rule(
        "sparse_active_node",
        Severity::Info,
        "An open item has more than one link.",
        "See whether a link is missing.",
    ),
];

/// A broken rule with everything that breaks it.
#[derive(Debug)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// The items concerned, by id.
    pub subjects: Vec<String>,
    /// One line a subject, where there is more to say.
    pub evidence: Vec<String>,
}

/// What the audit must know of the tracker.
pub struct Facts<'f> {
    /// Whether an item is over.
    pub terminal: &'f dyn Fn(Record<'_>) -> bool,
    /// Whether an item's status says that it is blocked.
    pub blocked: &'f dyn Fn(Record<'_>) -> bool,
    /// Items that may stand alone.
    pub exempt_ids: BTreeSet<String>,
    /// Types whose items may stand alone.
    pub exempt_kinds: BTreeSet<String>,
}

/// The result of an audit.
#[derive(Debug)]
pub struct Audit {
    /// Broken rules, worst first.
    pub findings: Vec<Finding>,
    /// Subjects by rule, all rules.
    pub subjects_by_code: BTreeMap<&'static str, usize>,
}

/// Gathers subjects by rule.
#[derive(Default)]
struct Breaches(BTreeMap<&'static str, BTreeMap<String, Option<String>>>);

impl Breaches {
    fn add(&mut self, code: &'static str, subject: String, evidence: Option<String>) {
        self.0.entry(code).or_default().entry(subject).or_insert(evidence);
    }
}

/// Picks between a rule and its counterpart for items that are all over.
fn either(over: bool, code: &'static str, legacy: &'static str) -> &'static str {
    if over { legacy } else { code }
}

/// Audits a network.
pub fn audit(network: &Network<'_>, facts: &Facts<'_>) -> Audit {
    let mut breaches = Breaches::default();
    references(network, facts, &mut breaches);
    let schedule = Schedule::of(network);
    ordering(network, facts, &schedule, &mut breaches);
    hierarchy(network, facts, &mut breaches);
    repetitions(network, facts, &mut breaches);
    lonely(network, facts, &schedule, &mut breaches);
    let subjects_by_code =
        RULES.iter().map(|rule| (rule.code, breaches.0.get(rule.code).map_or(0, BTreeMap::len))).collect();
    let mut findings: Vec<Finding> = RULES
        .iter()
        .filter_map(|rule| {
            let subjects = breaches.0.remove(rule.code)?;
            let evidence = subjects.values().flatten().cloned().collect();
            Some(Finding { rule, subjects: subjects.into_keys().collect(), evidence })
        })
        .collect();
    findings.sort_by_key(|finding| finding.rule.severity);
    Audit { findings, subjects_by_code }
}

fn over(network: &Network<'_>, facts: &Facts<'_>, nodes: &[Node]) -> bool {
    nodes.iter().all(|&node| (facts.terminal)(network.record(node)))
}

fn id(network: &Network<'_>, node: Node) -> String {
    network.id(node).to_owned()
}

fn ids(network: &Network<'_>, nodes: &[Node]) -> String {
    nodes.iter().map(|&node| network.id(node)).collect::<Vec<_>>().join(", ")
}

fn references(network: &Network<'_>, facts: &Facts<'_>, breaches: &mut Breaches) {
    for missing in &network.remarks.missing {
        let code = either(
            over(network, facts, &[missing.source]),
            "missing_reference_active",
            "missing_reference_terminal",
        );
        let evidence = format!("{} {} {}", network.id(missing.source), missing.kind, missing.target);
        breaches.add(code, id(network, missing.source), Some(evidence));
    }
    for &node in &network.remarks.no_blocker_sentinels {
        breaches.add("legacy_no_blocker_sentinel", id(network, node), None);
    }
}

fn ordering(network: &Network<'_>, facts: &Facts<'_>, schedule: &Schedule, breaches: &mut Breaches) {
    for cycle in &schedule.cycles {
        let code = either(over(network, facts, cycle), "ordering_cycle", "legacy_ordering_cycle");
        breaches.add(code, id(network, cycle[0]), Some(ids(network, cycle)));
    }
    for (a, b) in contradictions(network) {
        let code = either(
            over(network, facts, &[a, b]),
            "ordering_storage_contradiction",
            "legacy_ordering_storage_contradiction",
        );
        breaches.add(code, id(network, a), Some(ids(network, &[a, b])));
    }
}

/// Pairs of items each of which is to come before the other, smaller id first.
pub fn contradictions(network: &Network<'_>) -> Vec<(Node, Node)> {
    let pairs: BTreeSet<(Node, Node)> = network
        .edges()
        .iter()
        .filter(|edge| edge.kind.family == Family::Ordering)
        .filter_map(|edge| edge.ordered())
        .collect();
    pairs.iter().copied().filter(|&(a, b)| a < b && pairs.contains(&(b, a))).collect()
}

fn hierarchy(network: &Network<'_>, facts: &Facts<'_>, breaches: &mut Breaches) {
    let hierarchy = Hierarchy::of(network);
    for cycle in &hierarchy.cycles {
        let code = either(over(network, facts, cycle), "hierarchy_cycle", "legacy_hierarchy_cycle");
        breaches.add(code, id(network, cycle[0]), Some(ids(network, cycle)));
    }
    for (child, parents) in &hierarchy.several_parents {
        let all: Vec<Node> = parents.iter().copied().chain([*child]).collect();
        let code = either(
            over(network, facts, &all),
            "hierarchy_cardinality_violation",
            "legacy_hierarchy_cardinality_violation",
        );
        let evidence = format!("{} <- {}", network.id(*child), ids(network, parents));
        breaches.add(code, id(network, *child), Some(evidence));
    }
    for divergence in &hierarchy.divergent {
        let all: Vec<Node> =
            divergence.rows.iter().copied().chain([divergence.child, divergence.scalar]).collect();
        let code = either(
            over(network, facts, &all),
            "hierarchy_direction_violation",
            "legacy_hierarchy_direction_violation",
        );
        let child = network.id(divergence.child);
        let (scalar, rows) = (network.id(divergence.scalar), ids(network, &divergence.rows));
        breaches.add(code, child.to_owned(), Some(format!("{child}: scalar={scalar} dependencies={rows}")));
    }
}

fn repetitions(network: &Network<'_>, facts: &Facts<'_>, breaches: &mut Breaches) {
    for &node in &network.remarks.repeated_rows {
        let code = either(
            over(network, facts, &[node]),
            "duplicate_dependency_row",
            "legacy_duplicate_dependency_row",
        );
        breaches.add(code, id(network, node), None);
    }
}

fn lonely(network: &Network<'_>, facts: &Facts<'_>, schedule: &Schedule, breaches: &mut Breaches) {
    let neighbours = network.simple_undirected();
    let mut waits = vec![false; network.len()];
    for node in network.nodes().filter(|&node| !(facts.terminal)(network.record(node))) {
        for step in schedule.after.from(node) {
            waits[step.to as usize] = true;
        }
    }
    for node in network.nodes() {
        let record = network.record(node);
        if (facts.terminal)(record) {
            continue;
        }
        if (facts.blocked)(record) && !waits[node as usize] && record.blocked_by().is_none() {
            breaches.add("stale_lifecycle_block", id(network, node), None);
        }
        let exempt = facts.exempt_kinds.contains(record.kind()) || facts.exempt_ids.contains(record.id());
        match neighbours[node as usize].len() {
            0 if !exempt => breaches.add("isolated_active_node", id(network, node), None),
            1 => breaches.add("sparse_active_node", id(network, node), None),
            _ => {}
        }
    }
}

/// The census of a network that goes with an audit.
#[derive(Debug)]
pub struct Profile {
    /// Edges by kind, by name.
    pub edges_by_kind: BTreeMap<&'static str, usize>,
    /// Edges that carry a meaning of their own.
    pub semantic_edges: usize,
    /// Open items.
    pub active: usize,
    /// Open items without a link.
    pub isolated_active: usize,
    /// Open items with at most one link.
    pub sparse_active: usize,
    /// Open, isolated and sparse items by type.
    pub coverage_by_kind: BTreeMap<String, [usize; 3]>,
    /// Nodes whose removal splits the graph.
    pub articulation_points: usize,
    /// Edges whose removal splits the graph.
    pub bridges: usize,
}

/// The semantic kinds that the profile counts.
const PROFILED: [&str; 5] = ["discovered_from", "incident_from", "recurs_from", "supersedes", "verifies"];

/// Counts.
pub fn profile(network: &Network<'_>, terminal: &dyn Fn(Record<'_>) -> bool) -> Profile {
    let mut edges_by_kind: BTreeMap<&'static str, usize> = BTreeMap::new();
    for edge in network.edges() {
        *edges_by_kind.entry(edge.kind.name).or_default() += 1;
    }
    let semantic_edges = PROFILED.iter().filter_map(|kind| edges_by_kind.get(kind)).sum();
    let neighbours = network.simple_undirected();
    let mut coverage_by_kind: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    for node in network.nodes().filter(|&node| !terminal(network.record(node))) {
        let degree = neighbours[node as usize].len();
        let counts = coverage_by_kind.entry(network.record(node).kind().to_owned()).or_default();
        counts[0] += 1;
        counts[1] += usize::from(degree == 0);
        counts[2] += usize::from(degree <= 1);
    }
    let total = |n: usize| coverage_by_kind.values().map(|counts| counts[n]).sum();
    let (active, isolated_active, sparse_active) = (total(0), total(1), total(2));
    let weak = weak_places(network);
    Profile {
        edges_by_kind,
        semantic_edges,
        active,
        isolated_active,
        sparse_active,
        coverage_by_kind,
        articulation_points: weak.points.len(),
        bridges: weak.bridges.len(),
    }
}

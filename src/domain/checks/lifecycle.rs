//! Whether open items make sense where they stand: blockers, parents, circles.

use std::collections::BTreeMap;

use super::{Evidence, Severity, Status, Verdict};
use crate::domain::children::{names_child, names_itself, names_parent};
use crate::model::records::{Presence, Record, Text};
use crate::model::status::Roles;

/// A list of patterns of the settings and where it comes from.
fn patterns<'a>(evidence: &Evidence<'a>, name: &str) -> (Vec<&'a str>, &'static str) {
    let path = format!("validation.lifecycle_{name}_patterns");
    let source = if evidence.settings.own(&path).is_some() { "settings" } else { "default" };
    (evidence.settings.texts(&path), source)
}

fn matched<'p>(text: &str, patterns: &[&'p str]) -> Option<&'p str> {
    let text = text.to_lowercase();
    patterns.iter().find(|pattern| text.contains(&pattern.to_lowercase())).copied()
}

pub(super) fn check(evidence: &Evidence<'_>) -> Verdict {
    let mut verdict = Verdict::new("lifecycle");
    let closure: [(&str, Vec<&str>, &str); 3] =
        ["blocked_reason", "resolution", "actual_result"].map(|field| {
            let (list, source) = patterns(evidence, &format!("closure_like_{field}"));
            (field, list, source)
        });
    let stale = patterns(evidence, "stale_blocker_reason");
    verdict.set("checked_active_items", evidence.open().count());
    let rows = closure_like(evidence, &closure);
    verdict.set("active_closure_like_metadata_items", distinct(&rows));
    verdict.warn("lifecycle_active_closure_like_metadata", distinct(&rows));
    verdict.list("active_closure_like_metadata_rows", rows);
    let rows = terminal_parents(evidence);
    let ids = rows.iter().map(|row| row.split(':').next().unwrap_or_default());
    verdict.hints = ids.map(|id| format!("pm update {id} --unset parent")).collect();
    verdict.set("active_terminal_parent_items", rows.len());
    verdict.warn("lifecycle_active_terminal_parent", rows.len());
    verdict.list("active_terminal_parent_rows", rows);
    let rows = if evidence.options.stale_blockers { stale_blockers(evidence, &stale.0) } else { Vec::new() };
    verdict.set("stale_blocker_checks_enabled", evidence.options.stale_blockers);
    verdict.set("stale_blocker_items", distinct(&rows));
    verdict.warn("lifecycle_stale_blockers", distinct(&rows));
    verdict.list("stale_blocker_rows", rows);
    dependency_cycles(evidence, &mut verdict);
    hierarchy(evidence, &mut verdict);
    verdict.set("stale_blocker_reason_patterns", stale.0);
    verdict.set("stale_blocker_reason_pattern_source", stale.1);
    for (field, list, source) in closure {
        verdict.set(&format!("closure_like_{field}_patterns"), list);
        verdict.set(&format!("closure_like_{field}_pattern_source"), source);
    }
    verdict
}

/// How many items rows speak of; each begins with the id.
fn distinct(rows: &[String]) -> usize {
    let id = |row: &String| row.split(':').next().unwrap_or_default().to_owned();
    rows.iter().map(id).collect::<std::collections::HashSet<_>>().len()
}

/// Open items whose texts speak as if they were over.
fn closure_like(evidence: &Evidence<'_>, closure: &[(&str, Vec<&str>, &str); 3]) -> Vec<String> {
    let mut rows = Vec::new();
    for record in evidence.open() {
        for (field, patterns, _) in closure {
            let text = match *field {
                "blocked_reason" => record.text(Text::BlockedReason),
                field => evidence.facts(record).closing.get(field).map(String::as_str),
            };
            if let Some(pattern) = text.and_then(|text| matched(text, patterns)) {
                rows.push(format!("{}:{field}:{pattern}", record.id()));
            }
        }
    }
    rows
}

/// Open items below a parent that is over.
fn terminal_parents(evidence: &Evidence<'_>) -> Vec<String> {
    let mut rows = Vec::new();
    for record in evidence.open() {
        for parent in evidence.hierarchy.parents(record.number()) {
            let parent = evidence.records.get(*parent as usize).filter(|parent| evidence.is_over(*parent));
            rows.extend(parent.map(|parent| format!("{}:{}:{}", record.id(), parent.id(), parent.status())));
        }
    }
    rows
}

/// Blockers that say nothing any more.
fn stale_blockers(evidence: &Evidence<'_>, patterns: &[&str]) -> Vec<String> {
    let mut rows = Vec::new();
    for record in evidence.open() {
        let reason = record.text(Text::BlockedReason).map(str::trim).filter(|text| !text.is_empty());
        let by = record.blocked_by().map(str::trim).filter(|text| !text.is_empty());
        let faults: Vec<&str> = if evidence.schema.statuses.plays(record.status(), Roles::BLOCKED) {
            let says_none = reason.is_some_and(|reason| matched(reason, &["no active blocker"]).is_some());
            [
                (by.is_none() && reason.is_none(), "blocked_status_missing_blocker_context"),
                (says_none, "blocked_status_reason_reports_no_active_blocker"),
                (
                    !says_none && reason.is_some_and(|reason| matched(reason, patterns).is_some()),
                    "blocked_status_reason_matches_stale_pattern",
                ),
            ]
            .into_iter()
            .filter_map(|(found, fault)| found.then_some(fault))
            .collect()
        } else {
            let by = by.map(|_| "non_blocked_status_has_blocked_by");
            by.into_iter().chain(reason.map(|_| "non_blocked_status_has_blocked_reason")).collect()
        };
        rows.extend(faults.into_iter().map(|fault| format!("{}:{fault}", record.id())));
    }
    rows
}

/// Circles of items that wait for each other.
fn dependency_cycles(evidence: &Evidence<'_>, verdict: &mut Verdict) {
    let open: Vec<bool> = evidence.records.iter().map(|record| !evidence.is_over(record)).collect();
    let edges = |row: usize| -> Vec<usize> {
        let Some(record) = evidence.records.get(row).filter(|_| open[row]) else { return Vec::new() };
        let mut targets: Vec<usize> = waits_for(record, evidence)
            .filter_map(|id| evidence.rows.find(id))
            .map(|row| row as usize)
            .filter(|target| open[*target])
            .collect();
        targets.sort_unstable();
        targets.dedup();
        targets
    };
    let cycles = Cycles::find(open.len(), &edges);
    let severity = evidence.options.dependency_cycles;
    verdict.set("dependency_cycle_severity_policy", severity.as_str());
    verdict.set("dependency_cycle_count", cycles.list.len());
    cycles.tell(verdict, evidence, "dependency_cycle");
    report(verdict, severity, "lifecycle_dependency_cycles", cycles.list.len());
}

/// The ids that an item waits for: blockers, links that order work, what its definition of ready names.
fn waits_for<'a>(record: Record<'a>, evidence: &'a Evidence<'_>) -> impl Iterator<Item = &'a str> {
    let orders = |kind: &str| matches!(kind, "blocked_by" | "depends_on" | "incident_from");
    let links = record.links().filter(move |link| orders(link.kind)).map(|link| link.id);
    let ready = record.has(Presence::DEFINITION_OF_READY).then(|| &evidence.facts(record).named_by_ready);
    let own = record.id();
    let ready = ready.into_iter().flatten().map(String::as_str).filter(move |id| *id != own);
    record.blocked_by().into_iter().chain(links).chain(ready)
}

/// A finding, and whether it counts as a warning or an error.
fn report(verdict: &mut Verdict, severity: Severity, code: &str, count: usize) {
    match severity {
        Severity::Off => {}
        Severity::Warn => verdict.warn(code, count),
        Severity::Error => verdict.find(Status::Error, &format!("{code}_error"), count),
    }
}

/// What is wrong between items and their parents.
#[derive(Clone, Debug, Default)]
pub struct ParentFindings {
    /// Items with several parents: id, the parents, whether the item is open.
    pub several: Vec<(String, Vec<String>, bool)>,
    /// Items whose field and links name different parents: id, field, links, whether the item is open.
    pub divergent: Vec<(String, String, Vec<String>, bool)>,
}

/// Compares the field `parent` and the links of every item.
pub fn parent_findings(evidence: &Evidence<'_>) -> ParentFindings {
    let id = |row: &u32| evidence.records.get(*row as usize).map_or("", Record::id).to_owned();
    let mut linked: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for record in evidence.records.iter() {
        for link in record.links() {
            let Some(other) = evidence.rows.find(link.id) else { continue };
            let (child, parent) = match link.kind {
                kind if names_parent(kind) => (record.number(), other),
                kind if names_child(kind) => (other as usize, record.number() as u32),
                _ => continue,
            };
            let parents = linked.entry(child).or_default();
            if !parents.contains(&parent) {
                parents.push(parent);
            }
        }
    }
    linked.values_mut().for_each(|parents| parents.sort_unstable());
    let mut findings = ParentFindings::default();
    for record in evidence.records.iter() {
        let open = !evidence.is_over(record);
        let parents = evidence.hierarchy.parents(record.number());
        if parents.len() > 1 {
            findings.several.push((record.id().to_owned(), parents.iter().map(id).collect(), open));
        }
        let scalar = record.parent().and_then(|parent| evidence.rows.find(parent));
        if let (Some(scalar), Some(links)) = (scalar, linked.get(&record.number()))
            && !links.contains(&scalar)
        {
            findings.divergent.push((
                record.id().to_owned(),
                id(&scalar),
                links.iter().map(id).collect(),
                open,
            ));
        }
    }
    findings
}

fn hierarchy(evidence: &Evidence<'_>, verdict: &mut Verdict) {
    let rows = evidence.records.len();
    // The hierarchy leaves out who is named as the parent of itself: for a check that is the shortest circle.
    let own = |row: &usize| evidence.records.get(*row).is_some_and(names_itself);
    let edges = |row: usize| {
        let parents = evidence.hierarchy.parents(row).iter().map(|parent| *parent as usize);
        parents.chain(Some(row).filter(own)).collect()
    };
    let cycles = Cycles::find(rows, &edges);
    let is_active = |cycle: &&Vec<usize>| {
        cycle.iter().any(|row| evidence.records.get(*row).is_some_and(|record| !evidence.is_over(record)))
    };
    let active = cycles.list.iter().filter(is_active).count();
    let severity = evidence.options.parent_cycles;
    verdict.set("parent_cycle_severity_policy", severity.as_str());
    verdict.set("parent_cycle_count", cycles.list.len());
    verdict.set("active_parent_cycle_count", active);
    verdict.set("legacy_parent_cycle_count", cycles.list.len() - active);
    cycles.tell(verdict, evidence, "parent_cycle");
    report(verdict, severity, "hierarchy_parent_cycle", active);
    report(verdict, Severity::Warn, "legacy_hierarchy_parent_cycle", cycles.list.len() - active);
    let findings = parent_findings(evidence);
    let age = |open: bool| if open { "active" } else { "legacy" };
    let several = findings
        .several
        .iter()
        .map(|(id, parents, open)| (format!("{id}:{}:{}", parents.join(","), age(*open)), *open))
        .collect();
    tell(verdict, severity, "cardinality_violation", several);
    let divergent = findings
        .divergent
        .iter()
        .map(|(id, scalar, links, open)| {
            (format!("{id}:scalar={scalar}:dependencies={}:{}", links.join(","), age(*open)), *open)
        })
        .collect();
    tell(verdict, severity, "parent_divergence", divergent);
}

/// Rows of one kind of finding about parents, those of open items counted apart.
fn tell(verdict: &mut Verdict, severity: Severity, what: &str, rows: Vec<(String, bool)>) {
    let active = rows.iter().filter(|(_, open)| *open).count();
    let legacy = rows.len() - active;
    verdict.set(&format!("hierarchy_{what}_count"), rows.len());
    verdict.set(&format!("active_hierarchy_{what}_count"), active);
    verdict.set(&format!("legacy_hierarchy_{what}_count"), legacy);
    verdict.list(&format!("hierarchy_{what}_rows"), rows.into_iter().map(|(row, _)| row).collect());
    report(verdict, severity, &format!("hierarchy_{what}"), active);
    report(verdict, Severity::Warn, &format!("legacy_hierarchy_{what}"), legacy);
}

/// The strongly connected parts of a graph that hold a circle, each in order of rows.
struct Cycles {
    list: Vec<Vec<usize>>,
    samples: Vec<Vec<usize>>,
}

impl Cycles {
    fn find(rows: usize, edges: &dyn Fn(usize) -> Vec<usize>) -> Cycles {
        let mut cycles = Cycles { list: Vec::new(), samples: Vec::new() };
        for part in components(rows, edges) {
            let circular = part.len() > 1 || edges(part[0]).contains(&part[0]);
            if circular {
                cycles.samples.push(sample(&part, edges));
                cycles.list.push(part);
            }
        }
        cycles
    }

    fn tell(&self, verdict: &mut Verdict, evidence: &Evidence<'_>, what: &str) {
        let id = |row: &usize| evidence.records.get(*row).map_or("", Record::id).to_owned();
        let mut ids: Vec<String> = self.list.iter().flatten().map(id).collect();
        ids.sort_unstable();
        verdict.set(&format!("{what}_item_count"), ids.len());
        verdict.list(&format!("{what}_item_ids"), ids);
        let paths =
            self.samples.iter().map(|path| path.iter().map(id).collect::<Vec<_>>().join(" -> ")).collect();
        verdict.list::<String>(&format!("{what}_sample_paths"), paths);
    }
}

/// One way round a circular part, from its first row back to it.
fn sample(part: &[usize], edges: &dyn Fn(usize) -> Vec<usize>) -> Vec<usize> {
    let start = part[0];
    let mut from: BTreeMap<usize, usize> = BTreeMap::new();
    let mut queue = std::collections::VecDeque::from([start]);
    while let Some(row) = queue.pop_front() {
        for next in edges(row).into_iter().filter(|next| part.binary_search(next).is_ok()) {
            if next == start {
                let mut path = vec![start];
                let mut at = row;
                while at != start {
                    path.insert(1, at);
                    at = from[&at];
                }
                path.push(start);
                return path;
            }
            if let std::collections::btree_map::Entry::Vacant(free) = from.entry(next) {
                free.insert(row);
                queue.push_back(next);
            }
        }
    }
    vec![start]
}

/// The strongly connected parts, by their first row (Tarjan, without recursion).
fn components(rows: usize, edges: &dyn Fn(usize) -> Vec<usize>) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let (mut order, mut low, mut on_stack) = (vec![UNSEEN; rows], vec![0; rows], vec![false; rows]);
    let (mut stack, mut parts, mut count) = (Vec::new(), Vec::new(), 0);
    for root in 0..rows {
        if order[root] != UNSEEN {
            continue;
        }
        let mut calls: Vec<(usize, Vec<usize>, usize)> = vec![(root, edges(root), 0)];
        while let Some((row, targets, next)) = calls.last_mut() {
            let row = *row;
            if *next == 0 {
                order[row] = count;
                low[row] = count;
                count += 1;
                stack.push(row);
                on_stack[row] = true;
            }
            if let Some(target) = targets.get(*next).copied() {
                *next += 1;
                if order[target] == UNSEEN {
                    calls.push((target, edges(target), 0));
                } else if on_stack[target] {
                    low[row] = low[row].min(order[target]);
                }
                continue;
            }
            calls.pop();
            if let Some((parent, ..)) = calls.last() {
                low[*parent] = low[*parent].min(low[row]);
            }
            if low[row] == order[row] {
                let at = stack.iter().rposition(|other| *other == row).unwrap_or(0);
                let mut part = stack.split_off(at);
                part.iter().for_each(|member| on_stack[*member] = false);
                part.sort_unstable();
                parts.push(part);
            }
        }
    }
    parts.sort_unstable();
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_are_found_and_shown() {
        let graph = [vec![1], vec![2], vec![0, 3], vec![], vec![4], vec![6], vec![5]];
        let edges = |row: usize| graph[row].clone();
        let cycles = Cycles::find(graph.len(), &edges);
        assert_eq!(cycles.list, [vec![0, 1, 2], vec![4], vec![5, 6]]);
        assert_eq!(cycles.samples, [vec![0, 1, 2, 0], vec![4, 4], vec![5, 6, 5]]);
        assert!(Cycles::find(3, &|row| if row < 2 { vec![row + 1] } else { vec![] }).list.is_empty());
    }
}

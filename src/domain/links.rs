//! Links between items: how they are written, added and removed, and what they must not become.
//!
//! Source: storage.md §2.4 (kinds), §6.2 (`--dep`), §7.4 (hierarchy); product.md §5.5 (cycles).

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use crate::domain::entries::{self, Shape};
use crate::domain::values::{self, refusal};
use crate::error::{Code, Error, Result};
use crate::model::item::Item;
use crate::model::records::{Records, fold};

/// The kinds that a command writes, and the older names that it takes for them.
const KINDS: &[(&str, &[&str])] = &[
    ("related", &["related_to"]),
    ("blocked_by", &["depends_on"]),
    ("blocks", &[]),
    ("parent", &["child_of", "epic"]),
    ("child", &["parent_child", "task"]),
    ("discovered_from", &[]),
    ("implements", &[]),
    ("incident_from", &[]),
    ("recurs_from", &[]),
    ("supersedes", &[]),
    ("verifies", &[]),
];

const SHAPE: Shape = Shape {
    keys: &["id", "kind", "author", "created_at", "source_kind"],
    aliases: &[("type", "kind"), ("target", "id"), ("source", "source_kind")],
    bare: Some("id"),
    prose: &[],
    only_with: None,
};

/// A link as typed; its target is not resolved yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typed {
    /// The target's id, as typed.
    pub id: String,
    /// The canonical kind; none given means `related` when it is added, any kind when it is removed.
    pub kind: Option<&'static str>,
    /// The author that was named.
    pub author: Option<String>,
    /// The time that was named.
    pub created_at: Option<String>,
    /// Where it comes from, when that was named.
    pub source_kind: Option<String>,
}

/// The kind that commands write for a name; the stored spelling, or an older one.
pub fn canonical_kind(name: &str) -> Option<&'static str> {
    let name = values::token(name);
    KINDS.iter().find(|(kind, older)| *kind == name || older.contains(&name.as_str())).map(|(kind, _)| *kind)
}

/// Every kind that commands write.
pub fn kinds() -> Vec<&'static str> {
    KINDS.iter().map(|(kind, _)| *kind).collect()
}

/// Reads one value of `--dep` or `--dep-remove`: an id, several, or `id=..,kind=..`.
pub fn read(flag: &str, text: &str, now: i64) -> Result<Vec<Typed>> {
    let pairs = SHAPE.read(flag, text)?;
    let get = |key| entries::value(&pairs, key);
    let Some(id) = get("id") else {
        return Err(refusal(flag, text, "it names no id", &[]));
    };
    let kind = match get("kind") {
        None => None,
        Some(kind) => Some(
            canonical_kind(kind)
                .ok_or_else(|| refusal(flag, kind, format!("a link is {}", kinds().join(", ")), &kinds()))?,
        ),
    };
    let created_at = get("created_at").map(|at| values::instant(flag, at, now)).transpose()?;
    let source_kind = get("source_kind").map(str::to_owned);
    Ok(id
        .split(',')
        .map(|id| Typed {
            id: id.trim().to_owned(),
            kind,
            author: get("author").map(str::to_owned),
            created_at: created_at.clone(),
            source_kind: source_kind.clone(),
        })
        .filter(|typed| !typed.id.is_empty())
        .collect())
}

/// Where a new link comes from when the caller does not say.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The author.
    pub author: &'a str,
    /// The time.
    pub at: &'a str,
    /// The command: `cli:create:dep`, ...
    pub source_kind: &'a str,
}

/// The row that a link is stored as; `target` is the canonical id.
pub fn row(typed: &Typed, target: &str, origin: Origin<'_>) -> Value {
    let author_source = if typed.author.is_some() { "asserted" } else { "detected" };
    json!({
        "id": target,
        "kind": typed.kind.unwrap_or("related"),
        "created_at": typed.created_at.as_deref().unwrap_or(origin.at),
        "author": typed.author.as_deref().unwrap_or(origin.author),
        "source_kind": typed.source_kind.as_deref().unwrap_or(origin.source_kind),
        "author_source": author_source,
    })
}

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Adds rows; one whose target and kind are there already adds nothing.
pub fn add(item: &mut Item, rows: Vec<Value>) {
    let mut list = item.list("dependencies").to_vec();
    for row in rows {
        let known = |r: &Value| {
            fold(text(r, "id")) == fold(text(&row, "id")) && text(r, "kind") == text(&row, "kind")
        };
        if !list.iter().any(known) {
            list.push(row);
        }
    }
    if !list.is_empty() {
        item.metadata.insert("dependencies".to_owned(), Value::Array(list));
    }
}

/// Removes the rows that agree with all that is named: the target under any of `ids`, kind, author, source.
///
/// Errors: `dependency_remove_no_match`.
pub fn remove(item: &mut Item, typed: &Typed, ids: &[String]) -> Result<()> {
    let mut list = item.list("dependencies").to_vec();
    let before = list.len();
    let agrees = |wanted: Option<&str>, row: &Value, key: &str| wanted.is_none_or(|w| text(row, key) == w);
    list.retain(|row| {
        let id = fold(text(row, "id"));
        let kind = text(row, "kind");
        let same_kind = typed.kind.is_none_or(|wanted| canonical_kind(kind).unwrap_or(kind) == wanted);
        let named = ids.iter().any(|wanted| fold(wanted) == id)
            && same_kind
            && agrees(typed.author.as_deref(), row, "author")
            && agrees(typed.created_at.as_deref(), row, "created_at")
            && agrees(typed.source_kind.as_deref(), row, "source_kind");
        !named
    });
    if list.len() == before {
        let id = item.id();
        return Err(Error::new(
            Code::DependencyRemoveNoMatch,
            format!("`{id}` has no link to `{}`", typed.id),
        )
        .at("--dep-remove")
        .rejecting(&typed.id)
        .hint(format!("pm deps {id}")));
    }
    if list.is_empty() {
        item.metadata.shift_remove("dependencies");
    } else {
        item.metadata.insert("dependencies".to_owned(), Value::Array(list));
    }
    Ok(())
}

/// The two orders between items that must stay free of cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// From an item to what it waits for.
    Waiting,
    /// From an item to its parent.
    Hierarchy,
}

/// The edge that a link at `holder` makes in an order, from lower to higher.
fn edge<'a>(order: Order, holder: &'a str, target: &'a str, kind: &str) -> Option<(&'a str, &'a str)> {
    match (order, canonical_kind(kind)?) {
        (Order::Waiting, "blocked_by") | (Order::Hierarchy, "parent") => Some((holder, target)),
        (Order::Waiting, "blocks") | (Order::Hierarchy, "child") => Some((target, holder)),
        _ => None,
    }
}

/// The edges of an item in an order, from lower to higher.
fn edges_of(order: Order, item: &Item) -> Vec<(String, String)> {
    let scalar = item.text(if order == Order::Waiting { "blocked_by" } else { "parent" });
    let mut edges: Vec<_> = scalar.map(|target| (fold(item.id()), fold(target))).into_iter().collect();
    for row in item.list("dependencies") {
        if let Some((from, to)) = edge(order, item.id(), text(row, "id"), text(row, "kind")) {
            edges.push((fold(from), fold(to)));
        }
    }
    edges
}

/// Everything between items as it is now, but for one item that is about to change.
struct Graph {
    order: Order,
    up: HashMap<String, Vec<String>>,
}

impl Graph {
    fn new(order: Order, records: &Records, changed: &Item) -> Graph {
        let mut graph = Graph { order, up: HashMap::new() };
        let own = fold(changed.id());
        for record in records.iter().filter(|record| fold(record.id()) != own) {
            let scalar = if order == Order::Waiting { record.blocked_by() } else { record.parent() };
            if let Some(target) = scalar {
                graph.insert(fold(record.id()), fold(target));
            }
            for link in record.links() {
                if let Some((from, to)) = edge(order, record.id(), link.id, link.kind) {
                    graph.insert(fold(from), fold(to));
                }
            }
        }
        for (from, to) in edges_of(order, changed) {
            graph.insert(from, to);
        }
        graph
    }

    fn insert(&mut self, from: String, to: String) {
        let up = self.up.entry(from).or_default();
        if !up.contains(&to) {
            up.push(to);
        }
    }

    /// A shortest way up from one item to another, both included.
    fn way(&self, from: &str, to: &str) -> Option<Vec<String>> {
        let mut came_from: HashMap<&str, &str> = HashMap::new();
        let mut seen: HashSet<&str> = HashSet::from([from]);
        let mut front = vec![from];
        while !front.is_empty() && !seen.contains(to) {
            let mut next = Vec::new();
            for at in front {
                for up in self.up.get(at).into_iter().flatten() {
                    if seen.insert(up) {
                        came_from.insert(up, at);
                        next.push(up.as_str());
                    }
                }
            }
            front = next;
        }
        if !seen.contains(to) {
            return None;
        }
        let mut way = vec![to.to_owned()];
        let mut at = to;
        while at != from {
            at = came_from.get(at)?;
            way.push(at.to_owned());
        }
        way.reverse();
        Some(way)
    }

    /// Refuses an edge that closes a cycle, with the whole cycle in the sentence.
    fn check(&self, from: &str, to: &str) -> Result<()> {
        let Some(way) = self.way(to, from) else { return Ok(()) };
        let cycle = format!("{from} -> {}", way.join(" -> "));
        let (code, what) = match self.order {
            Order::Waiting => (Code::DependencyCycleCreated, "each of these items would wait for the next"),
            Order::Hierarchy => (Code::HierarchyCycleCreated, "each of these items would be below the next"),
        };
        Err(Error::new(code, format!("{what}: {cycle}")).fact("cycle", cycle).hint(format!("pm deps {to}")))
    }
}

/// Whether going from `before` to `after` adds edges that need a look at the other items.
pub fn adds_edges(before: Option<&Item>, after: &Item) -> bool {
    [Order::Waiting, Order::Hierarchy].iter().any(|order| !added(*order, before, after).is_empty())
}

fn added(order: Order, before: Option<&Item>, after: &Item) -> Vec<(String, String)> {
    let old: HashSet<_> = before.map_or_else(Vec::new, |item| edges_of(order, item)).into_iter().collect();
    edges_of(order, after).into_iter().filter(|edge| !old.contains(edge)).collect()
}

/// Refuses a change whose new links close a cycle, or give an item a second parent. What was wrong before stays.
///
/// Errors: `dependency_cycle_created`, `hierarchy_cycle_created`, `hierarchy_parent_divergence_created`,
/// `hierarchy_cardinality_created`.
pub fn check_orders(records: &Records, before: Option<&Item>, after: &Item) -> Result<()> {
    for order in [Order::Hierarchy, Order::Waiting] {
        let new = added(order, before, after);
        if new.is_empty() {
            continue;
        }
        let graph = Graph::new(order, records, after);
        for (from, to) in &new {
            graph.check(from, to)?;
            if order == Order::Hierarchy {
                check_single_parent(&graph, after, from)?;
            }
        }
    }
    Ok(())
}

fn check_single_parent(graph: &Graph, after: &Item, child: &str) -> Result<()> {
    let parents = graph.up.get(child).map_or(&[][..], Vec::as_slice);
    if parents.len() < 2 {
        return Ok(());
    }
    let diverges = fold(after.id()) == child && after.text("parent").is_some();
    let code =
        if diverges { Code::HierarchyParentDivergenceCreated } else { Code::HierarchyCardinalityCreated };
    Err(Error::new(code, format!("`{child}` would have more than one parent: {}", parents.join(", ")))
        .hint(format!("pm update {child} --parent {}", parents[0]))
        .fact("parents", Value::from(parents.to_vec())))
}

/// Refuses a link that goes back in time: what an item supersedes or recurs from must not be younger.
///
/// Errors: `dependency_temporal_order_invalid`.
pub fn check_age(records: &Records, item: &Item, rows: &[Value], now: i64) -> Result<()> {
    let own = item.text("created_at").and_then(crate::model::timestamp::parse).unwrap_or(now);
    for row in rows.iter().filter(|row| matches!(text(row, "kind"), "supersedes" | "recurs_from")) {
        let target = text(row, "id");
        let older = records.find(target).and_then(|r| r.created_ms()).is_none_or(|at| at <= own);
        if !older {
            let kind = text(row, "kind");
            let problem =
                format!("`{target}` is younger than the item, so that it cannot be in a {kind} link");
            return Err(Error::new(Code::DependencyTemporalOrderInvalid, problem)
                .at("--dep")
                .rejecting(target));
        }
    }
    Ok(())
}

/// The references to an item from all others: who, and through what.
pub fn incoming<'a>(records: &'a Records, id: &str) -> Vec<(&'a str, String)> {
    let wanted = fold(id);
    let mut found = Vec::new();
    for record in records.iter().filter(|record| fold(record.id()) != wanted) {
        let scalars = [("parent", record.parent()), ("blocked_by", record.blocked_by())];
        for (name, _) in scalars.iter().filter(|(_, target)| target.is_some_and(|t| fold(t) == wanted)) {
            found.push((record.id(), (*name).to_owned()));
        }
        for link in record.links().filter(|link| fold(link.id) == wanted) {
            if !found.iter().any(|(who, how)| *who == record.id() && how == link.kind) {
                found.push((record.id(), link.kind.to_owned()));
            }
        }
    }
    found
}

/// Takes every reference to an item out of another one.
pub fn forget(item: &Item, id: &str) -> Item {
    let wanted = fold(id);
    let mut item = item.clone();
    for key in ["parent", "blocked_by"] {
        if item.text(key).is_some_and(|target| fold(target) == wanted) {
            item.metadata.shift_remove(key);
        }
    }
    let rows: Vec<Value> =
        item.list("dependencies").iter().filter(|row| fold(text(row, "id")) != wanted).cloned().collect();
    replace(&mut item.metadata, "dependencies", rows);
    item
}

fn replace(metadata: &mut Map<String, Value>, key: &str, rows: Vec<Value>) {
    if rows.is_empty() {
        metadata.shift_remove(key);
    } else {
        metadata.insert(key.to_owned(), Value::Array(rows));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(id: &str, rest: Value) -> Item {
        let mut metadata = Map::new();
        metadata.insert("id".to_owned(), Value::from(id));
        metadata.extend(rest.as_object().cloned().unwrap_or_default());
        Item { metadata, body: String::new() }
    }

    fn records(items: &[Item]) -> Records {
        let items: Vec<_> = items.iter().map(|i| (format!("tasks/{}.toon", i.id()), i.clone())).collect();
        Records::from_items(&items)
    }

    fn code(result: Result<()>) -> Option<&'static str> {
        result.err().map(|error| error.code.as_str())
    }

    #[test]
    fn a_link_is_read_in_every_way_it_is_written() {
        let one = |text: &str| read("--dep", text, 0).expect(text).remove(0);
        assert_eq!(one("pm-a").kind, None);
        assert_eq!(one("id=a,kind=depends-on").kind, Some("blocked_by"));
        assert_eq!(one("id=a,type=Epic").kind, Some("parent"));
        assert_eq!(one("id=a,author=bo").author.as_deref(), Some("bo"));
        assert_eq!(read("--dep", "a, b", 0).expect("two ids").len(), 2);
        for wrong in ["id=a,kind=wibble", "kind=blocks", "id=a,created_at=soon", ""] {
            assert!(read("--dep", wrong, 0).is_err(), "{wrong}");
        }
    }

    #[test]
    fn adding_twice_is_adding_once_and_removing_nothing_is_refused() {
        let origin = Origin { author: "ann", at: "2026-01-01T00:00:00.000Z", source_kind: "cli:update:dep" };
        let typed = read("--dep", "id=b,kind=blocked_by", 0).expect("legal").remove(0);
        let mut a = item("pm-a", json!({}));
        add(&mut a, vec![row(&typed, "pm-b", origin)]);
        add(&mut a, vec![row(&typed, "PM-B", origin)]);
        assert_eq!(
            a.list("dependencies"),
            [json!({"id": "pm-b", "kind": "blocked_by", "created_at": origin.at, "author": "ann",
                "source_kind": "cli:update:dep", "author_source": "detected"})]
        );
        let other = read("--dep-remove", "id=b,kind=blocks", 0).expect("legal").remove(0);
        assert_eq!(code(remove(&mut a, &other, &["pm-b".to_owned()])), Some("dependency_remove_no_match"));
        remove(&mut a, &typed, &["pm-b".to_owned()]).expect("it is there");
        assert!(!a.metadata.contains_key("dependencies"));
    }

    #[test]
    fn cycles_and_second_parents_are_refused_and_old_debt_is_left_alone() {
        let chain = [
            item("pm-a", json!({"parent": "pm-b", "dependencies": [{"id": "pm-x", "kind": "blocked_by"}]})),
            item("pm-b", json!({"parent": "pm-c", "dependencies": [{"id": "pm-y", "kind": "child"}]})),
            item("pm-c", json!({})),
            item("pm-x", json!({"dependencies": [{"id": "pm-z", "kind": "blocked_by"}]})),
            item("pm-y", json!({})),
            item("pm-z", json!({})),
        ];
        let records = records(&chain);
        let check = |before: usize, rest: Value| {
            let after = item(chain[before].id(), rest);
            code(check_orders(&records, Some(&chain[before]), &after))
        };
        assert_eq!(check(2, json!({"parent": "PM-A"})), Some("hierarchy_cycle_created"));
        assert_eq!(check(2, json!({"parent": "pm-c"})), Some("hierarchy_cycle_created"));
        assert_eq!(check(2, json!({"parent": "pm-z"})), None);
        assert_eq!(check(5, json!({"blocked_by": "pm-a"})), Some("dependency_cycle_created"));
        assert_eq!(
            check(
                0,
                json!({"dependencies": [{"id": "pm-x", "kind": "blocked_by"}, {"id": "pm-z", "kind": "blocks"}]})
            ),
            Some("dependency_cycle_created")
        );
        assert_eq!(check(5, json!({"dependencies": [{"id": "pm-a", "kind": "related"}]})), None);
        assert_eq!(check(4, json!({"parent": "pm-c"})), Some("hierarchy_parent_divergence_created"));
        assert_eq!(
            check(2, json!({"dependencies": [{"id": "pm-y", "kind": "child"}]})),
            Some("hierarchy_cardinality_created")
        );
        assert_eq!(
            check(0, json!({"parent": "pm-b", "dependencies": [{"id": "pm-x", "kind": "depends_on"}]})),
            None
        );
    }

    #[test]
    fn the_cycle_is_shown() {
        let chain = [item("pm-a", json!({"parent": "pm-b"})), item("pm-b", json!({}))];
        let after = item("pm-b", json!({"parent": "pm-a"}));
        let error = check_orders(&records(&chain), Some(&chain[1]), &after).expect_err("a cycle");
        assert!(error.message.ends_with("pm-b -> pm-a -> pm-b"), "{error}");
    }

    #[test]
    fn references_are_found_and_forgotten() {
        let one = item(
            "pm-a",
            json!({"parent": "pm-z", "dependencies": [{"id": "pm-z", "kind": "related"}, {"id": "pm-y", "kind": "blocks"}]}),
        );
        let records = records(&[one.clone(), item("pm-z", json!({}))]);
        assert_eq!(
            incoming(&records, "PM-Z"),
            [("pm-a", "parent".to_owned()), ("pm-a", "related".to_owned())]
        );
        let after = forget(&one, "pm-z");
        assert!(after.text("parent").is_none());
        assert_eq!(after.list("dependencies").len(), 1);
    }
}

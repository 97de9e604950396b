//! The stations of an item's life: status changes, closing, claims, copies. Pure functions from item to item.
//!
//! Source: storage.md §5.6, §6.2, §7.1-§7.4; product.md §5.9.

use serde_json::Value;

use crate::domain::links::canonical_kind;
use crate::error::{Code, Error, Result};
use crate::model::item::Item;
use crate::model::records::{Record, Records, fold};
use crate::model::schema::Schema;
use crate::model::status::{Roles, Statuses};
use crate::model::timestamp;

/// What `close` writes.
#[derive(Clone, Debug, Default)]
pub struct Closing {
    /// Why; none when the tracker does not ask.
    pub reason: Option<String>,
    /// When the work was really done; none means now, or what the item says already.
    pub completed_at: Option<String>,
    /// The item that this one repeats.
    pub duplicate_of: Option<String>,
    /// How it was resolved.
    pub resolution: Option<String>,
    /// What should have happened.
    pub expected_result: Option<String>,
    /// What happened instead.
    pub actual_result: Option<String>,
}

fn set(item: &mut Item, key: &str, value: Option<&str>) {
    if let Some(value) = value {
        item.metadata.insert(key.to_owned(), Value::from(value));
    }
}

fn is_blank(item: &Item, key: &str) -> bool {
    item.text(key).is_none_or(|text| text.trim().is_empty())
}

/// The item as it is when it is over: status, times and reason set, claim and blockers gone.
///
/// Links stay: they say what was true.
pub fn close(item: &Item, closing: &Closing, status: &str, at: &str) -> Item {
    let mut item = item.clone();
    set(&mut item, "status", Some(status));
    set(&mut item, "closed_at", Some(at));
    let completed = item.text("completed_at").unwrap_or(at).to_owned();
    set(&mut item, "completed_at", Some(closing.completed_at.as_deref().unwrap_or(&completed)));
    set(&mut item, "close_reason", closing.reason.as_deref());
    set(&mut item, "resolution", closing.resolution.as_deref());
    set(&mut item, "expected_result", closing.expected_result.as_deref());
    set(&mut item, "actual_result", closing.actual_result.as_deref());
    if let Some(canonical) = &closing.duplicate_of {
        set(&mut item, "duplicate_of", Some(canonical));
        for (key, text) in [
            ("resolution", format!("Duplicate of {canonical}")),
            ("expected_result", format!("Canonical item {canonical} tracks the work.")),
            ("actual_result", format!("Closed as duplicate of {canonical}.")),
        ] {
            if is_blank(&item, key) {
                set(&mut item, key, Some(&text));
            }
        }
    }
    if item.metadata.contains_key("plan_mode") {
        set(&mut item, "plan_mode", Some("completed"));
    }
    for key in ["assignee", "claim_principal", "blocked_by", "blocked_reason"] {
        item.metadata.shift_remove(key);
    }
    item
}

/// The item with another status. One that comes back to life loses what its end wrote.
pub fn set_status(item: &mut Item, status: &str, statuses: &Statuses) {
    if statuses.is_terminal(item.status()) && !statuses.is_terminal(status) {
        for key in ["closed_at", "completed_at", "close_reason"] {
            item.metadata.shift_remove(key);
        }
    }
    set(item, "status", Some(status));
}

/// Whether the workflow of the item's type lets it go to a status.
///
/// Returns the warning when the tracker only warns. Errors: `workflow_transition_not_allowed` when it enforces.
pub fn check_transition(schema: &Schema, enforcement: &str, item: &Item, to: &str) -> Result<Option<String>> {
    let (kind, from) = (item.kind(), item.status());
    if !matches!(enforcement, "warn" | "strict") || schema.allows_transition(kind, from, to) {
        return Ok(None);
    }
    if enforcement == "warn" {
        return Ok(Some(format!("workflow_transition_not_allowed: {kind} {from} -> {to}")));
    }
    let allowed: Vec<&str> = schema
        .transitions
        .iter()
        .filter(|t| t.kind.eq_ignore_ascii_case(kind))
        .flat_map(|t| t.allowed.iter().filter(|(a, _)| a == from).map(|(_, b)| b.as_str()))
        .collect();
    Err(Error::new(
        Code::WorkflowTransitionNotAllowed,
        format!("the workflow of {kind} does not lead from `{from}` to `{to}`"),
    )
    .at("--status")
    .rejecting(to)
    .fact("allowed_values", allowed))
}

/// The fields that a closed item should have and this one lacks.
pub fn missing_at_close(item: &Item) -> Vec<&'static str> {
    ["resolution", "expected_result", "actual_result"].into_iter().filter(|key| is_blank(item, key)).collect()
}

/// The records of a tracker, with those in front that a transaction under way has changed or made.
#[derive(Clone, Copy, Debug)]
pub struct Latest<'a> {
    stored: &'a Records,
    changed: Option<&'a Records>,
}

impl<'a> Latest<'a> {
    /// What is stored, and what stands for it meanwhile.
    pub fn new(stored: &'a Records, changed: &'a Records) -> Latest<'a> {
        Latest { stored, changed: (!changed.is_empty()).then_some(changed) }
    }

    /// Only what is stored.
    pub fn stored(stored: &'a Records) -> Latest<'a> {
        Latest { stored, changed: None }
    }

    fn find(&self, id: &str) -> Option<Record<'a>> {
        self.changed.and_then(|changed| changed.find(id)).or_else(|| self.stored.find(id))
    }

    fn iter(&self) -> impl Iterator<Item = Record<'a>> + use<'a> {
        let changed = self.changed;
        let replaced = move |record: &Record<'_>| changed.is_some_and(|c| c.find(record.id()).is_some());
        let stored = self.stored.iter().filter(move |record| !replaced(record));
        changed.into_iter().flat_map(Records::iter).chain(stored)
    }
}

/// The ids of the children of an item that are not over.
pub fn active_children<'a>(records: Latest<'a>, statuses: &Statuses, id: &str) -> Vec<&'a str> {
    let wanted = fold(id);
    records
        .iter()
        .filter(|record| record.parent().is_some_and(|parent| fold(parent) == wanted))
        .filter(|record| !statuses.is_terminal(record.status()))
        .map(Record::id)
        .collect()
}

/// An item whose last blocker is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unblocked {
    /// Its id.
    pub id: String,
    /// All that it waited for, in the order of their ids.
    pub blockers: Vec<String>,
}

/// The items in a blocked status that wait for `closed` and for nothing that is still open.
pub fn unblocked_by(records: Latest<'_>, statuses: &Statuses, closed: &str) -> Vec<Unblocked> {
    let closed = fold(closed);
    let blocks: Vec<String> = holders_back(records, &closed);
    let waits = |kind: &str| canonical_kind(kind) == Some("blocked_by");
    let mut found = Vec::new();
    for record in records.iter().filter(|record| statuses.plays(record.status(), Roles::BLOCKED)) {
        let own = fold(record.id());
        let names_it = record.blocked_by().is_some_and(|id| fold(id) == closed)
            || record.links().any(|link| waits(link.kind) && fold(link.id) == closed)
            || blocks.contains(&own);
        if !names_it {
            continue;
        }
        let mut blockers: Vec<String> =
            record.blocked_by().filter(|id| is_blocker(id)).map(fold).into_iter().collect();
        blockers.extend(record.links().filter(|link| waits(link.kind)).map(|link| fold(link.id)));
        for other in records.iter() {
            if other.links().any(|link| canonical_kind(link.kind) == Some("blocks") && fold(link.id) == own) {
                blockers.push(fold(other.id()));
            }
        }
        blockers.sort_unstable();
        blockers.dedup();
        let over =
            |id: &String| *id == closed || records.find(id).is_some_and(|r| statuses.is_terminal(r.status()));
        if blockers.iter().all(over) {
            found.push(Unblocked { id: record.id().to_owned(), blockers });
        }
    }
    found
}

/// The ids that an item says it blocks.
fn holders_back(records: Latest<'_>, id: &str) -> Vec<String> {
    let links = records.find(id).into_iter().flat_map(Record::links);
    links.filter(|link| canonical_kind(link.kind) == Some("blocks")).map(|link| fold(link.id)).collect()
}

/// `no-active-blocker` and its like say that nothing blocks.
fn is_blocker(text: &str) -> bool {
    crate::domain::values::token(text) != "no_active_blocker"
}

/// The item after its last blocker is over: open, without blockers, with a note that says so.
pub fn unblock(item: &Item, unblocked: &Unblocked, closed: &str, statuses: &Statuses) -> Item {
    let mut item = item.clone();
    set_status(&mut item, statuses.open(), statuses);
    for key in ["blocked_by", "blocked_reason"] {
        item.metadata.shift_remove(key);
    }
    let text = |row: &Value, key: &str| row.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let rows: Vec<Value> = item
        .list("dependencies")
        .iter()
        .filter(|row| canonical_kind(&text(row, "kind")) != Some("blocked_by"))
        .cloned()
        .collect();
    if rows.is_empty() {
        item.metadata.shift_remove("dependencies");
    } else {
        item.metadata.insert("dependencies".to_owned(), Value::Array(rows));
    }
    let all = unblocked.blockers.join(", ");
    let note = format!("Auto-unblocked after blocker {closed} closed; all blockers resolved ({all}).");
    set(&mut item, "unblock_note", Some(&note));
    item
}

/// Who asks for a claim.
#[derive(Clone, Copy, Debug)]
pub struct Claimant<'a> {
    /// The author: becomes the assignee.
    pub author: &'a str,
    /// Whose claim it is: the session, else the author.
    pub principal: &'a str,
}

/// How an item stands to somebody who wants it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Nobody holds it.
    Free,
    /// It is the caller's already.
    Own,
    /// Somebody else holds it: the name to show.
    Held(String),
    /// Somebody else held it and has not touched it for longer than a lease lasts.
    Expired(String),
}

/// How an item stands to a claimant; `lease` is how long a claim lasts after the last change, in milliseconds.
///
/// An assignee without a principal was assigned, not claimed: the item is held for that author.
pub fn claim_state(item: &Item, claimant: Claimant<'_>, lease: Option<i64>, now: i64) -> Claim {
    let last = item.text("updated_at").and_then(timestamp::parse);
    claim_stands((item.text("assignee"), item.text("claim_principal"), last), claimant, lease, now)
}

/// The same for an item's assignee, principal and last change, from wherever they are known.
pub fn claim_stands(
    (assignee, principal, last): (Option<&str>, Option<&str>, Option<i64>),
    claimant: Claimant<'_>,
    lease: Option<i64>,
    now: i64,
) -> Claim {
    let Some(assignee) = assignee.filter(|name| !name.trim().is_empty()) else { return Claim::Free };
    let principal = standing(assignee, principal);
    let mine = assignee == claimant.author;
    let holder = match principal {
        Some(principal) if principal == claimant.principal => return Claim::Own,
        // Assigned, or claimed without a session: it is the author's, and the first of their sessions that wants it
        // has it.
        None if mine => return Claim::Free,
        Some(principal) if mine && principal == assignee => return Claim::Free,
        // The same name in another session: only the session tells who it is.
        Some(principal) if mine => principal,
        _ => assignee,
    };
    let expired =
        principal.is_some() && lease.zip(last).is_some_and(|(lease, last)| now.saturating_sub(last) > lease);
    if expired { Claim::Expired(holder.to_owned()) } else { Claim::Held(holder.to_owned()) }
}

/// The principal of a claim, as long as the claim is the assignee's: `ann`, or `ann#session`. One of somebody else is
/// left over from before the item was given to another.
pub fn standing<'i>(assignee: &str, principal: Option<&'i str>) -> Option<&'i str> {
    principal.filter(|principal| {
        principal.strip_prefix(assignee).is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
    })
}

/// The item in the claimant's hands.
pub fn claim(item: &Item, claimant: Claimant<'_>) -> Item {
    let mut item = item.clone();
    set(&mut item, "assignee", Some(claimant.author));
    set(&mut item, "claim_principal", Some(claimant.principal));
    item
}

/// The item in nobody's hands.
pub fn release(item: &Item) -> Item {
    let mut item = item.clone();
    for key in ["assignee", "claim_principal"] {
        item.metadata.shift_remove(key);
    }
    item
}

/// What a copy does not take over from its source.
const NOT_COPIED: &[&str] = &[
    "id",
    "close_reason",
    "closed_at",
    "completed_at",
    "duplicate_of",
    "test_runs",
    "assignee",
    "claim_principal",
    "unblock_note",
];

/// A new item like this one, without id: open, unclaimed, as if made now.
pub fn copy(item: &Item, title: Option<&str>, statuses: &Statuses, author: &str, at: &str) -> Item {
    let mut item = item.clone();
    for key in NOT_COPIED {
        item.metadata.shift_remove(*key);
    }
    set(&mut item, "title", title);
    set(&mut item, "status", Some(statuses.open()));
    set(&mut item, "created_at", Some(at));
    set(&mut item, "updated_at", Some(at));
    set(&mut item, "author", Some(author));
    item
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    const AT: &str = "2026-03-01T00:00:00.000Z";

    fn item(rest: Value) -> Item {
        let mut metadata = Map::new();
        metadata.insert("id".to_owned(), Value::from("pm-a"));
        metadata.extend(rest.as_object().cloned().unwrap_or_default());
        Item { metadata, body: String::new() }
    }

    fn records(items: &[Value]) -> Records {
        let items: Vec<_> =
            items.iter().map(|i| (format!("tasks/{}.toon", i["id"]), item(i.clone()))).collect();
        Records::from_items(&items)
    }

    #[test]
    fn closing_ends_the_claim_and_the_waiting_and_keeps_the_links() {
        let before = item(
            json!({"status": "blocked", "assignee": "bo", "claim_principal": "s1", "blocked_by": "pm-b",
            "blocked_reason": "w", "dependencies": [{"id": "pm-b", "kind": "blocked_by"}]}),
        );
        let closing = Closing { reason: Some("done".to_owned()), ..Closing::default() };
        let after = close(&before, &closing, "closed", AT);
        assert_eq!(
            Value::Object(after.metadata),
            json!({"id": "pm-a", "status": "closed", "dependencies": [{"id": "pm-b", "kind": "blocked_by"}],
                "closed_at": AT, "completed_at": AT, "close_reason": "done"})
        );
    }

    #[test]
    fn a_duplicate_fills_what_is_blank() {
        let before = item(json!({"status": "open", "expected_result": "mine"}));
        let closing = Closing { duplicate_of: Some("pm-z".to_owned()), ..Closing::default() };
        let after = close(&before, &closing, "closed", AT);
        assert_eq!(after.text("resolution"), Some("Duplicate of pm-z"));
        assert_eq!(after.text("expected_result"), Some("mine"));
        assert_eq!(after.text("duplicate_of"), Some("pm-z"));
    }

    #[test]
    fn the_time_of_completion_is_kept_unless_it_is_given() {
        let before = item(json!({"status": "closed", "completed_at": "2026-01-01T00:00:00.000Z"}));
        let kept = close(&before, &Closing::default(), "closed", AT);
        assert_eq!(kept.text("completed_at"), Some("2026-01-01T00:00:00.000Z"));
        let given =
            Closing { completed_at: Some("2026-02-01T00:00:00.000Z".to_owned()), ..Closing::default() };
        assert_eq!(
            close(&before, &given, "closed", AT).text("completed_at"),
            Some("2026-02-01T00:00:00.000Z")
        );
    }

    #[test]
    fn coming_back_to_life_drops_what_the_end_wrote() {
        let statuses = Statuses::default();
        let mut again =
            item(json!({"status": "closed", "closed_at": AT, "completed_at": AT, "close_reason": "x"}));
        set_status(&mut again, "canceled", &statuses);
        assert!(again.text("closed_at").is_some());
        set_status(&mut again, "open", &statuses);
        assert_eq!(Value::Object(again.metadata), json!({"id": "pm-a", "status": "open"}));
    }

    #[test]
    fn claims_belong_to_sessions() {
        let me = Claimant { author: "ann", principal: "ann#1" };
        let lease = Some(1000);
        for (rest, now, want) in [
            (json!({}), 0, Claim::Free),
            (json!({"claim_principal": "bo"}), 0, Claim::Free),
            (json!({"assignee": "ann"}), 0, Claim::Free),
            (json!({"assignee": "bo"}), 0, Claim::Held("bo".to_owned())),
            (json!({"assignee": "ann", "claim_principal": "ann#1"}), 0, Claim::Own),
            (json!({"assignee": "ann", "claim_principal": "ann#2"}), 0, Claim::Held("ann#2".to_owned())),
            (json!({"assignee": "ann", "claim_principal": "ann"}), 0, Claim::Free),
            (json!({"assignee": "ann", "claim_principal": "bo"}), 0, Claim::Free),
            (json!({"assignee": "bo", "claim_principal": "ann#1"}), 0, Claim::Held("bo".to_owned())),
            (json!({"assignee": "bo", "claim_principal": "bo#2"}), 0, Claim::Held("bo".to_owned())),
            (json!({"assignee": "bo", "claim_principal": "bo#2"}), 2000, Claim::Expired("bo".to_owned())),
            (json!({"assignee": "bo"}), 2000, Claim::Held("bo".to_owned())),
        ] {
            let mut held = item(rest.clone());
            held.metadata.insert("updated_at".to_owned(), Value::from("1970-01-01T00:00:00.000Z"));
            assert_eq!(claim_state(&held, me, lease, now), want, "{rest}");
        }
        let taken = claim(&item(json!({"assignee": "bo"})), me);
        assert_eq!((taken.text("assignee"), taken.text("claim_principal")), (Some("ann"), Some("ann#1")));
        assert_eq!(release(&taken), item(json!({})));
    }

    #[test]
    fn the_last_blocker_frees_who_waits() {
        let all = records(&[
            json!({"id": "pm-p", "status": "open", "dependencies": [{"id": "pm-w4", "kind": "blocks"}]}),
            json!({"id": "pm-q", "status": "open"}),
            json!({"id": "pm-r", "status": "closed"}),
            json!({"id": "pm-w1", "status": "blocked", "blocked_by": "PM-P", "dependencies": [{"id": "pm-r", "kind": "depends_on"}]}),
            json!({"id": "pm-w2", "status": "blocked", "dependencies": [{"id": "pm-p", "kind": "blocked_by"}, {"id": "pm-q", "kind": "blocked_by"}]}),
            json!({"id": "pm-w3", "status": "open", "blocked_by": "pm-p"}),
            json!({"id": "pm-w4", "status": "blocked"}),
            json!({"id": "pm-w5", "status": "blocked", "blocked_by": "pm-p", "dependencies": [{"id": "pm-gone", "kind": "blocked_by"}]}),
        ]);
        let freed = unblocked_by(Latest::stored(&all), &Statuses::default(), "pm-p");
        let ids: Vec<_> = freed.iter().map(|u| (u.id.as_str(), u.blockers.join("+"))).collect();
        assert_eq!(ids, [("pm-w1", "pm-p+pm-r".to_owned()), ("pm-w4", "pm-p".to_owned())]);
        let after = unblock(
            &item(
                json!({"status": "blocked", "blocked_by": "pm-p", "dependencies": [{"id": "pm-r", "kind": "depends_on"}, {"id": "pm-x", "kind": "related"}]}),
            ),
            &freed[0],
            "pm-p",
            &Statuses::default(),
        );
        assert_eq!(
            after.text("unblock_note"),
            Some("Auto-unblocked after blocker pm-p closed; all blockers resolved (pm-p, pm-r).")
        );
        assert_eq!(
            (after.status(), after.list("dependencies").len(), after.text("blocked_by")),
            ("open", 1, None)
        );
    }

    #[test]
    fn children_count_by_their_parent_in_any_case() {
        let all = records(&[
            json!({"id": "pm-1", "status": "open", "parent": "PM-A"}),
            json!({"id": "pm-2", "status": "closed", "parent": "pm-a"}),
            json!({"id": "pm-3", "status": "open"}),
        ]);
        assert_eq!(active_children(Latest::stored(&all), &Statuses::default(), "pm-a"), ["pm-1"]);
    }

    #[test]
    fn a_copy_starts_anew() {
        let source = item(
            json!({"title": "T", "status": "closed", "assignee": "bo", "claim_principal": "s", "closed_at": AT,
            "close_reason": "x", "test_runs": [], "duplicate_of": "pm-z", "tags": ["a"]}),
        );
        let copied = copy(&source, Some("U"), &Statuses::default(), "ann", AT);
        assert_eq!(
            Value::Object(copied.metadata),
            json!({"title": "U", "status": "open", "tags": ["a"], "created_at": AT, "updated_at": AT, "author": "ann"})
        );
    }
}

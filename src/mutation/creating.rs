//! Making one item: what `create` and the shortcuts for plans, meetings, reminders and the like share.

use serde_json::{Map, Value, json};

use super::draft::{self, Draft, shell_word};
use super::receipt::Receipt;
use super::{HIERARCHY_LOCK, closing};
use crate::answer::Answer;
use crate::domain::changes::Changes;
use crate::domain::{lifecycle, links, similarity, values};
use crate::error::{Code, Error, Result};
use crate::model::field::{FIELDS, LISTS};
use crate::model::id;
use crate::model::item::Item;
use crate::model::kind::Kind;
use crate::model::records::Records;
use crate::model::timestamp;
use crate::surface::{Context, Globals};
use crate::tracker::{Tracker, Transaction, Write};

/// What a call says about making an item beside the item itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Terms<'a> {
    /// The flags that were typed, without dashes: an empty one counts where one is demanded.
    pub(crate) given: Vec<&'a str>,
    /// The id that was asked for.
    pub(crate) id: Option<&'a str>,
    /// Which fields must be given: `strict` or `progressive`.
    pub(crate) create_mode: Option<&'a str>,
    /// The short way for calendar items.
    pub(crate) schedule_preset: Option<&'a str>,
    /// A likeness to another item is no reason to refuse.
    pub(crate) allow_duplicate: bool,
}

/// A new item as a call asks for it.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    /// The item.
    pub(crate) draft: Draft,
    /// The rest.
    pub(crate) terms: Terms<'a>,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Created {
    pub(crate) receipt: Receipt,
    /// Where the parent comes from.
    pub(crate) parent_source: Option<&'static str>,
    /// Items with much the same title.
    pub(crate) similar: Vec<Value>,
}

/// Creates the item within a transaction; nothing is on disk before that is committed.
///
/// Errors: `missing_required_option`, `invalid_argument_value`, `close_reason_required`, `likely_duplicate`, those of
/// links and of the store.
pub(crate) fn create(
    context: &Context,
    transaction: &mut Transaction<'_>,
    request: Request<'_>,
    write: &Write<'_>,
) -> Result<Created> {
    let tracker = context.tracker()?;
    let Request { mut draft, terms } = request;
    let kind = kind_of(tracker, &draft)?;
    require(&terms, &draft, kind, write, tracker)?;
    check_options(&draft.changes, kind)?;
    let parent_source = parent(&mut draft, tracker)?;
    let now = context.clock.now();
    // What it points at must not close or move away while it is made.
    let records = match draft.changes.may_link() {
        true => {
            transaction.lock(HIERARCHY_LOCK)?;
            Some(tracker.reload()?)
        }
        false => None,
    };
    let item = build(&terms, &mut draft, kind, now, records.as_ref(), context)?;
    let mut warnings = std::mem::take(&mut draft.warnings);
    let similar = similar(&terms, &item, tracker, &mut warnings)?;
    if let Some(records) = &records {
        links::check_orders(records, None, &item)?;
        links::check_age(records, &item, item.list("dependencies"), now)?;
    }
    let mut receipt = Receipt::of(transaction.create(item, write)?);
    let id = receipt.written.id.clone();
    receipt.counts_time = true;
    receipt.warnings = warnings;
    if let Some(created) = &receipt.written.after {
        receipt.warnings.extend(unscheduled(created));
        receipt.next = next_transition(&id, created, tracker);
    }
    Ok(Created { receipt, parent_source, similar })
}

impl Created {
    /// The answer that the options of the call ask for.
    pub(crate) fn answer<'a>(self, globals: &Globals) -> Answer<'a> {
        let Created { receipt, parent_source, similar } = self;
        let mut answer = receipt.answer(globals);
        if globals.full_changed_fields || globals.no_changed_fields {
            if let Some(source) = parent_source {
                answer = answer.value("parent_source", source);
            }
            if !similar.is_empty() {
                answer = answer.value("similarity_advisory", similar);
            }
        }
        answer
    }
}

fn kind_of<'t>(tracker: &'t Tracker, draft: &Draft) -> Result<&'t Kind> {
    let chosen = tracker.settings().governance_word("create_default_type");
    let default = if chosen.is_empty() { "Task" } else { &chosen };
    draft::kind(tracker, "--type", draft.kind.as_deref().unwrap_or(default))
}

/// What must be given: a title always, more in strict mode and by what the type and the tracker declare.
///
/// Errors: `missing_required_option` with everything that is missing, sorted.
fn require(
    terms: &Terms<'_>,
    draft: &Draft,
    kind: &Kind,
    write: &Write<'_>,
    tracker: &Tracker,
) -> Result<()> {
    let changes = &draft.changes;
    let in_draft = |key: &str| match key {
        "body" => changes.body.is_some(),
        "status" => changes.status.is_some(),
        "type_options" => !changes.type_options.is_empty(),
        _ => changes.set.contains_key(key) || changes.lists.iter().any(|(list, _)| *list == key),
    };
    let has = |key: &str, flag: &str| in_draft(key) || terms.given.contains(&flag);
    let mut missing: Vec<String> = Vec::new();
    if !has("title", "title") {
        missing.push("--title".to_owned());
    }
    if mode(terms, tracker)? == "strict" {
        let fields =
            FIELDS.iter().filter(|f| f.strict && !has(f.key, f.flag)).map(|f| format!("--{}", f.flag));
        let lists = LISTS.iter().filter(|l| l.strict && !has(l.key, l.flag)).map(|l| format!("--{}", l.flag));
        missing.extend(fields.chain(lists));
        for (flag, absent) in
            [("--message", write.message.is_none()), ("--author", write.actor.source == "unknown")]
        {
            missing.extend(absent.then(|| flag.to_owned()));
        }
    }
    let wanted = kind.required_create_fields.iter().chain(&kind.required_create_repeatables);
    let demanded =
        kind.policies.iter().filter(|p| p.command == "create" && p.required == Some(true)).map(|p| &p.option);
    for name in wanted.chain(demanded) {
        let known = crate::model::field::find(name).map(|f| (f.key, f.flag));
        let known = known.or_else(|| crate::model::field::find_list(name).map(|l| (l.key, l.flag)));
        let (key, flag) = known.unwrap_or((name, name));
        if !has(key, flag) {
            missing.push(format!("--{}", flag.replace('_', "-")));
        }
    }
    for field in tracker.schema().fields.iter().filter(|f| f.required || f.required_on_create) {
        let applies = field.required_types.is_empty()
            || field.required_types.iter().any(|t| t.eq_ignore_ascii_case(&kind.name));
        if applies && !in_draft(&field.metadata_key) {
            missing.push(format!("--{}", field.flag));
        }
    }
    for option in kind
        .options
        .iter()
        .filter(|option| option.required && !changes.type_options.contains_key(&option.key))
    {
        missing.push(format!("--type-option {}=<value>", option.key));
    }
    missing.sort_unstable();
    missing.dedup();
    match missing.as_slice() {
        [] => Ok(()),
        [first, ..] => Err(Error::new(
            Code::MissingRequiredOption,
            format!("a new {} needs {}", kind.name, missing.join(", ")),
        )
        .at(first.as_str())
        .fact("missing", missing.clone())
        .hint("pm create \"the title\" --create-mode progressive")),
    }
}

fn mode(terms: &Terms<'_>, tracker: &Tracker) -> Result<&'static str> {
    let modes = ["strict", "progressive"];
    let chosen = tracker.settings().governance_word("create_mode_default");
    let word = terms.create_mode.unwrap_or(&chosen).trim().to_ascii_lowercase();
    if let Some(preset) = terms.schedule_preset {
        if !preset.trim().eq_ignore_ascii_case("lightweight") {
            return Err(values::refusal(
                "--schedule-preset",
                preset,
                "the only preset is lightweight",
                &["lightweight"],
            ));
        }
        return Ok("progressive");
    }
    match modes.iter().find(|mode| **mode == word) {
        Some(mode) => Ok(mode),
        None if terms.create_mode.is_none() => Ok("progressive"),
        None => Err(values::refusal("--create-mode", &word, "give strict or progressive", &modes)),
    }
}

/// The options of the type must be among those it declares, when it declares any.
fn check_options(changes: &Changes, kind: &Kind) -> Result<()> {
    for (key, value) in &changes.type_options {
        let Some(option) = kind.options.iter().find(|o| o.key == *key || o.aliases.contains(key)) else {
            if kind.options.is_empty() {
                continue;
            }
            let known: Vec<&str> = kind.options.iter().map(|o| o.key.as_str()).collect();
            return Err(values::refusal(
                "--type-option",
                key,
                format!("{} has no such option", kind.name),
                &known,
            ));
        };
        let text = value.as_str().unwrap_or_default();
        if !option.values.is_empty() && !option.values.iter().any(|legal| legal == text) {
            let known: Vec<&str> = option.values.iter().map(String::as_str).collect();
            let problem = format!("`{}` of {} is {}", option.key, kind.name, known.join(", "));
            return Err(values::refusal("--type-option", text, problem, &known));
        }
    }
    Ok(())
}

/// Where the parent comes from; the focused item is the parent of a new one that names none.
fn parent(draft: &mut Draft, tracker: &Tracker) -> Result<Option<&'static str>> {
    if draft.changes.set.contains_key("parent") {
        return Ok(Some("explicit"));
    }
    if draft.orphan || draft.changes.unset.iter().any(|key| key == "parent") {
        return Ok(None);
    }
    let Some(focused) = tracker.focused()? else { return Ok(None) };
    if tracker.item(&focused).is_err() {
        draft.warnings.push(format!("focused_item_missing:{focused}"));
        return Ok(None);
    }
    draft.changes.set.insert("parent".to_owned(), Value::from(focused));
    Ok(Some("focus"))
}

/// The new item, as far as it can be known before it has an id.
fn build(
    terms: &Terms<'_>,
    draft: &mut Draft,
    kind: &Kind,
    now: i64,
    records: Option<&Records>,
    context: &Context,
) -> Result<Item> {
    let tracker = context.tracker()?;
    let statuses = &tracker.schema().statuses;
    let at = timestamp::format(now);
    let explicit = draft.changes.status.take();
    let default =
        kind.default_status.as_deref().and_then(|s| statuses.resolve(s)).map_or(statuses.open(), |s| &s.id);
    let over = |id: &String| Some(statuses.is_terminal(records?.find(id)?.status()));
    let waits = |id: &String| over(id) != Some(true);
    let status = match &explicit {
        Some(status) => status.as_str(),
        None if draft.blockers.iter().any(waits) => statuses.blocked(),
        None => default,
    };
    let mut metadata = Map::new();
    metadata.insert("id".to_owned(), Value::from(explicit_id(terms, draft, tracker)?));
    for key in ["title", "description"] {
        metadata
            .insert(key.to_owned(), draft.changes.set.shift_remove(key).unwrap_or_else(|| Value::from("")));
    }
    metadata.insert("type".to_owned(), Value::from(kind.name.as_str()));
    metadata.insert("status".to_owned(), Value::from(status));
    metadata.insert(
        "priority".to_owned(),
        draft.changes.set.shift_remove("priority").unwrap_or_else(|| Value::from(2)),
    );
    metadata.insert("tags".to_owned(), draft.changes.set.shift_remove("tags").unwrap_or_else(|| json!([])));
    for key in ["created_at", "updated_at"] {
        metadata.insert(key.to_owned(), Value::from(at.as_str()));
    }
    let author = draft.document.get("author").and_then(Value::as_str).unwrap_or(&context.actor()?.author);
    metadata.insert("author".to_owned(), Value::from(author));
    let base = Item { metadata, body: String::new() };
    draft.changes.set.shift_remove("type");
    let item = draft.changes.apply(&base, statuses, &at)?;
    if !statuses.is_terminal(status) {
        let early = ["completed_at", "close_reason"].into_iter().find(|key| item.metadata.contains_key(*key));
        return match early {
            None => Ok(item),
            Some(key) => {
                let flag = format!("--{}", key.replace('_', "-"));
                let text = item.text(key).unwrap_or_default();
                Err(values::refusal(&flag, text, format!("an item in status `{status}` is not over"), &[]))
            }
        };
    }
    let said = item.text("close_reason").map(str::to_owned);
    let resolution = item.text("resolution").map(str::to_owned);
    let closing = lifecycle::Closing { resolution, ..lifecycle::Closing::default() };
    let reason = closing::reason(tracker, "", said.as_deref(), &closing, None)?;
    let ended = lifecycle::Closing { reason, ..lifecycle::Closing::default() };
    let assignee = item.metadata.get("assignee").cloned();
    let mut after = lifecycle::close(&item, &ended, status, &at);
    // Who did it is a part of what is recorded; nobody holds it.
    if let Some(assignee) = assignee {
        after.metadata.insert("assignee".to_owned(), assignee);
    }
    Ok(after)
}

fn explicit_id(terms: &Terms<'_>, draft: &Draft, tracker: &Tracker) -> Result<String> {
    let document = draft.document.get("id").and_then(Value::as_str);
    let Some(typed) = terms.id.or(document) else { return Ok(String::new()) };
    id::explicit(typed, &tracker.settings().id_prefix())
        .map_err(|problem| values::refusal("--id", typed, problem, &[]))
}

/// Items with much the same title, when the tracker looks for them.
///
/// Errors: `likely_duplicate` in strict mode.
fn similar(
    terms: &Terms<'_>,
    item: &Item,
    tracker: &Tracker,
    warnings: &mut Vec<String>,
) -> Result<Vec<Value>> {
    let settings = tracker.settings();
    let mode = settings.governance_word("duplicate_detection_mode");
    if terms.allow_duplicate || !matches!(mode.as_str(), "advisory" | "strict") {
        return Ok(Vec::new());
    }
    let threshold = settings.governance("duplicate_detection_threshold").as_f64().unwrap_or(0.8);
    let limit = settings.governance("duplicate_detection_limit").as_u64().unwrap_or(3).clamp(1, 20);
    let limit = usize::try_from(limit).unwrap_or(3);
    let found = similarity::nearest(tracker.records()?, item.title(), threshold, limit);
    let rows: Vec<Value> = found
        .iter()
        .map(|(record, score, reason)| {
            json!({"id": record.id(), "title": record.title(), "status": record.status(),
                "score": (score * 100.0).round() / 100.0, "reason": reason.as_str()})
        })
        .collect();
    match found.first() {
        Some((record, ..)) if mode == "strict" => Err(Error::new(
            Code::LikelyDuplicate,
            format!("it looks like `{}` \"{}\"", record.id(), record.title()),
        )
        .at("--title")
        .rejecting(item.title())
        .fact("similar", rows)
        .hint(format!("pm get {}", record.id()))
        .hint(format!("pm create {} --allow-duplicate", shell_word(item.title())))),
        Some((record, ..)) => {
            warnings.push(format!("similar_item:{}", record.id()));
            Ok(rows)
        }
        None => Ok(rows),
    }
}

/// A calendar item without any time never shows up in a calendar.
fn unscheduled(item: &Item) -> Option<String> {
    let dated = ["deadline", "reminders", "events"].iter().any(|key| item.metadata.contains_key(*key));
    let calendar = matches!(item.kind(), "Milestone" | "Meeting" | "Event" | "Reminder");
    (calendar && !dated)
        .then(|| format!("calendar_item_without_schedule:{}:no_deadline_or_reminder_or_event", item.id()))
}

fn next_transition(id: &str, item: &Item, tracker: &Tracker) -> Option<Value> {
    let statuses = &tracker.schema().statuses;
    let startable = !statuses.is_terminal(item.status()) && item.status() != statuses.in_progress();
    startable.then(|| json!({"command": format!("pm start-task {id}"), "to_status": statuses.in_progress()}))
}

//! Several changes in one transaction, given as JSON: rows `{op, id?, ref?, options?, reason?}`.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::closing::{self, Request as Close, Validation};
use super::creating::{self, Request, Terms};
use super::draft::{self, Options};
use super::flags::{Flags, OnCreate, OnUpdate, Target};
use super::receipt::Receipt;
use super::{HIERARCHY_LOCK, claiming, then, updating};
use crate::domain::changes::Changes;
use crate::domain::lifecycle::Closing;
use crate::domain::{custom, links};
use crate::error::{Code, Error, Result};
use crate::model::field::{FIELDS, Form, LISTS};
use crate::model::item::Item;
use crate::model::records::Records;
use crate::nearest;
use crate::surface::Context;
use crate::tracker::{Tracker, Transaction, Write};

/// What a row does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Create,
    Update,
    Close,
    Release,
}

const OPS: [(&str, Op); 4] =
    [("create", Op::Create), ("update", Op::Update), ("close", Op::Close), ("release", Op::Release)];

/// One change.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    number: usize,
    op: Op,
    id: Option<String>,
    reference: Option<String>,
    options: Map<String, Value>,
    reason: Option<String>,
    if_hash: Option<String>,
    if_updated_at: Option<String>,
}

impl Row {
    fn name(&self) -> String {
        format!("mutations[{}]", self.number)
    }

    fn wrong(&self, problem: &str) -> Error {
        Error::new(Code::StdinJsonInvalid, format!("{}: {problem}", self.name())).at(self.name())
    }

    /// Says of an error which row it is about.
    fn said(&self, mut error: Error) -> Error {
        let name = format!("{}: ", self.name());
        if !error.message.starts_with(&name) {
            error.message.insert_str(0, &name);
        }
        error.fact("mutation", self.number)
    }
}

/// Reads the rows of a batch.
///
/// Errors: `stdin_json_invalid`, `stdin_json_unknown_key`.
pub(crate) fn rows(mutations: &Value) -> Result<Vec<Row>> {
    let wrong = |problem: &str| Error::new(Code::StdinJsonInvalid, problem).at("mutations");
    let list = mutations.as_array().ok_or_else(|| wrong("`mutations` is no list"))?;
    if list.is_empty() {
        return Err(wrong("`mutations` is empty"));
    }
    let rows: Vec<Row> =
        list.iter().enumerate().map(|(number, value)| row(number, value)).collect::<Result<_>>()?;
    let mut seen: Vec<&str> = Vec::new();
    for row in &rows {
        let Some(name) = row.reference.as_deref() else { continue };
        if seen.contains(&name) {
            return Err(row.wrong(&format!("another row has the ref `{name}`")));
        }
        seen.push(name);
    }
    Ok(rows)
}

fn row(number: usize, value: &Value) -> Result<Row> {
    const KEYS: [&str; 7] = ["op", "id", "ref", "options", "reason", "ifHash", "ifUpdatedAt"];
    let mut row = Row {
        number,
        op: Op::Create,
        id: None,
        reference: None,
        options: Map::new(),
        reason: None,
        if_hash: None,
        if_updated_at: None,
    };
    let object = value.as_object().ok_or_else(|| row.wrong("it is no object"))?;
    if let Some(key) = object.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(Error::new(
            Code::StdinJsonUnknownKey,
            format!("{}: there is no key `{key}`", row.name()),
        )
        .at(row.name())
        .rejecting(key.as_str())
        .fact("allowed_values", nearest::order(key, &KEYS)));
    }
    let typed = |key: &&&str| object.get(**key).is_some_and(|value| !value.is_string() && !value.is_null());
    if let Some(key) = KEYS.iter().filter(|key| **key != "options").find(typed) {
        return Err(row.wrong(&format!("{key} is no text")));
    }
    let text = |key: &str| object.get(key).and_then(Value::as_str).map(str::to_owned);
    let op = text("op").unwrap_or_default();
    row.op = OPS.iter().find(|(name, _)| *name == op).map(|(_, op)| *op).ok_or_else(|| {
        let known: Vec<&str> = OPS.iter().map(|(name, _)| *name).collect();
        row.wrong(&format!("op is one of {}", known.join(", ")))
            .rejecting(op.as_str())
            .fact("allowed_values", nearest::order(&op, &known))
    })?;
    row.id = text("id");
    row.reference = text("ref").map(|name| name.trim_start_matches('@').to_owned());
    row.reason = text("reason");
    row.if_hash = text("ifHash");
    row.if_updated_at = text("ifUpdatedAt");
    if let Some(options) = object.get("options") {
        row.options = options.as_object().cloned().ok_or_else(|| row.wrong("options is no object"))?;
    }
    match row.op {
        Op::Create if row.if_hash.is_some() || row.if_updated_at.is_some() => {
            Err(row.wrong("a new item has no earlier state"))
        }
        Op::Create => Ok(row),
        _ if row.reference.is_some() => Err(row.wrong("only a new item takes a ref")),
        _ if row.id.is_none() => Err(row.wrong("it names no id")),
        _ => Ok(row),
    }
}

/// The ids of the new items, by row: fixed by the name of the batch, so that the same batch names the same items.
///
/// Errors: `item_already_exists`, `lock_conflict`, ...
pub(crate) fn ids(
    tracker: &Tracker,
    transaction: &mut Transaction<'_>,
    name: &str,
    rows: &[Row],
) -> Result<BTreeMap<usize, String>> {
    let (prefix, length) = (tracker.settings().id_prefix(), tracker.settings().token_length());
    let mut ids: BTreeMap<usize, String> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.op == Op::Create) {
        let id = match &row.id {
            Some(typed) => crate::model::id::explicit(typed, &prefix)
                .map_err(|problem| row.wrong(&problem.to_string()))?,
            None => {
                let key = row.reference.clone().unwrap_or_else(|| row.number.to_string());
                let tokens = tracker.fixed_tokens(&format!("{name}\n{key}"));
                loop {
                    let token = tokens.next(length.max(6)).unwrap_or_default();
                    let id = format!("{prefix}{token}");
                    if !ids.values().any(|other| *other == id) && transaction.item(&id)?.is_none() {
                        break id;
                    }
                }
            }
        };
        tracker.promise(&id);
        ids.insert(row.number, id);
    }
    Ok(ids)
}

/// The aliases that rows give to new items.
pub(crate) fn aliases(rows: &[Row], ids: &BTreeMap<usize, String>) -> BTreeMap<String, String> {
    rows.iter().filter_map(|row| Some((row.reference.clone()?, ids.get(&row.number)?.clone()))).collect()
}

/// Options whose values name items.
const NAMING: [&str; 5] = ["parent", "blocked-by", "dep", "dep-remove", "duplicate-of"];

/// A text with the full ids in the places of `@alias`.
fn resolved(row: &Row, text: &str, aliases: &BTreeMap<String, String>) -> Result<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('@') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let end = after.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')).unwrap_or(after.len());
        let alias = &after[..end];
        match aliases.get(alias) {
            Some(id) => out.push_str(id),
            None => {
                let known: Vec<&str> = aliases.keys().map(String::as_str).collect();
                return Err(row
                    .wrong(&format!("no row has the ref `{alias}`"))
                    .rejecting(alias)
                    .fact("allowed_values", nearest::order(alias, &known)));
            }
        }
        rest = &after[end..];
    }
    out.push_str(rest);
    Ok(out)
}

/// The options of a row as flags.
struct Said<T> {
    flags: Flags<T>,
    options: Options,
    /// Values of the tracker's own fields.
    custom: Map<String, Value>,
    message: Option<String>,
    create_mode: Option<String>,
    allow_duplicate: bool,
    validate_close: Option<String>,
    duplicate_of: Option<String>,
}

/// `blockedBy` and `blocked_by` are `blocked-by`.
fn kebab(key: &str) -> String {
    let mut out = String::new();
    for c in key.chars() {
        match c {
            '_' => out.push('-'),
            c if c.is_ascii_uppercase() => out.extend(['-', c.to_ascii_lowercase()]),
            c => out.push(c),
        }
    }
    out
}

fn texts(value: &Value) -> Vec<String> {
    let scalar = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match value {
        Value::Null => Vec::new(),
        Value::Array(list) => list.iter().flat_map(texts).collect(),
        Value::Object(map) => {
            vec![
                map.iter()
                    .map(|(key, value)| format!("{key}={}", scalar(value)))
                    .collect::<Vec<_>>()
                    .join(","),
            ]
        }
        other => vec![scalar(other)],
    }
}

fn read<T: Target>(row: &Row, aliases: &BTreeMap<String, String>, tracker: &Tracker) -> Result<Said<T>> {
    let mut said = Said {
        flags: Flags::<T>::default(),
        options: Options::default(),
        custom: Map::new(),
        message: None,
        create_mode: None,
        allow_duplicate: false,
        validate_close: None,
        duplicate_of: None,
    };
    for (key, value) in &row.options {
        let name = kebab(key);
        sort_of(&name, value).map_err(|problem| row.wrong(&format!("`{key}` {problem}")))?;
        let mut words = texts(value);
        if NAMING.contains(&name.as_str()) {
            words = words.iter().map(|word| resolved(row, word, aliases)).collect::<Result<_>>()?;
        }
        option(row, (key, &name), value, words, tracker, &mut said)?;
    }
    Ok(said)
}

/// Whether an option has a value of its sort: a text is no number, a switch no text, a single value no list.
fn sort_of(name: &str, value: &Value) -> std::result::Result<(), &'static str> {
    const SWITCHES: [&str; 3] = ["allow-duplicate", "allow-missing-parent", "allow-unresolved-deps"];
    const WORDS: [&str; 4] = ["message", "create-mode", "validate-close", "duplicate-of"];
    if value.is_null() {
        return Ok(());
    }
    let field = FIELDS
        .iter()
        .find(|f| f.flag == name || f.aliases.contains(&name) || f.key.replace('_', "-") == name);
    let form = match field {
        Some(field) => field.form,
        None if SWITCHES.contains(&name) => Form::Boolean,
        None if WORDS.contains(&name) => Form::Text,
        None => return Ok(()),
    };
    let (fits, problem) = match form {
        Form::Tags | Form::Criteria | Form::Blocker => {
            let plain = |value: &Value| value.is_string() || value.is_number();
            (plain(value) || value.as_array().is_some_and(|all| all.iter().all(plain)), "is no list of words")
        }
        Form::Boolean => {
            let spelled = matches!(value.as_str(), Some("true" | "false"));
            (value.is_boolean() || spelled, "is neither true nor false")
        }
        Form::Priority | Form::Confidence | Form::Minutes | Form::Integer => {
            (value.is_number() || value.is_string(), "is no number")
        }
        _ => (value.is_string(), "is no text"),
    };
    if fits { Ok(()) } else { Err(problem) }
}

fn option<T: Target>(
    row: &Row,
    (key, name): (&str, &str),
    value: &Value,
    words: Vec<String>,
    tracker: &Tracker,
    said: &mut Said<T>,
) -> Result<()> {
    let holds = value.as_bool().unwrap_or(value.as_str() != Some("false"));
    let last = || words.last().cloned();
    let options = &mut said.options;
    match name {
        "message" => said.message = last(),
        "create-mode" => said.create_mode = last(),
        "validate-close" => said.validate_close = last(),
        "duplicate-of" => said.duplicate_of = last(),
        "allow-duplicate" => said.allow_duplicate = holds,
        "allow-missing-parent" => options.allow_missing_parent = holds,
        "allow-unresolved-deps" => options.allow_unresolved_deps = holds,
        "add-tags" => options.add_tags = words,
        "remove-tags" => options.remove_tags = words,
        "add-ac" => options.add_criteria = words,
        "remove-ac" => options.remove_criteria = words,
        "dep-remove" => options.dep_remove = words,
        "unset" => options.unset = words,
        _ => return field(row, (key, name), value, words, tracker, said),
    }
    Ok(())
}

fn field<T: Target>(
    row: &Row,
    (key, name): (&str, &str),
    value: &Value,
    words: Vec<String>,
    tracker: &Tracker,
    said: &mut Said<T>,
) -> Result<()> {
    let named = |flag: &str, aliases: &[&str], stored: &str| {
        flag == name || aliases.contains(&name) || stored.replace('_', "-") == name
    };
    if let Some(field) = FIELDS.iter().find(|f| f.on.on(T::ON) && named(f.flag, f.aliases, f.key)) {
        if !words.is_empty() {
            let whole = field.form == Form::Tags && value.is_array();
            let words = if whole { vec![json!(words).to_string()] } else { words };
            said.flags.fields.insert(field.key, words);
        }
        return Ok(());
    }
    if let Some(list) = LISTS.iter().find(|l| named(l.flag, l.aliases, l.key)) {
        said.flags.lists.insert(list.key, words);
        return Ok(());
    }
    if let Some(list) = LISTS.iter().find(|list| list.clear == name) {
        said.flags.cleared.insert(list.key);
        return Ok(());
    }
    if let Some(list) = LISTS.iter().find(|list| list.replace == Some(name)) {
        said.flags.replaced.insert(list.key);
        return Ok(());
    }
    let fields = &tracker.schema().fields;
    if let Some(declared) = fields.iter().find(|f| f.flag == name || f.key == key || f.metadata_key == key) {
        let value = custom::from_json(declared, value).map_err(|error| row.said(error))?;
        said.custom.insert(declared.metadata_key.clone(), value);
        return Ok(());
    }
    let known: Vec<&str> = FIELDS.iter().map(|f| f.flag).chain(LISTS.iter().map(|l| l.flag)).collect();
    Err(Error::new(Code::StdinJsonUnknownKey, format!("{}: there is no option `{key}`", row.name()))
        .at(row.name())
        .rejecting(key)
        .fact("nearest", nearest::words(name, &known)))
}

/// What a row did.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) receipt: Receipt,
    pub(crate) op: &'static str,
    pub(crate) reference: Option<String>,
}

/// Does all rows within a transaction, in their order.
///
/// Errors: those of each row, with its number; nothing is on disk then.
pub(crate) fn apply(
    context: &Context,
    transaction: &mut Transaction<'_>,
    name: &str,
    rows: &[Row],
) -> Result<Vec<Done>> {
    let tracker = context.tracker()?;
    transaction.lock(HIERARCHY_LOCK)?;
    let ids = ids(tracker, transaction, name, rows)?;
    let aliases = aliases(rows, &ids);
    let mut targets: Vec<String> = Vec::new();
    let mut known: BTreeMap<usize, String> = ids.clone();
    for row in rows.iter().filter(|row| row.op != Op::Create) {
        let typed = resolved(row, row.id.as_deref().unwrap_or_default(), &aliases)?;
        let id = tracker.resolve(&typed).map_err(|error| row.said(error))?;
        targets.push(id.clone());
        known.insert(row.number, id);
    }
    // In the order of ids, so that two batches do not wait for each other.
    targets.sort_unstable();
    for id in &targets {
        transaction.lock(id)?;
    }
    let mut done = Vec::new();
    for row in rows {
        let id = &known[&row.number];
        done.push(one(context, transaction, (name, row), id, &aliases).map_err(|error| row.said(error))?);
    }
    check_circles(tracker, transaction, known.values())?;
    Ok(done)
}

fn one(
    context: &Context,
    transaction: &mut Transaction<'_>,
    (name, row): (&str, &Row),
    id: &str,
    aliases: &BTreeMap<String, String>,
) -> Result<Done> {
    let tracker = context.tracker()?;
    let marker = format!("bulk-item-transaction {name} step-{} apply", row.number + 1);
    let done = |op: &'static str, receipt: Receipt| Done { receipt, op, reference: row.reference.clone() };
    match row.op {
        Op::Create => {
            let said = read::<OnCreate>(row, aliases, tracker)?;
            let given = said.flags.given().map(|(field, _)| field.flag).collect();
            let mut draft = draft::resolve(context, said.flags, &said.options, None)?;
            draft.changes.set.extend(said.custom);
            let terms = Terms {
                given,
                id: Some(id),
                create_mode: said.create_mode.as_deref(),
                allow_duplicate: said.allow_duplicate,
                ..Terms::default()
            };
            let write = then(context, "create", Some(said.message.as_deref().unwrap_or(&marker)))?;
            let created = creating::create(context, transaction, Request { draft, terms }, &write)?;
            Ok(done("create", created.receipt))
        }
        Op::Update => {
            let said = read::<OnUpdate>(row, aliases, tracker)?;
            let own = current(tracker, transaction, id)?;
            let mut draft = draft::resolve(context, said.flags, &said.options, Some(&own))?;
            draft.changes.set.extend(said.custom);
            let end = tracker.schema().statuses.close();
            if draft.changes.status.as_deref() == Some(end) && own.status() != end {
                return Err(row.wrong("an item is closed by op close, with a reason"));
            }
            let write = expecting(context, row, "update", said.message.as_deref().unwrap_or(&marker))?;
            Ok(done("update", updating::update_in(context, transaction, id, draft, &write)?))
        }
        Op::Close => {
            let said = read::<OnUpdate>(row, aliases, tracker)?;
            Ok(done("close", close(context, transaction, (row, id), said, &marker)?))
        }
        Op::Release => {
            let said = read::<OnUpdate>(row, aliases, tracker)?;
            let write = expecting(context, row, "release", said.message.as_deref().unwrap_or(&marker))?;
            let released = claiming::release(context, transaction, id, &write)?;
            Ok(done("release", Receipt::of(released.written)))
        }
    }
}

fn current(tracker: &Tracker, transaction: &mut Transaction<'_>, id: &str) -> Result<Item> {
    match transaction.item(id)? {
        Some(item) => Ok(item.clone()),
        None => tracker.item(id).map(|stored| stored.item),
    }
}

/// A write that expects the state that the row names.
fn expecting<'a>(context: &'a Context, row: &'a Row, op: &'a str, message: &'a str) -> Result<Write<'a>> {
    Ok(Write {
        if_hash: row.if_hash.as_deref(),
        if_updated_at: row.if_updated_at.as_deref(),
        ..then(context, op, Some(message))?
    })
}

fn close(
    context: &Context,
    transaction: &mut Transaction<'_>,
    (row, id): (&Row, &str),
    said: Said<OnUpdate>,
    marker: &str,
) -> Result<Receipt> {
    let tracker = context.tracker()?;
    let text = |key: &str| said.flags.text(key).map(str::to_owned);
    let mut closing = Closing {
        resolution: text("resolution"),
        expected_result: text("expected_result"),
        actual_result: text("actual_result"),
        completed_at: text("completed_at"),
        ..Closing::default()
    };
    if let Some(typed) = &said.duplicate_of {
        closing.duplicate_of = Some(closing::canonical(tracker, id, typed)?);
    }
    let reason = row.reason.clone().or_else(|| text("close_reason"));
    closing.reason = closing::reason(tracker, id, reason.as_deref(), &closing, None)
        .map_err(|error| error.at("reason"))?;
    let own = current(tracker, transaction, id)?;
    let check = expecting(context, row, "close", marker)?;
    tracker.expect(&own, &check)?;
    let validation = Validation::read(tracker, said.validate_close.as_deref())?;
    let message = said.message.as_deref().unwrap_or(marker);
    let request = Close {
        id,
        closing,
        changes: Changes::default(),
        message: Some(message),
        context: None,
        validation,
        releases: false,
    };
    closing::close(context, transaction, &request)
}

/// Two rows that each see no circle must not make one together: looks at the changed items and at all above them.
fn check_circles<'i>(
    tracker: &Tracker,
    transaction: &mut Transaction<'_>,
    ids: impl Iterator<Item = &'i String>,
) -> Result<()> {
    const MOST: usize = 10_000;
    let mut items: Vec<(String, Item)> = Vec::new();
    let mut open: Vec<String> = ids.cloned().collect();
    let changed = open.clone();
    while let Some(id) = open.pop() {
        if items.iter().any(|(_, item)| item.id() == id) || items.len() > MOST {
            continue;
        }
        let found = if changed.contains(&id) {
            transaction.item(&id)?.cloned()
        } else {
            tracker.item(&id).ok().map(|stored| stored.item)
        };
        let Some(item) = found else { continue };
        let row_ids =
            item.list("dependencies").iter().filter_map(|row| row.get("id").and_then(Value::as_str));
        open.extend(
            ["parent", "blocked_by"]
                .into_iter()
                .filter_map(|key| item.text(key))
                .chain(row_ids)
                .map(str::to_owned),
        );
        items.push((format!("{id}.toon"), item));
    }
    let records = Records::from_items(&items);
    for (_, item) in items.iter().filter(|(_, item)| changed.iter().any(|id| id == item.id())) {
        links::check_orders(&records, None, item)?;
    }
    Ok(())
}

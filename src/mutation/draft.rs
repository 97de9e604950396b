//! What a call of `create` or `update` says about an item, resolved against the tracker.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::flags::{Flags, Target};
use super::seeds::{Maker, Seed, blocker_row, full_id};
use super::waiting::{self, Waiting};
use crate::domain::changes::{Changes, ListChange, Unlink};
use crate::domain::entries;
use crate::domain::values::{self, refusal};
use crate::domain::{custom, links};
use crate::error::{Code, Error, Result};
use crate::model::field::{self, FIELDS, Field, Form, LISTS, Use};
use crate::model::id;
use crate::model::kind::Kind;
use crate::nearest;
use crate::surface::Context;
use crate::tracker::Tracker;

/// The options beside those of the table of fields.
#[derive(Debug, Default)]
pub(crate) struct Options {
    pub(crate) add_tags: Vec<String>,
    pub(crate) remove_tags: Vec<String>,
    pub(crate) add_criteria: Vec<String>,
    pub(crate) remove_criteria: Vec<String>,
    pub(crate) unset: Vec<String>,
    pub(crate) dep_remove: Vec<String>,
    pub(crate) extension_fields: Vec<String>,
    pub(crate) body_file: Option<String>,
    pub(crate) stdin_json: bool,
    pub(crate) allow_missing_parent: bool,
    pub(crate) allow_unresolved_deps: bool,
}

/// A resolved call.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) changes: Changes,
    /// The type, in its canonical spelling.
    pub(crate) kind: Option<String>,
    /// `--parent none`: no parent, not even the focused one.
    pub(crate) orphan: bool,
    /// The items that `--blocked-by` names.
    pub(crate) blockers: Vec<String>,
    /// What the document says that is no field: `id`, `author`.
    pub(crate) document: Map<String, Value>,
    pub(crate) warnings: Vec<String>,
}

/// Keys of an item document that no flag sets.
const UNSETTABLE: &[&str] =
    &["id", "author", "created_at", "updated_at", "closed_at", "source_type", "source_owner"];

struct Resolver<'a, T> {
    context: &'a Context,
    tracker: &'a Tracker,
    options: &'a Options,
    flags: Flags<T>,
    seeds: BTreeMap<&'static str, Vec<Seed>>,
    custom: Map<String, Value>,
    now: i64,
    draft: Draft,
}

/// Resolves a call. `own` is the item that it changes, none for a new one.
///
/// Errors: those of the values, `stdin_json_invalid`, `stdin_json_unknown_key`, `parent_not_found`,
/// `dependency_target_not_found`, `conflicting_arguments`, `acceptance_criteria_mutation_conflict`, ...
pub(crate) fn resolve<T: Target>(
    context: &Context,
    flags: Flags<T>,
    options: &Options,
    own: Option<&crate::model::item::Item>,
) -> Result<Draft> {
    let tracker = context.tracker()?;
    let now = context.clock.now();
    let seeds = flags
        .lists
        .iter()
        .map(|(key, texts)| (*key, texts.iter().cloned().map(Seed::Typed).collect()))
        .collect();
    let mut resolver = Resolver {
        context,
        tracker,
        options,
        flags,
        seeds,
        custom: Map::new(),
        now,
        draft: Draft::default(),
    };
    resolver.read_document()?;
    resolver.read_body()?;
    resolver.fields(own.map(crate::model::item::Item::id))?;
    resolver.declared_fields()?;
    resolver.unset()?;
    resolver.tags_and_criteria()?;
    resolver.lists(own.map(|item| item.title().to_owned()))?;
    resolver.unlink()?;
    Ok(resolver.draft)
}

fn conflict(code: Code, one: &str, other: &str) -> Error {
    Error::new(code, format!("{one} and {other} exclude each other")).at(other)
}

impl<T: Target> Resolver<'_, T> {
    fn command(&self) -> &'static str {
        if T::ON == Use::Create { "create" } else { "update" }
    }

    /// Takes over from `--stdin-json` what no flag says.
    fn read_document(&mut self) -> Result<()> {
        if !self.options.stdin_json {
            return Ok(());
        }
        let text = self.context.stdin()?;
        let invalid = |problem: String| Error::new(Code::StdinJsonInvalid, problem).at("--stdin-json");
        let document: Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
            .map_err(|error| invalid(format!("standard input is no JSON document: {error}")))?;
        let Value::Object(document) = document else {
            return Err(invalid("standard input is no JSON object".to_owned()));
        };
        for (key, value) in document {
            self.document_key(&key, value)?;
        }
        Ok(())
    }

    fn document_key(&mut self, key: &str, value: Value) -> Result<()> {
        if key == "type_options" {
            let pairs = value.as_object().ok_or_else(|| wrong_kind(key, "an object of texts"))?;
            if !self.flags.lists.contains_key("type_options") {
                let text = |v: &Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
                self.draft.changes.type_options =
                    pairs.iter().map(|(k, v)| (k.clone(), Value::from(text(v)))).collect();
            }
        } else if let Some(list) = field::find_list(key) {
            let rows = match value {
                Value::Array(rows) => rows,
                Value::Null => Vec::new(),
                one => vec![one],
            };
            let given = rows.into_iter().map(|row| match row {
                Value::String(text)
                    if !matches!(list.key, "comments" | "notes" | "learnings" | "files" | "docs") =>
                {
                    Seed::Typed(text)
                }
                other => Seed::Json(other),
            });
            self.seeds.entry(list.key).or_insert_with(|| given.collect());
        } else if let Some(field) = field::find(key) {
            if let Some(texts) = texts_of(field, &value)? {
                self.flags.fields.entry(field.key).or_insert(texts);
            }
        } else if let Some(declared) =
            self.tracker.schema().fields.iter().find(|f| f.metadata_key == key || f.key == key)
        {
            if !self.context.custom.contains_key(&declared.metadata_key) && !value.is_null() {
                self.custom.insert(declared.metadata_key.clone(), custom::from_json(declared, &value)?);
            }
        } else if UNSETTABLE.contains(&key) {
            self.draft.document.insert(key.to_owned(), value);
        } else {
            let known: Vec<&str> = FIELDS.iter().map(|f| f.key).chain(LISTS.iter().map(|l| l.key)).collect();
            return Err(Error::new(Code::StdinJsonUnknownKey, format!("an item has no field `{key}`"))
                .at("--stdin-json")
                .rejecting(key)
                .fact("nearest", nearest::words(key, &known)));
        }
        Ok(())
    }

    fn read_body(&mut self) -> Result<()> {
        let Some(path) = &self.options.body_file else { return Ok(()) };
        if self.flags.fields.contains_key("body") && !self.options.stdin_json {
            return Err(conflict(Code::BodyFileConflictsWithBody, "--body", "--body-file"));
        }
        let text = crate::store::userfile::read_text(&self.context.env.cwd, path).map_err(|problem| {
            Error::new(Code::BodyFileUnreadable, format!("the body cannot be read from `{path}`: {problem}"))
                .at("--body-file")
                .rejecting(path)
        })?;
        // A file that holds a lone dash is a file that holds a lone dash.
        self.flags.fields.remove("body");
        self.draft.changes.body = Some(text);
        Ok(())
    }

    fn fields(&mut self, own: Option<&str>) -> Result<()> {
        let given: Vec<(&'static Field, Vec<String>)> =
            self.flags.given().map(|(field, texts)| (field, texts.to_vec())).collect();
        for (field, texts) in given {
            let text = texts.last().map_or("", String::as_str);
            if T::ON == Use::Update
                && field.unset
                && field.form != Form::Tags
                && texts.iter().all(|t| t.trim().is_empty())
                && field.form != Form::Boolean
            {
                return Err(refusal(
                    &format!("--{}", field.flag),
                    text,
                    format!("to clear the field say --unset {}", field.key),
                    &[],
                )
                .hint(match own {
                    Some(id) => format!("pm update {id} --unset {}", field.key),
                    None => "pm update-many --help".to_owned(),
                }));
            }
            match field.form {
                Form::Type => self.kind(text)?,
                Form::Status => self.status(text)?,
                Form::Item => self.parent(text, own)?,
                Form::Blocker => self.blocker(field, &texts, own)?,
                _ if field.key == "body" => {
                    self.draft.changes.body = Some(super::text_or_stdin(self.context, text)?.to_owned());
                }
                _ => {
                    let value = values::field(field, &texts, self.now)?;
                    self.draft.changes.set.insert(field.key.to_owned(), value);
                }
            }
        }
        Ok(())
    }

    fn kind(&mut self, text: &str) -> Result<()> {
        let kinds = &self.tracker.schema().kinds;
        let kind = kind(self.tracker, "--type", text)?;
        let token = values::token(text);
        let spelled = |name: &str| values::token(name) == token;
        if !spelled(&kind.name) && !kind.aliases.iter().any(|alias| spelled(alias)) {
            self.draft.warnings.push(format!("type_coercion:{}:{}", text.trim(), kind.name));
        }
        debug_assert!(kinds.get(&kind.name).is_some());
        self.draft.kind = Some(kind.name.clone());
        self.draft.changes.set.insert("type".to_owned(), Value::from(kind.name.as_str()));
        Ok(())
    }

    fn status(&mut self, text: &str) -> Result<()> {
        let statuses = &self.tracker.schema().statuses;
        let Some(status) = statuses.resolve(text) else {
            let known: Vec<&str> = statuses.iter().map(|s| s.id.as_str()).collect();
            return Err(refusal("--status", text, format!("the statuses are {}", known.join(", ")), &known));
        };
        self.draft.changes.status = Some(status.id.clone());
        Ok(())
    }

    fn parent(&mut self, text: &str, own: Option<&str>) -> Result<()> {
        if text.trim().is_empty() {
            return Err(refusal("--parent", text, "it must not be empty", &[]));
        }
        if T::ON == Use::Create
            && id::PLACEHOLDERS.contains(&text.trim().to_ascii_lowercase().as_str())
            && self.tracker.resolve(text).is_err()
        {
            self.draft.orphan = true;
            return Ok(());
        }
        let parent = match self.tracker.resolve(text) {
            Ok(parent) => parent,
            Err(error) if error.code != Code::ItemNotFound => return Err(error.at("--parent")),
            Err(mut error) => {
                let lenient = self.tracker.settings().governance_word("parent_reference") == "warn";
                if !self.options.allow_missing_parent && !lenient {
                    error.code = Code::ParentNotFound;
                    error.message = format!("the parent `{text}` does not exist");
                    return Err(error.at("--parent").rejecting(text));
                }
                let parent = full_id(self.tracker, text);
                self.draft.warnings.push(format!("parent_reference_missing:{parent}"));
                parent
            }
        };
        if own.is_some_and(|own| own == parent) {
            return Err(refusal("--parent", text, "an item is not its own parent", &[])
                .hint(format!("pm update {parent} --unset parent")));
        }
        self.draft.changes.set.insert("parent".to_owned(), Value::from(parent));
        Ok(())
    }

    /// Items that it waits for are links too; the field itself names the first of them.
    fn blocker(&mut self, field: &Field, texts: &[String], own: Option<&str>) -> Result<()> {
        let allowed = self.options.allow_unresolved_deps;
        let ids = match waiting::waiting(self.tracker, texts, allowed)? {
            Waiting::Words(words) => {
                let value = values::field(field, &[words], self.now)?;
                self.draft.changes.set.insert("blocked_by".to_owned(), value);
                return Ok(());
            }
            Waiting::For(ids) => ids,
        };
        if let Some(own) = own.filter(|own| ids.iter().any(|id| id == own)) {
            return Err(refusal(waiting::FLAG, own, "an item does not block itself", &[]));
        }
        let author = &self.context.actor()?.author;
        let rows = ids.iter().map(|id| blocker_row(self.command(), id, author)).collect();
        self.draft
            .changes
            .set
            .insert("blocked_by".to_owned(), Value::from(ids.first().map_or("", String::as_str)));
        self.draft.changes.lists.push(("dependencies", ListChange { clear: false, rows }));
        self.draft.blockers = ids;
        Ok(())
    }

    /// The fields that the tracker declares itself.
    fn declared_fields(&mut self) -> Result<()> {
        for (key, texts) in &self.context.custom {
            let Some(field) = self.tracker.schema().field(key) else { continue };
            let value = custom::value(field, texts)?;
            self.draft.changes.set.insert(key.clone(), value);
        }
        self.draft.changes.set.append(&mut self.custom);
        if let Some(pair) = self.options.extension_fields.first() {
            let name = pair.split('=').next().unwrap_or(pair).trim();
            let mut error = Error::new(
                Code::ExtensionItemFieldUnknown,
                format!("no installed package declares the field `{name}`"),
            )
            .at("--field")
            .rejecting(pair);
            if let Some(field) = self.tracker.schema().fields.iter().find(|f| f.key == name) {
                error = error.hint(format!("pm {} --help | grep -- --{}", self.command(), field.flag));
            }
            return Err(error);
        }
        Ok(())
    }

    fn unset(&mut self) -> Result<()> {
        let names = self.options.unset.iter().flat_map(|text| text.split(',')).map(str::trim);
        for name in names.filter(|name| !name.is_empty()) {
            let built_in = field::find(name).filter(|field| field.unset).map(|field| field.key.to_owned());
            let declared = || {
                let fields = &self.tracker.schema().fields;
                let field = fields
                    .iter()
                    .find(|f| f.allow_unset && (f.key == name || f.metadata_key == name || f.flag == name));
                field.map(|field| field.metadata_key.clone())
            };
            let Some(key) = built_in.or_else(declared) else {
                let known: Vec<&str> = FIELDS.iter().filter(|f| f.unset).map(|f| f.key).collect();
                let mut error = refusal("--unset", name, "it is no field that can be cleared", &known);
                if let Some(list) = field::find_list(name) {
                    error = error.fact("use_instead", format!("--{}", list.clear));
                }
                return Err(error);
            };
            if self.draft.changes.set.contains_key(&key) {
                return Err(conflict(
                    Code::ConflictingArguments,
                    &format!("--{}", key.replace('_', "-")),
                    &format!("--unset {name}"),
                ));
            }
            self.draft.changes.unset.push(key);
        }
        Ok(())
    }

    fn tags_and_criteria(&mut self) -> Result<()> {
        let options = self.options;
        let changes = &mut self.draft.changes;
        changes.add_tags = values::tags(&options.add_tags);
        changes.remove_tags = values::tags(&options.remove_tags);
        for (flag, texts) in [("--add-ac", &options.add_criteria), ("--remove-ac", &options.remove_criteria)]
        {
            if texts.is_empty() {
                continue;
            }
            if changes.set.contains_key("acceptance_criteria") {
                return Err(conflict(Code::AcceptanceCriteriaMutationConflict, "--ac", flag));
            }
            if let Some(text) = texts.iter().find(|text| text.contains(';')) {
                let problem = format!("{flag} takes one criterion; a semicolon separates two");
                return Err(Error::new(Code::AcceptanceCriteriaSemicolon, problem).at(flag).rejecting(text));
            }
            if let Some(text) = texts.iter().find(|text| text.trim().is_empty()) {
                return Err(refusal(flag, text, "it must not be empty", &[]));
            }
        }
        let trimmed = |texts: &[String]| texts.iter().map(|text| text.trim().to_owned()).collect();
        changes.add_criteria = trimmed(&options.add_criteria);
        changes.remove_criteria = trimmed(&options.remove_criteria);
        Ok(())
    }

    fn lists(&mut self, own_title: Option<String>) -> Result<()> {
        let title =
            self.draft.changes.set.get("title").and_then(Value::as_str).map(str::to_owned).or(own_title);
        let mut maker = Maker {
            context: self.context,
            tracker: self.tracker,
            command: self.command(),
            now: self.now,
            title,
            allow_unresolved: self.options.allow_unresolved_deps,
            warnings: Vec::new(),
        };
        for list in LISTS {
            let seeds = self.seeds.get(list.key).map_or(&[][..], Vec::as_slice);
            let cleared = self.flags.cleared.contains(list.key);
            let replaced = self.flags.replaced.contains(list.key);
            if cleared && !seeds.is_empty() {
                return Err(conflict(
                    Code::ConflictingArguments,
                    &format!("--{}", list.flag),
                    &format!("--{}", list.clear),
                ));
            }
            if replaced && seeds.is_empty() {
                let flag = list.replace.unwrap_or_default();
                return Err(Error::new(
                    Code::MissingRequiredOption,
                    format!("--{flag} needs --{}", list.flag),
                )
                .at(format!("--{}", list.flag)));
            }
            if list.key == "type_options" {
                self.draft.changes.clear_type_options = cleared;
                if let Some(texts) = self.flags.lists.get(list.key) {
                    self.draft.changes.type_options = entries::type_options("--type-option", texts)?;
                }
                continue;
            }
            if seeds.is_empty() && !cleared {
                continue;
            }
            let rows = maker.rows(list.key, list.flag, seeds)?;
            // A calendar is set as a whole.
            let whole = T::ON == Use::Update && matches!(list.key, "reminders" | "events");
            self.draft
                .changes
                .lists
                .push((list.key, ListChange { clear: cleared || replaced || whole, rows }));
        }
        self.draft.warnings.append(&mut maker.warnings);
        Ok(())
    }

    fn unlink(&mut self) -> Result<()> {
        for text in &self.options.dep_remove {
            for typed in links::read("--dep-remove", text, self.now)? {
                let mut ids = vec![id::normalise_typed(&typed.id), full_id(self.tracker, &typed.id)];
                ids.extend(self.tracker.resolve(&typed.id).ok());
                self.draft.changes.unlink.push(Unlink { typed, ids });
            }
        }
        Ok(())
    }
}

/// The kind that a word names.
///
/// Errors: `invalid_argument_value` with all kinds, the nearest first.
pub(crate) fn kind<'t>(tracker: &'t Tracker, flag: &str, text: &str) -> Result<&'t Kind> {
    let kinds = &tracker.schema().kinds;
    kinds.resolve(text).ok_or_else(|| {
        let mut known: Vec<&str> = kinds.iter().map(|kind| kind.name.as_str()).collect();
        known.sort_unstable();
        let near = crate::nearest::order(text, &known).into_iter().next().unwrap_or("Task");
        let error =
            refusal(flag, text, format!("the types are {}", known.join(", ")), &known).fact("nearest", near);
        // A slip of the fingers is no new type.
        let aliases = kinds.iter().flat_map(|kind| kind.aliases.iter().map(String::as_str));
        let all: Vec<&str> = known.iter().copied().chain(aliases).collect();
        match crate::nearest::words(text, &all).first() {
            Some(meant) => error.hint(format!("pm list --type {}", shell_word(meant))),
            None => error.hint(format!("pm schema add-type {}", shell_word(text))),
        }
    })
}

/// A word as a shell takes it.
pub(crate) fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

fn wrong_kind(key: &str, wanted: &str) -> Error {
    Error::new(Code::StdinJsonInvalid, format!("`{key}` of the document must be {wanted}")).at("--stdin-json")
}

/// The value of a document as a flag would say it; `None` for null.
fn texts_of(field: &Field, value: &Value) -> Result<Option<Vec<String>>> {
    Ok(Some(match value {
        Value::Null => return Ok(None),
        Value::String(text) => vec![text.clone()],
        Value::Number(number) => vec![number.to_string()],
        Value::Bool(flag) => vec![flag.to_string()],
        Value::Array(list) if matches!(field.form, Form::Tags | Form::Criteria | Form::Blocker) => {
            let texts: Option<Vec<String>> = list.iter().map(|v| v.as_str().map(str::to_owned)).collect();
            let texts = texts.ok_or_else(|| wrong_kind(field.key, "a list of texts"))?;
            if field.form == Form::Tags { vec![serde_json::json!(texts).to_string()] } else { texts }
        }
        _ => return Err(wrong_kind(field.key, "a single value")),
    }))
}

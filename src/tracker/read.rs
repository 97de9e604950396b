//! Reading: find an item by what somebody typed, read it, read its history.

use serde_json::Value;

use super::{Stored, Tracker};
use crate::codec::item::{self, Format, MAX_ITEM_BYTES, Rules};
use crate::error::{Code, Error, Result};
use crate::model::records::Records;
use crate::model::{canonical, id};
use crate::store::index::{self, Reader};
use crate::store::{Source, history};

/// The setting that says what becomes of items with fields that nobody declared.
const FIELD_POLICY: &str = "schema.unknown_field_policy";

/// How many ids an error proposes.
const PROPOSED: usize = 3;

/// How much of what was typed an error repeats.
const SHOWN: usize = 60;

impl Tracker {
    pub(super) fn load(&self) -> Result<Records> {
        let (status, declared) = (self.status_rule(), self.field_rule());
        let rules = Rules { status: &status, declared: self.refuses_fields().then_some(&declared) };
        let reader = Reader { rules: &rules, key: &self.configuration.key };
        let place = index::Place::of_root(self.root());
        index::load(&self.tree, &reader, Some(&place)).map_err(|error| {
            let root = self.root().display();
            Error::new(Code::TrackerRootUnreadable, format!("`{root}` cannot be read")).because(error)
        })
    }

    /// Looks at the records without comparing every file: which items there are is right, what is said of them may
    /// be older than an edit in place. For finding and completing ids at the same cost in a tracker of any size.
    pub fn glance<T>(&self, look: impl Fn(&Records) -> T) -> Result<T> {
        if let Some(records) = self.records.get() {
            return Ok(look(records));
        }
        let (status, declared) = (self.status_rule(), self.field_rule());
        let rules = Rules { status: &status, declared: self.refuses_fields().then_some(&declared) };
        let reader = Reader { rules: &rules, key: &self.configuration.key };
        let place = index::Place::of_root(self.root());
        match index::glance(&self.tree, &reader, &place, &look) {
            Some(seen) => Ok(seen),
            None => Ok(look(self.records()?)),
        }
    }

    pub(super) fn status_rule(&self) -> impl Fn(&str) -> Option<String> + Sync + '_ {
        let statuses = &self.configuration.schema.statuses;
        move |token: &str| statuses.resolve(token).map(|status| status.id.clone())
    }

    /// Whether a field that is no built-in one is declared.
    fn field_rule(&self) -> impl Fn(&str) -> bool + Sync + '_ {
        let fields = &self.configuration.schema.fields;
        move |key: &str| fields.iter().any(|field| field.metadata_key == key)
    }

    /// Whether items with fields that nobody declared are not served.
    fn refuses_fields(&self) -> bool {
        self.settings().text(FIELD_POLICY) == "reject"
    }

    /// Finds the full id for what a user typed: any case, with or without `#` and prefix, an imported id as it
    /// stands, or a unique beginning of an id.
    ///
    /// Errors: `item_not_found` with the nearest ids, `ambiguous_item_id` with the candidates,
    /// `invalid_argument_value` for a text that can be no id, `item_file_unreadable` and the like for an item whose
    /// file is there but cannot be served.
    pub fn resolve(&self, typed: &str) -> Result<String> {
        let token = id::normalise_typed(typed);
        if !id::is_file_name(&token) {
            let shown = shorten(typed);
            return Err(
                Error::new(Code::InvalidArgumentValue, format!("`{shown}` can be no id")).rejecting(shown)
            );
        }
        let prefix = self.settings().id_prefix();
        let prefixed = if token.starts_with(&prefix) { token.clone() } else { format!("{prefix}{token}") };
        let candidates = if prefixed == token { vec![prefixed] } else { vec![prefixed, token] };
        let on_disk = |candidate: &&String| {
            self.promised.borrow().contains(candidate) || self.probe(candidate).is_some()
        };
        if let Some(found) = candidates.iter().find(on_disk) {
            return Ok(found.clone());
        }
        // An id that is or was somebody's never stands for another one that begins alike.
        let taken = |candidate: &String| self.is_file(&history::path(candidate));
        let begun = match self.glance(|records| {
            let hidden = unreadable(records, &candidates).is_some();
            if hidden { Vec::new() } else { beginning_with(&candidates, &prefix, records) }
        })? {
            begun if begun.len() == 1 && !candidates.iter().any(taken) => begun,
            _ => {
                let records = self.records()?;
                if let Some(error) = unreadable(records, &candidates) {
                    return Err(error);
                }
                let item = |candidate: &&String| taken(candidate) && *candidate != "_workspace";
                match candidates.iter().find(item) {
                    Some(gone) if records.find(gone).is_none() => return Err(self.deleted(typed, gone)),
                    _ => beginning_with(&candidates, &prefix, records),
                }
            }
        };
        match begun.as_slice() {
            [] => Err(not_found(typed, self.records()?, &candidates[0])),
            [only] => Ok(only.clone()),
            several => Err(ambiguous(typed, &several.iter().map(String::as_str).collect::<Vec<_>>())),
        }
    }

    /// The error for an item of which only the history is left; its last entry tells of the deletion.
    fn deleted(&self, typed: &str, id: &str) -> Error {
        let shown = shorten(typed);
        let error =
            Error::new(Code::ItemNotFound, format!("no item `{shown}`: `{id}` is gone, its history is not"));
        let error = error.rejecting(shown).hint(format!("pm history {id}"));
        match self.history(id).map_or(0, |entries| entries.len()) {
            0 | 1 => error,
            entries => error.hint(format!("pm restore {id} {}", entries - 1)),
        }
    }

    /// The path of an item's file: the folders of the schema first, then any other.
    pub(super) fn locate(&self, id: &str) -> Option<String> {
        if let Some(record) = self.records.get().and_then(|records| records.find(id))
            && self.is_file(record.path())
        {
            return Some(record.path().to_owned());
        }
        self.probe(id).or_else(|| {
            // A folder below another one, or a file name in other case.
            let record = self.records().ok()?.find(id)?;
            self.is_file(record.path()).then(|| record.path().to_owned())
        })
    }

    /// Looks for an item's file where it should be.
    pub(super) fn probe(&self, id: &str) -> Option<String> {
        if !id::is_file_name(id) {
            return None;
        }
        self.places(id).find(|path| self.is_file(path))
    }

    /// As [`Tracker::probe`], every file that bears the id.
    pub(super) fn probe_all(&self, id: &str) -> Vec<String> {
        if !id::is_file_name(id) {
            return Vec::new();
        }
        self.places(id).filter(|path| self.is_file(path)).collect()
    }

    fn places<'t>(&'t self, id: &'t str) -> impl Iterator<Item = String> + 't {
        self.folders().iter().flat_map(move |folder| {
            [".toon", ".md"].into_iter().map(move |extension| format!("{folder}/{id}{extension}"))
        })
    }

    fn is_file(&self, path: &str) -> bool {
        self.tree.stamp(path).ok().flatten().is_some()
    }

    /// Every folder that may hold items and is worth a look: those of the schema, then those at the top level.
    fn folders(&self) -> &[String] {
        self.folders.get_or_init(|| {
            let mut folders: Vec<String> =
                self.schema().kinds.iter().map(|kind| kind.folder.clone()).collect();
            folders.extend(self.tree.item_folders().unwrap_or_default());
            let mut seen = std::collections::HashSet::new();
            folders.retain(|folder| seen.insert(folder.clone()));
            folders
        })
    }

    /// Reads the item with this full id.
    ///
    /// Errors: `item_not_found`, `item_document_invalid`, `merge_conflict_markers_detected`,
    /// `item_file_unreadable`.
    pub fn item(&self, id: &str) -> Result<Stored> {
        let path = match self.locate(id) {
            Some(path) => path,
            None => {
                let records = self.records()?;
                match records.find(id) {
                    Some(record) => record.path().to_owned(),
                    None => {
                        let wanted = [id.to_owned()];
                        return Err(
                            unreadable(records, &wanted).unwrap_or_else(|| not_found(id, records, id))
                        );
                    }
                }
            }
        };
        self.read_item(path)
    }

    /// The title of the item with this full id, as its file has it now; none when no such file can be read.
    pub fn title(&self, id: &str) -> Option<String> {
        let item = self.read_item(self.probe(id)?).ok()?.item;
        item.metadata.get("title").and_then(Value::as_str).map(str::to_owned)
    }

    /// The error for a full id that no file has.
    pub(super) fn missing(&self, id: &str) -> Error {
        match self.records() {
            Ok(records) => {
                unreadable(records, &[id.to_owned()]).unwrap_or_else(|| not_found(id, records, id))
            }
            Err(error) => error,
        }
    }

    /// Reads the item file at a path below the root: that of a record, when two files bear one id.
    ///
    /// Errors: as [`Tracker::item`].
    pub fn read_item(&self, path: String) -> Result<Stored> {
        let bytes = self.tree.read(&path, MAX_ITEM_BYTES).map_err(|error| unreadable_file(&path, error))?;
        self.decode_item(path, &bytes)
    }

    pub(super) fn decode_item(&self, path: String, bytes: &[u8]) -> Result<Stored> {
        let format = if path.ends_with(".md") { Format::JsonMarkdown } else { Format::Toon };
        let (status, declared) = (self.status_rule(), self.field_rule());
        let rules = Rules { status: &status, declared: self.refuses_fields().then_some(&declared) };
        match item::decode(bytes, format, &rules) {
            Ok(decoded) => {
                if let Some(problem) = item::misnamed(&path, decoded.item.id()) {
                    let message = format!("`{path}`: {problem}");
                    return Err(Error::new(Code::ItemDocumentInvalid, message).at(path.as_str()));
                }
                let mut warnings = decoded.warnings;
                if self.settings().text(FIELD_POLICY) == "warn" {
                    let keys = decoded.item.metadata.keys().map(String::as_str);
                    let unknown: Vec<&str> =
                        keys.filter(|key| !canonical::is_built_in(key) && !declared(key)).collect();
                    if !unknown.is_empty() {
                        warnings.push(format!("item_unknown_schema_fields:{}", unknown.join(",")));
                    }
                }
                Ok(Stored { item: decoded.item, path, warnings })
            }
            Err(error) => {
                let mut error = Error::from(error).at(path.as_str());
                error.message = format!("`{path}`: {}", error.message);
                if error.code == Code::MergeConflictMarkers {
                    let name = path.rsplit('/').next().unwrap_or(&path);
                    let id = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
                    error =
                        error.hint(format!("pm merge status {id}")).hint(format!("pm merge resolve {id}"));
                }
                Err(error)
            }
        }
    }

    /// Reads the history stream of this full id, oldest entry first; empty when there is none. A last line that
    /// was never finished does not count.
    ///
    /// Errors: `history_merge_conflict_markers_detected`, `history_stream_unreadable`.
    pub fn history(&self, id: &str) -> Result<Vec<Value>> {
        history::read(&self.tree, id).map_err(|error| self.stream_error(id, error))
    }

    /// The last history entry of each of these operations; read from the end, so that long histories cost little.
    ///
    /// Errors: `history_stream_unreadable`.
    pub fn last_events(&self, id: &str, ops: &[&str]) -> Result<Vec<Option<Value>>> {
        history::last_of(&self.tree, id, ops).map_err(|error| self.stream_error(id, error))
    }

    /// The full id whose history is meant: that of an item, or of one that is gone but left its stream.
    ///
    /// Errors: as [`Tracker::resolve`].
    pub fn resolve_history(&self, typed: &str) -> Result<String> {
        let token = id::normalise_typed(typed);
        let prefixed = format!("{}{token}", self.settings().id_prefix());
        let streamed = |id: &&String| id::is_file_name(id) && self.is_file(&history::path(id));
        match [prefixed, token].iter().find(|id| streamed(id) && self.probe(id).is_none()) {
            Some(gone) => Ok(gone.clone()),
            None => self.resolve(typed),
        }
    }

    pub(super) fn stream_error(&self, id: &str, error: history::StreamError) -> Error {
        let path = history::path(id);
        let code = match error {
            history::StreamError::ConflictMarkers { .. } => Code::HistoryConflictMarkers,
            _ => Code::HistoryStreamUnreadable,
        };
        Error::new(code, format!("`{path}`: {error}")).at(path).because(error)
    }
}

/// So many characters behind the prefix must be typed before the beginning of an id stands for it.
const SHORTEST_BEGINNING: usize = 2;

/// The id that is one of the candidates, else those that begin with one; each once.
fn beginning_with(candidates: &[String], prefix: &str, records: &Records) -> Vec<String> {
    if let Some(record) = candidates.iter().find_map(|candidate| records.find(candidate)) {
        return vec![record.id().to_owned()];
    }
    let long = |c: &&String| {
        c.strip_prefix(prefix).unwrap_or(c).chars().count() >= SHORTEST_BEGINNING
            && !prefix.starts_with(c.as_str())
    };
    let mut begun: Vec<String> = candidates
        .iter()
        .filter(long)
        .flat_map(|c| records.with_prefix(c))
        .map(|record| record.id().to_owned())
        .collect();
    begun.sort_unstable();
    begun.dedup();
    begun
}

fn shorten(typed: &str) -> String {
    let clean: String =
        typed.chars().take(SHOWN).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if clean.len() < typed.len() { format!("{clean}…") } else { clean }
}

pub(super) fn unreadable_file(path: &str, error: crate::store::ReadError) -> Error {
    use crate::store::ReadError;
    let code = match error {
        ReadError::TooLarge { .. } => Code::ItemDocumentInvalid,
        _ => Code::ItemFileUnreadable,
    };
    Error::new(code, format!("`{path}`: {error}")).at(path).because(error)
}

/// The error for an id whose file is there but is not served.
fn unreadable(records: &Records, candidates: &[String]) -> Option<Error> {
    let stem = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.strip_suffix(".toon").or_else(|| name.strip_suffix(".md")).map(str::to_lowercase)
    };
    let found =
        records.unreadable().iter().find(|file| stem(&file.path).is_some_and(|s| candidates.contains(&s)))?;
    let code = Code::ALL
        .iter()
        .copied()
        .find(|code| code.as_str() == found.code)
        .unwrap_or(Code::ItemFileUnreadable);
    Some(Error::new(code, format!("`{}`: {}", found.path, found.problem)).at(found.path.as_str()))
}

fn not_found(typed: &str, records: &Records, wanted: &str) -> Error {
    let shown = shorten(typed);
    // What all ids begin with makes none of them near.
    let token = |id: &str| id.split_once('-').map_or(id, |(_, token)| token).to_lowercase();
    let wanted = token(wanted);
    let limit = (wanted.chars().count() / 2).clamp(1, 3);
    let mut near: Vec<(usize, &str)> = records
        .iter()
        .map(|record| (strsim::levenshtein(&token(record.id()), &wanted), record.id()))
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    near.sort_unstable();
    near.truncate(PROPOSED);
    let nearest: Vec<Value> = near.iter().map(|(_, id)| Value::from(*id)).collect();
    let error = Error::new(Code::ItemNotFound, format!("no item `{shown}`")).rejecting(shown);
    let error = near.iter().fold(error, |error, (_, id)| error.hint(format!("pm get {id}")));
    if nearest.is_empty() { error.hint("pm list") } else { error.fact("nearest", nearest) }
}

fn ambiguous(typed: &str, ids: &[&str]) -> Error {
    const LISTED: usize = 10;
    let shown = shorten(typed);
    let listed: Vec<Value> = ids.iter().take(LISTED).map(|id| Value::from(*id)).collect();
    let error = Error::new(Code::AmbiguousItemId, format!("`{shown}` stands for {} items", ids.len()));
    let error = ids.iter().take(PROPOSED).fold(error, |error, id| error.hint(format!("pm get {id}")));
    error.rejecting(shown).fact("candidates", listed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::environment::Env;
    use crate::tracker::Opening;

    const ITEM: &str = "id: ID\ntitle: T\ndescription: \"\"\ntype: Task\nstatus: open\npriority: 2\ntags: []\n\
        created_at: \"2026-01-01T00:00:00.000Z\"\nupdated_at: \"2026-01-01T00:00:00.000Z\"\nbody: \"\"\n";

    fn tracker(items: &[&str]) -> (tempfile::TempDir, Tracker) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join(".agents/pm");
        for path in items {
            let file = root.join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            let stem = file.file_stem().unwrap().to_str().unwrap();
            std::fs::write(&file, ITEM.replace("ID", stem)).unwrap();
        }
        let env = Env::new(dir.path(), []);
        let opened = Tracker::open(&Opening { pm_path: None, env: &env, clock: &Clock::System }).unwrap();
        (dir, opened)
    }

    #[test]
    fn typed_ids_resolve() {
        let (_dir, tracker) = tracker(&[
            "tasks/pm-fsbi.toon",
            "tasks/GH-7.toon",
            "odd/deep/pm-abc1.toon",
            "tasks/pm-abd2.toon",
        ]);
        for (typed, id) in [
            ("fsbi", "pm-fsbi"),
            (" FSBI", "pm-fsbi"),
            ("#pm-fsbi", "pm-fsbi"),
            ("fs", "pm-fsbi"),
            ("gh-7", "GH-7"),
            ("abc1", "pm-abc1"),
            ("pm-abd", "pm-abd2"),
        ] {
            assert_eq!(tracker.resolve(typed).unwrap(), id, "{typed}");
            assert_eq!(tracker.item(id).unwrap().item.title(), "T");
        }
    }

    #[test]
    fn what_does_not_resolve_says_why() {
        let (_dir, tracker) = tracker(&["tasks/pm-abc1.toon", "tasks/pm-abd2.toon", "tasks/pm-zzzz.toon"]);
        let several = tracker.resolve("ab").unwrap_err();
        assert_eq!(several.code, Code::AmbiguousItemId);
        assert_eq!(several.recovery["candidates"], serde_json::json!(["pm-abc1", "pm-abd2"]));
        let near = tracker.resolve("abc2").unwrap_err();
        assert_eq!((near.code, near.exit_code()), (Code::ItemNotFound, 3));
        assert_eq!(near.recovery["nearest"], serde_json::json!(["pm-abc1", "pm-abd2"]));
        for hostile in
            ["../../etc/passwd", "..", "a/b", "a\\b", "pm-abc1/../pm-abd2", "a\0b", "", &"x".repeat(5000)]
        {
            let error = tracker.resolve(hostile).unwrap_err();
            assert!(matches!(error.exit_code(), 2 | 3) && error.message.len() < 300, "{hostile:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_linked_file_is_refused_by_name() {
        let (dir, tracker) = tracker(&["tasks/pm-a.toon"]);
        let outside = dir.path().join("secret.toon");
        std::fs::write(&outside, ITEM).unwrap();
        std::os::unix::fs::symlink(&outside, dir.path().join(".agents/pm/tasks/pm-leak.toon")).unwrap();
        for error in [tracker.resolve("leak").unwrap_err(), tracker.item("pm-leak").unwrap_err()] {
            assert_eq!(error.code, Code::ItemFileUnreadable);
            assert!(error.message.contains("tasks/pm-leak.toon"), "{error}");
        }
    }
}

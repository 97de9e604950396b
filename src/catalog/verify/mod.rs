//! A catalog that was built, held to the contract without its source: what a stranger can check, in every major.

mod evidence;
mod fixed;
mod lists;
mod manifest;
mod origin;
mod records;
mod schemas;
mod state;

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde_json::Value;

use super::artifacts::STATUS;
use super::edition::{self, Edition};
use super::finding::Finding;
use super::folder::Folder;
use super::schema;
use super::settings;
use super::validator::Validator;

/// Everything wrong with a catalog, by path.
pub fn findings(folder: &Folder) -> Vec<Finding> {
    let mut found = manifest::strangers(folder);
    found.extend(fixed::findings(folder));
    for edition in folder.editions() {
        let mut look = Look::at(edition);
        manifest::check(&mut look);
        schemas::check(&mut look);
        let records = records::read(&mut look);
        lists::check(&mut look, &records);
        state::check(&mut look, &records);
        found.append(&mut look.found);
    }
    found.sort_by(|a, b| (&a.path, &a.message).cmp(&(&b.path, &b.message)));
    found.dedup();
    found
}

/// What is wrong with one record and with the entry of an index that names it, without a look at anything else.
pub(super) fn record_findings(
    edition: Edition<'_>,
    record: &Value,
    page: &str,
    entry: &Value,
) -> Vec<Finding> {
    let mut look = Look::at(edition);
    let id = text(record, "id");
    records::check(&mut look, &super::render::path(id), record, None);
    lists::check_entry(&mut look, page, entry, record);
    look.found
}

/// The records of a major by id.
type Records = BTreeMap<String, Value>;

/// A look at one major; paths are given and taken as those of the first.
struct Look<'f> {
    edition: Edition<'f>,
    found: Vec<Finding>,
    /// What stands in front of every path, once a document has named one.
    base: Option<String>,
    /// The day of the build, where the status has one.
    as_of: Option<Date>,
}

impl<'f> Look<'f> {
    fn at(edition: Edition<'f>) -> Look<'f> {
        let status = edition.json(STATUS);
        let as_of = status.and_then(|status| day(&status["as_of"]));
        Look { edition, found: Vec::new(), base: None, as_of }
    }

    fn fault(&mut self, path: &str, code: &str, message: impl Into<String>) {
        self.found.push(Finding::error(&self.edition.path(path), code, message));
    }

    fn doubt(&mut self, path: &str, code: &str, message: impl Into<String>) {
        self.found.push(Finding::warning(&self.edition.path(path), code, message));
    }

    /// A document that must be there and fit its schema.
    fn document(&mut self, path: &str, name: &str) -> Option<Value> {
        let Some(value) = self.edition.json(path) else {
            self.fault(path, "missing", "it is not there, or no JSON");
            return None;
        };
        self.fits(path, &value, name);
        Some(value)
    }

    /// Whether a document fits a schema, published or not.
    fn fits(&mut self, path: &str, value: &Value, name: &str) {
        let Some(schema) = schema::named(name).cloned().or_else(|| schema::internal(name)) else { return };
        let mut faults = Validator::new(&schema).faults(value);
        // What is published with it must let it through too.
        if let Some(published) =
            self.edition.json(&format!("/v1/schema/{name}.json")).filter(|_| faults.is_empty())
        {
            faults = Validator::new(&published).faults(value);
        }
        faults.iter().for_each(|one| self.fault(path, "schema", one.to_string()));
    }

    /// The path that a document names, without what stands in front of it: a path of this host and of this catalog, in
    /// front of which the same stands everywhere.
    fn named(&mut self, path: &str, named: &str) -> Option<String> {
        let place = named.find("/v1/").map(|at| named.split_at(at));
        let Some((base, rest)) = place.filter(|(base, _)| settings::base_path(base).as_deref() == Some(base))
        else {
            self.fault(path, "place", format!("it names `{named}`, which is no path of this host"));
            return None;
        };
        let known = self.base.get_or_insert_with(|| base.to_owned()).clone();
        if known != base {
            let message =
                format!("it names `{named}`, and other paths of this catalog stand below `{known}/`");
            self.fault(path, "place", message);
        }
        Some(rest.to_owned())
    }
}

/// A day of a document.
fn day(value: &Value) -> Option<Date> {
    value.as_str().filter(|text| text.len() == 10)?.parse().ok()
}

/// The text of a field.
fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

/// The values of a list; none where there is no list.
fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// Every path that a document names must be of its own major.
fn is_of(named: &str, major: u32) -> bool {
    named.contains(&format!("/v{major}/"))
}

/// Whether a key of a document holds a path of the catalog.
fn holds_path(key: &str) -> bool {
    edition::PATHS.contains(&key)
}

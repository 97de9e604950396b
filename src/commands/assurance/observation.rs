//! How the sources of measurements are observed. What another read surface says is asked of that surface.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::answer::{Answer, Part};
use crate::domain::assurance::{SourceKind, text_of};
use crate::domain::graph::LinkKind;
use crate::domain::mentions;
use crate::domain::rows::Rows as RowIndex;
use crate::error::Result;
use crate::model::records::{Count, Record, fold};
use crate::surface::Context;

/// Observes a tracker; each surface is asked at most once.
pub(super) struct Observation<'c> {
    context: &'c Context,
    answers: RefCell<BTreeMap<Vec<String>, Result<Value, String>>>,
}

impl<'c> Observation<'c> {
    pub(super) fn new(context: &'c Context) -> Observation<'c> {
        Observation { context, answers: RefCell::default() }
    }

    /// The number that a source gives.
    ///
    /// Errors: a sentence that says why there is none.
    pub(super) fn observe(&self, source: &Map<String, Value>) -> Result<f64, String> {
        let said = |error: crate::error::Error| error.message.clone();
        match SourceKind::of(source)? {
            SourceKind::Items => self.items(source).map_err(said),
            SourceKind::DependencyKind => self.links_of_kind(source),
            SourceKind::Links => self.linked(source),
            SourceKind::History => {
                let sizes =
                    self.context.tracker().and_then(|tracker| tracker.stream_sizes()).map_err(said)?;
                Ok(sizes.iter().map(|(_, size)| size.entries as f64).sum())
            }
            SourceKind::Graph => {
                let operation = text_of(source, "operation").unwrap_or("audit");
                let answer = self.ask(&["graph", operation], &["--include-closed"])?;
                field(&answer, source)
            }
            kind @ (SourceKind::Validate | SourceKind::Health) => self.check(kind.name(), source),
            SourceKind::ProseEdgeGap => self.prose(source).map_err(said),
            SourceKind::Provider => {
                let name = text_of(source, "provider").unwrap_or_default();
                Err(format!("the provider `{name}` is a package of the reference, which is not run"))
            }
            SourceKind::Derived => Err("an expression is derived of measurements, not observed".to_owned()),
        }
    }

    /// Asks another surface, as `pm` would; its answer as one value.
    fn ask(&self, path: &[&str], argv: &[&str]) -> Result<Value, String> {
        let call: Vec<String> = path.iter().chain(argv).map(|&word| word.to_owned()).collect();
        if let Some(known) = self.answers.borrow().get(&call) {
            return known.clone();
        }
        let answer = self.run(path, argv);
        self.answers.borrow_mut().insert(call, answer.clone());
        answer
    }

    fn run(&self, path: &[&str], argv: &[&str]) -> Result<Value, String> {
        let name = path.join(" ");
        let surface =
            self.context.catalog.find(path).ok_or_else(|| format!("no command is called `{name}`"))?;
        let parser = surface.augment(clap::Command::new("pm").no_binary_name(true));
        let mut matches = parser.try_get_matches_from(argv).map_err(|error| error.to_string())?;
        let answer = surface.run(&mut matches, self.context).map_err(|error| error.message.clone())?;
        whole(&answer).map_err(|error| error.message.clone())
    }

    fn check(&self, kind: &str, source: &Map<String, Value>) -> Result<f64, String> {
        let answer = self.ask(&[kind], &[])?;
        let name = text_of(source, "check").ok_or("the source names no `check`")?;
        let checks = answer.get("checks").and_then(Value::as_array).into_iter().flatten();
        let check = checks.into_iter().find(|check| check.get("name").and_then(Value::as_str) == Some(name));
        let check = check.ok_or_else(|| format!("`pm {kind}` has no check `{name}`"))?;
        match text_of(source, "field") {
            Some("status") => numeric(check.get("status").unwrap_or(&Value::Null), "status"),
            _ => field(check.get("details").unwrap_or(&Value::Null), source),
        }
    }

    fn items(&self, source: &Map<String, Value>) -> Result<f64> {
        let admits =
            |key: &str, value: &str| text_of(source, key).is_none_or(|w| w.eq_ignore_ascii_case(value));
        let tagged =
            |record: &Record<'_>| text_of(source, "tag").is_none_or(|tag| record.tags().any(|t| t == tag));
        let records = self.context.tracker()?.records()?.iter();
        let found = records.filter(|r| admits("status", r.status()) && admits("type", r.kind()) && tagged(r));
        Ok(found.count() as f64)
    }

    /// Rows of dependencies of a kind, as stored or under another name of it.
    fn links_of_kind(&self, source: &Map<String, Value>) -> Result<f64, String> {
        let wanted = text_of(source, "dependency_kind").ok_or("the source names no `dependency_kind`")?;
        let kind = LinkKind::resolve(wanted).map(|kind| kind.name);
        let prefix = text_of(source, "source_kind_prefix").unwrap_or_default();
        let tracker = self.context.tracker().map_err(|error| error.message.clone())?;
        let records = tracker.records().map_err(|error| error.message.clone())?;
        let links = records.iter().flat_map(|record| record.links());
        let is = |link: &crate::model::records::Link<'_>| {
            let same = link.kind == wanted
                || (kind.is_some() && LinkKind::resolve(link.kind).map(|kind| kind.name) == kind);
            same && link.source_kind.starts_with(prefix)
        };
        Ok(links.filter(is).count() as f64)
    }

    fn linked(&self, source: &Map<String, Value>) -> Result<f64, String> {
        let name = text_of(source, "link_kind").or_else(|| text_of(source, "collection")).unwrap_or("files");
        let of = [Count::Files, Count::Docs, Count::Tests].into_iter().find(|count| count.key() == name);
        let of = of.ok_or_else(|| format!("no links are called `{name}`"))?;
        let records = self.context.tracker().and_then(|tracker| tracker.records());
        let records = records.map_err(|error| error.message.clone())?;
        Ok(records.iter().map(|record| record.count(of) as f64).sum())
    }

    /// Pairs of items of which one mentions the other in its texts, and no link joins them either way.
    fn prose(&self, source: &Map<String, Value>) -> Result<f64> {
        let tracker = self.context.tracker()?;
        let records = tracker.records()?;
        let rows = RowIndex::new(records);
        let exempt = source.get("exemptions").and_then(Value::as_array).into_iter().flatten();
        let exempt: BTreeSet<&str> = exempt.filter_map(|e| e.get("holder_id")?.as_str()).collect();
        let mut joined: BTreeSet<(usize, usize)> = BTreeSet::new();
        for record in records.iter() {
            let named = record.links().map(|link| link.id).chain(record.parent()).chain(record.blocked_by());
            for other in named.filter_map(|id| rows.find(id)) {
                let (a, b) = (record.number(), other as usize);
                joined.insert((a.min(b), a.max(b)));
            }
        }
        let prefix = fold(&tracker.settings().id_prefix());
        let mut gaps = 0;
        for record in records.iter().filter(|record| !exempt.contains(record.id())) {
            let item = tracker.read_item(record.path().to_owned())?.item;
            let mut named: BTreeSet<usize> = BTreeSet::new();
            mentions::each_text(&item, &mut |field, text| {
                let structural =
                    ["metadata.id", "metadata.parent", "metadata.blocked_by", "metadata.dependencies"];
                if !structural.iter().any(|start| field.starts_with(start)) {
                    named.extend(
                        mentions::ids(text, &prefix).filter_map(|id| rows.find(&id)).map(|row| row as usize),
                    );
                }
            });
            let own = record.number();
            let gap =
                |other: &&usize| **other != own && !joined.contains(&(own.min(**other), own.max(**other)));
            gaps += named.iter().filter(gap).count();
        }
        Ok(gaps as f64)
    }
}

/// An answer as one value, every row made.
fn whole(answer: &Answer<'_>) -> Result<Value> {
    let mut object = Map::new();
    for (key, part) in &answer.parts {
        let value = match part {
            Part::Value(value) | Part::Record(value) | Part::Echo(value) => value.clone(),
            Part::Rows(rows) => (0..rows.len()).map(|n| rows.get(n)).collect::<Result<Vec<_>>>()?.into(),
            Part::Group(group) => whole(group)?,
        };
        object.insert(key.clone(), value);
    }
    Ok(Value::Object(object))
}

/// The number at the dotted path that a source names.
fn field(answer: &Value, source: &Map<String, Value>) -> Result<f64, String> {
    let path = text_of(source, "field").ok_or("the source names no `field`")?;
    let found = path.split('.').try_fold(answer, |value, step| value.get(step));
    match found {
        Some(value) => numeric(value, path),
        None => Err(format!("there is no `{path}`")),
    }
}

/// A number; a list by its length, a verdict by its weight.
fn numeric(value: &Value, path: &str) -> Result<f64, String> {
    match value {
        Value::Number(number) => number.as_f64().ok_or_else(|| format!("`{path}` is too large")),
        Value::Bool(is) => Ok(f64::from(u8::from(*is))),
        Value::Array(list) => Ok(list.len() as f64),
        Value::String(text) => match text.as_str() {
            "ok" => Ok(0.0),
            "warn" => Ok(1.0),
            "error" => Ok(2.0),
            _ => Err(format!("`{path}` is no number")),
        },
        _ => Err(format!("`{path}` is no number")),
    }
}

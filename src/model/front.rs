//! The front of an item: what lists, filters and the index need of it, without its long parts.

use std::borrow::Cow;
use std::cell::OnceCell;

use serde_json::{Number, Value};

use super::canonical::{FIELD_ORDER, rank};
use super::collation;
use super::item::Item;
use super::text::{is_space, trim};

/// The front of a canonical item. Texts are borrowed where the source holds them as they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Front<'a> {
    /// The fields that are no collections, by [`rank`].
    scalars: Vec<Scalar<'a>>,
    /// How many entries the list of a field has, by [`rank`].
    counts: Vec<usize>,
    tags: Vec<Cow<'a, str>>,
    links: Vec<FrontLink<'a>>,
    custom: Vec<(Cow<'a, str>, Cow<'a, Value>)>,
    has_body: bool,
    has_test_command: bool,
}

/// A dependency.
#[derive(Clone, Debug, PartialEq)]
pub struct FrontLink<'a> {
    /// The target's id.
    pub id: Cow<'a, str>,
    /// The kind, as stored; empty when it is no text.
    pub kind: Cow<'a, str>,
    /// What made it: `cli:create:dep`, ...; empty when the item does not say.
    pub source_kind: Cow<'a, str>,
}

/// A field that is no collection.
#[derive(Clone, Debug, Default)]
pub(crate) enum Scalar<'a> {
    /// There is none, it is a collection, or null or a boolean, which nobody asks for.
    #[default]
    None,
    Number(Number),
    Text(Cow<'a, str>),
    /// A text with escapes, resolved when somebody asks: most of what is long is only asked whether it is blank.
    Escaped(Escaped<'a>),
}

/// A text with the escapes `\n \r \t \" \\` and no others.
#[derive(Clone, Debug)]
pub(crate) struct Escaped<'a> {
    raw: &'a str,
    resolved: OnceCell<String>,
}

impl<'a> Escaped<'a> {
    /// The caller has seen that there are no other escapes.
    pub(crate) fn new(raw: &'a str) -> Escaped<'a> {
        Escaped { raw, resolved: OnceCell::new() }
    }

    pub(crate) fn resolve(&self) -> &str {
        self.resolved.get_or_init(|| {
            let mut out = String::with_capacity(self.raw.len());
            let mut rest = self.raw;
            while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
                out.push_str(&rest[..at]);
                out.push(match rest.as_bytes().get(at + 1) {
                    Some(b'n') => '\n',
                    Some(b'r') => '\r',
                    Some(b't') => '\t',
                    Some(b'"') => '"',
                    _ => '\\',
                });
                rest = rest.get(at + 2..).unwrap_or_default();
            }
            out.push_str(rest);
            out
        })
    }

    pub(crate) fn is_blank(&self) -> bool {
        let mut chars = self.raw.chars();
        while let Some(c) = chars.next() {
            if !(is_space(c) || c == '\\' && matches!(chars.next(), Some('n' | 'r' | 't'))) {
                return false;
            }
        }
        true
    }
}

impl Scalar<'_> {
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Scalar::Text(text) => Some(text),
            Scalar::Escaped(text) => Some(text.resolve()),
            Scalar::None | Scalar::Number(_) => None,
        }
    }
}

impl PartialEq for Scalar<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Scalar::None, Scalar::None) => true,
            (Scalar::Number(a), Scalar::Number(b)) => a == b,
            (a, b) => a.text().is_some() && a.text() == b.text(),
        }
    }
}

/// What one field contributes.
#[derive(Debug)]
pub(crate) enum Part<'a> {
    Scalar(Scalar<'a>),
    Tags(Vec<Cow<'a, str>>),
    Links(Vec<FrontLink<'a>>),
    Tests { count: usize, has_command: bool },
    Count(usize),
    Custom(Cow<'a, Value>),
}

impl<'a> Part<'a> {
    /// Of a field in its canonical form.
    pub(crate) fn of(key: &str, rank: usize, value: &'a Value) -> Part<'a> {
        if rank >= FIELD_ORDER.len() {
            return Part::Custom(Cow::Borrowed(value));
        }
        let list = value.as_array().map_or(&[][..], Vec::as_slice);
        let member =
            |entry: &'a Value, key| Cow::Borrowed(entry.get(key).and_then(Value::as_str).unwrap_or_default());
        match (key, value) {
            ("tags", _) => Part::Tags(list.iter().filter_map(Value::as_str).map(Cow::Borrowed).collect()),
            ("dependencies", _) => {
                let link = |entry| FrontLink {
                    id: member(entry, "id"),
                    kind: member(entry, "kind"),
                    source_kind: member(entry, "source_kind"),
                };
                Part::Links(list.iter().map(link).collect())
            }
            ("tests", _) => {
                let has_command = list.iter().any(|entry| !member(entry, "command").is_empty());
                Part::Tests { count: list.len(), has_command }
            }
            (_, Value::Array(_)) => Part::Count(list.len()),
            (_, Value::String(text)) => Part::Scalar(Scalar::Text(Cow::Borrowed(text))),
            (_, Value::Number(number)) => Part::Scalar(Scalar::Number(number.clone())),
            _ => Part::Scalar(Scalar::None),
        }
    }

    pub(crate) fn into_owned(self) -> Part<'static> {
        fn own(text: Cow<'_, str>) -> Cow<'static, str> {
            Cow::Owned(text.into_owned())
        }
        match self {
            Part::Scalar(Scalar::None) => Part::Scalar(Scalar::None),
            Part::Scalar(Scalar::Number(number)) => Part::Scalar(Scalar::Number(number)),
            Part::Scalar(Scalar::Text(text)) => Part::Scalar(Scalar::Text(own(text))),
            Part::Scalar(Scalar::Escaped(text)) => {
                Part::Scalar(Scalar::Text(Cow::Owned(text.resolve().to_owned())))
            }
            Part::Tags(tags) => Part::Tags(tags.into_iter().map(own).collect()),
            Part::Links(links) => Part::Links(
                links
                    .into_iter()
                    .map(|l| FrontLink { id: own(l.id), kind: own(l.kind), source_kind: own(l.source_kind) })
                    .collect(),
            ),
            Part::Tests { count, has_command } => Part::Tests { count, has_command },
            Part::Count(count) => Part::Count(count),
            Part::Custom(value) => Part::Custom(Cow::Owned(value.into_owned())),
        }
    }
}

impl<'a> Front<'a> {
    pub(crate) fn empty() -> Front<'a> {
        Front {
            scalars: vec![Scalar::None; FIELD_ORDER.len()],
            counts: vec![0; FIELD_ORDER.len()],
            tags: Vec::new(),
            links: Vec::new(),
            custom: Vec::new(),
            has_body: false,
            has_test_command: false,
        }
    }

    /// The front of a canonical item.
    pub fn from_item(item: &'a Item) -> Front<'a> {
        let mut front = Front::empty();
        for (key, value) in &item.metadata {
            let rank = rank(key);
            front.put(key, rank, Part::of(key, rank, value));
        }
        front.set_body(!trim(&item.body).is_empty());
        front
    }

    pub(crate) fn put(&mut self, key: &'a str, rank: usize, part: Part<'a>) {
        match part {
            Part::Scalar(scalar) => self.scalars[rank] = scalar,
            Part::Tags(tags) => self.tags = tags,
            Part::Links(links) => {
                self.counts[rank] = links.len();
                self.links = links;
            }
            Part::Tests { count, has_command } => {
                self.counts[rank] = count;
                self.has_test_command = has_command;
            }
            Part::Count(count) => self.counts[rank] = count,
            Part::Custom(value) => self.custom.push((Cow::Borrowed(key), value)),
        }
    }

    pub(crate) fn set_body(&mut self, has_body: bool) {
        self.has_body = has_body;
    }

    /// Puts the custom fields in order.
    pub(crate) fn finished(mut self) -> Front<'a> {
        self.custom.sort_by(|a, b| collation::compare(&a.0, &b.0));
        self
    }

    /// A text field; `None` when it is absent or no text.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.scalars.get(rank(key)).and_then(Scalar::text)
    }

    /// Whether a field is a number, or a text that is more than white space; cheaper than to look at [`Front::text`].
    pub fn has(&self, key: &str) -> bool {
        match self.scalars.get(rank(key)) {
            None | Some(Scalar::None) => false,
            Some(Scalar::Number(_)) => true,
            Some(Scalar::Text(text)) => !trim(text).is_empty(),
            Some(Scalar::Escaped(text)) => !text.is_blank(),
        }
    }

    /// A numeric field.
    pub fn number(&self, key: &str) -> Option<&Number> {
        match self.scalars.get(rank(key)) {
            Some(Scalar::Number(number)) => Some(number),
            _ => None,
        }
    }

    /// How many entries the list of a built-in field has; tags excepted, see [`Front::tags`].
    pub fn count(&self, key: &str) -> usize {
        self.counts.get(rank(key)).copied().unwrap_or(0)
    }

    /// The tags, in canonical order.
    pub fn tags(&self) -> &[Cow<'a, str>] {
        &self.tags
    }

    /// The dependencies, in canonical order.
    pub fn links(&self) -> &[FrontLink<'a>] {
        &self.links
    }

    /// The fields that are not built in, in canonical order.
    pub fn custom(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.custom.iter().map(|(key, value)| (key.as_ref(), value.as_ref()))
    }

    /// Whether the body holds more than white space.
    pub fn has_body(&self) -> bool {
        self.has_body
    }

    /// Whether some linked test has a command.
    pub fn has_test_command(&self) -> bool {
        self.has_test_command
    }
}

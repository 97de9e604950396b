//! One top-level field of an item file.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::row::{Token, tokens};
use crate::codec::item::{Rules, body_text};
use crate::codec::toon;
use crate::model::canonical::{self, FIELD_ORDER, Rule};
use crate::model::collation;
use crate::model::front::{Escaped, Front, FrontLink, Part, Scalar};
use crate::model::required;
use crate::model::text::trim;

pub(super) struct Block<'a> {
    pub(super) key: &'a str,
    pub(super) rank: usize,
    /// All lines of the block.
    pub(super) text: &'a str,
    /// What follows the key.
    pub(super) value: &'a str,
}

impl<'a> Block<'a> {
    /// Adds what the block says to the front; `None` when the document needs the full decoder.
    pub(super) fn read(&self, front: &mut Front<'a>, rules: &Rules<'_>) -> Option<()> {
        if self.key == "body" {
            front.set_body(self.body()?);
            return Some(());
        }
        let part = match self.plain() {
            Some(part) => Some(part),
            None => self.decoded(rules)?,
        };
        if let Some(part) = part {
            if let (Part::Scalar(Scalar::Text(status)), "status") = (&part, self.key) {
                stands(status, rules)?;
            }
            front.put(self.key, self.rank, part);
        }
        Some(())
    }

    /// Whether the body holds more than white space.
    fn body(&self) -> Option<bool> {
        let token = self.value.strip_prefix(": ").filter(|v| !v.contains('\n')).and_then(Token::whole);
        match token {
            Some(Token::Bare(text)) => Some(!trim(text).is_empty()),
            Some(Token::Quoted(text)) => Some(!Escaped::new(text).is_blank()),
            _ => body_text(Some(self.decode()?)).ok().map(|body| !trim(&body).is_empty()),
        }
    }

    /// The block decoded by itself and brought into its form; the inner `None` drops it.
    fn decoded(&self, rules: &Rules<'_>) -> Option<Option<Part<'a>>> {
        let value = self.decode()?;
        if self.key == "status" {
            stands(value.as_str()?, rules)?;
        }
        required::check_field(self.key, &value).ok()?;
        let form = canonical::field(self.key, value).ok()?;
        Some(form.map(|value| Part::of(self.key, self.rank, &value).into_owned()))
    }

    fn decode(&self) -> Option<Value> {
        match toon::decode(self.text).ok()? {
            Value::Object(mut fields) if fields.len() == 1 => fields.shift_remove(self.key),
            _ => None,
        }
    }

    /// The block when it looks as the encoder writes it and is in its form already.
    fn plain(&self) -> Option<Part<'a>> {
        if self.rank == FIELD_ORDER.len() {
            return None;
        }
        if let Some(value) = self.value.strip_prefix(": ") {
            let flat = !value.contains('\n');
            return match (self.key, value) {
                ("tags", "[]") => Some(Part::Tags(Vec::new())),
                _ if flat => self.scalar(Token::whole(value)?),
                _ => None,
            };
        }
        match self.key {
            "tags" => self.tags(),
            "dependencies" => self.links(),
            "comments" | "notes" | "learnings" => {
                self.count(|entry| entry.texts(&["created_at", "text", "author"]).map(drop))
            }
            "files" | "docs" => self.count(|entry| entry.texts(&["path", "scope"])?.text_or_null("note")),
            // Runs that do not say which and when are dropped, so these must not be empty.
            "test_runs" => self.count(|entry| {
                ["run_id", "started_at", "finished_at", "recorded_at"].into_iter().try_for_each(|key| {
                    let Some(Token::Bare(raw) | Token::Quoted(raw)) = entry.get(key) else { return None };
                    is_trimmed(raw).then_some(())
                })?;
                entry.text_or_null("resumed_from")
            }),
            "tests" => self.tests(),
            _ => None,
        }
    }

    /// The number of entries, when each passes.
    fn count(&self, mut passes: impl FnMut(&Entry<'_, 'a>) -> Option<()>) -> Option<Part<'a>> {
        let count = self.header()?.0;
        self.each_entry(|entry| passes(&entry))?;
        Some(Part::Count(count))
    }

    fn scalar(&self, token: Token<'a>) -> Option<Part<'a>> {
        if let Token::Other(digits) = token {
            let number: u64 = digits.parse().ok().filter(|_| digits.len() < 16)?;
            let allowed = match self.key {
                "priority" => number <= 4,
                "confidence" => number <= 100,
                _ => matches!(self.key, "estimated_minutes" | "order"),
            };
            return allowed.then(|| Part::Scalar(Scalar::Number(Number::from(number))));
        }
        let (text, raw) = match token {
            Token::Quoted(raw) if raw.contains('\\') => (Scalar::Escaped(Escaped::new(raw)), raw),
            Token::Quoted(raw) | Token::Bare(raw) => (Scalar::Text(Cow::Borrowed(raw)), raw),
            Token::Null | Token::Other(_) => return None,
        };
        let fits = match (self.key, canonical::rule(self.rank)?) {
            ("id" | "title" | "description" | "created_at" | "updated_at" | "duplicate_of", _) => true,
            ("type", _) => is_trimmed(raw),
            ("status", _) => {
                matches!(raw, "draft" | "open" | "in_progress" | "blocked" | "closed" | "canceled")
            }
            ("confidence", _) => matches!(raw, "low" | "medium" | "high"),
            ("severity", _) => matches!(raw, "low" | "medium" | "high" | "critical"),
            (_, Rule::NotEmpty) => !raw.is_empty(),
            (_, Rule::NotNull) => true,
            (_, Rule::Trim) => is_trimmed(raw),
            _ => false,
        };
        fits.then_some(Part::Scalar(text))
    }

    /// The count of a list header and what follows it.
    fn header(&self) -> Option<(usize, &'a str)> {
        let (count, rest) = self.value.strip_prefix('[')?.split_once(']')?;
        let canonical =
            !count.starts_with('0') && count.len() < 9 && count.bytes().all(|b| b.is_ascii_digit());
        Some((count.parse().ok().filter(|_| canonical)?, rest))
    }

    fn tags(&self) -> Option<Part<'a>> {
        let (count, rest) = self.header()?;
        let line = rest.strip_prefix(": ").filter(|line| !line.contains('\n'))?;
        let mut tags: Vec<Cow<'a, str>> = Vec::with_capacity(count.min(64));
        for token in tokens(line) {
            let tag = token?.text()?;
            let lower = !tag.is_empty() && tag.is_ascii() && !tag.bytes().any(|b| b.is_ascii_uppercase());
            let trimmed = trim(&tag).len() == tag.len();
            let sorted = tags.last().is_none_or(|last| collation::compare(last, &tag) == Ordering::Less);
            if !(lower && trimmed && sorted) {
                return None;
            }
            tags.push(tag);
        }
        (tags.len() == count).then_some(Part::Tags(tags))
    }

    /// Hands out the entries of a table without nested columns, or of a list of objects that hold nothing but scalars;
    /// `None` when one is unusual or the count is wrong.
    fn each_entry(&self, mut entry: impl FnMut(Entry<'_, 'a>) -> Option<()>) -> Option<()> {
        let (count, rest) = self.header()?;
        let mut members: Vec<(&'a str, Token<'a>)> = Vec::new();
        let mut entries = 0;
        if let Some((names, rows)) = rest.strip_prefix('{').and_then(|rest| rest.split_once("}:\n")) {
            let columns: Vec<&str> = names.split(',').collect();
            let unique = columns.iter().enumerate().all(|(i, name)| !columns[..i].contains(name));
            if columns.len() > MAX_MEMBERS || !unique || !columns.iter().all(|name| is_bare_key(name)) {
                return None;
            }
            for row in rows.split('\n') {
                let row = row.strip_prefix("  ").filter(|row| !row.starts_with([' ', '#']))?;
                members.clear();
                for token in tokens(row) {
                    members.push((columns.get(members.len())?, token?));
                }
                entries += 1;
                if members.len() < columns.len() {
                    return None;
                }
                entry(Entry(&members))?;
            }
        } else {
            for line in rest.strip_prefix(":\n")?.split('\n') {
                let member = match line.strip_prefix("  - ") {
                    Some(member) => {
                        if entries > 0 {
                            entry(Entry(&members))?;
                        }
                        entries += 1;
                        members.clear();
                        member
                    }
                    None => line.strip_prefix("    ").filter(|_| entries > 0)?,
                };
                let (key, value) = member.split_once(": ").filter(|(key, _)| is_bare_key(key))?;
                if members.len() > MAX_MEMBERS || members.iter().any(|(known, _)| *known == key) {
                    return None;
                }
                members.push((key, Token::whole(value)?));
            }
            entry(Entry(&members))?;
        }
        (entries == count).then_some(())
    }

    fn links(&self) -> Option<Part<'a>> {
        let mut links: Vec<FrontLink<'a>> = Vec::new();
        let mut last_time: Cow<'a, str> = Cow::Borrowed("");
        self.each_entry(|entry| {
            let (id, kind) = (entry.get("id")?.text()?, entry.get("kind")?.text()?);
            let time = entry.get("created_at")?.text()?;
            entry.trimmed_or_empty("author")?;
            let source_kind = entry.trimmed_or_empty("source_kind")?;
            if !id.is_ascii() || id.bytes().any(|b| b.is_ascii_uppercase()) || trim(&id).len() != id.len() {
                return None;
            }
            let link = FrontLink { id, kind, source_kind };
            if let Some(last) = links.last() {
                let order = collation::compare_timestamps(&last_time, &time)
                    .then_with(|| collation::compare(&last.id, &link.id))
                    .then_with(|| collation::compare(&last.kind, &link.kind))
                    .then_with(|| collation::compare(&last.source_kind, &link.source_kind));
                if order == Ordering::Greater {
                    return None;
                }
            }
            last_time = time;
            links.push(link);
            Some(())
        })?;
        Some(Part::Links(links))
    }

    fn tests(&self) -> Option<Part<'a>> {
        let mut has_command = false;
        let count = self.header()?.0;
        self.each_entry(|entry| {
            has_command |= !entry.trimmed_or_empty("command")?.is_empty();
            ["path", "note", "pm_context_mode"].into_iter().try_for_each(|key| entry.text_or_null(key))
        })?;
        Some(Part::Tests { count, has_command })
    }
}

/// The most members of an entry that is read in place.
const MAX_MEMBERS: usize = 64;

fn is_bare_key(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && name.bytes().next().is_some_and(|b| !b.is_ascii_digit())
}

/// The members of one entry of a collection.
struct Entry<'m, 'a>(&'m [(&'a str, Token<'a>)]);

impl<'a> Entry<'_, 'a> {
    fn get(&self, key: &str) -> Option<&Token<'a>> {
        self.0.iter().find(|(name, _)| *name == key).map(|(_, token)| token)
    }

    /// Passes when all of these are texts.
    fn texts(&self, keys: &[&str]) -> Option<&Self> {
        keys.iter()
            .all(|key| matches!(self.get(key), Some(Token::Bare(_) | Token::Quoted(_))))
            .then_some(self)
    }

    /// Passes when this is a text, null or absent.
    fn text_or_null(&self, key: &str) -> Option<()> {
        matches!(self.get(key), None | Some(Token::Null | Token::Bare(_) | Token::Quoted(_))).then_some(())
    }

    /// A text without white space around it; empty when it is null or absent.
    fn trimmed_or_empty(&self, key: &str) -> Option<Cow<'a, str>> {
        match self.get(key) {
            None | Some(Token::Null) => Some(Cow::Borrowed("")),
            Some(token) => token.text().filter(|text| trim(text).len() == text.len()),
        }
    }
}

/// Whether a text, its escapes not resolved, is not empty and surely has no white space around it.
fn is_trimmed(raw: &str) -> bool {
    let escape = |pair: Option<&str>| matches!(pair, Some("\\n" | "\\r" | "\\t"));
    let ends = [raw.get(..2), raw.len().checked_sub(2).and_then(|at| raw.get(at..))];
    !raw.is_empty() && trim(raw).len() == raw.len() && !ends.into_iter().any(escape)
}

/// A status that is its own id; aliases are for the full decoder.
fn stands(status: &str, rules: &Rules<'_>) -> Option<()> {
    ((rules.status)(status)? == status).then_some(())
}

//! One top-level field of an item file.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::row::{Token, tokens};
use crate::codec::item::{Rules, body_text};
use crate::codec::toon;
use crate::model::canonical::{self, FIELD_ORDER, Rule};
use crate::model::collation;
use crate::model::front::{Front, FrontLink, Part, Scalar};
use crate::model::required;
use crate::model::text::{is_space, trim};

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
            // Letters are seen without resolving every escape.
            Some(Token::Quoted(text)) => {
                let mut chars = text.chars();
                while let Some(c) = chars.next() {
                    let blank =
                        if c == '\\' { matches!(chars.next(), Some('n' | 'r' | 't')) } else { is_space(c) };
                    if !blank {
                        return Some(true);
                    }
                }
                Some(false)
            }
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
            "comments" | "notes" | "learnings" => self.table()?.count(&["created_at", "text", "author"], &[]),
            "files" | "docs" => self.table()?.count(&["path", "scope"], &["note"]),
            "tests" => self.tests(),
            _ => None,
        }
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
        let text = token.text()?;
        let fits = match (self.key, canonical::rule(self.rank)?) {
            ("id" | "title" | "description" | "created_at" | "updated_at" | "duplicate_of", _) => true,
            ("type", _) => !trim(&text).is_empty(),
            ("status", _) => {
                matches!(text.as_ref(), "draft" | "open" | "in_progress" | "blocked" | "closed" | "canceled")
            }
            ("confidence", _) => matches!(text.as_ref(), "low" | "medium" | "high"),
            ("severity", _) => matches!(text.as_ref(), "low" | "medium" | "high" | "critical"),
            (_, Rule::NotEmpty) => !text.is_empty(),
            (_, Rule::NotNull) => true,
            (_, Rule::Trim) => !text.is_empty() && trim(&text).len() == text.len(),
            _ => false,
        };
        fits.then_some(Part::Scalar(Scalar::Text(text)))
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

    /// The rows of a table without nested columns.
    fn table(&self) -> Option<Table<'a>> {
        let (count, rest) = self.header()?;
        let (names, rows) = rest.strip_prefix('{')?.split_once("}:\n")?;
        let columns: Vec<&str> = names.split(',').collect();
        let bare = |name: &&str| {
            name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
                && name.bytes().next().is_some_and(|b| !b.is_ascii_digit())
        };
        let unique = columns.iter().enumerate().all(|(i, name)| !columns[..i].contains(name));
        (columns.iter().all(bare) && unique && columns.len() < 64).then_some(Table { count, columns, rows })
    }

    fn links(&self) -> Option<Part<'a>> {
        let table = self.table()?;
        let known = ["id", "kind", "created_at", "author", "source_kind", "author_source"];
        if !table.columns.iter().all(|name| known.contains(name)) {
            return None;
        }
        let places = [table.place("id")?, table.place("kind")?, table.place("created_at")?];
        let (author, source) = (table.place("author"), table.place("source_kind"));
        let mut links: Vec<FrontLink<'a>> = Vec::new();
        let mut last_time: Cow<'a, str> = Cow::Borrowed("");
        table.each_row(|cells| {
            let [id, kind, time] = places.map(|at| cells[at].text());
            let (id, kind, time) = (id?, kind?, time?);
            if author.is_some_and(|at| trimmed_or_null(&cells[at]).is_none()) {
                return None;
            }
            let source_kind = source.map_or(Some(Cow::Borrowed("")), |at| trimmed_or_null(&cells[at]))?;
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
        let table = self.table()?;
        let known =
            ["command", "path", "scope", "timeout_seconds", "pm_context_mode", "shared_host_safe", "note"];
        if !table.columns.iter().all(|name| known.contains(name)) {
            return None;
        }
        let command = table.place("command");
        let texts = ["path", "note", "pm_context_mode"].map(|name| table.place(name));
        let mut has_command = false;
        table.each_row(|cells| {
            if let Some(at) = command {
                has_command |= !trimmed_or_null(&cells[at])?.is_empty();
            }
            texts.iter().flatten().try_for_each(|at| text_or_null(&cells[*at]))
        })?;
        Some(Part::Tests { count: table.count, has_command })
    }
}

/// A status that is its own id; aliases are for the full decoder.
fn stands(status: &str, rules: &Rules<'_>) -> Option<()> {
    ((rules.status)(status)? == status).then_some(())
}

/// A text without white space around it, or nothing.
fn trimmed_or_null<'a>(token: &Token<'a>) -> Option<Cow<'a, str>> {
    match token {
        Token::Null => Some(Cow::Borrowed("")),
        token => token.text().filter(|text| trim(text).len() == text.len()),
    }
}

fn text_or_null(token: &Token<'_>) -> Option<()> {
    matches!(token, Token::Null | Token::Bare(_) | Token::Quoted(_)).then_some(())
}

struct Table<'a> {
    count: usize,
    columns: Vec<&'a str>,
    rows: &'a str,
}

impl<'a> Table<'a> {
    fn place(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|name| *name == column)
    }

    /// Hands out the cells of each row; `None` when one is unusual or the count is wrong.
    fn each_row(&self, mut row: impl FnMut(&[Token<'a>]) -> Option<()>) -> Option<()> {
        let mut cells = Vec::with_capacity(self.columns.len());
        let mut rows = 0;
        for line in self.rows.split('\n') {
            let line = line.strip_prefix("  ").filter(|line| !line.starts_with([' ', '#']))?;
            cells.clear();
            for token in tokens(line) {
                cells.push(token?);
            }
            if cells.len() != self.columns.len() {
                return None;
            }
            row(&cells)?;
            rows += 1;
        }
        (rows == self.count).then_some(())
    }

    /// The number of rows, when these columns hold nothing but texts, or texts and nulls.
    fn count(&self, texts: &[&str], optional: &[&str]) -> Option<Part<'a>> {
        let places = texts.iter().map(|name| self.place(name)).collect::<Option<Vec<_>>>()?;
        let optional: Vec<_> = optional.iter().filter_map(|name| self.place(name)).collect();
        self.each_row(|cells| {
            places
                .iter()
                .try_for_each(|at| text_or_null(&cells[*at]).filter(|_| cells[*at] != Token::Null))?;
            optional.iter().try_for_each(|at| text_or_null(&cells[*at]))
        })?;
        Some(Part::Count(self.count))
    }
}

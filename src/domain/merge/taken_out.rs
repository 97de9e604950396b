//! What a redaction on one side took out, learned from what stood there before: so that a merge takes it out of the
//! other side too, whatever that side did with it meanwhile.
//!
//! A redaction leaves no note of the secret, and must not. But a merge has the version before it: where a text there is
//! the text here with something else in the place of the mark, that something was taken out.

use serde_json::Value;

use crate::domain::rewrite::FIXED;
use crate::model::item::Item;

/// What stands in the place of what was taken out, unless somebody chose another text.
pub const MARK: &str = "[redacted]";

/// Texts that were taken out, each with what stands there instead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TakenOut {
    /// The longest first: a part of a text must not hide the whole.
    pairs: Vec<(String, String)>,
    marks: Vec<String>,
}

impl TakenOut {
    /// Whether nothing is known to have been taken out.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// What may stand in the place of a secret: the usual text, and those that somebody chose.
    pub(super) fn all_marks(&self) -> Vec<String> {
        let mut marks = self.marks.clone();
        if !marks.iter().any(|mark| mark == MARK) {
            marks.push(MARK.to_owned());
        }
        marks
    }

    /// Nothing, where these marks are known.
    pub(super) fn nothing(marks: &[String]) -> TakenOut {
        TakenOut { pairs: Vec::new(), marks: marks.to_vec() }
    }

    /// What is long enough to be meant wherever it stands.
    #[must_use]
    pub fn certain(mut self) -> TakenOut {
        self.pairs.retain(|(secret, _)| secret.chars().count() > LEAST);
        self
    }

    /// The texts, each with what stands there instead; the longest first.
    pub fn pairs(&self) -> &[(String, String)] {
        &self.pairs
    }

    /// What a side of items took out.
    pub(super) fn of_items(base: &Item, side: &Item, marks: &[String]) -> TakenOut {
        TakenOut::of_versions(base, side, &[], marks)
    }

    /// As [`TakenOut::of_items`], for an item that the first one of these entries says.
    pub(super) fn of_versions(base: &Item, side: &Item, entries: &[Value], marks: &[String]) -> TakenOut {
        let marked: Vec<&String> = marks.iter().filter(|mark| names(side, mark)).collect();
        if marked.is_empty() || base.metadata.is_empty() {
            return TakenOut::default();
        }
        let mut lesson = Lesson::new(marks);
        entries.iter().for_each(|entry| lesson.kept_of_entry(entry));
        for (key, after) in &side.metadata {
            lesson.kept(after);
            if let Some(before) = base.metadata.get(key)
                && !FIXED.contains(&key.as_str())
            {
                lesson.compare(before, after);
            }
        }
        let [before, after] = [base, side].map(|item| Value::from(item.body.as_str()));
        lesson.kept(&after);
        lesson.compare(&before, &after);
        lesson.end()
    }

    /// What a side of streams took out: entries of the base, each beside the same entry as the side has it.
    pub(super) fn of_entries<'a>(
        pairs: impl Iterator<Item = (&'a Value, &'a Value)>,
        side: &[Value],
        marks: &[String],
    ) -> TakenOut {
        let mut lesson = Lesson::new(marks);
        let marked = |value: &Value| marks.iter().any(|mark| holds(value, mark));
        for (before, after) in pairs.filter(|(before, after)| before != after && marked(after)) {
            for key in ["message", "context"] {
                if let (Some(before), Some(after)) = (before.get(key), after.get(key)) {
                    lesson.compare(before, after);
                }
            }
            let ops =
                |entry: &Value| entry.get("patch").and_then(Value::as_array).cloned().unwrap_or_default();
            let (old, new) = (ops(before), ops(after));
            let same_place = |(a, b): &(&Value, &Value)| a.get("path") == b.get("path");
            for (old, new) in old.iter().zip(&new).filter(same_place) {
                if let (Some(before), Some(after)) = (old.get("value"), new.get("value")) {
                    lesson.compare(before, after);
                }
            }
            // An entry that was laid anew says the same at other places: rows one by one, or a text of a row.
            let (left, new) = (elsewhere(&old, &new), elsewhere(&new, &old));
            lesson.compare_rows(&rows(&left), &rows(&new));
            let texts: Vec<Value> = new.into_iter().filter(Value::is_string).collect();
            lesson.compare_rows(&leaves(&left), &texts);
        }
        if lesson.gaps.is_empty() {
            return TakenOut::default();
        }
        side.iter().for_each(|entry| lesson.kept_of_entry(entry));
        lesson.end()
    }

    /// Adds what another side took out.
    #[must_use]
    pub fn and(mut self, other: TakenOut) -> TakenOut {
        self.pairs.extend(other.pairs);
        self.marks.extend(other.marks);
        self.sorted()
    }

    fn sorted(mut self) -> TakenOut {
        self.pairs.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b)));
        self.pairs.dedup_by(|a, b| a.0 == b.0);
        self.marks.sort();
        self.marks.dedup();
        self
    }

    /// The text without what was taken out. The marks themselves stay as they are.
    fn text(&self, text: &mut String) {
        for (secret, instead) in &self.pairs {
            if !text.contains(secret.as_str()) {
                continue;
            }
            let mark = self.marks.iter().find(|mark| mark.contains(secret.as_str()));
            *text = match mark {
                Some(mark) => {
                    let parts: Vec<String> =
                        text.split(mark.as_str()).map(|part| part.replace(secret, instead)).collect();
                    parts.join(mark)
                }
                None => text.replace(secret, instead),
            };
        }
    }

    /// Takes it out of every text of a value.
    pub fn value(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.text(text),
            Value::Array(rows) => rows.iter_mut().for_each(|row| self.value(row)),
            Value::Object(members) => members.values_mut().for_each(|member| self.value(member)),
            _ => {}
        }
    }

    /// Takes it out of an item too.
    pub fn item(&self, item: &mut Item) {
        let free = |key: &str| !FIXED.contains(&key);
        item.metadata.iter_mut().filter(|(key, _)| free(key)).for_each(|(_, value)| self.value(value));
        self.text(&mut item.body);
    }

    /// Takes it out of an entry too; the hashes are left as they are.
    pub fn entry(&self, entry: &mut Value) {
        for key in ["message", "context"] {
            if let Some(value) = entry.get_mut(key) {
                self.value(value);
            }
        }
        let fixed = |op: &Value| {
            let path = op.get("path").and_then(Value::as_str).unwrap_or_default();
            FIXED.iter().any(|key| path.strip_prefix("/metadata/") == Some(key))
        };
        let ops = entry.get_mut("patch").and_then(Value::as_array_mut).into_iter().flatten();
        for op in ops.filter(|op| !fixed(op)) {
            if let Some(value) = op.get_mut("value") {
                self.value(value);
            }
        }
    }
}

/// Whether an item is another one with nothing but texts taken out.
pub fn is_redacted(before: &Item, after: &Item) -> bool {
    let mut clean = before.clone();
    TakenOut::of_items(before, after, &[MARK.to_owned()]).item(&mut clean);
    before != after && clean == *after
}

/// Whether an entry is another one with nothing but texts taken out.
pub(super) fn is_redacted_entry(before: &Value, after: &Value) -> bool {
    let marks = [MARK.to_owned()];
    holds(after, MARK)
        && ["patch", "message"].iter().all(|key| match (before.get(key), after.get(key)) {
            (Some(before), Some(after)) => is_version(before, after, &marks, true),
            (before, after) => before == after,
        })
}

/// The values of the operations whose places the other ones do not name.
fn elsewhere(ops: &[Value], others: &[Value]) -> Vec<Value> {
    let named = |op: &&Value| others.iter().any(|other| other.get("path") == op.get("path"));
    ops.iter().filter(|op| !named(op)).filter_map(|op| op.get("value")).cloned().collect()
}

/// The rows of lists, and what is none.
fn rows(values: &[Value]) -> Vec<Value> {
    let rows = |value: &Value| match value {
        Value::Array(rows) => rows.clone(),
        other => vec![other.clone()],
    };
    values.iter().flat_map(rows).collect()
}

/// The texts in values.
fn leaves(values: &[Value]) -> Vec<Value> {
    let below = |value: &Value| match value {
        Value::String(_) => vec![value.clone()],
        Value::Array(rows) => leaves(rows),
        Value::Object(members) => leaves(&members.values().cloned().collect::<Vec<_>>()),
        _ => Vec::new(),
    };
    values.iter().flat_map(below).collect()
}

/// Whether a text of the item holds the mark.
fn names(item: &Item, mark: &str) -> bool {
    item.body.contains(mark) || item.metadata.values().any(|value| holds(value, mark))
}

fn holds(value: &Value, mark: &str) -> bool {
    match value {
        Value::String(text) => text.contains(mark),
        Value::Array(rows) => rows.iter().any(|row| holds(row, mark)),
        Value::Object(members) => members.values().any(|member| holds(member, mark)),
        _ => false,
    }
}

/// Something that was taken out of a text.
struct Gap {
    /// The text before, and after.
    whole: String,
    left: String,
    /// Where it stood in the text before.
    at: std::ops::Range<usize>,
    /// How far the text around it reaches, up to what was taken out beside it.
    room: std::ops::Range<usize>,
    mark: String,
}

/// Learning under way.
struct Lesson<'m> {
    marks: &'m [String],
    gaps: Vec<Gap>,
    /// The texts that the side still has, marks left out.
    kept: Vec<String>,
}

impl<'m> Lesson<'m> {
    fn new(marks: &'m [String]) -> Lesson<'m> {
        Lesson { marks, gaps: Vec::new(), kept: Vec::new() }
    }

    fn kept(&mut self, value: &Value) {
        match value {
            Value::String(text) => {
                let mut text = text.clone();
                for mark in self.marks {
                    text = text.replace(mark, "\u{0}");
                }
                self.kept.push(text);
            }
            Value::Array(rows) => rows.iter().for_each(|row| self.kept(row)),
            Value::Object(members) => members.values().for_each(|member| self.kept(member)),
            _ => {}
        }
    }

    fn kept_of_entry(&mut self, entry: &Value) {
        for key in ["message", "context"] {
            entry.get(key).into_iter().for_each(|value| self.kept(value));
        }
        for op in entry.get("patch").and_then(Value::as_array).into_iter().flatten() {
            op.get("value").into_iter().for_each(|value| self.kept(value));
        }
    }

    /// Compares two versions of one value and notes what the second one lacks.
    fn compare(&mut self, before: &Value, after: &Value) {
        match (before, after) {
            _ if before == after => {}
            (Value::String(before), Value::String(after)) => {
                let strict = self.marks.iter().find_map(|mark| gaps(before, after, mark));
                let found = strict.or_else(|| self.marks.iter().find_map(|mark| holes(before, after, mark)));
                self.gaps.extend(found.into_iter().flatten());
            }
            (Value::Object(before), Value::Object(after)) => {
                for (key, after) in after {
                    before.get(key).into_iter().for_each(|before| self.compare(before, after));
                }
            }
            (Value::Array(before), Value::Array(after)) => self.compare_rows(before, after),
            _ => {}
        }
    }

    /// Rows have no names, so a row counts as the version of another one when nothing else differs.
    fn compare_rows(&mut self, before: &[Value], after: &[Value]) {
        let mut left: Vec<&Value> = before.iter().filter(|row| !after.contains(row)).collect();
        let new: Vec<&Value> = after.iter().filter(|row| !before.contains(row)).collect();
        let alone = new.len() == 1 && left.len() == 1;
        for row in new {
            let fits = |old: &&Value| is_version(old, row, self.marks, alone);
            if let Some(place) = left.iter().position(fits) {
                let old = left.remove(place);
                self.compare(old, row);
            }
        }
    }

    fn end(self) -> TakenOut {
        let mut found = TakenOut { pairs: Vec::new(), marks: self.marks.to_vec() };
        for gap in &self.gaps {
            if let Some(pair) = self.pair(gap) {
                found.pairs.push(pair);
            }
        }
        found.sorted()
    }

    /// The text that was taken out, with as much around it as makes clear that it is meant: the side has it no more.
    fn pair(&self, gap: &Gap) -> Option<(String, String)> {
        let before = &gap.whole[gap.room.start..gap.at.start];
        let after = &gap.whole[gap.at.end..gap.room.end];
        let secret = &gap.whole[gap.at.clone()];
        if self.marks.iter().any(|mark| mark == secret) {
            return None;
        }
        let (mut left, mut right) = (before.char_indices().rev(), after.char_indices());
        let (mut from, mut to) = (before.len(), 0);
        loop {
            let text = format!("{}{secret}{}", &before[from..], &after[..to]);
            if !self.has(&text) {
                return Some((text, format!("{}{}{}", &before[from..], gap.mark, &after[..to])));
            }
            let grown = left.next().map(|(at, _)| from = at);
            let more = right.next().map(|(at, c)| to = at + c.len_utf8());
            if grown.is_none() && more.is_none() {
                return (!self.has(&gap.whole)).then(|| (gap.whole.clone(), gap.left.clone()));
            }
        }
    }

    fn has(&self, text: &str) -> bool {
        self.kept.iter().any(|kept| kept.contains(text))
    }
}

/// Whether a row is another one with texts taken out. A text that was taken out as a whole says nothing by itself:
/// beside other members it is one, alone it only is when nothing else can be meant.
fn is_version(before: &Value, after: &Value, marks: &[String], alone: bool) -> bool {
    match (before, after) {
        _ if before == after => true,
        (Value::String(before), Value::String(after)) => {
            let whole = marks.contains(after);
            (alone || !whole) && marks.iter().any(|mark| gaps(before, after, mark).is_some())
        }
        (Value::Object(before), Value::Object(after)) => {
            before.len() == after.len()
                && after.iter().all(|(key, after)| {
                    before.get(key).is_some_and(|before| is_version(before, after, marks, true))
                })
        }
        (Value::Array(before), Value::Array(after)) => {
            before.len() == after.len()
                && before.iter().zip(after).all(|(before, after)| is_version(before, after, marks, true))
        }
        _ => false,
    }
}

/// What stands in `before` where `after` has the mark, if that is all by which they differ.
fn gaps(before: &str, after: &str, mark: &str) -> Option<Vec<Gap>> {
    if !after.contains(mark) {
        return None;
    }
    let parts: Vec<&str> = after.split(mark).collect();
    let (first, last) = (parts.first()?, parts.last()?);
    if !before.starts_with(first) || !before.ends_with(last) || before.len() < first.len() + last.len() {
        return None;
    }
    let end = before.len() - last.len();
    let mut holes: Vec<std::ops::Range<usize>> = Vec::new();
    let mut from = first.len();
    // Two marks side by side stand for one text: nobody can say where the first one ended.
    for part in parts[1..parts.len() - 1].iter().filter(|part| !part.is_empty()) {
        let begin = from + before[from..end].chars().next()?.len_utf8();
        let at = begin + before.get(begin..end)?.find(part)?;
        holes.push(from..at);
        from = at + part.len();
    }
    if from >= end {
        return None;
    }
    holes.push(from..end);
    let gap = |n: usize| Gap {
        whole: before.to_owned(),
        left: after.to_owned(),
        at: holes[n].clone(),
        room: n.checked_sub(1).map_or(0, |n| holes[n].end)
            ..holes.get(n + 1).map_or(before.len(), |next| next.start),
        mark: mark.to_owned(),
    };
    Some((0..holes.len()).map(gap).collect())
}

/// The most text around a mark by which its place is looked for, in characters.
const AROUND: usize = 48;

/// The least that says anything.
const LEAST: usize = 3;

/// As [`gaps`] for a text that was edited besides: what stands in `before` between the words around each mark.
fn holes(before: &str, after: &str, mark: &str) -> Option<Vec<Gap>> {
    let parts: Vec<&str> = after.split(mark).collect();
    let mut found = Vec::new();
    for pair in parts.windows(2) {
        let Some(start) = end_of(before, pair[0]) else { continue };
        let Some(length) = start_of(&before[start..], pair[1]).filter(|length| *length > 0) else { continue };
        found.push(Gap {
            whole: before.to_owned(),
            left: after.to_owned(),
            at: start..start + length,
            room: start..start + length,
            mark: mark.to_owned(),
        });
    }
    (!found.is_empty()).then_some(found)
}

/// Where the longest end of `part` that `text` has ends there.
fn end_of(text: &str, part: &str) -> Option<usize> {
    if part.is_empty() {
        return Some(0);
    }
    let from = |n: usize| part.char_indices().rev().nth(n - 1).map(|(at, _)| &part[at..]);
    let known = (LEAST..=AROUND).rev().filter_map(from);
    known.filter_map(|end| Some(text.find(end)? + end.len())).next()
}

/// Where the longest beginning of `part` that `text` has begins there.
fn start_of(text: &str, part: &str) -> Option<usize> {
    if part.is_empty() {
        return Some(text.len());
    }
    let to = |n: usize| part.char_indices().nth(n - 1).map(|(at, c)| &part[..at + c.len_utf8()]);
    let known = (LEAST..=AROUND).rev().filter_map(to);
    known.filter_map(|start| text.find(start)).next()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn item(metadata: Value, body: &str) -> Item {
        Item { metadata: metadata.as_object().cloned().unwrap_or_default(), body: body.to_owned() }
    }

    fn learned(base: &Item, side: &Item) -> Vec<(String, String)> {
        TakenOut::of_items(base, side, &[MARK.to_owned()]).pairs
    }

    #[test]
    fn what_was_taken_out_is_found_in_texts_and_rows() {
        let base = item(
            json!({"title": "login", "tags": ["a", "hunter2"], "comments": [{"by": "ann", "text": "it is hunter2, really"}]}),
            "hunter2\nand hunter2",
        );
        let side = item(
            json!({"title": "login", "tags": ["[redacted]", "a"], "comments": [{"by": "ann", "text": "it is [redacted], really"}]}),
            "[redacted]\nand [redacted]",
        );
        assert_eq!(learned(&base, &side), [("hunter2".to_owned(), MARK.to_owned())]);
        let mut other = item(json!({"id": "hunter2", "notes": ["hunter2 again"]}), "[redacted] hunter2");
        TakenOut::of_items(&base, &side, &[MARK.to_owned()]).item(&mut other);
        assert_eq!(
            other,
            item(json!({"id": "hunter2", "notes": ["[redacted] again"]}), "[redacted] [redacted]")
        );
    }

    #[test]
    fn a_short_text_counts_only_where_it_stood() {
        let base = item(json!({"title": "a pan"}), "the pin is 1, the count is 1");
        let side = item(json!({"title": "a pan"}), "the pin is [redacted], the count is 1");
        assert_eq!(learned(&base, &side), [(" 1,".to_owned(), " [redacted],".to_owned())]);
    }

    #[test]
    fn a_text_that_was_edited_besides_tells_it_too() {
        let base = item(json!({"title": "t"}), "the key is hunter2, keep it");
        let side = item(json!({"title": "t"}), "Well: the key is [redacted], keep it\n\nand more");
        assert_eq!(learned(&base, &side), [("hunter2".to_owned(), MARK.to_owned())]);
    }

    #[test]
    fn what_was_only_rewritten_is_not_taken_out() {
        let base = item(json!({"title": "one"}), "text");
        assert_eq!(learned(&base, &item(json!({"title": "two [redacted] x"}), "text")), []);
        assert_eq!(learned(&base, &item(json!({"title": "two"}), "other")), []);
    }
}

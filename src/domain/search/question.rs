//! What is asked for: words, phrases in quotes, `-word`, `field:value` (surfaces.md §5.2, product.md §4).

use super::words::{each_word, folded, is_stop_word};

/// Fields that a question itself may filter by; each has a flag of the same meaning.
pub(crate) const INLINE_FIELDS: &[&str] =
    &["tag", "status", "type", "priority", "assignee", "sprint", "release", "parent"];

/// The most units that are looked at; what follows is ignored.
pub(crate) const MOST_UNITS: usize = 32;

/// What a unit does to the items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Items that have it score.
    Wanted,
    /// Items without it are left out.
    Required,
    /// Items with it are left out.
    Excluded,
}

/// A word, or words that must stand one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    /// The folded words.
    pub(crate) words: Vec<String>,
    /// What it does.
    pub(crate) part: Part,
}

/// A question, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Question {
    /// The question without its filters, one blank between its pieces.
    pub(crate) text: String,
    /// What is looked for, in the order given.
    pub(crate) units: Vec<Unit>,
    /// `field:value` pieces, the first of each field.
    pub(crate) filters: Vec<(&'static str, String)>,
}

/// A piece of a question between blanks; blanks within quotes do not count.
#[derive(Debug)]
struct Piece<'a> {
    raw: &'a str,
    /// After a leading `-`.
    minus: bool,
    /// Before a quote: `field:`.
    lead: &'a str,
    /// Within the quotes, or the whole.
    text: &'a str,
    quoted: bool,
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let blank = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let quote =
            rest[..blank].find('"').filter(|at| matches!(rest[..*at].chars().last(), None | Some('-' | ':')));
        let (end, lead, inner, quoted) = match quote {
            Some(open) => {
                let inner = &rest[open + 1..];
                let close = inner.find('"').unwrap_or(inner.len());
                ((open + 2 + close).min(rest.len()), &rest[..open], &inner[..close], true)
            }
            None => (blank, "", &rest[..blank], false),
        };
        let raw = &rest[..end];
        let minus = raw.len() > 1 && raw.starts_with('-') && !raw.starts_with("--");
        let (lead, inner) = match (minus, quoted) {
            (true, true) => (&lead[1..], inner),
            (true, false) => (lead, &inner[1..]),
            _ => (lead, inner),
        };
        out.push(Piece { raw, minus, lead, text: inner, quoted });
        rest = rest[end..].trim_start();
    }
    out
}

impl Piece<'_> {
    /// The filter that the piece states.
    fn filter(&self) -> Option<(&'static str, &str)> {
        if self.minus {
            return None;
        }
        let (name, value) = match self.lead.strip_suffix(':') {
            Some(name) => (name, self.text),
            None => self.text.split_once(':')?,
        };
        let field = INLINE_FIELDS.iter().find(|field| field.eq_ignore_ascii_case(name))?;
        (!value.is_empty()).then_some((*field, value))
    }
}

impl Question {
    /// Takes a question apart. Stop words go, unless nothing else is left.
    pub(crate) fn parse(text: &str) -> Question {
        let mut question = Question::default();
        let mut idle = Vec::new();
        for piece in pieces(text) {
            if let Some((field, value)) = piece.filter()
                && !question.filters.iter().any(|(known, _)| *known == field)
            {
                question.filters.push((field, value.to_owned()));
                continue;
            }
            if !question.text.is_empty() {
                question.text.push(' ');
            }
            question.text.push_str(piece.raw);
            let words = forms(piece.text);
            if words.is_empty() {
                continue;
            }
            let part = match (piece.minus, piece.quoted) {
                (true, _) => Part::Excluded,
                (false, true) => Part::Required,
                (false, false) => Part::Wanted,
            };
            let is_idle = part == Part::Wanted && words.len() == 1 && is_stop_word(&words[0]);
            let unit = Unit { words, part };
            if is_idle { &mut idle } else { &mut question.units }.push(unit);
        }
        if !question.units.iter().any(|unit| unit.part != Part::Excluded) {
            question.units.extend(idle);
        }
        question.units.truncate(MOST_UNITS);
        question
    }

    /// The same words as one phrase that must be there (`--match-mode exact`).
    pub(crate) fn into_phrase(mut self) -> Question {
        let words = forms(&self.text.replace('"', " "));
        self.units = if words.is_empty() { Vec::new() } else { vec![Unit { words, part: Part::Required }] };
        self
    }

    /// Every wanted unit must be there (`--match-mode and`).
    pub(crate) fn requiring_all(mut self) -> Question {
        for unit in &mut self.units {
            if unit.part == Part::Wanted {
                unit.part = Part::Required;
            }
        }
        self
    }

    /// The question as titles and ids are compared with it.
    pub(crate) fn folded(&self) -> String {
        folded(&self.text)
    }

    /// Whether the last piece may be the beginning of a word still being typed.
    pub(crate) fn is_open_ended(&self) -> bool {
        self.units.last().is_some_and(|unit| unit.part != Part::Excluded && unit.words.len() == 1)
            && !self.text.ends_with('"')
    }
}

/// The folded words of a piece; of a `camelCase` word the whole.
fn forms(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut end = 0;
    each_word(text, |word| {
        if word.span.1 > end {
            end = word.span.1;
            out.push(word.form.to_owned());
        }
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(text: &str) -> Vec<(Part, String)> {
        Question::parse(text).units.into_iter().map(|unit| (unit.part, unit.words.join(" "))).collect()
    }

    #[test]
    fn questions_come_apart() {
        use Part::{Excluded, Required, Wanted};
        let cases: &[(&str, &[(Part, &str)])] = &[
            ("lock  contention", &[(Wanted, "lock"), (Wanted, "contention")]),
            ("how do I stop two agents", &[(Wanted, "stop"), (Wanted, "two"), (Wanted, "agents")]),
            ("\"merge queue\" now", &[(Required, "merge queue"), (Wanted, "now")]),
            (
                "cache -stale -\"cold start\"",
                &[(Wanted, "cache"), (Excluded, "stale"), (Excluded, "cold start")],
            ),
            ("front-matter", &[(Wanted, "front matter")]),
            ("acquireLock()", &[(Wanted, "acquirelock")]),
            ("what is it", &[(Wanted, "what"), (Wanted, "is"), (Wanted, "it")]),
            ("\"open", &[(Required, "open")]),
            ("--limit", &[(Wanted, "limit")]),
            ("- ... \"\"", &[]),
        ];
        for (text, expected) in cases {
            let expected: Vec<_> =
                expected.iter().map(|(part, words)| (*part, (*words).to_owned())).collect();
            assert_eq!(units(text), expected, "{text}");
        }
    }

    #[test]
    fn filters_leave_the_text() {
        let question = Question::parse(
            "tag:area:search Status:open tag:b immutability https://x.org assignee:\"Jane Doe\"",
        );
        assert_eq!(
            question.filters,
            [
                ("tag", "area:search".to_owned()),
                ("status", "open".to_owned()),
                ("assignee", "Jane Doe".to_owned())
            ]
        );
        assert_eq!(question.text, "tag:b immutability https://x.org");
        assert!(Question::parse("tag:release").units.is_empty());
        assert_eq!(Question::parse("tag:").text, "tag:");
    }

    #[test]
    fn modes_change_what_units_do() {
        let question = Question::parse("the \"merge queue\" order");
        assert!(question.clone().requiring_all().units.iter().all(|unit| unit.part == Part::Required));
        assert_eq!(question.into_phrase().units[0].words, ["the", "merge", "queue", "order"]);
    }
}

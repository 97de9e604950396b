//! Markdown cut at its headings, and lists of criteria.

use serde_json::{Value, json};

use super::Record;

/// A part of a text: its heading, and what follows up to the next heading of the same level.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Section<'t> {
    /// Without its marks; empty for what stands before the first.
    pub(super) heading: &'t str,
    /// What follows, without blank lines around it.
    pub(super) text: &'t str,
}

/// Cuts a text at the headings of the second level that stand outside of code and of marked blocks, and for which
/// `is_heading` holds.
pub(super) fn cut<'t>(text: &'t str, is_heading: impl Fn(&str) -> bool) -> Vec<Section<'t>> {
    let mut sections = Vec::new();
    let (mut heading, mut start, mut at, mut fence, mut marked) = ("", 0, 0, "", false);
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        let mark = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark));
        match mark {
            Some(mark) if fence.is_empty() => fence = mark,
            Some(mark) if fence == mark => fence = "",
            _ => {}
        }
        if fence.is_empty() && bare.starts_with("<!--") {
            marked = bare.ends_with(":BEGIN -->") || marked && !bare.ends_with(":END -->");
        }
        if fence.is_empty()
            && !marked
            && let Some(name) = line.strip_prefix("## ").map(str::trim)
            && is_heading(name)
        {
            sections.push(Section { heading, text: trim(&text[start..at]) });
            heading = name;
            start = at + line.len();
        }
        at += line.len();
    }
    sections.push(Section { heading, text: trim(&text[start..]) });
    sections
}

fn trim(text: &str) -> &str {
    text.trim_start_matches(['\n', '\r']).trim_end()
}

/// One criterion and whether it is met, where the list says.
type Criterion = (String, Option<bool>);

/// The criteria of a text that is a list and nothing else, or a single paragraph.
fn criteria(text: &str) -> Option<Vec<Criterion>> {
    let mut found: Vec<Criterion> = Vec::new();
    let is_list = text.trim_start().starts_with(['-', '*']) || numbered(text.trim_start()).is_some();
    if !is_list {
        let whole = !text.contains("\n\n") && !text.contains("```") && !text.trim_start().starts_with('#');
        let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
        return whole.then(|| vec![(joined, None)]).filter(|_| !text.is_empty());
    }
    for line in text.lines() {
        let bare = line.trim();
        if bare.is_empty() {
            continue;
        }
        let indented = line.starts_with([' ', '\t']);
        let marked = ["- ", "* "].iter().find_map(|mark| bare.strip_prefix(mark)).or_else(|| numbered(bare));
        match marked {
            Some(rest) if !indented => found.push(checked(rest)),
            _ if bare.starts_with("```") || bare.starts_with('#') => return None,
            Some(_) | None => {
                let last = found.last_mut()?;
                if !indented && !bare.starts_with(char::is_lowercase) {
                    return None;
                }
                last.0 = format!("{} {}", last.0, bare);
            }
        }
    }
    Some(found)
}

fn numbered(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    (rest.len() < line.len()).then(|| rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "))).flatten()
}

/// `[x] #3 text`: the text, and whether it is met.
fn checked(text: &str) -> Criterion {
    let (met, rest) = if let Some(rest) = text.strip_prefix("[ ] ") {
        (Some(false), rest)
    } else if let Some(rest) = text.strip_prefix("[x] ").or_else(|| text.strip_prefix("[X] ")) {
        (Some(true), rest)
    } else {
        (None, text)
    };
    let unnumbered = rest.strip_prefix('#').and_then(|rest| {
        let words = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        (words.len() < rest.len()).then(|| words.strip_prefix(' ')).flatten()
    });
    (unnumbered.unwrap_or(rest).trim().to_owned(), met)
}

/// Places a section of criteria: a list of them becomes criteria, anything else stays a section of the body. Which are
/// met is kept by name.
pub(super) fn place_criteria(record: &mut Record, heading: &str, text: &str, numbered: bool) {
    if text.is_empty() {
        return;
    }
    match criteria(text) {
        Some(found) if record.criteria.is_empty() => {
            let met: Vec<Value> = (1..)
                .zip(&found)
                .filter(|(_, (_, met))| *met == Some(true))
                .map(|(n, _): (usize, _)| json!(n))
                .collect();
            if numbered || !met.is_empty() {
                record.keep("criteria_met", Value::from(met));
            }
            record.criteria =
                found.into_iter().map(|(text, _)| text).filter(|text| !text.is_empty()).collect();
        }
        _ => record.sections.push((heading.to_owned(), text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_at_headings_outside_of_code() {
        let text = "Intro\n\n## One\na\n```\n## no\n```\n<!-- X:BEGIN -->\n## neither\n<!-- X:END -->\n### Sub\n## Two\n";
        let parts = cut(text, |_| true);
        let headings: Vec<&str> = parts.iter().map(|part| part.heading).collect();
        assert_eq!(headings, ["", "One", "Two"]);
        assert!(parts[1].text.ends_with("### Sub") && parts[0].text == "Intro" && parts[2].text.is_empty());
        assert_eq!(cut("## A\n## B\n", |name| name == "B").len(), 2);
    }

    #[test]
    fn lists_are_criteria_and_prose_is_one() {
        let of = |text: &str| {
            criteria(text).map(|rows| rows.into_iter().map(|(text, _)| text).collect::<Vec<_>>())
        };
        assert_eq!(
            of("- [x] #1 one\n- [ ] #2 two\n  goes on"),
            Some(vec!["one".into(), "two goes on".into()])
        );
        assert_eq!(of("1. one\n2) two"), Some(vec!["one".into(), "two".into()]));
        assert_eq!(of("All of\nit works."), Some(vec!["All of it works.".into()]));
        assert_eq!(of("One.\n\nTwo."), None);
        assert_eq!(of("- one\n\nAnd prose."), None);
        assert_eq!(of("- one\n```\ncode\n```"), None);
    }
}

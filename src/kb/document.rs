//! A document as its file says it: front matter, headings, the first quote, the summary, the body
//! (disclosure.md §4).

use serde_json::{Map, Value};

use crate::codec::item::{self, Format, Rules};
use crate::codec::{toon, yaml as front_matter};

/// The longest title, in characters; a longer one is cut.
pub(crate) const LONGEST_TITLE: usize = 300;

/// The longest URI that front matter may declare, in characters.
pub(crate) const LONGEST_URI: usize = 512;

/// A heading outside of fences and comments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Its text, without marks.
    pub text: String,
    /// The line of the body, from 0.
    pub line: usize,
}

/// A document as read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// All fields of the front matter, with the author's types; empty when there is none or it is broken.
    pub metadata: Map<String, Value>,
    /// What is wrong with the front matter.
    pub metadata_error: Option<String>,
    /// The title that the document itself has: of its front matter, else its first heading of level 1.
    pub title: Option<String>,
    /// The first quote right under the heading of level 1, in one line.
    pub blockquote: Option<String>,
    /// The section `Summary`.
    pub summary: Option<String>,
    /// Everything behind the front matter, with line feeds.
    pub body: String,
    /// The headings of the body.
    pub headings: Vec<Heading>,
    /// Some bytes were no UTF-8.
    pub lossy: bool,
    /// The line of the file, from 0, on which the body begins.
    pub first_line: usize,
    /// The URI of an item, which its fields do not say.
    pub item_uri: Option<String>,
}

/// Reads a Markdown file.
pub fn read(bytes: &[u8]) -> Document {
    let text = String::from_utf8_lossy(bytes);
    let lossy = matches!(text, std::borrow::Cow::Owned(_));
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let text = if text.contains('\r') { text.replace("\r\n", "\n") } else { text.to_owned() };
    let (front, body, first_line) = split(&text);
    let (metadata, metadata_error) = match front.map(front_matter::read) {
        None => (Map::new(), None),
        Some(Ok(map)) => (map, None),
        Some(Err(problem)) => (Map::new(), Some(problem)),
    };
    let body = body.to_owned();
    let lines: Vec<&str> = body.split('\n').collect();
    let headings = headings(&lines);
    let h1 = headings.iter().find(|heading| heading.level == 1);
    let title = text_of(&metadata, "title").or_else(|| h1.and_then(|heading| title_text(&heading.text)));
    let blockquote = h1.and_then(|heading| blockquote(&lines[after(&lines, heading)..]));
    let summary = summary(&lines, &headings);
    Document {
        metadata,
        metadata_error,
        title,
        blockquote,
        summary,
        body,
        headings,
        lossy,
        first_line,
        item_uri: None,
    }
}

/// Reads an item file; none when it is no item.
pub fn read_item(bytes: &[u8], format: Format) -> Option<Document> {
    // Whatever its status is called, it is a document.
    let any = |status: &str| Some(status.to_owned());
    let item = item::decode(bytes, format, &Rules::lenient(&any)).ok()?.item;
    let lines: Vec<&str> = item.body.split('\n').collect();
    let headings = headings(&lines);
    let description = item.text("description").unwrap_or_default().trim();
    let paragraph = description.split("\n\n").next().unwrap_or_default();
    let blockquote = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(Document {
        title: title_text(item.title()),
        item_uri: Some(format!("pm://item/{}", item.id())),
        blockquote: (!blockquote.is_empty()).then_some(blockquote),
        summary: summary(&lines, &headings),
        metadata: item.metadata.clone(),
        body: item.body.clone(),
        headings,
        ..Document::default()
    })
}

/// The names that the file of a runbook may have.
pub(crate) const RUNBOOKS: [&str; 3] = ["runbook.json", "runbook.toon", "runbook.yaml"];

/// The most values of a runbook in YAML.
const MAX_RUNBOOK_NODES: usize = 20_000;

/// Reads a runbook of the catalog as a document of kind docs: its summary is the quote, its steps are the sections.
/// None when it is no runbook.
pub fn read_runbook(path: &str, bytes: &[u8]) -> Option<Document> {
    let text = std::str::from_utf8(bytes).ok()?;
    let record = match path.rsplit('.').next() {
        Some("toon") => toon::decode(text).ok()?,
        Some("yaml") => Value::Object(front_matter::read_within(text, text.len(), MAX_RUNBOOK_NODES).ok()?),
        _ => serde_json::from_str(text).ok()?,
    };
    let title = title_text(record["title"].as_str()?)?;
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let mut body = format!("# {title}\n");
    let summary = record["summary"].as_str().and_then(title_text);
    body.extend(summary.iter().map(|summary| format!("\n> {summary}\n")));
    body.extend(texts(&record["symptoms"]).iter().map(|symptom| format!("\n- {symptom}")));
    for step in record["steps"].as_array().into_iter().flatten() {
        let (title, text) = (step["title"].as_str().unwrap_or_default(), step["body"]["text"].as_str());
        body.push_str(&format!("\n\n## {title}\n\n{}", text.unwrap_or_default()));
    }
    let mut metadata = Map::new();
    metadata.insert("kind".to_owned(), "docs".into());
    for key in ["slug", "profile", "publisher", "topic", "tags", "targets"] {
        metadata.extend(record.get(key).map(|value| (key.to_owned(), value.clone())));
    }
    let lines: Vec<&str> = body.split('\n').collect();
    let headings = headings(&lines);
    Some(Document {
        metadata,
        title: Some(title),
        blockquote: summary,
        headings,
        body,
        ..Document::default()
    })
}

/// A text field that says something, in one line and not longer than a title may be.
fn text_of(metadata: &Map<String, Value>, key: &str) -> Option<String> {
    metadata.get(key).and_then(Value::as_str).and_then(title_text)
}

/// A title: one line, cut at [`LONGEST_TITLE`]; none when it is blank.
pub(crate) fn title_text(text: &str) -> Option<String> {
    let mut out = String::new();
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
        if out.len() > LONGEST_TITLE * 4 {
            break;
        }
    }
    if let Some((cut, _)) = out.char_indices().nth(LONGEST_TITLE) {
        out.truncate(cut);
        out.push('…');
    }
    (!out.is_empty()).then_some(out)
}

/// Front matter, the rest, and the line on which the rest begins. Front matter that is not closed is none.
fn split(text: &str) -> (Option<&str>, &str, usize) {
    let Some(rest) = text.strip_prefix("---\n") else { return (None, text, 0) };
    let mut at = 0;
    for (n, line) in rest.split('\n').enumerate() {
        if line == "---" || line == "..." {
            let end = (at + line.len() + 1).min(rest.len());
            return (Some(&rest[..at]), &rest[end..], n + 2);
        }
        at += line.len() + 1;
    }
    (None, text, 0)
}

/// A fence that is open: its character and length.
type Fence = (u8, usize);

/// The run of fence characters that a line begins with.
fn fence_of(line: &str) -> Option<(Fence, &str)> {
    let bare = line.trim_start_matches(' ');
    let mark = *bare.as_bytes().first().filter(|b| matches!(b, b'`' | b'~'))?;
    let length = bare.bytes().take_while(|b| *b == mark).count();
    if line.len() - bare.len() > 3 || length < 3 {
        return None;
    }
    let rest = &bare[length..];
    (mark != b'`' || !rest.contains('`')).then_some(((mark, length), rest))
}

/// Which lines may be headings: neither fenced nor inside a comment.
fn open_lines(lines: &[&str]) -> Vec<bool> {
    let mut fence: Option<Fence> = None;
    let mut comment = false;
    lines
        .iter()
        .map(|line| {
            if let Some((mark, length)) = fence {
                let closes = fence_of(line)
                    .is_some_and(|((own, n), rest)| own == mark && n >= length && rest.trim().is_empty());
                if closes {
                    fence = None;
                }
                return false;
            }
            if comment {
                comment = !line.contains("-->");
                return false;
            }
            if let Some((opened, _)) = fence_of(line) {
                fence = Some(opened);
                return false;
            }
            if let Some(at) = line.rfind("<!--")
                && !line[at..].contains("-->")
            {
                comment = true;
                return !line.trim_start().starts_with("<!--");
            }
            true
        })
        .collect()
}

/// A heading with number signs.
fn atx(line: &str) -> Option<(u8, String)> {
    let bare = line.trim_start_matches(' ');
    let level = bare.bytes().take_while(|b| *b == b'#').count();
    if line.len() - bare.len() > 3 || !(1..=6).contains(&level) {
        return None;
    }
    let rest = &bare[level..];
    if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
        return None;
    }
    let text = rest.trim();
    let closed = text.trim_end_matches('#');
    let text = if closed.is_empty() || closed.ends_with([' ', '\t']) { closed.trim() } else { text };
    Some((u8::try_from(level).unwrap_or(6), text.to_owned()))
}

/// The level that a line gives to the paragraph above it.
fn underline(line: &str) -> Option<u8> {
    let text = line.trim_end();
    if text.len() - text.trim_start_matches(' ').len() > 3 {
        return None;
    }
    let text = text.trim_start();
    match text.as_bytes().first()? {
        b'=' if text.bytes().all(|b| b == b'=') => Some(1),
        b'-' if text.bytes().all(|b| b == b'-') => Some(2),
        _ => None,
    }
}

/// Whether a line can be the text of an underlined heading.
fn is_paragraph(line: &str) -> bool {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    let numbered = text.find(['.', ')']).is_some_and(|at| {
        at > 0 && text[..at].bytes().all(|b| b.is_ascii_digit()) && text[at + 1..].starts_with(' ')
    });
    let marked =
        ["- ", "* ", "+ ", ">", "|", "<", "***", "___", "---"].iter().any(|mark| text.starts_with(mark));
    indent < 4 && !text.is_empty() && !marked && !numbered && atx(line).is_none()
}

fn headings(lines: &[&str]) -> Vec<Heading> {
    let open = open_lines(lines);
    let mut found = Vec::new();
    for (n, line) in lines.iter().enumerate() {
        if !open[n] {
            continue;
        }
        if let Some((level, text)) = atx(line) {
            found.push(Heading { level, text, line: n });
        } else if let Some(level) = underline(line)
            && n > 0
            && open[n - 1]
            && is_paragraph(lines[n - 1])
        {
            found.push(Heading { level, text: lines[n - 1].trim().to_owned(), line: n - 1 });
        }
    }
    found
}

/// The first line behind a heading.
fn after(lines: &[&str], heading: &Heading) -> usize {
    heading.line + if atx(lines[heading.line]).is_some() { 1 } else { 2 }
}

/// The quote that these lines begin with.
fn blockquote(lines: &[&str]) -> Option<String> {
    let start = lines.iter().position(|line| !line.trim().is_empty())?;
    let mut parts = Vec::new();
    for line in &lines[start..] {
        let Some(rest) = line.strip_prefix('>') else { break };
        let text = rest.strip_prefix(' ').unwrap_or(rest).trim_end();
        if text.is_empty() {
            break;
        }
        parts.push(text);
    }
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// The text under the first heading of level 2 that is called Summary.
fn summary(lines: &[&str], headings: &[Heading]) -> Option<String> {
    let at = headings.iter().position(|heading| heading.level == 2 && is_summary(&heading.text))?;
    let start = after(lines, &headings[at]);
    let end = headings[at + 1..].iter().find(|next| next.level <= 2).map_or(lines.len(), |next| next.line);
    Some(lines[start..end.max(start)].join("\n").trim().to_owned())
}

fn is_summary(text: &str) -> bool {
    text.strip_prefix("Summary")
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '\u{2013}', '\u{2014}', ':', ' ']))
}

impl Document {
    /// The section under the heading of this text, heading included: to the next heading that is not deeper.
    pub fn section(&self, name: &str) -> Option<String> {
        let exact = self.headings.iter().position(|heading| heading.text == name);
        let folded = name.trim().to_lowercase();
        let alike = || self.headings.iter().position(|heading| heading.text.to_lowercase() == folded);
        let at = exact.or_else(alike)?;
        let heading = &self.headings[at];
        let lines: Vec<&str> = self.body.split('\n').collect();
        let next = self.headings[at + 1..].iter().find(|next| next.level <= heading.level);
        let end = next.map_or(lines.len(), |next| next.line);
        Some(lines[heading.line..end].join("\n").trim_end().to_owned() + "\n")
    }

    /// The URI that the document declares, or that its id gives it.
    pub fn uri(&self) -> Option<&str> {
        self.item_uri.as_deref().or_else(|| self.text("uri").map(str::trim))
    }

    /// The value of a field, when it is text that is not blank.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.metadata.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(text: &str) -> Document {
        read(text.as_bytes())
    }

    #[test]
    fn the_title_is_that_of_the_front_matter_then_the_heading() {
        assert_eq!(of("---\ntitle: A\n---\n# B\n").title.as_deref(), Some("A"));
        assert_eq!(of("---\ntitle: \"  \"\n---\n# B ##\n").title.as_deref(), Some("B"));
        assert_eq!(of("Big\n===\n").title.as_deref(), Some("Big"));
        assert_eq!(of("```\n# no\n```\n## two\n").title, None);
        assert_eq!(of("<!--\n# no\n-->\n# yes\n").title.as_deref(), Some("yes"));
        let long = of(&format!("# {}\n", "x".repeat(100_000))).title.unwrap();
        assert_eq!(long.chars().count(), LONGEST_TITLE + 1);
    }

    #[test]
    fn front_matter_must_be_closed() {
        let open = of("---\ntitle: A\n# B\n");
        assert!(open.metadata.is_empty() && open.metadata_error.is_none());
        assert_eq!(open.body, "---\ntitle: A\n# B\n");
        let broken = of("---\ntitle: [\n---\n# B\n");
        assert!(broken.metadata.is_empty() && broken.metadata_error.is_some());
        assert_eq!(broken.title.as_deref(), Some("B"));
        assert_eq!(of("---\na: 1\n...\nx").body, "x");
        assert_eq!(of("---\na: 1\n---").body, "");
        assert_eq!(of(" ---\na: 1\n---\n").metadata, Map::new());
    }

    #[test]
    fn the_quote_stands_right_under_the_heading() {
        assert_eq!(of("# T\n\n> a\n>b \n>\n> c\n").blockquote.as_deref(), Some("a b"));
        assert_eq!(of("# T\n> a\nlazy\n").blockquote.as_deref(), Some("a"));
        assert_eq!(of("# T\n\ntext\n\n> a\n").blockquote, None);
        assert_eq!(of("> a\n\n# T\n").blockquote, None);
        assert_eq!(of("T\n===\n\n> a\n").blockquote.as_deref(), Some("a"));
    }

    #[test]
    fn the_summary_ends_at_the_next_heading_of_its_level() {
        let text = "# T\n\n## Summary \u{2014} short\n\nA\n\n### Deep\n\n```\n## no\n```\n\n## Next\n\nB\n";
        assert_eq!(of(text).summary.as_deref(), Some("A\n\n### Deep\n\n```\n## no\n```"));
        assert_eq!(of("## Summaries\n\nA\n").summary, None);
        assert_eq!(of("```\n## Summary\n```\n").summary, None);
        assert_eq!(of("Summary\n-------\n\nA\n").summary.as_deref(), Some("A"));
        assert_eq!(of("## Summary\n").summary.as_deref(), Some(""));
    }

    #[test]
    fn line_ends_marks_and_bad_bytes() {
        let document = read(b"\xef\xbb\xbf---\r\na: 1\r\n---\r\n# T\r\n\xff\r\n");
        assert_eq!(document.metadata["a"], json!(1));
        assert_eq!(document.body, "# T\n\u{fffd}\n");
        assert!(document.lossy);
        assert_eq!(document.first_line, 3);
    }

    #[test]
    fn sections_by_heading() {
        let document = of("# T\n\n## One\n\nA\n\n### Two\n\nB\n\n## Three\nC\n");
        assert_eq!(document.section("One").as_deref(), Some("## One\n\nA\n\n### Two\n\nB\n"));
        assert_eq!(document.section("two").as_deref(), Some("### Two\n\nB\n"));
        assert_eq!(document.section("Three").as_deref(), Some("## Three\nC\n"));
        assert_eq!(document.section("Four"), None);
    }

    #[test]
    fn no_text_is_read_twice_as_a_heading() {
        for text in ["- item\n---\n", "> q\n===\n", "a | b\n--|--\n", "\n---\n", "1. x\n---\n"] {
            assert!(of(text).headings.is_empty(), "{text:?}");
        }
    }
}

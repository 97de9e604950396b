//! todo.txt: a task a line.

use std::collections::HashMap;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{Link, Reading, Record, Source};

use crate::codec::hex;

pub(super) fn read(sources: &[Source], reading: &mut Reading) {
    let mut times: HashMap<String, usize> = HashMap::new();
    for source in sources {
        for (n, line) in source.text.lines().enumerate() {
            let origin = format!("{}:{}", source.path, n + 1);
            let line = line.trim();
            if line.starts_with("# ") {
                reading.pass_over(&origin, "a comment");
            } else if !line.is_empty() {
                let mut record = task(origin, line);
                if record.id.is_empty() {
                    // Tasks have no ids: what they say names them, and how often it was said before.
                    let time = times.entry(record.title.clone()).or_default();
                    *time += 1;
                    record.id = name(&record.title, *time);
                }
                reading.records.push(record);
            }
        }
    }
}

fn name(title: &str, time: usize) -> String {
    let digest = hex::encode(&Sha256::digest(title)[..4]);
    if time == 1 { format!("todo-{digest}") } else { format!("todo-{digest}-{time}") }
}

fn task(origin: String, line: &str) -> Record {
    let mut record = Record { origin, status: "open".to_owned(), ..Record::default() };
    let mut rest = line;
    if let Some(after) = rest.strip_prefix("x ") {
        record.status = "closed".to_owned();
        rest = after.trim_start();
    }
    let mut letter = priority(&mut rest);
    let mut dates = Vec::new();
    while let Some((word, after)) = rest.split_once(' ').filter(|(word, _)| is_date(word) && dates.len() < 2)
    {
        dates.push(word);
        rest = after.trim_start();
        letter = letter.or_else(|| priority(&mut rest));
    }
    let done = record.status == "closed";
    let (closed, created) = match dates.as_slice() {
        // The day of completion stands first; a single date of what is done is that one.
        [closed, created] if done => (*closed, *created),
        [closed] if done => (*closed, ""),
        [created, ..] => ("", *created),
        [] => ("", ""),
    };
    record.set("closed_at", closed);
    record.set("created_at", created);
    let mut words = Vec::new();
    for word in rest.split_whitespace() {
        if tag(&mut record, &mut letter, word) {
            words.push(word);
        }
    }
    record.title = words.join(" ");
    if let Some(letter) = letter {
        record.priority = Some((letter as u8 - b'A').min(4));
        if letter > 'E' {
            record.keep("priority", json!(letter.to_string()));
        }
    }
    record
}

/// `(B) ` at the beginning.
fn priority(rest: &mut &str) -> Option<char> {
    let bytes = rest.as_bytes();
    let is = matches!(bytes, [b'(', b'A'..=b'Z', b')', b' ', ..]);
    is.then(|| {
        let letter = char::from(bytes[1]);
        *rest = rest[4..].trim_start();
        letter
    })
}

fn is_date(word: &str) -> bool {
    word.len() == 10 && crate::model::timestamp::parse(word).is_some()
}

/// Projects, contexts and pairs of a word; whether the word stays in the title.
fn tag(record: &mut Record, letter: &mut Option<char>, word: &str) -> bool {
    if let Some(project) = word.strip_prefix('+').filter(|name| !name.is_empty()) {
        record.tags.push(project.to_owned());
        return true;
    }
    if word.len() > 1 && word.starts_with('@') {
        record.tags.push(word.to_owned());
        return true;
    }
    let Some((key, value)) = word.split_once(':').filter(|(key, value)| !key.is_empty() && !value.is_empty())
    else {
        return true;
    };
    match key {
        "due" if is_date(value) => record.set("deadline", value),
        "id" if record.id.is_empty() => record.id = value.to_owned(),
        "p" | "parent" if record.parent.is_empty() => record.parent = value.to_owned(),
        "dep" => {
            record.links.push(Link { id: value.to_owned(), kind: "blocks".to_owned(), ..Link::default() })
        }
        "pri"
            if letter.is_none()
                && value.len() == 1
                && value.starts_with(|c: char| c.is_ascii_uppercase()) =>
        {
            *letter = value.chars().next();
        }
        // Everything else is a part of what is said; `rec:` and the like are kept where programs find them too.
        "rec" | "t" => {
            record.keep(key, Value::from(value));
            return true;
        }
        _ => return true,
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Record {
        task(String::new(), line)
    }

    #[test]
    fn lines_are_read_as_the_rules_say() {
        let record = of("x 2014-01-02 (B) 2013-12-30 Create tests @Go +go-todo due:2014-02-17 Level:5");
        assert_eq!((record.title.as_str(), record.priority), ("Create tests @Go +go-todo Level:5", Some(1)));
        assert_eq!(
            Value::Object(record.fields),
            json!({"closed_at": "2014-01-02", "created_at": "2013-12-30", "deadline": "2014-02-17"})
        );
        assert_eq!(
            (record.status.as_str(), record.tags),
            ("closed", vec!["@Go".to_owned(), "go-todo".to_owned()])
        );
        for (line, title) in [
            ("xylophone lesson", "xylophone lesson"),
            ("X 2012-01-01 Make resolutions", "X 2012-01-01 Make resolutions"),
            ("(B) 2013-13-01 late", "2013-13-01 late"),
            ("(b) lower", "(b) lower"),
            ("see http://x.org a:", "see http://x.org a:"),
            ("due:tomorrow call", "due:tomorrow call"),
        ] {
            assert_eq!(of(line).title, title);
        }
        assert_eq!(of("(Z) last").rest["priority"], "Z");
        assert_eq!(of("x done pri:C").priority, Some(2));
    }
}

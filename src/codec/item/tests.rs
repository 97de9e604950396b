use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn rules() -> Rules<'static> {
    Rules::lenient(&|status| match status.trim().to_lowercase().as_str() {
        "open" => Some("open".to_owned()),
        "in-progress" | "in_progress" => Some("in_progress".to_owned()),
        "closed" => Some("closed".to_owned()),
        _ => None,
    })
}

const ITEM: &str = "id: pm-a1\ntitle: One\ndescription: \"\"\ntype: Task\nstatus: open\npriority: 2\ntags: []\n\
    created_at: \"2026-07-28T10:00:00.000Z\"\nupdated_at: \"2026-07-28T10:00:00.000Z\"\nbody: text\n";

fn read(text: &str) -> Result<Item, ItemError> {
    decode(text.as_bytes(), Format::Toon, &rules()).map(|decoded| decoded.item)
}

fn with(from: &str, to: &str) -> Result<Item, ItemError> {
    let text = ITEM.replacen(from, to, 1);
    assert_ne!(text, ITEM, "{from}");
    read(&text)
}

#[test]
fn every_form_of_a_document_is_one_item() {
    let item = read(ITEM).unwrap();
    assert_eq!((item.id(), item.body.as_str(), item.priority()), ("pm-a1", "text", 2));
    assert_eq!(encode(&item).unwrap(), ITEM);
    let nested: String = ITEM
        .lines()
        .map(|line| match line.strip_prefix("body: ") {
            Some(body) => format!("body: {body}\n"),
            None => format!("  {line}\n"),
        })
        .collect();
    for text in [
        format!("\u{feff}{ITEM}"),
        ITEM.replace('\n', "\r\n"),
        format!("# a comment\n{ITEM}"),
        format!("front_matter:\n{nested}"),
        ITEM.replace("open", "Open "),
        ITEM.replace("body: text", "body: \"\\n\\ntext  \""),
    ] {
        assert_eq!(read(&text).unwrap(), item, "{text}");
    }
    let front: String = serde_json::to_string_pretty(&Value::Object(item.metadata.clone())).unwrap();
    for (text, warnings) in [
        (format!("{front}\n\ntext\n"), 0),
        (format!("\u{feff}{front}\r\n\r\ntext\r\n"), 0),
        (format!("---\ntitle: other\n---\n\n{front}\n\ntext\n"), 1),
    ] {
        let decoded = decode(text.as_bytes(), Format::JsonMarkdown, &rules()).unwrap();
        assert_eq!(decoded.item, item, "{text}");
        assert_eq!(decoded.warnings.len(), warnings, "{text}");
    }
}

#[test]
fn bodies_and_texts_are_spelled_as_the_reference_does() {
    let item = read(ITEM).unwrap();
    for (body, line) in [
        ("x  ", "body: x"),
        ("\n\nlead", "body: lead"),
        ("crlf\r\nb", "body: \"crlf\\r\\nb\""),
        ("null", "body: \"null\""),
        ("007", "body: \"007\""),
        ("1e3", "body: \"1e3\""),
        ("-dash", "body: \"-dash\""),
        ("#hash", "body: \"#hash\""),
        ("a,b", "body: \"a,b\""),
        (" sp", "body: \" sp\""),
        ("", "body: \"\""),
        ("\t\u{1}q\"\\", "body: \"\\t\\u0001q\\\"\\\\\""),
        ("notes[]: x", "body: \"notes[]: x\""),
        ("2026.8.22 é😀", "body: 2026.8.22 é😀"),
    ] {
        let text = encode(&Item { body: body.to_owned(), ..item.clone() }).unwrap();
        assert!(text.ends_with(&format!("\n{line}\n")), "{text}");
        assert_eq!(read(&text).unwrap().body, crate::model::canonical::normalise_body(body));
    }
}

#[test]
fn unknown_keys_stay_before_the_body_and_nulls_in_rows_go() {
    let item = with(
        "body:",
        "dependencies[1]{id,kind,created_at,author,source_kind}:\n  PM-B ,blocks,\"2026-07-28T10:00:00.000Z\",null,null\n\
         zzz: 1\nyyy:\n  a: 1\n  b[2]: x,y\nempty: null\nbody:",
    )
    .unwrap();
    let text = encode(&item).unwrap();
    let tail = "dependencies[1]{id,kind,created_at}:\n  pm-b,blocks,\"2026-07-28T10:00:00.000Z\"\n\
        empty: null\nyyy:\n  a: 1\n  b[2]: x,y\nzzz: 1\nbody: text\n";
    assert!(text.ends_with(tail), "{text}");
}

#[test]
fn optional_keys_decide_between_table_and_list() {
    let dependency = |id: &str, author: Option<&str>| {
        let mut value = json!({"id": id, "kind": "blocks", "created_at": "2026-07-28T10:00:00.000Z"});
        if let Some(author) = author {
            value["author"] = author.into();
        }
        value
    };
    let mut item = read(ITEM).unwrap();
    item.metadata.insert("dependencies".into(), json!([dependency("a", None), dependency("b", Some("me"))]));
    assert!(encode(&item).unwrap().contains("dependencies[2]:\n  - id: a\n    kind: blocks\n"));
    item.metadata
        .insert("dependencies".into(), json!([dependency("a", Some("x")), dependency("b", Some("me"))]));
    assert!(encode(&item).unwrap().contains("dependencies[2]{id,kind,created_at,author}:\n  a,blocks,"));
}

#[test]
fn damage_is_refused_with_a_reason() {
    let deep = "deep:\n".to_owned() + &(0..2000).map(|i| "  ".repeat(i + 1) + "a:\n").collect::<String>();
    for (text, reason) in [
        (ITEM[..20].to_owned(), "missing"),
        (String::new(), "none of the fields"),
        ("hello\n".to_owned(), "no object"),
        ("[1]: a\n".to_owned(), "no object"),
        (ITEM.replace("tags: []", "tags[2]: a"), "line 7"),
        (ITEM.replace("tags: []", "tags[999999999]: a"), "line 7"),
        (ITEM.replace("tags: []", "tags: a"), "`tags`"),
        (ITEM.replace("tags: []", "tags[1]: 1"), "`tags`"),
        (ITEM.replace("status: open", "status: wibble"), "`wibble`"),
        (ITEM.replace("status: open", "status: 1"), "`status`"),
        (ITEM.replace("priority: 2", "priority: 9"), "9"),
        (ITEM.replace("priority: 2", "priority: 1.5"), "1.5"),
        (ITEM.replace("priority: 2", "priority: \"2\""), "`priority`"),
        (ITEM.replace("priority: 2\n", ""), "`priority`: is missing"),
        (ITEM.replace("title: One", "title: 7"), "`title`"),
        (ITEM.replace("type: Task", "type: \" \""), "`type`"),
        (ITEM.replace("body: text", "confidence: 250\nbody: text"), "250"),
        (ITEM.replace("body: text", "body[1]: text"), "`body`"),
        (ITEM.replace("body: text", "dependencies[1]{kind}:\n  blocks\nbody: text"), "`dependencies`"),
        (format!("{ITEM}title: again\n"), "line"),
        (ITEM.replace("body:", "comments[1]:\n\t- a\nbody:"), "line"),
        (ITEM.replace("body:", &(deep + "body:")), "depth"),
        (format!("{ITEM}x[1]{}{}:\n  1\n", "{a".repeat(30_000), "}".repeat(30_000)), "depth"),
    ] {
        match read(&text) {
            Err(ItemError::Invalid { problem }) => assert!(problem.contains(reason), "{reason}: {problem}"),
            other => panic!("{reason}: {other:?}"),
        }
    }
    let title = ITEM.replace("One", "O\u{1}e");
    for bytes in [title.replace('\u{1}', "\u{fffd}").into_bytes(), (0..=255).cycle().take(2048).collect()] {
        // The first is good UTF-8 that only looks repaired; the second is none.
        let utf8 = std::str::from_utf8(&bytes).is_ok();
        assert_eq!(decode(&bytes, Format::Toon, &rules()).is_ok(), utf8);
    }
    let mut bytes = ITEM.as_bytes().to_vec();
    bytes[20] = 0xff;
    assert!(decode(&bytes, Format::Toon, &rules()).unwrap_err().to_string().contains("line 2"));
    let large = vec![b' '; MAX_ITEM_BYTES as usize + 1];
    assert!(decode(&large, Format::Toon, &rules()).is_err());
    for text in ["{\"id\": 1", "[]", "", "text", "{}"] {
        assert!(decode(text.as_bytes(), Format::JsonMarkdown, &rules()).is_err(), "{text}");
    }
    let nested = "[".repeat(100_000);
    assert!(decode(format!("{{\"id\": {nested}").as_bytes(), Format::JsonMarkdown, &rules()).is_err());
}

#[test]
fn conflict_markers_are_told_by_line_before_anything_else() {
    for (text, line) in [
        (format!("<<<<<<< HEAD\n{ITEM}=======\n{ITEM}>>>>>>> x\n"), Some(1)),
        (ITEM.replace("body:", "  =======\r\nbody:"), Some(10)),
        (format!("{ITEM}>>>>>>>"), Some(11)),
        (ITEM.replace("text", "\"a\\n=======\\nb\""), None),
        (ITEM.replace("text", "x ======= y"), None),
        (ITEM.replace("text", "========"), None),
        (ITEM.replace("body:", "========\nbody:"), None),
        (ITEM.replace("body:", ">>>>>>>>> a\nbody:"), Some(10)),
        (format!("<<<<<<<< HEAD:tasks/x\n{ITEM}"), Some(1)),
    ] {
        assert_eq!(conflict_marker(text.as_bytes()), line, "{text}");
        assert_eq!(matches!(read(&text), Err(ItemError::ConflictMarkers { .. })), line.is_some(), "{text}");
    }
    assert_eq!(conflict_marker(&vec![b'='; 1 << 20]), None);
}

#[test]
fn events_must_make_sense() {
    let event = |rest: &str| {
        with("body:", &format!("events[1]:\n  - start_at: \"2026-07-28T10:00:00.000Z\"\n{rest}body:"))
    };
    assert!(event("    title: x\n").is_ok());
    for wrong in [
        "    end_at: \"2026-07-28T10:00:00.000Z\"\n",
        "    end_at: later\n",
        "    title: \" \"\n",
        "    recurrence:\n      freq: hourly\n",
        "    recurrence:\n      freq: daily\n      count: 0\n",
        "    recurrence:\n      freq: daily\n      interval: 1.5\n",
        "    recurrence:\n      freq: daily\n      until: \"2026-07-27T10:00:00.000Z\"\n",
    ] {
        let problem = event(wrong).unwrap_err().to_string();
        assert!(problem.contains("`events`: entry 1"), "{wrong}: {problem}");
    }
    let daily =
        event("    recurrence:\n      freq: Daily\n      interval: 1\n      by_weekday[2]: SUN,mon\n")
            .unwrap();
    assert_eq!(daily.list("events")[0]["recurrence"], json!({"freq": "daily", "by_weekday": ["mon", "sun"]}));
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        title in "\\PC{0,12}|[ -~\n\t]{0,12}",
        body in "\\PC{0,12}|[ -~\n\t\r]{0,24}",
        tags in prop::collection::vec("[ -~éÀ]{0,4}", 0..4),
        custom in prop::collection::vec(("[ -~é]{1,5}", "\\PC{0,8}"), 0..4),
        number in any::<f64>().prop_filter("JSON", |n| n.is_finite()),
    ) {
        let mut item = read(ITEM).unwrap();
        item.metadata.insert("title".into(), title.into());
        item.metadata.insert("tags".into(), tags.into());
        item.metadata.insert("x_number".into(), number.into());
        item.metadata.extend(custom.into_iter().filter(|(k, _)| k != "body").map(|(k, v)| (k, v.into())));
        item.body = body;
        let text = encode(&item).unwrap();
        let read = read(&text).unwrap();
        prop_assert!(json::same(&Value::Object(read.metadata.clone()), &Value::Object(canonical::canonicalise(&item.metadata).unwrap())));
        prop_assert_eq!(&read.body, &canonical::normalise_body(&item.body));
        prop_assert_eq!(encode(&read).unwrap(), text);
    }

    #[test]
    fn hostile_bytes_never_panic(text in "([a-z_]{1,4}(\\[[0-9:|]{0,3}\\])?(\\{[a-z,{}]{0,6}\\})?:? ?[ -~\n]{0,8}\n){0,8}", bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        for bytes in [text.as_bytes(), &bytes, &[ITEM.as_bytes(), text.as_bytes()].concat()] {
            let _ = decode(bytes, Format::Toon, &rules());
            let _ = decode(bytes, Format::JsonMarkdown, &rules());
        }
    }
}

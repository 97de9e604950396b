use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::scan;
use crate::codec::item::{Format, Rules, decode, encode};
use crate::model::front::Front;
use crate::model::item::Item;

fn rules() -> Rules<'static> {
    Rules::lenient(&|status| matches!(status, "open" | "closed" | "custom").then(|| status.to_owned()))
}

/// A scan must say what the decoder says, or nothing.
fn agree(bytes: &[u8]) -> Result<bool, TestCaseError> {
    let Some(front) = scan(bytes, &rules()) else { return Ok(false) };
    let decoded = decode(bytes, Format::Toon, &rules());
    let text = String::from_utf8_lossy(bytes);
    let item = decoded.map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?.item;
    prop_assert_eq!(front, Front::from_item(&item), "{}", text);
    Ok(true)
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z0-9 ._-]{0,12}",
        "[ -~é\u{a0}😀\n\t\r\u{1}]{0,10}",
        "(true|null|-?[0-9]{1,4}(\\.[0-9]{1,2})?(e[+-]?[0-9])?|007|[0-9]{1,3}[a-z.]{1,2}|- x|#x|a: b|a,b|\\[2\\]: x)",
    ]
}

fn time() -> impl Strategy<Value = String> {
    prop_oneof![
        5 => (0i64..2_000_000_000_000).prop_map(crate::model::timestamp::format),
        1 => text(),
    ]
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (-1e6f64..1e6).prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..4).prop_map(|m| Value::Object(m.into_iter().collect())),
        ]
    })
}

/// Entries that have some of these members; now and then a null or something odd.
fn entries(keys: &'static [&'static str]) -> impl Strategy<Value = Value> {
    let value = prop_oneof![
        6 => text().prop_map(Value::from),
        3 => time().prop_map(Value::from),
        1 => Just(Value::Null),
        1 => any_value(),
    ];
    let entry = (prop::collection::vec(value, keys.len()), prop::collection::vec(0..8u8, keys.len()));
    let uniform = any::<bool>();
    (prop::collection::vec(entry, 0..4), uniform).prop_map(move |(rows, uniform)| {
        let keep = |row: &(Vec<Value>, Vec<u8>)| -> Value {
            let members = keys.iter().zip(&row.0).zip(&row.1);
            let kept = members.filter(|(_, skip)| uniform || **skip > 0);
            Value::Object(kept.map(|((key, value), _)| (key.to_string(), value.clone())).collect())
        };
        rows.iter().map(keep).collect()
    })
}

fn items() -> impl Strategy<Value = Item> {
    let head = (text(), text(), text(), 0..5u8, prop::collection::vec(text(), 0..4), time(), time(), text());
    let lists = (
        prop::option::of(entries(&["id", "kind", "created_at", "author", "source_kind"])),
        prop::option::of(entries(&["created_at", "author", "text"])),
        prop::option::of(entries(&["path", "scope", "note"])),
        prop::option::of(entries(&["command", "path", "scope", "timeout_seconds", "note"])),
    );
    let others = prop::collection::vec(
        (
            prop::sample::select(vec![
                "deadline",
                "assignee",
                "parent",
                "confidence",
                "severity",
                "risk",
                "order",
                "estimated_minutes",
                "acceptance_criteria",
                "close_reason",
                "regression",
                "custom",
                "Custom.x",
                "odd key",
                "test_runs",
                "reminders",
                "plan_steps",
                "type_options",
                "duplicate_of",
                "design",
                "zeta",
            ]),
            any_value(),
        ),
        0..6,
    );
    (head, lists, others).prop_map(|(head, lists, others)| {
        let (id, title, description, priority, tags, created, updated, body) = head;
        let mut metadata = json!({
            "id": id, "title": title, "description": description, "type": "Task", "status": "open",
            "priority": priority, "tags": tags, "created_at": created, "updated_at": updated,
        });
        for (key, value) in
            [("dependencies", lists.0), ("comments", lists.1), ("files", lists.2), ("tests", lists.3)]
        {
            if let Some(value) = value {
                metadata[key] = value;
            }
        }
        let mut metadata: Map<String, Value> = serde_json::from_value(metadata).unwrap();
        metadata.extend(others.into_iter().map(|(key, value)| (key.to_owned(), value)));
        Item { metadata, body }
    })
}

/// What the encoder makes of an item as it is, canonical or not.
fn raw_text(item: &Item) -> String {
    let mut document = item.metadata.clone();
    document.insert("body".to_owned(), Value::from(item.body.as_str()));
    crate::codec::toon::encode(&Value::Object(document)).unwrap() + "\n"
}

const PLAIN: &str = "id: pm-a1\ntitle: One\ndescription: \"a: b\\nc\"\ntype: Task\nstatus: open\npriority: 2\n\
    tags[2]: a,b-c\ncreated_at: \"2026-07-28T10:00:00.000Z\"\nupdated_at: \"2026-07-28T10:00:00.000Z\"\n\
    assignee: me\nestimated_minutes: 30\norder: 3\nconfidence: 80\n\
    dependencies[2]{id,kind,created_at,author}:\n  pm-b,blocks,\"2026-07-28T10:00:00.000Z\",null\n  \
    pm-c,related,\"2026-07-28T10:00:01.000Z\",me\n\
    comments[1]{created_at,author,text}:\n  \"2026-07-28T10:00:00.000Z\",me,\"x, y\\n=======\"\n\
    files[1]{path,scope}:\n  src/a.rs,project\n\
    tests[1]{command,scope}:\n  cargo test,project\n\
    learnings[2]:\n  - created_at: \"2026-07-28T10:00:00.000Z\"\n    author: me\n    text: x\n  \
    - created_at: \"2026-07-28T10:00:01.000Z\"\n    author: me\n    text: \"y\\n\"\n    edited_at: null\n\
    test_runs[1]{run_id,started_at,finished_at,recorded_at,passed}:\n  r1,\"a\",\"b\",\"c\",3\n\
    zzz[2]: 1,x\nbody: \"# T\\n\\ntext\"\n";

#[test]
fn the_front_of_a_plain_item_is_read_in_place() {
    let front = scan(PLAIN.as_bytes(), &rules()).expect("plain");
    assert_eq!(front.text("description"), Some("a: b\nc"));
    assert_eq!(front.number("estimated_minutes").and_then(|n| n.as_u64()), Some(30));
    assert_eq!(front.links()[1].id, "pm-c");
    assert_eq!(["comments", "learnings", "test_runs"].map(|key| front.count(key)), [1, 2, 1]);
    assert!(front.has("description") && front.has("order") && !front.has("parent"));
    assert!(front.has_body() && front.has_test_command());
    assert_eq!(front.custom().collect::<Vec<_>>(), [("zzz", &json!([1, "x"]))]);
    assert!(agree(PLAIN.as_bytes()).unwrap());
}

#[test]
fn anything_unusual_ends_the_scan() {
    for (from, to) in [
        ("id: pm-a1", "\u{feff}id: pm-a1"),
        ("id: pm-a1\n", ""),
        ("id: pm-a1", "\"id\": pm-a1"),
        ("id: pm-a1", "# note\nid: pm-a1"),
        ("title: One\n", "title: One\r\n"),
        ("title: One\n", "title: One\n\n"),
        ("title: One\n", "title: One\ntitle: Two\n"),
        ("status: open", "status: wibble"),
        ("status: open", "status: Open"),
        ("priority: 2", "priority: 9"),
        ("confidence: 80", "confidence: 250"),
        ("tags[2]", "tags[3]"),
        ("comments[1]", "comments[2]"),
        ("learnings[2]", "learnings[1]"),
        ("    text: x", "    author: x"),
        ("    text: x", "   text: x"),
        ("  - created_at: \"2026-07-28T10:00:01", "    created_at: \"2026-07-28T10:00:01"),
        ("  cargo", "\tcargo"),
        ("  cargo", "   cargo"),
        ("  cargo", "  # cargo"),
        ("  cargo", "=======\n  cargo"),
        ("{command,scope}", "{command,command}"),
        ("\\nc\"", "\\qc\""),
        ("\\n\\ntext\"\n", "\\n\\ntext\""),
    ] {
        let text = PLAIN.replacen(from, to, 1);
        assert_ne!(text, PLAIN, "{from}");
        assert!(scan(text.as_bytes(), &rules()).is_none(), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_scan_agrees_with_the_decoder(item in items()) {
        agree(raw_text(&item).as_bytes())?;
        if let Ok(text) = encode(&item) {
            agree(text.as_bytes())?;
        }
    }

    #[test]
    fn a_scan_agrees_on_mutated_documents(
        item in items(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..5u8, "[ -~\n\t\r]|null|  |- |: |#"), 1..4),
    ) {
        let plain = PLAIN.to_owned();
        for mut text in [plain, raw_text(&item)] {
            for (at, other, how, insert) in &edits {
                let lines: Vec<&str> = text.split_inclusive('\n').collect();
                if lines.is_empty() {
                    break;
                }
                let (line, target) = (at.index(lines.len()), other.index(lines.len()));
                let mut lines: Vec<String> = lines.into_iter().map(str::to_owned).collect();
                match how {
                    0 => drop(lines.remove(line)),
                    1 => lines.insert(target, lines[line].clone()),
                    _ => {
                        let chars: Vec<char> = lines[line].chars().collect();
                        let place = other.index(chars.len());
                        let (before, after) = chars.split_at(place);
                        let after = if *how == 2 { after } else { &after[1..] };
                        lines[line] = before.iter().chain(&insert.chars().collect::<Vec<_>>()).chain(after).collect();
                    }
                }
                text = lines.concat();
            }
            agree(text.as_bytes())?;
        }
    }
}

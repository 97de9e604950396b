//! Statements about modes, selectors and amounts.

use super::*;

#[test]
fn s29_to_s38_selectors() {
    let rows = |words: &[&str]| value(&read(list(3), surfaces::LIST, words).unwrap())["items"].clone();
    assert_eq!(rows(&["--json", "--output-include= id ,,id,"])[0], json!({"id": "pm-0000"}));
    assert_eq!(rows(&["--json", "--output-include=items.id"])[0], json!({"id": "pm-0000"}));
    assert_eq!(rows(&["--json", "--output-include=brief,status"])[0], json!({"status": "open"}));
    let error = refused(surfaces::LIST, &["--output-include=id,nosuch"]);
    assert_eq!((error.code, error.rejected.as_deref()), (Code::UnknownOutputIncludeSelector, Some("nosuch")));
    assert!(error.message.contains("brief, compact, full"), "{}", error.message);
    let error = refused(surfaces::STATS, &["--output-include=items.nosuch"]);
    assert!(error.message.contains("no projection modes"), "{}", error.message);
    assert!(read(list(0), surfaces::LIST, &["--output-include=nosuch"]).is_ok());
    let table = text(&read(list(1), surfaces::LIST, &["--output-include=title,id"]).unwrap()).to_owned();
    assert!(table.starts_with("items[1]{id,title}:\n"), "{table}");
}

#[test]
fn s35_a_selection_of_get_is_the_item_and_named_sections() {
    let answer = || {
        Answer::new()
            .record("item", json!({"id": "pm-a1", "title": "One", "body": "text"}))
            .value("linked", json!({"files": []}))
            .value("children", json!({"count": 2}))
    };
    let ask =
        |include: &str| read(answer(), surfaces::GET, &["--json", &format!("--output-include={include}")]);
    let json = value(&ask("id,title").unwrap());
    assert_eq!(json["item"], json!({"id": "pm-a1", "title": "One"}));
    assert_eq!(json.as_object().unwrap().keys().collect::<Vec<_>>(), ["item", "read_output"]);
    let json = value(&ask("title,children").unwrap());
    assert_eq!((&json["item"], &json["children"]), (&json!({"title": "One"}), &json!({"count": 2})));
    for wrong in ["item,id", "nosuch", "item.nosuch"] {
        assert_eq!(ask(wrong).unwrap_err().code, Code::UnknownOutputIncludeSelector, "{wrong}");
    }
}

#[test]
fn s37_sections_narrow_the_answer() {
    let answer = Answer::new()
        .value("totals", json!({"items": 3}))
        .rows("by_type", Rows::entries(vec![("Task".into(), json!(3))]));
    let json = value(&read(answer, surfaces::STATS, &["--json", "--output-include=totals"]).unwrap());
    assert_eq!(json.as_object().unwrap().keys().collect::<Vec<_>>(), ["totals", "read_output"]);
}

#[test]
fn s39_s40_a_limited_page_goes_on() {
    let json = value(&read(list(40), surfaces::LIST, &["--json", "--output-limit=3"]).unwrap());
    assert_eq!(json["applied_bound"], json!({"kind": "output_limit", "source": "explicit", "value": 3}));
    assert_eq!((&json["count"], &json["total"], &json["has_more"]), (&json!(3), &json!(40), &json!(true)));
    let next = json["next_cursor"].as_str().unwrap();
    for flag in ["--output-cursor", "--after"] {
        let words = [&format!("{flag}={next}"), "--json", "--output-limit=3"];
        let page = value(&read(list(40), surfaces::LIST, &words).unwrap());
        assert_eq!(page["items"][0]["id"], "pm-0003", "{flag}");
    }
    let local = value(&read(limited(40, 3), surfaces::LIST, &["--json"]).unwrap());
    let keys: Vec<_> = local.as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["items", "count", "total", "has_more", "next_cursor"]);
    let words = [&format!("--output-cursor={}", local["next_cursor"].as_str().unwrap()), "--json"];
    assert_eq!(value(&read(limited(40, 3), surfaces::LIST, &words).unwrap())["items"][2]["id"], "pm-0005");
}

#[test]
fn s41_each_declared_collection_is_bounded_and_can_go_on() {
    let nodes = || Rows::ready((0..5).map(row).collect());
    let answer = Answer::new().group("graph", Answer::new().rows("nodes", nodes()).rows("edges", nodes()));
    let json = value(&read(answer, surfaces::DEPS, &["--json", "--output-limit=2"]).unwrap());
    assert_eq!(json["graph"]["nodes"].as_array().unwrap().len(), 2);
    assert_eq!(json["graph"]["edges"].as_array().unwrap().len(), 2);
    let paths: Vec<_> = json["continuations"].as_array().unwrap().iter().map(|c| c["path"].clone()).collect();
    assert_eq!(paths, ["graph.nodes", "graph.edges"]);
}

//! O21, O36, O37: times of files, texts of the world, ids that look like something else.

use serde_json::json;

use crate::sandbox::Sandbox;

#[test]
fn o21_times_of_files_fool_nobody() {
    let sandbox = Sandbox::tracker();
    for n in 0..4 {
        sandbox.create(&[&format!("Item {n}"), "--id", &format!("n{n}")]);
    }
    sandbox.ok(&["list"]);
    let path = sandbox.root().join("tasks/pm-n1.toon");
    let old = std::fs::metadata(&path).unwrap().modified().unwrap();
    let text = std::fs::read_to_string(&path).unwrap().replace("Item 1", "Item X");
    std::fs::write(&path, text).unwrap();
    for time in [old, old + std::time::Duration::from_secs(86_400), std::time::UNIX_EPOCH] {
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        let titles =
            sandbox.json(&["list", "--fields", "title", "--sort", "title", "--order", "asc"])["items"]
                .clone();
        assert_eq!(titles[3]["title"], "Item X");
    }
    sandbox.ok(&["update", "n1", "--priority", "0"]);
    assert_eq!(sandbox.json(&["history", "n1", "--verify"])["verification"]["ok"], true);
}

#[test]
fn o36_texts_of_the_world_line_up_and_nothing_controls_the_terminal() {
    let sandbox = Sandbox::tracker();
    let titles = ["修正ログイン", "👩‍👩‍👧‍👦 family", "e\u{301}tude", "תיקון", "bell\u{7}esc\u{1b}[31mred"];
    for (n, title) in titles.iter().enumerate() {
        sandbox.create(&[title, "--id", &format!("n{n}")]);
    }
    let listed = sandbox.json(&["list", "--sort", "created", "--order", "asc"])["items"].clone();
    let found: Vec<&str> =
        listed.as_array().unwrap().iter().map(|row| row["title"].as_str().unwrap()).collect();
    for title in titles {
        assert!(found.contains(&title), "JSON is exact: {title:?} in {found:?}");
    }
    let table = sandbox.ok(&["list", "--format", "table"]);
    assert!(!table.contains('\u{1b}') && !table.contains('\u{7}'), "{table:?}");
    let hits = sandbox.json(&["search", "étude"])["items"].clone();
    assert_eq!(hits[0]["title"], "e\u{301}tude");
}

#[test]
fn o36_people_read_whole_texts_and_short_receipts() {
    let sandbox = Sandbox::tracker();
    let parent = sandbox.create(&["Parent", "--id", "p", "--deadline", "2026-06-08"]);
    sandbox.create(&["Child", "--id", "c", "--parent", &parent]);
    let human = |argv: &[&str]| sandbox.ok(&[argv, &["--format", "table"]].concat());
    assert!(human(&["list", "--tree"]).contains("└─ Child"));
    let page = human(&["get", "p"]);
    assert!(page.starts_with("pm-p  Parent\n") && page.contains("2026-06-08 ("), "{page}");
    assert!(!page.contains("Linked"), "{page}");
    let said = human(&["comments", "p", "--add", "one\n  two"]);
    assert!(said.contains("\n  one\n    two\n"), "{said}");
    let page = human(&["get", "p", "--fields", "comments"]);
    assert!(page.contains("Comments\n") && !page.starts_with('\n'), "{page}");
    let receipt = human(&["update", "c", "--title", "Renamed"]);
    assert!(receipt.starts_with("pm-c  open  Renamed\n"), "{receipt}");
    let receipt = human(&["start-task", "c"]);
    assert!(receipt.starts_with("pm-c  Renamed\n") && receipt.lines().count() < 9, "{receipt}");
}

#[test]
fn o37_ids_that_look_like_numbers_and_words_stay_ids() {
    let sandbox = Sandbox::tracker();
    let ids = ["pm-0012", "pm-1e10", "pm-00000e0", "pm-null", "pm-true"];
    for id in ids {
        assert_eq!(sandbox.create(&[id.trim_start_matches("pm-"), "--id", id]), id);
    }
    for (n, id) in ids.iter().enumerate() {
        let other = ids[(n + 1) % ids.len()];
        sandbox.ok(&[
            "update",
            id,
            "--dep",
            &format!("id={other},kind=related"),
            "--add-tags",
            id.trim_start_matches("pm-"),
        ]);
        let child = sandbox.create(&["Child", "--id", &format!("child{n}"), "--parent", id]);
        assert_eq!(sandbox.json(&["get", &child])["item"]["parent"], *id);
        let item = sandbox.json(&["get", id, "--full"])["item"].clone();
        assert_eq!(
            (&item["id"], &item["title"], &item["tags"], &item["dependencies"][0]["id"]),
            (
                &json!(id),
                &json!(id.trim_start_matches("pm-")),
                &json!([id.trim_start_matches("pm-")]),
                &json!(other)
            )
        );
    }
}

//! A row that is more than a page by itself, in the midst of a walk.

use crate::sandbox::Sandbox;

#[test]
fn a_walk_goes_on_with_the_budget_that_the_omission_names() {
    let sandbox = Sandbox::tracker();
    for n in 0..9 {
        sandbox.create(&[&format!("Item {n}"), "--id", &format!("n{n}")]);
    }
    let long = "Words of it. ".repeat(30);
    let fields =
        ["description", "acceptance_criteria", "objective", "goal", "value", "impact", "outcome", "why_now"];
    let lines: String = fields.iter().map(|field| format!("{field}: \"{long}\"\n")).collect();
    sandbox.item("pm-n9", &lines);
    let budget = "600";
    let (mut ids, mut raised, mut cursor) = (Vec::new(), 0, None::<String>);
    let mut asked = budget.to_owned();
    for _ in 0..40 {
        let mut words = vec!["list", "--full", "--sort", "title", "--json", "--output-budget", &asked];
        words.extend(cursor.iter().flat_map(|cursor| ["--output-cursor", cursor]));
        let output = sandbox.pm(&words);
        let page = output.json();
        if let Some(restore) = page["output_budget_exceeded"]["restore_with"].as_str() {
            assert!(cursor.is_some() && output.code == 2, "{page}");
            raised += 1;
            asked = restore.strip_prefix("--output-budget ").unwrap().to_owned();
            assert!(asked.parse::<u64>().is_ok_and(|tokens| tokens > 600 && tokens < 4_000), "{restore}");
            continue;
        }
        budget.clone_into(&mut asked);
        let rows = page["items"].as_array().unwrap();
        ids.extend(rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    ids.sort();
    ids.dedup();
    assert_eq!((ids.len(), raised), (10, 1));
}

//! What agents are told, run as it stands: the skill in .agents/skills and the block that `init` writes.

use std::path::Path;

use crate::examples::words;
use crate::sandbox::{Output, Sandbox};

/// The lines of the shell blocks below a heading that begins so.
fn commands(page: &str, heading: &str) -> Vec<String> {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(page)).expect("the page is there");
    let section =
        text.split("\n## ").find(|section| section.starts_with(heading)).expect("the heading is there");
    let blocks = section.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix("sh\n"));
    let lines = blocks.flat_map(str::lines).map(|line| line.split("  #").next().unwrap_or(line).trim());
    lines.filter(|line| line.starts_with("pm ")).map(str::to_owned).collect()
}

fn run(pm: &Sandbox, line: &str, id: &str) -> Output {
    let words = words(&line.replace("<id>", id));
    let words: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
    pm.pm(&words).expect(0)
}

/// A tracker of a busy project.
fn tracker() -> Sandbox {
    let long = "Why this matters, at some length, as people write it down. ".repeat(20);
    let items: Vec<(String, String)> = (0..60)
        .map(|n| {
            let lines = format!(
                "priority: {}\ntype: {}\ndescription: \"{long}\"\ntags[2]: area-{},backend",
                n % 5,
                ["Task", "Issue", "Feature"][n % 3],
                n % 4
            );
            (format!("pm-item{n}"), lines)
        })
        .collect();
    let items: Vec<(&str, &str)> = items.iter().map(|(id, lines)| (id.as_str(), lines.as_str())).collect();
    Sandbox::with_items(&items)
}

const SKILL: &str = ".agents/skills/pm/SKILL.md";

#[test]
fn an_agent_orients_itself_for_500_tokens() {
    let pm = tracker();
    let calls = commands(SKILL, "Orient");
    assert_eq!(calls.len(), 2);
    let cost: usize = calls.iter().map(|line| run(&pm, line, "").stdout.len().div_ceil(4)).sum();
    assert!(cost <= 500, "{cost} tokens");
}

#[test]
fn every_call_of_the_skill_works_as_it_stands() {
    let pm = tracker();
    for heading in ["Work", "Hand over"] {
        for line in commands(SKILL, heading) {
            let _ = run(&pm, &line, "pm-item7");
        }
    }
}

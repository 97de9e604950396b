//! Times `pm catalog` as whole processes, on records that it writes itself, against the targets of
//! docs/performance.md (B-70).
//!
//! `measure_catalog PM FOLDER` where FOLDER is made anew. Started by `scripts/bench`.
#![expect(clippy::print_stdout, reason = "a program of its own")]

use std::fs;
use std::path::Path;

use family::{Before, Case, Family, Outcome, git};

mod family;
mod timing;

/// The targets are those of 200 records, 1,000 and 5,000.
const CASES: &[Case<3>] = &[
    Case {
        name: "build from nothing",
        argv: &["build", "--clock", DAY],
        before: Before::Forget,
        target: [400.0, 2000.0, 6000.0],
    },
    Case {
        name: "build, one edit",
        argv: &["build", "--clock", DAY],
        before: Before::Edit,
        target: [80.0, 100.0, 400.0],
    },
    Case {
        name: "build, nothing new",
        argv: &["build", "--clock", DAY],
        before: Before::Nothing,
        target: [80.0, 100.0, 400.0],
    },
    Case {
        name: "check one",
        argv: &["check", "record-0007"],
        before: Before::Nothing,
        target: [30.0, 30.0, 30.0],
    },
    Case {
        name: "list",
        argv: &["list", "--untrusted", "--clock", DAY],
        before: Before::Nothing,
        target: [30.0, 60.0, 200.0],
    },
    Case {
        name: "search",
        argv: &["search", "--symptom", "disk slow", "--trust-min", "T1", "--clock", DAY],
        before: Before::Nothing,
        target: [20.0, 40.0, 80.0],
    },
];

const DAY: &str = "2026-11-27";
/// How many records, and the most memory, in MiB.
const SIZES: [(usize, f64); 3] = [(200, 60.0), (1_000, 120.0), (5_000, 300.0)];
const SOURCE: &str = ".agents/pm/runbooks";
const WORDS: [&str; 8] = ["disk", "queue", "cache", "gateway", "timeout", "memory", "backup", "quota"];

fn main() -> Outcome {
    let (pm, at) = family::arguments()?;
    for (n, (size, memory)) in SIZES.into_iter().enumerate() {
        let folder = at.join(size.to_string());
        prepare(&folder, size)?;
        println!("\npm catalog ({size} records)");
        let family = Family { pm: &pm, command: "catalog", folder: &folder, memory };
        family.time(CASES, n, |before, turn| goes_before(before, &folder, turn))?;
    }
    Ok(())
}

fn prepare(place: &Path, size: usize) -> Outcome {
    let _ = fs::remove_dir_all(place);
    fs::create_dir_all(place.join(SOURCE).join("_trust"))?;
    fs::write(place.join(".gitignore"), "/dist/\n")?;
    fs::write(place.join(".agents/pm/settings.json"), "{}\n")?;
    let policy = "principals:\n  \"ops@example.org\":\n    kind: human\n    roles: []\n";
    fs::write(place.join(SOURCE).join("_trust/policy.toon"), policy)?;
    for n in 0..size {
        write(place, n, "Look at it, and write down what you see.")?;
    }
    git(place, &["init", "-q", "-b", "main"])?;
    git(place, &["add", "-A"])?;
    git(place, &["commit", "-q", "-m", "records"])?;
    // As a clone has them: in one pack.
    git(place, &["gc", "-q"])
}

fn write(place: &Path, n: usize, text: &str) -> Outcome {
    let slug = format!("record-{n:04}");
    let (a, b) = (WORDS[n % 8], WORDS[(n / 8) % 8]);
    let mut steps = String::new();
    for step in 0..6 {
        let comma = if step > 0 { "," } else { "" };
        steps.push_str(&format!(
            "{comma}{{\"id\":\"s{step}\",\"title\":\"Step {step}\",\"risk\":\"reversible\",\"body\":{{\"text\":\"{text} {n} {step}\"}}}}"
        ));
    }
    let record = format!(
        "{{\"schema_version\":\"1.0\",\"profile\":\"p0\",\"slug\":\"{slug}\",\"title\":\"Repair {a} {b} {n}\",\"summary\":\"When the {b} is full.\",\
         \"publisher\":\"ops@example.org\",\"topic\":\"{a}\",\"symptoms\":[\"{a} slow\",\"{b} down\"],\"targets\":[\"{a}\"],\"execution\":\"assisted\",\
         \"capabilities\":[],\"min_runtime_profile\":\"R1\",\"steps\":[{steps}]}}\n"
    );
    let folder = place.join(SOURCE).join(&slug);
    fs::create_dir_all(&folder)?;
    Ok(fs::write(folder.join("runbook.json"), record)?)
}

fn goes_before(before: Before, place: &Path, turn: usize) -> Outcome {
    match before {
        Before::Nothing => Ok(()),
        Before::Forget => {
            for folder in [".git/pm", "dist"] {
                let _ = fs::remove_dir_all(place.join(folder));
            }
            Ok(())
        }
        Before::Edit => {
            write(place, 7, &format!("Edit {turn}."))?;
            git(place, &["commit", "-q", "-am", "edit"])
        }
    }
}

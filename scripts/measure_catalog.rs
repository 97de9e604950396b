//! Times `pm catalog` as whole processes, on records that it writes itself, against the targets of
//! docs/performance.md (B-70).
//!
//! `measure_catalog PM FOLDER` where FOLDER is made anew. Started by `scripts/bench`.
#![expect(clippy::print_stdout, reason = "a program of its own")]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use timing::Run;

mod timing;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// What goes before a run.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    Nothing,
    /// The cache and the out folder are deleted.
    Forget,
    /// One record is edited and committed.
    Edit,
}

/// What to run, and how long it may take, in milliseconds: with 200 records, 1,000 and 5,000.
struct Case {
    name: &'static str,
    argv: &'static [&'static str],
    before: Before,
    target: [f64; 3],
}

const CASES: &[Case] = &[
    Case {
        name: "build from nothing",
        argv: &["build"],
        before: Before::Forget,
        target: [400.0, 2000.0, 6000.0],
    },
    Case { name: "build, one edit", argv: &["build"], before: Before::Edit, target: [80.0, 100.0, 400.0] },
    Case {
        name: "build, nothing new",
        argv: &["build"],
        before: Before::Nothing,
        target: [80.0, 100.0, 400.0],
    },
    Case {
        name: "check one",
        argv: &["check", "record-0007"],
        before: Before::Nothing,
        target: [30.0, 30.0, 30.0],
    },
    Case { name: "list", argv: &["list"], before: Before::Nothing, target: [30.0, 60.0, 200.0] },
    Case {
        name: "search",
        argv: &["search", "--symptom", "disk slow"],
        before: Before::Nothing,
        target: [20.0, 40.0, 80.0],
    },
];

const SIZES: [usize; 3] = [200, 1_000, 5_000];
const RUNS: usize = 5;
const SOURCE: &str = ".agents/pm/runbooks";
const WORDS: [&str; 8] = ["disk", "queue", "cache", "gateway", "timeout", "memory", "backup", "quota"];

fn main() -> Outcome {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(pm), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("measure_catalog PM FOLDER".into());
    };
    let pm = fs::canonicalize(pm)?;
    let mut slow = 0;
    for (n, size) in SIZES.into_iter().enumerate() {
        let place = folder.join(size.to_string());
        prepare(&place, size)?;
        println!("\n{size} records\n\n| | ms | target |\n| --- | ---: | ---: |");
        let mut edits = 0;
        for case in CASES {
            let mut runs = Vec::new();
            for _ in 0..RUNS {
                before(case.before, &place, &mut edits)?;
                let mut command = Command::new(&pm);
                command.arg("catalog").args(case.argv).args(["--clock", "2026-11-27"]).current_dir(&place);
                if case.argv[0] == "check" {
                    command = Command::new(&pm);
                    command.arg("catalog").args(case.argv).current_dir(&place);
                }
                runs.push(Run::of(command)?);
            }
            let Some(run) = Run::median(&runs) else { continue };
            let within = run.wall <= case.target[n] && run.code == 0;
            slow += usize::from(!within);
            println!(
                "| {} | {:.0} | {:.0}{} |",
                case.name,
                run.wall,
                case.target[n],
                if within { "" } else { " !" }
            );
        }
    }
    if slow > 0 { Err(format!("{slow} cases are over their target").into()) } else { Ok(()) }
}

fn git(place: &Path, arguments: &[&str]) -> Outcome {
    let identity =
        ["-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgsign=false"];
    let ended = Command::new("git").args(identity).args(arguments).current_dir(place).output()?;
    if ended.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&ended.stderr).into_owned().into())
    }
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
    git(place, &["commit", "-q", "-m", "records"])
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

fn before(before: Before, place: &Path, edits: &mut usize) -> Outcome {
    match before {
        Before::Nothing => Ok(()),
        Before::Forget => {
            for folder in [".git/pm", "dist"] {
                let _ = fs::remove_dir_all(place.join(folder));
            }
            Ok(())
        }
        Before::Edit => {
            *edits += 1;
            write(place, 7, &format!("Edit {edits}."))?;
            git(place, &["commit", "-q", "-am", "edit"])
        }
    }
}

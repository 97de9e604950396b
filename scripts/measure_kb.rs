//! Times the actions of `pm kb` as whole processes, on corpora that it writes itself, against the targets of
//! docs/performance.md.
//!
//! `measure_kb PM FOLDER` where FOLDER does not exist yet, or is one that an earlier run made. Started by `scripts/bench`.
#![expect(clippy::print_stdout, reason = "a program of its own")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use family::{Before, Case, Family, Outcome, git};

mod family;
mod timing;

/// The targets are those of 608 documents and of 10,000.
const CASES: &[Case<2>] = &[
    Case { name: "catalog", argv: &["catalog"], before: Before::Nothing, target: [25.0, 90.0] },
    Case {
        name: "search",
        argv: &["search", "restore ledger"],
        before: Before::Nothing,
        target: [30.0, 150.0],
    },
    Case {
        name: "preflight",
        argv: &["preflight", "restore a ledger"],
        before: Before::Nothing,
        target: [30.0, 150.0],
    },
    Case { name: "get", argv: &["get", "kb://canon/0/1"], before: Before::Nothing, target: [15.0, 40.0] },
    Case {
        name: "resolve",
        argv: &["resolve", "kb://canon/0/1"],
        before: Before::Nothing,
        target: [15.0, 40.0],
    },
    Case { name: "catalog cold", argv: &["catalog"], before: Before::Forget, target: [150.0, 1600.0] },
    Case {
        name: "search cold",
        argv: &["search", "restore ledger"],
        before: Before::Forget,
        target: [150.0, 1600.0],
    },
    Case {
        name: "--rev",
        argv: &["catalog", "--rev", "HEAD"],
        before: Before::Nothing,
        target: [25.0, 90.0],
    },
    Case {
        name: "--rev cold",
        argv: &["catalog", "--rev", "HEAD"],
        before: Before::Forget,
        target: [250.0, 2500.0],
    },
    Case { name: "after an edit", argv: &["catalog"], before: Before::Edit, target: [35.0, 120.0] },
];

/// How many documents, and the most memory, in MiB, of a search.
const CORPORA: [(usize, f64); 2] = [(608, 60.0), (10_000, 400.0)];
const FOLDERS: [&str; 5] = ["canon", "docs", "writings", "odd/ledger", "apocrypha"];
const WORDS: &[&str] = &[
    "agent",
    "answer",
    "audit",
    "backup",
    "boundary",
    "branch",
    "budget",
    "canon",
    "change",
    "claim",
    "cost",
    "deadline",
    "debt",
    "decision",
    "evidence",
    "failure",
    "gate",
    "handoff",
    "history",
    "index",
    "journal",
    "ledger",
    "limit",
    "merge",
    "method",
    "note",
    "observation",
    "owner",
    "page",
    "plan",
    "proof",
    "question",
    "record",
    "release",
    "repair",
    "replica",
    "restore",
    "review",
    "risk",
    "rule",
    "schema",
    "search",
    "session",
    "signal",
    "source",
    "status",
    "step",
    "system",
    "test",
    "token",
    "trust",
    "value",
    "version",
    "window",
    "work",
];

/// Numbers that are the same on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % n.max(1)
    }

    fn sentence(&mut self, words: usize) -> String {
        let words: Vec<&str> = (0..words).map(|_| WORDS[self.below(WORDS.len())]).collect();
        words.join(" ")
    }
}

/// A document of about eight kilobytes, with all its tiers.
fn document(n: usize, dice: &mut Dice) -> String {
    let title = dice.sentence(4);
    let mut text = format!(
        "---\ntitle: \"{title}\"\naudience: {}\nexposure: public\ntier: {}\ndate: 2026-{:02}-{:02}\ntags:\n  - {}\n  - {}\n",
        ["public", "canon"][n % 2],
        1 + n % 4,
        1 + n % 12,
        1 + n % 28,
        WORDS[n % WORDS.len()],
        WORDS[(n * 7) % WORDS.len()],
    );
    if n % 50 == 3 {
        let _ = writeln!(text, "supersedes: kb://canon/0/{}", n % 20);
    }
    let _ = writeln!(
        text,
        "---\n\n# {title}\n\n> {}\n\n## Summary\n\n{}\n",
        dice.sentence(20),
        dice.sentence(60)
    );
    for part in 0..8 {
        let _ = writeln!(text, "## Part {part}\n");
        for _ in 0..3 {
            let _ = writeln!(text, "{}.\n", dice.sentence(40));
        }
    }
    text
}

/// A repository of `count` documents; one that is there is taken as it is.
fn corpus(at: &Path, count: usize) -> Outcome<PathBuf> {
    let folder = at.join(count.to_string());
    if folder.join(".git/complete").exists() {
        git(&folder, &["checkout", "--quiet", "--", "."])?;
        return Ok(folder);
    }
    let _ = fs::remove_dir_all(&folder);
    let mut dice = Dice(7);
    for n in 0..count {
        let place = folder.join(FOLDERS[n % FOLDERS.len()]).join((n / FOLDERS.len() / 40).to_string());
        fs::create_dir_all(&place)?;
        fs::write(place.join(format!("{}.md", n / FOLDERS.len())), document(n, &mut dice))?;
    }
    git(&folder, &["init", "--quiet"])?;
    git(&folder, &["add", "--all"])?;
    git(&folder, &["commit", "--quiet", "--message", "documents"])?;
    fs::write(folder.join(".git/complete"), "")?;
    Ok(folder)
}

fn main() -> Outcome {
    let (pm, at) = family::arguments()?;
    for (size, (count, memory)) in CORPORA.into_iter().enumerate() {
        let folder = corpus(&at, count)?;
        println!("\npm kb ({count} documents)");
        let family = Family { pm: &pm, command: "kb", folder: &folder, memory };
        family.time(CASES, size, |before, turn| {
            match before {
                Before::Forget => drop(fs::remove_dir_all(folder.join(".git/pm"))),
                Before::Edit => {
                    let path = folder.join("docs/0/1.md");
                    fs::write(&path, format!("{}turn {turn}\n", fs::read_to_string(&path)?))?;
                }
                Before::Nothing => {}
            }
            Ok(())
        })?;
    }
    Ok(())
}

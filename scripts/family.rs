//! What the programs that time one family of commands share: cases, what goes before a run, a table of what they took.
//! The bench reports and people judge: a case above its target is marked, a command that fails ends the program.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::timing::Run;

pub(crate) type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// What goes before a run.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Before {
    Nothing,
    /// What was derived is deleted.
    Forget,
    /// One file is edited.
    Edit,
}

/// What to run, and how long it may take, in milliseconds, at each size.
pub(crate) struct Case<const SIZES: usize> {
    pub(crate) name: &'static str,
    pub(crate) argv: &'static [&'static str],
    pub(crate) before: Before,
    pub(crate) target: [f64; SIZES],
}

/// A family of commands at one size.
pub(crate) struct Family<'f> {
    /// The binary.
    pub(crate) pm: &'f Path,
    /// The word after `pm`.
    pub(crate) command: &'static str,
    /// The folder that it runs in.
    pub(crate) folder: &'f Path,
    /// The most memory of a run, in MiB.
    pub(crate) memory: f64,
}

const RUNS: usize = 5;

impl Family<'_> {
    /// Times all cases and prints a line for each. `prepare` does what goes before a run; it is told which run it is.
    pub(crate) fn time<const SIZES: usize>(
        &self,
        cases: &[Case<SIZES>],
        size: usize,
        mut prepare: impl FnMut(Before, usize) -> Outcome,
    ) -> Outcome {
        println!(
            "{:<20} {:>9} {:>9} {:>9} {:>9} {:>9}  verdict",
            "action", "wall ms", "cpu ms", "target", "peak MiB", "target"
        );
        for case in cases {
            let mut runs = Vec::new();
            // The first run only warms up.
            for turn in 0..=RUNS {
                prepare(case.before, turn)?;
                let mut command = Command::new(self.pm);
                command.current_dir(self.folder).arg(self.command).args(case.argv);
                let run = Run::of(command)?;
                if run.code != 0 {
                    let words = case.argv.join(" ");
                    return Err(format!("`pm {} {words}` ended with {}", self.command, run.code).into());
                }
                if turn > 0 {
                    runs.push(run);
                }
            }
            let Some(run) = Run::median(&runs) else { continue };
            let (target, memory) = (case.target[size], self.memory);
            let verdict = match (run.wall > target, run.peak > memory) {
                (_, true) => "over in memory",
                (true, _) => "over",
                _ => "within",
            };
            println!(
                "{:<20} {:>9.1} {:>9.1} {target:>9.0} {:>9.1} {memory:>9.0}  {verdict}",
                case.name, run.wall, run.cpu, run.peak
            );
        }
        Ok(())
    }
}

/// Runs Git with an identity of its own.
pub(crate) fn git(folder: &Path, words: &[&str]) -> Outcome {
    let identity = [
        "-c",
        "user.name=bench",
        "-c",
        "user.email=bench@example.org",
        "-c",
        "commit.gpgsign=false",
        // Nothing is packed behind the back of what is timed.
        "-c",
        "maintenance.auto=false",
    ];
    let done = Command::new("git").current_dir(folder).args(identity).args(words).output()?;
    match done.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&done.stderr).into()),
    }
}

/// The two arguments: the binary, and the folder for what is measured, which is made.
pub(crate) fn arguments() -> Outcome<(PathBuf, PathBuf)> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [pm, at] = arguments.as_slice() else { return Err("usage: PM FOLDER".into()) };
    fs::create_dir_all(at)?;
    Ok((fs::canonicalize(pm)?, at.clone()))
}

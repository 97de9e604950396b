//! Times `pm` as whole processes, on trackers of several sizes, with and without an index, against the budgets.
//!
//! `measure PM SECONDS NAME=FOLDER...` where FOLDER holds a tracker that may be changed. Started by `scripts/bench`.
#![expect(clippy::print_stdout, reason = "a program of its own")]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use timing::Run;

mod timing;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// What to run, and how long it may take: milliseconds warm, cold, and warm at 100,000 items.
struct Case {
    name: &'static str,
    argv: &'static [&'static str],
    warm: f64,
    cold: f64,
    large: f64,
}

/// `ID` in an argument stands for an item, `FRESH` for a number that was not used before.
const CASES: &[Case] = &[
    Case { name: "version", argv: &["--version"], warm: 5.0, cold: 5.0, large: 10.0 },
    Case { name: "get", argv: &["get", "ID"], warm: 5.0, cold: 10.0, large: 8.0 },
    Case { name: "list", argv: &["list", "--limit", "20"], warm: 12.0, cold: 300.0, large: 120.0 },
    Case { name: "next", argv: &["next"], warm: 12.0, cold: 300.0, large: 120.0 },
    Case { name: "activity", argv: &["activity", "--raw"], warm: 20.0, cold: 800.0, large: 200.0 },
    Case { name: "events", argv: &["events"], warm: 20.0, cold: 800.0, large: 200.0 },
    Case { name: "history", argv: &["history", "ID"], warm: 20.0, cold: 800.0, large: 200.0 },
    Case { name: "search", argv: &["search", "restore", "history"], warm: 25.0, cold: 600.0, large: 250.0 },
    Case { name: "context", argv: &["context", "--limit", "5"], warm: 25.0, cold: 600.0, large: 250.0 },
    Case { name: "deps", argv: &["deps", "ID"], warm: 12.0, cold: 300.0, large: 120.0 },
    Case { name: "stats", argv: &["stats"], warm: 12.0, cold: 300.0, large: 120.0 },
    Case {
        name: "aggregate",
        argv: &["aggregate", "--group-by", "type,status"],
        warm: 12.0,
        cold: 300.0,
        large: 120.0,
    },
    Case {
        name: "graph",
        argv: &["graph", "analyze", "--include-closed"],
        warm: 25.0,
        cold: 600.0,
        large: 250.0,
    },
    Case { name: "duplicates", argv: &["duplicates"], warm: 25.0, cold: 600.0, large: 250.0 },
    Case { name: "validate", argv: &["validate", "--counts"], warm: 120.0, cold: 3000.0, large: 2000.0 },
    Case { name: "health", argv: &["health"], warm: 120.0, cold: 3000.0, large: 2000.0 },
    Case {
        name: "create",
        argv: &["create", "--title", "Bench FRESH"],
        warm: 20.0,
        cold: 300.0,
        large: 40.0,
    },
    Case {
        name: "update",
        argv: &["update", "ID", "--title", "Bench FRESH"],
        warm: 20.0,
        cold: 300.0,
        large: 40.0,
    },
    Case {
        name: "comment",
        argv: &["comments", "ID", "--add", "Bench FRESH"],
        warm: 20.0,
        cold: 300.0,
        large: 40.0,
    },
    Case { name: "close", argv: &["close", "NEW", "--reason", "done"], warm: 20.0, cold: 300.0, large: 40.0 },
];

/// The same rows with ever more of the output pipeline: what it costs above rendering them once.
const SHAPED: &[(&str, &[&str])] = &[
    ("measured", &["--output-budget", "1000000"]),
    ("projected", &["--output-include", "brief"]),
    ("fields", &["--output-include", "id,status,type,title", "--output-budget", "1000000"]),
    ("session", &["--output-session", SESSION]),
    ("cut", &["--output-budget", "4000"]),
];

/// A session that has room for everything.
const SESSION: &str =
    r#"{"version":1,"id":"bench","token_budget":9000000,"spent_tokens":0,"seen_item_ids":[]}"#;

/// What the pipeline may cost above rendering once, in milliseconds of processor time, on up to [`SMALL`] items.
const OVERHEAD: f64 = 5.0;

/// Peak memory in MiB: warm, cold, and at 100,000 items.
const MEMORY: [f64; 3] = [50.0, 200.0, 300.0];
const WARM_RUNS: usize = 9;
const COLD_RUNS: usize = 3;
/// The budgets are for trackers of up to this size, and for those from the next one on.
const SMALL: usize = 5_000;
const LARGE: usize = 50_000;

struct Tracker {
    name: String,
    folder: PathBuf,
    items: usize,
    id: String,
}

struct Bench {
    pm: PathBuf,
    end: Instant,
    fresh: u64,
}

impl Tracker {
    fn open(argument: &str) -> Outcome<Tracker> {
        let (name, folder) = argument.split_once('=').ok_or("NAME=FOLDER expected")?;
        let root = Path::new(folder).join(".agents/pm");
        let mut ids = Vec::new();
        for folder in fs::read_dir(root)?.filter_map(Result::ok) {
            for entry in fs::read_dir(folder.path()).into_iter().flatten() {
                let path = entry?.path();
                if path.extension().is_some_and(|extension| extension == "toon") {
                    ids.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
                }
            }
        }
        ids.sort_unstable();
        let id = ids.get(ids.len() / 2).ok_or("no items")?.clone();
        Ok(Tracker { name: name.to_owned(), folder: folder.into(), items: ids.len(), id })
    }

    fn forget_index(&self) {
        let _ = fs::remove_dir_all(self.folder.join(".agents/pm/runtime"));
    }
}

impl Bench {
    fn words(&mut self, case: &Case, tracker: &Tracker) -> Outcome<Vec<String>> {
        self.fresh += 1;
        let fresh = self.fresh.to_string();
        case.argv
            .iter()
            .map(|word| match *word {
                "ID" => Ok(tracker.id.clone()),
                "NEW" => self.create(tracker),
                word => Ok(word.replace("FRESH", &fresh)),
            })
            .collect()
    }

    /// A new item, to be closed.
    fn create(&self, tracker: &Tracker) -> Outcome<String> {
        let output = self.command(tracker).args(["create", "--title", "To close", "--json"]).output()?;
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout)?;
        let id = answer.get("id").or_else(|| answer.get("item")?.get("id"));
        Ok(id.and_then(|id| id.as_str()).ok_or("create names no id")?.to_owned())
    }

    fn command(&self, tracker: &Tracker) -> Command {
        let mut command = Command::new(&self.pm);
        command.current_dir(&tracker.folder).env("PM_AUTHOR", "bench").stdin(Stdio::null());
        command.stderr(Stdio::null());
        command
    }

    /// The medians of several runs; `None` when there is no time left or the command fails.
    fn median(&mut self, case: &Case, tracker: &Tracker, cold: bool) -> Outcome<Result<Run, String>> {
        let mut runs = Vec::new();
        let turns = match (cold, tracker.items) {
            (false, _) => WARM_RUNS + 1,
            (true, LARGE..) => 1,
            (true, _) => COLD_RUNS,
        };
        for turn in 0..turns {
            if Instant::now() > self.end {
                break;
            }
            let Ok(words) = self.words(case, tracker) else { return Ok(Err("not there".to_owned())) };
            if cold {
                tracker.forget_index();
            }
            let mut command = self.command(tracker);
            command.args(&words);
            let run = Run::of(command)?;
            if run.code != 0 {
                return Ok(Err(format!("exit {}", run.code)));
            }
            // The first warm run only warms up.
            if cold || turn > 0 {
                runs.push(run);
            }
        }
        Ok(Run::median(&runs).ok_or_else(|| "no time left".to_owned()))
    }

    /// The least processor time of several runs: what else happens on the machine only adds to it.
    fn least(&self, tracker: &Tracker, words: &[String]) -> Outcome<Option<f64>> {
        let mut least: Option<f64> = None;
        for _ in 0..2 * WARM_RUNS {
            let mut command = self.command(tracker);
            command.args(words);
            let run = Run::of(command)?;
            if run.code != 0 {
                return Ok(None);
            }
            least = Some(least.map_or(run.cpu, |least| least.min(run.cpu)));
        }
        Ok(least)
    }

    /// `list --all`, rendered once, against the same rows measured, projected, cut and carried in a session.
    fn overhead(&self, tracker: &Tracker) -> Outcome {
        for encoding in ["json", "toon"] {
            let words = |extra: &[&str]| -> Vec<String> {
                let words = ["list", "--all", "--output-format", encoding];
                words.iter().chain(extra).map(|word| (*word).to_owned()).collect()
            };
            let Some(once) = self.least(tracker, &words(&[]))? else { continue };
            for (name, extra) in SHAPED {
                let Some(cpu) = self.least(tracker, &words(extra))? else { continue };
                let above = cpu - once;
                let verdict = match tracker.items {
                    ..SMALL if above <= OVERHEAD => "within",
                    ..SMALL => "over",
                    _ => "",
                };
                println!(
                    "pipeline {encoding} {name:<10} {above:>6.1} ms above {once:.1}  budget {OVERHEAD:.0}  {verdict}"
                );
            }
        }
        Ok(())
    }

    /// Prints the table of a tracker. Gives the processor time of each case, warm, where it was measured.
    fn measure(&mut self, tracker: &Tracker) -> Outcome<Vec<Option<f64>>> {
        let mut warm = Vec::new();
        println!("\n{} ({} items)", tracker.name, tracker.items);
        println!(
            "{:<10} {:<5} {:>9} {:>9} {:>9} {:>9} {:>9}  verdict",
            "command", "", "wall ms", "cpu ms", "budget", "peak MiB", "budget"
        );
        for case in CASES {
            for cold in [false, true] {
                if cold && case.name == "version" {
                    continue;
                }
                let turn = if cold { "cold" } else { "warm" };
                let (time, memory) = match (tracker.items, cold) {
                    (..SMALL, false) => (Some(case.warm), Some(MEMORY[0])),
                    (..SMALL, true) => (Some(case.cold), Some(MEMORY[1])),
                    (LARGE.., false) => (Some(case.large), Some(MEMORY[2])),
                    _ => (None, None),
                };
                let budget = |budget: Option<f64>| budget.map_or("-".to_owned(), |b| format!("{b:.0}"));
                let run = self.median(case, tracker, cold)?;
                if !cold {
                    warm.push(run.as_ref().ok().map(|run| run.cpu));
                }
                match run {
                    Err(why) => println!("{:<10} {turn:<5} {why}", case.name),
                    Ok(run) => {
                        let over = |value: f64, budget: Option<f64>| budget.is_some_and(|b| value > b);
                        let verdict =
                            match (over(run.wall, time), over(run.cpu, time), over(run.peak, memory)) {
                                (_, _, true) => "over in memory",
                                (true, true, _) => "over",
                                // Others used the processors meanwhile.
                                (true, false, _) => "over in wall time only",
                                _ if time.is_none() => "",
                                _ => "within",
                            };
                        println!(
                            "{:<10} {turn:<5} {:>9.1} {:>9.1} {:>9} {:>9.1} {:>9}  {verdict}",
                            case.name,
                            run.wall,
                            run.cpu,
                            budget(time),
                            run.peak,
                            budget(memory)
                        );
                    }
                }
            }
        }
        Ok(warm)
    }
}

/// Prints how the processor time of each case grows from tracker to tracker, and what a thousand items more cost.
fn growth(measured: &[(usize, Vec<Option<f64>>)]) {
    let [(few, first), .., (many, last)] = measured else { return };
    let shown = |cpu: Option<f64>| cpu.map_or("-".to_owned(), |cpu| format!("{cpu:.1}"));
    println!("\ngrowth: cpu ms, warm");
    let sizes: String = measured.iter().map(|(items, _)| format!(" {items:>9}")).collect();
    println!("{:<10}{sizes}  per 1,000 items", "items");
    for (n, case) in CASES.iter().enumerate() {
        let at = |warm: &[Option<f64>]| warm.get(n).copied().flatten();
        let row: String = measured.iter().map(|(_, warm)| format!(" {:>9}", shown(at(warm)))).collect();
        let more = many.saturating_sub(*few) as f64 / 1000.0;
        let slope = at(last).zip(at(first)).map(|(last, first)| (last - first) / more);
        let slope = slope.map_or("-".to_owned(), |slope| format!("{slope:.2}"));
        println!("{:<10}{row}  {slope:>15}", case.name);
    }
}

fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [pm, seconds, trackers @ ..] = arguments.as_slice() else {
        return Err("usage: measure PM SECONDS NAME=FOLDER...".into());
    };
    let now = Instant::now();
    let end = now + Duration::from_secs(seconds.parse()?);
    let mut bench = Bench { pm: fs::canonicalize(pm)?, end: now, fresh: u64::from(std::process::id()) };
    let mut measured = Vec::new();
    for (n, argument) in trackers.iter().enumerate() {
        // Each gets its share of what is left.
        let left = end.saturating_duration_since(Instant::now());
        bench.end = Instant::now() + left / u32::try_from(trackers.len() - n)?;
        let tracker = Tracker::open(argument)?;
        measured.push((tracker.items, bench.measure(&tracker)?));
        bench.overhead(&tracker)?;
    }
    growth(&measured);
    Ok(())
}

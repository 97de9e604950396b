//! What an agent pays to find its way: the orientation group (context, list, search, get, next, each with its intent)
//! in one session, on trackers of several sizes, against ceilings that may only shrink.
//!
//! `calibrate PM CEILINGS [--record] TIER=FOLDER...`; started by `scripts/calibration`. Bytes and spend may not grow,
//! suppressed repeats may not become fewer. `--record` writes what was measured where it is better.
#![expect(clippy::print_stdout, reason = "a program of its own")]

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Map, Value, json};

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// The same instant on every machine.
const CLOCK: [(&str, &str); 4] = [
    ("PM_CLOCK", "2026-08-23T00:00:00.000Z"),
    ("PM_CLOCK_TICK_MS", "0"),
    ("PM_SEED", "calibration"),
    ("PM_AUTHOR", "agent"),
];

const BUDGET: u64 = 20_000;

fn main() -> Outcome {
    let mut words = std::env::args().skip(1);
    let pm = words.next().ok_or("name the program")?;
    let file = words.next().ok_or("name the file of ceilings")?;
    let (mut record, mut tiers) = (false, Vec::new());
    for word in words {
        match word.split_once('=') {
            Some((tier, folder)) => tiers.push((tier.to_owned(), folder.to_owned())),
            None if word == "--record" => record = true,
            None => return Err(format!("`{word}` is neither TIER=FOLDER nor --record").into()),
        }
    }
    let mut ceilings: Value = match fs::read_to_string(&file) {
        Ok(text) => serde_json::from_str(&text)?,
        Err(_) => json!({"tiers": {}}),
    };
    let mut worse = Vec::new();
    for (tier, folder) in &tiers {
        let measured = measure(Path::new(&pm), Path::new(folder))?;
        println!("{tier}: {measured}");
        let known = &ceilings["tiers"][tier];
        worse.extend(compare(tier, known, &measured));
        if known.is_null() || record && compare(tier, known, &measured).is_empty() {
            ceilings["tiers"][tier] = measured;
        }
    }
    if record {
        fs::write(&file, format!("{}\n", serde_json::to_string_pretty(&ceilings)?))?;
    }
    if worse.is_empty() {
        return Ok(());
    }
    worse.iter().for_each(|line| println!("{line}"));
    Err(format!("{} figures are worse than the ceilings", worse.len()).into())
}

/// The figures of one tier.
fn measure(pm: &Path, folder: &Path) -> Outcome<Value> {
    // An agent looks for what it is to do, and then reads it.
    let next = call(pm, folder, &["next", "--json"])?;
    let item = &next["recommended"];
    let id = item["id"].as_str().ok_or("the tracker has nothing to do")?.to_owned();
    let title: Vec<&str> = item["title"].as_str().unwrap_or_default().split(' ').take(3).collect();
    let group: [(&str, Vec<&str>); 5] = [
        ("context", vec!["context", "--for", "orient"]),
        ("list", vec!["list", "--for", "triage"]),
        ("search", [&["search"], &title[..], &["--for", "discover"]].concat()),
        ("get", vec!["get", &id, "--for", "inspect"]),
        ("next", vec!["next", "--for", "execute"]),
    ];
    let mut state = json!({"version": 1, "id": "agents-orientation", "token_budget": BUDGET, "spent_tokens": 0, "seen_item_ids": []});
    let (mut suppressed, mut bytes) = (0, 0);
    let mut calls = Map::new();
    for (name, argv) in &group {
        let carried = state.to_string();
        let mut words = argv.clone();
        words.extend(["--json", "--output-session", &carried]);
        let text = run(pm, folder, &words)?;
        let answer: Value = serde_json::from_str(&text)?;
        let session = &answer["read_session"];
        let tokens = (text.len() as u64).div_ceil(4);
        if session["spent_this_call_tokens"] != tokens || answer["read_output"]["estimated_tokens"] != tokens
        {
            return Err(format!("{name} prints {tokens} tokens and says otherwise: {session}").into());
        }
        suppressed += session["suppressed_repeat_count"].as_u64().unwrap_or_default();
        bytes += text.len();
        state = session["next_state"].clone();
        let plain = run(pm, folder, argv)?;
        let json = run(pm, folder, &[&argv[..], &["--json"]].concat())?;
        let size = |text: &str| (text.len() as u64).div_ceil(4);
        calls.insert(
            (*name).to_owned(),
            json!({"toon": size(&plain), "json": size(&json), "session": tokens}),
        );
    }
    Ok(json!({
        "group_spend": state["spent_tokens"],
        "budget": BUDGET,
        "seen_items": state["seen_item_ids"].as_array().map_or(0, Vec::len),
        "suppressed_repeats": suppressed,
        "delivered_bytes": bytes,
        "calls": calls,
    }))
}

fn call(pm: &Path, folder: &Path, argv: &[&str]) -> Outcome<Value> {
    Ok(serde_json::from_str(&run(pm, folder, argv)?)?)
}

fn run(pm: &Path, folder: &Path, argv: &[&str]) -> Outcome<String> {
    let pm = pm.canonicalize()?;
    let output = Command::new(pm).env_clear().envs(CLOCK).current_dir(folder).args(argv).output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("pm {} ends with {}: {said}", argv.join(" "), output.status).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// What is worse than its ceiling.
fn compare(tier: &str, known: &Value, measured: &Value) -> Vec<String> {
    let mut worse = Vec::new();
    let mut check = |name: String, ceiling: &Value, value: &Value, fewer_is_worse: bool| {
        if let (Some(ceiling), Some(value)) = (ceiling.as_u64(), value.as_u64())
            && (if fewer_is_worse { value < ceiling } else { value > ceiling })
        {
            worse.push(format!("{tier}: {name} is {value}, was {ceiling}"));
        }
    };
    for (name, fewer_is_worse) in
        [("group_spend", false), ("delivered_bytes", false), ("suppressed_repeats", true)]
    {
        check(name.to_owned(), &known[name], &measured[name], fewer_is_worse);
    }
    for (call, figures) in measured["calls"].as_object().into_iter().flatten() {
        for (encoding, value) in figures.as_object().into_iter().flatten() {
            check(format!("{call} in {encoding}"), &known["calls"][call][encoding], value, false);
        }
    }
    worse
}

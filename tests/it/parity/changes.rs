//! Every change of the catalog by each road: as it is typed, as a tool, as a call of the library. Tried without effect,
//! against an expectation that does not hold, for real, and again: each time all three say the same and leave the same
//! files. What they say obeys the published schema.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::parser::ValueSource;
use pm::client::PmClient;
use pm::commands::CATALOG;
use pm::contract::Refusals;
use pm::environment::Env;
use pm::generate::{schema, tools};
use pm::grammar;
use pm::surface::Surface;
use serde_json::{Map, Value, json};

use super::{CLOCK, NO_CALLS, set_clock};
use crate::commands::every_change::{CALLS, INPUT, bytes, copy, prepared};
use crate::json_schema::fault;
use crate::mcp::Client;
use crate::sandbox::Sandbox;

/// Copies of one tracker, each with a road of its own.
struct Places {
    typed: Sandbox,
    /// The server, where there is a tool of this name.
    tools: Option<(Sandbox, Client)>,
    library: (Sandbox, PmClient),
}

impl Places {
    fn of(base: &Sandbox, surface: &Surface) -> Places {
        let fresh = || {
            let mut pm = copy(base);
            set_clock(&mut pm);
            pm.set("PATH", &std::env::var("PATH").unwrap_or_default());
            pm
        };
        let tools = tools::profile(surface).map(|_| {
            let pm = fresh();
            let client = Client::of(&pm, &[]);
            (pm, client)
        });
        let pm = fresh();
        let own = [
            ("PATH".to_owned(), std::env::var("PATH").unwrap_or_default()),
            ("HOME".to_owned(), pm.path().to_string_lossy().into_owned()),
            ("PM_LOCK_WAIT_MS".to_owned(), "0".to_owned()),
        ];
        let clock = CLOCK.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let mut env = Env::new(pm.path(), own.into_iter().chain(clock));
        // Drivers of merges name the program that installs them; a library is none.
        env.program = env!("CARGO_BIN_EXE_pm").into();
        let client = PmClient::with(env).author("alice");
        Places { typed: fresh(), tools, library: (pm, client) }
    }

    /// What each road says to a call, and the faults: where they differ.
    fn compare(&mut self, surface: &'static Surface, rest: &[&str], extra: &[&str]) -> (Value, Vec<String>) {
        let mut argv: Vec<&str> = surface.contract.path.to_vec();
        argv.extend(rest);
        argv.extend(extra);
        argv.push("--json");
        let cli = self.typed.pm_with(&argv, INPUT);
        let call = spoken(surface, &[rest, extra].concat());
        let mut faults = Vec::new();
        let mut differ = |road: &str, typed: &Value, said: &Value| {
            if typed != said {
                faults.push(format!("{road} says {said}, typed it is {typed}"));
            }
        };
        let contract = surface.contract.refusals != Refusals::Program;
        let text = if cli.stdout.is_empty() { &cli.stderr } else { &cli.stdout };
        let typed = told(&self.typed, text);
        let refused = cli.stdout.is_empty() || contract && cli.code != 0;
        if let Some((place, client)) = &mut self.tools {
            let (text, failed) = client.call(&tools::name(surface), Value::Object(call.clone()));
            let said = told(place, &text);
            differ("the tool", &json!(cli.code != 0), &json!(failed));
            match refused {
                true => differ("the tool", &kept(&typed), &kept(&said)),
                false => differ("the tool", &typed, &said),
            }
        }
        let (place, client) = &self.library;
        match client.call(&surface.name(), call) {
            Ok(value) => differ("the library", &typed, &told(place, &value.to_string())),
            Err(error) => {
                differ("the library", &json!(cli.code), &json!(error.exit_code()));
                differ("the library", &typed["code"], &json!(error.code.as_str()));
            }
        }
        (if refused { Value::Null } else { typed }, faults)
    }

    /// The files that the roads left, where they differ.
    fn left(&self) -> Vec<String> {
        let typed = files(&self.typed);
        let others = self.tools.iter().map(|(place, _)| ("the tool", place));
        let others = others.chain([("the library", &self.library.0)]);
        others
            .flat_map(|(road, place)| {
                let other = files(place);
                let paths = typed.keys().chain(other.keys()).collect::<std::collections::BTreeSet<_>>();
                let differ = |path: &&String| typed.get(*path) != other.get(*path);
                paths
                    .into_iter()
                    .filter(differ)
                    .map(|path| {
                        format!("{road} leaves another {path}: {:?} / {:?}", typed.get(path), other.get(path))
                    })
                    .collect::<Vec<_>>()
            })
            .collect()
    }
}

/// An answer without the name of the folder in it.
fn told(place: &Sandbox, text: &str) -> Value {
    let folder: PathBuf = place.path().canonicalize().unwrap_or_else(|_| place.path().to_owned());
    let text =
        text.replace(&*folder.to_string_lossy(), "/here").replace(&*place.path().to_string_lossy(), "/here");
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

/// What an error says on every road: the rest tells of the words that were typed.
fn kept(error: &Value) -> Value {
    let keys = ["code", "exit_code", "title", "required", "status", "error_code"];
    keys.into_iter().map(|key| (key.to_owned(), error[key].clone())).collect::<Map<String, Value>>().into()
}

/// The files of a place; who called is known to the server alone, and what is computed over it differs with it.
fn files(place: &Sandbox) -> BTreeMap<String, String> {
    let folder = place.path().to_string_lossy().into_owned();
    let plain = |(path, content): (String, Vec<u8>)| {
        let text = String::from_utf8_lossy(&content).replace(&folder, "/here");
        if !path.ends_with(".jsonl") {
            return (path, text);
        }
        let lines = text.lines().map(|line| {
            let mut entry: Map<String, Value> = serde_json::from_str(line).unwrap_or_default();
            entry.retain(|key, _| !key.starts_with("agent_"));
            Value::Object(entry).to_string()
        });
        (path, lines.collect::<Vec<_>>().join("\n"))
    };
    bytes(place).into_iter().map(plain).collect()
}

/// A call as it is typed, as a program makes it.
fn spoken(surface: &Surface, rest: &[&str]) -> Map<String, Value> {
    let parser = grammar::parser(surface);
    let matches = parser.clone().try_get_matches_from(rest);
    let matches = matches.unwrap_or_else(|error| panic!("{} {rest:?}: {error}", surface.name()));
    let mut call = Map::new();
    for property in schema::properties(&parser) {
        let id = property.arg.get_id().as_str();
        if matches.value_source(id) != Some(ValueSource::CommandLine) {
            continue;
        }
        let values: Vec<Value> =
            matches.get_raw(id).into_iter().flatten().map(|value| json!(value.to_string_lossy())).collect();
        let value = match (property.is_switch(), property.is_list()) {
            (true, _) => json!(true),
            (_, true) => Value::Array(values),
            _ => values.into_iter().next().unwrap_or(json!(true)),
        };
        call.insert(property.name(), value);
    }
    if surface.contract.path == ["item", "mutate"] {
        call.insert("stdin".to_owned(), json!(INPUT));
    }
    call
}

/// What is wrong with an answer by its published schema: a value, or a key that it does not declare.
fn undeclared(surface: &Surface, answer: &Value) -> Option<String> {
    let declared = schema::output_document(surface)?;
    let keys = answer.as_object()?.keys();
    let unknown = keys.into_iter().find(|key| declared["properties"].get(*key).is_none());
    unknown.map(|key| format!("`{key}` is declared nowhere")).or_else(|| fault(answer, &declared, "$"))
}

#[test]
fn every_change_is_the_same_on_all_three_roads() {
    let base = prepared();
    let zeros = "0".repeat(64);
    let mut faults = Vec::new();
    for (name, rest, _) in CALLS {
        let path: Vec<&str> = name.split(' ').collect();
        if NO_CALLS.contains(&&path[..]) {
            continue;
        }
        let surface = CATALOG.find(&path).unwrap_or_else(|| panic!("{name} is no command"));
        let mut places = Places::of(&base, surface);
        let expectation = ["--if-hash", zeros.as_str()];
        let extras: &[(&str, &[&str])] =
            &[("tried", &["--dry-run"]), ("expecting", &expectation), ("done", &[]), ("again", &[])];
        for (when, extra) in extras {
            let (answer, found) = places.compare(surface, rest, extra);
            let found = found.into_iter().chain(places.left());
            faults.extend(found.map(|fault| format!("{name}, {when}: {fault}")));
            faults.extend(
                undeclared(surface, &answer).into_iter().map(|fault| format!("{name}, {when}: {fault}")),
            );
        }
    }
    let faults: Vec<String> = faults.iter().map(|fault| fault.chars().take(700).collect()).collect();
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

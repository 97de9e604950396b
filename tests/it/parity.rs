//! One question, three roads: the command line, `pm mcp` and the library answer alike, errors included; every command
//! of the catalog, on a tracker made here and on a real one.

mod changes;

use pm::client::{METHODS, PmClient};
use pm::commands::CATALOG;
use pm::contract::{Effect, Refusals};
use pm::environment::Env;
use pm::generate::{schema, tools};
use pm::grammar;
use pm::surface::Surface;
use serde_json::{Map, Value, json};

use crate::corpus;
use crate::mcp::Client;
use crate::sandbox::Sandbox;

const CLOCK: [(&str, &str); 3] =
    [("PM_CLOCK", "2026-03-01T12:00:00.000Z"), ("PM_CLOCK_TICK_MS", "0"), ("PM_SEED", "parity")];

/// Commands that have a meaning only for a shell, for Git, or for who converses or serves.
const NO_CALLS: &[&[&str]] = &[
    &["mcp"],
    &["completion"],
    &["completion", "install"],
    &["merge", "driver"],
    &["man"],
    &["catalog", "serve"],
];

fn set_clock(pm: &mut Sandbox) {
    for (name, value) in CLOCK {
        pm.set(name, value);
    }
}

/// A tracker with something in it, in a Git repository.
fn small() -> (Sandbox, String, String) {
    let mut pm = Sandbox::tracker();
    set_clock(&mut pm);
    pm.set("PATH", &std::env::var("PATH").unwrap_or_default());
    pm.write("README.md", "# Read me\n\n> A release.\n\nHow a release is made.\n");
    pm.write("src/one.rs", "");
    for argv in [
        &["create", "Plan the release", "--id", "one", "--type", "Epic", "--tags", "web"][..],
        &[
            "create",
            "Make the release",
            "--id",
            "two",
            "--parent",
            "pm-one",
            "--blocked-by",
            "pm-three",
            "--allow-unresolved-deps",
        ],
        &["create", "Test the release", "--id", "three", "--body", "see src/one.rs", "--priority", "1"],
        &["comments", "two", "--add", "a word"],
        &["files", "three", "--add", "path=src/one.rs"],
    ] {
        pm.ok(argv);
    }
    (pm, "pm-two".to_owned(), "pm-three".to_owned())
}

/// The three roads to one tracker.
struct Roads<'s> {
    pm: &'s Sandbox,
    client: Client,
    library: PmClient,
    /// An item, and another one.
    ids: [&'s str; 2],
}

impl<'s> Roads<'s> {
    fn of(pm: &'s Sandbox, ids: [&'s str; 2]) -> Roads<'s> {
        let variables = CLOCK.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let path = ("PATH".to_owned(), std::env::var("PATH").unwrap_or_default());
        let env = Env::new(pm.path(), variables.into_iter().chain([path]));
        let library = PmClient::with(env).author("alice");
        Roads { pm, client: Client::of(pm, &[]), library, ids }
    }

    /// A value for something that a command needs.
    fn needed(&self, surface: &Surface, key: &str) -> Value {
        let [one, other] = self.ids;
        match (surface.contract.path[0], key) {
            (_, "id") => json!(one),
            ("graph", "target") => json!(other),
            (_, "query" | "task") => json!("release"),
            (_, "uri") => json!("README.md"),
            ("profile", "name") => json!("agile"),
            ("schema", "name") if surface.contract.path[1] == "show-status" => json!("open"),
            ("schema", "name") => json!("Task"),
            (_, "paths") => json!("src/one.rs"),
            (_, "kind") => json!("measurements"),
            (_, "place" | "newOrder") => json!("1"),
            (_, "groupBy") => json!("type"),
            _ => json!("nothing"),
        }
    }

    /// Calls to try: nothing, all that is needed, each control, something unknown.
    fn calls(&self, surface: &Surface) -> Vec<Map<String, Value>> {
        let input = schema::input(surface, false);
        let required = input["required"].as_array().cloned().unwrap_or_default();
        let subject = ["id", "query", "task", "uri", "groupBy"].map(Value::from);
        let has = |key: &&Value| input["properties"].get(key.as_str().unwrap_or_default()).is_some();
        let needed: Map<String, Value> = required
            .iter()
            .chain(subject.iter().filter(has))
            .filter_map(Value::as_str)
            .map(|key| (key.to_owned(), self.needed(surface, key)))
            .collect();
        let mut calls = vec![Map::new(), needed.clone()];
        let mut also = |pairs: &[(&str, Value)]| {
            let mut call = needed.clone();
            call.extend(pairs.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
            calls.push(call);
        };
        also(&[("nonsense", json!("x"))]);
        if schema::takes_controls(surface) {
            also(&[("outputLimit", json!(1))]);
            also(&[("outputBudget", json!(300))]);
            also(&[("outputInclude", json!("id"))]);
            also(&[("outputRowContract", json!(true))]);
            also(&[("outputLimit", json!(0))]);
            also(&[("outputCursor", json!("nonsense"))]);
        }
        calls
    }

    /// All three answer alike: in an encoding to the byte, without one in what is said, as far as no ceiling cuts it.
    fn compare(&mut self, surface: &'static Surface, call: &Map<String, Value>) {
        self.compare_values(surface, call);
        let mut call = call.clone();
        if schema::input(surface, false)["properties"].get("outputFormat").is_some() {
            call.insert("outputFormat".to_owned(), json!("json"));
        }
        self.compare_bytes(surface, &call);
    }

    fn compare_values(&mut self, surface: &'static Surface, call: &Map<String, Value>) {
        let what = format!("{} {}", surface.name(), Value::Object(call.clone()));
        if surface.contract.effect != Effect::Reads || call.contains_key("outputBudget") {
            return;
        }
        let cli = self.pm.pm(&words(surface, call).iter().map(String::as_str).collect::<Vec<_>>());
        let (text, failed) = self.client.call(&tools::name(surface), Value::Object(call.clone()));
        let library = self.library.call(&surface.name(), call.clone());
        let cut = |text: &str| text.contains("output_budget_truncation") || text.contains("compacted");
        if failed || cut(&text) || cut(&cli.stdout) {
            return;
        }
        // What an answer costs depends on how it is written.
        let told = |text: &str| {
            let mut value: Value = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
            if let Some(receipt) = value.get_mut("read_output").and_then(Value::as_object_mut) {
                receipt.retain(|key, _| !["budget_tokens", "estimated_tokens"].contains(&key.as_str()));
            }
            value
        };
        assert_eq!(told(&text), told(&cli.stdout), "{what}");
        let library = library.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(told(&library.to_string()), told(&text), "{what}");
    }

    fn compare_bytes(&mut self, surface: &'static Surface, call: &Map<String, Value>) {
        let what = format!("{} {}", surface.name(), Value::Object(call.clone()));
        let cli = self.pm.pm(&words(surface, call).iter().map(String::as_str).collect::<Vec<_>>());
        let (text, failed) = self.client.call(&tools::name(surface), Value::Object(call.clone()));
        assert_eq!(failed, cli.code != 0, "{what}: {text}\n{cli:?}");
        let library = self.library.call(&surface.name(), call.clone());
        if !cli.stdout.is_empty() {
            if surface.contract.refusals == Refusals::Program || !failed {
                assert_eq!(text, cli.stdout, "{what}");
            } else {
                // The message of a contract names tools here and commands there.
                let bare = |text: &str| -> Value {
                    let mut answer: Value =
                        serde_json::from_str(text).unwrap_or_else(|e| panic!("{what}: {e}"));
                    answer.as_object_mut().and_then(|answer| answer.shift_remove("error_message"));
                    answer
                };
                assert_eq!(bare(&text), bare(&cli.stdout), "{what}");
                assert_eq!(
                    library.err().and_then(|error| error.answer()),
                    serde_json::from_str(&cli.stdout).ok(),
                    "{what}"
                );
                return;
            }
            let value = library.unwrap_or_else(|error| panic!("{what}: {error}"));
            let said = serde_json::from_str(&text).unwrap_or_else(|_| Value::String(text.clone()));
            assert_eq!(value, said, "{what}");
            return;
        }
        let parse = |text: &str| {
            serde_json::from_str::<Value>(text).unwrap_or_else(|e| panic!("{what}: {e}: {text}"))
        };
        let (here, there) = (parse(&text), parse(&cli.stderr));
        assert_eq!(here["code"], there["code"], "{what}");
        let error = library.expect_err(&what);
        assert_eq!(
            (error.code.as_str(), i32::from(error.exit_code())),
            (here["code"].as_str().unwrap(), cli.code),
            "{what}"
        );
        if !call.contains_key("nonsense") {
            // What is typed wrong has dashes on the command line.
            for key in ["exit_code", "title", "required"] {
                assert_eq!(here[key], there[key], "{what}");
            }
        }
    }
}

/// The words of a call, as a person would type them.
fn words(surface: &Surface, call: &Map<String, Value>) -> Vec<String> {
    let parser = grammar::parser(surface);
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut words: Vec<String> = surface.contract.path.iter().map(|&word| word.to_owned()).collect();
    let mut unnamed = Vec::new();
    for (key, value) in call {
        match schema::find(&parser, key) {
            Some(property) if property.arg.is_positional() => {
                unnamed.push((property.arg.get_id().clone(), text(value)))
            }
            Some(property) if property.is_switch() => {
                words.push(format!("--{}", property.arg.get_long().unwrap_or_default()));
            }
            Some(property) => {
                words.extend([format!("--{}", property.arg.get_long().unwrap_or_default()), text(value)]);
            }
            None => words.push(format!("--{key}={}", text(value))),
        }
    }
    words.push("--json".to_owned());
    for arg in parser.get_positionals() {
        words.extend(unnamed.iter().filter(|(id, _)| id == arg.get_id()).map(|(_, text)| text.clone()));
    }
    words
}

fn callable() -> impl Iterator<Item = &'static Surface> {
    CATALOG.iter().filter(|surface| !NO_CALLS.contains(&surface.contract.path))
}

/// Those that can be called alike on all three roads. Building and attesting are for people at a keyboard, and the tool
/// `catalog_run_dry` says by its name what the command says by `--dry-run`.
fn tools() -> impl Iterator<Item = &'static Surface> {
    let alike = |surface: &&Surface| surface.contract.path != ["catalog", "run"];
    callable().filter(|surface| tools::profile(surface).is_some()).filter(alike)
}

/// Those that only look when nothing else is said; the approval of hooks does something in any case.
fn looking() -> impl Iterator<Item = &'static Surface> {
    let approval =
        |surface: &Surface| [&["hooks", "allow"][..], &["hooks", "deny"]].contains(&surface.contract.path);
    tools().filter(move |surface| surface.contract.effect != Effect::Writes && !approval(surface))
}

#[test]
fn every_read_answers_alike_on_all_three_roads() {
    let (pm, one, other) = small();
    let mut roads = Roads::of(&pm, [&one, &other]);
    let before = pm.files();
    for surface in looking() {
        for call in roads.calls(surface) {
            roads.compare(surface, &call);
        }
    }
    assert_eq!(pm.files(), before);
}

#[test]
fn reads_of_a_real_tracker_answer_alike_on_all_three_roads() {
    let Some(mut pm) = corpus::copy_of("unbraind+pm-changelog") else {
        corpus::skipped("../shared");
        return;
    };
    set_clock(&mut pm);
    pm.set("PATH", &std::env::var("PATH").unwrap_or_default());
    pm.set("PM_CONTEXT_USAGE_DISABLED", "1");
    let rows = pm.json(&["list", "--status", "all", "--limit", "2"])["items"].clone();
    let ids = [0, 1].map(|n: usize| rows[n]["id"].as_str().expect("it has items").to_owned());
    let mut roads = Roads::of(&pm, [&ids[0], &ids[1]]);
    for surface in looking() {
        for call in roads.calls(surface) {
            roads.compare(surface, &call);
        }
    }
}

/// Changes that must be refused are refused alike, and change nothing.
#[test]
fn refused_changes_are_refused_alike_on_all_three_roads() {
    let (pm, one, other) = small();
    let mut roads = Roads::of(&pm, [&one, &other]);
    let before = pm.files();
    for surface in tools().filter(|surface| surface.contract.effect != Effect::Reads) {
        let mut call = Map::new();
        call.insert("nonsense".to_owned(), json!("x"));
        roads.compare(surface, &call);
        let needs = schema::input(surface, false)["required"].as_array().is_some_and(|keys| !keys.is_empty());
        if needs {
            roads.compare(surface, &Map::new());
        }
    }
    assert_eq!(pm.files(), before);
}

/// The same changes by each road leave the same items.
#[test]
fn the_same_changes_leave_the_same_items() {
    let changes: Vec<(&str, Value)> = vec![
        ("create", json!({"title": "Plan", "type": "Epic", "id": "plan", "tags": ["b", "a"]})),
        (
            "create",
            json!({"title": "Step", "type": "Task", "id": "step", "parent": "pm-plan", "priority": 0}),
        ),
        ("update", json!({"id": "pm-step", "title": "Step one", "body": "- a list", "addTags": ["x"]})),
        ("claim", json!({"id": "pm-step"})),
        ("comments", json!({"id": "pm-step", "add": "a word"})),
        ("notes", json!({"id": "pm-step", "add": "a note"})),
        ("files", json!({"id": "pm-step", "add": ["path=src/one.rs,note=it"]})),
        ("close", json!({"id": "pm-step", "reason": "done"})),
        ("create", json!({"title": "Gone", "id": "gone"})),
        ("delete", json!({"id": "pm-gone"})),
    ];
    let fresh = || {
        let mut pm = Sandbox::with_items(&[]);
        set_clock(&mut pm);
        pm
    };
    let (by_words, by_tools, by_library) = (fresh(), fresh(), fresh());
    let mut client = Client::of(&by_tools, &[]);
    let variables = CLOCK.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let library = PmClient::with(Env::new(by_library.path(), variables)).author("alice");
    for (command, call) in &changes {
        let surface = CATALOG.find(&[command]).expect("it is a command");
        let call = call.as_object().expect("an object");
        let mut argv = vec![(*command).to_owned(), "--json".to_owned()];
        let parser = grammar::parser(surface);
        for (key, value) in call {
            let property = schema::find(&parser, key).unwrap_or_else(|| panic!("{command} {key}"));
            let long = property.arg.get_long();
            let values = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
            let joined = if property.is_list() { values } else { vec![json!(join(&values))] };
            for value in joined {
                match long {
                    None => argv.push(join(&[value])),
                    Some(long) if property.is_switch() => argv.push(format!("--{long}")),
                    Some(long) => argv.extend([format!("--{long}"), join(&[value])]),
                }
            }
        }
        let said = by_words
            .json(&argv.iter().map(String::as_str).filter(|word| *word != "--json").collect::<Vec<_>>());
        assert_eq!(client.answer(&tools::name(surface), Value::Object(call.clone())), said, "{command}");
        assert_eq!(library.call(command, call.clone()).unwrap(), said, "{command}");
    }
    let items = |pm: &Sandbox| -> Vec<(String, String)> {
        pm.files().into_iter().filter(|(path, _)| path.ends_with(".toon")).collect()
    };
    assert_eq!(items(&by_words).len(), 2);
    assert_eq!(items(&by_tools), items(&by_words));
    assert_eq!(items(&by_library), items(&by_words));
    let entries = |pm: &Sandbox| pm.read(".agents/pm/history/pm-step.jsonl").lines().count();
    assert_eq!((entries(&by_tools), entries(&by_library)), (entries(&by_words), entries(&by_words)));
}

fn join(values: &[Value]) -> String {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    values.iter().map(text).collect::<Vec<_>>().join(",")
}

#[test]
fn every_command_has_a_method_in_the_library() {
    let missing: Vec<String> =
        callable().map(Surface::name).filter(|name| !METHODS.contains(&name.as_str())).collect();
    assert!(missing.is_empty(), "src/client/methods.rs lacks {missing:?}");
    for method in METHODS {
        let path: Vec<&str> = method.split(' ').collect();
        assert!(CATALOG.find(&path).is_some(), "{method} is no command");
    }
}

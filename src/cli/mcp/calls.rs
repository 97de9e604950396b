//! One call of a tool.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use crate::clock::Clock;
use crate::commands::CATALOG;
use crate::contract::Effect;
use crate::environment::Env;
use crate::error::report::{self, Attempt};
use crate::error::{Code, Error, Result};
use crate::generate::tools;
use crate::nearest;
use crate::surface::{Context, ReadInput, Surface};

use super::super::call::{Call, Outcome, Reader};
use super::super::{argv, call};
use super::{Fault, Reply, words};

/// Where a call is made that does not say it itself.
pub(super) struct Place {
    /// The surroundings of the server.
    pub(super) env: Env,
    /// The folders of the client.
    pub(super) roots: Vec<PathBuf>,
}

/// Arguments that every tool takes beside those of its command.
struct Beside {
    /// The folder of the call.
    cwd: Option<String>,
    /// What the command reads from standard input.
    stdin: Option<String>,
}

/// `tools/call`.
pub(super) fn call(place: &Place, params: &Map<String, Value>) -> Reply {
    let typed = params.get("name").and_then(Value::as_str).unwrap_or_default();
    let Some(surface) = tools::find(typed, CATALOG) else {
        let names: Vec<String> =
            CATALOG.iter().filter(|s| tools::profile(s).is_some()).map(tools::name).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let near = nearest::order(typed, &names);
        return Err(Fault::invalid(format!(
            "there is no tool `{typed}`; near it: {}",
            near[..near.len().min(3)].join(", ")
        )));
    };
    let mut arguments = match params.get("arguments") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(map)) => map.clone(),
        Some(_) => return Err(Fault::invalid("`arguments` must be an object")),
    };
    // Callers of the reference put some arguments one level below; what stands there is stronger.
    if let Some(Value::Object(below)) = arguments.shift_remove("options") {
        arguments.extend(below);
    }
    let take = |arguments: &mut Map<String, Value>, key: &str| match arguments.shift_remove(key)? {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    };
    let beside = Beside { cwd: take(&mut arguments, "cwd"), stdin: take(&mut arguments, "stdin") };
    Ok(run(place, surface, &arguments, beside))
}

/// The result of a tool: what the command prints, once; a failure is the error that it would print.
fn run(place: &Place, surface: &'static Surface, arguments: &Map<String, Value>, beside: Beside) -> Value {
    let named = beside.cwd.is_some();
    let answered = place.of(beside.cwd.as_deref()).and_then(|env| {
        let context = around(arguments, &env);
        let argv = words::of(surface, arguments, &|| call::fields(&context))?;
        let outcome = outcome(argv, env, beside.stdin);
        // Which tracker was changed, when nobody said where to look.
        let elsewhere = surface.contract.effect != Effect::Reads && !named && place.roots.is_empty();
        let root = || context.tracker().ok().map(|tracker| tracker.root().display().to_string());
        Ok((outcome, if elsewhere { root() } else { None }))
    });
    match answered {
        Err(error) => {
            let argv: Vec<String> = surface.contract.path.iter().map(|&word| word.to_owned()).collect();
            let text = report::json(&error, &Attempt { argv: &argv, explain: false });
            json!({"content": [{"type": "text", "text": text}], "isError": true})
        }
        Ok((outcome, root)) => {
            let failed = outcome.code != 0;
            let text = match outcome.stdout.is_empty() {
                true => outcome.stderr,
                false => String::from_utf8_lossy(&outcome.stdout).into_owned(),
            };
            let mut content = vec![json!({"type": "text", "text": text})];
            if let Some(root) = root.filter(|_| !failed) {
                content.push(json!({"type": "text", "text": format!("tracker: {root}")}));
            }
            json!({"content": content, "isError": failed})
        }
    }
}

/// The context of a call before its words are known.
fn around(arguments: &Map<String, Value>, env: &Env) -> Context {
    let path = arguments.get("pmPath").or_else(|| arguments.get("pm_path")).and_then(Value::as_str);
    let mut context = Context::new(CATALOG, env.clone(), Clock::System, silent());
    context.globals.pm_path = path.map(str::to_owned);
    context
}

/// The words of a command by its name and its arguments.
///
/// Errors: `unknown_command`, and those of [`words::of`].
pub(in crate::cli) fn words(command: &str, arguments: &Map<String, Value>, env: &Env) -> Result<Vec<String>> {
    let path: Vec<&str> = command.split_whitespace().collect();
    let surface = argv::resolve(&path, CATALOG).ok_or_else(|| argv::unknown(&path, &[], CATALOG))?;
    let context = around(arguments, env);
    words::of(surface, arguments, &|| call::fields(&context))
}

/// Runs words as the command line does; the answer is JSON unless the words ask for another encoding.
pub(super) fn outcome(argv: Vec<String>, env: Env, stdin: Option<String>) -> Outcome {
    let (early, mut outcome) = quietly(|reader| asking_json(argv, env).run(given(stdin), reader));
    outcome.stdout.splice(0..0, early);
    outcome
}

/// The same for callers that take an error as a value.
///
/// Errors: those of the command.
pub(in crate::cli) fn answered(argv: Vec<String>, env: &Env, stdin: Option<String>) -> Result<(Vec<u8>, u8)> {
    let call = asking_json(argv, env.clone());
    let (mut bytes, outcome) = quietly(|reader| call.answer(given(stdin), reader));
    let outcome = outcome?;
    bytes.extend(outcome.stdout);
    Ok((bytes, outcome.code))
}

fn asking_json(mut argv: Vec<String>, env: Env) -> Call {
    let end = argv.iter().position(|word| word == "--").unwrap_or(argv.len());
    let said = |flag: &str| argv[..end].iter().any(|word| word.split('=').next() == Some(flag));
    if !said("--json") && !said("--output-format") {
        argv.insert(end, "--json".to_owned());
    }
    Call { argv, env, terminal: false }
}

/// Runs something that may hand over bytes early; what goes on without an end ends at once, what converses has nobody.
fn quietly<T>(run: impl FnOnce(&mut Reader<'_>) -> T) -> (Vec<u8>, T) {
    let mut early: Vec<u8> = Vec::new();
    let mut send = |bytes: &[u8]| {
        early.extend_from_slice(bytes);
        true
    };
    let mut reader =
        Reader { send: &mut send, wait: &mut |_| false, lines: &mut || std::sync::mpsc::channel().1 };
    let made = run(&mut reader);
    (early, made)
}

fn given(stdin: Option<String>) -> ReadInput {
    match stdin {
        Some(text) => Box::new(move || Ok(text.clone())),
        None => silent(),
    }
}

fn silent() -> ReadInput {
    Box::new(|| Err(std::io::Error::other("a call of a tool has no standard input; give it as `stdin`")))
}

impl Place {
    /// The surroundings of a call: the folder that it names, else the client's first one with a tracker, else the
    /// client's first one, else the server's.
    ///
    /// Errors: `invalid_argument_value` when the folder is not there.
    pub(super) fn of(&self, cwd: Option<&str>) -> Result<Env> {
        let mut env = self.env.clone();
        let tracked = |root: &&PathBuf| {
            let mut env = self.env.clone();
            env.cwd.clone_from(root);
            Context::new(CATALOG, env, Clock::System, silent()).tracker().is_ok()
        };
        if let Some(root) = self.roots.iter().find(tracked).or(self.roots.first()) {
            env.cwd.clone_from(root);
        }
        if let Some(cwd) = cwd {
            env.cwd = env.cwd.join(cwd);
            if !env.cwd.is_dir() {
                let message = format!("`cwd` is no folder: {}", env.cwd.display());
                return Err(Error::new(Code::InvalidArgumentValue, message).at("cwd").rejecting(cwd));
            }
        }
        Ok(env)
    }
}

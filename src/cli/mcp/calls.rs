//! One call of a tool.

use serde_json::{Map, Value};

use crate::clock::Clock;
use crate::commands::CATALOG;
use crate::contract::Effect;
use crate::environment::Env;
use crate::error::report::{self, Attempt};
use crate::error::{Code, Error, Result};
use crate::generate::tools;
use crate::nearest;
use crate::surface::{Context, Surface, Watch};

use super::super::quiet::{self, Quiet};
use super::super::{call, words};
use super::{Fault, Place};

/// A request on its way: where it is made, and who waits for it.
pub(super) struct Asked<'p> {
    /// What all calls of the client have in common.
    pub(super) place: &'p Place,
    /// The surroundings, with the client's name.
    pub(super) env: Env,
    /// Who waits.
    pub(super) watch: Watch,
}

/// What a tool answers.
pub(super) struct ToolAnswer {
    /// What the command prints, once; a failure is the error that it would print. Then which tracker was changed,
    /// when nobody said where to look.
    pub(super) texts: Vec<String>,
    /// Whether the command failed.
    pub(super) failed: bool,
}

/// Arguments that every tool takes beside those of its command.
struct Beside {
    /// The folder of the call.
    cwd: Option<String>,
    /// What the command reads from standard input.
    stdin: Option<String>,
}

/// `tools/call`.
pub(super) fn call(
    asked: &Asked<'_>,
    typed: &str,
    mut arguments: Map<String, Value>,
) -> std::result::Result<ToolAnswer, Fault> {
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
    // Callers of the reference put some arguments one level below; what stands there is stronger.
    if let Some(Value::Object(below)) = arguments.shift_remove("options") {
        arguments.extend(below);
    }
    if let Some(switch) = tools::always(surface) {
        arguments.insert(switch.to_owned(), Value::Bool(true));
    }
    let take = |arguments: &mut Map<String, Value>, key: &str| match arguments.shift_remove(key)? {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    };
    let beside = Beside { cwd: take(&mut arguments, "cwd"), stdin: take(&mut arguments, "stdin") };
    Ok(run(asked, surface, &arguments, beside).unwrap_or_else(|error| {
        let argv: Vec<String> = surface.contract.path.iter().map(|&word| word.to_owned()).collect();
        let text = report::json(&error, &Attempt { argv: &argv, explain: false });
        ToolAnswer { texts: vec![text], failed: true }
    }))
}

/// Runs a command; an error is one of its place or its arguments.
fn run(
    asked: &Asked<'_>,
    surface: &'static Surface,
    arguments: &Map<String, Value>,
    beside: Beside,
) -> Result<ToolAnswer> {
    let folders = asked.place.roots.folders();
    // Which tracker was changed, when nobody said where to look.
    let elsewhere = surface.contract.effect != Effect::Reads && beside.cwd.is_none() && folders.is_empty();
    let env = asked.at(&folders, beside.cwd.as_deref())?;
    let context = quiet::around(arguments, &env);
    let argv = words::of(surface, arguments, &|| call::fields(&context))?;
    let quiet = Quiet::of(argv, env, beside.stdin).heard(asked.watch.clone(), asked.place.bodies.clone());
    let outcome = quiet.answer().unwrap_or_else(|error| quiet.failed(in_names_of_tools(surface, error)));
    let failed = outcome.code != 0;
    let mut texts = vec![match outcome.stdout.is_empty() {
        true => outcome.stderr,
        false => String::from_utf8_lossy(&outcome.stdout).into_owned(),
    }];
    if elsewhere
        && !failed
        && let Ok(tracker) = context.tracker()
    {
        texts.push(format!("tracker: {}", tracker.root().display()));
    }
    Ok(ToolAnswer { texts, failed })
}

/// A refusal by a contract that sends the caller to another command of its group: over this protocol, to its tool.
fn in_names_of_tools(surface: &Surface, mut error: Error) -> Error {
    if error.contract.is_some() {
        let group = surface.contract.path[0];
        for other in CATALOG.iter().filter(|other| other.contract.path[0] == group) {
            if tools::profile(other).is_some() {
                error.message = error.message.replace(&format!("pm {}", other.name()), &tools::name(other));
            }
        }
    }
    error
}

impl Asked<'_> {
    /// The surroundings of a call: the folder that it names, else the client's first one with a tracker, else the
    /// client's first one, else the server's.
    ///
    /// Errors: `invalid_argument_value` when the folder is not there.
    pub(super) fn at(&self, folders: &[std::path::PathBuf], cwd: Option<&str>) -> Result<Env> {
        let mut env = self.env.clone();
        let tracked = |root: &&std::path::PathBuf| {
            let mut env = self.env.clone();
            env.cwd.clone_from(root);
            Context::new(CATALOG, env, Clock::System, quiet::silent()).tracker().is_ok()
        };
        if let Some(root) = folders.iter().find(tracked).or(folders.first()) {
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

    /// What words print at the client's place; what went wrong, when they fail.
    pub(super) fn say(&self, words: Vec<String>) -> std::result::Result<String, String> {
        let env = self.at(&self.place.roots.folders(), None).map_err(|error| error.to_string())?;
        let quiet = Quiet::of(words, env, None).heard(self.watch.clone(), self.place.bodies.clone());
        let outcome = quiet.answer().unwrap_or_else(|error| quiet.failed(error));
        match outcome.code {
            0 => Ok(String::from_utf8_lossy(&outcome.stdout).into_owned()),
            _ => Err(outcome.stderr),
        }
    }
}

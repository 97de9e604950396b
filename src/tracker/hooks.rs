//! Hooks after changes. The settings are shared by everybody who has the repository, so what they name runs only where
//! somebody allowed exactly that, in this clone.

use std::time::Duration;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::Tracker;
use crate::codec::hex;
use crate::codec::json;
use crate::error::{Code, Error, Result};
use crate::model::hook::{self, Hook};
use crate::store::index::Place;
use crate::store::shell::{self, Job, Line};

/// The file that says which hooks are allowed here, in a folder of the user: no clone brings it along.
const FILE: &str = "hooks-allowed";

/// The variable that tells a hook, and what it starts, that it is one: hooks start no hooks.
pub const RUNNING: &str = "PM_HOOK";

/// A change that landed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Landed {
    /// The id of the item; `_workspace` for settings and schema.
    pub id: String,
    /// The operations of its new entries.
    pub ops: Vec<String>,
}

impl Tracker {
    /// The hooks of the settings, with what is wrong with those that are none.
    pub fn hooks(&self) -> Vec<std::result::Result<Hook, String>> {
        hook::configured(self.settings())
    }

    fn hooks_digest(&self) -> String {
        let entries = self.settings().get(hook::PATH).map(json::compact).unwrap_or_default();
        hex::encode(Sha256::digest(entries.as_bytes()))
    }

    /// Whether the hooks, as they are now, were allowed in this clone.
    pub fn hooks_allowed(&self) -> bool {
        let allowed = Place::of_user(self.root()).read(FILE);
        allowed.is_some_and(|bytes| (*bytes).as_ref() == self.hooks_digest().as_bytes())
    }

    /// Allows the hooks as they are now, or takes that back.
    ///
    /// Errors: `write_failed` when this user has no folder that remembers it.
    pub fn allow_hooks(&self, allow: bool) -> Result<()> {
        let digest = if allow { self.hooks_digest() } else { String::new() };
        Place::of_user(self.root()).write(FILE, &[digest.into_bytes()], None);
        if self.hooks_allowed() == allow {
            return Ok(());
        }
        Err(Error::new(Code::WriteFailed, "no folder of this user can remember it; is HOME set?"))
    }

    /// The changes that this value made so far.
    pub fn landed(&self) -> Vec<Landed> {
        self.landed.borrow().clone()
    }

    /// Runs the hooks after what landed, one after the other; `about` joins what they read. What goes wrong is a
    /// warning, never an error: the change stands.
    pub fn run_hooks(&self, landed: &[Landed], about: &Value) -> Vec<String> {
        let hooks = self.hooks();
        if hooks.is_empty() || landed.is_empty() {
            return Vec::new();
        }
        if !self.hooks_allowed() {
            return vec![format!("hooks_not_allowed:{}", hooks.len())];
        }
        let mut input = json!({"event": "after_mutation", "tracker": self.root().display().to_string()});
        let items = landed.iter().map(|landed| json!({"id": landed.id, "ops": landed.ops}));
        input["items"] = items.collect();
        if let (Some(input), Some(about)) = (input.as_object_mut(), about.as_object()) {
            input.extend(about.clone());
        }
        let input = json::compact(&input);
        let ops = || landed.iter().flat_map(|landed| landed.ops.iter().map(String::as_str));
        let mut warnings = Vec::new();
        for hook in hooks {
            match hook {
                Err(problem) => warnings.push(format!("hook_invalid:{problem}")),
                Ok(hook) if hook.wants(ops()) => warnings.extend(self.run_hook(&hook, &input)),
                Ok(_) => {}
            }
        }
        warnings
    }

    fn run_hook(&self, hook: &Hook, input: &str) -> Option<String> {
        let set = [(RUNNING.to_owned(), "1".to_owned())];
        let job = Job {
            command: Line::Program(&hook.command),
            input: Some(input),
            folder: self.workspace(),
            set: &set,
            clear: &[],
            limit: Duration::from_millis(hook.timeout_ms),
        };
        let name = &hook.command[0];
        match shell::run(&job) {
            Ok(ending) if ending.timed_out => {
                Some(format!("hook_failed:{name}:timeout after {} ms", hook.timeout_ms))
            }
            Ok(ending) if ending.code == Some(0) => None,
            Ok(ending) => {
                let code = ending.code.map_or_else(|| "a signal".to_owned(), |code| code.to_string());
                let said = ending.stderr.lines().next().unwrap_or_default();
                let said: String = said.chars().filter(|c| !c.is_control()).take(200).collect();
                let separator = if said.is_empty() { "" } else { ": " };
                Some(format!("hook_failed:{name}:exit {code}{separator}{said}"))
            }
            Err(error) => Some(format!("hook_failed:{name}:{error}")),
        }
    }
}

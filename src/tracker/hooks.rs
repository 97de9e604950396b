//! Hooks after changes. The settings are shared by everybody who has the repository, so what they name runs only where
//! somebody allowed exactly that, in this clone: the entries of the settings, and the bytes of the files that they run.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use super::Tracker;
use crate::codec::json;
use crate::error::{Code, Error, Result};
use crate::model::hook::{self, Hook};
use crate::store::index::Place;
use crate::store::programs::{Ground, Pinned, pin};
use crate::store::shell::{self, Job, Line};

/// The file that says which hooks are allowed here, in a folder of the user: no clone brings it along.
const FILE: &str = "hooks-allowed";

/// The form of that file.
const VERSION: u64 = 2;

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

/// Whether hooks may run here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HooksAllowed {
    /// They are what was allowed.
    pub allowed: bool,
    /// The files that are no longer as they were allowed; empty too where the settings differ, or nothing was allowed.
    pub changed: Vec<String>,
}

/// What was allowed.
struct Allowed {
    settings: String,
    files: Vec<Pinned>,
}

impl Allowed {
    fn read(bytes: &[u8]) -> Option<Allowed> {
        let document: Value = serde_json::from_slice(bytes).ok()?;
        let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        if document.get("version").and_then(Value::as_u64) != Some(VERSION) {
            return None;
        }
        let files = document.get("files")?.as_array()?.iter().map(|row| {
            let path = PathBuf::from(text(row, "path")?);
            Some(Pinned { path, digest: text(row, "sha256"), stamp: text(row, "stamp")? })
        });
        Some(Allowed { settings: text(&document, "settings")?, files: files.collect::<Option<_>>()? })
    }

    fn text(&self) -> String {
        let files = self.files.iter().map(|file| {
            let path = file.path.to_string_lossy();
            json!({"path": path, "sha256": file.digest, "stamp": file.stamp})
        });
        json!({"version": VERSION, "settings": self.settings, "files": Value::from_iter(files)}).to_string()
    }
}

impl Tracker {
    /// The hooks of the settings, with what is wrong with those that are none.
    pub fn hooks(&self) -> Vec<std::result::Result<Hook, String>> {
        hook::configured(self.settings())
    }

    fn hooks_digest(&self) -> String {
        json::digest(self.settings().get(hook::PATH).unwrap_or(&Value::Null))
    }

    fn hook_ground(&self) -> Ground<'_> {
        Ground { folder: self.workspace(), search: &self.search_path }
    }

    /// The files that a hook runs: the program, what reads it, and those that its arguments name. Paths within the
    /// workspace are relative to it.
    pub fn hook_files(&self, hook: &Hook) -> Vec<String> {
        self.hook_ground().files(&hook.command).iter().map(|path| self.shown(path)).collect()
    }

    fn shown(&self, path: &Path) -> String {
        path.strip_prefix(self.workspace()).unwrap_or(path).display().to_string()
    }

    /// The files of all hooks, each once.
    fn all_hook_files(&self) -> Vec<PathBuf> {
        let hooks = self.hooks().into_iter().flatten();
        let mut files: Vec<PathBuf> =
            hooks.flat_map(|hook| self.hook_ground().files(&hook.command)).collect();
        files.sort_unstable();
        files.dedup();
        files
    }

    /// Whether the hooks, as they are now with the files that they run, were allowed in this clone.
    pub fn hooks_allowed(&self) -> HooksAllowed {
        let bytes = Place::of_user(self.root()).read(FILE);
        let Some(allowed) = bytes.and_then(|bytes| Allowed::read((*bytes).as_ref())) else {
            return HooksAllowed::default();
        };
        if allowed.settings != self.hooks_digest() {
            return HooksAllowed::default();
        }
        let files = self.all_hook_files();
        let mut changed: Vec<String> = Vec::new();
        for path in &files {
            let known = allowed.files.iter().find(|file| file.path == *path);
            if known.is_none_or(|known| pin(path, Some(known)).digest != known.digest) {
                changed.push(self.shown(path));
            }
        }
        let gone = allowed.files.iter().filter(|file| !files.contains(&file.path));
        changed.extend(gone.map(|file| self.shown(&file.path)));
        HooksAllowed { allowed: changed.is_empty(), changed }
    }

    /// Allows the hooks as they are now, or takes that back.
    ///
    /// Errors: `write_failed` when this user has no folder that remembers it.
    pub fn allow_hooks(&self, allow: bool) -> Result<()> {
        let text = if allow {
            let files = self.all_hook_files().iter().map(|path| pin(path, None)).collect();
            Allowed { settings: self.hooks_digest(), files }.text()
        } else {
            String::new()
        };
        Place::of_user(self.root()).write(FILE, &[text.into_bytes()], None);
        if self.hooks_allowed().allowed == allow {
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
        let HooksAllowed { allowed, changed } = self.hooks_allowed();
        if !allowed {
            let which = if changed.is_empty() { String::new() } else { format!(":{}", changed.join(",")) };
            return vec![format!("hooks_not_allowed:{}{which}", hooks.len())];
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
        let name = &hook.command[0];
        let Some(program) = self.hook_ground().find(name) else {
            return Some(format!("hook_failed:{name}:no such program"));
        };
        let job = Job {
            command: Line::Program(&program, &hook.command),
            input: Some(input),
            folder: self.workspace(),
            set: &set,
            clear: &[],
            limit: Duration::from_millis(hook.timeout_ms),
        };
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

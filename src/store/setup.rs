//! Making a tracker: folders, settings, schema files, and the blocks in Git's own files (storage.md §1.3).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::fence::Fence;
use super::paths::{self, Place};
use super::{Source, WorkTree, file, git, settings};
use crate::codec::json;
use crate::error::{Code, Error, Result};
use crate::model::id::normalise_prefix;
use crate::model::kind::Kinds;
use crate::model::settings::{Settings, default_document, preset_values};

/// The folders of a new tracker, in the order in which they are made.
const FOLDERS: [&str; 16] = [
    "epics",
    "features",
    "tasks",
    "chores",
    "issues",
    "schema",
    "history",
    "search",
    "extensions",
    "locks",
    "decisions",
    "events",
    "reminders",
    "milestones",
    "meetings",
    "plans",
];

/// What a new tracker is to be like.
#[derive(Clone, Debug)]
pub struct Setup<'a> {
    /// Where.
    pub place: &'a Place,
    /// The prefix of ids; without one that of the items that are there already, else `pm-`.
    pub prefix: Option<&'a str>,
    /// The governance preset.
    pub preset: &'a str,
    /// The default author; may be empty.
    pub author: &'a str,
    /// Definitions of kinds for a new `types.json`.
    pub kinds: &'a [Value],
    /// Whether Git learns how to merge a tracker.
    pub merge_fence: bool,
    /// This program, as Git is to call it.
    pub program: &'a Path,
    /// Whether settings that cannot be read are put aside and written anew.
    pub replace_broken: bool,
    /// Says what would be done, does nothing.
    pub dry_run: bool,
}

/// What making a tracker did, or would do.
#[derive(Clone, Debug, Default)]
pub struct Prepared {
    /// Folders and schema files that were made.
    pub created: Vec<PathBuf>,
    /// Whether the settings were written.
    pub wrote_settings: bool,
    /// The settings now.
    pub settings: Settings,
    /// Warnings: `updated:gitignore:<path>`, ...
    pub warnings: Vec<String>,
}

impl Setup<'_> {
    /// Makes what is missing; what is there stays as it is.
    ///
    /// Errors: `unsafe_init_recovery` for settings that cannot be read, `init_gitignore_unwritable`,
    /// `tracker_read_only` and the like.
    pub fn prepare(&self) -> Result<Prepared> {
        let root = &self.place.root;
        let mut done = Prepared::default();
        let existing = self.existing_settings()?;
        let kinds = Kinds::new(self.kinds);
        let mut folders = vec![root.clone()];
        folders.extend(FOLDERS.iter().map(|folder| root.join(folder)));
        folders.extend(kinds.iter().filter(|kind| !kind.built_in).map(|kind| root.join(&kind.folder)));
        for folder in folders {
            if !folder.is_dir() {
                self.perform(&folder, || fs::create_dir_all(&folder))?;
                done.created.push(folder);
            }
        }
        done.settings = match existing {
            Some(settings) => settings,
            None => {
                let document = self.new_settings();
                self.write(&root.join("settings.json"), &document)?;
                done.wrote_settings = true;
                Settings::from_document(document)
            }
        };
        for (name, document) in schema_seeds(self.kinds) {
            let path = root.join("schema").join(name);
            if !path.exists() {
                self.write(&path, &document)?;
                done.created.push(path);
            }
        }
        self.fences(&mut done)?;
        Ok(done)
    }

    /// The settings that are there. Broken ones are put aside when that is wished.
    fn existing_settings(&self) -> Result<Option<Settings>> {
        let path = self.place.root.join("settings.json");
        let settings = match fs::read_to_string(&path) {
            Ok(text) => Settings::parse(&text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Ok(None),
            Err(error) => Settings::unreadable(error.to_string()),
        };
        if settings.document().is_some() {
            return Ok(Some(settings));
        }
        let problem = settings.fault().map(|fault| fault.problem()).unwrap_or_default();
        if !self.replace_broken {
            return Err(Error::new(
                Code::UnsafeInitRecovery,
                format!(
                    "`{}` cannot be read ({problem}); `--force` puts it aside and writes a new one",
                    path.display()
                ),
            )
            .at("--force")
            .hint("pm init --force"));
        }
        let aside = path.with_file_name(format!("settings.json.invalid-{}", file::random_hex(4)));
        self.perform(&path, || fs::rename(&path, &aside))?;
        Ok(None)
    }

    fn new_settings(&self) -> Map<String, Value> {
        let mut settings = Settings::from_document(default_document().clone());
        let mut set = |path: &str, value: Value| {
            settings = Settings::from_document(settings.with(path, Some(value)));
        };
        let prefix = self.prefix.map(normalise_prefix).or_else(|| prefix_of_items(&self.place.root));
        set("id_prefix", prefix.unwrap_or_else(|| "pm-".to_owned()).into());
        set("author_default", self.author.into());
        for (path, value) in preset_values(self.preset).unwrap_or_default() {
            set(path, value);
        }
        settings.document().cloned().unwrap_or_default()
    }

    fn fences(&self, done: &mut Prepared) -> Result<()> {
        let place = self.place;
        let ignore = place.workspace.join(".gitignore");
        match Fence::ignore(&place.root, &place.workspace).write(&ignore, self.dry_run) {
            Ok(true) => done.warnings.push(format!("updated:gitignore:{}", ignore.display())),
            Ok(false) => {}
            Err(error) => {
                let problem = format!("`{}` cannot be written: {error}", ignore.display());
                return Err(Error::new(Code::InitGitignoreUnwritable, problem).because(error));
            }
        }
        if self.merge_fence {
            let kinds = self.kinds_now();
            done.warnings.extend(merge_fence(place, &kinds, self.program, self.dry_run));
        }
        Ok(())
    }

    /// The kinds of the tracker: those on disk, else those that are about to be written.
    fn kinds_now(&self) -> Kinds {
        match WorkTree::open(&self.place.root) {
            Ok(tree) if tree.stamp("schema/types.json").is_ok_and(|stamp| stamp.is_some()) => {
                settings::read(&tree).schema.kinds
            }
            _ => Kinds::new(self.kinds),
        }
    }

    fn write(&self, path: &Path, document: &Map<String, Value>) -> Result<()> {
        let text = format!("{}\n", json::pretty(&Value::Object(document.clone())));
        self.perform(path, || file::replace(path, text.as_bytes()))
    }

    fn perform(&self, path: &Path, action: impl FnOnce() -> io::Result<()>) -> Result<()> {
        if self.dry_run {
            return Ok(());
        }
        action().map_err(|error| {
            let code = match error.kind() {
                io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => Code::TrackerRootNotDirectory,
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Code::TrackerReadOnly,
                _ => Code::WriteFailed,
            };
            Error::new(code, format!("`{}` cannot be made: {error}", path.display())).because(error)
        })
    }
}

/// Tells Git how to merge a tracker, as far as it lies in a work tree and Git does not know yet. Returns what changed
/// and what could not be done, as warnings.
pub fn merge_fence(place: &Place, kinds: &Kinds, program: &Path, dry_run: bool) -> Vec<String> {
    let Some(work_tree) = git::work_tree(&place.workspace) else { return Vec::new() };
    let mut warnings = Vec::new();
    // Before the attributes, so that they never name drivers that nobody knows.
    if let Err(error) = git::install_drivers(&work_tree, program, dry_run) {
        warnings.push(format!("merge_drivers_not_configured:{error}"));
    }
    warnings.extend(blocks(place, &work_tree, kinds, dry_run));
    warnings
}

/// As [`merge_fence`], for those who asked for nothing else: what cannot be done is an error.
///
/// Errors: `merge_root_not_found` outside of a work tree, `merge_git_config_unwritable` when nothing was changed,
/// `write_failed` when the drivers are there and nothing names them.
pub fn install_merge_fence(
    place: &Place,
    kinds: &Kinds,
    program: &Path,
    dry_run: bool,
) -> Result<Vec<String>> {
    let workspace = place.workspace.display();
    let Some(work_tree) = git::work_tree(&place.workspace) else {
        let problem = format!("`{workspace}` lies in no work tree of Git");
        return Err(Error::new(Code::MergeRootNotFound, problem).hint("git init"));
    };
    let configured = git::install_drivers(&work_tree, program, dry_run).map_err(|error| {
        let problem = format!("the drivers cannot be configured: {error}; nothing was changed");
        Error::new(Code::MergeGitConfigUnwritable, problem).because(error)
    })?;
    let mut said = blocks(place, &work_tree, kinds, dry_run);
    if configured {
        said.insert(0, format!("updated:merge_drivers:{}", work_tree.display()));
    }
    match said.iter().find_map(|warning| warning.strip_prefix("merge_fence_unwritable:")) {
        Some(problem) => Err(Error::new(Code::WriteFailed, format!("it cannot be written: {problem}"))),
        None => Ok(said),
    }
}

/// Writes the blocks that name the drivers. Returns what changed and what could not be written, as warnings.
fn blocks(place: &Place, work_tree: &Path, kinds: &Kinds, dry_run: bool) -> Vec<String> {
    let mut warnings = Vec::new();
    // Two branches that each declare a kind both write a line into the block.
    if let Some(local) = git::common_folder(work_tree).map(|common| common.join("info/attributes")) {
        let folder = || fs::create_dir_all(local.parent().unwrap_or(&local));
        let written =
            if dry_run { Ok(false) } else { folder().and_then(|()| Fence::union().write(&local, false)) };
        if let Err(error) = written {
            warnings.push(format!("merge_fence_unwritable:{}: {error}", local.display()));
        }
    }
    let folders = kinds.iter().map(|kind| kind.folder.as_str());
    let attributes = work_tree.join(".gitattributes");
    let written = Fence::attributes(&place.root, work_tree, folders).write(&attributes, dry_run);
    warnings.extend(told(&attributes, written));
    warnings
}

/// Tells Git how to merge the folders of every kind, if it knows how to merge this tracker at all. Returns what changed,
/// as warnings.
pub fn refresh_merge_fence(place: &Place, kinds: &Kinds, program: &Path) -> Vec<String> {
    match attributes_in_use(&place.workspace) {
        Some(_) => merge_fence(place, kinds, program, false),
        None => Vec::new(),
    }
}

/// The file that names the drivers of a tracker, where Git knows how to merge it at all.
fn attributes_in_use(workspace: &Path) -> Option<PathBuf> {
    let attributes = git::work_tree(workspace)?.join(".gitattributes");
    let text = fs::read_to_string(&attributes).ok()?;
    text.contains("merge=pm-item-toon").then_some(attributes)
}

/// Brings the lines for the folders of every kind in step with the schema files as they are: the last step of each
/// change of them, which a journal covers like the others. Returns what changed, as warnings.
pub(super) fn renew_attributes(root: &Path) -> Vec<String> {
    let workspace = paths::workspace_of(root);
    let Some(attributes) = attributes_in_use(&workspace) else { return Vec::new() };
    let (Some(work_tree), Ok(tree)) = (attributes.parent(), WorkTree::open(root)) else { return Vec::new() };
    let kinds = settings::read(&tree).schema.kinds;
    let folders = kinds.iter().map(|kind| kind.folder.as_str());
    told(&attributes, Fence::attributes(root, work_tree, folders).write(&attributes, false))
        .into_iter()
        .collect()
}

/// What is said of a block that was written, or could not be.
fn told(attributes: &Path, written: io::Result<bool>) -> Option<String> {
    match written {
        Ok(true) => Some(format!("updated:merge_fence:{}", attributes.display())),
        Ok(false) => None,
        Err(error) => Some(format!("merge_fence_unwritable:{}: {error}", attributes.display())),
    }
}

/// The schema files of a new tracker.
fn schema_seeds(kinds: &[Value]) -> [(&'static str, Map<String, Value>); 4] {
    let object = |value: Value| value.as_object().cloned().unwrap_or_default();
    [
        ("types.json", object(json!({"definitions": kinds}))),
        (
            "statuses.json",
            object(json!({"statuses": [
                {"id": "draft", "roles": ["draft"]},
                {"id": "open", "roles": ["active", "default_open"]},
                {"id": "in_progress", "aliases": ["in-progress"], "roles": ["active"]},
                {"id": "blocked", "roles": ["blocked"]},
                {"id": "closed", "roles": ["terminal", "terminal_done", "default_close"]},
                {"id": "canceled", "aliases": ["cancelled"], "roles": ["terminal", "terminal_canceled", "default_cancel"]},
            ]})),
        ),
        ("fields.json", object(json!({"fields": []}))),
        (
            "workflows.json",
            object(json!({"workflow": {
                "draft_status": "draft", "open_status": "open", "in_progress_status": "in_progress",
                "blocked_status": "blocked", "close_status": "closed", "canceled_status": "canceled",
            }})),
        ),
    ]
}

/// The prefix that most items have which are there before any settings are.
fn prefix_of_items(root: &Path) -> Option<String> {
    let tree = WorkTree::open(root).ok()?;
    let mut counts = std::collections::BTreeMap::<String, usize>::new();
    for listing in tree.scan(&|_, _| None).ok()? {
        for entry in listing.iter() {
            let stem = entry.name.rsplit_once('.').map_or(entry.name, |(stem, _)| stem);
            if let Some((prefix, _)) = stem.rsplit_once('-') {
                *counts.entry(normalise_prefix(prefix)).or_default() += 1;
            }
        }
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(prefix, _)| prefix)
}

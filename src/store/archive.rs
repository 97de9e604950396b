//! Copies of a whole tracker, by content: `runtime/workspace-snapshots/objects/<sha256>/{manifest.json,files/}` and
//! `refs/<name>.json` (storage.md §6.3). The name of an object is the SHA-256 of its manifest.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::history::MAX_STREAM_BYTES;
use super::journal::digest;
use super::process::{self, Life};
use super::settings::read_object;
use super::source::{FileKind, ReadError, Source, is_safe_path};
use super::{WorkTree, file};

/// Where all of it lies.
pub(crate) const FOLDER: &str = "runtime/workspace-snapshots";

/// The form of manifests and refs.
const VERSION: u64 = 1;

/// How often a tracker that changes while it is copied is begun anew.
const TRIES: usize = 8;

/// Files of a tracker beside its items.
const FILES: [&str; 3] = ["settings.json", "assurance.json", "search/eval-queries.json"];

/// Folders of a tracker beside those of its items, with the ending of what counts in them.
const FOLDERS: [(&str, &str); 5] = [
    ("context-intents", ".json"),
    ("history", ".jsonl"),
    ("merge-receipts", ".json"),
    ("schema", ".json"),
    ("templates", ".json"),
];

/// One file of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its size in bytes.
    pub size: u64,
    /// The SHA-256 of its bytes, in hex digits.
    pub sha256: String,
}

/// What a copy holds: its files by path below the tracker root.
pub type Files = BTreeMap<String, Kept>;

/// Why a copy cannot be made or used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ArchiveError {
    /// The system refuses.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Files kept changing.
    #[error("the tracker changed all the while")]
    Busy,
    /// What was kept is not what it says.
    #[error("{0}")]
    Damaged(String),
}

/// The path of every file that a copy holds, with what tells whether it changed; what cannot be kept is named.
type Census = (BTreeMap<String, (u64, i64, u64)>, Vec<String>);

fn census(tree: &WorkTree, extra: &[String]) -> io::Result<Census> {
    let mut found = BTreeMap::new();
    let mut refused = Vec::new();
    for path in FILES.iter().copied().chain(extra.iter().map(String::as_str)) {
        if let Some(stamp) = tree.stamp(path)? {
            found.insert(path.to_owned(), (stamp.size, stamp.mtime_ns, stamp.ino));
        }
    }
    let mut listings = tree.scan(&|_, _| None)?;
    for (folder, extension) in FOLDERS {
        listings.push(tree.list(folder, extension)?);
    }
    for listing in &listings {
        let below = |name: &str| match listing.folder.as_str() {
            "" => name.to_owned(),
            folder => format!("{folder}/{name}"),
        };
        refused.extend(listing.refused.iter().map(|name| below(name)));
        for entry in listing.iter() {
            let path = below(entry.name);
            if entry.kind == FileKind::File {
                found.insert(path, (entry.stamp.size, entry.stamp.mtime_ns, entry.stamp.ino));
            } else {
                refused.push(path);
            }
        }
    }
    refused.sort_unstable();
    Ok((found, refused))
}

/// Whether somebody is in the middle of a change.
fn under_way(root: &Path) -> bool {
    fs::read_dir(root.join(super::journal::FOLDER)).is_ok_and(|mut entries| entries.next().is_some())
}

/// Reads every file as of one moment and hands it on; what cannot be kept is named beside the result.
fn gather(
    tree: &WorkTree,
    extra: &[String],
    each: &mut dyn FnMut(&str, &[u8]) -> io::Result<()>,
) -> Result<(Files, Vec<String>), ArchiveError> {
    for _ in 0..TRIES {
        let (before, mut refused) = census(tree, extra)?;
        let mut files = Files::new();
        let mut gone = under_way(tree.root());
        for path in before.keys() {
            match tree.read(path, MAX_STREAM_BYTES) {
                Ok(bytes) => {
                    each(path, &bytes)?;
                    files.insert(path.clone(), Kept { size: bytes.len() as u64, sha256: digest(&bytes) });
                }
                Err(ReadError::NotFound) => gone = true,
                Err(error) => refused.push(format!("{path}: {error}")),
            }
        }
        if !gone && !under_way(tree.root()) && census(tree, extra)?.0 == before {
            return Ok((files, refused));
        }
    }
    Err(ArchiveError::Busy)
}

/// What a copy would hold now; what cannot be kept is named beside it.
///
/// Errors: the tracker cannot be read, or changes all the while.
pub(crate) fn contents(tree: &WorkTree, extra: &[String]) -> Result<(Files, Vec<String>), ArchiveError> {
    gather(tree, extra, &mut |_, _| Ok(()))
}

fn manifest(files: &Files) -> String {
    let rows =
        files.iter().map(|(path, kept)| json!({"path": path, "size": kept.size, "sha256": kept.sha256}));
    format!("{}\n", json!({"schema_version": VERSION, "files": Value::from_iter(rows)}))
}

/// The name of the object that holds these files.
pub(crate) fn name_of(files: &Files) -> String {
    digest(manifest(files).as_bytes())
}

/// Copies the tracker; gives the name of the object, its files, and what could not be kept.
///
/// Errors: the tracker cannot be read or written, or changes all the while; nothing is left then.
pub(crate) fn keep(tree: &WorkTree, extra: &[String]) -> Result<(String, Files, Vec<String>), ArchiveError> {
    let root = tree.root();
    sweep(root);
    let begun = file::temporary(&file::place(root, &format!("{FOLDER}/objects/object"))?);
    let copied = (|| {
        fs::create_dir(&begun)?;
        let place = |path: &str| file::place(&begun, &format!("files/{path}"));
        let (files, refused) = gather(tree, extra, &mut |path, bytes| fs::write(place(path)?, bytes))?;
        drop_others(&begun.join("files"), "", &files)?;
        Ok((settle(root, &begun, &files)?, files, refused))
    })();
    if copied.is_err() {
        let _ = fs::remove_dir_all(&begun);
    }
    copied
}

/// Puts an object whose files are all there in its place, durably, unless it is there already. Returns its name.
fn settle(root: &Path, begun: &Path, files: &Files) -> Result<String, ArchiveError> {
    let text = manifest(files);
    let name = digest(text.as_bytes());
    let object = file::place(root, &format!("{FOLDER}/objects/{name}"))?;
    if object.is_dir() {
        fs::remove_dir_all(begun)?;
    } else {
        fs::write(begun.join("manifest.json"), text)?;
        sync_all(begun, files)?;
        file::rename(begun, &object)?;
        object.parent().map_or(Ok(()), file::sync_folder)?;
    }
    Ok(name)
}

/// Removes what an earlier try copied and the last one did not find any more.
fn drop_others(folder: &Path, below: &str, files: &Files) -> io::Result<()> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if below.is_empty() { name } else { format!("{below}/{name}") };
        if entry.file_type()?.is_dir() {
            drop_others(&entry.path(), &path, files)?;
        } else if !files.contains_key(&path) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Waits until a new object is on disk: in one go where the system can do that.
fn sync_all(begun: &Path, files: &Files) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    if rustix::fs::syncfs(fs::File::open(begun)?).is_ok() {
        return Ok(());
    }
    for path in files.keys() {
        fs::File::open(begun.join("files").join(path))?.sync_all()?;
    }
    fs::File::open(begun.join("manifest.json"))?.sync_all()
}

/// Removes what dead processes left half-made.
fn sweep(root: &Path) {
    let entries = fs::read_dir(root.join(FOLDER).join("objects")).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let owner = name.to_str().and_then(file::temporary_owner);
        if owner.is_some_and(|pid| process::life(pid, None) == Life::Dead) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// The files of an object.
///
/// Errors: it is not there, or is not what its name says.
pub(crate) fn read(tree: &WorkTree, object: &str) -> Result<Files, ArchiveError> {
    let damaged = |problem: &str| ArchiveError::Damaged(format!("the copy {}: {problem}", short(object)));
    let bytes = tree
        .read(&format!("{FOLDER}/objects/{object}/manifest.json"), MAX_STREAM_BYTES)
        .map_err(|error| damaged(&error.to_string()))?;
    if digest(&bytes) != object {
        return Err(damaged("its manifest was changed"));
    }
    let document: Value = serde_json::from_slice(&bytes).map_err(|_| damaged("its manifest is no JSON"))?;
    let mut files = Files::new();
    for row in document.get("files").and_then(Value::as_array).into_iter().flatten() {
        let text = |key: &str| row.get(key).and_then(Value::as_str);
        let (Some(path), Some(sha256), Some(size)) =
            (text("path"), text("sha256"), row.get("size").and_then(Value::as_u64))
        else {
            return Err(damaged("its manifest has a row that says nothing"));
        };
        if !is_safe_path(path) {
            return Err(damaged("its manifest names a path outside of the tracker"));
        }
        files.insert(path.to_owned(), Kept { size, sha256: sha256.to_owned() });
    }
    Ok(files)
}

/// The bytes of one file of an object.
///
/// Errors: they are not there, or not those that the manifest says.
pub(crate) fn bytes(tree: &WorkTree, object: &str, path: &str, kept: &Kept) -> Result<Vec<u8>, ArchiveError> {
    let place = format!("{FOLDER}/objects/{object}/files/{path}");
    let bytes = tree.read(&place, MAX_STREAM_BYTES).ok().filter(|bytes| digest(bytes) == kept.sha256);
    bytes.ok_or_else(|| {
        ArchiveError::Damaged(format!("the copy {}: `{path}` is gone or was changed", short(object)))
    })
}

fn short(object: &str) -> &str {
    object.get(..12).unwrap_or(object)
}

/// Every object that lies there, named or not, sorted.
pub(crate) fn objects(root: &Path) -> Vec<String> {
    let entries = fs::read_dir(root.join(FOLDER).join("objects")).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut objects: Vec<String> = names.filter(|name| is_object(name)).collect();
    objects.sort_unstable();
    objects
}

fn is_object(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Makes an object that is as another one but for these files, lets whatever names the old one name it, and removes
/// the old one. Returns its name.
///
/// Errors: the old one is damaged, or the system refuses; the old one is still there then.
pub(crate) fn revise(
    tree: &WorkTree,
    object: &str,
    changes: &BTreeMap<String, String>,
) -> Result<String, ArchiveError> {
    let root = tree.root();
    let mut files = read(tree, object)?;
    let begun = file::temporary(&file::place(root, &format!("{FOLDER}/objects/object"))?);
    let made = (|| {
        fs::create_dir(&begun)?;
        for (path, kept) in &mut files {
            let content = match changes.get(path) {
                Some(text) => text.clone().into_bytes(),
                None => bytes(tree, object, path, kept)?,
            };
            *kept = Kept { size: content.len() as u64, sha256: digest(&content) };
            fs::write(file::place(&begun, &format!("files/{path}"))?, content)?;
        }
        settle(root, &begun, &files)
    })();
    if made.is_err() {
        let _ = fs::remove_dir_all(&begun);
    }
    let made: String = made?;
    for (ref_name, mut about) in refs(tree)?.0 {
        if about.get("object").and_then(Value::as_str) == Some(object) {
            about.insert("object".to_owned(), made.as_str().into());
            name(root, &ref_name, about)?;
        }
    }
    if made != object {
        discard(root, object)?;
    }
    Ok(made)
}

/// What names objects: the refs, by name, and the files that are none.
pub(crate) fn refs(tree: &WorkTree) -> io::Result<(BTreeMap<String, Map<String, Value>>, Vec<String>)> {
    let (mut refs, mut broken) = (BTreeMap::new(), Vec::new());
    let folder = format!("{FOLDER}/refs");
    for entry in tree.list(&folder, ".json")?.iter() {
        let name = entry.name.trim_end_matches(".json");
        match read_object(tree, &format!("{folder}/{}", entry.name)) {
            Ok(Some(found)) if found.get("object").and_then(Value::as_str).is_some_and(is_object) => {
                refs.insert(name.to_owned(), found);
            }
            _ => broken.push(name.to_owned()),
        }
    }
    Ok((refs, broken))
}

/// Names an object, durably.
pub(crate) fn name(root: &Path, name: &str, mut about: Map<String, Value>) -> io::Result<()> {
    about.insert("schema_version".to_owned(), VERSION.into());
    let text = format!("{}\n", crate::codec::json::pretty(&Value::Object(about)));
    file::replace(&file::place(root, &format!("{FOLDER}/refs/{name}.json"))?, text.as_bytes())
}

/// Forgets a name.
pub(crate) fn forget(root: &Path, name: &str) -> io::Result<()> {
    super::journal::remove(&file::place(root, &format!("{FOLDER}/refs/{name}.json"))?)
}

/// Removes an object: out of sight first, so that half of it is never found.
pub(crate) fn discard(root: &Path, object: &str) -> io::Result<()> {
    let path: PathBuf = file::place(root, &format!("{FOLDER}/objects/{object}"))?;
    if !fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir()) {
        return Ok(());
    }
    let out = file::temporary(&path);
    file::rename(&path, &out)?;
    fs::remove_dir_all(out)
}

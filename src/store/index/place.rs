//! Where an index lies: in the tracker's `runtime/`, or in the user's cache folder when that cannot be written.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::codec::hex;
use crate::model::records::Block;

const LOCK: &str = "index-v1.writing";

/// From this size on files are mapped, not read. Mapping a small file costs more than it saves, and where a mapped
/// file cannot be replaced only what would fill the memory is mapped.
const MAPPED_FROM: u64 = if cfg!(windows) { 64 << 20 } else { 64 << 10 };

/// The files of the index of items.
const ITEM_FILES: [&str; 2] = super::items::FILES;

/// A file of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexFile {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// When it was written, in milliseconds since the epoch.
    pub saved_ms: i64,
}

/// The folders in which an index may lie, the preferred one first.
#[derive(Clone, Debug)]
pub struct Place {
    folders: Vec<PathBuf>,
}

impl Place {
    /// The places for the tracker with this root: `runtime/` in it, then a folder of the user's cache that is
    /// named after the canonical root.
    pub fn of_root(root: &Path) -> Place {
        let mut folders = vec![root.join("runtime")];
        folders.extend(of_user(root, |user| user.cache_dir().to_owned()));
        Place { folders }
    }

    /// The place for what this user decided about the tracker with this root. It is nowhere in the repository, so
    /// that no clone brings decisions along.
    pub(crate) fn of_user(root: &Path) -> Place {
        Place { folders: of_user(root, |user| user.data_local_dir().to_owned()).into_iter().collect() }
    }

    /// A single folder.
    pub fn folder(folder: impl Into<PathBuf>) -> Place {
        Place { folders: vec![folder.into()] }
    }

    /// The files of the index, in the first folder that has any: name, size in bytes, last change in milliseconds.
    pub fn census(&self) -> Vec<IndexFile> {
        let file = |folder: &Path, name: &str| {
            let metadata = fs::symlink_metadata(folder.join(name)).ok().filter(fs::Metadata::is_file)?;
            let changed = metadata.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
            Some(IndexFile {
                name: name.to_owned(),
                bytes: metadata.len(),
                saved_ms: i64::try_from(changed.as_millis()).unwrap_or(i64::MAX),
            })
        };
        let all = |folder: &PathBuf| ITEM_FILES.iter().filter_map(|name| file(folder, name)).collect();
        self.folders.iter().map(all).find(|files: &Vec<_>| !files.is_empty()).unwrap_or_default()
    }

    /// Removes the files of the index; that it cannot be done is no failure.
    pub fn clear(&self) {
        for folder in &self.folders {
            ITEM_FILES.iter().for_each(|name| drop(fs::remove_file(folder.join(name))));
        }
    }

    /// Removes every file of an index from every folder where one may lie, also those that hold older versions; states
    /// that were shown are no index.
    pub(crate) fn forget_everywhere(&self) {
        for folder in &self.folders {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let name = entry.file_name();
                let is_index = name.to_str().is_some_and(|name| {
                    (name.ends_with(".bin") || name.ends_with(".bin.tmp")) && !name.starts_with("snapshots-")
                });
                if is_index && entry.file_type().is_ok_and(|kind| kind.is_file()) {
                    let _ = fs::remove_file(entry.path());
                }
            }
        }
    }

    /// The bytes of a file of the first folder that has it.
    pub(crate) fn read(&self, name: &str) -> Option<Block> {
        self.folders.iter().find_map(|folder| read(&folder.join(name)).ok())
    }

    /// Writes files by temporary file and rename, and removes others, in the first folder that lets us. Nothing
    /// happens while another process writes: it will do as well.
    pub(crate) fn write(&self, name: &str, pieces: &[Vec<u8>], stale: Option<&str>) {
        for folder in &self.folders {
            match write(folder, name, pieces, stale) {
                Ok(()) => return,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => {}
            }
        }
    }
}

/// A folder of the user that is named after the canonical root.
fn of_user(root: &Path, within: impl Fn(&directories::ProjectDirs) -> PathBuf) -> Option<PathBuf> {
    let canonical = fs::canonicalize(root).ok()?;
    let user = directories::ProjectDirs::from("", "", "pm")?;
    let digest = Sha256::digest(canonical.as_os_str().as_encoded_bytes());
    let name = hex::encode(digest);
    Some(within(&user).join("trackers").join(name))
}

fn read(path: &Path) -> io::Result<Block> {
    // Looked at before it is opened: opening a pipe would wait.
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    if size >= MAPPED_FROM {
        return Ok(Box::new(map(&file)?));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    file.read_to_end(&mut bytes)?;
    Ok(Box::new(bytes))
}

#[expect(unsafe_code, reason = "mapping a file is the one thing that needs it")]
pub(in crate::store) fn map(file: &File) -> io::Result<memmap2::Mmap> {
    // SAFETY: index files are written under another name and renamed, never changed or cut where they lie, so the
    // mapped bytes stay as they are. All access is bounds-checked, and the bytes are checked before they are used.
    unsafe { memmap2::Mmap::map(file) }
}

fn write(folder: &Path, name: &str, pieces: &[Vec<u8>], stale: Option<&str>) -> io::Result<()> {
    prepare(folder)?;
    let lock = OpenOptions::new().create(true).truncate(false).write(true).open(folder.join(LOCK))?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::WouldBlock.into()),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    let temporary = folder.join(format!("{name}.tmp"));
    // What a killed process left; only the holder of the lock writes this name.
    let _ = fs::remove_file(&temporary);
    let result = (|| {
        let mut file = OpenOptions::new().create_new(true).write(true).open(&temporary)?;
        pieces.iter().try_for_each(|piece| file.write_all(piece))?;
        drop(file);
        if let Some(stale) = stale {
            let _ = fs::remove_file(folder.join(stale));
        }
        fs::rename(&temporary, folder.join(name))
    })();
    if result.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    result
}

/// Makes the folder, with a word to Git that nothing in it is to be tracked.
fn prepare(folder: &Path) -> io::Result<()> {
    match fs::symlink_metadata(folder) {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        // A link could lead anywhere.
        Ok(_) => Err(io::ErrorKind::NotADirectory.into()),
        Err(_) => {
            fs::create_dir_all(folder)?;
            fs::write(folder.join(".gitignore"), "*\n")
        }
    }
}

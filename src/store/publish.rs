//! A folder of files that belong together, replaced file by file: each in one step, unchanged ones left alone.
//!
//! All new bytes are written beside their places before the first file is replaced, so that a full disk changes
//! nothing. Nothing waits for the disk: what is published can be made again.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::fault::Fault;
use super::file;
use super::paths::clean;

/// What changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Published {
    /// Files that are new or other than before.
    pub written: usize,
    /// Files that were as they are to be.
    pub unchanged: usize,
    /// Files that no longer belong.
    pub removed: usize,
}

/// Why nothing was published.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// The folder holds what nobody published.
    #[error("`{0}` is not empty, and nothing was published there before")]
    Occupied(PathBuf),
    /// The system refused.
    #[error("`{0}`: {1}")]
    Io(PathBuf, io::Error),
}

/// A set of files to publish.
#[derive(Debug)]
pub struct Publication<'f> {
    /// Paths below the folder and their bytes; the last ones last.
    pub files: Vec<(&'f str, &'f [u8])>,
    /// Whether a folder at the top belongs to the publication, so that its other files are removed.
    pub owns: fn(&str) -> bool,
    /// The file in a folder of the publication that shows that something was published here.
    pub mark: &'f str,
    /// Where to die on purpose.
    pub fault: Fault,
}

impl Publication<'_> {
    /// Puts the files in their places. `lock` is a file that keeps two publications apart.
    ///
    /// The first publication into a folder appears as a whole. Errors: the folder is somebody else's, or the system
    /// refuses.
    pub fn put(&self, out: &Path, lock: Option<&Path>) -> Result<Published, PublishError> {
        let lock = lock.and_then(|path| held(path).ok());
        if lock.is_some() {
            clear_interrupted(out);
            clear_staged(out);
        }
        let failed = |error| PublishError::Io(out.to_owned(), error);
        match fs::read_dir(out) {
            Ok(mut entries) => match entries.next() {
                None => self.put_whole(out).map_err(failed),
                Some(_) if self.was_here(out) => self.put_each(out),
                Some(_) => Err(PublishError::Occupied(out.to_owned())),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.put_whole(out).map_err(failed),
            Err(error) => Err(failed(error)),
        }
    }

    /// The first publication: a folder made beside its place, and moved there.
    fn put_whole(&self, out: &Path) -> io::Result<Published> {
        if let Some(parent) = out.parent() {
            fs::create_dir_all(parent)?;
        }
        let whole = file::temporary(out);
        fs::create_dir(&whole)?;
        let write = |(path, bytes): &(&str, &[u8])| {
            fs::write(file::place(&whole, path)?, bytes)?;
            self.fault.reach("temporary_written");
            Ok(())
        };
        let moved = self.files.iter().try_for_each(write).and_then(|()| {
            self.fault.reach("applied");
            // An empty folder in its place gives way.
            match fs::remove_dir(out) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => file::rename(&whole, out),
            }
        });
        if let Err(error) = moved {
            let _ = fs::remove_dir_all(&whole);
            return Err(error);
        }
        Ok(Published { written: self.files.len(), ..Published::default() })
    }

    /// A later one: file by file, in the order given.
    fn put_each(&self, out: &Path) -> Result<Published, PublishError> {
        let failed = |path: PathBuf| move |error| PublishError::Io(path, error);
        let mut told = Published::default();
        let mut moves: Vec<(PathBuf, PathBuf)> = Vec::new();
        for (path, bytes) in &self.files {
            match stage(out, path, bytes) {
                Ok(None) => told.unchanged += 1,
                Ok(Some(pair)) => {
                    moves.push(pair);
                    self.fault.reach("temporary_written");
                }
                Err(error) => {
                    moves.iter().for_each(|(temporary, _)| drop(fs::remove_file(temporary)));
                    return Err(PublishError::Io(out.join(path), error));
                }
            }
        }
        for (temporary, place) in &moves {
            file::rename(temporary, place).map_err(failed(place.clone()))?;
            told.written += 1;
            self.fault.reach("renamed");
        }
        self.fault.reach("applied");
        let wanted: BTreeSet<&str> = self.files.iter().map(|(path, _)| *path).collect();
        for folder in self.folders(out) {
            sweep(out, &folder, &wanted, &mut told.removed).map_err(failed(out.join(&folder)))?;
            if told.removed > 0 {
                self.fault.reach("removed");
            }
            let _ = fs::remove_dir(out.join(&folder));
        }
        Ok(told)
    }

    /// The folders at the top that belong to the publication.
    fn folders(&self, out: &Path) -> Vec<String> {
        let own = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().ok()?;
            ((self.owns)(&name) && entry.file_type().is_ok_and(|kind| kind.is_dir())).then_some(name)
        };
        fs::read_dir(out).into_iter().flatten().flatten().filter_map(own).collect()
    }

    fn was_here(&self, out: &Path) -> bool {
        self.folders(out).iter().any(|folder| out.join(folder).join(self.mark).is_file())
    }
}

/// Removes what an interrupted first publication left beside the folder; nobody else is at work while the lock is
/// held.
fn clear_interrupted(out: &Path) {
    let (Some(parent), Some(name)) = (out.parent(), out.file_name()) else { return };
    let begin = format!(".{}.", name.to_string_lossy());
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let own = entry
            .file_name()
            .into_string()
            .is_ok_and(|name| name.starts_with(&begin) && file::temporary_owner(&name).is_some());
        if own && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Removes files at the top that an interrupted publication had written beside their places; those further down go
/// with what is not wanted there.
fn clear_staged(out: &Path) {
    for entry in fs::read_dir(out).into_iter().flatten().flatten() {
        let own = entry.file_name().into_string().is_ok_and(|name| file::temporary_owner(&name).is_some());
        if own && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Writes a file beside its place; none when it is there already.
fn stage(out: &Path, path: &str, bytes: &[u8]) -> io::Result<Option<(PathBuf, PathBuf)>> {
    let place = file::place(out, path)?;
    if is_same(&place, bytes) {
        return Ok(None);
    }
    let temporary = file::temporary(&place);
    if let Err(error) = fs::write(&temporary, bytes) {
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    Ok(Some((temporary, place)))
}

/// Whether a regular file holds these bytes.
fn is_same(place: &Path, bytes: &[u8]) -> bool {
    let meta = fs::symlink_metadata(place);
    let likely = meta.is_ok_and(|meta| meta.is_file() && meta.len() == bytes.len() as u64);
    likely && fs::read(place).is_ok_and(|found| found == bytes)
}

/// Removes the files below a folder that are not wanted, and folders that are empty then. Links are removed, never
/// followed.
fn sweep(out: &Path, folder: &str, wanted: &BTreeSet<&str>, removed: &mut usize) -> io::Result<()> {
    let entries = match fs::read_dir(out.join(folder)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let path = format!("{folder}/{}", name.to_string_lossy());
        if entry.file_type()?.is_dir() {
            sweep(out, &path, wanted, removed)?;
            let _ = fs::remove_dir(entry.path());
        } else if !wanted.contains(path.as_str()) {
            fs::remove_file(entry.path())?;
            *removed += 1;
        }
    }
    Ok(())
}

/// Holds a lock until the file is closed.
fn held(path: &Path) -> io::Result<fs::File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let file = fs::OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    file.lock()?;
    Ok(file)
}

/// Writes a new file below a folder, durably; no link is followed, and no file replaced.
///
/// Errors: what the system says; `AlreadyExists`.
pub fn create(folder: &Path, path: &str, bytes: &[u8]) -> io::Result<()> {
    let place = file::place(folder, path)?;
    file::write_new(&place, bytes)?;
    place.parent().map_or(Ok(()), file::sync_folder)
}

/// What lies below a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The files, with `/` in front and between, sorted.
    pub files: Vec<String>,
    /// Links, sockets and whatever else is no file, and names that are no UTF-8, as far as they can be told; sorted.
    pub odd: Vec<String>,
}

/// The files below a folder, links left out, with `/` in front and between; at most so many.
pub fn files_below(folder: &Path, most: usize) -> io::Result<Vec<String>> {
    listing(folder, most).map(|listing| listing.files)
}

/// What lies below a folder; no link is followed. At most so many files.
pub fn listing(folder: &Path, most: usize) -> io::Result<Listing> {
    let mut found = Listing::default();
    let mut open = vec![String::new()];
    while let Some(path) = open.pop() {
        for entry in fs::read_dir(folder.join(path.trim_start_matches('/')))? {
            let entry = entry?;
            let name = match entry.file_name().into_string() {
                Ok(name) => name,
                Err(name) => {
                    found.odd.push(format!("{path}/{}", name.to_string_lossy()));
                    continue;
                }
            };
            let kind = entry.file_type()?;
            let below = format!("{path}/{name}");
            match () {
                () if kind.is_dir() => open.push(below),
                () if kind.is_file() => found.files.push(below),
                () => found.odd.push(below),
            }
            if found.files.len() + found.odd.len() > most {
                return Err(io::Error::other(format!("it holds more than {most} files")));
            }
        }
    }
    found.files.sort_unstable();
    found.odd.sort_unstable();
    Ok(found)
}

/// Where a path leads: the real place of as much of it as is there, and the rest as it was written, without `.` and
/// `..`.
pub fn real_place(path: &Path) -> PathBuf {
    let plain = clean(path);
    let there = plain.ancestors().find_map(|ancestor| Some((ancestor, ancestor.canonicalize().ok()?)));
    match there {
        Some((ancestor, real)) => {
            plain.strip_prefix(ancestor).map_or_else(|_| plain.clone(), |rest| real.join(rest))
        }
        None => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn publication<'f>(files: &'f [(&'f str, &'f [u8])]) -> Publication<'f> {
        let owns = |folder: &str| ["v1", "v2", "catalog"].contains(&folder);
        Publication { files: files.to_vec(), owns, mark: "manifest.json", fault: Fault::default() }
    }

    #[test]
    fn what_is_the_same_stays_and_what_is_old_goes() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("dist/catalog");
        let first: [(&str, &[u8]); 3] =
            [("v1/a.json", b"a"), ("v1/x/b.json", b"b"), ("v1/manifest.json", b"m")];
        let told = publication(&first).put(&out, None).unwrap();
        assert_eq!((told.written, told.unchanged, told.removed), (3, 0, 0));
        fs::write(out.join("CNAME"), "mine").unwrap();
        let second: [(&str, &[u8]); 2] = [("v1/a.json", b"a"), ("v1/manifest.json", b"n")];
        let lock = dir.path().join("lock");
        let told = publication(&second).put(&out, Some(&lock)).unwrap();
        assert_eq!((told.written, told.unchanged, told.removed), (1, 1, 1));
        assert!(!out.join("v1/x").exists() && out.join("CNAME").exists());
        assert_eq!(files_below(&out, 9).unwrap(), ["/CNAME", "/v1/a.json", "/v1/manifest.json"]);
        assert!(files_below(&out, 2).is_err());
    }

    #[test]
    fn a_folder_of_somebody_else_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("catalog")).unwrap();
        fs::write(dir.path().join("catalog/mine.txt"), "mine").unwrap();
        let files: [(&str, &[u8]); 1] = [("v1/manifest.json", b"m")];
        let refused = publication(&files).put(dir.path(), None);
        assert!(matches!(refused, Err(PublishError::Occupied(_))));
        assert_eq!(files_below(dir.path(), 9).unwrap(), ["/catalog/mine.txt"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (out, outside) = (dir.path().join("out"), dir.path().join("outside"));
        fs::create_dir_all(&out).unwrap();
        fs::create_dir_all(&outside).unwrap();
        fs::write(outside.join("keep"), "k").unwrap();
        std::os::unix::fs::symlink(&outside, out.join("v1")).unwrap();
        let files: [(&str, &[u8]); 1] = [("v1/manifest.json", b"m")];
        assert!(publication(&files).put(&out, None).is_err());
        assert_eq!(files_below(&outside, 9).unwrap(), ["/keep"]);
    }
}

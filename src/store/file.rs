//! Writing one file so that nobody ever sees half of it (storage.md §5.2).

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::source::is_safe_path;

use crate::codec::hex;

/// A name for a temporary file beside `path`: the reference's form, so that both programs know whose it is.
pub(crate) fn temporary(path: &Path) -> PathBuf {
    let base = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis());
    path.with_file_name(format!(".{base}.{}.{ms}.{}.tmp", std::process::id(), random_hex(4)))
}

/// The process that a temporary file belongs to; `None` for a name of another kind.
pub(crate) fn temporary_owner(name: &str) -> Option<u32> {
    let mut parts = name.strip_prefix('.')?.strip_suffix(".tmp")?.rsplit('.');
    let (random, ms, pid) = (parts.next()?, parts.next()?, parts.next()?);
    let plain = random.len() == 8 && ms.bytes().all(|byte| byte.is_ascii_digit()) && parts.next().is_some();
    pid.parse().ok().filter(|_| plain)
}

/// Random lower-case hex digits, two for each byte.
pub(crate) fn random_hex(bytes: usize) -> String {
    let mut buffer = vec![0u8; bytes];
    if getrandom::fill(&mut buffer).is_err() {
        // Without a random source names are still unlike: the address and the time differ.
        let ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos());
        for (n, byte) in buffer.iter_mut().enumerate() {
            *byte = (ms >> (8 * (n % 8))) as u8 ^ std::process::id() as u8;
        }
    }
    hex::encode(buffer)
}

/// Writes a new file and waits until it is on disk.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    if written.is_err() {
        let _ = fs::remove_file(path);
    }
    written
}

/// Puts a temporary file in its place.
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    // Only Windows refuses while somebody else has the file open; the pauses are those of the reference.
    for pause in [10, 25, 50, 100] {
        match fs::rename(from, to) {
            Err(error) if cfg!(windows) && error.kind() == io::ErrorKind::PermissionDenied => {
                std::thread::sleep(Duration::from_millis(pause));
            }
            other => return other,
        }
    }
    fs::rename(from, to)
}

/// Waits until the entries of a folder are on disk. Systems that cannot do that need not.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Replaces a file by new bytes, durably.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = temporary(path);
    write_new(&temporary, bytes)?;
    if let Err(error) = rename(&temporary, path) {
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    path.parent().map_or(Ok(()), sync_folder)
}

/// The path below `root` for a relative one, with its folders made. Refuses to go through links.
///
/// Errors: `InvalidInput` for a path that is not a plain one, `NotADirectory` when a link or a file stands
/// where a folder should be.
pub(crate) fn place(root: &Path, relative: &str) -> io::Result<PathBuf> {
    if !is_safe_path(relative) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("`{relative}` is no path in a tracker"),
        ));
    }
    let mut path = root.to_owned();
    let mut parts = relative.split('/').peekable();
    while let Some(part) = parts.next() {
        path.push(part);
        if parts.peek().is_none() {
            break;
        }
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => {
                let problem = format!("`{}` is no folder, and links are not followed", path.display());
                return Err(io::Error::new(io::ErrorKind::NotADirectory, problem));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => match fs::create_dir(&path) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            },
            Err(error) => return Err(error),
        }
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replace_leaves_one_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = place(dir.path(), "a/b/c.toon").unwrap();
        replace(&path, b"one").unwrap();
        replace(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn temporary_names_tell_their_owner() {
        let name = temporary(Path::new("/x/pm-1.lock"));
        let name = name.file_name().unwrap().to_str().unwrap();
        assert_eq!(temporary_owner(name), Some(std::process::id()));
        for other in ["pm-1.lock", ".x.tmp", ".a.b.c.d.tmp", ".pm.7.1.abc.tmp"] {
            assert_eq!(temporary_owner(other), None, "{other}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn places_are_inside() {
        let dir = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(outside.path(), dir.path().join("tasks")).unwrap();
        assert_eq!(place(dir.path(), "tasks/x.toon").unwrap_err().kind(), io::ErrorKind::NotADirectory);
        assert_eq!(place(dir.path(), "../x").unwrap_err().kind(), io::ErrorKind::InvalidInput);
        fs::write(dir.path().join("file"), "").unwrap();
        assert_eq!(place(dir.path(), "file/x").unwrap_err().kind(), io::ErrorKind::NotADirectory);
    }
}

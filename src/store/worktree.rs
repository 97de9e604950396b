//! The files on disk: folder handles, no links, stamps from `stat`.

use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::source::{
    FileKind, Listing, MAX_FOLDER_DEPTH, ReadError, Recall, Remembered, Source, Stamp, is_item_file,
    is_safe_path, may_hold_items,
};
use crate::model::kind::Kinds;

/// From how many files on stamps are taken on two threads.
const PARALLEL_FROM: usize = 1_000;

/// How often folders are scanned at most, when they change while it goes on.
const SCANS: usize = 3;

/// A tracker root on disk.
#[derive(Debug)]
pub struct WorkTree {
    root: PathBuf,
    handle: system::Folder,
    identity: [u64; 2],
    claims: Claims,
}

/// Which folders are known to hold items.
#[derive(Debug)]
struct Claims {
    folders: Vec<String>,
    /// The root has no other purpose: whatever folder is in it may hold items.
    whole: bool,
}

impl Claims {
    /// Whether a folder is claimed, or lies below one that is. Only there a Markdown file is taken for an item.
    fn hold(&self, folder: &str) -> bool {
        self.folders.iter().any(|known| {
            folder.strip_prefix(known.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// Whether the folders in this one are worth a look: in a project whose own folders lie beside those of the
    /// tracker, only those that lead to claimed ones are.
    fn lead_below(&self, folder: &str) -> bool {
        let leads = |known: &String| known.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        folder.is_empty() || self.whole || self.hold(folder) || self.folders.iter().any(leads)
    }
}

impl WorkTree {
    /// Opens the root; it may itself be reached through links. The folders of the built-in kinds are claimed.
    pub fn open(root: impl Into<PathBuf>) -> io::Result<WorkTree> {
        let root = root.into();
        let handle = system::Folder::open(&root)?;
        let identity = handle.identity()?;
        let folders = Kinds::default().iter().map(|kind| kind.folder.clone()).collect();
        let claims = Claims { folders, whole: root.ends_with(".agents/pm") };
        Ok(WorkTree { root, handle, identity, claims })
    }

    /// Claims more folders: those of the kinds that a tracker declares.
    pub fn claim<S: Into<String>>(&mut self, folders: impl IntoIterator<Item = S>) {
        self.claims.folders.extend(folders.into_iter().map(Into::into));
    }

    /// The root's path.
    pub fn root(&self) -> &Path {
        &self.root
    }

    fn scan_folder(
        &self,
        folder: &system::Folder,
        path: &str,
        depth: usize,
        recall: &Recall<'_>,
        out: &mut Vec<Listing>,
    ) -> io::Result<()> {
        let stamp = folder.stamp()?;
        let top = depth == 0;
        let Remembered { mut listing, mut below } = match recall(path, &stamp) {
            Some(remembered) => remembered,
            None => list_folder(folder, Listing::new(path, stamp), depth, &self.claims)?,
        };
        take_stamps(folder, &mut listing);
        out.push(listing);
        below.sort_unstable();
        for name in below {
            let path = if top { name.clone() } else { format!("{path}/{name}") };
            match folder.folder(&name) {
                Ok(child) => self.scan_folder(&child, &path, depth + 1, recall, out)?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(_) => {
                    let parent =
                        out.iter_mut().find(|l| l.folder == path.rsplit_once('/').map_or("", |p| p.0));
                    if let Some(parent) = parent {
                        parent.fleeting = true;
                        parent.refused.push(name);
                    }
                }
            }
        }
        Ok(())
    }

    /// Opens the folder that holds `path` and gives the file's own name.
    fn parent<'p>(&self, path: &'p str) -> Result<(Option<system::Folder>, &'p str), ReadError> {
        if !is_safe_path(path) {
            return Err(ReadError::UnsafePath);
        }
        let mut parts: Vec<&str> = path.split('/').collect();
        let name = parts.pop().unwrap_or_default();
        let mut folder: Option<system::Folder> = None;
        for part in parts {
            let next = folder.as_ref().unwrap_or(&self.handle).folder(part).map_err(system::read_error)?;
            folder = Some(next);
        }
        Ok((folder, name))
    }

    fn open_file(&self, path: &str) -> Result<(fs::File, u64), ReadError> {
        let (folder, name) = self.parent(path)?;
        let file = folder.as_ref().unwrap_or(&self.handle).file(name).map_err(system::read_error)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(ReadError::NotAFile);
        }
        Ok((file, metadata.len()))
    }
}

impl Source for WorkTree {
    fn identity(&self) -> [u64; 2] {
        self.identity
    }

    fn scan(&self, recall: &Recall<'_>) -> io::Result<Vec<Listing>> {
        let mut attempt = 1;
        loop {
            let mut out = Vec::new();
            self.scan_folder(&self.handle, "", 0, recall, &mut out)?;
            // A file that moved meanwhile, from a folder not yet listed to one that was, would be in neither.
            let moved = out.iter().any(|listing| self.folder_stamp(&listing.folder) != Some(listing.stamp));
            if !moved || attempt == SCANS {
                return Ok(out);
            }
            attempt += 1;
        }
    }

    fn item_folders(&self) -> io::Result<Vec<String>> {
        let mut folders = Vec::new();
        self.handle.entries(&mut |entry| {
            if let system::Found::Folder(name) = entry
                && may_hold_items(name)
            {
                folders.push(name.to_owned());
            }
        })?;
        folders.sort_unstable();
        Ok(folders)
    }

    fn list_again(&self, folder: &str, extension: &str, recall: &Recall<'_>) -> io::Result<Listing> {
        let handle = match self.parent(&format!("{folder}/x")) {
            Ok((Some(handle), _)) => handle,
            Ok((None, _)) | Err(ReadError::NotFound) => return Ok(Listing::new(folder, Stamp::default())),
            Err(ReadError::Io(error)) => return Err(error),
            Err(error) => return Err(io::Error::other(error.to_string())),
        };
        let stamp = handle.stamp()?;
        let mut listing = match recall(folder, &stamp) {
            Some(remembered) => remembered.listing,
            None => list_files(&handle, Listing::new(folder, stamp), extension)?,
        };
        take_stamps(&handle, &mut listing);
        Ok(listing)
    }

    fn folder_stamp(&self, folder: &str) -> Option<Stamp> {
        if folder.is_empty() {
            return self.handle.stamp().ok();
        }
        let (handle, _) = self.parent(&format!("{folder}/x")).ok()?;
        handle?.stamp().ok()
    }

    fn stamp(&self, path: &str) -> io::Result<Option<Stamp>> {
        // Most of those who ask find nothing, and one look at the whole path says so.
        if is_safe_path(path) && self.handle.stat(path).is_none() {
            return Ok(None);
        }
        match self.parent(path) {
            Ok((folder, name)) => Ok(folder
                .as_ref()
                .unwrap_or(&self.handle)
                .stat(name)
                .and_then(|(kind, stamp)| (kind == FileKind::File).then_some(stamp))),
            Err(ReadError::Io(error)) => Err(error),
            Err(_) => Ok(None),
        }
    }

    fn read(&self, path: &str, limit: u64) -> Result<Vec<u8>, ReadError> {
        let (file, size) = self.open_file(path)?;
        if size > limit {
            return Err(ReadError::TooLarge { size, limit });
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
        // A file that grows while it is read is cut off one byte past the limit, and then refused.
        file.take(limit + 1).read_to_end(&mut bytes)?;
        match bytes.len() as u64 {
            size if size > limit => Err(ReadError::TooLarge { size, limit }),
            _ => Ok(bytes),
        }
    }

    fn read_tail(&self, path: &str, bytes: u64) -> Result<(Vec<u8>, u64), ReadError> {
        let (mut file, size) = self.open_file(path)?;
        file.seek(SeekFrom::Start(size.saturating_sub(bytes)))?;
        let mut tail = Vec::new();
        file.take(bytes).read_to_end(&mut tail)?;
        Ok((tail, size))
    }

    fn read_part(&self, path: &str, offset: u64, length: u64) -> Result<Vec<u8>, ReadError> {
        let (mut file, _) = self.open_file(path)?;
        file.seek(SeekFrom::Start(offset))?;
        let mut part = Vec::new();
        file.take(length).read_to_end(&mut part)?;
        Ok(part)
    }
}

/// Lists a folder `depth` levels below the root: its item files and the folders in it that may hold more.
fn list_folder(
    folder: &system::Folder,
    mut listing: Listing,
    depth: usize,
    claims: &Claims,
) -> io::Result<Remembered> {
    let mut below = Vec::new();
    let top = depth == 0;
    let (held, leads) = (claims.hold(&listing.folder), claims.lead_below(&listing.folder));
    // The records of the catalog lie in folders of their own there, and are no items (catalog.md §2).
    let leads = leads && listing.folder != "runbooks";
    let is_item = |name: &str| is_item_file(name) && (held || name.ends_with(".toon"));
    folder.entries(&mut |entry| match entry {
        system::Found::Unnamed(lossy) => listing.refused.push(lossy),
        system::Found::Folder(name) => {
            let wanted = if top { may_hold_items(name) } else { leads && !name.starts_with('.') };
            if wanted && depth < MAX_FOLDER_DEPTH {
                below.push(name.to_owned());
            }
        }
        system::Found::Link(name) if !is_item_file(name) => {
            // Where a project's own folders lie about, only a link in the place of a claimed one is our business.
            let ours = claims.whole || held || top && claims.folders.iter().any(|known| known == name);
            if ours && !name.starts_with('.') && (!top || may_hold_items(name)) {
                listing.fleeting = true;
                if !top || folder.leads_to_folder(name) {
                    listing.refused.push(name.to_owned());
                }
            }
        }
        system::Found::Link(name) | system::Found::File(name) => {
            if !top && is_item(name) {
                listing.push(name, FileKind::Other, Stamp::default());
            }
        }
    })?;
    Ok(Remembered { listing, below })
}

/// Lists the files of a folder whose names end so.
fn list_files(folder: &system::Folder, mut listing: Listing, extension: &str) -> io::Result<Listing> {
    folder.entries(&mut |entry| match entry {
        system::Found::Unnamed(lossy) => listing.refused.push(lossy),
        system::Found::File(name) | system::Found::Link(name)
            if name.ends_with(extension) && !name.starts_with('.') =>
        {
            listing.push(name, FileKind::Other, Stamp::default());
        }
        _ => {}
    })?;
    Ok(listing)
}

/// Takes the stamp of every file of a listing, on two threads when there are many.
fn take_stamps(folder: &system::Folder, listing: &mut Listing) {
    let stat = |folder: &system::Folder, name: &str| {
        folder.stat(name).unwrap_or((FileKind::Other, Stamp::default()))
    };
    let threads = if listing.len() < PARALLEL_FROM { 1 } else { 2 };
    let mut parts = listing.parts(threads);
    let mine = parts.next();
    std::thread::scope(|scope| {
        let others: Vec<_> = parts
            .map(|part| {
                scope.spawn(move || {
                    // A handle of its own: threads that share one wait for each other in every call.
                    let own = folder.again().ok();
                    part.stamp(|name| stat(own.as_ref().unwrap_or(folder), name));
                })
            })
            .collect();
        if let Some(part) = mine {
            part.stamp(|name| stat(folder, name));
        }
        // A thread that died left its part without stamps: those files are named as unreadable.
        others.into_iter().for_each(|other| drop(other.join()));
    });
}

#[cfg(unix)]
mod system {
    //! Handles of folders, so that a folder swapped for a link meanwhile is not followed.

    use std::fs;
    use std::io;
    use std::os::fd::OwnedFd;
    use std::path::Path;

    use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, fstat, openat, statat};

    use super::super::source::{FileKind, ReadError, Stamp};

    /// An entry of a folder.
    pub(super) enum Found<'a> {
        Folder(&'a str),
        Link(&'a str),
        File(&'a str),
        Unnamed(String),
    }

    #[derive(Debug)]
    pub(super) struct Folder {
        fd: OwnedFd,
    }

    const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

    impl Folder {
        pub(super) fn open(path: &Path) -> io::Result<Folder> {
            Ok(Folder { fd: rustix::fs::open(path, FOLDER, Mode::empty())? })
        }

        pub(super) fn identity(&self) -> io::Result<[u64; 2]> {
            let stat = fstat(&self.fd)?;
            Ok([stat.st_dev as u64, stat.st_ino as u64])
        }

        pub(super) fn stamp(&self) -> io::Result<Stamp> {
            Ok(stamp(&fstat(&self.fd)?))
        }

        pub(super) fn folder(&self, name: &str) -> io::Result<Folder> {
            Ok(Folder { fd: openat(&self.fd, name, FOLDER.union(OFlags::NOFOLLOW), Mode::empty())? })
        }

        /// Another handle of the same folder.
        pub(super) fn again(&self) -> io::Result<Folder> {
            Ok(Folder { fd: openat(&self.fd, ".", FOLDER, Mode::empty())? })
        }

        pub(super) fn file(&self, name: &str) -> io::Result<fs::File> {
            // NONBLOCK: a pipe in place of a file must not hold the process.
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            Ok(fs::File::from(openat(&self.fd, name, flags, Mode::empty())?))
        }

        pub(super) fn stat(&self, name: &str) -> Option<(FileKind, Stamp)> {
            let stat = statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
            let kind = match FileType::from_raw_mode(stat.st_mode) {
                FileType::RegularFile => FileKind::File,
                FileType::Symlink => FileKind::Symlink,
                _ => FileKind::Other,
            };
            Some((kind, stamp(&stat)))
        }

        pub(super) fn leads_to_folder(&self, name: &str) -> bool {
            statat(&self.fd, name, AtFlags::empty())
                .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory)
        }

        pub(super) fn entries(&self, each: &mut dyn FnMut(Found<'_>)) -> io::Result<()> {
            for entry in Dir::read_from(&self.fd)? {
                let entry = entry?;
                let bytes = entry.file_name().to_bytes();
                if matches!(bytes, b"." | b"..") {
                    continue;
                }
                let Ok(name) = std::str::from_utf8(bytes) else {
                    each(Found::Unnamed(String::from_utf8_lossy(bytes).into_owned()));
                    continue;
                };
                let kind = match entry.file_type() {
                    FileType::Unknown => statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW)
                        .map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode)),
                    known => known,
                };
                each(match kind {
                    FileType::Directory => Found::Folder(name),
                    FileType::Symlink => Found::Link(name),
                    _ => Found::File(name),
                });
            }
            Ok(())
        }
    }

    #[allow(clippy::unnecessary_cast, reason = "the widths differ between systems")]
    fn stamp(stat: &rustix::fs::Stat) -> Stamp {
        let nanos = |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
        Stamp {
            size: stat.st_size as u64,
            mtime_ns: nanos(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            ctime_ns: nanos(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            ino: stat.st_ino as u64,
        }
    }

    pub(super) fn read_error(error: io::Error) -> ReadError {
        use rustix::io::Errno;
        match error.raw_os_error().map(Errno::from_raw_os_error) {
            Some(Errno::NOENT) => ReadError::NotFound,
            Some(Errno::LOOP | Errno::MLINK) => ReadError::Symlink,
            // A link where a folder was asked for, or a file on the way: both lead nowhere.
            Some(Errno::NOTDIR) => ReadError::Symlink,
            Some(Errno::ISDIR | Errno::NXIO) => ReadError::NotAFile,
            Some(Errno::NAMETOOLONG | Errno::INVAL) => ReadError::UnsafePath,
            _ => ReadError::Io(error),
        }
    }
}

#[cfg(not(unix))]
mod system {
    //! Paths, with a look at each component before it is used.

    use std::fs;
    use std::io;
    use std::path::{Path, PathBuf};
    use std::time::UNIX_EPOCH;

    use super::super::source::{FileKind, ReadError, Stamp};

    pub(super) enum Found<'a> {
        Folder(&'a str),
        Link(&'a str),
        File(&'a str),
        Unnamed(String),
    }

    #[derive(Debug)]
    pub(super) struct Folder {
        path: PathBuf,
    }

    impl Folder {
        pub(super) fn open(path: &Path) -> io::Result<Folder> {
            if !fs::metadata(path)?.is_dir() {
                return Err(io::ErrorKind::NotADirectory.into());
            }
            Ok(Folder { path: path.to_owned() })
        }

        pub(super) fn identity(&self) -> io::Result<[u64; 2]> {
            use std::hash::{DefaultHasher, Hash, Hasher};
            let mut hasher = DefaultHasher::new();
            fs::canonicalize(&self.path)?.hash(&mut hasher);
            Ok([0, hasher.finish()])
        }

        pub(super) fn stamp(&self) -> io::Result<Stamp> {
            Ok(stamp(&fs::metadata(&self.path)?))
        }

        pub(super) fn folder(&self, name: &str) -> io::Result<Folder> {
            let path = self.path.join(name);
            let metadata = fs::symlink_metadata(&path)?;
            if metadata.is_symlink() || !metadata.is_dir() {
                return Err(io::ErrorKind::NotADirectory.into());
            }
            Ok(Folder { path })
        }

        /// Another handle of the same folder.
        pub(super) fn again(&self) -> io::Result<Folder> {
            Ok(Folder { path: self.path.clone() })
        }

        pub(super) fn file(&self, name: &str) -> io::Result<fs::File> {
            let path = self.path.join(name);
            if fs::symlink_metadata(&path)?.is_symlink() {
                return Err(io::ErrorKind::NotADirectory.into());
            }
            fs::File::open(path)
        }

        pub(super) fn stat(&self, name: &str) -> Option<(FileKind, Stamp)> {
            let metadata = fs::symlink_metadata(self.path.join(name)).ok()?;
            let kind = if metadata.is_symlink() {
                FileKind::Symlink
            } else if metadata.is_file() {
                FileKind::File
            } else {
                FileKind::Other
            };
            Some((kind, stamp(&metadata)))
        }

        pub(super) fn leads_to_folder(&self, name: &str) -> bool {
            fs::metadata(self.path.join(name)).is_ok_and(|m| m.is_dir())
        }

        pub(super) fn entries(&self, each: &mut dyn FnMut(Found<'_>)) -> io::Result<()> {
            for entry in fs::read_dir(&self.path)? {
                let entry = entry?;
                let name = entry.file_name();
                let Some(name) = name.to_str() else {
                    each(Found::Unnamed(name.to_string_lossy().into_owned()));
                    continue;
                };
                let kind = entry.file_type()?;
                each(if kind.is_symlink() {
                    Found::Link(name)
                } else if kind.is_dir() {
                    Found::Folder(name)
                } else {
                    Found::File(name)
                });
            }
            Ok(())
        }
    }

    fn stamp(metadata: &fs::Metadata) -> Stamp {
        let nanos = |time: io::Result<std::time::SystemTime>| {
            time.ok()
                .and_then(|t| t.duration_since(UNIX_EPOCH).ok())
                .and_then(|d| i64::try_from(d.as_nanos()).ok())
                .unwrap_or(0)
        };
        Stamp {
            size: metadata.len(),
            mtime_ns: nanos(metadata.modified()),
            ctime_ns: nanos(metadata.created()),
            ino: 0,
        }
    }

    pub(super) fn read_error(error: io::Error) -> ReadError {
        match error.kind() {
            io::ErrorKind::NotFound => ReadError::NotFound,
            io::ErrorKind::NotADirectory => ReadError::Symlink,
            io::ErrorKind::IsADirectory => ReadError::NotAFile,
            io::ErrorKind::InvalidFilename | io::ErrorKind::InvalidInput => ReadError::UnsafePath,
            _ => ReadError::Io(error),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A tracker of its own in a temporary folder, which goes when the first value is dropped.
    struct Home(#[expect(dead_code, reason = "held for its drop")] tempfile::TempDir, PathBuf);

    impl Home {
        fn path(&self) -> &Path {
            &self.1
        }
    }

    fn tree() -> (Home, WorkTree) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join(".agents/pm");
        for folder in ["tasks", "spikes/deep", "history", "locks", ".hidden"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        let tree = WorkTree::open(&root).unwrap();
        (Home(dir, root), tree)
    }

    #[test]
    fn scan_finds_unknown_and_nested_folders_and_skips_reserved_ones() {
        let (dir, tree) = tree();
        for file in [
            "tasks/a.toon",
            "tasks/.a.1.tmp",
            "tasks/.b.toon",
            "spikes/deep/c.toon",
            "spikes/README.md",
            "spikes/deep/notes.md",
            "history/a.jsonl",
            "x.toon",
        ] {
            fs::write(dir.path().join(file), "x").unwrap();
        }
        let scan = tree.scan(&|_, _| None).unwrap();
        let found: Vec<String> =
            scan.iter().flat_map(|l| l.iter().map(move |e| format!("{}/{}", l.folder, e.name))).collect();
        assert_eq!(found, ["spikes/deep/c.toon", "tasks/a.toon"]);
        assert_eq!(tree.item_folders().unwrap(), ["spikes", "tasks"]);
        let listing = tree.list("history", ".jsonl").unwrap();
        assert_eq!(listing.get(0).stamp.size, 1);
        assert!(tree.list("nowhere", ".jsonl").unwrap().is_empty());
    }

    #[test]
    fn among_the_folders_of_a_project_only_claimed_ones_are_searched() {
        let dir = tempfile::tempdir().unwrap();
        for file in [
            "tasks/a.md",
            "src/deep/b.toon",
            "odd/c.toon",
            "docs/d.md",
            "work/items/e.md",
            "work/other/f.toon",
        ] {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        let mut tree = WorkTree::open(dir.path()).unwrap();
        tree.claim(["work/items"]);
        let scan = tree.scan(&|_, _| None).unwrap();
        let found: Vec<String> =
            scan.iter().flat_map(|l| l.iter().map(move |e| format!("{}/{}", l.folder, e.name))).collect();
        assert_eq!(found, ["odd/c.toon", "tasks/a.md", "work/items/e.md", "work/other/f.toon"]);
    }

    #[test]
    fn links_are_named_and_never_followed() {
        let (dir, tree) = tree();
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret.toon"), "secret").unwrap();
        symlink(outside.path().join("secret.toon"), dir.path().join("tasks/s.toon")).unwrap();
        symlink(outside.path(), dir.path().join("issues")).unwrap();
        let scan = tree.scan(&|_, _| None).unwrap();
        assert_eq!(scan[0].refused, ["issues"]);
        let tasks = scan.iter().find(|l| l.folder == "tasks").unwrap();
        assert_eq!(tasks.get(0).kind, FileKind::Symlink);
        assert!(matches!(tree.read("tasks/s.toon", 100), Err(ReadError::Symlink)));
        assert!(matches!(tree.read("issues/secret.toon", 100), Err(ReadError::Symlink)));
        assert!(matches!(tree.read("../x", 100), Err(ReadError::UnsafePath)));
        assert_eq!(tree.stamp("issues/secret.toon").unwrap(), None);
    }

    #[test]
    fn reads_stop_at_the_limit_and_at_special_files() {
        let (dir, tree) = tree();
        fs::write(dir.path().join("tasks/a.toon"), "0123456789").unwrap();
        assert_eq!(tree.read("tasks/a.toon", 10).unwrap(), b"0123456789");
        assert!(matches!(tree.read("tasks/a.toon", 9), Err(ReadError::TooLarge { size: 10, limit: 9 })));
        assert_eq!(tree.read_tail("tasks/a.toon", 4).unwrap(), (b"6789".to_vec(), 10));
        assert!(matches!(tree.read("tasks/none.toon", 9), Err(ReadError::NotFound)));
        assert!(matches!(tree.read("tasks", 9), Err(ReadError::NotAFile)));
    }
}

//! The files that a command line runs: the program, what reads it, and the files that its arguments name. What somebody
//! allowed to run is these files as they were then.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::source::Stamp;
use crate::clock::Clock;
use crate::codec::hex;

/// How many programs may read each other: a script, its interpreter, the interpreter of that.
const MOST_READERS: usize = 4;

/// The longest argument that is looked at as a path, in bytes.
const LONGEST: usize = 4096;

/// A file as it was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pinned {
    /// Where it is; for a program that nobody finds, its name.
    pub(crate) path: PathBuf,
    /// The SHA-256 of its bytes in hex digits; none when it is not there.
    pub(crate) digest: Option<String>,
    /// What tells without reading that it is the same; empty where that cannot be trusted.
    pub(crate) stamp: String,
}

/// Where command lines run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ground<'a> {
    /// The folder in which they run.
    pub(crate) folder: &'a Path,
    /// The folders in which a bare name is looked up, as `PATH` has them.
    pub(crate) search: &'a str,
}

impl Ground<'_> {
    /// The program that a name stands for: a path is seen from the folder, a bare name is looked up.
    pub(crate) fn find(&self, name: &str) -> Option<PathBuf> {
        if name.contains('/') || (cfg!(windows) && name.contains('\\')) {
            return Some(self.folder.join(name)).filter(|path| path.is_file());
        }
        let endings: &[&str] = if cfg!(windows) { &["", ".exe", ".cmd", ".bat"] } else { &[""] };
        let folders = split(self.search).map(|folder| self.folder.join(folder));
        let places =
            folders.flat_map(|folder| endings.iter().map(move |end| folder.join(format!("{name}{end}"))));
        let mut places = places;
        places.find(|path| is_program(path))
    }

    /// The files that a command line runs, each once, the program first.
    pub(crate) fn files(&self, command: &[String]) -> Vec<PathBuf> {
        let Some((name, arguments)) = command.split_first() else { return Vec::new() };
        let mut found = Vec::new();
        let mut add = |path: PathBuf| {
            if !found.contains(&path) {
                found.push(path);
            }
        };
        match self.find(name) {
            None => add(PathBuf::from(name)),
            Some(path) => {
                let mut next = Some(path);
                for _ in 0..MOST_READERS {
                    let Some(path) = next else { break };
                    next = self.reader(&path, &mut add);
                    add(path);
                }
            }
        }
        for argument in arguments {
            let named = argument.split_once('=').map(|(_, value)| value);
            for text in [Some(argument.as_str()), named].into_iter().flatten() {
                let path = self.folder.join(text);
                if !text.is_empty() && text.len() <= LONGEST && path.is_file() {
                    add(path);
                }
            }
        }
        found
    }

    /// The program that reads a script, as its first line says; `env` and what it starts are both named.
    fn reader(&self, script: &Path, add: &mut dyn FnMut(PathBuf)) -> Option<PathBuf> {
        let mut head = Vec::new();
        File::open(script).ok()?.take(512).read_to_end(&mut head).ok()?;
        let line = String::from_utf8_lossy(&head);
        let mut words = line.strip_prefix("#!")?.lines().next()?.split_ascii_whitespace();
        let interpreter = self.folder.join(words.next()?);
        if interpreter.file_name().is_none_or(|name| name != "env") {
            return Some(interpreter);
        }
        add(interpreter);
        let name = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
        Some(self.find(name).unwrap_or_else(|| PathBuf::from(name)))
    }
}

fn split(search: &str) -> impl Iterator<Item = &str> {
    search.split(if cfg!(windows) { ';' } else { ':' })
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// What tells that a file is the same without reading it; empty while a change might not show.
fn stamp(about: &fs::Metadata) -> String {
    let stamp = stamp_of(about);
    let now_ns = Clock::System.now().saturating_mul(1_000_000);
    let known = stamp.ctime_ns != 0 && !stamp.is_racy(now_ns);
    if known {
        format!("{}.{}.{}.{}", stamp.size, stamp.mtime_ns, stamp.ctime_ns, stamp.ino)
    } else {
        String::new()
    }
}

#[cfg(unix)]
fn stamp_of(about: &fs::Metadata) -> Stamp {
    use std::os::unix::fs::MetadataExt as _;
    let ns = |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
    Stamp {
        size: about.size(),
        mtime_ns: ns(about.mtime(), about.mtime_nsec()),
        ctime_ns: ns(about.ctime(), about.ctime_nsec()),
        ino: about.ino(),
    }
}

#[cfg(not(unix))]
fn stamp_of(_: &fs::Metadata) -> Stamp {
    // The times of other systems can be set by anybody.
    Stamp::default()
}

fn digest(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut digest = Sha256::new();
    let mut chunk = vec![0; 256 * 1024];
    loop {
        let count = file.read(&mut chunk)?;
        if count == 0 {
            return Ok(hex::encode(digest.finalize()));
        }
        digest.update(&chunk[..count]);
    }
}

/// Looks at a file; one that lies there as it was `known` is not read again.
pub(crate) fn pin(path: &Path, known: Option<&Pinned>) -> Pinned {
    let gone = || Pinned { path: path.to_owned(), digest: None, stamp: String::new() };
    let Ok(about) = fs::metadata(path) else { return gone() };
    let stamp = stamp(&about);
    if let Some(known) = known
        && !stamp.is_empty()
        && known.stamp == stamp
        && known.path == path
    {
        return known.clone();
    }
    let Some(digest) = Some(path).filter(|_| about.is_file()).and_then(|path| digest(path).ok()) else {
        return gone();
    };
    Pinned { path: path.to_owned(), digest: Some(digest), stamp }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_command_line_names_its_program_its_readers_and_the_files_of_its_arguments() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::create_dir_all(root.join("bin")).unwrap();
        fs::create_dir_all(root.join("conf")).unwrap();
        for (name, text) in [
            ("bin/run", "#!./bin/reader -x\n"),
            ("bin/reader", "#!/usr/bin/env -S A=1 tool --flag\n"),
            ("bin/tool", "binary"),
            ("conf/a", ""),
        ] {
            fs::write(root.join(name), text).unwrap();
            fs::set_permissions(root.join(name), fs::Permissions::from_mode(0o755)).unwrap();
        }
        fs::write(root.join("bin/plain"), "no program").unwrap();
        let ground = Ground { folder: root, search: "/nowhere:bin" };
        let files = ground.files(&words("run conf --conf=conf/a missing conf/a"));
        // In the order in which they are met; `env` is named before the program that it finds.
        let names = ["bin/run", "/usr/bin/env", "./bin/reader", "bin/tool", "conf/a"];
        assert_eq!(files, names.map(|name| root.join(name)));
        assert_eq!(ground.find("plain"), None, "what cannot be run is not found");
        assert_eq!(ground.files(&words("nobody x")), [PathBuf::from("nobody")]);
    }

    #[test]
    fn a_file_is_read_again_unless_nothing_can_have_changed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("p");
        fs::write(&path, "one").unwrap();
        let one = pin(&path, None);
        assert_eq!(pin(&path, Some(&one)), Pinned { stamp: pin(&path, None).stamp, ..one.clone() });
        fs::write(&path, "two").unwrap();
        let known = Pinned { stamp: String::new(), ..one.clone() };
        assert_ne!(pin(&path, Some(&known)).digest, one.digest);
        fs::remove_file(&path).unwrap();
        assert_eq!(pin(&path, Some(&one)).digest, None);
    }
}

//! Files that a caller names: bodies and texts to read. They lie wherever the caller says.

use std::io::{self, Read};
use std::path::Path;

/// The largest file whose text becomes a part of an item, in bytes.
pub const MAX_TEXT_BYTES: u64 = 8 * 1024 * 1024;

/// The text of a file, seen from `cwd`.
///
/// Errors: what the system says; `InvalidData` when it is no UTF-8 or larger than [`MAX_TEXT_BYTES`].
pub fn read_text(cwd: &Path, path: &str) -> io::Result<String> {
    let file = std::fs::File::open(cwd.join(path))?;
    let mut bytes = Vec::new();
    file.take(MAX_TEXT_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_TEXT_BYTES {
        let problem = format!("it is larger than {MAX_TEXT_BYTES} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is no UTF-8 text"))
}

/// The bytes of a file, seen from `cwd`.
///
/// Errors: what the system says; `FileTooLarge` when it is larger than `max_bytes`.
pub fn read_bytes(cwd: &Path, path: &str, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(cwd.join(path))?.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
}

/// Writes a file, seen from `cwd`, in place: whoever names it made it for that.
///
/// Errors: what the system says.
pub fn write(cwd: &Path, path: &str, bytes: &[u8]) -> io::Result<()> {
    std::fs::write(cwd.join(path), bytes)
}

/// Puts a whole file in its place, with the folders that lead there; a reader sees the old one or the new one.
///
/// Errors: what the system says.
pub fn install(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    super::file::replace(path, bytes)
}

/// What lies at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Nothing, or nothing that may be looked at.
    Missing,
    /// A file, perhaps behind a link.
    File,
    /// A folder.
    Folder,
    /// A device, a socket.
    Other,
}

/// What lies at a path, seen from `folder`.
pub fn shape(folder: &Path, path: &str) -> Shape {
    match std::fs::metadata(folder.join(path)) {
        Err(_) => Shape::Missing,
        Ok(meta) if meta.is_file() => Shape::File,
        Ok(meta) if meta.is_dir() => Shape::Folder,
        Ok(_) => Shape::Other,
    }
}

/// The most files that one pattern finds.
pub(crate) const MAX_MATCHES: usize = 10_000;

/// The files below a folder whose path matches a pattern, with `/`, sorted. `*` and `?` stay inside a folder, `**`
/// goes through any number of them, `[..]` is a set. Hidden folders are looked into only when the pattern names them;
/// links are not followed.
pub fn matching(folder: &Path, pattern: &str) -> Vec<String> {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
    let mut found = Vec::new();
    if !pattern.starts_with('/') && !parts.contains(&"..") {
        walk(folder, "", &parts, &mut found);
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn walk(folder: &Path, path: &str, parts: &[&str], found: &mut Vec<String>) {
    let Some((part, rest)) = parts.split_first() else { return };
    if *part == "**" {
        walk(folder, path, rest, found);
    }
    let Ok(entries) = std::fs::read_dir(folder.join(path)) else { return };
    for entry in entries.flatten() {
        if found.len() >= MAX_MATCHES {
            return;
        }
        let Ok(name) = entry.file_name().into_string() else { continue };
        let Ok(kind) = entry.file_type() else { continue };
        let below = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
        let hidden = name.starts_with('.') && !part.starts_with('.');
        if *part == "**" {
            if kind.is_dir() && !hidden {
                walk(folder, &below, parts, found);
            } else if kind.is_file() && rest.is_empty() && !hidden {
                found.push(below);
            }
        } else if !hidden && fits(part.as_bytes(), name.as_bytes()) {
            if rest.is_empty() && kind.is_file() {
                found.push(below);
            } else if kind.is_dir() {
                walk(folder, &below, rest, found);
            }
        }
    }
}

/// Whether a name fits one part of a pattern.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    match pattern.split_first() {
        None => name.is_empty(),
        Some((b'*', rest)) => (0..=name.len()).any(|at| fits(rest, &name[at..])),
        Some((b'?', rest)) => {
            // One character, whatever its length in bytes.
            let length = name.iter().skip(1).take_while(|b| (0x80..0xc0).contains(*b)).count() + 1;
            !name.is_empty() && fits(rest, &name[length.min(name.len())..])
        }
        Some((b'[', rest)) => match (rest.iter().position(|b| *b == b']'), name.split_first()) {
            (Some(end), Some((byte, name))) => {
                let (set, negated) = match rest[..end].split_first() {
                    Some((b'!' | b'^', set)) => (set, true),
                    _ => (&rest[..end], false),
                };
                in_set(set, *byte) != negated && fits(&rest[end + 1..], name)
            }
            _ => false,
        },
        Some((byte, rest)) => name.first() == Some(byte) && fits(rest, &name[1..]),
    }
}

fn in_set(set: &[u8], byte: u8) -> bool {
    match set {
        [low, b'-', high, rest @ ..] => (low..=high).contains(&&byte) || in_set(rest, byte),
        [one, rest @ ..] => *one == byte || in_set(rest, byte),
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_find_files_below_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["a.rs", "src/b.rs", "src/deep/c.rs", "src/deep/d.md", ".git/x.rs", "src/é.rs"] {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        for (pattern, want) in [
            ("*.rs", vec!["a.rs"]),
            ("src/*.rs", vec!["src/b.rs", "src/é.rs"]),
            ("src/?.rs", vec!["src/b.rs", "src/é.rs"]),
            ("**/*.rs", vec!["a.rs", "src/b.rs", "src/deep/c.rs", "src/é.rs"]),
            ("src/**", vec!["src/b.rs", "src/deep/c.rs", "src/deep/d.md", "src/é.rs"]),
            ("src/deep/[a-c].*", vec!["src/deep/c.rs"]),
            ("src/deep/[!a-c].*", vec!["src/deep/d.md"]),
            (".git/*.rs", vec![".git/x.rs"]),
            ("../*", vec![]),
            ("/etc/*", vec![]),
            ("nothing", vec![]),
        ] {
            assert_eq!(matching(folder.path(), pattern), want, "{pattern}");
        }
    }

    #[test]
    fn texts_have_a_limit_and_an_encoding() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("t"), "é\n").unwrap();
        std::fs::write(folder.path().join("b"), [0xff, 0xfe]).unwrap();
        assert_eq!(read_text(folder.path(), "t").unwrap(), "é\n");
        assert_eq!(read_text(folder.path(), "b").unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert!(read_text(folder.path(), "none").is_err());
        assert_eq!((shape(folder.path(), "t"), shape(folder.path(), ".")), (Shape::File, Shape::Folder));
    }
}

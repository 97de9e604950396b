//! Blocks of our own in files of others: `.gitignore`, `.gitattributes` (storage.md §1.3, §8.1).

use std::fs;
use std::io;
use std::path::Path;

use super::file;

/// A block between two marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fence {
    start: &'static str,
    end: &'static str,
    /// Marks of older blocks that this one replaces.
    older: &'static [(&'static str, &'static str)],
    lines: Vec<String>,
}

/// The largest file that gets a block, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// A path below a folder, with `/` at the end; empty for the folder itself.
fn relative(root: &Path, folder: &Path) -> String {
    let below = root.strip_prefix(folder).unwrap_or(root);
    let parts: Vec<_> =
        below.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    parts.iter().map(|part| format!("{part}/")).collect()
}

impl Fence {
    /// What Git is to ignore of a tracker: everything that is made anew when it is missing.
    pub fn ignore(root: &Path, workspace: &Path) -> Fence {
        let tracker = relative(root, workspace);
        let lines = [
            format!("{tracker}runtime/"),
            format!("{tracker}search/*"),
            format!("{tracker}locks/"),
            format!("{tracker}transactions/"),
            format!("{tracker}checkpoints/"),
            format!("!{tracker}search/eval-queries.json"),
        ];
        Fence {
            start: "# pm-cli:runtime-cache:start",
            end: "# pm-cli:runtime-cache:end",
            older: &[],
            lines: lines.to_vec(),
        }
    }

    /// How Git is to merge a tracker's files.
    pub fn attributes<'a>(
        root: &Path,
        work_tree: &Path,
        folders: impl IntoIterator<Item = &'a str>,
    ) -> Fence {
        let tracker = relative(root, work_tree);
        let mut folders: Vec<&str> = folders.into_iter().collect();
        folders.sort_unstable();
        folders.dedup();
        let mut lines = Vec::new();
        let mut line =
            |pattern: &str, attribute: &str| lines.push(format!("\"{tracker}{pattern}\" {attribute}"));
        for folder in std::iter::once("**").chain(folders) {
            line(&format!("{folder}/*.toon"), "merge=pm-item-toon");
            line(&format!("{folder}/*.md"), "merge=pm-item-markdown");
        }
        line("**/*.jsonl", "merge=pm-relationship");
        line("history/*.jsonl", "merge=pm-history");
        line("settings.json", "merge=pm-json");
        line("**/*.json", "merge=pm-json");
        line("extensions/**", "-merge");
        line("extensions/.managed-extensions.json", "merge=pm-json");
        Fence {
            start: "# pm-cli:merge-drivers:v2:start",
            end: "# pm-cli:merge-drivers:v2:end",
            older: &[("# pm-cli:merge-drivers:start", "# pm-cli:merge-drivers:end")],
            lines,
        }
    }

    /// How Git is to merge the files that hold blocks, in this clone: with the lines of both sides. A block that is
    /// written anew puts them in order.
    pub fn union() -> Fence {
        Fence {
            start: "# pm:merge-blocks:start",
            end: "# pm:merge-blocks:end",
            older: &[],
            lines: vec!["/.gitattributes merge=union".to_owned(), "/.gitignore merge=union".to_owned()],
        }
    }

    /// What agents are told about a tracker, in the Markdown file that they read first.
    pub fn guidance() -> Fence {
        let lines = [
            "## Work tracking",
            "",
            "Work is tracked with `pm` in `.agents/pm`; the files belong to the repository and are changed through `pm` only.",
            "",
            "- Set `PM_AUTHOR` to your name: changes and claims are told apart by it.",
            "- `pm next` says what to do and why; `pm claim <id>` takes it, `pm close <id> \"<reason>\"` ends it.",
            "- `pm search <words>` before `pm create \"<title>\"`: the item may exist.",
            "- `pm comments <id> \"<text>\"` for what others must know; `pm get <id> --full` to read it all.",
        ];
        Fence {
            start: "<!-- pm-cli:agent-guidance:start -->",
            end: "<!-- pm-cli:agent-guidance:end -->",
            older: &[],
            lines: lines.map(str::to_owned).to_vec(),
        }
    }

    /// The lines of the block that a text lacks, and those of its block that are none of ours.
    pub fn compare(&self, text: &str) -> (Vec<String>, Vec<String>) {
        let mut inside = false;
        let mut present: Vec<&str> = Vec::new();
        for line in text.lines().map(str::trim_end) {
            match line {
                line if line == self.start => inside = true,
                line if line == self.end => inside = false,
                line if inside && !line.is_empty() => present.push(line),
                _ => {}
            }
        }
        let missing = self.lines.iter().filter(|line| !present.contains(&line.as_str()));
        let stale = present.iter().filter(|line| !self.lines.iter().any(|own| own == *line));
        (missing.cloned().collect(), stale.map(|line| (*line).to_owned()).collect())
    }

    /// Whether a file has a block of this kind; one that cannot be read has none.
    pub fn is_in(&self, path: &Path) -> bool {
        fs::read_to_string(path).is_ok_and(|text| text.lines().any(|line| line.trim_end() == self.start))
    }

    fn block(&self) -> String {
        let mut block = format!("{}\n", self.start);
        self.lines.iter().for_each(|line| {
            block.push_str(line);
            block.push('\n');
        });
        block.push_str(self.end);
        block.push('\n');
        block
    }

    /// The text with this block in it, once: in the place of the first of its kind, else at the end.
    pub fn place_in(&self, text: &str) -> String {
        let marks = [(self.start, self.end)];
        let marks: Vec<_> = marks.iter().chain(self.older).copied().collect();
        let mut out = String::new();
        let mut placed = false;
        let mut lines = text.split_inclusive('\n');
        while let Some(line) = lines.next() {
            let Some((_, end)) = marks.iter().find(|(start, _)| line.trim_end() == *start) else {
                out.push_str(line);
                continue;
            };
            let rest: usize = lines.clone().position(|inner| inner.trim_end() == *end).map_or_else(
                // A block without end goes as far as its lines look like ours: to the next blank line.
                || lines.clone().take_while(|inner| !inner.trim().is_empty()).count(),
                |position| position + 1,
            );
            lines.by_ref().take(rest).for_each(drop);
            if !std::mem::replace(&mut placed, true) {
                out.push_str(&self.block());
            }
        }
        if !placed {
            if !out.is_empty() && !out.ends_with('\n') {
                out.push('\n');
            }
            out.push_str(&self.block());
        }
        out
    }

    /// Puts the block into a file, made when it is missing. Returns whether anything changed; a dry run changes
    /// nothing.
    ///
    /// Errors: the file is a link, no regular file, no UTF-8, or the system refuses.
    pub fn write(&self, path: &Path, dry_run: bool) -> io::Result<bool> {
        let text = match fs::symlink_metadata(path) {
            Ok(found) if !found.is_file() => {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
            }
            Ok(found) if found.len() > MAX_BYTES => return Err(io::ErrorKind::FileTooLarge.into()),
            Ok(_) => fs::read_to_string(path)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        let placed = self.place_in(&text);
        if placed == text {
            return Ok(false);
        }
        if !dry_run {
            file::replace(path, placed.as_bytes())?;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ignore() -> Fence {
        Fence::ignore(Path::new("/w/.agents/pm"), Path::new("/w"))
    }

    #[test]
    fn a_block_is_placed_once_and_renewed_in_place() {
        let block = ignore().block();
        assert!(
            block.contains("\n.agents/pm/runtime/\n")
                && block.contains("\n!.agents/pm/search/eval-queries.json\n")
        );
        assert_eq!(ignore().place_in(""), block);
        assert_eq!(ignore().place_in("target"), format!("target\n{block}"));
        let around = format!("a\n{block}b\n");
        assert_eq!(ignore().place_in(&around), around);
        let old = "a\n# pm-cli:runtime-cache:start\nold/\n# pm-cli:runtime-cache:end\nb\n";
        assert_eq!(ignore().place_in(old), around);
        assert_eq!(ignore().place_in(&format!("{old}{old}")), format!("a\n{block}b\na\nb\n"));
    }

    #[test]
    fn a_block_is_compared_line_by_line() {
        let fence = Fence::attributes(Path::new("/w/pm"), Path::new("/w"), ["tasks"]);
        assert_eq!(fence.compare(&fence.block()), (vec![], vec![]));
        let changed = fence.block().replace("pm/tasks/*.md", "pm/stories/*.md");
        let (missing, stale) = fence.compare(&changed);
        assert_eq!(missing, ["\"pm/tasks/*.md\" merge=pm-item-markdown"]);
        assert_eq!(stale, ["\"pm/stories/*.md\" merge=pm-item-markdown"]);
        assert_eq!(fence.compare("* text=auto\n").0.len(), 10);
    }

    #[test]
    fn a_block_that_lost_its_end_takes_nothing_with_it() {
        let text = "# pm-cli:runtime-cache:start\n.agents/pm/locks/\n\nmine/\n";
        assert_eq!(ignore().place_in(text), format!("{}\nmine/\n", ignore().block()));
    }

    #[test]
    fn an_older_block_is_replaced() {
        let fence = Fence::attributes(Path::new("/w/sub/pm"), Path::new("/w"), ["tasks", "epics"]);
        let old = "* text=auto\n# pm-cli:merge-drivers:start\nx\n# pm-cli:merge-drivers:end\n";
        let placed = fence.place_in(old);
        assert!(placed.starts_with(
            "* text=auto\n# pm-cli:merge-drivers:v2:start\n\"sub/pm/**/*.toon\" merge=pm-item-toon\n"
        ));
        assert!(!placed.contains("drivers:start"));
        let epics = placed.find("sub/pm/epics/").unwrap();
        assert!(epics < placed.find("sub/pm/tasks/").unwrap());
    }

    #[test]
    fn a_root_that_is_the_workspace_needs_no_path() {
        let fence = Fence::ignore(Path::new("/w"), Path::new("/w"));
        assert!(fence.block().contains("\nruntime/\n"));
    }
}

//! A hermetic place to run `pm` in: an empty folder, a fixed clock, no environment but what a test sets.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

/// A folder of its own, removed at the end.
pub(crate) struct Sandbox {
    dir: tempfile::TempDir,
    env: Vec<(String, String)>,
}

/// What a call printed and how it ended.
#[must_use]
#[derive(Clone, Debug)]
pub(crate) struct Output {
    /// The words after `pm`, for messages.
    pub(crate) argv: Vec<String>,
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
    /// The exit code.
    pub(crate) code: i32,
}

impl Sandbox {
    /// An empty folder: no tracker, no Git repository.
    pub(crate) fn empty() -> Sandbox {
        let env = [
            ("PM_CLOCK", "2026-03-01T12:00:00.000Z"),
            ("PM_CLOCK_TICK_MS", "0"),
            ("PM_AUTHOR", "alice"),
            ("TZ", "UTC"),
        ];
        Sandbox {
            dir: tempfile::tempdir().expect("a temporary folder can be made"),
            env: env.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect(),
        }
    }

    /// A folder with an initialised tracker.
    pub(crate) fn tracker() -> Sandbox {
        let sandbox = Sandbox::empty();
        sandbox.ok(&["init"]);
        sandbox
    }

    /// A folder with a tracker of these items, written as files: their ids, and lines that replace or follow the
    /// defaults (an open task of priority 2).
    pub(crate) fn with_items(items: &[(&str, &str)]) -> Sandbox {
        let sandbox = Sandbox::empty();
        sandbox.write(".agents/pm/settings.json", "{}\n");
        items.iter().for_each(|(id, lines)| sandbox.item(id, lines));
        sandbox
    }

    /// Writes an item file, see [`Sandbox::with_items`].
    pub(crate) fn item(&self, id: &str, lines: &str) {
        let key = |line: &str| line.split([':', '[']).next().unwrap_or_default().to_owned();
        let own: Vec<String> = lines.lines().map(str::trim_start).map(key).collect();
        let defaults = format!(
            "id: {id}\ntitle: Title of {id}\ndescription: \"\"\ntype: Task\nstatus: open\npriority: 2\ntags: []\n\
             created_at: \"2026-02-01T00:00:00.000Z\"\nupdated_at: \"2026-02-01T00:00:00.000Z\"\nbody: \"\"\n"
        );
        let mut text: String = defaults
            .lines()
            .filter(|line| !own.contains(&key(line)))
            .map(|line| format!("{line}\n"))
            .collect();
        text.extend(lines.lines().map(|line| format!("{}\n", line.strip_prefix("    ").unwrap_or(line))));
        self.write(&format!(".agents/pm/tasks/{id}.toon"), text);
    }

    /// Sets a variable for all calls that follow; an empty seed or clock means none.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> &mut Sandbox {
        self.env.retain(|(known, _)| known != name);
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Removes a variable for all calls that follow.
    pub(crate) fn unset(&mut self, name: &str) -> &mut Sandbox {
        self.env.retain(|(known, _)| known != name);
        self
    }

    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The tracker root.
    pub(crate) fn root(&self) -> PathBuf {
        self.path().join(".agents/pm")
    }

    /// Writes a file below the folder, making its parents.
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a file has a parent")).expect("the folder can be made");
        std::fs::write(path, content).expect("the file can be written");
    }

    /// Reads a file below the folder.
    pub(crate) fn read(&self, path: &str) -> String {
        let path = self.path().join(path);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// The files of the tracker that Git keeps, by path.
    pub(crate) fn files(&self) -> std::collections::BTreeMap<String, String> {
        fn walk(folder: &Path, root: &Path, out: &mut std::collections::BTreeMap<String, String>) {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                let below = path.strip_prefix(root).expect("it is below").to_string_lossy().into_owned();
                if path.is_dir() {
                    let local = ["runtime", "locks", "search", "transactions", "checkpoints"];
                    if !local.contains(&below.as_str()) {
                        walk(&path, root, out);
                    }
                } else {
                    let text = std::fs::read(&path).expect("the file can be read");
                    out.insert(below, String::from_utf8_lossy(&text).into_owned());
                }
            }
        }
        let mut out = std::collections::BTreeMap::new();
        walk(&self.root(), &self.root(), &mut out);
        out
    }

    /// A process of the binary, ready to run: hermetic, in this folder.
    pub(crate) fn command(&self, argv: &[&str]) -> Command {
        Command::from_std(self.process(argv))
    }

    /// The same as a plain process, for tests that run several at once.
    pub(crate) fn process(&self, argv: &[&str]) -> std::process::Command {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_pm"));
        command.env_clear().current_dir(self.path()).args(argv);
        command.env("HOME", self.path().join("no-home"));
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        let clock = self.env.iter().any(|(name, _)| name == "PM_CLOCK");
        let seeded = self.env.iter().any(|(name, _)| name == "PM_SEED");
        if clock && !seeded {
            // Different calls make different ids; the same call makes the same ones.
            command.env("PM_SEED", format!("pm {}", argv.join(" ")));
        }
        command
    }

    /// Runs `pm` with these words.
    pub(crate) fn pm(&self, argv: &[&str]) -> Output {
        self.pm_with(argv, "")
    }

    /// Runs `pm` with these words and this standard input.
    pub(crate) fn pm_with(&self, argv: &[&str], stdin: &str) -> Output {
        let output = self.command(argv).write_stdin(stdin).output().expect("the binary runs");
        Output {
            argv: argv.iter().map(|&word| word.to_owned()).collect(),
            stdout: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
            code: output.status.code().unwrap_or(-1),
        }
    }

    /// Runs `pm`, which must succeed; returns its standard output.
    pub(crate) fn ok(&self, argv: &[&str]) -> String {
        self.pm(argv).expect(0).stdout
    }

    /// Runs `pm ... --json`, which must succeed; returns the answer.
    pub(crate) fn json(&self, argv: &[&str]) -> Value {
        let mut argv = argv.to_vec();
        argv.push("--json");
        self.pm(&argv).expect(0).json()
    }

    /// Runs `pm ... --json`, which must fail with this exit code and this error code; returns the error envelope.
    pub(crate) fn refused(&self, argv: &[&str], exit: i32, code: &str) -> Value {
        let mut argv = argv.to_vec();
        argv.push("--json");
        let output = self.pm(&argv).expect(exit);
        assert_eq!(output.stdout, "", "a refused call prints nothing on stdout: {output:?}");
        let error: Value = serde_json::from_str(&output.stderr)
            .unwrap_or_else(|fault| panic!("stderr is no JSON ({fault}): {output:?}"));
        assert_eq!(error["code"], code, "{output:?}");
        error
    }

    /// Creates an item and returns its id; `argv` is what follows `create`.
    pub(crate) fn create(&self, argv: &[&str]) -> String {
        let mut words = vec!["create"];
        words.extend(argv);
        let answer = self.json(&words);
        answer["id"].as_str().unwrap_or_else(|| panic!("no id in {answer}")).to_owned()
    }
}

impl Output {
    /// The call must have ended with this exit code.
    pub(crate) fn expect(self, code: i32) -> Output {
        assert_eq!(self.code, code, "pm {:?}\nstdout: {}\nstderr: {}", self.argv, self.stdout, self.stderr);
        self
    }

    /// Standard output as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("pm {:?}: {error} in {}", self.argv, self.stdout))
    }
}

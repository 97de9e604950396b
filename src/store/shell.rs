//! Runs commands of the user with a time limit and bounded output: those of linked tests in a shell, because that is how
//! people write them, hooks without one. Nothing runs unless somebody asked for exactly that.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The most output of one stream that is kept, in bytes; the rest is read and dropped.
const MAX_OUTPUT: usize = 1024 * 1024;

/// A command.
#[derive(Clone, Copy, Debug)]
pub enum Line<'a> {
    /// For a shell to read.
    Shell(&'a str),
    /// A program and its arguments, taken as they are: where it lies, and the words, its name first.
    Program(&'a Path, &'a [String]),
}

/// What to run.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    /// The command.
    pub command: Line<'a>,
    /// What it reads from standard input; nothing otherwise.
    pub input: Option<&'a str>,
    /// Where.
    pub folder: &'a Path,
    /// Variables that are set.
    pub set: &'a [(String, String)],
    /// Variables that are removed.
    pub clear: &'a [String],
    /// How long it may take.
    pub limit: Duration,
}

/// How it ended.
#[derive(Clone, Debug, Default)]
pub struct Ending {
    /// The exit code; none when a signal ended it.
    pub code: Option<i32>,
    /// It took too long and was stopped.
    pub timed_out: bool,
    /// Standard output, at most a megabyte.
    pub stdout: String,
    /// Standard error, at most a megabyte.
    pub stderr: String,
    /// More was printed than is kept.
    pub cut: bool,
}

/// Runs a command to its end.
///
/// Errors: the program, or the shell, cannot be started.
pub fn run(job: &Job<'_>) -> io::Result<Ending> {
    run_while(job, &|| true)
}

/// The same, and stops it as soon as nobody wants to know any more.
///
/// Errors: the program, or the shell, cannot be started.
pub fn run_while(job: &Job<'_>, wanted: &dyn Fn() -> bool) -> io::Result<Ending> {
    let mut command = match job.command {
        Line::Shell(line) if cfg!(windows) => with_arguments("cmd", &["/C", line]),
        Line::Shell(line) => with_arguments("sh", &["-c", line]),
        Line::Program(path, [name, arguments @ ..]) => {
            let mut command = Command::new(path);
            // Some programs do what their name says.
            #[cfg(unix)]
            if !name.contains('/') {
                std::os::unix::process::CommandExt::arg0(&mut command, name);
            }
            #[cfg(not(unix))]
            let _ = name;
            command.args(arguments);
            command
        }
        Line::Program(_, []) => return Err(io::ErrorKind::InvalidInput.into()),
    };
    for name in job.clear {
        command.env_remove(name);
    }
    command.envs(job.set.iter().map(|(name, value)| (name, value))).current_dir(job.folder);
    command.stdin(if job.input.is_some() { Stdio::piped() } else { Stdio::null() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    // A group of its own, so that what it started ends with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    let writing = job.input.and_then(|input| {
        let (mut stdin, input) = (child.stdin.take()?, input.to_owned());
        // On a thread of its own: a program that never reads must not hold the time limit up.
        Some(std::thread::spawn(move || drop(io::Write::write_all(&mut stdin, input.as_bytes()))))
    });
    let stdout = reader(child.stdout.take());
    let stderr = reader(child.stderr.take());
    let (code, timed_out) = wait(&mut child, job.limit, wanted)?;
    if let Some(writing) = writing.filter(|_| !timed_out) {
        let _ = writing.join();
    }
    let (stdout, cut_out) = collect(stdout);
    let (stderr, cut_err) = collect(stderr);
    Ok(Ending { code, timed_out, stdout, stderr, cut: cut_out || cut_err })
}

fn with_arguments(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

type Reading = Option<JoinHandle<(Vec<u8>, bool)>>;

fn reader(stream: Option<impl Read + Send + 'static>) -> Reading {
    let mut stream = stream?;
    Some(std::thread::spawn(move || {
        let mut kept = Vec::new();
        let mut cut = false;
        let mut chunk = [0; 16 * 1024];
        while let Ok(count) = stream.read(&mut chunk) {
            if count == 0 {
                break;
            }
            let room = MAX_OUTPUT - kept.len();
            kept.extend_from_slice(&chunk[..count.min(room)]);
            cut |= count > room;
        }
        (kept, cut)
    }))
}

fn collect(reading: Reading) -> (String, bool) {
    let (bytes, cut) = reading.and_then(|thread| thread.join().ok()).unwrap_or_default();
    (String::from_utf8_lossy(&bytes).into_owned(), cut)
}

fn wait(child: &mut Child, limit: Duration, wanted: &dyn Fn() -> bool) -> io::Result<(Option<i32>, bool)> {
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status.code(), false));
        }
        let left = limit.saturating_sub(start.elapsed());
        if left.is_zero() || !wanted() {
            stop(child);
            return Ok((child.wait()?.code(), true));
        }
        std::thread::sleep(pause.min(left));
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

#[cfg(unix)]
fn stop(child: &mut Child) {
    let group = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(group) = group {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
}

#[cfg(not(unix))]
fn stop(child: &mut Child) {
    let _ = child.kill();
}

/// A copy of a tracker that a linked test may do with as it likes, in `runtime/`; it goes away with this value.
#[derive(Debug)]
pub struct Sandbox {
    folder: PathBuf,
    root: PathBuf,
}

impl Sandbox {
    /// Copies settings and schema, and with `items` everything but history and what is local to a working copy.
    ///
    /// Errors: the copy cannot be made.
    pub fn new(root: &Path, items: bool) -> io::Result<Sandbox> {
        let name = format!("test-{}-{}", std::process::id(), super::file::random_hex(6));
        let folder = root.join("runtime").join(name);
        let sandbox = Sandbox { root: folder.join("project/.agents/pm"), folder };
        std::fs::create_dir_all(&sandbox.root)?;
        for entry in std::fs::read_dir(root)?.flatten() {
            let name = entry.file_name();
            let Some(known) = name.to_str() else { continue };
            let is_local =
                matches!(known, "history" | "runtime" | "locks" | "search" | "transactions" | "checkpoints");
            if known == "schema" || known == "settings.json" || (items && !is_local) {
                copy(&entry.path(), &sandbox.root.join(known))?;
            }
        }
        Ok(sandbox)
    }

    /// The tracker root of the copy.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder for what would go to the user's own settings.
    pub fn global(&self) -> PathBuf {
        self.folder.join("global")
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let kind = std::fs::symlink_metadata(from)?.file_type();
    if kind.is_dir() {
        std::fs::create_dir_all(to)?;
        for entry in std::fs::read_dir(from)?.flatten() {
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
    } else if kind.is_file() {
        std::fs::copy(from, to)?;
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn job(command: &str) -> Ending {
        let set = [("GREETING".to_owned(), "hello".to_owned())];
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        run(&Job {
            command: Line::Shell(command),
            input: None,
            folder: folder.path(),
            set: &set,
            clear: &[],
            limit: Duration::from_secs(20),
        })
        .expect("the shell starts")
    }

    #[test]
    fn a_command_runs_to_its_end() {
        let ending = job("echo $GREETING; echo no >&2; exit 3");
        assert_eq!(
            (ending.code, ending.stdout.as_str(), ending.stderr.as_str()),
            (Some(3), "hello\n", "no\n")
        );
        assert!(!ending.timed_out && !ending.cut);
    }

    #[test]
    fn what_takes_too_long_is_stopped_with_all_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let limit = Duration::from_millis(50);
        let ending = run(&Job {
            command: Line::Shell("sleep 600 & sleep 600"),
            input: None,
            folder: folder.path(),
            set: &[],
            clear: &[],
            limit,
        })
        .unwrap();
        assert!(ending.timed_out);
        assert_eq!(ending.code, None);
    }

    #[test]
    fn what_nobody_waits_for_is_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let line = Line::Shell("sleep 600");
        let limit = Duration::from_secs(600);
        let job = Job { command: line, input: None, folder: folder.path(), set: &[], clear: &[], limit };
        assert_eq!(run_while(&job, &|| false).unwrap().code, None);
    }

    #[test]
    fn output_is_bounded() {
        let ending = job("head -c 3000000 /dev/zero | tr '\\0' x");
        assert_eq!((ending.stdout.len(), ending.cut, ending.code), (MAX_OUTPUT, true, Some(0)));
    }

    #[test]
    fn a_sandbox_is_a_copy_that_goes_away() {
        let tracker = tempfile::tempdir().unwrap();
        for path in ["settings.json", "schema/types.json", "tasks/pm-a.toon", "history/pm-a.jsonl"] {
            let path = tracker.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "{}").unwrap();
        }
        let schema = Sandbox::new(tracker.path(), false).unwrap();
        assert!(schema.root().join("schema/types.json").exists() && !schema.root().join("tasks").exists());
        let whole = Sandbox::new(tracker.path(), true).unwrap();
        assert!(whole.root().join("tasks/pm-a.toon").exists() && !whole.root().join("history").exists());
        let gone = whole.root().to_owned();
        drop(whole);
        assert!(!gone.exists());
    }
}

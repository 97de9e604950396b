//! The command line: arguments in, bytes and an exit code out.

mod argv;
mod call;
mod complete;
mod contract;
mod flags;
mod globals;
mod help;
#[cfg(feature = "mcp")]
mod mcp;
#[cfg(not(feature = "mcp"))]
#[path = "no_mcp.rs"]
mod mcp;
mod output;
mod quiet;
mod refusal;
mod speech;
mod words;

use std::io::{BufRead, IsTerminal, Read, Write};
use std::process::ExitCode;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::commands::CATALOG;
use crate::environment::Env;
use crate::error::{Code, Error, Result};
use crate::surface::ReadInput;
use call::{Call, Outcome, Reader};

/// The most that is read from standard input, in bytes.
const MAX_STDIN_BYTES: u64 = 32 * 1024 * 1024;

/// The longest line of who converses, in bytes.
const MAX_MESSAGE_BYTES: usize = 32 * 1024 * 1024;

/// Runs the process.
pub fn main() -> ExitCode {
    let mut argv = Vec::new();
    let mut refused = None;
    for argument in std::env::args_os().skip(1) {
        argv.push(argument.into_string().unwrap_or_else(|bytes| {
            let shown = bytes.to_string_lossy().into_owned();
            refused = Some(Error::new(Code::InvalidArgumentValue, format!("`{shown}` is not UTF-8")));
            shown
        }));
    }
    let input: ReadInput = Box::new(|| {
        let mut text = String::new();
        std::io::stdin().take(MAX_STDIN_BYTES + 1).read_to_string(&mut text)?;
        if text.len() as u64 > MAX_STDIN_BYTES {
            let problem = format!("it is longer than {MAX_STDIN_BYTES} bytes");
            return Err(std::io::Error::new(std::io::ErrorKind::FileTooLarge, problem));
        }
        Ok(text)
    });
    let env = surroundings();
    if let Some(shell) = env.get("PM_COMPLETE") {
        let bytes = complete::answer(shell, &argv, &env, CATALOG).unwrap_or_default();
        return write(Outcome { stdout: bytes, ..Outcome::default() });
    }
    let call = Call { argv, env, terminal: std::io::stdout().is_terminal(), ..Call::default() };
    write(match refused {
        Some(error) => call.failed(error),
        None => call.run(input, &mut Reader { send: &mut send, wait: &mut wait, lines: &mut lines }),
    })
}

/// The words of a command by its name and its arguments as JSON, for callers of the library.
///
/// Errors: `unknown_command`, `unknown_option`.
pub(crate) fn words(command: &str, arguments: &Map<String, Value>, env: &Env) -> Result<Vec<String>> {
    quiet::spelled(command, arguments, env)
}

/// What words print on standard output, as JSON unless they ask for something else, and the exit code.
///
/// Errors: those of the command.
pub(crate) fn answered(words: Vec<String>, env: &Env, stdin: Option<String>) -> Result<(Vec<u8>, u8)> {
    quiet::Quiet::of(words, env.clone(), stdin).answer().map(|outcome| (outcome.stdout, outcome.code))
}

/// The environment, read here and nowhere else. A variable that is not UTF-8 is one that we do not know.
fn surroundings() -> Env {
    let variables = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let mut env = Env::new(std::env::current_dir().unwrap_or_default(), variables);
    if let Ok(program) = std::env::current_exe() {
        env.program = program;
    }
    env
}

/// Writes to whoever reads standard output; false when there is nobody any more.
fn send(bytes: &[u8]) -> bool {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(bytes).and_then(|()| stdout.flush()).is_ok()
}

/// The lines of standard input, read ahead; a line that is too long is told by its length.
fn lines() -> Receiver<Vec<u8>> {
    let (send, receive) = std::sync::mpsc::sync_channel(1024);
    std::thread::spawn(move || {
        let mut stdin = std::io::stdin().lock();
        loop {
            let mut line = Vec::new();
            let most = MAX_MESSAGE_BYTES as u64 + 1;
            let read = (&mut stdin).take(most).read_until(b'\n', &mut line);
            let ended = !matches!(read, Ok(count) if count > 0);
            if !ended && line.last() != Some(&b'\n') && line.len() > MAX_MESSAGE_BYTES {
                let _ = stdin.skip_until(b'\n');
            }
            if ended || send.send(line).is_err() {
                return;
            }
        }
    });
    receive
}

/// Waits for so long; false when nobody reads standard output any more.
#[cfg(unix)]
fn wait(time: Duration) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdout = std::io::stdout();
    // Nothing is asked for: what is told all the same is that the other end is gone.
    let mut seen = [PollFd::new(&stdout, PollFlags::empty())];
    let time = Timespec::try_from(time).ok();
    match poll(&mut seen, time.as_ref()) {
        Ok(_) => !seen[0].revents().intersects(PollFlags::ERR | PollFlags::HUP),
        Err(error) => error == rustix::io::Errno::INTR,
    }
}

/// Waits for so long; that nobody reads is noticed when the next line is written.
#[cfg(not(unix))]
fn wait(time: Duration) -> bool {
    std::thread::sleep(time);
    true
}

/// Writes in one go; a reader that left early is no error.
fn write(outcome: Outcome) -> ExitCode {
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(&outcome.stdout).and_then(|()| stdout.flush());
    if let Err(error) = written {
        let quiet = error.kind() == std::io::ErrorKind::BrokenPipe;
        return ExitCode::from(if quiet { 0 } else { 1 });
    }
    if std::io::stderr().lock().write_all(outcome.stderr.as_bytes()).is_err() {
        return ExitCode::from(1);
    }
    ExitCode::from(outcome.code)
}

/// How wide the terminal on standard output is.
#[cfg(unix)]
fn terminal_width() -> Option<u16> {
    rustix::termios::tcgetwinsize(std::io::stdout())
        .ok()
        .map(|size| size.ws_col)
        .filter(|columns| *columns > 0)
}

/// How wide the terminal on standard output is: nobody says.
#[cfg(not(unix))]
fn terminal_width() -> Option<u16> {
    None
}

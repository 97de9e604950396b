//! What a client has sent and nobody has answered yet.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde_json::Value;

/// The id of our only request: which folders the client works in.
pub(super) const ROOTS: &str = "pm-roots";

/// How long a call waits for the client to name its folders.
const PATIENCE: Duration = Duration::from_secs(2);

/// The most cancelled requests that are remembered.
const REMEMBERED: usize = 256;

/// The longest message, in bytes.
pub(crate) const MAX_BYTES: usize = 32 * 1024 * 1024;

/// A line.
#[derive(Debug)]
pub(super) enum Message {
    /// One message.
    Single(Value),
    /// Several in one line, as the revision of March 2025 has them.
    Batch(Vec<Value>),
    /// No message: the code of the protocol and the problem.
    Broken((i64, String)),
}

/// The queue.
pub(super) struct Inbox {
    lines: Receiver<Vec<u8>>,
    queue: VecDeque<Message>,
    cancelled: VecDeque<Value>,
    roots: Vec<PathBuf>,
    /// We asked for the folders, and no answer has come.
    asked: bool,
}

impl Inbox {
    pub(super) fn new(lines: Receiver<Vec<u8>>) -> Inbox {
        Inbox { lines, queue: VecDeque::new(), cancelled: VecDeque::new(), roots: Vec::new(), asked: false }
    }

    /// The next message, cancelled requests left out; none when there will be no more.
    pub(super) fn next(&mut self) -> Option<Message> {
        loop {
            self.take_in();
            let message = match self.queue.pop_front() {
                Some(message) => message,
                None => {
                    let line = self.lines.recv().ok()?;
                    self.enter(&line);
                    continue;
                }
            };
            let id = match &message {
                Message::Single(value) if value.get("method").is_some() => value.get("id"),
                _ => None,
            };
            if !id.is_some_and(|id| forget(&mut self.cancelled, id)) {
                return Some(message);
            }
        }
    }

    /// Whether a request that has just been worked on was cancelled meanwhile.
    pub(super) fn was_cancelled(&mut self, id: &Value) -> bool {
        self.take_in();
        forget(&mut self.cancelled, id)
    }

    /// The folders of the client are asked for.
    pub(super) fn expect_roots(&mut self) {
        self.asked = true;
    }

    /// The folders of the client; waits a moment when it was asked for them and has not answered.
    pub(super) fn roots(&mut self) -> Vec<PathBuf> {
        let end = Instant::now() + PATIENCE;
        self.take_in();
        while self.asked {
            match self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => self.enter(&line),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => self.asked = false,
            }
        }
        self.roots.clone()
    }

    fn take_in(&mut self) {
        while let Ok(line) = self.lines.try_recv() {
            self.enter(&line);
        }
    }

    fn enter(&mut self, line: &[u8]) {
        if line.len() > MAX_BYTES {
            let problem = format!("a message has at most {MAX_BYTES} bytes");
            return self.queue.push_back(Message::Broken((-32600, problem)));
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        match serde_json::from_slice::<Value>(line) {
            Err(error) => {
                self.queue.push_back(Message::Broken((-32700, format!("this is no JSON: {error}"))));
            }
            Ok(Value::Array(values)) if values.is_empty() => {
                self.queue.push_back(Message::Broken((-32600, "the batch is empty".to_owned())));
            }
            Ok(Value::Array(values)) => self.queue.push_back(Message::Batch(values)),
            Ok(value) if value["method"] == "notifications/cancelled" => {
                if let Some(id) = value["params"].get("requestId") {
                    self.cancelled.push_back(id.clone());
                    self.cancelled.truncate(REMEMBERED);
                }
            }
            Ok(value) if value.get("method").is_none() && value["id"] == ROOTS => {
                self.asked = false;
                let roots = value["result"]["roots"].as_array().map_or(&[][..], Vec::as_slice);
                self.roots =
                    roots.iter().filter_map(|root| root["uri"].as_str()).filter_map(folder).collect();
            }
            Ok(value) => self.queue.push_back(Message::Single(value)),
        }
    }
}

/// Removes an id from the cancelled ones; whether it was there.
fn forget(cancelled: &mut VecDeque<Value>, id: &Value) -> bool {
    let at = cancelled.iter().position(|known| known == id);
    at.and_then(|at| cancelled.remove(at)).is_some()
}

/// The folder of a `file://` address.
fn folder(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://")?;
    let path = &path[path.find('/')?..];
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        bytes.push(match byte {
            b'%' => u8::try_from(digit(rest.next())? * 16 + digit(rest.next())?).ok()?,
            other => other,
        });
    }
    // `file:///C:/work` on the systems that have drives.
    let path = String::from_utf8(bytes).ok()?;
    let drive = path.as_bytes().get(2) == Some(&b':');
    Some(PathBuf::from(if drive { &path[1..] } else { &path }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_folders() {
        assert_eq!(folder("file:///a%20b/c"), Some(PathBuf::from("/a b/c")));
        assert_eq!(folder("file://host/c"), Some(PathBuf::from("/c")));
        assert_eq!(folder("file:///C:/work"), Some(PathBuf::from("C:/work")));
        assert_eq!(folder("https://x/y"), None);
    }
}

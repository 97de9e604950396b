//! Messages as lines of JSON: the transport below the protocol.
//!
//! rmcp's own transports read one message at a time, drop what they cannot read and close five seconds after the input
//! has ended. This one reads ahead, so that a request whose cancellation has come already is never begun; takes several
//! messages in one line, as the revision of March 2025 has them; says what is wrong with a line; and ends when every
//! request has its answer, however long that takes.

use std::collections::VecDeque;
use std::future::{Ready, ready};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::sync::mpsc::{Receiver, UnboundedSender};

use super::AHEAD;
use crate::cli::MAX_MESSAGE_BYTES;

/// The name of a client that says none.
pub(super) const NAMELESS: &str = "unknown";

/// The transport.
pub(super) struct Lines {
    lines: Receiver<Vec<u8>>,
    /// Read and not handed on.
    queue: VecDeque<Value>,
    desk: Arc<Desk>,
    /// There will be no more lines.
    ended: bool,
}

/// What is open between us and the client.
struct Desk {
    state: Mutex<State>,
    /// Rung when something was answered or asked.
    bell: Notify,
}

#[derive(Default)]
struct State {
    out: Option<UnboundedSender<Vec<u8>>>,
    /// Requests of the client without an answer.
    open: Vec<Value>,
    /// Our requests without an answer.
    asked: Vec<RequestId>,
    batches: Vec<Batch>,
}

/// Requests that came in one line and are answered in one.
struct Batch {
    open: Vec<Value>,
    answers: Vec<Value>,
}

impl Desk {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn write(&self, message: &impl serde::Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        let out = self.out.as_ref().ok_or(io::ErrorKind::NotConnected)?;
        out.send(line).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    /// A request is answered, or will not be; the answer waits for those of its batch.
    fn close(&mut self, id: &Value, answer: Option<&ServerJsonRpcMessage>) -> io::Result<()> {
        remove(&mut self.open, id);
        let Some(at) = self.batches.iter().position(|batch| batch.open.contains(id)) else {
            return answer.map_or(Ok(()), |answer| self.write(answer));
        };
        let batch = &mut self.batches[at];
        remove(&mut batch.open, id);
        if let Some(answer) = answer {
            batch.answers.push(serde_json::to_value(answer)?);
        }
        if !batch.open.is_empty() {
            return Ok(());
        }
        let answers = self.batches.remove(at).answers;
        if answers.is_empty() { Ok(()) } else { self.write(&answers) }
    }

    /// Something that is no message.
    fn refuse(&self, id: &Value, code: i32, message: &str) {
        let error = json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}});
        let _ = self.write(&error);
    }
}

fn remove(ids: &mut Vec<Value>, id: &Value) {
    if let Some(at) = ids.iter().position(|known| known == id) {
        ids.remove(at);
    }
}

/// The id of a request.
fn id(message: &Value) -> Option<&Value> {
    message.get("method")?;
    message.get("id").filter(|id| id.is_string() || id.is_number())
}

impl Lines {
    /// Over lines as they come, and lines to be written.
    pub(super) fn new(lines: Receiver<Vec<u8>>, out: UnboundedSender<Vec<u8>>) -> Lines {
        let state = Mutex::new(State { out: Some(out), ..State::default() });
        let desk = Arc::new(Desk { state, bell: Notify::new() });
        Lines { lines, queue: VecDeque::new(), desk, ended: false }
    }

    fn enter(&mut self, line: &[u8]) {
        let desk = self.desk.clone();
        let mut state = desk.state();
        if line.len() > MAX_MESSAGE_BYTES {
            return state.refuse(
                &Value::Null,
                -32600,
                &format!("a message has at most {MAX_MESSAGE_BYTES} bytes"),
            );
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        match serde_json::from_slice::<Value>(line) {
            Err(error) => state.refuse(&Value::Null, -32700, &format!("this is no JSON: {error}")),
            Ok(Value::Array(all)) if all.is_empty() => {
                state.refuse(&Value::Null, -32600, "the batch is empty")
            }
            Ok(Value::Array(all)) => {
                let open: Vec<Value> = all.iter().filter_map(id).cloned().collect();
                if !open.is_empty() {
                    state.batches.push(Batch { open, answers: Vec::new() });
                }
                all.into_iter().for_each(|message| self.take(&mut state, message));
            }
            Ok(message) => self.take(&mut state, message),
        }
    }

    fn take(&mut self, state: &mut State, message: Value) {
        if message["method"] == "notifications/cancelled" {
            let cancelled = &message["params"]["requestId"];
            let _ = state.close(cancelled, None);
            // What has not begun is forgotten; what has begun is the protocol's.
            if let Some(at) = self.queue.iter().position(|waiting| id(waiting) == Some(cancelled)) {
                self.queue.remove(at);
                return;
            }
        }
        state.open.extend(id(&message).cloned());
        self.queue.push_back(message);
    }

    /// The message of a value; none when it is none, and then the client has been told.
    fn message(&self, mut value: Value) -> Option<ClientJsonRpcMessage> {
        let id = id(&value).cloned();
        // What is no request may still say what it would be called.
        let named = value.get("id").filter(|id| id.is_string() || id.is_number()).cloned();
        if value["method"] == "initialize"
            && let Some(params) = value["params"].as_object_mut()
        {
            // Clients of our own scripts and tests leave out what they do not have.
            params.entry("capabilities").or_insert_with(|| json!({}));
            params.entry("clientInfo").or_insert_with(|| json!({"name": NAMELESS, "version": "0"}));
        }
        let answers = value.get("method").is_none();
        match serde_json::from_value::<ClientJsonRpcMessage>(value) {
            Ok(message) => {
                if let JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) = &message {
                    let answered = match &message {
                        JsonRpcMessage::Response(answer) => Some(&answer.id),
                        JsonRpcMessage::Error(answer) => answer.id.as_ref(),
                        _ => None,
                    };
                    self.desk.state().asked.retain(|asked| Some(asked) != answered);
                }
                Some(message)
            }
            Err(error) => {
                let mut state = self.desk.state();
                let told = match answers {
                    true => "this is no request".to_owned(),
                    false => format!("this is no request: {error}"),
                };
                state.refuse(named.as_ref().unwrap_or(&Value::Null), -32600, &told);
                if let Some(id) = id {
                    let _ = state.close(&id, None);
                }
                None
            }
        }
    }
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn send(&mut self, item: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let mut state = self.desk.state();
        let sent = match &item {
            JsonRpcMessage::Response(answer) => {
                let id = answer.id.clone().into_json_value();
                state.close(&id, Some(&item))
            }
            JsonRpcMessage::Error(answer) => match &answer.id {
                Some(id) => {
                    let id = id.clone().into_json_value();
                    state.close(&id, Some(&item))
                }
                None => state.write(&item),
            },
            JsonRpcMessage::Request(question) => {
                state.asked.push(question.id.clone());
                state.write(&item)
            }
            JsonRpcMessage::Notification(_) => state.write(&item),
        };
        drop(state);
        self.desk.bell.notify_one();
        let done: Ready<io::Result<()>> = ready(sent);
        done
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            while self.queue.len() < AHEAD
                && let Ok(line) = self.lines.try_recv()
            {
                self.enter(&line);
            }
            if let Some(value) = self.queue.pop_front() {
                match self.message(value) {
                    Some(message) => return Some(message),
                    None => continue,
                }
            }
            if !self.ended {
                match self.lines.recv().await {
                    Some(line) => self.enter(&line),
                    None => self.ended = true,
                }
                continue;
            }
            let (question, open) = {
                let mut state = self.desk.state();
                (state.asked.pop(), state.open.len())
            };
            if let Some(question) = question {
                // Nobody is there to answer it.
                let error = ErrorData::internal_error("the client has ended", None);
                return Some(ClientJsonRpcMessage::error(error, Some(question)));
            }
            if open == 0 {
                return None;
            }
            self.desk.bell.notified().await;
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.desk.state().out = None;
        Ok(())
    }
}

//! `pm mcp`: the commands as tools over the Model Context Protocol (surfaces.md §25), one JSON-RPC message a line.
//!
//! One call at a time, in the order in which they came: a client that sends twenty changes at once gets them in that
//! order. What has come meanwhile is read ahead, so that a call that was cancelled before its turn never runs. A call
//! is made of the words that a person would type and goes the same road (docs/decisions/0002-mcp-without-a-runtime.md).

mod calls;
mod guides;
mod inbox;
#[cfg(test)]
mod tests;
mod words;

use std::sync::mpsc::Receiver;

use serde_json::{Map, Value, json};

use crate::commands::CATALOG;
use crate::environment::Env;
use crate::generate::tools::{self, Profile};

use inbox::{Inbox, Message};

pub(super) use calls::{answered, words as words_of};
pub(super) use inbox::MAX_BYTES as MAX_MESSAGE_BYTES;

/// The revisions of the protocol that this server speaks, the newest first.
const REVISIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// What a client is told once, at the start.
const INSTRUCTIONS: &str = "Tracks the work of a project in files of its Git repository. Start with pm_context or pm_next. \
Answers are bounded: follow `next_cursor` with outputCursor. Every flag of the command line is an argument in camelCase; \
pm_contracts {action: \"list\", schemaOnly: true} shows all arguments of a tool. `cwd` names the worktree of a call.";

/// A fault of the protocol.
#[derive(Debug)]
struct Fault {
    code: i64,
    message: String,
    data: Option<Value>,
}

impl Fault {
    fn new(code: i64, message: impl Into<String>) -> Fault {
        Fault { code, message: message.into(), data: None }
    }

    fn invalid(message: impl Into<String>) -> Fault {
        Fault::new(-32602, message)
    }
}

type Reply = std::result::Result<Value, Fault>;

/// Reads messages and answers them until there are no more, or nobody reads the answers.
pub(super) fn serve(env: &Env, tools: &str, lines: Receiver<Vec<u8>>, send: &mut dyn FnMut(&[u8]) -> bool) {
    let profile = Profile::named(tools).unwrap_or(Profile::Core);
    let mut server = Server { env: env.clone(), profile, inbox: Inbox::new(lines), clients_roots: false };
    while let Some(message) = server.inbox.next() {
        let there = match message {
            Message::Single(value) => server.answer(&value, send).is_none_or(|reply| say(send, &reply)),
            Message::Batch(values) => {
                let replies: Vec<Value> =
                    values.iter().filter_map(|value| server.answer(value, send)).collect();
                replies.is_empty() || say(send, &Value::Array(replies))
            }
            Message::Broken(problem) => say(send, &failure(&Value::Null, &Fault::new(problem.0, problem.1))),
        };
        if !there {
            return;
        }
    }
}

/// Sends one message; false when nobody reads any more.
fn say(send: &mut dyn FnMut(&[u8]) -> bool, message: &Value) -> bool {
    let mut line = message.to_string();
    line.push('\n');
    send(line.as_bytes())
}

fn failure(id: &Value, fault: &Fault) -> Value {
    let mut error = json!({"code": fault.code, "message": fault.message});
    if let Some(data) = &fault.data {
        error["data"] = data.clone();
    }
    json!({"jsonrpc": "2.0", "id": id, "error": error})
}

/// What is known of the client.
struct Server {
    env: Env,
    profile: Profile,
    inbox: Inbox,
    /// The client has folders to tell.
    clients_roots: bool,
}

impl Server {
    /// The answer to a message; none to a notification, to an answer, and to a request that was cancelled meanwhile.
    fn answer(&mut self, message: &Value, send: &mut dyn FnMut(&[u8]) -> bool) -> Option<Value> {
        let method = message.get("method").and_then(Value::as_str);
        let Some(id) = message.get("id").filter(|id| id.is_string() || id.is_number()) else {
            match method {
                Some("notifications/initialized" | "notifications/roots/list_changed")
                    if self.clients_roots =>
                {
                    self.inbox.expect_roots();
                    say(send, &json!({"jsonrpc": "2.0", "id": inbox::ROOTS, "method": "roots/list"}));
                }
                Some(_) => {}
                None => return Some(failure(&Value::Null, &Fault::new(-32600, "this is no request"))),
            }
            return None;
        };
        let Some(method) = method else {
            return (!message.is_object()
                || message.get("result").is_none() && message.get("error").is_none())
            .then(|| failure(id, &Fault::new(-32600, "this is no request")));
        };
        let empty = Map::new();
        let params = message.get("params").and_then(Value::as_object).unwrap_or(&empty);
        let reply = self.request(method, params);
        if self.inbox.was_cancelled(id) {
            return None;
        }
        Some(match reply {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err(fault) => failure(id, &fault),
        })
    }

    fn request(&mut self, method: &str, params: &Map<String, Value>) -> Reply {
        match method {
            "initialize" => Ok(self.initialize(params)),
            "ping" => Ok(json!({})),
            "tools/list" => {
                let shown = tools::of(self.profile, CATALOG);
                let list: Vec<Value> =
                    shown.map(|surface| tools::declaration(surface, self.profile)).collect();
                Ok(json!({ "tools": list }))
            }
            "tools/call" => calls::call(&self.place(), params),
            "resources/list" => Ok(guides::resources()),
            "resources/templates/list" => Ok(guides::templates()),
            "resources/read" => guides::read(&self.place(), params),
            "prompts/list" => Ok(guides::prompts()),
            "prompts/get" => guides::prompt(&self.place(), params),
            other => Err(Fault::new(-32601, format!("there is no method `{other}`"))),
        }
    }

    fn initialize(&mut self, params: &Map<String, Value>) -> Value {
        let asked = params.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
        let spoken = REVISIONS.iter().find(|known| **known == asked).unwrap_or(&REVISIONS[0]);
        let roots = params.get("capabilities").and_then(|capabilities| capabilities.get("roots"));
        self.clients_roots = roots.is_some_and(Value::is_object);
        json!({
            "protocolVersion": spoken,
            "capabilities": {"tools": {}, "resources": {}, "prompts": {}},
            "serverInfo": {"name": "pm", "version": env!("CARGO_PKG_VERSION")},
            "instructions": INSTRUCTIONS,
        })
    }

    /// Where calls are made that do not say it themselves.
    fn place(&mut self) -> calls::Place {
        calls::Place { env: self.env.clone(), roots: self.inbox.roots() }
    }
}

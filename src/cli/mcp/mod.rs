//! `pm mcp`: the commands as tools over the Model Context Protocol (surfaces.md §25), one JSON-RPC message a line.
//!
//! The protocol is rmcp's, in every revision that it speaks; it runs on one thread ([`server`]). Calls run on another
//! one, one at a time, in the order in which they came ([`worker`]): a client that sends twenty changes at once gets
//! them in that order, and the protocol hears of a cancellation while a call runs. A call is made of the words that a
//! person would type and goes the same road (docs/decisions/0003-rmcp.md).

mod calls;
mod guides;
mod lines;
mod roots;
mod server;
#[cfg(test)]
mod tests;
mod worker;

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use rmcp::ServiceExt as _;
use serde_json::Value;
use tokio::sync::mpsc;

use crate::clock::Meter;
use crate::environment::Env;
use crate::error::{Code, Error, Result};
use crate::generate::tools::Profile;

use lines::Lines;
use roots::Roots;
use server::Server;

/// The most lines that are read ahead.
const AHEAD: usize = 1024;

/// A fault of the protocol.
#[derive(Debug)]
struct Fault {
    code: i32,
    message: String,
    data: Option<Value>,
}

impl Fault {
    fn new(code: i32, message: impl Into<String>) -> Fault {
        Fault { code, message: message.into(), data: None }
    }

    fn invalid(message: impl Into<String>) -> Fault {
        Fault::new(-32602, message)
    }
}

/// What all calls of a client have in common.
struct Place {
    /// The surroundings of the server.
    env: Env,
    /// The folders of the client.
    roots: Roots,
    /// The bodies of documents that were handed out.
    bodies: Meter,
}

/// Reads messages and answers them until there are no more, or nobody reads the answers.
///
/// Errors: there is no runtime to be had.
pub(super) fn serve(
    env: &Env,
    tools: &str,
    lines: Receiver<Vec<u8>>,
    send: &mut dyn FnMut(&[u8]) -> bool,
) -> Result<()> {
    let profile = Profile::named(tools).unwrap_or(Profile::Core);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.map_err(|cause| {
        Error::new(Code::Internal, "no runtime for the protocol can be made").because(cause)
    })?;
    let place = Arc::new(Place { env: env.clone(), roots: Roots::default(), bodies: Meter::default() });
    let (worker, jobs) = worker::start();
    let (pass, incoming) = mpsc::channel(AHEAD);
    std::thread::spawn(move || lines.iter().all(|line| pass.blocking_send(line).is_ok()));
    let (outgoing, mut written) = mpsc::unbounded_channel();
    runtime.block_on(async {
        let server = Server::new(profile, place, jobs);
        let transport = Lines::new(incoming, outgoing);
        let serving = tokio::spawn(async move {
            if let Ok(running) = server.serve(transport).await {
                let _ = running.waiting().await;
            }
        });
        while let Some(line) = written.recv().await {
            if !send(&line) {
                break;
            }
        }
        serving.abort();
    });
    // With the runtime the server goes, and with it what it still wanted of the worker; a change that has begun ends.
    drop(runtime);
    let _ = worker.join();
    Ok(())
}

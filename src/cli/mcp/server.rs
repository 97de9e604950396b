//! What the protocol asks of us: rmcp reads and writes the messages, this answers them.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult,
    ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, PromptMessage, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ResourceContents, Role, ServerCapabilities, ServerConfig,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, interval_at};

use crate::commands::CATALOG;
use crate::environment::Env;
use crate::generate::tools::{self, Profile};
use crate::surface::Watch;

use super::calls::{self, Asked};
use super::lines::NAMELESS;
use super::worker::{self, Job, Step};
use super::{Fault, Place, guides};

/// What a client is told once, at the start.
const INSTRUCTIONS: &str = "Tracks the work of a project in files of its Git repository. Start with pm_context or pm_next. \
Answers are bounded: follow `next_cursor` with outputCursor. Every flag of the command line is an argument in camelCase; \
pm_contracts {action: \"list\", schemaOnly: true} shows all arguments of a tool. `cwd` names the worktree of a call.";

/// How often a client that asked for progress hears of a call that says nothing itself.
const BEAT: Duration = Duration::from_secs(1);

/// The longest name of a client that is kept, in characters.
const LONGEST_NAME: usize = 64;

/// The server of one client.
pub(super) struct Server {
    profile: Profile,
    place: Arc<Place>,
    jobs: Sender<Job>,
}

impl From<Fault> for ErrorData {
    fn from(fault: Fault) -> ErrorData {
        ErrorData::new(ErrorCode(fault.code), fault.message, fault.data)
    }
}

impl Server {
    /// Shows a profile; calls go to a worker.
    pub(super) fn new(profile: Profile, place: Arc<Place>, jobs: Sender<Job>) -> Server {
        Server { profile, place, jobs }
    }

    /// Has something done on the worker, and tells the client how far it is. When the client takes the request back,
    /// what has not begun is left, what reads ends at its next step, and what changes something goes on to its end.
    async fn work<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        run: impl FnOnce(&Asked<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let (tell, mut steps) = mpsc::unbounded_channel::<Step>();
        let (reply, mut answer) = oneshot::channel();
        let (interest, waiting) = worker::wait(tell);
        let (place, env) = (self.place.clone(), attributed(self.place.env.clone(), context));
        let watch = Watch::of(waiting);
        let job: Job = Box::new(move || {
            if !watch.has_gone() {
                let asked = Asked { place: &place, env, watch };
                let _ = reply.send(run(&asked));
            }
        });
        let internal = |what: &'static str| ErrorData::internal_error(what, None);
        self.jobs.send(job).map_err(|_| internal("the server ends"))?;
        let mut progress = Progress::of(context);
        let mut beat = interval_at(Instant::now() + BEAT, BEAT);
        let answered = loop {
            tokio::select! {
                biased;
                () = context.ct.cancelled() => return Err(internal("cancelled")),
                Some((done, total, next)) = steps.recv() => progress.step(done, total, next).await,
                answer = &mut answer => break answer,
                _ = beat.tick() => progress.beat().await,
            }
        };
        drop(interest);
        answered.map_err(|_| internal("the call broke off"))?.map_err(ErrorData::from)
    }
}

/// The surroundings of a call, with the name that its client gave itself.
fn attributed(env: Env, context: &RequestContext<RoleServer>) -> Env {
    let Some(client) = context.client_info() else { return env };
    let legal = |c: char| if c.is_alphanumeric() || "._-".contains(c) { c } else { '-' };
    let word = |text: &str| text.trim().chars().take(LONGEST_NAME).map(legal).collect::<String>();
    match word(&client.name) {
        name if name.is_empty() || name == NAMELESS => env,
        name => env.and("PM_CLIENT_NAME", name).and("PM_CLIENT_VERSION", word(&client.version)),
    }
}

/// What the client hears of a call; nothing when it did not ask.
struct Progress<'c> {
    context: &'c RequestContext<RoleServer>,
    token: Option<rmcp::model::ProgressToken>,
    /// What was told last: each number is larger than the one before it.
    last: f64,
    told: Option<(usize, String)>,
}

impl<'c> Progress<'c> {
    fn of(context: &'c RequestContext<RoleServer>) -> Progress<'c> {
        Progress { context, token: context.meta.get_progress_token(), last: -1.0, told: None }
    }

    async fn step(&mut self, done: usize, total: usize, next: String) {
        self.told = Some((total, next));
        // A count of steps is far below what a float holds exactly.
        #[expect(clippy::cast_precision_loss)]
        self.tell(done as f64).await;
    }

    /// Says that the call is still running.
    async fn beat(&mut self) {
        self.tell(self.last).await;
    }

    async fn tell(&mut self, done: f64) {
        let Some(token) = &self.token else { return };
        let next = self.last + (self.last.floor() + 1.0 - self.last) / 2.0;
        self.last = if done > self.last { done } else { next };
        let mut told = ProgressNotificationParam::new(token.clone(), self.last.max(0.0));
        if let Some((total, message)) = &self.told {
            #[expect(clippy::cast_precision_loss)]
            let total = *total as f64;
            told = told.with_total(total).with_message(message.clone());
        }
        // A client that is gone is found out elsewhere.
        let _ = self.context.peer.notify_progress(told).await;
    }
}

/// The entries of a list that was made as JSON.
fn typed<T: DeserializeOwned>(all: impl IntoIterator<Item = Value>) -> Result<Vec<T>, ErrorData> {
    let read =
        |value| serde_json::from_value(value).map_err(|e| ErrorData::internal_error(e.to_string(), None));
    all.into_iter().map(read).collect()
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts().build();
        let mut info = ServerConfig::new(capabilities).with_instructions(INSTRUCTIONS);
        info.server_info = Implementation::new("pm", env!("CARGO_PKG_VERSION"));
        info
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.ask_for_roots(context).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.ask_for_roots(context).await;
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let shown = tools::of(self.profile, CATALOG);
        typed(shown.map(|surface| tools::declaration(surface, self.profile)))
            .map(ListToolsResult::with_all_items)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (name, arguments) = (request.name, request.arguments.unwrap_or_default());
        let answer = self.work(&context, move |asked| calls::call(asked, &name, arguments)).await?;
        let content = answer.texts.into_iter().map(ContentBlock::text).collect();
        let result =
            if answer.failed { CallToolResult::error(content) } else { CallToolResult::success(content) };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        typed(guides::resources()).map(ListResourcesResult::with_all_items)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        typed(guides::templates()).map(ListResourceTemplatesResult::with_all_items)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.clone();
        let text = self.work(&context, move |asked| guides::read(asked, &uri)).await?;
        let contents = ResourceContents::text(text, request.uri).with_mime_type("application/json");
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        typed(guides::prompts()).map(ListPromptsResult::with_all_items)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let (about, text) =
            self.work(&context, move |asked| guides::prompt(asked, &request.name, &arguments)).await?;
        let message = PromptMessage::new_text(Role::User, text);
        Ok(GetPromptResult::new(vec![message]).with_description(about).into())
    }

    /// Whatever is no request of the protocol as it stands: an unknown method, or parameters of a known one that
    /// cannot be read.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        let needs = match method.as_str() {
            "tools/call" => "`name`, and `arguments` as an object",
            "resources/read" => "`uri`",
            "prompts/get" => "`name`, and `arguments` as an object of texts",
            "initialize" => "`protocolVersion`",
            _ => return Err(Fault::new(-32601, format!("there is no method `{method}`")).into()),
        };
        Err(Fault::invalid(format!("`{method}` needs {needs}")).into())
    }
}

impl Server {
    /// Asks a client that has folders which they are.
    // Roots are on their way out of the protocol; the clients of today have them.
    #[expect(deprecated)]
    async fn ask_for_roots(&self, context: NotificationContext<RoleServer>) {
        let has = context.peer.peer_info().is_some_and(|client| client.capabilities.roots.is_some());
        if !has {
            return;
        }
        self.place.roots.ask();
        let told = context.peer.list_roots().await.ok();
        self.place.roots.tell(told.map(|told| told.roots.into_iter().map(|root| root.uri).collect()));
    }
}

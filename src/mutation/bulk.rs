//! What `update-many` and `close-many` share: choosing items, checkpoints, rollback, the outcome (storage.md §5.5).

use std::cell::OnceCell;
use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::receipt::Receipt;
use super::rollback::{self, Checkpoint};
use crate::answer::Answer;
use crate::codec::json;
use crate::domain::filter::{Filter, Ground, PrefixedFilterArgs};
use crate::domain::sort::Sorting;
use crate::domain::status_set::StatusSet;
use crate::error::{Code, Error, Kind, Result};
use crate::model::timestamp;
use crate::surface::Context;

/// Which items, and how the change is secured.
#[derive(clap::Args)]
pub(crate) struct BulkArgs {
    #[command(flatten)]
    filters: PrefixedFilterArgs,
    /// Take at most so many of the items found
    #[arg(long, value_name = "N", help_heading = "Filters")]
    limit: Option<usize>,
    /// Pass over the first so many of the items found
    #[arg(long, value_name = "N", help_heading = "Filters")]
    offset: Option<usize>,
    /// Take an earlier call back, by the id of its checkpoint
    #[arg(long, value_name = "CHECKPOINT")]
    pub(crate) rollback: Option<String>,
    /// Keep no checkpoint
    #[arg(long)]
    no_checkpoint: bool,
}

/// An item that was chosen, as it was then.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) status: String,
    updated_at: String,
}

/// A bulk call.
pub(crate) struct Bulk<'a> {
    /// `update-many`, `close-many`.
    pub(crate) command: &'static str,
    /// The word for what is done to one item: `updated`, `closed`.
    pub(crate) done: &'static str,
    pub(crate) args: &'a BulkArgs,
    /// Parts of the answer and of the checkpoint that say what is asked for.
    pub(crate) asked: Map<String, Value>,
}

/// How a change that may be one of many is told of, and what happens before it lands.
#[derive(Clone, Copy)]
pub(crate) struct Telling<'a> {
    /// The message of its entry.
    pub(crate) message: Option<&'a str>,
    /// `context` of its entry.
    pub(crate) context: Option<&'a Value>,
    /// What has to be done before anything changes.
    before: Option<&'a dyn Fn() -> Result<()>>,
}

impl<'a> Telling<'a> {
    /// A change by itself.
    pub(crate) fn alone(message: Option<&'a str>) -> Telling<'a> {
        Telling { message, context: None, before: None }
    }

    /// To be called when a change is about to land.
    ///
    /// Errors: it cannot be secured.
    pub(crate) fn secure(&self, receipt: &Receipt) -> Result<()> {
        match self.before {
            Some(before) if !receipt.written.unchanged => before(),
            _ => Ok(()),
        }
    }
}

/// The name of a checkpoint, and when the call began.
struct Name {
    id: String,
    created_at: String,
}

/// How one item fared.
enum Fate {
    Changed(Box<Receipt>),
    Unchanged,
    Failed(Error),
}

impl Fate {
    fn of(result: Result<Receipt>) -> Fate {
        match result {
            Ok(receipt) if receipt.written.unchanged => Fate::Unchanged,
            Ok(receipt) => Fate::Changed(Box::new(receipt)),
            Err(error) => Fate::Failed(error),
        }
    }
}

impl Bulk<'_> {
    fn filters(&self) -> Map<String, Value> {
        let mut echo = Map::new();
        echo.insert("status".into(), "all".into());
        echo.extend(self.args.filters.0.echo());
        echo
    }

    /// The items that the filters let through, in the order of a listing.
    fn choose(&self, context: &Context) -> Result<Vec<Chosen>> {
        let tracker = context.tracker()?;
        let schema = tracker.schema();
        let prefix = tracker.settings().id_prefix();
        let ground = Ground { now: context.clock.now(), schema, prefix: &prefix };
        // The tracker's own flags say what to change.
        let filter = Filter::new(&self.args.filters.0, &BTreeMap::new(), StatusSet::All, &ground)?;
        let records = tracker.records()?;
        let mut found: Vec<_> = filter.over(records, schema).records().collect();
        Sorting::parse(None, None)?.sort(&mut found, &schema.statuses);
        let limit = self.args.limit.unwrap_or(usize::MAX);
        let chosen = found.into_iter().skip(self.args.offset.unwrap_or(0)).take(limit);
        Ok(chosen
            .map(|record| Chosen {
                id: record.id().to_owned(),
                title: record.title().to_owned(),
                status: record.status().to_owned(),
                updated_at: record.updated_at().to_owned(),
            })
            .collect())
    }

    /// Plans or does it: `plan` describes what would happen to one item, `change` does it and is told how to tell of
    /// it. `message` is the caller's own. A checkpoint is written when the first change is about to land.
    pub(crate) fn run<'c>(
        &self,
        context: &'c Context,
        message: Option<&str>,
        plan: impl Fn(&Chosen) -> Result<Value>,
        change: impl Fn(&str, &Telling<'_>) -> Result<Receipt>,
    ) -> Result<Answer<'c>> {
        let chosen = self.choose(context)?;
        if context.globals.dry_run {
            return self.plan(&chosen, plan);
        }
        let secured = !chosen.is_empty() && !self.args.no_checkpoint;
        let name = secured.then(|| self.name(context)).transpose()?;
        let own = match &name {
            Some(name) => self.message(&name.id),
            None => format!("{} apply", self.command),
        };
        // A message of the caller's own does not name the checkpoint.
        let mark = name.as_ref().filter(|_| message.is_some()).map(|name| json!({"checkpoint": name.id}));
        let saved: OnceCell<Value> = OnceCell::new();
        let before = || {
            if let Some(name) = name.as_ref().filter(|_| saved.get().is_none()) {
                let _ = saved.set(self.save(name, &chosen, context)?);
            }
            Ok(())
        };
        let telling =
            Telling { message: Some(message.unwrap_or(&own)), context: mark.as_ref(), before: Some(&before) };
        let mut fates: Vec<(String, Fate)> = Vec::with_capacity(chosen.len());
        for (n, item) in chosen.iter().enumerate() {
            // What was changed stays changed: a change of many items that has begun is not broken off.
            context.watch.tell(n, chosen.len(), &item.id);
            let fate = match change(&item.id, &telling) {
                // What is over already is passed over, as a dry run says.
                Err(error) if error.code == Code::TerminalStateConflict => Fate::Unchanged,
                result => Fate::of(result),
            };
            fates.push((item.id.clone(), fate));
        }
        let mut saved = saved.into_inner();
        let landed = fates.iter().any(|(_, fate)| matches!(fate, Fate::Changed(_)));
        if let Some(name) = name.filter(|_| saved.is_some() && !landed)
            && context.tracker()?.remove_local(&self.path(&name.id)).is_ok()
        {
            // Nothing can be taken back.
            saved = None;
        }
        Ok(self.outcome("apply", self.done, saved, fates))
    }

    fn head<'c>(&self, mode: &str, exit: u8, matched: usize) -> Answer<'c> {
        let outcome = match exit {
            6 => "no_effect",
            7 => "partial_effect",
            _ => "effect",
        };
        let answer = Answer::new()
            .value("outcome", outcome)
            .value("exit_code", exit)
            .value("mode", mode)
            .value("matched_count", matched)
            .value("dry_run", mode == "dry_run");
        self.asked
            .iter()
            .fold(answer, |answer, (key, value)| answer.value(key, value.clone()))
            .echo("filters", self.filters())
            .exit(exit)
    }

    fn plan<'c>(&self, chosen: &[Chosen], plan: impl Fn(&Chosen) -> Result<Value>) -> Result<Answer<'c>> {
        let plans = chosen.iter().map(plan).collect::<Result<Vec<Value>>>()?;
        let exit = if chosen.is_empty() { Kind::NoEffect.exit_code() } else { 0 };
        Ok(self.head("dry_run", exit, chosen.len()).value("item_plans", plans))
    }

    fn outcome<'c>(
        &self,
        mode: &str,
        done: &str,
        checkpoint: Option<Value>,
        fates: Vec<(String, Fate)>,
    ) -> Answer<'c> {
        let count = |wanted: fn(&Fate) -> bool| fates.iter().filter(|(_, fate)| wanted(fate)).count();
        let changed = count(|fate| matches!(fate, Fate::Changed(_)));
        let failed = count(|fate| matches!(fate, Fate::Failed(_)));
        let exit = match (changed, failed) {
            (0, _) => Kind::NoEffect.exit_code(),
            (_, 0) => 0,
            _ => Kind::PartialEffect.exit_code(),
        };
        let mut answer = self.head(mode, exit, fates.len());
        if let Some(checkpoint) = checkpoint {
            answer = answer.value("checkpoint", checkpoint);
        }
        let ids: Vec<&str> = fates
            .iter()
            .filter(|(_, fate)| matches!(fate, Fate::Changed(_)))
            .map(|(id, _)| id.as_str())
            .collect();
        let ids = json!(ids);
        answer = answer
            .value(&format!("{done}_count"), changed)
            .value("skipped_count", fates.len() - changed - failed)
            .value("failed_count", failed);
        let rows: Vec<Value> = fates.into_iter().map(|(id, fate)| row(id, fate, done)).collect();
        answer.value("rows", rows).value("ids", ids)
    }

    fn path(&self, id: &str) -> String {
        format!("{}/{id}.json", self.folder())
    }

    fn folder(&self) -> String {
        format!("checkpoints/{}", self.command)
    }

    /// A name for the checkpoint of this call.
    fn name(&self, context: &Context) -> Result<Name> {
        let created_at = timestamp::format(context.clock.now());
        let digits: String = created_at.chars().filter(char::is_ascii_digit).take(14).collect();
        let token = context.tracker()?.tokens().next(6).ok_or_else(|| {
            Error::new(Code::Internal, "the system has no randomness for the name of a checkpoint")
        })?;
        Ok(Name { id: format!("{}-{digits}-{token}", self.command), created_at })
    }

    /// Writes down which state each item is in, so that the call can be taken back.
    fn save(&self, name: &Name, chosen: &[Chosen], context: &Context) -> Result<Value> {
        let tracker = context.tracker()?;
        let Name { id, created_at } = name;
        let items: Vec<Value> = chosen
            .iter()
            .map(|chosen| json!({"id": chosen.id, "target_updated_at": chosen.updated_at}))
            .collect();
        let mut document = Map::new();
        document.insert("schema_version".into(), 1.into());
        document.insert("id".into(), id.as_str().into());
        document.insert("created_at".into(), created_at.as_str().into());
        document.insert("author".into(), context.actor()?.author.clone().into());
        let filters = self.filters();
        if self.command == "update-many" {
            document.insert("status_filter".into(), filters.get("status").cloned().unwrap_or_default());
            document.insert("list_filters".into(), filters.into());
            document.insert(
                "update_options".into(),
                self.asked.get("planned_update_options").cloned().unwrap_or_else(|| json!({})),
            );
        } else {
            document.extend(self.asked.clone());
            document.insert("filters".into(), filters.into());
        }
        document.insert("items".into(), items.into());
        let path = self.path(id);
        let text = format!("{}\n", json::pretty(&Value::Object(document)));
        tracker.write_local(&path, text.as_bytes())?;
        Ok(json!({
            "id": id,
            "created_at": created_at,
            "path": tracker.root().join(&path).to_string_lossy(),
            "rollback_command": format!("pm {} --rollback {id}", self.command),
        }))
    }

    /// Takes an earlier call back: what it changed, and nothing that came later.
    ///
    /// Errors: `checkpoint_not_found`, `checkpoint_invalid`.
    pub(crate) fn roll_back<'c>(&self, name: &str, context: &'c Context) -> Result<Answer<'c>> {
        let checkpoint = Checkpoint::read(self.command, &self.folder(), name, context.tracker()?)?;
        let message = format!("{} rollback {name}", self.command);
        let steps = rollback::all(context, &checkpoint, &self.message(name), &message)?;
        let fates: Vec<(String, Fate)> = steps
            .into_iter()
            .map(|(id, step)| {
                let fate = match step {
                    Ok(None) => Fate::Unchanged,
                    Ok(Some(receipt)) => Fate::of(Ok(receipt)),
                    Err(error) => Fate::Failed(error),
                };
                (id, fate)
            })
            .collect();
        if !context.globals.dry_run {
            return Ok(self.outcome("rollback", "restored", None, fates));
        }
        let any = fates.iter().any(|(_, fate)| matches!(fate, Fate::Changed(_)));
        let exit = if any { 0 } else { Kind::NoEffect.exit_code() };
        let targets: BTreeMap<String, String> = checkpoint.items.into_iter().collect();
        let plans: Vec<Value> = fates.into_iter().map(|(id, fate)| way_back(id, &fate, &targets)).collect();
        Ok(self.head("dry_run", exit, plans.len()).value("item_plans", plans))
    }

    /// The message of the entries of a call.
    fn message(&self, checkpoint: &str) -> String {
        format!("{} apply {checkpoint}", self.command)
    }
}

/// What taking a call back would do to one item.
fn way_back(id: String, fate: &Fate, targets: &BTreeMap<String, String>) -> Value {
    let mut plan = match fate {
        Fate::Changed(receipt) => {
            json!({"id": id, "action": "restore", "changed_fields": receipt.changed()})
        }
        Fate::Unchanged => json!({"id": id, "action": "skip"}),
        Fate::Failed(error) => {
            json!({"id": id, "action": "refuse", "code": error.code.as_str(), "message": error.message})
        }
    };
    if let (Some(target), Some(plan)) = (targets.get(&id), plan.as_object_mut()) {
        plan.insert("target_updated_at".to_owned(), target.as_str().into());
    }
    plan
}

fn row(id: String, fate: Fate, done: &str) -> Value {
    match fate {
        Fate::Changed(receipt) => {
            let warnings: Vec<&String> = receipt.written.warnings.iter().chain(&receipt.warnings).collect();
            let mut row = json!({"id": id, "status": done, "changed_fields": receipt.changed()});
            if !warnings.is_empty() {
                row["warnings"] = json!(warnings);
            }
            row
        }
        Fate::Unchanged => json!({"id": id, "status": "skipped", "changed_fields": []}),
        Fate::Failed(error) => {
            let mut row =
                json!({"id": id, "status": "failed", "code": error.code.as_str(), "message": error.message});
            if let Some(row) = row.as_object_mut() {
                row.extend(rollback::facts(&error));
            }
            row
        }
    }
}

//! What `update-many` and `close-many` share: choosing items, checkpoints, rollback, the outcome (storage.md §5.5).

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::receipt::Receipt;
use super::restoring::restore;
use super::write;
use crate::answer::Answer;
use crate::codec::json;
use crate::domain::filter::{Filter, Ground, PrefixedFilterArgs};
use crate::domain::sort::Sorting;
use crate::domain::status_set::StatusSet;
use crate::error::{Code, Error, Kind, Result};
use crate::model::timestamp;
use crate::surface::Context;
use crate::tracker::Tracker;

/// The largest checkpoint file that is read, in bytes.
const MAX_CHECKPOINT: u64 = 64 * 1024 * 1024;

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

    /// Plans or does it: `plan` describes what would happen to one item, `change` does it and gets the message of
    /// the history entry.
    pub(crate) fn run<'c>(
        &self,
        context: &'c Context,
        plan: impl Fn(&Chosen) -> Result<Value>,
        change: impl Fn(&str, &str) -> Result<Receipt>,
    ) -> Result<Answer<'c>> {
        let chosen = self.choose(context)?;
        if context.globals.dry_run {
            return self.plan(&chosen, plan);
        }
        let checkpoint = if chosen.is_empty() || self.args.no_checkpoint {
            None
        } else {
            Some(self.save(&chosen, context)?)
        };
        let message = match &checkpoint {
            Some(saved) => self.message(saved["id"].as_str().unwrap_or_default()),
            None => format!("{} apply", self.command),
        };
        let fates: Vec<(String, Fate)> = chosen
            .into_iter()
            .map(|chosen| {
                let fate = match change(&chosen.id, &message) {
                    // What is over already is passed over, as a dry run says.
                    Err(error) if error.code == Code::TerminalStateConflict => Fate::Unchanged,
                    result => Fate::of(result),
                };
                (chosen.id, fate)
            })
            .collect();
        Ok(self.outcome("apply", self.done, checkpoint, fates))
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

    fn folder(&self) -> String {
        format!("checkpoints/{}", self.command)
    }

    /// Writes down which state each item is in, so that the call can be taken back.
    fn save(&self, chosen: &[Chosen], context: &Context) -> Result<Value> {
        let tracker = context.tracker()?;
        let created_at = timestamp::format(context.clock.now());
        let digits: String = created_at.chars().filter(char::is_ascii_digit).take(14).collect();
        let token = tracker.tokens().next(6).ok_or_else(|| {
            Error::new(Code::Internal, "the system has no randomness for the name of a checkpoint")
        })?;
        let id = format!("{}-{digits}-{token}", self.command);
        let items: Vec<Value> = chosen
            .iter()
            .map(|chosen| json!({"id": chosen.id, "target_updated_at": chosen.updated_at}))
            .collect();
        let mut document = Map::new();
        document.insert("schema_version".into(), 1.into());
        document.insert("id".into(), id.clone().into());
        document.insert("created_at".into(), created_at.clone().into());
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
        let path = format!("{}/{id}.json", self.folder());
        let text = format!("{}\n", json::pretty(&Value::Object(document)));
        tracker.write_local(&path, text.as_bytes())?;
        Ok(json!({
            "id": id,
            "created_at": created_at,
            "path": tracker.root().join(&path).to_string_lossy(),
            "rollback_command": format!("pm {} --rollback {id}", self.command),
        }))
    }

    /// Takes an earlier call back: each item returns to the state that its checkpoint names.
    ///
    /// Errors: `checkpoint_not_found`, `checkpoint_invalid`.
    pub(crate) fn roll_back<'c>(&self, checkpoint: &str, context: &'c Context) -> Result<Answer<'c>> {
        let items = self.saved(checkpoint, context.tracker()?)?;
        if context.globals.dry_run {
            let plans: Vec<Value> = items
                .iter()
                .map(|(id, at)| json!({"id": id, "action": "restore", "target_updated_at": at}))
                .collect();
            return Ok(self.head("dry_run", 0, items.len()).value("item_plans", plans));
        }
        let message = format!("{} rollback {checkpoint}", self.command);
        let write = write(context, "restore", Some(&message))?;
        let fates = items
            .into_iter()
            .map(|(id, at)| {
                let target = self.version_before(checkpoint, &id, context).unwrap_or(at);
                let fate = Fate::of(restore(context, &id, &target, &write));
                (id, fate)
            })
            .collect();
        Ok(self.outcome("rollback", "restored", None, fates))
    }

    /// The version right before the change that a checkpoint secured, found by the message of its entry: times alone
    /// may be equal.
    fn version_before(&self, checkpoint: &str, id: &str, context: &Context) -> Option<String> {
        let message = self.message(checkpoint);
        let entries = context.tracker().and_then(|tracker| tracker.history(id)).ok()?;
        let is_it = |entry: &Value| entry.get("message").and_then(Value::as_str) == Some(message.as_str());
        entries.iter().position(is_it).filter(|&before| before > 0).map(|before| before.to_string())
    }

    /// The message of the entries of a call.
    fn message(&self, checkpoint: &str) -> String {
        format!("{} apply {checkpoint}", self.command)
    }

    /// The items of a checkpoint with the time of the state to return to.
    fn saved(&self, checkpoint: &str, tracker: &Tracker) -> Result<Vec<(String, String)>> {
        let refuse = |code, problem: String| Error::new(code, problem).at("--rollback").rejecting(checkpoint);
        let plain = checkpoint.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let path = format!("{}/{checkpoint}.json", self.folder());
        let bytes = plain.then(|| tracker.read_local(&path, MAX_CHECKPOINT)).flatten();
        let Some(bytes) = bytes else {
            let problem = format!("`{}` has no checkpoint `{checkpoint}`", self.command);
            return Err(refuse(Code::CheckpointNotFound, problem));
        };
        let document: Value = serde_json::from_slice(&bytes)
            .map_err(|error| refuse(Code::CheckpointInvalid, format!("`{path}` is no JSON: {error}")))?;
        let text = |row: &Value, key: &str| row.get(key).and_then(Value::as_str).map(str::to_owned);
        let rows = document.get("items").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let items: Option<Vec<_>> =
            rows.iter().map(|row| Some((text(row, "id")?, text(row, "target_updated_at")?))).collect();
        items
            .filter(|items| !items.is_empty() && document.get("schema_version") == Some(&json!(1)))
            .ok_or_else(|| refuse(Code::CheckpointInvalid, format!("`{path}` is no checkpoint of version 1")))
    }
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
            json!({"id": id, "status": "failed", "code": error.code.as_str(), "message": error.message})
        }
    }
}

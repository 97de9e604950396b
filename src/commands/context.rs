//! `pm context`.

mod focus;
mod sections;

use std::rc::Rc;

use jiff::tz::TimeZone;
use serde_json::{Map, Value, json};

use crate::answer::{Answer, Completeness, Row, Rows};
use crate::clock::due::Due;
use crate::contract::{Contract, Example, Tier, surfaces};
use crate::domain::agenda::Window;
use crate::domain::blockers::Blockers;
use crate::domain::children::Hierarchy;
use crate::domain::filter::{Filter, FilterArgs, Ground, values};
use crate::domain::rank;
use crate::domain::relevance::{self, Relevant, SIGNALS};
use crate::domain::rows::Rows as RowIndex;
use crate::domain::snapshots::{self, State};
use crate::domain::status_set::StatusSet;
use crate::domain::{dates, packing};
use crate::error::{Code, Error, Result};
use crate::model::records::{Record, Records};
use crate::model::status::{Roles, Statuses};
use crate::model::timestamp;
use crate::surface::{Command, Context as Call};
use crate::tracker::Tracker;
use focus::Focus;
use sections::Section;

/// Shows where things stand.
pub(super) struct Context;

/// Rows of each list, unless a number is asked for.
const ROWS: usize = 10;

/// The same under an intent.
const INTENT_ROWS: usize = 3;

/// What the focus rows may cost, in tokens: in all, for each row asked for, and at least.
const TOKENS: usize = 1_600;
const TOKENS_PER_ROW: usize = 160;
const LEAST_TOKENS: usize = 256;

/// How far the agenda looks ahead when nobody says so: 30 days.
const AHEAD_MS: i64 = 30 * 86_400_000;

/// Entries of the agenda in a brief context.
const AGENDA: usize = 3;

/// Arguments of `pm context`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Show what a purpose needs: `orient` or `handoff`
    #[arg(long = "for", value_name = "INTENT")]
    intent: Option<String>,
    /// Show only what changed since the state of this name, the `snapshot` of an earlier answer
    #[arg(long, value_name = "SNAPSHOT")]
    since: Option<String>,
    /// How much to show: brief, standard, deep or full
    #[arg(long, value_name = "DEPTH")]
    depth: Option<String>,
    /// Show these sections instead, by name; may be given several times
    #[arg(long, value_name = "SECTION")]
    section: Vec<String>,
    /// Show these fields of the focus rows, joined by commas
    #[arg(long, value_name = "FIELDS")]
    fields: Option<String>,
    /// Show at most so many rows of each list
    #[arg(long, value_name = "N", alias = "max-items")]
    limit: Option<usize>,
    /// Continue after a page, with its `next_cursor`
    #[arg(long, value_name = "CURSOR")]
    after: Option<String>,
    /// The most tokens that the focus rows may cost
    #[arg(long, value_name = "N")]
    token_budget: Option<usize>,
    /// Show so many changes of items
    #[arg(long, value_name = "N")]
    activity_limit: Option<usize>,
    /// From how many days without a change on an item is stale
    #[arg(long, value_name = "DAYS")]
    stale_threshold: Option<String>,
    /// Print what each place is made of
    #[arg(long, alias = "why")]
    explain_ranking: bool,
    /// The agenda begins here instead of now
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = "Agenda")]
    date: Option<String>,
    /// Leave out what is on the agenda before this time
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = "Agenda")]
    from: Option<String>,
    /// Leave out what is on the agenda after this time
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = "Agenda")]
    to: Option<String>,
    /// Show what was on the agenda before now, too
    #[arg(long, help_heading = "Agenda")]
    past: bool,
    /// Accepted for compatibility: tags are shown when selected
    #[arg(long, hide = true)]
    no_tags: bool,
    /// Accepted for compatibility: there are no extensions
    #[arg(long, hide = true)]
    no_extension_health: bool,
    #[command(flatten)]
    filters: FilterArgs,
}

impl Command for Context {
    const CONTRACT: Contract = Contract {
        path: &["context"],
        aliases: &["ctx"],
        about: "Show where things stand",
        read_output: Some(surfaces::CONTEXT),
        errors: &[
            Code::InvalidArgumentValue,
            Code::ItemNotFound,
            Code::UnknownContextIntent,
            Code::UnknownFieldProjection,
        ],
        examples: &[
            Example { about: "What matters now", argv: &["context"] },
            Example { about: "Get to know a tracker", argv: &["context", "--for", "orient"] },
            Example {
                about: "Progress and blockers",
                argv: &["context", "--section", "progress", "--section", "blockers"],
            },
        ],
        tier: Tier::Core,
        custom_flags: true,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, call: &'a Call) -> Result<Answer<'a>> {
        let plan = Plan::of(&args, call)?;
        let tracker = call.tracker()?;
        let scene = Rc::new(Scene::set(&args, call)?);
        let snapshot = tracker.snapshot()?;
        tracker.keep_snapshot(&snapshot)?;
        answer(&args, call, &plan, &scene, &snapshot)
    }
}

/// What is shown, and how much of it.
struct Plan {
    depth: &'static str,
    sections: Vec<Section>,
    /// Rows of each list.
    limit: usize,
    /// Whether the lists are pages of everything that is open, and no choice.
    paged: bool,
    activity_limit: usize,
    stale_days: i64,
    window: Window,
    /// Rows of the agenda.
    agenda: usize,
    /// Bytes of the focus rows.
    bytes: usize,
    fields: Vec<&'static str>,
    /// Whether the fields were named: then none of them is left out.
    named_fields: bool,
}

const DEPTHS: &[&str] = &["brief", "standard", "deep", "full"];

impl Plan {
    fn of(args: &Args, call: &Call) -> Result<Plan> {
        let settings = call.tracker()?.settings();
        let intent = intent(args)?;
        let asked = args.depth.as_deref().map(str::trim);
        let word =
            asked.unwrap_or_else(|| intent.map_or(settings.text("context.default_depth"), |intent| intent.1));
        let depth = DEPTHS.iter().find(|depth| **depth == word);
        let depth = match (depth, asked) {
            (Some(depth), _) => *depth,
            (None, Some(word)) => return Err(values::illegal("--depth", word, DEPTHS)),
            (None, None) => "brief",
        };
        let mut sections = if !args.section.is_empty() {
            let names = values::split("--section", &args.section)?;
            names.iter().map(|name| Section::named(name)).collect::<Result<Vec<_>>>()?
        } else if let Some((sections, _)) = intent {
            sections.to_vec()
        } else {
            let enabled = |section: &&Section| settings.flag(&format!("context.sections.{}", section.name()));
            Section::of_depth(depth).iter().filter(enabled).copied().collect()
        };
        // Whoever selects a section wants it.
        for selector in &call.want.selectors {
            let head = selector.split('.').next().unwrap_or(selector);
            if let Ok(section) = Section::named(head)
                && !sections.contains(&section)
            {
                sections.push(section);
            }
        }
        // The control that every read has is stronger than the command's own.
        let asked = call.want.limit.or(call.want.unbounded.then_some(usize::MAX)).or(args.limit);
        let limit = match asked {
            Some(limit) => limit,
            None if intent.is_some() => INTENT_ROWS,
            None if depth == "full" => usize::MAX,
            None => ROWS,
        };
        let tokens = args.token_budget.unwrap_or(match asked {
            Some(limit) => LEAST_TOKENS.max(limit.saturating_mul(TOKENS_PER_ROW)),
            None if depth == "full" => usize::MAX,
            None => TOKENS,
        });
        let number =
            |path: &str, fallback| usize::try_from(settings.number(path, fallback)).unwrap_or(usize::MAX);
        Ok(Plan {
            depth,
            sections,
            limit,
            paged: args.after.is_some(),
            activity_limit: args
                .activity_limit
                .unwrap_or_else(|| number("context.activity_limit", 10))
                .min(limit.max(args.activity_limit.unwrap_or(0))),
            stale_days: stale_days(args, settings.number("context.stale_threshold_days", 7))?,
            window: window(args, call.clock.now())?,
            agenda: if depth == "brief" && !on_agenda(args) { limit.min(AGENDA) } else { limit },
            bytes: tokens.saturating_mul(packing::BYTES_PER_TOKEN),
            named_fields: call.want.fields.is_some(),
            fields: focus::fields(call.want.fields.as_deref(), depth, &call.want.selectors)?,
        })
    }
}

/// Whether the agenda was asked about.
fn on_agenda(args: &Args) -> bool {
    args.past || [&args.date, &args.from, &args.to].iter().any(|time| time.is_some())
}

/// The sections and the depth of a purpose.
fn intent(args: &Args) -> Result<Option<(&'static [Section], &'static str)>> {
    use Section::{Activity, Blockers, Hierarchy, Progress};
    match args.intent.as_deref().map(str::trim) {
        None => Ok(None),
        Some("orient") => Ok(Some((&[Hierarchy, Blockers, Activity], "standard"))),
        Some("handoff") => Ok(Some((&[Activity, Progress, Blockers], "deep"))),
        Some(other) => {
            let mut error = values::illegal("--for", other, &["orient", "handoff"]);
            error.code = Code::UnknownContextIntent;
            Err(error.hint("pm context --for orient"))
        }
    }
}

fn stale_days(args: &Args, default: u64) -> Result<i64> {
    let Some(text) = args.stale_threshold.as_deref() else {
        return Ok(i64::try_from(default).unwrap_or(i64::MAX));
    };
    let days = text.trim().trim_end_matches(['d', 'D']).parse::<i64>().ok().filter(|days| *days > 0);
    days.ok_or_else(|| values::illegal("--stale-threshold", text, &["7d", "14d", "30d"]))
}

/// The span of the agenda: from now on, unless told otherwise.
fn window(args: &Args, now: i64) -> Result<Window> {
    let read = |flag: &str, text: &Option<String>| {
        let refused = |problem| {
            let text = text.as_deref().unwrap_or_default();
            Error::new(Code::InvalidArgumentValue, format!("`{flag}` does not take `{text}`: {problem}"))
                .at(flag)
                .rejecting(text)
        };
        text.as_deref().map(|text| dates::parse(text, now)).transpose().map_err(refused)
    };
    let anchor = read("--date", &args.date)?;
    let from = read("--from", &args.from)?.or(anchor);
    let to = read("--to", &args.to)?;
    let unbounded = from.is_none() && to.is_none() && !args.past;
    let from = from.or_else(|| (!args.past).then_some(now));
    Ok(Window { from, to: to.or_else(|| unbounded.then(|| now.saturating_add(AHEAD_MS))) })
}

/// The tracker as it is looked at.
struct Scene<'a> {
    tracker: &'a Tracker,
    records: &'a Records,
    statuses: &'a Statuses,
    rows: RowIndex,
    blockers: Blockers<'a>,
    hierarchy: Hierarchy,
    now: i64,
    zone: TimeZone,
    /// Per row whether filters and parent let it in.
    scope: Vec<bool>,
    /// Whether anything narrows the scope.
    narrowed: bool,
    /// The open items in scope, most relevant first.
    ranked: Vec<Relevant>,
    /// The state that was asked for, and what of it is still the same is left out.
    since: Option<Since>,
}

/// An earlier state.
struct Since {
    name: String,
    /// Its items; none when it is not kept any more.
    then: Option<State>,
    /// When its newest item had changed.
    newest: i64,
}

impl Since {
    fn read(name: &str, tracker: &Tracker) -> Result<Since> {
        let name = name.trim();
        let Some(newest) = snapshots::newest_change(name) else {
            let message = format!("`--since` takes the `snapshot` of an earlier answer, not `{name}`");
            return Err(Error::new(Code::InvalidArgumentValue, message)
                .at("--since")
                .rejecting(name)
                .hint("pm context"));
        };
        Ok(Since { name: name.to_owned(), then: tracker.kept_snapshot(name), newest })
    }

    fn is_changed(&self, record: Record<'_>) -> bool {
        match &self.then {
            Some(then) => then.get(record.id()) != Some(&record.digest()),
            None => record.updated_ms().is_none_or(|updated| updated > self.newest),
        }
    }
}

impl<'a> Scene<'a> {
    fn set(args: &Args, call: &'a Call) -> Result<Scene<'a>> {
        let tracker = call.tracker()?;
        let (schema, records, now) = (tracker.schema(), tracker.records()?, call.clock.now());
        let since = args.since.as_deref().map(|name| Since::read(name, tracker)).transpose()?;
        let mut filters = args.filters.clone();
        // Here a parent means everything below it.
        let parent = filters.parent.take();
        let prefix = tracker.settings().id_prefix();
        let ground = Ground { now, schema, prefix: &prefix };
        let filter = Filter::new(&filters, &call.custom, StatusSet::All, &ground)?;
        let within = parent.as_deref().map(|parent| tracker.subtree(parent)).transpose()?;
        let selection = filter.over(records, schema);
        let narrowed = within.is_some() || !filters.is_empty() || !call.custom.is_empty();
        let in_scope = |record: Record<'_>| {
            within.as_ref().is_none_or(|within| within[record.number()])
                && (!narrowed || selection.admits(record))
        };
        let scope: Vec<bool> = records.iter().map(in_scope).collect();
        let rows = RowIndex::new(records);
        let blockers = Blockers::new(records, &rows, &schema.statuses);
        let zone = TimeZone::system();
        let at_work = Roles::ACTIVE.with(Roles::BLOCKED);
        let shown = |row: &u32| {
            let record = records.get(*row as usize);
            let changed =
                since.as_ref().is_none_or(|since| record.is_some_and(|record| since.is_changed(record)));
            changed && scope[*row as usize] && blockers.roles(*row as usize).any(at_work)
        };
        let open = (0..records.len() as u32).filter(shown).collect();
        let ground = rank::Ground {
            records,
            rows: &rows,
            blockers: &blockers,
            statuses: &schema.statuses,
            caller: tracker.caller(call.actor()?),
            now,
            zone: &zone,
        };
        let ranked = relevance::rank(&ground, open);
        let hierarchy = Hierarchy::new(records, &rows);
        Ok(Scene {
            tracker,
            records,
            statuses: &schema.statuses,
            rows,
            blockers,
            hierarchy,
            now,
            zone,
            scope,
            narrowed,
            ranked,
            since,
        })
    }

    fn record(&self, row: u32) -> Record<'a> {
        self.records.get(row as usize).expect("rows are numbers of records")
    }

    /// Whether an open item has missed its deadline.
    fn is_overdue(&self, row: usize) -> bool {
        let due = self.record(row as u32).deadline_ms().map(Due::at);
        !self.blockers.is_over(row) && due.is_some_and(|due| due.ends(&self.zone) <= self.now)
    }

    /// How many items there are, whatever is shown of them.
    fn summary(&self) -> Map<String, Value> {
        let mut counts = [0usize; 6];
        for row in 0..self.records.len() {
            let status = self.record(row as u32).status();
            let over = self.blockers.is_over(row);
            for (count, counted) in counts.iter_mut().zip([
                !over,
                status == self.statuses.open(),
                status == self.statuses.in_progress(),
                self.blockers.is_blocked(row),
                over && !self.blockers.roles(row).any(Roles::TERMINAL_CANCELED),
                over && self.blockers.roles(row).any(Roles::TERMINAL_CANCELED),
            ]) {
                *count += usize::from(counted);
            }
        }
        let mut summary = Map::new();
        summary.insert("total_items".to_owned(), self.records.len().into());
        let names = ["active_items", "open", "in_progress", "blocked", "closed", "canceled"];
        let told = names.into_iter().zip(counts).filter(|(name, count)| *count > 0 || *name != "canceled");
        summary.extend(told.map(|(name, count)| (name.to_owned(), count.into())));
        let overdue = (0..self.records.len()).filter(|row| self.is_overdue(*row)).count();
        if overdue > 0 {
            summary.insert("overdue".to_owned(), overdue.into());
        }
        if self.narrowed {
            summary.insert(
                "in_scope".to_owned(),
                self.scope.iter().filter(|in_scope| **in_scope).count().into(),
            );
        }
        summary
    }
}

fn answer<'a>(
    args: &Args,
    call: &'a Call,
    plan: &Plan,
    scene: &Rc<Scene<'a>>,
    snapshot: &str,
) -> Result<Answer<'a>> {
    let summary = scene.summary();
    let mut spent = packing::record(&summary) + 120;
    let first = Focus::choose(scene, plan, bytes(plan, call, spent));
    let agenda = if scene.since.is_none() { sections::agenda(scene, plan, &first)? } else { Vec::new() };
    let mut behind = Answer::new();
    if !agenda.is_empty() {
        spent += agenda.iter().map(|row| packing::row(row.values())).sum::<usize>() + 60;
        let counts = sections::agenda_summary(&agenda);
        let group = Answer::new().echo("summary", Value::Object(counts));
        behind = behind.group("agenda", group.rows("events", Rows::ready(agenda)));
    }
    // Sections speak of what the focus shows, the focus gets what the sections leave: so it is chosen twice.
    let mut shown = Answer::new();
    for section in &plan.sections {
        let columns = section.columns(&call.want.selectors);
        let rows = section.rows(scene, plan, &first, &columns)?;
        let cells =
            |row: &Row| packing::row(columns.iter().map(|column| row.get(*column).unwrap_or(&Value::Null)));
        spent += rows.iter().map(cells).sum::<usize>() + packing::head(section.name(), &columns);
        let cut = |mut row: Row| {
            row.retain(|key, _| columns.contains(&key.as_str()));
            row
        };
        let rows = rows.into_iter().map(cut).collect();
        shown = shown.rows(section.name(), Rows::ready(rows).columns(columns.clone()));
    }
    let focus = Focus::choose(scene, plan, bytes(plan, call, spent));
    let mut answer = Answer::new().value("snapshot", snapshot).value("summary", Value::Object(summary));
    if let Some(since) = &scene.since {
        answer = changes(answer, scene, since);
    }
    let (high, low) = focus.split();
    answer = answer.rows("high_level", high.rows(scene, plan)).rows("low_level", low.rows(scene, plan));
    for (key, part) in behind.parts.into_iter().chain(shown.parts) {
        answer = answer.part(&key, part);
    }
    if args.explain_ranking {
        answer = answer.rows("ranking", ranking(scene, &focus));
    }
    if scene.ranked.is_empty() && scene.since.is_none() {
        answer = answer.value("suggestions", suggestions(scene));
    }
    let unshown = Section::ALL.iter().filter(|section| !plan.sections.contains(section));
    for section in unshown {
        answer = answer.omits(section.name(), &format!("--section {}", section.name()));
    }
    let answer = answer
        .completeness(completeness(scene.records))
        .question(json!({"filters": args.filters.echo(), "custom": call.custom, "since": args.since}))
        .echo("depth", plan.depth)
        .echo("sections_included", plan.sections.iter().map(|section| section.name()).collect::<Vec<_>>())
        .echo("window", window_echo(plan))
        .echo("filters", Value::Object(args.filters.echo()))
        .echo("now", timestamp::format(scene.now));
    Ok(call.tracker()?.warnings().iter().fold(answer, |answer, warning| answer.warn(warning.clone())))
}

/// What is left for the focus rows beside what costs so many bytes.
fn bytes(plan: &Plan, call: &Call, spent: usize) -> usize {
    let whole = call.want.budget.and_then(|tokens| usize::try_from(tokens).ok());
    // JSON repeats the keys of each row.
    let (up, down) = if call.globals.json { (5, 2) } else { (1, 1) };
    let left = whole
        .map(|tokens| (tokens.saturating_mul(packing::BYTES_PER_TOKEN) / up * down).saturating_sub(spent));
    plan.bytes.min(left.unwrap_or(usize::MAX).max(packing::BYTES_PER_TOKEN * 64))
}

/// What became of the items that changed and are not open any more.
fn changes<'a>(answer: Answer<'a>, scene: &Scene<'a>, since: &Since) -> Answer<'a> {
    let mut finished = Vec::new();
    for record in scene.records.iter().filter(|record| scene.scope[record.number()]) {
        if since.is_changed(record) && scene.blockers.is_over(record.number()) {
            let row = [("id", record.id()), ("title", record.title()), ("status", record.status())];
            finished.push(row.into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect());
        }
    }
    let removed = since.then.iter().flatten().filter(|(id, _)| scene.records.find(id).is_none());
    let removed: Vec<&str> = removed.map(|(id, _)| id.as_str()).collect();
    let mut answer = answer.value("since", since.name.as_str());
    if !finished.is_empty() {
        answer = answer.rows("finished", Rows::ready(finished));
    }
    if !removed.is_empty() {
        answer = answer.value("removed", removed);
    }
    if since.then.is_none() {
        answer = answer.warn(format!("snapshot_not_kept:{}:compared_by_updated_at", since.name));
    }
    answer
}

/// What the places of the shown items are made of.
fn ranking(scene: &Scene<'_>, focus: &Focus) -> Rows<'static> {
    let number = |value: f64| json!((value * 10_000.0).round() / 10_000.0);
    let row = |relevant: &Relevant| {
        let mut row = Map::new();
        row.insert("id".to_owned(), scene.record(relevant.row).id().into());
        row.insert("score".to_owned(), number(relevant.score));
        let parts = SIGNALS.iter().zip(relevant.contributions);
        row.extend(parts.map(|((name, _), value)| ((*name).to_owned(), number(value))));
        row
    };
    let shown = scene.ranked.iter().filter(|relevant| focus.shows(relevant.row));
    Rows::ready(shown.map(row).collect())
}

/// Ways on when nothing is open; each can be run.
fn suggestions(scene: &Scene<'_>) -> Value {
    if scene.records.is_empty() {
        return json!([
            "pm create --title \"...\" --type Task",
            "pm create --title \"...\" --type Epic",
            "pm search \"...\"",
            "pm list --all"
        ]);
    }
    json!(["pm list --all", "pm list --status draft", "pm create --title \"...\" --type Task", "pm stats"])
}

fn completeness(records: &Records) -> Completeness {
    Completeness::of(records.unserved())
}

fn window_echo(plan: &Plan) -> Value {
    json!({"from": plan.window.from.map(timestamp::format), "to": plan.window.to.map(timestamp::format)})
}

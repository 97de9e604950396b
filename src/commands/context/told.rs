//! The answer of a context: the same lists with as many fields as fit.

use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::focus::{self, Focus, Level};
use super::plan::Plan;
use super::scene::{Scene, Since};
use super::sections::{self, Listing, Section};
use super::{Args, Call};
use crate::answer::{Answer, Completeness, Row, Rows};
use crate::domain::relevance::{Relevant, SIGNALS};
use crate::error::Result;
use crate::model::records::Record;
use crate::model::timestamp;

/// Everything that an answer may tell.
pub(super) struct Told<'a> {
    scene: Rc<Scene<'a>>,
    plan: Plan,
    focus: Focus,
    snapshot: String,
    agenda: Listing<'a>,
    sections: Vec<(Section, Listing<'a>)>,
    ranking: Option<Listing<'a>>,
    filters: Map<String, Value>,
    question: Value,
    warnings: Vec<String>,
    lean: bool,
}

impl<'a> Told<'a> {
    /// Finds what there is to tell.
    pub(super) fn of(
        args: Args,
        call: &'a Call,
        plan: Plan,
        scene: Rc<Scene<'a>>,
        snapshot: String,
    ) -> Result<Told<'a>> {
        let focus = Focus::of(&scene, &plan);
        let agenda = match scene.since {
            None => sections::agenda(&scene, &plan)?,
            Some(_) => Listing::of(Vec::new(), 0),
        };
        let listed = |section: &Section| {
            let columns = section.columns(&call.want.selectors);
            Ok((*section, section.listing(&scene, &plan, &focus, columns)?))
        };
        let sections = plan.sections.iter().map(listed).collect::<Result<Vec<_>>>()?;
        let ranking = args.explain_ranking.then(|| ranking(&scene, &plan, &focus));
        let filters = args.filters.echo();
        let question = json!({"filters": filters, "custom": call.custom, "since": args.since});
        Ok(Told {
            ranking,
            focus,
            snapshot,
            agenda,
            sections,
            filters,
            question,
            warnings: call.tracker()?.warnings().to_vec(),
            lean: call.want.lean,
            scene,
            plan,
        })
    }

    /// The answer, which gives up fields of the focus rows before it gives up rows.
    pub(super) fn answer(self: Rc<Self>) -> Answer<'a> {
        let level = self.focus.packed.map_or(Level::Full, |packed| packed.level);
        let answer = self.at(level);
        if self.focus.packed.is_some() {
            let fields = self.all_fields();
            return if level == Level::Full { answer } else { answer.lowered(level.name(), fields) };
        }
        self.or_fewer_fields(answer, level)
    }

    fn all_fields(&self) -> String {
        format!("--fields {}", self.plan.columns(Level::Full).join(","))
    }

    /// The answer, with those at lower levels behind it.
    fn or_fewer_fields(self: Rc<Self>, answer: Answer<'a>, level: Level) -> Answer<'a> {
        let fields = |level: Level| self.plan.columns(level).len();
        let lower =
            Level::ALL.into_iter().rev().find(|lower| *lower < level && fields(*lower) < fields(level));
        let Some(lower) = lower else { return answer };
        let all = self.all_fields();
        let make = move || {
            let answer = self.at(lower);
            Ok(self.or_fewer_fields(answer, lower))
        };
        answer.with_fewer_fields(lower.name(), make).restoring(all)
    }

    /// The answer with the fields of one level.
    fn at(&self, level: Level) -> Answer<'a> {
        let Told { scene, plan, focus, .. } = self;
        let mut answer = Answer::new()
            .value("snapshot", self.snapshot.as_str())
            .value("summary", Value::Object(scene.summary()));
        if let Some(since) = &scene.since {
            answer = changes(answer, scene, plan, since);
        }
        let list = |rows, packed| focus::list(scene, plan, rows, level, packed);
        answer = answer
            .rows("high_level", list(&focus.high, focus.packed.map(|packed| packed.high)))
            .rows("low_level", list(&focus.low, focus.packed.map(|packed| packed.low)));
        if !self.agenda.is_empty() {
            let counts = sections::agenda_summary(self.agenda.shown(plan));
            let group = Answer::new().echo("summary", Value::Object(counts));
            answer = answer.group("agenda", group.rows("events", self.agenda.rows(plan)));
        }
        for (section, listing) in &self.sections {
            answer = answer.rows(section.name(), listing.rows(plan));
        }
        if let Some(ranking) = &self.ranking {
            answer = answer.rows("ranking", ranking.rows(plan));
        }
        if scene.ranked.is_empty() && scene.since.is_none() {
            answer = answer.value("suggestions", suggestions(scene));
        }
        // What a lower level leaves out is in its receipt.
        if level == Level::Full || !self.lean {
            for section in Section::ALL.iter().filter(|section| !plan.sections.contains(section)) {
                answer = answer.omits(section.name(), &format!("--section {}", section.name()));
            }
        }
        let answer = answer
            .completeness(Completeness::of(scene.records.unserved()))
            .question(self.question.clone())
            .echo("depth", plan.depth)
            .echo("sections_included", plan.sections.iter().map(|section| section.name()).collect::<Vec<_>>())
            .echo("window", window_echo(plan))
            .echo("filters", Value::Object(self.filters.clone()))
            .echo("now", timestamp::format(scene.now));
        self.warnings.iter().fold(answer, |answer, warning| answer.warn(warning.clone()))
    }
}

/// What became of the items that changed and are not open any more.
fn changes<'a>(answer: Answer<'a>, scene: &Rc<Scene<'a>>, plan: &Plan, since: &Since) -> Answer<'a> {
    let most = plan.on_a_page();
    let over = |record: &Record<'_>| {
        scene.scope[record.number()] && since.is_changed(*record) && scene.blockers.is_over(record.number())
    };
    let finished: Vec<Record<'a>> = scene.records.iter().filter(over).collect();
    let removed = since.then.iter().flatten().filter(|(id, _)| scene.records.find(id).is_none());
    let removed: Vec<Value> = removed.map(|(id, _)| id.as_str().into()).collect();
    let mut answer = answer.value("since", since.name.as_str());
    if !finished.is_empty() {
        let rows = plan.listed(finished.len(), most, move |n| {
            let record = finished[n];
            Ok([("id", record.id()), ("title", record.title()), ("status", record.status())]
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value.into()))
                .collect())
        });
        answer = answer.rows("finished", rows);
    }
    if !removed.is_empty() {
        let page = Some(most).filter(|most| *most < usize::MAX);
        answer = answer.rows("removed", Rows::values(removed).limited(page).bounded());
    }
    if since.then.is_none() {
        answer = answer.warn(format!("snapshot_not_kept:{}:compared_by_updated_at", since.name));
    }
    answer
}

/// What the places of the items in focus are made of.
fn ranking<'a>(scene: &Rc<Scene<'a>>, plan: &Plan, focus: &Focus) -> Listing<'a> {
    let number = |value: f64| json!((value * 10_000.0).round() / 10_000.0);
    let row = |relevant: &Relevant| {
        let mut row: Row = Map::new();
        row.insert("id".to_owned(), scene.record(relevant.row).id().into());
        row.insert("score".to_owned(), number(relevant.score));
        let parts = SIGNALS.iter().zip(relevant.contributions);
        row.extend(parts.map(|((name, _), value)| ((*name).to_owned(), number(value))));
        row
    };
    let shown = scene.ranked.iter().filter(|relevant| focus.shows(relevant.row));
    Listing::of(Vec::new(), plan.on_a_page()).ready(shown.map(row).collect())
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

fn window_echo(plan: &Plan) -> Value {
    json!({"from": plan.window.from.map(timestamp::format), "to": plan.window.to.map(timestamp::format)})
}

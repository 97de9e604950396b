//! What a context shows, and how much of it.

use super::focus::{self, Level};
use super::sections::Section;
use super::{Args, Call};
use crate::answer::{Row, Rows};
use crate::domain::agenda::Window;
use crate::domain::dates;
use crate::domain::filter::values;
use crate::error::{Code, Error, Result};

/// Rows of each list, unless a number is asked for.
const ROWS: usize = 10;

/// The same under an intent.
const INTENT_ROWS: usize = 3;

/// How far the agenda looks ahead when nobody says so: 30 days.
const AHEAD_MS: i64 = 30 * 86_400_000;

/// Entries of the agenda in a brief context.
const AGENDA: usize = 3;

/// What is shown, and how much of it.
pub(super) struct Plan {
    pub(super) depth: &'static str,
    pub(super) sections: Vec<Section>,
    /// Whether the call says how many rows it wants: then each list has all its rows, on pages. Else it is a choice of
    /// the first ones.
    pub(super) asked: bool,
    /// Rows of each list, on a page or in all.
    pub(super) rows: usize,
    /// Rows of the agenda.
    pub(super) agenda: usize,
    /// How many of the newest changes there are to show, and whether the call said so.
    pub(super) activity_limit: usize,
    activity_named: bool,
    pub(super) stale_days: i64,
    pub(super) window: Window,
    /// What the focus rows may cost, in tokens, where the call says so.
    pub(super) tokens: Option<usize>,
    pub(super) fields: Vec<&'static str>,
    /// Whether the fields were named: then none of them is left out.
    pub(super) named_fields: bool,
}

const DEPTHS: &[&str] = &["brief", "standard", "deep", "full"];

impl Plan {
    pub(super) fn of(args: &Args, call: &Call) -> Result<Plan> {
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
        let rows = match asked {
            Some(rows) => rows,
            None if intent.is_some() => INTENT_ROWS,
            None if depth == "full" => usize::MAX,
            None => ROWS,
        };
        let number =
            |path: &str, fallback| usize::try_from(settings.number(path, fallback)).unwrap_or(usize::MAX);
        Ok(Plan {
            depth,
            sections,
            asked: call.want.asked,
            rows,
            agenda: if depth == "brief" && !on_agenda(args) { rows.min(AGENDA) } else { rows },
            activity_limit: args.activity_limit.unwrap_or_else(|| number("context.activity_limit", 10)),
            activity_named: args.activity_limit.is_some(),
            stale_days: stale_days(args, settings.number("context.stale_threshold_days", 7))?,
            window: window(args, call.clock.now())?,
            // With a purpose it bounds the whole answer.
            tokens: args.token_budget.filter(|_| intent.is_none()),
            named_fields: call.want.fields.is_some(),
            fields: focus::fields(call.want.fields.as_deref(), depth, &call.want.selectors)?,
        })
    }

    /// Rows of the newest changes.
    pub(super) fn activity_rows(&self) -> usize {
        if self.activity_named { self.activity_limit } else { self.activity_limit.min(self.rows) }
    }

    /// How many of so many rows belong to the answer, when a choice of them is the first `most`.
    pub(super) fn among(&self, total: usize, most: usize) -> usize {
        if self.asked { total } else { total.min(most) }
    }

    /// How many rows of a list a page shows of which all belong to the answer.
    pub(super) fn on_a_page(&self) -> usize {
        if self.asked { self.rows } else { usize::MAX }
    }

    /// The rows of a list, made one by one; a page of them shows `most`.
    pub(super) fn listed<'a>(
        &self,
        total: usize,
        most: usize,
        make: impl Fn(usize) -> Result<Row> + 'a,
    ) -> Rows<'a> {
        Rows::first(total, most, self.asked, make).bounded()
    }

    /// The fields of the focus rows at a level. Fields that were named are shown, or the row is not.
    pub(super) fn columns(&self, level: Level) -> Vec<&'static str> {
        let keep = |field: &&&str| self.named_fields || level.has(field);
        self.fields.iter().filter(keep).copied().collect()
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

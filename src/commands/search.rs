//! `pm search`.

use std::cmp::Reverse;

use serde_json::{Map, Value, json};

use crate::answer::{Answer, Completeness, Row, Rows};
use crate::contract::{Contract, Example, Tier, surfaces};
use crate::domain::filter::{Filter, FilterArgs, Ground, values};
use crate::domain::projection::{self, Projection};
use crate::domain::search::document::{Field, texts};
use crate::domain::search::excerpt::Matcher;
use crate::domain::search::question::Question;
use crate::domain::search::score::{Found, Hit, Searcher, WHOLE};
use crate::domain::search::words::folded;
use crate::domain::status_set::StatusSet;
use crate::error::{Code, Error, Result};
use crate::model::item::Item;
use crate::model::records::{Record, Records};
use crate::model::schema::Schema;
use crate::model::timestamp;
use crate::surface::{Command, Context};
use crate::tracker::Tracker;

/// Searches items.
pub(super) struct Search;

/// What a hit adds to the fields of its item.
const OF_HIT: &[&str] = &["score", "snippet", "matched_fields", "highlights", "rank", "why"];

/// The default projection: one line for each hit.
const COMPACT: &[&str] = &["id", "title", "status", "type", "priority", "score", "snippet"];

/// Hits of a page, when neither the call nor the tracker says how many.
const PAGE: u64 = 50;

/// The same for getting an overview.
const DISCOVERED: usize = 12;

/// Arguments of `pm search`.
#[derive(clap::Args, Default)]
pub(super) struct Args {
    /// Words, "phrases" in quotes, -words to leave out, and filters such as tag:ui or status:open
    #[arg(value_name = "WORDS", required = true)]
    keywords: Vec<String>,
    /// Whether any word will do (`or`), all are needed (`and`), or all as one phrase (`exact`)
    #[arg(long, value_name = "MODE")]
    match_mode: Option<String>,
    /// Keep items whose title is exactly this
    #[arg(long)]
    title_exact: bool,
    /// Keep items that hold this as one phrase
    #[arg(long)]
    phrase_exact: bool,
    /// Keep hits with at least this score, 0 to 1
    #[arg(long, value_name = "SCORE", allow_hyphen_values = true)]
    min_score: Option<String>,
    /// Say how many hits there are and show none
    #[arg(long)]
    count: bool,
    /// Search in linked files, documents and tests too
    #[arg(long)]
    include_linked: bool,
    /// `keyword`; `semantic` and `hybrid` need a provider and are answered by keywords without one
    #[arg(long, value_name = "MODE")]
    mode: Option<String>,
    /// The same as --mode semantic
    #[arg(long)]
    semantic: bool,
    /// The same as --mode hybrid
    #[arg(long)]
    hybrid: bool,
    /// How much meaning counts against words in a hybrid search, 0 to 1
    #[arg(long, value_name = "WEIGHT")]
    semantic_weight: Option<String>,
    /// Add the text around matches of each field
    #[arg(long, help_heading = "Fields")]
    highlight: bool,
    /// Show one line for each hit
    #[arg(long, help_heading = "Fields")]
    compact: bool,
    /// Show whole items
    #[arg(long, help_heading = "Fields")]
    full: bool,
    /// Show these fields, joined by commas
    #[arg(long, value_name = "FIELDS", help_heading = "Fields")]
    fields: Option<String>,
    /// Show what a purpose needs: `discover`
    #[arg(long = "for", value_name = "INTENT", help_heading = "Fields")]
    intent: Option<String>,
    /// The most tokens that the answer to `--for` may cost
    #[arg(long, value_name = "N", help_heading = "Fields")]
    token_budget: Option<String>,
    /// Show at most so many hits
    #[arg(long, value_name = "N", help_heading = "Page")]
    limit: Option<usize>,
    /// Continue after a page, with its `next_cursor`
    #[arg(long, value_name = "CURSOR", help_heading = "Page")]
    after: Option<String>,
    #[command(flatten)]
    filters: FilterArgs,
}

impl Command for Search {
    const CONTRACT: Contract = Contract {
        path: &["search"],
        about: "Search items",
        read_output: Some(surfaces::SEARCH),
        errors: &[
            Code::InvalidArgumentValue,
            Code::MissingRequiredArgument,
            Code::MissingRequiredOption,
            Code::UnknownFieldProjection,
            Code::UnknownContextIntent,
        ],
        examples: &[
            Example {
                about: "Any of these words, best match first",
                argv: &["search", "lock", "contention"],
            },
            Example {
                about: "A phrase in open bugs",
                argv: &["search", "\"merge queue\" type:Issue status:open"],
            },
            Example { about: "One word without another", argv: &["search", "connection -backoff"] },
        ],
        tier: Tier::Core,
        custom_flags: true,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(mut args: Args, context: &'a Context) -> Result<Answer<'a>> {
        check(&args)?;
        let tracker = context.tracker()?;
        let mut warnings = tracker.warnings().to_vec();
        let mode = mode(&args, &mut warnings)?;
        let question = question(&mut args, &mut warnings)?;
        let now = context.clock.now();
        let mut columns = Columns::choose(&args, context, tracker.schema())?;
        let Hits { mut found, named } = find(&args, &question, context, now, columns.explains())?;
        columns.named = named;
        let corrections = std::mem::take(&mut found.corrections);
        let total = found.hits.len();
        let mut answer = Answer::new().value("query", question.text.as_str());
        // Said when it is not what was asked for.
        answer = if warnings.is_empty() { answer.echo("mode", mode) } else { answer.value("mode", mode) };
        if !corrections.is_empty() {
            answer = answer.value("did_you_mean", corrected(&question.text, &corrections));
        }
        let records = tracker.records()?;
        let (names, echo, whole) = (columns.names(), columns.echo(), columns.projection == Projection::Whole);
        let digest = digest(&found.hits, records, args.highlight, whole);
        if args.count {
            answer = answer.rows("items", Rows::values(Vec::new()));
            answer = answer.value("count", total).value("total", total).value("count_only", true);
        } else {
            let hits: Vec<u32> = found.hits.iter().map(|hit| hit.row).collect();
            let id = move |n: usize| records.get(hits[n] as usize).map_or("", Record::id).to_owned();
            let mut rows = Rows::lazy(total, move |n| {
                columns.row(n, &found, &Matcher::new(&found.matched), records, tracker)
            })
            .digest(move || digest.clone())
            .named(id)
            .limited(Some(limit(&args, tracker)));
            if let Some(names) = names {
                rows = rows.columns(names);
            }
            answer = answer.rows("items", rows);
        }
        answer = answer
            .completeness(completeness(records))
            .question(
                json!({"query": question.text, "filters": args.filters.echo(), "custom": context.custom,
                "match": args.match_mode, "title": args.title_exact, "phrase": args.phrase_exact,
                "linked": args.include_linked, "least": args.min_score}),
            )
            .echo("filters", echo_filters(&args, context))
            .echo("projection", echo)
            .echo("now", timestamp::format(now));
        answer = warnings.into_iter().fold(answer, Answer::warn);
        Ok(if whole { answer } else { answer.omits("full_item_fields", "--output-include full") })
    }
}

/// Arguments that need each other.
fn check(args: &Args) -> Result<()> {
    if args.token_budget.is_some() && args.intent.is_none() {
        let message = "`--token-budget` has a meaning only with `--for`";
        return Err(Error::new(Code::MissingRequiredOption, message)
            .at("--token-budget")
            .fact("missing", vec!["--for"])
            .hint(format!("pm search {} --for discover --token-budget 1800", args.keywords.join(" "))));
    }
    match args.intent.as_deref().map(str::trim) {
        None | Some("discover") => Ok(()),
        Some(other) => {
            let mut error = values::illegal("--for", other, &["discover"]);
            error.code = Code::UnknownContextIntent;
            Err(error.hint(format!("pm search {} --for discover", args.keywords.join(" "))))
        }
    }
}

/// How the search is answered: by keywords, whatever was asked for.
fn mode(args: &Args, warnings: &mut Vec<String>) -> Result<&'static str> {
    const MODES: &[&str] = &["keyword", "semantic", "hybrid"];
    let asked = match args.mode.as_deref().map(str::trim) {
        _ if args.hybrid => "hybrid",
        _ if args.semantic => "semantic",
        None => "keyword",
        Some(mode) => {
            MODES.iter().find(|m| **m == mode).ok_or_else(|| values::illegal("--mode", mode, MODES))?
        }
    };
    if asked != "keyword" {
        warnings.push(format!("search_{asked}_fallback:no_embedding_provider:using_keyword_mode"));
    }
    let weight = args.semantic_weight.as_deref().map(|text| text.trim().parse::<f64>());
    if weight.is_some_and(|weight| !weight.is_ok_and(|weight| (0.0..=1.0).contains(&weight))) {
        warnings.push("search_hybrid_semantic_weight_override_invalid:using_settings_default".to_owned());
    }
    Ok("keyword")
}

/// The question, with its filters moved to the flags that mean the same.
fn question(args: &mut Args, warnings: &mut Vec<String>) -> Result<Question> {
    let question = Question::parse(&args.keywords.join(" "));
    for (field, value) in &question.filters {
        let filters = &mut args.filters;
        let single = matches!(*field, "parent");
        let taken = match *field {
            "tag" => &mut filters.tag,
            "status" => &mut filters.status,
            "type" => &mut filters.kind,
            "priority" => &mut filters.priority,
            "assignee" => &mut filters.assignee,
            "sprint" => &mut filters.sprint,
            "release" => &mut filters.release,
            _ => &mut Vec::new(),
        };
        if single && filters.parent.is_none() {
            filters.parent = Some(value.clone());
        } else if !single && taken.is_empty() {
            taken.push(value.clone());
        } else {
            warnings.push(format!("search_inline_filter_ignored:{field}:flag_takes_precedence"));
        }
    }
    if question.units.is_empty() {
        let typed = !question.text.trim().is_empty();
        let (code, message) = match (typed, question.filters.is_empty()) {
            (true, _) => {
                (Code::InvalidArgumentValue, "there is nothing to look for without a letter or a digit")
            }
            (false, false) => {
                (Code::MissingRequiredArgument, "the question has filters and no word to look for")
            }
            (false, true) => (Code::MissingRequiredArgument, "the question has no word"),
        };
        let mut error = Error::new(code, message).at("<keywords>").rejecting(args.keywords.join(" "));
        if let Some((field, value)) = question.filters.first() {
            error = error.hint(format!("pm list --all --{field} {value}"));
        }
        return Err(error.hint("pm search lock contention"));
    }
    let exact = match args.match_mode.as_deref().map(str::trim) {
        None | Some("or") => false,
        Some("and") => return Ok(question.requiring_all()),
        Some("exact") => true,
        Some(other) => return Err(values::illegal("--match-mode", other, &["or", "and", "exact"])),
    };
    Ok(if exact || args.phrase_exact { question.into_phrase() } else { question })
}

/// What a search found.
struct Hits {
    /// Best first.
    found: Found,
    /// The row of the item whose id was asked for.
    named: Option<u32>,
}

/// All hits.
fn find(args: &Args, question: &Question, context: &Context, now: i64, explains: bool) -> Result<Hits> {
    let tracker = context.tracker()?;
    let (schema, records) = (tracker.schema(), tracker.records()?);
    let prefix = tracker.settings().id_prefix();
    let ground = Ground { now, schema, prefix: &prefix };
    let filter = Filter::new(&args.filters, &context.custom, StatusSet::All, &ground)?;
    let selection = filter.over(records, schema);
    let least = least(args, tracker)?;
    let text = question.folded();
    let admits = |row: u32| {
        records.get(row as usize).is_some_and(|record| {
            selection.admits(record) && (!args.title_exact || folded(record.title()) == text)
        })
    };
    let mut found = tracker.search(&mut |corpus| {
        Searcher::new(corpus, args.include_linked).explaining(explains).find(question, &admits)
    })?;
    found.hits.retain(|hit| hit.score >= least);
    let named = named(&text, records, &prefix).filter(|record| selection.admits(*record));
    let named = named.map(|record| record.number() as u32);
    if let Some(row) = named {
        found.hits.retain(|hit| hit.row != row);
        found.hits.push(Hit { row, score: WHOLE });
        // Its id is what was asked for: nothing needs correcting.
        found.corrections.clear();
    }
    found.hits.sort_by_cached_key(|hit| {
        let record = records.get(hit.row as usize);
        (
            Some(hit.row) != named,
            Reverse(hit.score),
            record.is_some_and(|record| schema.statuses.is_terminal(record.status())),
            record.map(Record::priority),
            Reverse(record.and_then(Record::updated_ms)),
            // Rows are sorted by id.
            hit.row,
        )
    });
    Ok(Hits { found, named })
}

/// The ids that a search for these words gives, best first, as `pm search` orders them.
pub(super) fn ranked(words: &str, context: &Context) -> Result<Vec<String>> {
    let mut args = Args { keywords: vec![words.to_owned()], ..Args::default() };
    let question = question(&mut args, &mut Vec::new())?;
    let found = find(&args, &question, context, context.clock.now(), false)?.found;
    let records = context.tracker()?.records()?;
    let id = |hit: &Hit| records.get(hit.row as usize).map(|record| record.id().to_owned());
    Ok(found.hits.iter().filter_map(id).collect())
}

/// The item whose id the question is, with or without the prefix.
fn named<'a>(text: &str, records: &'a Records, prefix: &str) -> Option<Record<'a>> {
    let text = text.trim_start_matches('#');
    if text.contains(char::is_whitespace) {
        return None;
    }
    records.find(text).or_else(|| records.find(&format!("{prefix}{text}")))
}

/// The least score of a hit: that of the call, else that of the tracker when it is on our scale.
fn least(args: &Args, tracker: &Tracker) -> Result<u32> {
    let score = match args.min_score.as_deref() {
        None => tracker.settings().fraction("search.score_threshold", 0.0),
        Some(text) => match text.trim().parse::<f64>() {
            Ok(score) if score.is_finite() && score >= 0.0 => score,
            _ => return Err(values::illegal("--min-score", text, &["0", "0.5", "1"])),
        },
    };
    Ok((score.clamp(0.0, 2.0) * f64::from(WHOLE)).ceil() as u32)
}

fn limit(args: &Args, tracker: &Tracker) -> usize {
    let page =
        || usize::try_from(tracker.settings().number("search.max_results", PAGE)).unwrap_or(usize::MAX);
    let overview = (args.intent.is_some() && args.token_budget.is_none()).then_some(DISCOVERED);
    args.limit.or(overview).unwrap_or_else(page)
}

/// The question with its words as they were meant.
fn corrected(text: &str, corrections: &[(String, String)]) -> String {
    let meant = |piece: &str| {
        let known = corrections.iter().find(|(asked, _)| folded(piece) == *asked);
        known.map_or_else(|| piece.to_owned(), |(_, meant)| meant.clone())
    };
    text.split(' ').map(meant).collect::<Vec<_>>().join(" ")
}

/// Changes whenever a row would: the hits, their scores, their items.
fn digest(hits: &[Hit], records: &Records, highlight: bool, whole: bool) -> String {
    let mut bytes = Vec::with_capacity(hits.len() * 12 + 2);
    for hit in hits {
        bytes.extend_from_slice(&records.get(hit.row as usize).map_or(0, Record::digest).to_le_bytes());
        bytes.extend_from_slice(&hit.score.to_le_bytes());
    }
    bytes.extend([u8::from(highlight), u8::from(whole)]);
    format!("{:016x}", crate::model::checksum::checksum(&bytes))
}

fn completeness(records: &Records) -> Completeness {
    Completeness::of(records.unserved())
}

/// The `filters` of a full envelope.
fn echo_filters(args: &Args, context: &Context) -> Value {
    let mut echo = Map::new();
    echo.insert("mode".into(), "keyword".into());
    echo.insert("match_mode".into(), args.match_mode.as_deref().unwrap_or("or").into());
    echo.insert("status".into(), "all".into());
    echo.append(&mut args.filters.echo());
    for (key, set) in [
        ("include_linked", args.include_linked),
        ("title_exact", args.title_exact),
        ("phrase_exact", args.phrase_exact),
    ] {
        echo.insert(key.into(), set.into());
    }
    echo.insert("score_threshold".into(), args.min_score.as_deref().map_or(json!(0), Value::from));
    echo.insert("limit".into(), args.limit.into());
    echo.insert("runtime_filters".into(), json!(context.custom));
    Value::Object(echo)
}

/// What the rows show.
#[derive(Clone, Debug)]
struct Columns {
    mode: &'static str,
    projection: Projection,
    /// Fields of a hit that a flag adds: `--highlight`, `--explain`.
    added: Vec<&'static str>,
    /// Fields of the item that selectors name beside the whole of it, which the pipeline cuts afterwards.
    picked: Vec<String>,
    /// The row of the item whose id was asked for.
    named: Option<u32>,
}

impl Columns {
    /// The projection that was asked for, compact when none was.
    fn choose(args: &Args, context: &Context, schema: &Schema) -> Result<Columns> {
        let want = &context.want;
        let (mode, projection) = match (want.mode.as_deref(), &want.fields) {
            (Some("full"), _) => ("full", Projection::Whole),
            (None, Some(fields)) => ("fields", Projection::named(fields, OF_HIT, schema, "search")?),
            _ => ("compact", widened(&want.selectors, schema)),
        };
        let flags = [("highlights", args.highlight), ("why", context.globals.explain)];
        let added = flags.into_iter().filter(|(_, set)| *set).map(|(field, _)| field).collect();
        let whole = projection == Projection::Whole;
        let picked = want.selectors.iter().filter(|_| whole).filter_map(|name| item_field(name, schema));
        Ok(Columns { mode, projection, added, picked: picked.collect(), named: None })
    }

    /// Whether the rows say what their scores are made of.
    fn explains(&self) -> bool {
        self.added.contains(&"why")
            || self.names().is_some_and(|names| names.iter().any(|name| name == "why"))
    }

    fn names(&self) -> Option<Vec<String>> {
        let mut names = self.projection.fields()?.to_vec();
        for added in &self.added {
            if !names.iter().any(|name| name == added) {
                names.push((*added).to_owned());
            }
        }
        Some(names)
    }

    fn echo(&self) -> Value {
        json!({"mode": self.mode, "fields": self.names()})
    }

    fn row(
        &self,
        n: usize,
        found: &Found,
        matcher: &Matcher<'_>,
        records: &Records,
        tracker: &Tracker,
    ) -> Result<Row> {
        let hit = found.hits[n];
        let record = records.get(hit.row as usize).expect("a hit holds the number of a record");
        let mut item: Option<Item> = None;
        let mut row = Row::new();
        let Some(names) = self.names() else {
            let item = tracker.read_item(record.path().to_owned())?.item;
            let texts = texts(&item);
            row.insert("score".to_owned(), score(hit));
            row.insert("matched_fields".to_owned(), self.matched_fields(hit, matcher, &texts));
            for added in &self.added {
                let value = match *added {
                    "why" => self.why(hit, found).into(),
                    _ => highlights(matcher, &texts),
                };
                row.insert((*added).to_owned(), value);
            }
            let picked = self.picked.iter().map(|name| (name.clone(), projection::field(&item, name)));
            row.extend(picked.collect::<Row>());
            row.shift_insert(0, "item".to_owned(), Value::Object(item.metadata));
            return Ok(row);
        };
        for name in names {
            let known = match name.as_str() {
                "score" => Some(score(hit)),
                "rank" => Some((n + 1).into()),
                "why" => Some(self.why(hit, found).into()),
                _ => projection::from_record(record, &name),
            };
            let value = match known {
                Some(value) => value,
                None => {
                    if item.is_none() {
                        item = Some(tracker.read_item(record.path().to_owned())?.item);
                    }
                    item.as_ref().map_or(Value::Null, |item| self.of_item(item, &name, hit, matcher))
                }
            };
            row.insert(name, value);
        }
        Ok(row)
    }
}

impl Columns {
    /// A field that only the item itself knows.
    fn of_item(&self, item: &Item, name: &str, hit: Hit, matcher: &Matcher<'_>) -> Value {
        match name {
            "snippet" => matcher.snippet(&texts(item)).into(),
            "matched_fields" => self.matched_fields(hit, matcher, &texts(item)),
            "highlights" => highlights(matcher, &texts(item)),
            _ => projection::field(item, name),
        }
    }

    /// What the score is made of; the numbers add up to it.
    fn why(&self, hit: Hit, found: &Found) -> String {
        if self.named == Some(hit.row) {
            return "(id) 1".to_owned();
        }
        let part = |(name, part): (&str, u32)| format!("{name} {}", f64::from(part) / f64::from(WHOLE));
        found.parts(hit).into_iter().map(part).collect::<Vec<_>>().join(" + ")
    }

    fn matched_fields(&self, hit: Hit, matcher: &Matcher<'_>, texts: &[(Field, &str)]) -> Value {
        if self.named == Some(hit.row) { json!(["id"]) } else { json!(matcher.fields(texts)) }
    }
}

/// The field of an item that a selector of a row names.
fn item_field(selector: &str, schema: &Schema) -> Option<String> {
    let name = selector.strip_prefix("items.").unwrap_or(selector);
    let name = name.split('.').next().unwrap_or(name);
    projection::is_field(name, &[], schema).then(|| name.to_owned())
}

/// The compact projection and the fields that selectors name beyond it.
fn widened(selectors: &[String], schema: &Schema) -> Projection {
    let mut fields: Vec<String> = COMPACT.iter().map(|field| (*field).to_owned()).collect();
    for selector in selectors {
        let name = selector.rsplit('.').next().unwrap_or(selector);
        if projection::is_field(name, OF_HIT, schema) && !fields.iter().any(|known| known == name) {
            fields.push(name.to_owned());
        }
    }
    Projection::Fields(fields)
}

fn highlights(matcher: &Matcher<'_>, texts: &[(Field, &str)]) -> Value {
    let highlight = |(field, snippet): (&str, String)| json!({"field": field, "snippet": snippet});
    matcher.highlights(texts).into_iter().map(highlight).collect()
}

/// 0 to 1, four digits.
fn score(hit: Hit) -> Value {
    json!(f64::from(hit.score) / f64::from(WHOLE))
}

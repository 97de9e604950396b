//! From what was typed to what holds: canonical control, older flag, intent, default, in this order (seed 001).

use serde_json::{Value, json};

use super::args::OutputArgs;
use super::cursor::{self, Cursor, Given};
use super::hint;
use super::intent;
use super::render::Format;
use super::session::Session;
use crate::contract::{Alias, Budget, Contract, Dimension, Effect, ReadOutput, Want};
use crate::error::{Code, Error, Result};

/// Who set the ceiling that binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetSource {
    /// `--output-budget`.
    Canonical,
    /// An older flag: `--token-budget`.
    Legacy,
    /// An intent or a completeness spelling.
    Intent,
    /// The surface's default ceiling.
    Default,
    /// What is left of the session.
    Session,
    /// The most that an answer of the retrieval contract may cost.
    Response,
}

impl BudgetSource {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            BudgetSource::Canonical => "canonical",
            BudgetSource::Legacy => "legacy",
            BudgetSource::Intent => "intent",
            BudgetSource::Default => "default",
            BudgetSource::Session => "session",
            BudgetSource::Response => "kb_response_ceiling",
        }
    }
}

/// The ceiling that binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ceiling {
    /// In tokens; none when unbounded.
    pub tokens: Option<u64>,
    /// Who set it.
    pub source: BudgetSource,
    /// So many of them are for the identities that a session brings along, beyond what an answer has room for.
    pub carried: u64,
}

/// How many descriptive keys stand around the rows (product.md §3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Envelope {
    /// Only what is true and useful.
    #[default]
    Lean,
    /// All keys of the reference, in its order.
    Full,
}

/// An amount as written: a number, or everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// So many.
    Some(u64),
    /// All.
    Unbounded,
}

impl Amount {
    /// The number, none when unbounded.
    pub fn number(self) -> Option<u64> {
        match self {
            Amount::Some(n) => Some(n),
            Amount::Unbounded => None,
        }
    }
}

/// The resolved controls of one call.
#[derive(Clone, Debug)]
pub struct Controls {
    /// What the command should compute.
    pub want: Want,
    /// The encoding or view.
    pub format: Format,
    /// The envelope.
    pub envelope: Envelope,
    /// `--lean`: nulls and empty containers go, JSON is not indented.
    pub stripped: bool,
    /// The ceiling of the call, the session left out.
    pub ceiling: Ceiling,
    /// `--output-limit`.
    pub limit: Option<Amount>,
    /// Continues a collection by position; from either flag.
    pub rows_cursor: Option<Cursor>,
    /// Continues a page of items; from either flag.
    pub item_cursor: Option<Cursor>,
    /// `--output-cursor` was given.
    pub continued: bool,
    /// The cursor that was given, to either flag.
    pub(super) given_cursor: Option<Given>,
    /// A cursor that is none, where the contract wants everything else checked before it.
    pub(super) unread_cursor: Option<Given>,
    /// What `--output-budget` asked for, where the surface allows less.
    pub overridden_budget: Option<Amount>,
    /// The call without its presentation: what item cursors are bound to when the answer states no question.
    pub question: Value,
    /// The session, when there is one.
    pub session: Option<Session>,
    /// `--output-row-contract`.
    pub row_contract: bool,
    /// `--output-include` was given.
    pub include_given: bool,
    /// The dimensions that were asked for.
    pub requested: Vec<&'static str>,
    /// The canonical controls that were typed, of the four dimensions.
    pub canonical_used: Vec<&'static str>,
    /// The older flags that were typed.
    pub legacy_used: Vec<&'static str>,
    /// What to write instead of them.
    pub migration_hints: Vec<String>,
    /// The read surface, none for a mutation.
    pub surface: Option<ReadOutput>,
    /// A result that was asked for in full.
    pub complete: bool,
}

/// Resolves the controls of a call.
///
/// Errors: `invalid_argument_value`, `invalid_read_output_session`, `read_output_cursor_invalid`,
/// `invalid_query_cursor`, `projection_options_mutually_exclusive`, and `output_control_not_applicable` when the
/// call changes something; all of them before anything is read.
pub fn resolve(contract: &Contract, args: &OutputArgs) -> Result<Controls> {
    let surface = contract.read_output.filter(|_| !mutates(contract.effect, args));
    if surface.is_none() {
        refuse_controls(contract, args)?;
    }
    let include = args.include.as_deref().map(tokens).transpose()?;
    let limit = args.limit.as_deref().map(|text| amount("--output-limit", text)).transpose()?;
    let budget = args.budget.as_deref().map(|text| amount("--output-budget", text)).transpose()?;
    let format = format(surface.as_ref(), args)?;
    let session = args.session.as_deref().map(Session::parse).transpose()?;
    let retrieval = surface.and_then(|surface| surface.retrieval);
    let given_cursor = given_cursor(surface.as_ref(), args)?;
    let (cursors, unread_cursor) = match cursors(surface.as_ref(), given_cursor.as_ref()) {
        Err(_) if retrieval.is_some() => (Cursors::default(), given_cursor.clone()),
        cursors => (cursors?, None),
    };
    let Cursors { rows: rows_cursor, item: item_cursor, own } = cursors;
    let aliases = surface.map_or(&[][..], |s| s.aliases);
    let typed: Vec<&'static Alias> = aliases.iter().filter(|alias| stands_for(alias, args)).collect();
    let (mode, selectors) = mode(surface.as_ref(), include.as_deref().unwrap_or_default(), &typed)?;
    let complete = surface.is_some_and(|s| complete(&s, mode.as_deref(), args));
    let intent = args.value("--for").map(str::to_owned);
    if intent.is_some() {
        intent_budget(aliases, args)?;
    }
    let ceiling = ceiling(surface.as_ref(), budget, args, complete, intent.as_deref(), format);
    let envelope = if retrieval.is_some() { Envelope::Lean } else { envelope(args, format) };
    let want_mode = mode.clone();
    let want = Want {
        mode,
        fields: args.value("--fields").filter(|_| surface.is_some() && include.is_none()).map(csv),
        selectors,
        intent,
        budget: ceiling.tokens,
        after: own,
        limit: limit.and_then(Amount::number).and_then(|n| usize::try_from(n).ok()),
        lean: envelope == Envelope::Lean,
        unbounded: limit == Some(Amount::Unbounded),
        continued: args.cursor.is_some(),
        asked: limit.is_some() || matches!(rows_cursor, Some(Cursor::Rows { asked: true, .. })),
    };
    let canonical_used = used(args);
    Ok(Controls {
        want,
        format,
        envelope,
        stripped: args.lean,
        ceiling,
        limit,
        rows_cursor,
        item_cursor,
        continued: args.cursor.is_some(),
        given_cursor,
        unread_cursor,
        overridden_budget: budget.filter(|_| ceiling.source == BudgetSource::Response),
        question: question(args, aliases, want_mode.as_deref()),
        session,
        row_contract: args.row_contract,
        include_given: include.is_some(),
        requested: requested(args, &typed, ceiling.source, &canonical_used),
        canonical_used,
        legacy_used: typed.iter().map(|alias| alias.flag).collect(),
        migration_hints: typed.iter().map(|alias| hint::migration(alias)).collect(),
        surface,
        complete,
    })
}

/// Whether an older flag was typed as one: `--format graph` of `deps` and `--format csv` are no encodings.
fn stands_for(alias: &Alias, args: &OutputArgs) -> bool {
    let encodes = alias.flag != "--format" || usable(alias, args.value(alias.flag));
    args.has(alias.flag) && encodes
}

/// The cursors that were given, by kind.
#[derive(Default)]
struct Cursors {
    rows: Option<Cursor>,
    item: Option<Cursor>,
    /// One that the command reads.
    own: Option<String>,
}

/// The cursor that was given: to `--output-cursor` or to `--after`.
///
/// Errors: `conflicting_arguments` when two places are named where the page begins.
fn given_cursor(surface: Option<&ReadOutput>, args: &OutputArgs) -> Result<Option<Given>> {
    let given = |flag, text: Option<&str>| Some(Given { flag, text: text?.to_owned() });
    let after = args.value("--after").filter(|_| surface.is_some());
    let (after, own) = (given("--after", after), given("--output-cursor", args.cursor.as_deref()));
    let other = match (&after, &own) {
        (Some(_), Some(_)) => Some("--after"),
        (None, Some(_)) if args.has("--offset") => Some("--offset"),
        (Some(_), None) if args.has("--offset") => Some("--offset"),
        _ => None,
    };
    let both = own.or(after);
    match (other, &both) {
        (Some(other), Some(given)) => {
            let message = format!("`{}` and `{other}` both say where the page begins; give one", given.flag);
            let shown = args.value(other).unwrap_or_default();
            Err(Error::new(Code::ConflictingArguments, message).at(other).rejecting(shown))
        }
        _ => Ok(both),
    }
}

fn cursors(surface: Option<&ReadOutput>, given: Option<&Given>) -> Result<Cursors> {
    let mut found = Cursors::default();
    let Some(given) = given else { return Ok(found) };
    let text = given.text.trim();
    let own = |s: &ReadOutput| s.stream || s.catalog.is_some_and(|catalog| catalog.own_cursor);
    if surface.is_some_and(own) && !text.is_empty() && Cursor::decode(text).is_none() {
        found.own = Some(text.to_owned());
        return Ok(found);
    }
    match cursor::parse(given)? {
        cursor @ Cursor::Rows { .. } => found.rows = Some(cursor),
        cursor @ Cursor::Item { .. } => found.item = Some(cursor),
    }
    Ok(found)
}

/// What was typed, presentation left out; the mode counts, whichever way it was spelled.
fn question(args: &OutputArgs, aliases: &[Alias], mode: Option<&str>) -> Value {
    let spells_mode = |flag: &str| mode.is_some_and(|mode| flag.strip_prefix("--") == Some(mode));
    let presentation = |flag: &str| {
        aliases.iter().any(|alias| alias.flag == flag && alias.dimension != Dimension::Include)
            || spells_mode(flag)
            || matches!(flag, "--for" | "--quiet" | "--json" | "--author" | "--session")
    };
    let mut typed: Vec<_> = args.typed.iter().filter(|typed| !presentation(&typed.flag)).collect();
    typed.sort_by(|a, b| a.flag.cmp(&b.flag));
    let mode = mode.map(|mode| json!(["mode", mode]));
    typed.into_iter().map(|typed| json!([typed.flag, typed.value])).chain(mode).collect()
}

/// Lean unless all was asked for; a stream begins with the question.
fn envelope(args: &OutputArgs, format: Format) -> Envelope {
    let full = args.full_envelope || args.defaults.full_envelope && !args.lean || format == Format::Stream;
    if full { Envelope::Full } else { Envelope::Lean }
}

/// Whether this call of a command changes something.
fn mutates(effect: Effect, args: &OutputArgs) -> bool {
    match effect {
        Effect::Reads => false,
        Effect::Writes => true,
        Effect::Hybrid(options) => options.iter().any(|option| args.has(option)),
    }
}

fn refuse_controls(contract: &Contract, args: &OutputArgs) -> Result<()> {
    let Some(control) = args.controls().into_iter().next() else { return Ok(()) };
    let name = contract.path.join(" ");
    let message = if contract.read_output.is_some() {
        format!("`{control}` belongs to reads; this call of `pm {name}` changes something")
    } else {
        format!("`{control}` belongs to reads; `pm {name}` is none")
    };
    Err(Error::new(Code::OutputControlNotApplicable, message)
        .at(control)
        .fact("allowed_controls", vec!["--output-format"])
        .hint(format!("pm {name} --help")))
}

/// The tokens of a csv, trimmed, without empty and repeated ones.
fn csv(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for token in text.split(',').map(str::trim).filter(|token| !token.is_empty()) {
        if !all.iter().any(|other| other == token) {
            all.push(token.to_owned());
        }
    }
    all
}

fn tokens(text: &str) -> Result<Vec<String>> {
    let all = csv(text);
    if all.is_empty() {
        return Err(refused("--output-include", "needs at least one field, section or mode", text)
            .hint("pm list --output-include id,title"));
    }
    Ok(all)
}

fn refused(flag: &str, problem: &str, value: &str) -> Error {
    Error::new(Code::InvalidArgumentValue, format!("{flag} {problem}")).at(flag).rejecting(value)
}

/// The largest number that every reader of JSON keeps exact.
pub(super) const MAX_SAFE: u64 = 9_007_199_254_740_991;

fn amount(flag: &str, text: &str) -> Result<Amount> {
    let text = text.trim();
    if text == "unbounded" {
        return Ok(Amount::Unbounded);
    }
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match text.parse::<u64>() {
        Ok(n) if digits && n > 0 && n <= MAX_SAFE => Ok(Amount::Some(n)),
        _ => Err(refused(flag, "must be a positive integer or unbounded", text)
            .fact("allowed_values", vec!["unbounded", "<positive integer>"])
            .hint(format!("pm list {flag} unbounded"))),
    }
}

/// `--stream`, which is a way to write JSON.
///
/// Errors: `missing_required_option` without `--json`, `conflicting_arguments` beside a view.
fn stream(args: &OutputArgs) -> Result<Format> {
    let view = args.value("--format").filter(|format| !matches!(*format, "json"));
    if let Some(view) = view {
        let message = format!("`--stream` writes JSON lines, `--format {view}` something else");
        return Err(Error::new(Code::ConflictingArguments, message).at("--stream").rejecting(view));
    }
    if !args.json && !args.defaults.library && args.format.as_deref() != Some("json") {
        let message = "`--stream` has a meaning only with `--json`";
        return Err(Error::new(Code::MissingRequiredOption, message)
            .at("--stream")
            .fact("missing", vec!["--json"])
            .hint("pm list --json --stream"));
    }
    Ok(Format::Stream)
}

/// `--follow`, whose answer has no end: lines of JSON, which nothing measures.
///
/// Errors: `conflicting_arguments` beside another encoding, a budget, a session, or all rows at once.
fn follow(args: &OutputArgs) -> Result<Format> {
    let encoding = args.format.as_deref().filter(|format| *format != "json");
    let view = args.value("--format").filter(|format| !matches!(*format, "json" | "ndjson"));
    let others = [
        ("--output-format", encoding),
        ("--format", view),
        ("--output-budget", args.budget.as_deref()),
        ("--output-limit", args.limit.as_deref().filter(|limit| *limit == "unbounded")),
        ("--output-session", args.session.as_deref()),
    ];
    match others.into_iter().find_map(|(flag, value)| Some((flag, value?))) {
        None => Ok(Format::Trailed),
        Some((flag, value)) => {
            let message =
                format!("`--follow` writes lines of JSON without end; `{flag}` has no meaning there");
            Err(Error::new(Code::ConflictingArguments, message).at(flag).rejecting(value))
        }
    }
}

/// The encoding or view, strongest first (product.md §3.5).
fn format(surface: Option<&ReadOutput>, args: &OutputArgs) -> Result<Format> {
    let streams = surface.is_some_and(|surface| surface.stream);
    // An answer of these contracts looks the same in a terminal and in a pipe: only the call asks for a view.
    let steady = surface.is_some_and(|surface| surface.retrieval.is_some() || surface.catalog.is_some());
    if streams && args.has("--follow") {
        return follow(args);
    }
    if args.has("--stream") {
        return stream(args);
    }
    if let Some(text) = &args.format {
        return match text.as_str() {
            "toon" => Ok(Format::Toon),
            "json" => Ok(Format::Json),
            _ => Err(refused("--output-format", "must be toon or json", text)
                .fact("allowed_values", vec!["toon", "json"])
                .hint("pm list --output-format json")),
        };
    }
    if args.json {
        return Ok(Format::Json);
    }
    if args.defaults.library {
        return Ok(Format::Compact);
    }
    let weaker = [
        args.value("--format"),
        args.defaults.setting_format.as_deref(),
        args.defaults.environment_format.as_deref(),
    ];
    let mut named = weaker.into_iter().flatten().find_map(Format::named);
    if let Some(text) = args.defaults.environment_format.as_deref().filter(|text| !text.trim().is_empty())
        && named.is_none()
    {
        return Err(refused("PM_OUTPUT_FORMAT", "names no format", text)
            .fact("allowed_values", Format::ALL.iter().map(|format| format.name()).collect::<Vec<_>>()));
    }
    // A view has no place for the state that a session hands on, nor for a contract.
    let told = [("--output-session", args.session.is_some()), ("--output-row-contract", args.row_contract)];
    let told = told.into_iter().find_map(|(flag, given)| given.then_some(flag));
    let is_view = |format: &Format| !matches!(format, Format::Toon | Format::Json) && !streams;
    if let Some(control) = told
        && named.as_ref().is_some_and(is_view)
    {
        if let Some(view) = args.value("--format").filter(|text| Format::named(text).is_some()) {
            let message =
                format!("`{control}` is answered in the envelope, which `--format {view}` does not show");
            return Err(Error::new(Code::ConflictingArguments, message)
                .at("--format")
                .rejecting(view)
                .fact("allowed_values", vec!["toon", "json"]));
        }
        named = None;
    }
    let view = args.defaults.terminal && told.is_none() && !steady;
    if steady && args.value("--format").is_none() {
        named = named.filter(|format| matches!(format, Format::Toon | Format::Json));
    }
    Ok(match named {
        Some(Format::Ndjson) if streams => Format::Trailed,
        Some(format) => format,
        None if view => Format::Table,
        None if streams => Format::Trailed,
        None => Format::Toon,
    })
}

/// The projection mode and the selectors that are left.
///
/// A mode of `--output-include` is stronger than an older flag for another one, and fields of it are stronger than
/// `--fields`. Fields beside the older flag of a mode narrow that mode.
fn mode(
    surface: Option<&ReadOutput>,
    include: &[String],
    typed: &[&Alias],
) -> Result<(Option<String>, Vec<String>)> {
    let modes = surface.map_or(&[][..], |s| s.modes);
    let is_mode = |name: &str| modes.contains(&name);
    let (mut distinct, selectors): (Vec<String>, Vec<String>) =
        include.iter().cloned().partition(|token| is_mode(token));
    if distinct.is_empty() {
        for alias in typed.iter().filter(|alias| alias.dimension == Dimension::Include) {
            let name = alias.flag.trim_start_matches('-');
            let fields = name == "fields" && !modes.is_empty() && include.is_empty();
            if (is_mode(name) || fields) && !distinct.iter().any(|known| known == name) {
                distinct.push(name.to_owned());
            }
        }
    }
    if let [first, second, ..] = distinct.as_slice() {
        return Err(two_modes(surface, include, first, second));
    }
    Ok((distinct.into_iter().find(|name| name != "fields"), selectors))
}

fn two_modes(surface: Option<&ReadOutput>, include: &[String], first: &str, second: &str) -> Error {
    let spelling = |name: &str| match name {
        "fields" => "--fields".to_owned(),
        _ => format!("--output-include {name}"),
    };
    let name = surface.map_or("list", |s| s.surface);
    let included = include.iter().any(|token| token == second);
    Error::new(
        Code::ProjectionOptionsMutuallyExclusive,
        format!("`{first}` and `{second}` are two projections; one can hold"),
    )
    .at(if included { "--output-include".to_owned() } else { format!("--{second}") })
    .rejecting(second)
    .fact("projection_modes", surface.map_or(&[][..], |s| s.modes).to_vec())
    .hint(format!("pm {name} {}", spelling(first)))
    .hint(format!("pm {name} {}", spelling(second)))
}

/// Whether the call spells a complete result, which defeats the default ceiling only (product.md §3.6).
fn complete(surface: &ReadOutput, mode: Option<&str>, args: &OutputArgs) -> bool {
    args.has("--no-truncate")
        || args.has("--unbounded")
        || (surface.surface == "list" && args.has("--all"))
        || mode.is_some_and(|mode| surface.complete_modes.contains(&mode))
}

/// The smallest budget of a purpose.
const LEAST_OF_INTENT: u64 = 256;

/// Refuses a budget of a purpose that no answer to it fits in.
fn intent_budget(aliases: &[Alias], args: &OutputArgs) -> Result<()> {
    for flag in aliases.iter().filter(|alias| alias.dimension == Dimension::Cost).map(|alias| alias.flag) {
        let Some(text) = args.value(flag).map(str::trim) else { continue };
        let number = amount(flag, text).ok().and_then(Amount::number);
        if number.is_none_or(|number| number < LEAST_OF_INTENT) {
            let problem = format!("must be an integer of at least {LEAST_OF_INTENT}");
            return Err(refused(flag, &problem, text)
                .fact("allowed_values", vec!["<integer of at least 256>"])
                .fact("least", LEAST_OF_INTENT));
        }
    }
    Ok(())
}

fn ceiling(
    surface: Option<&ReadOutput>,
    budget: Option<Amount>,
    args: &OutputArgs,
    complete: bool,
    intent: Option<&str>,
    format: Format,
) -> Ceiling {
    let bound = |tokens, source| Ceiling { tokens, source, carried: 0 };
    let Some(surface) = surface else { return bound(None, BudgetSource::Default) };
    let most = surface.retrieval.and_then(|retrieval| retrieval.ceiling);
    if let Some(budget) = budget {
        return match most {
            Some(most) if budget.number().is_none_or(|asked| asked > most) => {
                bound(Some(most), BudgetSource::Response)
            }
            _ => bound(budget.number(), BudgetSource::Canonical),
        };
    }
    match surface.budget {
        Budget::Documents => return bound(Some(surface.budget.toon()), BudgetSource::Default),
        Budget::Document => return bound(None, BudgetSource::Default),
        _ => {}
    }
    let legacy = surface.aliases.iter().filter(|alias| alias.dimension == Dimension::Cost);
    let legacy = legacy.filter_map(|alias| args.value(alias.flag)).find_map(|text| text.parse().ok());
    // Without a purpose these take it for what their rows may cost, and pack by it themselves.
    let packs = matches!(surface.surface, "context" | "deps" | "next") && intent.is_none();
    if let Some(tokens) = legacy.filter(|n| *n > 0 && !packs) {
        return bound(Some(tokens), BudgetSource::Legacy);
    }
    if complete {
        return bound(None, BudgetSource::Intent);
    }
    if let Some(tokens) = intent.and_then(|name| intent::budget(surface.surface, name)) {
        return bound(Some(tokens), BudgetSource::Intent);
    }
    match format {
        Format::Toon | Format::Compact => bound(Some(surface.budget.toon()), BudgetSource::Default),
        Format::Json if args.defaults.tool => bound(Some(surface.budget.toon()), BudgetSource::Default),
        Format::Json => bound(Some(surface.budget.json()), BudgetSource::Default),
        // Views are for people and spreadsheets: nobody pays for them by the token unless asked.
        _ => bound(None, BudgetSource::Default),
    }
}

/// The canonical controls of the four dimensions that were typed.
fn used(args: &OutputArgs) -> Vec<&'static str> {
    [
        ("--output-include", args.include.is_some()),
        ("--output-limit", args.limit.is_some()),
        ("--output-budget", args.budget.is_some()),
        ("--output-format", args.format.is_some()),
    ]
    .into_iter()
    .filter_map(|(flag, given)| given.then_some(flag))
    .collect()
}

/// The dimensions that were asked for, by whatever spelling.
fn requested(
    args: &OutputArgs,
    typed: &[&Alias],
    cost: BudgetSource,
    canonical: &[&'static str],
) -> Vec<&'static str> {
    let legacy = |dimension| {
        typed.iter().any(|alias| alias.dimension == dimension && usable(alias, args.value(alias.flag)))
    };
    [
        ("include", canonical.contains(&"--output-include") || legacy(Dimension::Include)),
        ("amount", canonical.contains(&"--output-limit") || legacy(Dimension::Amount)),
        ("cost", !matches!(cost, BudgetSource::Default)),
        ("encoding", canonical.contains(&"--output-format") || legacy(Dimension::Encoding)),
    ]
    .into_iter()
    .filter_map(|(name, asked)| asked.then_some(name))
    .collect()
}

/// Whether an older flag's value means something to its dimension.
fn usable(alias: &Alias, value: Option<&str>) -> bool {
    match alias.dimension {
        Dimension::Include | Dimension::Cost => true,
        Dimension::Amount => match alias.flag {
            "--no-truncate" | "--unbounded" => true,
            _ => value.is_some_and(|v| v.parse::<u64>().is_ok_and(|n| n > 0)),
        },
        Dimension::Encoding => alias.flag != "--format" || matches!(value, Some("toon" | "json")),
    }
}

impl Controls {
    /// Whether the surface is one of the retrieval contract.
    pub(crate) fn is_retrieval(&self) -> bool {
        self.surface.is_some_and(|surface| surface.retrieval.is_some())
    }

    /// The ceiling that binds, the session considered.
    ///
    /// Every answer of a session hands on the identities that it was given. A ceiling that nobody asked for bounds the
    /// answer, not the state of the caller: what the state costs beyond a quarter of it is added to it.
    pub(crate) fn binding(&self) -> Ceiling {
        let Some(session) = &self.session else { return self.ceiling };
        let mut ceiling = self.ceiling;
        if let (Some(tokens), BudgetSource::Default | BudgetSource::Intent) = (ceiling.tokens, ceiling.source)
        {
            ceiling.carried = session.carried_tokens(self.format, self.stripped).saturating_sub(tokens / 4);
            ceiling.tokens = Some(tokens + ceiling.carried);
        }
        let remaining = session.remaining();
        match ceiling.tokens {
            Some(tokens) if tokens <= remaining => ceiling,
            _ => Ceiling { tokens: Some(remaining), source: BudgetSource::Session, carried: 0 },
        }
    }

    /// The canonical spelling of the resolved dimensions, for callers of the library: `{include, amount, cost,
    /// encoding}`, each `{value, source}`; absent where nothing holds.
    pub fn dimensions(&self) -> Value {
        let mut all = serde_json::Map::new();
        let mut set = |name: &str, value: Value, source: &str| {
            all.insert(name.to_owned(), json!({"value": value, "source": source}));
        };
        if self.include_given {
            let mut tokens: Vec<String> = self.want.mode.iter().cloned().collect();
            tokens.extend(self.want.selectors.iter().cloned());
            set("include", tokens.into(), "canonical");
        } else if let Some(mode) = &self.want.mode {
            set("include", vec![mode.clone()].into(), "legacy");
        } else if let Some(fields) = &self.want.fields {
            set("include", fields.clone().into(), "legacy");
        }
        if let Some(limit) = self.limit {
            set("amount", limit.number().map_or("unbounded".into(), Value::from), "canonical");
        }
        let cost = self.ceiling.tokens.map_or("unbounded".into(), Value::from);
        set("cost", cost, self.ceiling.source.as_str());
        if self.canonical_used.contains(&"--output-format") {
            set("encoding", self.format.name().into(), "canonical");
        }
        Value::Object(all)
    }
}

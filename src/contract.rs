//! What a surface promises: constant data, no behaviour.

pub mod surfaces;

use serde_json::Value;

use crate::error::Code;

/// Whether a command changes the tracker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It reads.
    Reads,
    /// It writes.
    Writes,
    /// It reads, and writes when one of these options is given.
    Hybrid(&'static [&'static str]),
}

/// The default ceilings of a surface, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// 4,000 in TOON, 6,000 in JSON.
    Read,
    /// 6,000 and 9,000.
    Governance,
    /// 3,000 and 4,500.
    Discovery,
    /// 2,000 and 3,000.
    Mutation,
    /// 24,000 in every encoding: many documents (disclosure.md §7).
    Documents,
    /// None: one document, asked for by its name.
    Document,
}

impl Budget {
    /// The ceiling in TOON; also that of library callers who name no encoding.
    pub const fn toon(self) -> u64 {
        match self {
            Budget::Read => 4_000,
            Budget::Governance => 6_000,
            Budget::Discovery => 3_000,
            Budget::Mutation => 2_000,
            Budget::Documents => 24_000,
            Budget::Document => 9_007_199_254_740_991,
        }
    }

    /// The ceiling in JSON: half as much again.
    pub const fn json(self) -> u64 {
        match self {
            Budget::Documents | Budget::Document => self.toon(),
            _ => (self.toon() * 3).div_ceil(2),
        }
    }

    /// The name of the class.
    pub const fn class(self) -> &'static str {
        match self {
            Budget::Read => "read",
            Budget::Governance => "governance",
            Budget::Discovery => "discovery",
            Budget::Mutation => "mutation",
            Budget::Documents => "documents",
            Budget::Document => "document",
        }
    }
}

/// What compaction keeps first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// The first rows.
    Prefix,
    /// Failing verdicts before passing ones.
    VerdictPriority,
}

/// Which dimension of the read output an older flag stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// What to include.
    Include,
    /// How much.
    Amount,
    /// At what cost.
    Cost,
    /// In which encoding.
    Encoding,
}

/// What of the answer is wanted, known before a command computes anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Want {
    /// The projection mode: `brief`, `compact`, `full`, ...; from `--output-include` or its older flag.
    pub mode: Option<String>,
    /// The fields of the older `--fields` or `--section`, in the order given; those of `--output-include` are cut out
    /// of the answer afterwards and are in [`Want::selectors`].
    pub fields: Option<Vec<String>>,
    /// The selectors of `--output-include`, modes left out: a command may leave out what none of them needs.
    pub selectors: Vec<String>,
    /// The intent of `--for`.
    pub intent: Option<String>,
    /// The tokens that the answer may cost; none when unbounded. A command that packs (context) may aim at it.
    pub budget: Option<u64>,
    /// `--output-cursor` of a stream.
    pub after: Option<String>,
    /// `--output-limit`, when it is a number: a command need not compute more rows than cursors and totals need.
    pub limit: Option<usize>,
    /// The lean envelope is wanted: what says nothing may be left out of it.
    pub lean: bool,
    /// `--output-limit unbounded`.
    pub unbounded: bool,
    /// `--output-cursor` was given.
    pub continued: bool,
    /// `--output-limit` was given, or to the call that its cursor came from: rows beyond those that an overview chooses
    /// belong to the answer, on later pages.
    pub asked: bool,
}

/// An older flag that a read-output control replaces, or stands beside.
#[derive(Clone, Copy, Debug)]
pub struct Alias {
    /// With its dashes.
    pub flag: &'static str,
    /// What it stands for.
    pub dimension: Dimension,
    /// False: it keeps a meaning of its own that no control replaces.
    pub replacement: bool,
}

/// What a surface of the retrieval contract (seed 000) asks of the pipeline beside the contract of seed 001.
///
/// Its envelope is its own: it counts itself, pages by `offset` and `next_offset`, looks the same wherever it is
/// printed, and a ceiling drops whole rows from the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retrieval {
    /// Fields of a row that no selection and no reference takes away.
    pub pinned: &'static [&'static str],
    /// The most tokens of an answer, whatever is asked for.
    pub ceiling: Option<u64>,
}

/// What a surface of the catalog's contract (seed 002) asks of the pipeline beside the contract of seed 001.
///
/// Its answers look the same wherever they are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cataloged {
    /// Fields of a row or record that no selection takes away: a level never travels without its expiry.
    pub pinned: &'static [&'static str],
    /// Whether `--output-cursor` is read by the command ([`Want::after`]).
    pub own_cursor: bool,
}

/// In whose words a command refuses a call that it cannot take (product.md §9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusals {
    /// As every command does: an error on standard error.
    Program,
    /// Of the retrieval contract (seed 000): an envelope with `status: ERROR` on standard output.
    Retrieval,
    /// Of the catalog's contract (seed 002): the same, with the catalog's codes.
    Catalog,
}

/// The read-output side of a surface (seed 001).
#[derive(Clone, Copy, Debug)]
pub struct ReadOutput {
    /// The surface's name in receipts and cursors; alias commands share it.
    pub surface: &'static str,
    /// The primary row collections, dot-delimited. Only those that an answer has count.
    pub row_keys: &'static [&'static str],
    /// Nested collections that a cursor can continue, `*` for one step: `checks.*.details.*`.
    pub continuation_row_keys: &'static [&'static str],
    /// Whether the rows are a stream: lines of JSON where no encoding is asked for, continued by cursors that the
    /// command makes and reads itself ([`Want::after`]).
    pub stream: bool,
    /// Whether a row's fields can be chosen by the older `--fields`.
    pub fields: bool,
    /// Whole projections that `--output-include` accepts.
    pub modes: &'static [&'static str],
    /// The mode tokens that also stand for a complete result, so that the default ceiling does not bind.
    pub complete_modes: &'static [&'static str],
    /// Older flags, in the order of their names, by dimension.
    pub aliases: &'static [Alias],
    /// The default ceiling.
    pub budget: Budget,
    /// What compaction keeps.
    pub keep: Keep,
    /// The field that names a row.
    pub identity: Option<&'static str>,
    /// Set on the surfaces of seed 000.
    pub retrieval: Option<Retrieval>,
    /// Set on the surfaces of seed 002.
    pub catalog: Option<Cataloged>,
}

/// A call that help and docs show and tests run.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// What it is for.
    pub about: &'static str,
    /// Everything after `pm`.
    pub argv: &'static [&'static str],
}

/// How prominent a command is in help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// The daily ones.
    Core,
    /// The regular ones.
    Standard,
    /// Everything else.
    Full,
}

impl Tier {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Tier::Core => "core",
            Tier::Standard => "standard",
            Tier::Full => "full",
        }
    }
}

/// What one command promises to every caller.
///
/// Declare with `..Contract::BASE` at the end, so that a new clause does not touch every command.
#[derive(Clone, Copy, Debug)]
pub struct Contract {
    /// The words that name it: `["list"]`, `["config", "get"]`.
    pub path: &'static [&'static str],
    /// Other last words for it that stay for good; deprecated spellings stand in `grammar::DEPRECATED`.
    pub aliases: &'static [&'static str],
    /// One line, imperative, no full stop.
    pub about: &'static str,
    /// Reads or writes.
    pub effect: Effect,
    /// Changes one item that is there, so that `--if-hash` and `--if-updated-at` can say what it must be.
    pub expects: bool,
    /// Set on the read surfaces of seed 001 and those that join them.
    pub read_output: Option<ReadOutput>,
    /// The codes it raises beside the general ones.
    pub errors: &'static [Code],
    /// Calls that work.
    pub examples: &'static [Example],
    /// How prominent it is in help.
    pub tier: Tier,
    /// Takes the flags that the tracker's own schema declares; their values are in `Context::custom`.
    pub custom_flags: bool,
    /// In whose words it refuses a call.
    pub refusals: Refusals,
    /// The JSON Schema of its own parameters, where they are declared in a table of their own; none where the parser is
    /// the declaration.
    pub parameters: Option<fn() -> Value>,
}

impl Contract {
    /// A command without name that reads nothing and promises nothing: the defaults of every clause.
    pub const BASE: Contract = Contract {
        path: &[],
        aliases: &[],
        about: "",
        effect: Effect::Reads,
        expects: true,
        read_output: None,
        errors: &[],
        examples: &[],
        tier: Tier::Standard,
        custom_flags: false,
        refusals: Refusals::Program,
        parameters: None,
    };
}

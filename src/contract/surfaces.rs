//! The read surfaces, one table: what each shows, which modes and older flags it takes, what it may cost (seed 001).
//!
//! A command's contract names its line: `read_output: Some(surfaces::LIST)`.

use super::{Alias, Budget, Cataloged, Dimension, Keep, ReadOutput, Retrieval};

const fn alias(flag: &'static str, dimension: Dimension) -> Alias {
    Alias { flag, dimension, replacement: true }
}

const fn beside(flag: &'static str, dimension: Dimension) -> Alias {
    Alias { flag, dimension, replacement: false }
}

use Dimension::{Amount, Cost, Encoding, Include};

const BRIEF: Alias = alias("--brief", Include);
const COMPACT: Alias = alias("--compact", Include);
const COUNTS: Alias = alias("--counts", Include);
const FIELDS: Alias = alias("--fields", Include);
const FULL: Alias = alias("--full", Include);
const SUMMARY: Alias = alias("--summary", Include);
const LIMIT: Alias = alias("--limit", Amount);
const AFTER: Alias = beside("--after", Amount);
const NO_TRUNCATE: Alias = beside("--no-truncate", Amount);
const TOKEN_BUDGET: Alias = alias("--token-budget", Cost);
const FORMAT: Alias = alias("--format", Encoding);
const STREAM: Alias = beside("--stream", Encoding);

/// A surface with nothing but its name, ceiling class and primary rows.
const fn plain(surface: &'static str, budget: Budget, row_keys: &'static [&'static str]) -> ReadOutput {
    ReadOutput {
        surface,
        row_keys,
        continuation_row_keys: &[],
        stream: false,
        fields: false,
        modes: &[],
        complete_modes: &[],
        aliases: &[],
        budget,
        keep: Keep::Prefix,
        identity: None,
        retrieval: None,
        catalog: None,
    }
}

/// The most tokens of an answer with many documents (disclosure.md §7).
const KB_CEILING: Option<u64> = Some(30_000);

/// An action of `kb` that answers with rows.
const fn documents(surface: &'static str, pinned: &'static [&'static str]) -> ReadOutput {
    ReadOutput {
        modes: &["brief"],
        aliases: &[LIMIT, FORMAT],
        identity: Some("uri"),
        retrieval: Some(Retrieval { pinned, ceiling: KB_CEILING }),
        ..plain(surface, Budget::Documents, &["data"])
    }
}

/// An action of `kb` that answers with one document.
const fn document(surface: &'static str) -> ReadOutput {
    ReadOutput {
        modes: &["brief"],
        aliases: &[FORMAT],
        identity: Some("uri"),
        retrieval: Some(Retrieval { pinned: &["uri", "title"], ceiling: None }),
        ..plain(surface, Budget::Document, &[])
    }
}

/// `kb search`.
pub const KB_SEARCH: ReadOutput = documents("kb search", &["uri", "title", "score", "snippet"]);

/// `kb catalog`.
pub const KB_CATALOG: ReadOutput = documents("kb catalog", &["uri", "title", "position"]);

/// `kb preflight`.
pub const KB_PREFLIGHT: ReadOutput =
    documents("kb preflight", &["uri", "title", "position", "role", "score"]);

/// `kb get`.
pub const KB_GET: ReadOutput = document("kb get");

/// `kb resolve`.
pub const KB_RESOLVE: ReadOutput = document("kb resolve");

/// `kb kinds`.
pub const KB_KINDS: ReadOutput =
    ReadOutput { identity: Some("kind"), ..plain("kb kinds", Budget::Read, &["kinds"]) };

/// `kb lint`.
pub const KB_LINT: ReadOutput = plain("kb lint", Budget::Governance, &["findings"]);

/// `kb cost`.
pub const KB_COST: ReadOutput =
    ReadOutput { identity: Some("case"), ..plain("kb cost", Budget::Read, &["rows"]) };

/// `catalog run`: a walk is never cut by a default ceiling, since a part of a procedure is none.
pub const CATALOG_RUN: ReadOutput = ReadOutput {
    identity: Some("id"),
    catalog: Some(Cataloged {
        pinned: &["order", "id", "requires_approval", "trust", "trust_expires_on"],
        own_cursor: false,
    }),
    ..plain("catalog run", Budget::Document, &["walk"])
};

/// `catalog search`: hits, and the variants in them, keep their level and its expiry.
pub const CATALOG_SEARCH: ReadOutput = ReadOutput {
    aliases: &[LIMIT, FORMAT],
    identity: Some("id"),
    catalog: Some(Cataloged {
        pinned: &["type", "id", "topic", "trust", "trust_expires_on", "variants"],
        own_cursor: true,
    }),
    ..plain("catalog search", Budget::Documents, &["hits"])
};

/// A level never travels without its record and its expiry.
const LEVELS: Cataloged = Cataloged { pinned: &["id", "trust", "trust_expires_on"], own_cursor: false };

/// `catalog list`.
pub const CATALOG_LIST: ReadOutput = ReadOutput {
    modes: &["brief", "full"],
    aliases: &[FORMAT],
    identity: Some("id"),
    catalog: Some(LEVELS),
    ..plain("catalog list", Budget::Read, &["records"])
};

/// `catalog get`.
pub const CATALOG_GET: ReadOutput = ReadOutput {
    aliases: &[FORMAT],
    identity: Some("id"),
    catalog: Some(LEVELS),
    ..plain("catalog get", Budget::Document, &[])
};

/// `catalog status`.
pub const CATALOG_STATUS: ReadOutput =
    ReadOutput { identity: Some("id"), ..plain("catalog status", Budget::Governance, &["expiring"]) };

/// `catalog check`.
pub const CATALOG_CHECK: ReadOutput = plain("catalog check", Budget::Governance, &["findings"]);

/// `catalog verify`.
pub const CATALOG_VERIFY: ReadOutput = plain("catalog verify", Budget::Governance, &["findings"]);

/// `list` and its aliases.
pub const LIST: ReadOutput = ReadOutput {
    fields: true,
    modes: &["brief", "compact", "full"],
    aliases: &[BRIEF, COMPACT, FIELDS, FULL, AFTER, LIMIT, NO_TRUNCATE, TOKEN_BUDGET, FORMAT, STREAM],
    identity: Some("id"),
    ..plain("list", Budget::Read, &["items"])
};

/// `context`, `ctx`.
pub const CONTEXT: ReadOutput = ReadOutput {
    fields: true,
    aliases: &[
        FIELDS,
        alias("--section", Include),
        AFTER,
        beside("--depth", Amount),
        LIMIT,
        TOKEN_BUDGET,
        FORMAT,
    ],
    identity: Some("id"),
    ..plain("context", Budget::Read, &["high_level", "low_level"])
};

/// `search`.
pub const SEARCH: ReadOutput = ReadOutput {
    fields: true,
    modes: &["compact", "full"],
    aliases: &[COMPACT, FIELDS, FULL, AFTER, LIMIT, TOKEN_BUDGET, FORMAT],
    identity: Some("id"),
    ..plain("search", Budget::Read, &["items"])
};

/// `get`.
pub const GET: ReadOutput = ReadOutput {
    fields: true,
    modes: &["full"],
    complete_modes: &["full"],
    aliases: &[FIELDS, FULL, beside("--depth", Amount), TOKEN_BUDGET, FORMAT],
    identity: Some("id"),
    ..plain("get", Budget::Read, &["children"])
};

/// `next`.
pub const NEXT: ReadOutput = ReadOutput {
    aliases: &[alias("--blocked-limit", Amount), LIMIT, TOKEN_BUDGET, FORMAT],
    identity: Some("id"),
    ..plain("next", Budget::Read, &["recommended", "ready", "decision_needed", "blocked", "held_by_others"])
};

/// `health`.
pub const HEALTH: ReadOutput = ReadOutput {
    modes: &["brief", "full", "summary"],
    complete_modes: &["full"],
    aliases: &[BRIEF, beside("--check-only", Include), FULL, SUMMARY],
    identity: Some("name"),
    ..plain("health", Budget::Governance, &["checks"])
};

/// `deps`.
pub const DEPS: ReadOutput = ReadOutput {
    modes: &["full", "summary"],
    complete_modes: &["full"],
    aliases: &[
        beside("--collapse", Include),
        FULL,
        SUMMARY,
        alias("--edge-limit", Amount),
        beside("--max-depth", Amount),
        alias("--node-limit", Amount),
        TOKEN_BUDGET,
        FORMAT,
    ],
    identity: Some("id"),
    ..plain("deps", Budget::Read, &["graph.nodes", "graph.edges", "context.nodes", "context.edges"])
};

/// `graph` and its subcommands; each answers with some of these rows.
pub const GRAPH: ReadOutput = ReadOutput {
    modes: &["full", "summary"],
    complete_modes: &["full"],
    aliases: &[FULL, SUMMARY, AFTER, LIMIT, beside("--max-depth", Amount), beside("--max-paths", Amount)],
    identity: Some("id"),
    ..plain(
        "graph",
        Budget::Read,
        &[
            "ids",
            "paths",
            "affected",
            "findings",
            "communities",
            "redundant",
            "bottlenecks",
            "rows",
            "articulation_points",
            "bridges",
            "steps",
        ],
    )
};

/// `history`.
pub const HISTORY: ReadOutput = ReadOutput {
    modes: &["compact", "full"],
    complete_modes: &["full"],
    aliases: &[COMPACT, FULL, LIMIT, FORMAT],
    ..plain("history", Budget::Read, &["compact_history", "provenance_history", "history"])
};

/// `activity`.
pub const ACTIVITY: ReadOutput = ReadOutput {
    modes: &["compact", "full"],
    aliases: &[COMPACT, FULL, LIMIT, beside("--unbounded", Amount), STREAM],
    ..plain(
        "activity",
        Budget::Read,
        &["activity_digest", "compact_activity", "provenance_activity", "activity"],
    )
};

/// `validate`.
pub const VALIDATE: ReadOutput = ReadOutput {
    continuation_row_keys: &["checks.*.details.*"],
    modes: &["counts", "full"],
    complete_modes: &["full"],
    aliases: &[COUNTS, FULL],
    identity: Some("name"),
    ..plain("validate", Budget::Governance, &["checks", "warnings"])
};

/// `events`.
pub const EVENTS: ReadOutput = ReadOutput {
    stream: true,
    modes: &["full"],
    aliases: &[FULL, LIMIT, beside("--follow", Encoding)],
    ..plain("events", Budget::Read, &["events"])
};

/// `contracts`.
pub const CONTRACTS: ReadOutput = ReadOutput {
    modes: &["full", "summary"],
    complete_modes: &["full"],
    aliases: &[FULL, SUMMARY],
    identity: Some("command"),
    ..plain("contracts", Budget::Discovery, &["command_summaries", "commands"])
};

/// `comments` without a text.
pub const COMMENTS: ReadOutput =
    ReadOutput { aliases: &[LIMIT], ..plain("comments", Budget::Mutation, &["comments"]) };

/// `notes` without a text.
pub const NOTES: ReadOutput =
    ReadOutput { aliases: &[LIMIT], ..plain("notes", Budget::Mutation, &["notes"]) };

/// `learnings` without a text: no surface of the seed, it reads like `notes`.
pub const LEARNINGS: ReadOutput =
    ReadOutput { aliases: &[LIMIT], ..plain("learnings", Budget::Mutation, &["learnings"]) };

/// `files` that only lists.
pub const FILES: ReadOutput = ReadOutput {
    aliases: &[LIMIT, NO_TRUNCATE, beside("--offset", Amount)],
    identity: Some("path"),
    ..plain("files", Budget::Mutation, &["files"])
};

/// `files discover` that only looks.
pub const FILES_DISCOVER: ReadOutput =
    ReadOutput { identity: Some("path"), ..plain("files", Budget::Mutation, &["candidates"]) };

/// `files lookup`.
pub const FILES_LOOKUP: ReadOutput = ReadOutput {
    aliases: &[LIMIT, NO_TRUNCATE, beside("--offset", Amount)],
    ..plain("files", Budget::Mutation, &["matches"])
};

/// `docs` that only lists.
pub const DOCS: ReadOutput =
    ReadOutput { identity: Some("path"), ..plain("docs", Budget::Mutation, &["docs"]) };

/// `stats`.
pub const STATS: ReadOutput = plain("stats", Budget::Governance, &["by_type", "by_status"]);

/// `aggregate`.
pub const AGGREGATE: ReadOutput = plain("aggregate", Budget::Read, &["groups"]);

/// `duplicates`.
pub const DUPLICATES: ReadOutput = ReadOutput {
    aliases: &[LIMIT],
    identity: Some("id"),
    ..plain("duplicates", Budget::Read, &["clusters"])
};

/// `eval`: no surface of the seed, it reads like `aggregate`.
pub const EVAL: ReadOutput = plain("eval", Budget::Read, &["queries"]);

/// `package catalog`.
pub const PACKAGE_CATALOG: ReadOutput = plain("package-catalog", Budget::Discovery, &[]);

/// `package manage`.
pub const PACKAGE_MANAGE: ReadOutput = plain("package-manage", Budget::Discovery, &[]);

/// `comments-audit`.
pub const COMMENTS_AUDIT: ReadOutput = plain("comments-audit", Budget::Read, &["comments"]);

/// `assurance`.
pub const ASSURANCE: ReadOutput =
    ReadOutput { keep: Keep::VerdictPriority, ..plain("assurance", Budget::Read, &["assertions"]) };

/// `assurance list` and `assurance show`.
pub const ASSURANCE_LIST: ReadOutput =
    plain("assurance", Budget::Read, &["measurements", "assertions", "gates"]);

/// Every read surface of seed 001, in the order of the seed, then those that joined.
pub const ALL: &[ReadOutput] = &[
    LIST,
    CONTEXT,
    SEARCH,
    GET,
    NEXT,
    HEALTH,
    DEPS,
    GRAPH,
    HISTORY,
    ACTIVITY,
    VALIDATE,
    EVENTS,
    CONTRACTS,
    COMMENTS,
    NOTES,
    FILES,
    DOCS,
    STATS,
    AGGREGATE,
    DUPLICATES,
    PACKAGE_CATALOG,
    PACKAGE_MANAGE,
    COMMENTS_AUDIT,
    ASSURANCE,
];

//! The options that every command takes, and what the environment says to all of them.

use clap::ArgMatches;

use crate::clock::Clock;
use crate::environment::Env;
use crate::error::{Code, Error, Result};
use crate::model::timestamp;
use crate::surface::Globals;

/// Reads the global options of a parsed call.
pub(super) fn read(matches: &ArgMatches) -> Globals {
    Globals {
        json: is_set(matches, "json"),
        lean: is_set(matches, "lean"),
        quiet: is_set(matches, "quiet"),
        explain: is_set(matches, "explain"),
        full_envelope: is_set(matches, "full-envelope"),
        id_only: is_set(matches, "id-only"),
        full_changed_fields: is_set(matches, "full-changed-fields"),
        no_changed_fields: is_set(matches, "no-changed-fields"),
        author: text(matches, "author"),
        session: text(matches, "session"),
        pm_path: text(matches, "pm-path").or_else(|| text(matches, "path")),
        force: is_set(matches, "force"),
        dry_run: is_set(matches, "dry-run"),
        if_hash: text(matches, "if-hash"),
        if_updated_at: text(matches, "if-updated-at"),
    }
}

/// A flag by its long name; commands that declare one of their own name it with underscores.
pub(super) fn is_set(matches: &ArgMatches, long: &str) -> bool {
    [long.to_owned(), long.replace('-', "_")]
        .iter()
        .any(|id| matches.try_get_one::<bool>(id).ok().flatten().copied().unwrap_or(false))
}

/// A value by the long name of its flag.
pub(super) fn text(matches: &ArgMatches, long: &str) -> Option<String> {
    [long.to_owned(), long.replace('-', "_")]
        .iter()
        .find_map(|id| matches.try_get_one::<String>(id).ok().flatten().cloned())
}

/// The clock: the system's, or with `PM_CLOCK` and `PM_SEED` together a reproducible one (surfaces.md §1.1).
pub(super) fn clock(env: &Env) -> Result<Clock> {
    let refuse = |variable: &str, problem: String| {
        Error::new(Code::InvalidReproducibleEnvironment, problem).at(variable)
    };
    let (start, seed) = (env.raw("PM_CLOCK"), env.raw("PM_SEED"));
    let start = match (start, seed) {
        (None, None) => return Ok(Clock::System),
        (Some(start), Some(seed)) if !seed.trim().is_empty() => start,
        (None, Some(_)) => return Err(refuse("PM_CLOCK", "`PM_SEED` needs `PM_CLOCK` beside it".into())),
        (Some(_), _) => {
            return Err(refuse("PM_SEED", "`PM_CLOCK` needs a `PM_SEED` that is not empty".into()));
        }
    };
    let Some(start_ms) = timestamp::parse(start.trim()) else {
        return Err(refuse("PM_CLOCK", format!("`PM_CLOCK` is no instant: `{start}`")).rejecting(start));
    };
    let tick = match env.raw("PM_CLOCK_TICK_MS") {
        None => 1,
        Some(text) => text.trim().parse::<u32>().map_err(|_| {
            refuse("PM_CLOCK_TICK_MS", format!("`PM_CLOCK_TICK_MS` is no count of milliseconds: `{text}`"))
                .rejecting(text)
        })?,
    };
    Ok(Clock::fixed(start_ms, i64::from(tick)))
}

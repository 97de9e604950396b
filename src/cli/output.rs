//! What a call says about its output, and what its surroundings say where it is silent.

use clap::ArgMatches;
use jiff::tz::TimeZone;

use crate::environment::Env;
use crate::grammar;
use crate::model::settings::Settings;
use crate::read_output::{Defaults, Environment, OutputArgs, Titles, Typed};

use super::globals::{is_set, text};

/// The output controls of a parsed call.
pub(super) fn args(matches: &ArgMatches, typed: Vec<Typed>, defaults: Defaults) -> OutputArgs {
    let own = |typed: &Typed| {
        let long = typed.flag.trim_start_matches('-');
        !grammar::is_output_control(long) && !matches!(long, "json" | "lean" | "full-envelope")
    };
    OutputArgs {
        include: text(matches, "output-include"),
        limit: text(matches, "output-limit"),
        budget: text(matches, "output-budget"),
        format: text(matches, "output-format"),
        session: text(matches, "output-session"),
        cursor: text(matches, "output-cursor"),
        row_contract: is_set(matches, "output-row-contract"),
        json: is_set(matches, "json"),
        lean: is_set(matches, "lean"),
        full_envelope: is_set(matches, "full-envelope"),
        typed: typed.into_iter().filter(own).collect(),
        defaults,
    }
}

/// What holds where a call is silent (product.md §3.5).
///
/// `toon` in the settings names the encoding for machines, which every tracker has from its first day: it does not
/// take the human view from a terminal. Any other setting does.
pub(super) fn defaults(terminal: bool, env: &Env, settings: Option<&Settings>) -> Defaults {
    let setting = |path: &str| settings.map(|settings| settings.text(path)).filter(|text| !text.is_empty());
    Defaults {
        library: false,
        tool: false,
        terminal,
        environment_format: env.get("PM_OUTPUT_FORMAT").map(str::to_owned),
        setting_format: setting("output.default_format")
            .filter(|format| *format != "toon")
            .map(str::to_owned),
        full_envelope: setting("output.envelope") == Some("full"),
    }
}

/// What the views know of the terminal; `width` is asked for only when there is one.
pub(super) fn environment<'a>(
    now: i64,
    terminal: bool,
    env: &Env,
    width: fn() -> Option<u16>,
    titles: Titles<'a>,
) -> Environment<'a> {
    let columns = || env.get("COLUMNS").and_then(|columns| columns.parse().ok());
    Environment {
        now,
        zone: TimeZone::system,
        titles: Some(titles),
        width: if terminal {
            width().filter(|width| *width > 0).or_else(columns).or(Some(100))
        } else {
            None
        },
        color: terminal && env.get("NO_COLOR").is_none() && env.get("TERM") != Some("dumb"),
    }
}

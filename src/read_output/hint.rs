//! What to write instead of an older flag, or what it keeps for itself (read-output.md §1.5).

use crate::contract::{Alias, Dimension};

/// The hint of one older flag; it starts with the flag.
pub fn migration(alias: &Alias) -> String {
    let flag = alias.flag;
    if let Some(kept) = kept(flag).filter(|_| !alias.replacement) {
        return format!("{flag} {kept}");
    }
    let canonical = match alias.dimension {
        Dimension::Include if matches!(flag, "--fields" | "--section") => "--output-include <csv>".to_owned(),
        Dimension::Include => {
            format!("--output-include {}", flag.trim_start_matches('-').replace('-', "_"))
        }
        Dimension::Amount if matches!(flag, "--no-truncate" | "--unbounded") => {
            "--output-limit unbounded".to_owned()
        }
        Dimension::Amount => "--output-limit <n>".to_owned(),
        Dimension::Cost => "--output-budget <tokens>".to_owned(),
        Dimension::Encoding => "--output-format <toon|json>".to_owned(),
    };
    format!("{flag} is a compatibility alias; prefer {canonical}.")
}

/// What a flag means that no control can replace.
fn kept(flag: &str) -> Option<&'static str> {
    Some(match flag {
        "--after" => {
            "retains cursor-position semantics; use --output-limit <n> separately to bound returned rows."
        }
        "--check-only" => {
            "retains health side-effect semantics; --output-include does not suppress vector refresh."
        }
        "--collapse" => "retains dependency grouping semantics; --output-include does not replace it.",
        "--depth" => "retains traversal or detail-depth semantics; --output-limit does not replace it.",
        "--follow" => "retains event-tail semantics; --output-format does not enable following.",
        "--max-depth" => "retains graph traversal-depth semantics; --output-limit does not replace it.",
        "--max-paths" => {
            "retains graph path-search semantics; use --output-limit separately to bound returned rows."
        }
        "--offset" => {
            "retains positional pagination semantics; use --output-limit separately to bound returned rows."
        }
        "--stream" => {
            "retains command streaming semantics; --output-format selects only static result encoding."
        }
        _ => return None,
    })
}

//! docs/contracts.md: what every read surface promises, in tables.

use std::fmt::Write as _;

use crate::contract::{Contract, Dimension, Keep, ReadOutput};
use crate::read_output::PM_READ_OUTPUT_CONTINUATION_FINGERPRINT_POLICIES as POLICIES;
use crate::surface::Catalog;

use super::docs::NOTE;
use super::sections;

/// docs/contracts.md.
pub fn contracts(catalog: Catalog) -> String {
    let mut surfaces: Vec<(&Contract, &ReadOutput)> = catalog
        .iter()
        .filter_map(|surface| Some((surface.contract, surface.contract.read_output.as_ref()?)))
        .collect();
    surfaces.sort_unstable_by_key(|(contract, _)| contract.path);
    let mut out = format!("# Contracts\n\n{NOTE}{}", INTRODUCTION);
    budgets(&mut out, &surfaces);
    rows(&mut out, &surfaces);
    older(&mut out, &surfaces);
    fingerprints(&mut out);
    exits(&mut out);
    out
}

const INTRODUCTION: &str = "
What a caller may rely on. Programs get the same from `pm contracts` (`--command <command>` for one, `--full` for all) and
from the files in contracts/; the shape of each answer is in contracts/schemas. Names, codes, exit codes and defaults are
stable; sentences are not.

Every read surface takes `--output-include`, `--output-limit`, `--output-budget`, `--output-format`, `--output-session`,
`--output-cursor` and `--output-row-contract`, before or after the command; over MCP and in the library they are
`outputInclude` and so on. A command that changes something takes `--output-format` only. A control beats the older flag
that means the same, that beats an intent (`--for`), that beats the default.
";

fn words(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        names => format!("`{}`", names.join("`, `")),
    }
}

fn tokens(count: u64) -> String {
    if count > u64::from(u32::MAX) { "none".to_owned() } else { count.to_string() }
}

fn budgets(out: &mut String, surfaces: &[(&Contract, &ReadOutput)]) {
    out.push_str(
        "\n## What an answer may cost\n\nIn tokens: bytes written, divided by four and rounded up. `--output-budget` sets another \
         ceiling or none (`unbounded`).\n\n| Class | TOON | JSON | Surfaces |\n| --- | ---: | ---: | --- |\n",
    );
    let mut classes: Vec<(&str, u64, u64, Vec<String>)> = Vec::new();
    for (contract, output) in surfaces {
        let budget = output.budget;
        let name = contract.path.join(" ");
        match classes.iter_mut().find(|(class, ..)| *class == budget.class()) {
            Some((.., names)) => names.push(name),
            None => classes.push((budget.class(), budget.toon(), budget.json(), vec![name])),
        }
    }
    for (class, toon, json, names) in classes {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let _ = writeln!(out, "| {class} | {} | {} | {} |", tokens(toon), tokens(json), words(&names));
    }
}

fn rows(out: &mut String, surfaces: &[(&Contract, &ReadOutput)]) {
    out.push_str(
        "\n## Surfaces\n\nModes are words for `--output-include`; those in bold lift the default ceiling. Rows are the lists that \
         a budget shortens and a cursor continues.\n\n| Command | Modes | Rows | Identity of a row |\n| --- | --- | --- | --- |\n",
    );
    for (contract, output) in surfaces {
        let modes: Vec<String> = output
            .modes
            .iter()
            .map(|mode| match output.complete_modes.contains(mode) {
                true => format!("**`{mode}`**"),
                false => format!("`{mode}`"),
            })
            .collect();
        let mut rows: Vec<&str> = output.row_keys.to_vec();
        rows.extend(output.continuation_row_keys.iter().filter(|key| !output.row_keys.contains(*key)));
        let rows = match output.keep {
            Keep::Prefix => words(&rows),
            Keep::VerdictPriority => format!("{}; failing ones first", words(&rows)),
        };
        let identity = output.identity.map(|field| format!("`{field}`")).unwrap_or_default();
        let _ =
            writeln!(out, "| `{}` | {} | {rows} | {identity} |", contract.path.join(" "), modes.join(", "));
    }
}

fn older(out: &mut String, surfaces: &[(&Contract, &ReadOutput)]) {
    out.push_str(
        "\n## Older flags\n\nThey work as ever. *Stands beside*: the flag has a meaning of its own as well.\n\n\
         | Flag | Control | Commands | Stands beside on |\n| --- | --- | --- | --- |\n",
    );
    let mut flags: Vec<(&str, &str, Vec<String>, Vec<String>)> = Vec::new();
    for (contract, output) in surfaces {
        for alias in output.aliases {
            let control = match alias.dimension {
                Dimension::Include => "--output-include",
                Dimension::Amount => "--output-limit",
                Dimension::Cost => "--output-budget",
                Dimension::Encoding => "--output-format",
            };
            let at = flags.iter().position(|(flag, own, ..)| (*flag, *own) == (alias.flag, control));
            let at = at.unwrap_or_else(|| {
                flags.push((alias.flag, control, Vec::new(), Vec::new()));
                flags.len() - 1
            });
            let (.., replaced, beside) = &mut flags[at];
            let list = if alias.replacement { replaced } else { beside };
            list.push(contract.path.join(" "));
        }
    }
    flags.sort_unstable_by_key(|(flag, control, ..)| (*flag, *control));
    for (flag, control, replaced, beside) in flags {
        let _ = writeln!(out, "| `{flag}` | `{control}` | {} | {} |", replaced.join(", "), beside.join(", "));
    }
}

fn fingerprints(out: &mut String) {
    out.push_str(
        "\n## What a cursor does not depend on\n\nA cursor is refused when what it continues has changed. These details change \
         while the tracker does not, and are left out of the comparison.\n\n| Command | Rows | Row | Details |\n| --- | --- | --- | --- |\n",
    );
    for policy in POLICIES {
        let details = words(policy.ignored_detail_fields);
        let _ = writeln!(out, "| `{}` | `{}` | `{}` | {details} |", policy.surface, policy.path, policy.row);
    }
}

fn exits(out: &mut String) {
    out.push_str("\n## Exit codes\n\nThe codes of errors are in [errors.md](errors.md).\n\n| Exit code | Meaning |\n| ---: | --- |\n| 0 | done |\n");
    for (kind, meaning) in sections::classes() {
        let _ = writeln!(out, "| {} | {meaning} |", kind.exit_code());
    }
}

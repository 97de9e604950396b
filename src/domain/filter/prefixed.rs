//! The filters of bulk commands: those of every listing, each flag with `filter-` in front, since a bare `--status`
//! says what to change.

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, parser::ValueSource};

use super::FilterArgs;

/// Filters as typed, without their prefix.
#[derive(Clone, Debug, Default)]
pub struct PrefixedFilterArgs(pub FilterArgs);

const PREFIX: &str = "filter-";

/// The flags of a listing as they are there.
fn plain() -> Command {
    FilterArgs::augment_args(Command::new("filters").no_binary_name(true).disable_help_flag(true))
}

/// The flag's name in a bulk command. `--ids` names items, it filters nothing.
fn prefixed(long: &str) -> String {
    if long == "ids" || long.starts_with(PREFIX) { long.to_owned() } else { format!("{PREFIX}{long}") }
}

fn renamed(arg: &Arg) -> Option<Arg> {
    let long = prefixed(arg.get_long()?);
    let action = arg.get_action().clone();
    let mut new = Arg::new(long.clone()).long(long).action(action);
    if let Some(help) = arg.get_help() {
        new = new.help(help.clone());
    }
    if let Some(names) = arg.get_value_names().filter(|_| arg.get_action().takes_values()) {
        new = new.value_names(names.to_vec()).allow_hyphen_values(arg.is_allow_hyphen_values_set());
    }
    Some(new.help_heading("Filters"))
}

impl Args for PrefixedFilterArgs {
    fn augment_args(command: Command) -> Command {
        plain().get_arguments().filter_map(renamed).fold(command, Command::arg)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for PrefixedFilterArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<PrefixedFilterArgs, clap::Error> {
        let parser = plain();
        let mut words = Vec::new();
        for arg in parser.get_arguments() {
            let Some(long) = arg.get_long() else { continue };
            let name = prefixed(long);
            if matches.value_source(&name) != Some(ValueSource::CommandLine) {
                continue;
            }
            if arg.get_action().takes_values() {
                let values = matches.get_raw(&name).into_iter().flatten();
                words.extend(values.map(|value| format!("--{long}={}", value.to_string_lossy())));
            } else {
                words.push(format!("--{long}"));
            }
        }
        FilterArgs::from_arg_matches(&parser.try_get_matches_from(words)?).map(PrefixedFilterArgs)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_filter_of_a_listing_has_its_prefixed_twin() {
        let command = PrefixedFilterArgs::augment_args(Command::new("bulk").no_binary_name(true));
        let words = [
            "--filter-status=open,blocked",
            "--filter-has-notes",
            "--filter-ac-missing",
            "--filter-updated-after",
            "-7d",
            "--ids=a,b",
        ];
        let matches = command.try_get_matches_from(words).expect("the flags are declared");
        let typed = PrefixedFilterArgs::from_arg_matches(&matches).expect("the flags are read").0;
        assert_eq!(typed.status, ["open,blocked"]);
        assert_eq!(typed.updated_after.as_deref(), Some("-7d"));
        assert_eq!(typed.ids, ["a,b"]);
        let echo = typed.echo();
        for key in ["has_notes", "filter_ac_missing"] {
            assert!(echo.contains_key(key), "{key}: {echo:?}");
        }
    }
}

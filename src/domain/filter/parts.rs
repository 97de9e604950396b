//! Filters on which parts an item has: one table of parts, one of fields that may be missing (surfaces.md §3.4).

use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};

use crate::error::{Code, Error, Result};

/// A part that an item has or lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// At least one note.
    Notes,
    /// At least one learning.
    Learnings,
    /// At least one linked file.
    Files,
    /// At least one linked document.
    Docs,
    /// At least one linked test.
    Tests,
    /// At least one comment.
    Comments,
    /// At least one dependency.
    Deps,
    /// A body that is not blank.
    Body,
    /// A linked test with a command that is not blank.
    LinkedCommand,
}

/// A field that governance wants and an item may miss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// `acceptance_criteria`.
    AcceptanceCriteria,
    /// `estimated_minutes`.
    Estimate,
    /// `resolution`, of items in a terminal status.
    Resolution,
    /// Any of the three above.
    Metadata,
    /// `reviewer`.
    Reviewer,
    /// `risk`.
    Risk,
    /// `confidence`.
    Confidence,
    /// `sprint`.
    Sprint,
    /// `release`.
    Release,
}

struct PartRow {
    part: Part,
    has: &'static str,
    lacks: &'static str,
    lacks_alias: Option<&'static str>,
    noun: &'static str,
}

const fn part(part: Part, has: &'static str, lacks: &'static str, noun: &'static str) -> PartRow {
    PartRow { part, has, lacks, lacks_alias: None, noun }
}

const PARTS: &[PartRow] = &[
    part(Part::Notes, "has-notes", "no-notes", "notes"),
    part(Part::Learnings, "has-learnings", "no-learnings", "learnings"),
    PartRow {
        lacks_alias: Some("filter-files-missing"),
        ..part(Part::Files, "has-files", "no-files", "linked files")
    },
    PartRow {
        lacks_alias: Some("filter-docs-missing"),
        ..part(Part::Docs, "has-docs", "no-docs", "linked documents")
    },
    part(Part::Tests, "has-tests", "no-tests", "linked tests"),
    part(Part::Comments, "has-comments", "no-comments", "comments"),
    part(Part::Deps, "has-deps", "no-deps", "dependencies"),
    part(Part::Body, "has-body", "empty-body", "a body that is not blank"),
    part(Part::LinkedCommand, "has-linked-command", "no-linked-command", "a linked test that can be run"),
];

const WANTED: &[(Wanted, &str, &str)] = &[
    (Wanted::AcceptanceCriteria, "filter-ac-missing", "Keep items without acceptance criteria"),
    (Wanted::Estimate, "filter-estimates-missing", "Keep items without an estimate"),
    (Wanted::Resolution, "filter-resolution-missing", "Keep finished items without a resolution"),
    (Wanted::Metadata, "filter-metadata-missing", "Keep items that miss criteria, estimate or resolution"),
    (Wanted::Reviewer, "filter-reviewer-missing", "Keep items without a reviewer"),
    (Wanted::Risk, "filter-risk-missing", "Keep items without a risk"),
    (Wanted::Confidence, "filter-confidence-missing", "Keep items without a confidence"),
    (Wanted::Sprint, "filter-sprint-missing", "Keep items without a sprint"),
    (Wanted::Release, "filter-release-missing", "Keep items without a release"),
];

/// The flags of both tables, as given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartArgs {
    /// `--has-...`.
    pub has: Vec<Part>,
    /// `--no-...`, `--empty-body`.
    pub lacks: Vec<Part>,
    /// `--filter-...-missing`.
    pub missing: Vec<Wanted>,
}

impl PartArgs {
    /// Refuses a part that must be there and must not be there.
    ///
    /// Errors: `conflicting_arguments`.
    pub fn check(&self) -> Result<()> {
        match PARTS.iter().find(|row| self.has.contains(&row.part) && self.lacks.contains(&row.part)) {
            None => Ok(()),
            Some(row) => Err(Error::new(
                Code::ConflictingArguments,
                format!("`--{}` and `--{}` exclude each other", row.has, row.lacks),
            )
            .at(format!("--{}", row.has))),
        }
    }

    /// The flags given, as keys of an echo: `has_notes`, `no_files`, `filter_ac_missing`.
    pub fn names(&self) -> impl Iterator<Item = String> {
        let has = PARTS.iter().filter(|row| self.has.contains(&row.part)).map(|row| row.has);
        let lacks = PARTS.iter().filter(|row| self.lacks.contains(&row.part)).map(|row| row.lacks);
        let missing =
            WANTED.iter().filter(|(wanted, ..)| self.missing.contains(wanted)).map(|(_, flag, _)| *flag);
        has.chain(lacks).chain(missing).map(|flag| flag.replace('-', "_"))
    }
}

fn flag(name: &'static str, help: String) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help).help_heading(HEADING)
}

const HEADING: &str = "Filters on parts";

impl clap::Args for PartArgs {
    fn augment_args(mut command: Command) -> Command {
        for row in PARTS {
            let lacks = flag(row.lacks, format!("Keep items without {}", row.noun.trim_start_matches("a ")));
            command = command
                .arg(flag(row.has, format!("Keep items with {}", row.noun)))
                .arg(row.lacks_alias.into_iter().fold(lacks, Arg::alias));
        }
        for (wanted, name, help) in WANTED {
            let arg = flag(name, (*help).to_owned());
            command = command.arg(match wanted {
                Wanted::Estimate => arg.alias("filter-estimate-missing"),
                _ => arg,
            });
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for PartArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<PartArgs, clap::Error> {
        let parts = |name: fn(&PartRow) -> &'static str| {
            PARTS.iter().filter(|row| matches.get_flag(name(row))).map(|row| row.part).collect()
        };
        Ok(PartArgs {
            has: parts(|row| row.has),
            lacks: parts(|row| row.lacks),
            missing: WANTED
                .iter()
                .filter(|(_, name, _)| matches.get_flag(name))
                .map(|(wanted, ..)| *wanted)
                .collect(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = PartArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use clap::Args;

    use super::*;

    fn parse(argv: &[&str]) -> PartArgs {
        let command = PartArgs::augment_args(Command::new("pm").no_binary_name(true));
        PartArgs::from_arg_matches(&command.try_get_matches_from(argv).unwrap()).unwrap()
    }

    #[test]
    fn every_flag_of_the_tables_is_read_back() {
        for row in PARTS {
            assert_eq!(parse(&[&format!("--{}", row.has)]).has, [row.part]);
            assert_eq!(parse(&[&format!("--{}", row.lacks)]).lacks, [row.part]);
        }
        for (wanted, name, _) in WANTED {
            assert_eq!(parse(&[&format!("--{name}")]).missing, [*wanted]);
        }
        assert_eq!(parse(&["--filter-files-missing"]).lacks, [Part::Files]);
    }

    #[test]
    fn a_part_cannot_be_there_and_not_be_there() {
        assert!(parse(&["--has-notes", "--no-files"]).check().is_ok());
        let error = parse(&["--has-body", "--empty-body"]).check().unwrap_err();
        assert_eq!(error.code, Code::ConflictingArguments);
        assert_eq!(
            parse(&["--no-docs", "--has-tests"]).names().collect::<Vec<_>>(),
            ["has_tests", "no_docs"]
        );
    }
}

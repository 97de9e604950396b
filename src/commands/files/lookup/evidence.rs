//! Why an item has to do with a file: commits that name it, the decisions above it, what it says itself.

use std::cmp::Reverse;
use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::domain::governing::Ways;
use crate::domain::survey::named_in_text;
use crate::domain::values::refusal;
use crate::error::{Code, Error, Result};
use crate::model::item::Item;
use crate::model::records::{Record, fold};
use crate::model::timestamp;
use crate::store::commits::{self, Commit};
use crate::tracker::Tracker;

/// How many commits of the files are looked at.
const COMMITS: usize = 200;

/// How many commits of an item are told.
const TOLD: usize = 3;

/// How many characters of a commit's name are told.
const SHORT: usize = 12;

/// The fields in which an item says why it is there.
const RATIONALE: &[&str] = &["goal", "why_now", "value", "resolution"];

/// What is to be found out.
pub(super) struct Wish {
    /// First and last line of the one file in question.
    pub(super) lines: Option<(usize, usize)>,
    /// How many steps away a decision may be.
    pub(super) depth: usize,
}

/// The lines that `--lines` names: `10:24`, both counted from 1 and both meant.
pub(super) fn lines(text: &str, paths: &[String]) -> Result<(usize, usize)> {
    let number = |text: &str| text.trim().parse::<usize>().ok().filter(|n| *n > 0);
    let range = text.split_once(':').and_then(|(first, last)| Some((number(first)?, number(last)?)));
    let Some((first, last)) = range.filter(|(first, last)| first <= last) else {
        return Err(refusal("--lines", text, "it takes the first and the last line: 10:24", &["10:24"]));
    };
    match paths {
        [only] if !only.ends_with('/') => Ok((first, last)),
        _ => Err(Error::new(Code::ConflictingArguments, "`--lines` asks about one file").at("--lines")),
    }
}

/// What was found out about the files and all items that are linked to them.
pub(super) struct Evidence<'a> {
    commits: Vec<Commit>,
    uncommitted: usize,
    /// By folded id: the commits whose messages name the item.
    naming: HashMap<String, Vec<usize>>,
    ways: Ways<'a>,
    depth: usize,
    /// What could not be asked.
    pub(super) warning: Option<String>,
}

impl<'a> Evidence<'a> {
    /// Asks Git about the files and gets ready to ask the tracker about its items.
    ///
    /// Errors: `invalid_argument_value` for lines that the file does not have.
    pub(super) fn gather(tracker: &'a Tracker, paths: &[String], wish: &Wish) -> Result<Evidence<'a>> {
        let folder = tracker.workspace();
        let mut evidence = Evidence {
            commits: Vec::new(),
            uncommitted: 0,
            naming: HashMap::new(),
            ways: Ways::new(tracker.records()?),
            depth: wish.depth,
            warning: None,
        };
        let told = match wish.lines {
            Some((first, last)) => commits::of_lines(folder, &paths[0], first, last).map(|origin| {
                evidence.uncommitted = origin.uncommitted;
                origin.commits
            }),
            None => commits::touching(folder, paths, COMMITS),
        };
        match told {
            Ok(commits) => evidence.commits = commits,
            Err(commits::GitError::Refused(problem)) if problem.contains("has only") => {
                let typed = wish.lines.map(|(first, last)| format!("{first}:{last}")).unwrap_or_default();
                return Err(refusal("--lines", &typed, "the file has fewer lines", &[]));
            }
            Err(_) => evidence.warning = Some("git_history_unavailable".to_owned()),
        }
        let prefix = tracker.settings().id_prefix();
        for (n, commit) in evidence.commits.iter().enumerate() {
            for id in named_in_text(&commit.message, &prefix) {
                evidence.naming.entry(id).or_default().push(n);
            }
        }
        Ok(evidence)
    }

    fn of(&self, id: &str) -> impl Iterator<Item = &Commit> {
        let numbers = self.naming.get(&fold(id)).map_or(&[][..], Vec::as_slice);
        numbers.iter().map(|n| &self.commits[*n])
    }

    /// How strongly the commits speak for an item: lines, commits. What speaks more strongly sorts first.
    pub(super) fn weight(&self, id: &str) -> Reverse<(usize, usize)> {
        let lines = self.of(id).filter_map(|commit| commit.lines).sum();
        Reverse((lines, self.of(id).count()))
    }

    /// What speaks for an item, as its row shows it.
    pub(super) fn row(&self, record: Record<'_>, item: &Item) -> Value {
        let commit = |commit: &Commit| {
            let subject = commit.message.lines().next().unwrap_or_default();
            let mut row = json!({"commit": commit.id.get(..SHORT), "at": timestamp::format(commit.at)});
            if let Some(lines) = commit.lines {
                row["lines"] = lines.into();
            }
            row["subject"] = subject.into();
            row
        };
        let decisions = self.ways.decisions(record.id(), self.depth);
        let decision = |found: &crate::domain::governing::Governing<'_>| {
            let decision = found.decision;
            json!({"id": decision.id(), "title": decision.title(), "status": decision.status(),
                "distance": found.kinds.len(), "path": found.path, "kinds": found.kinds})
        };
        let mut rationale = Map::new();
        for field in RATIONALE {
            if let Some(text) = item.text(field).filter(|text| !text.trim().is_empty()) {
                rationale.insert((*field).to_owned(), text.into());
            }
        }
        json!({
            "commit_count": self.of(record.id()).count(),
            "commits": self.of(record.id()).take(TOLD).map(commit).collect::<Vec<_>>(),
            "decisions": decisions.iter().map(decision).collect::<Vec<_>>(),
            "rationale": rationale,
        })
    }

    /// What was looked at, and what of it nobody's item explains.
    pub(super) fn summary(&self, linked: &[Record<'_>]) -> Value {
        let ids: Vec<String> = linked.iter().map(|record| fold(record.id())).collect();
        let named = |n: usize| self.naming.iter().any(|(id, all)| ids.contains(id) && all.contains(&n));
        let unexplained = (0..self.commits.len()).filter(|n| !named(*n)).count();
        let mut summary = json!({"commits": self.commits.len(), "commits_of_no_linked_item": unexplained});
        if self.uncommitted > 0 {
            summary["uncommitted_lines"] = self.uncommitted.into();
        }
        if let [first, second, ..] = linked
            && self.weight(first.id()) == self.weight(second.id())
        {
            let alike =
                linked.iter().take_while(|record| self.weight(record.id()) == self.weight(first.id()));
            summary["equally_likely"] = alike.count().into();
        }
        summary
    }

    /// Items that commits name and that are not linked: what one may want to link.
    pub(super) fn unlinked(
        &self,
        tracker: &Tracker,
        linked: &[Record<'_>],
    ) -> Result<Vec<Map<String, Value>>> {
        let records = tracker.records()?;
        let mut rows: Vec<(Reverse<usize>, String, Record<'_>)> = self
            .naming
            .iter()
            .filter(|(id, _)| !linked.iter().any(|record| fold(record.id()) == **id))
            .filter_map(|(id, all)| Some((Reverse(all.len()), id.clone(), records.find(id)?)))
            .collect();
        rows.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        let row = |(count, _, record): (Reverse<usize>, String, Record<'_>)| {
            let row = [
                ("id", record.id().into()),
                ("title", record.title().into()),
                ("status", record.status().into()),
                ("commit_count", count.0.into()),
            ];
            row.into_iter().map(|(key, value): (&str, Value)| (key.to_owned(), value)).collect()
        };
        Ok(rows.into_iter().map(row).collect())
    }
}

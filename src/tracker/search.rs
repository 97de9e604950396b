//! The postings of all items: built at the first search, kept beside the index, always fresh.
//!
//! A document is known by its file's path and bytes ([`corpus::key`]), so postings of other states of the tracker do
//! no harm: what matches no row is dead, what a row misses is read and added. The base holds the bulk; the delta is a
//! sequence of small segments, one for each search that found something new, merged when there are many.

use super::Tracker;
use crate::codec::item::{self, Format, MAX_ITEM_BYTES, Rules};
use crate::domain::search::builder::{self, Builder};
use crate::domain::search::corpus::{self, Corpus};
use crate::domain::search::document::texts;
use crate::domain::search::segment::Segment;
use crate::error::{Code, Error, Result};
use crate::model::checksum::checksum;
use crate::model::records::{Block, Record, Records};
use crate::store::{Source, index};

const BASE: &str = "search-v1.bin";
const DELTA: &str = "search-v1.delta";

/// From how many items on they are read on several threads.
const PARALLEL_FROM: usize = 64;

/// More segments than this in the delta are merged.
const DELTA_SEGMENTS: usize = 8;

/// The base is written anew when so many of its documents, one in so many, are dead or newer in the delta.
const STALE_SHARE: usize = 8;
const STALE_LEAST: usize = 64;

impl Tracker {
    /// Asks about the postings of all items; `ask` says `None` when it finds them damaged, and is then asked again.
    ///
    /// Errors: those of [`Tracker::records`].
    pub(crate) fn search<T>(&self, ask: &mut dyn FnMut(&Corpus<'_>) -> Option<T>) -> Result<T> {
        let records = self.records()?;
        let place = index::Place::of_root(self.root());
        let (base, delta) = (place.read(BASE), place.read(DELTA));
        if let Some(found) = self.ask(records, &place, bytes(base.as_ref()), bytes(delta.as_ref()), ask) {
            return Ok(found);
        }
        self.ask(records, &place, &[], &[], ask)
            .ok_or_else(|| Error::new(Code::Internal, "the postings of the search cannot be read"))
    }

    fn ask<T>(
        &self,
        records: &Records,
        place: &index::Place,
        base: &[u8],
        delta: &[u8],
        ask: &mut dyn FnMut(&Corpus<'_>) -> Option<T>,
    ) -> Option<T> {
        let (base, delta) = (segments(base), segments(delta));
        let old: Vec<Segment<'_>> = base.iter().chain(&delta).copied().collect();
        let known = Corpus::new(records, old.clone());
        let missing = known.missing();
        if missing.is_empty() {
            return ask(&known);
        }
        let fresh = self.build(records, &missing);
        let new: Vec<Segment<'_>> = fresh.iter().flat_map(|bytes| segments(bytes)).collect();
        let all = Corpus::new(records, old.into_iter().chain(new).collect());
        let found = ask(&all)?;
        save(place, &all, base.len(), delta.len());
        Some(found)
    }

    /// Segments of these rows' items.
    fn build(&self, records: &Records, rows: &[u32]) -> Vec<Vec<u8>> {
        let threads = match rows.len() {
            0..PARALLEL_FROM => 1,
            _ => std::thread::available_parallelism().map_or(1, |n| n.get().min(4)),
        };
        let status = self.status_rule();
        let rules = Rules::lenient(&status);
        let tree: &dyn Source = &self.tree;
        let share = rows.len().div_ceil(threads).max(1);
        std::thread::scope(|scope| {
            let start = |share| scope.spawn(move || build_share(tree, &rules, records, share));
            let shares: Vec<_> = rows.chunks(share).map(start).collect();
            shares.into_iter().filter_map(|share| share.join().ok()).collect()
        })
    }
}

fn bytes(block: Option<&Block>) -> &[u8] {
    block.map_or(&[], |block| (**block).as_ref())
}

/// The segments that these bytes begin with.
fn segments(mut bytes: &[u8]) -> Vec<Segment<'_>> {
    let mut all = Vec::new();
    while let Some((segment, rest)) = Segment::open(bytes) {
        all.push(segment);
        bytes = rest;
    }
    all
}

fn build_share(tree: &dyn Source, rules: &Rules<'_>, records: &Records, rows: &[u32]) -> Vec<u8> {
    let mut builder = Builder::default();
    for record in rows.iter().filter_map(|row| records.get(*row as usize)) {
        // A file that changed or went since the records were read is found by the next search.
        if let Some(item) = read(tree, rules, record) {
            builder.add(corpus::key(record), &texts(&item));
        }
    }
    builder.finish()
}

fn read(tree: &dyn Source, rules: &Rules<'_>, record: Record<'_>) -> Option<crate::model::item::Item> {
    let bytes = tree.read(record.path(), MAX_ITEM_BYTES).ok()?;
    if checksum(&bytes) != record.digest() {
        return None;
    }
    let format = if record.path().ends_with(".md") { Format::JsonMarkdown } else { Format::Toon };
    Some(item::decode(&bytes, format, rules).ok()?.item)
}

/// Keeps what was built for the next search; nobody minds when that fails.
fn save(place: &index::Place, corpus: &Corpus<'_>, base: usize, delta: usize) {
    let documents = |range: std::ops::Range<usize>| corpus.documents_of(range);
    let live =
        |offset: usize| move |segment: usize, document: u32| corpus.row(offset + segment, document).is_some();
    let copies = |segments: &[Segment<'_>]| segments.iter().map(|s| s.bytes().to_vec()).collect::<Vec<_>>();
    let all = corpus.segments();
    let stale = (0..base).map(|segment| corpus.dead(segment)).sum::<usize>() + documents(base..all.len());
    if base + delta == 0 {
        place.write(BASE, &copies(all), Some(DELTA));
    } else if base == 0 || stale > STALE_LEAST.max(documents(0..base) / STALE_SHARE) {
        if let Some(merged) = builder::merge(all, live(0)) {
            place.write(BASE, &[merged], Some(DELTA));
        }
    } else if all.len() - base > DELTA_SEGMENTS {
        if let Some(merged) = builder::merge(&all[base..], live(base)) {
            place.write(DELTA, &[merged], None);
        }
    } else {
        place.write(DELTA, &copies(&all[base..]), None);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::clock::Clock;
    use crate::domain::search::question::Question;
    use crate::domain::search::score::Searcher;
    use crate::environment::Env;
    use crate::tracker::Opening;

    const QUESTIONS: [&str; 5] = ["lock", "merge queue", "\"merge queue\"", "ord", "retry -clock"];

    fn answers(corpus: &Corpus<'_>, question: &str) -> Option<Vec<(u32, u32)>> {
        let found = Searcher::new(corpus, false).find(&Question::parse(question), &|_| true)?;
        let mut hits: Vec<(u32, u32)> = found.hits.iter().map(|hit| (hit.row, hit.score)).collect();
        hits.sort_unstable();
        Some(hits)
    }

    fn open(folder: &std::path::Path) -> Tracker {
        let env = Env::new(folder, []);
        Tracker::open(&Opening { pm_path: None, env: &env, clock: &Clock::System }).unwrap()
    }

    /// The answers of postings that were never kept.
    fn anew(tracker: &Tracker) -> Vec<Option<Vec<(u32, u32)>>> {
        let records = tracker.records().unwrap();
        let rows: Vec<u32> = (0..records.len() as u32).collect();
        let built = tracker.build(records, &rows);
        let corpus = Corpus::new(records, built.iter().flat_map(|bytes| segments(bytes)).collect());
        QUESTIONS.iter().map(|question| answers(&corpus, question)).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn postings_that_were_kept_answer_like_those_built_anew(
            steps in prop::collection::vec(
                prop::collection::vec(
                    (0..9u8, prop::option::weighted(0.8, "(lock|merge|retried|clock)( (queue|orders?|merge|locks)){0,4}")),
                    1..4,
                ),
                1..14,
            ),
        ) {
            let home = tempfile::tempdir().unwrap();
            let folder = home.path().join(".agents/pm/tasks");
            std::fs::create_dir_all(&folder).unwrap();
            for step in steps {
                for (n, text) in step {
                    let file = folder.join(format!("pm-{n}.toon"));
                    let Some(text) = text else {
                        let _ = std::fs::remove_file(file);
                        continue;
                    };
                    let item = format!(
                        "id: pm-{n}\ntitle: {text}\ndescription: \"\"\ntype: Task\nstatus: open\npriority: 2\ntags: []\n\
                        created_at: \"2026-01-01T00:00:00.000Z\"\nupdated_at: \"2026-01-01T00:00:00.000Z\"\nbody: \"\"\n"
                    );
                    std::fs::write(file, item).unwrap();
                }
                let tracker = open(home.path());
                let kept: Vec<_> = QUESTIONS
                    .iter()
                    .map(|question| tracker.search(&mut |corpus| answers(corpus, question)).ok())
                    .collect();
                prop_assert_eq!(kept, anew(&tracker));
            }
        }
    }
}

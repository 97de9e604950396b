//! The state of every file at one moment: what the index knows of it, or what was read just now.

use crate::model::records::{Place as RowPlace, Unreadable, pack, unpack};
use crate::store::source::{FileKind, Listing, Source, Stamp};

use super::Indexed;
use super::known::{Known, Seen, merge_few};
use super::layout::{Fingerprint, RETRY, Segment, SegmentWriter, UNREADABLE};
use super::place::Place;
use super::reading::{self, Job, Outcome};

/// A base of at most this many bytes is written anew with every change.
const SMALL: usize = 1 << 20;

/// A delta replaces at most one in so many of the base's files.
const DELTA_SHARE: usize = 50;

/// Where a file's row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// In the index, and where it starts in its segment.
    Known(Seen, u32),
    /// In the outcome with this number.
    Fresh(u32),
}

/// A file that exists. There may be very many: the numbers are small.
#[derive(Clone, Copy, Debug)]
struct State {
    folder: u32,
    /// Its number in the folder's listing.
    file: u32,
    origin: Origin,
    flags: u32,
}

/// A number of a file or folder; an index holds no more than fit.
fn narrow(n: usize) -> u32 {
    u32::try_from(n).expect("so many files do not fit into memory limits")
}

/// All files of a tracker at one moment.
pub(super) struct Snapshot<'a> {
    indexed: &'a dyn Indexed,
    known: &'a Known,
    listings: &'a [Listing],
    now_ns: i64,
    /// By folder, in the order of the listings.
    files: Vec<State>,
    jobs: Vec<(usize, Option<Seen>)>,
    outcomes: Vec<Outcome>,
    /// The rows of what was read.
    pub(super) blocks: Vec<Vec<u8>>,
}

impl<'a> Snapshot<'a> {
    /// Compares the stamps of listed files, taken after `now_ns`, with those that are known.
    pub(super) fn compare(
        indexed: &'a dyn Indexed,
        known: &'a Known,
        listings: &'a [Listing],
        now_ns: i64,
    ) -> Snapshot<'a> {
        let mut files = Vec::with_capacity(listings.iter().map(Listing::len).sum());
        let mut jobs = Vec::new();
        for (folder, listing) in (0u32..).zip(listings) {
            for (file, (entry, seen)) in (0u32..).zip(listing.iter().zip(known.matches(listing))) {
                let trusted = seen.and_then(|seen| Some((seen, known.file(seen)?))).filter(|(_, known)| {
                    entry.kind == FileKind::File && known.stamp == entry.stamp && known.flags & RETRY == 0
                });
                let (origin, flags) = match trusted {
                    Some((seen, known)) => (Origin::Known(seen, known.row), known.flags),
                    None => {
                        jobs.push((files.len(), seen));
                        (Origin::Fresh(narrow(jobs.len() - 1)), 0)
                    }
                };
                files.push(State { folder, file, origin, flags });
            }
        }
        Snapshot { indexed, known, listings, now_ns, files, jobs, outcomes: Vec::new(), blocks: Vec::new() }
    }

    /// Reads the files whose rows are not known.
    pub(super) fn read(&mut self, source: &dyn Source) {
        if self.jobs.is_empty() {
            return;
        }
        let job = |(file, seen): &(usize, Option<Seen>)| Job {
            known: seen.filter(|seen| self.is_row(*seen)).map(|seen| self.known.row(seen)),
            ..self.job(&self.files[*file])
        };
        let jobs: Vec<Job<'_>> = self.jobs.iter().map(job).collect();
        (self.outcomes, self.blocks) = reading::read(source, self.indexed, &jobs);
        for (number, (file, seen)) in self.jobs.iter().enumerate() {
            let state = self.files[*file];
            let stamp = self.listing(&state).get(state.file as usize).stamp;
            let racy = if stamp.is_racy(self.now_ns) { RETRY } else { 0 };
            let flags = match self.outcomes[number] {
                Outcome::Row(..) | Outcome::Gone => racy,
                Outcome::Unreadable { retry, .. } => UNREADABLE | if retry { RETRY } else { racy },
            };
            // Read again and found the same: nothing new for the index either.
            let same = seen.and_then(|seen| {
                let known = self.known.file(seen)?;
                let same = known.stamp == stamp
                    && known.flags == flags
                    && *self.known.row(seen) == *self.outcome_row(number);
                same.then_some(Origin::Known(seen, known.row))
            });
            let origin = same.unwrap_or(Origin::Fresh(narrow(number)));
            self.files[*file] = State { origin, flags, ..state };
        }
        let gone = |state: &State| match state.origin {
            Origin::Fresh(number) => self.outcomes[number as usize] == Outcome::Gone,
            Origin::Known(..) => false,
        };
        let mut files = std::mem::take(&mut self.files);
        files.retain(|state| !gone(state));
        self.files = files;
    }

    /// Whether what is known of a file is a row, and not why it has none.
    fn is_row(&self, seen: Seen) -> bool {
        self.known.file(seen).is_some_and(|file| file.flags & UNREADABLE == 0)
    }

    fn listing(&self, state: &State) -> &'a Listing {
        &self.listings[state.folder as usize]
    }

    fn job(&self, state: &State) -> Job<'a> {
        let listing = self.listing(state);
        let entry = listing.get(state.file as usize);
        Job { folder: &listing.folder, name: entry.name, kind: entry.kind, known: None }
    }

    /// The bytes that stand for an outcome, their length in front.
    fn outcome_row(&self, number: usize) -> std::borrow::Cow<'_, [u8]> {
        match &self.outcomes[number] {
            Outcome::Row(block, range) => self.blocks[*block][range.clone()].into(),
            Outcome::Gone => Vec::new().into(),
            Outcome::Unreadable { code, problem, .. } => {
                let mut row = vec![0; 4];
                pack(&mut row, code.as_str());
                pack(&mut row, problem);
                let length = u32::try_from(row.len()).unwrap_or(0);
                row[..4].copy_from_slice(&length.to_le_bytes());
                row.into()
            }
        }
    }

    fn row(&self, state: &State) -> std::borrow::Cow<'_, [u8]> {
        match state.origin {
            Origin::Known(seen, _) => self.known.row(seen).into(),
            Origin::Fresh(number) => self.outcome_row(number as usize),
        }
    }

    /// The readable files by folded id, then path.
    pub(super) fn order(&self) -> Vec<u32> {
        let mut of_base = vec![u32::MAX; self.known.base.as_ref().map_or(0, Segment::len)];
        let mut others = Vec::new();
        for (n, state) in (0u32..).zip(&self.files) {
            match state.origin {
                Origin::Known(Seen::Base(file), _) => of_base[file as usize] = n,
                _ if state.flags & UNREADABLE == 0 => others.push(n),
                _ => {}
            }
        }
        let sorted = self.known.base.iter().flat_map(Segment::order);
        let sorted = sorted.filter_map(|file| of_base.get(file as usize).copied());
        let sorted: Vec<u32> = sorted.filter(|n| *n != u32::MAX).collect();
        let compare = |a: &u32, b: &u32| {
            self.indexed.compare(&self.row(&self.files[*a as usize]), &self.row(&self.files[*b as usize]))
        };
        others.sort_by(compare);
        merge_few(sorted, others, compare)
    }

    /// Where the rows lie, in this order. Block 0 is the base, 1 the delta, then what was read.
    pub(super) fn places(&self, order: &[u32]) -> Vec<RowPlace> {
        let place = |state: &State| match state.origin {
            Origin::Known(seen, row) => Known::place_of(seen, row),
            Origin::Fresh(number) => match &self.outcomes[number as usize] {
                Outcome::Row(block, range) => RowPlace::new(2 + block, range.start),
                _ => RowPlace::default(),
            },
        };
        order.iter().map(|n| place(&self.files[*n as usize])).collect()
    }

    /// The files and folders that cannot be served.
    pub(super) fn unreadable(&self) -> Vec<Unreadable> {
        let mut unreadable = Vec::new();
        for state in self.files.iter().filter(|state| state.flags & UNREADABLE != 0) {
            let row = self.row(state);
            let mut facts = unpack(row.get(4..).unwrap_or_default());
            let code = facts.next().unwrap_or_default().to_owned();
            let problem = facts.next().unwrap_or_default().to_owned();
            unreadable.push(Unreadable { path: self.job(state).path(), code, problem });
        }
        for listing in self.listings {
            for name in &listing.refused {
                let path = match listing.folder.as_str() {
                    "" => name.clone(),
                    folder => format!("{folder}/{name}"),
                };
                let problem = "a symbolic link, a folder that cannot be opened, or a name that is no text";
                let code = self.indexed.refusal().as_str().to_owned();
                unreadable.push(Unreadable { path, code, problem: problem.to_owned() });
            }
        }
        unreadable
    }

    /// Whether the index does not say all this yet.
    pub(super) fn differs(&self) -> bool {
        let Some(base) = &self.known.base else {
            return true;
        };
        let live = (0..base.len()).filter(|file| !self.known.is_dead(*file)).count();
        let live = live + self.known.delta.as_ref().map_or(0, Segment::len);
        let kept = self.files.iter().filter(|state| matches!(state.origin, Origin::Known(..))).count();
        let folders = self.known.folders();
        let same_folders = folders.len() == self.listings.len()
            && folders
                .iter()
                .zip(self.listings)
                .all(|(known, listing)| known.path == listing.folder && known.stamp == self.lasting(listing));
        kept != live || kept != self.files.len() || !same_folders
    }

    /// The stamp by which a folder is known to be unchanged; none while it could change under the same stamp.
    /// Names that were refused are not kept, so a folder with such names is listed each time.
    fn lasting(&self, listing: &Listing) -> Stamp {
        if listing.refused.is_empty() && !listing.fleeting && !listing.stamp.is_racy(self.now_ns) {
            listing.stamp
        } else {
            Stamp::default()
        }
    }

    /// Writes what the index does not say yet: a delta when that is little, else all.
    pub(super) fn write(&self, place: &Place, fingerprint: &Fingerprint, order: &[u32]) {
        let in_base = |state: &State| matches!(state.origin, Origin::Known(Seen::Base(_), _));
        let kept = self.files.iter().filter(|state| in_base(state)).count();
        let changes = |base: &Segment| (base.len() - kept).max(self.files.len() - kept);
        let base = self.known.base.as_ref();
        let base = base.filter(|base| base.size() > SMALL && changes(base) * DELTA_SHARE <= base.len());
        let wanted = |state: &State| base.is_none() || !in_base(state);
        let mut writer = SegmentWriter::default();
        let mut rows = vec![0; self.files.len()];
        let unreadable = (0u32..).zip(&self.files).filter(|(_, state)| state.flags & UNREADABLE != 0);
        for n in order.iter().copied().chain(unreadable.map(|(n, _)| n)).map(|n| n as usize) {
            if wanted(&self.files[n]) {
                rows[n] = writer.row(&self.row(&self.files[n]));
            }
        }
        let mut numbers = vec![None; self.files.len()];
        let (mut written, mut rest) = (0u32, self.files.as_slice());
        for (folder, listing) in (0u32..).zip(self.listings) {
            let (here, after) = rest.split_at(rest.partition_point(|state| state.folder <= folder));
            let first = self.files.len() - rest.len();
            rest = after;
            writer.folder(&listing.folder, &self.lasting(listing), here.iter().filter(|s| wanted(s)).count());
            for (n, state) in (first..).zip(here).filter(|(_, state)| wanted(state)) {
                let entry = listing.get(state.file as usize);
                writer.file(entry.name, &entry.stamp, state.flags, rows[n]);
                numbers[n] = Some(written);
                written += 1;
            }
        }
        order.iter().filter_map(|n| numbers[*n as usize]).for_each(|number| writer.ordered(number));
        let [base_file, delta_file] = self.indexed.files();
        let Ok(generation) = getrandom::u64() else { return };
        match base {
            None => {
                if let Some(pieces) = writer.finish(fingerprint, generation, 0) {
                    place.write(base_file, &pieces, Some(delta_file));
                }
            }
            Some(base) => {
                let mut live = vec![false; base.len()];
                for state in &self.files {
                    if let Origin::Known(Seen::Base(file), _) = state.origin {
                        live[file as usize] = true;
                    }
                }
                (0u32..).zip(&live).filter(|(_, live)| !**live).for_each(|(file, _)| writer.dead(file));
                if let Some(pieces) = writer.finish(fingerprint, generation, base.generation) {
                    place.write(delta_file, &pieces, None);
                }
            }
        }
    }
}

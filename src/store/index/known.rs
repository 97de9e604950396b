//! What an index knows: a base, and perhaps a delta on top of it.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;

use super::layout::{Check, File, Fingerprint, Folder, Segment};
use super::place::Place;
use super::{Indexed, Reader};
use crate::model::records::{Block, Place as RowPlace, is_sound};
use crate::store::source::{FileKind, Listing, Remembered, Stamp};

/// A file that the index knows: in which segment, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    Base(u32),
    Delta(u32),
}

/// The segments that belong together.
#[derive(Default)]
pub(super) struct Known {
    pub(super) base: Option<Segment>,
    pub(super) delta: Option<Segment>,
    /// Per file of the base: not to be used, because the delta has it or it is gone.
    dead: Vec<bool>,
}

impl Known {
    /// Opens what lies in a place; nothing when it is of no use.
    pub(super) fn open(
        place: &Place,
        indexed: &dyn Indexed,
        fingerprint: &Fingerprint,
        check: Check,
    ) -> Known {
        let [base, delta] = indexed.files();
        let open = |name| place.read(name).and_then(|data| Segment::open(data, fingerprint, check));
        let Some(base) = open(base).filter(|base| base.base == 0) else {
            return Known::default();
        };
        let delta = open(delta).filter(|delta| delta.base == base.generation);
        let mut dead = vec![false; base.len()];
        for file in delta.iter().flat_map(Segment::dead) {
            if let Some(dead) = dead.get_mut(file as usize) {
                *dead = true;
            }
        }
        Known { base: Some(base), delta, dead }
    }

    pub(super) fn file(&self, seen: Seen) -> Option<File> {
        let (segment, n) = self.segment(seen);
        segment.map(|segment| segment.file(n))
    }

    /// The row of a file, its length in front.
    pub(super) fn row(&self, seen: Seen) -> &[u8] {
        let (segment, n) = self.segment(seen);
        segment.map_or(&[], |segment| segment.row(segment.file(n).row as usize))
    }

    /// Where the row of a file lies among [`Known::into_blocks`]; it starts there in its segment.
    pub(super) fn place_of(seen: Seen, row: u32) -> RowPlace {
        let block = if matches!(seen, Seen::Base(_)) { 0 } else { 1 };
        RowPlace::new(block, row as usize)
    }

    /// The blocks that the rows lie in: that of the base, then that of the delta.
    pub(super) fn into_blocks(self) -> Vec<Block> {
        let block =
            |segment: Option<Segment>| segment.map_or_else(|| Box::new([]) as Block, Segment::into_block);
        vec![block(self.base), block(self.delta)]
    }

    /// Where the rows of all items lie, in order; `None` when a row that this was decided by is damaged.
    pub(super) fn places(&self, reader: &Reader<'_>) -> Option<Vec<RowPlace>> {
        let numbers =
            |segment: &Option<Segment>| -> Vec<u32> { segment.iter().flat_map(Segment::order).collect() };
        let alive = |file: &u32| !self.is_dead(*file as usize);
        let of_base = numbers(&self.base).into_iter().filter(alive).map(Seen::Base);
        let of_delta = numbers(&self.delta).into_iter().map(Seen::Delta);
        let mut damaged = false;
        let order = merge_few(of_base.collect(), of_delta.collect(), |a, b| {
            let rows = [self.row(*a), self.row(*b)];
            damaged |= !rows.iter().all(|row| is_sound(row));
            reader.compare(rows[0], rows[1])
        });
        let place = |seen| Known::place_of(seen, self.file(seen).map_or(0, |file| file.row));
        (!damaged).then(|| order.into_iter().map(place).collect())
    }

    fn name(&self, seen: Seen) -> &[u8] {
        let (segment, n) = self.segment(seen);
        segment.map_or(&[], |segment| segment.name(n))
    }

    fn segment(&self, seen: Seen) -> (Option<&Segment>, usize) {
        match seen {
            Seen::Base(n) => (self.base.as_ref(), n as usize),
            Seen::Delta(n) => (self.delta.as_ref(), n as usize),
        }
    }

    /// The folders as they were when the index was last written.
    pub(super) fn folders(&self) -> &[Folder] {
        self.delta.as_ref().or(self.base.as_ref()).map_or(&[], Segment::folders)
    }

    pub(super) fn is_dead(&self, base_file: usize) -> bool {
        self.dead.get(base_file).copied().unwrap_or(true)
    }

    /// The files of a folder that has borne this stamp ever since it was listed.
    pub(super) fn recall(&self, folder: &str, stamp: &Stamp) -> Option<Remembered> {
        let known = self.folders().iter().find(|known| known.path == folder)?;
        if known.stamp != *stamp || *stamp == Stamp::default() {
            return None;
        }
        let mut listing = Listing::new(folder, *stamp);
        for seen in self.files_of(folder) {
            listing.push(std::str::from_utf8(self.name(seen)).ok()?, FileKind::Other, Stamp::default());
        }
        let below = self.folders().iter().filter_map(|other| {
            let (parent, name) = other.path.rsplit_once('/').unwrap_or(("", &other.path));
            (parent == folder && !name.is_empty()).then(|| name.to_owned())
        });
        Some(Remembered { below: below.collect(), listing: listing.remembered() })
    }

    fn files_of(&self, folder: &str) -> impl Iterator<Item = Seen> {
        let in_base = files_of(self.base.as_ref(), folder).filter(|file| !self.is_dead(*file as usize));
        in_base.map(Seen::Base).chain(files_of(self.delta.as_ref(), folder).map(Seen::Delta))
    }

    /// For each file of a listing, what the index knows under its name.
    pub(super) fn matches(&self, listing: &Listing) -> Vec<Option<Seen>> {
        // A folder that changed little lists its files in the old order, but for a few.
        let known: Vec<Seen> = self.files_of(&listing.folder).collect();
        if listing.is_remembered() && known.len() == listing.len() {
            return known.into_iter().map(Some).collect();
        }
        let mut found = vec![None; listing.len()];
        let (mut missing, mut skipped) = (Vec::new(), Vec::new());
        let mut rest = known.as_slice();
        for (n, entry) in listing.iter().enumerate() {
            let same = |seen: &Seen| self.name(*seen) == entry.name.as_bytes();
            match rest.iter().take(8).position(same) {
                Some(at) => {
                    found[n] = Some(rest[at]);
                    skipped.extend_from_slice(&rest[..at]);
                    rest = &rest[at + 1..];
                }
                None => missing.push(n),
            }
        }
        if missing.is_empty() {
            return found;
        }
        let by_name: HashMap<&[u8], Seen> =
            skipped.iter().chain(rest).map(|seen| (self.name(*seen), *seen)).collect();
        for n in missing {
            found[n] = by_name.get(listing.get(n).name.as_bytes()).copied();
        }
        found
    }
}

/// Merges two sorted lists of which the second is short: each of its entries finds its place by bisection.
pub(super) fn merge_few<T: Copy>(
    many: Vec<T>,
    few: Vec<T>,
    mut compare: impl FnMut(&T, &T) -> Ordering,
) -> Vec<T> {
    match (many.is_empty(), few.is_empty()) {
        (_, true) => return many,
        (true, false) => return few,
        (false, false) => {}
    }
    let mut merged = Vec::with_capacity(many.len() + few.len());
    let mut rest = many.as_slice();
    for one in few {
        let (before, after) = rest.split_at(rest.partition_point(|other| compare(other, &one).is_le()));
        merged.extend_from_slice(before);
        merged.push(one);
        rest = after;
    }
    merged.extend_from_slice(rest);
    merged
}

fn files_of(segment: Option<&Segment>, folder: &str) -> Range<u32> {
    let folder = segment.and_then(|segment| segment.folders().iter().find(|f| f.path == folder));
    // A segment holds no more files than its numbers can name.
    let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    folder.map_or(0..0, |folder| narrow(folder.first)..narrow(folder.first + folder.files))
}

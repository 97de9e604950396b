//! What an index knows: a base, and perhaps a delta on top of it.

use std::collections::HashMap;
use std::ops::Range;

use super::layout::{File, Fingerprint, Folder, Segment};
use super::place::{BASE, DELTA, Place};
use crate::store::source::Listing;

/// A file that the index knows: in which segment, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    Base(usize),
    Delta(usize),
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
    pub(super) fn open(place: &Place, fingerprint: &Fingerprint) -> Known {
        let open = |name| place.read(name).and_then(|data| Segment::open(data, fingerprint));
        let Some(base) = open(BASE).filter(|base| base.base == 0) else {
            return Known::default();
        };
        let delta = open(DELTA).filter(|delta| delta.base == base.generation);
        let mut dead = vec![false; base.len()];
        for file in delta.iter().flat_map(Segment::dead) {
            if let Some(dead) = dead.get_mut(file as usize) {
                *dead = true;
            }
        }
        Known { base: Some(base), delta, dead }
    }

    pub(super) fn file(&self, seen: Seen) -> Option<File<'_>> {
        let (segment, n) = self.segment(seen);
        segment.map(|segment| segment.file(n))
    }

    /// The row of a file, its length in front.
    pub(super) fn row(&self, seen: Seen) -> &[u8] {
        let (segment, n) = self.segment(seen);
        segment.map_or(&[], |segment| segment.row(segment.file(n).row))
    }

    fn segment(&self, seen: Seen) -> (Option<&Segment>, usize) {
        match seen {
            Seen::Base(n) => (self.base.as_ref(), n),
            Seen::Delta(n) => (self.delta.as_ref(), n),
        }
    }

    /// The folders as they were when the index was last written.
    pub(super) fn folders(&self) -> &[Folder] {
        self.delta.as_ref().or(self.base.as_ref()).map_or(&[], Segment::folders)
    }

    pub(super) fn is_dead(&self, base_file: usize) -> bool {
        self.dead.get(base_file).copied().unwrap_or(true)
    }

    /// For each file of a listing, what the index knows under its name.
    pub(super) fn matches(&self, listing: &Listing) -> Vec<Option<Seen>> {
        let mut found = vec![None; listing.len()];
        let in_base = files_of(self.base.as_ref(), &listing.folder);
        let in_delta = files_of(self.delta.as_ref(), &listing.folder);
        let mut missing = Vec::new();
        let mut skipped = Vec::new();
        // A folder that changed little lists its files in the old order.
        let mut next = in_base.start;
        if let Some(base) = &self.base {
            for (n, entry) in listing.iter().enumerate() {
                let near = next..in_base.end.min(next + 8);
                match near.clone().find(|file| !self.is_dead(*file) && base.file(*file).name == entry.name) {
                    Some(file) => {
                        found[n] = Some(Seen::Base(file));
                        skipped.extend(next..file);
                        next = file + 1;
                    }
                    None => missing.push(n),
                }
            }
        }
        if missing.is_empty() {
            return found;
        }
        let rest = skipped.into_iter().chain(next..in_base.end).filter(|file| !self.is_dead(*file));
        let rest = rest.map(Seen::Base).chain(in_delta.map(Seen::Delta));
        let by_name: HashMap<&str, Seen> =
            rest.filter_map(|seen| Some((self.file(seen)?.name, seen))).collect();
        for n in missing {
            found[n] = by_name.get(listing.get(n).name).copied();
        }
        found
    }
}

fn files_of(segment: Option<&Segment>, folder: &str) -> Range<usize> {
    let folder = segment.and_then(|segment| segment.folders().iter().find(|f| f.path == folder));
    folder.map_or(0..0, |folder| folder.first..folder.first + folder.files)
}

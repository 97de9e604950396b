//! The index: the records and the events of a tracker without reading its files again (stack.md §3, product.md §6).
//! There are three, of item files, of history streams and of the sizes of those; what a row is they say themselves
//! ([`Indexed`]).
//!
//! A file's row is kept together with the file's stamp. Every load lists every folder and takes the stamp of every
//! file, and reads those files whose stamp differs; so an answer never depends on the index, only its speed does.
//! The index is a cache: bytes that are not exactly what we wrote are ignored, and written anew.
//!
//! - A stamp that is so young that a later change might bear the same one is not trusted (Git's racy rule).
//! - Few changes go into a delta file beside the base, so that one edit among many items stays cheap.
//! - Readers take no lock: files are replaced by rename. Of several writers one writes, the others do without.

mod items;
mod known;
mod layout;
mod place;
mod reading;
mod sizes;
mod snapshot;
mod streams;

pub(super) use place::map;
use std::cmp::Ordering;
use std::io;

use sha2::{Digest, Sha256};

use crate::clock::Clock;
use crate::domain::stream_sizes::{self, StreamSize};
use crate::error::Code;
use crate::model::events::Events;
use crate::model::records::{Block, Place as RowPlace, Records, Unreadable, row_in};
use crate::store::source::{Listing, Recall, Source, Stamp};

pub use items::Reader;
use known::Known;
use layout::{Check, FORMAT, Fingerprint};
pub use place::{IndexFile, Place};
use reading::{Job, Outcome};
use sizes::Sizes;
use snapshot::Snapshot;
use streams::Streams;

/// What an index is of: which files there are, how one of them becomes a row, how rows are ordered.
trait Indexed: Sync {
    /// The names of the index's own files: the whole, and what changed since it was written.
    fn files(&self) -> [&'static str; 2];
    /// Names what rows depend on besides their files: an index of another key is of no use.
    fn key(&self) -> &[u8];
    /// The folders, with a stamp of every file taken now.
    fn scan(&self, source: &dyn Source, recall: &Recall<'_>) -> io::Result<Vec<Listing>>;
    /// Appends the row of a file to a block, its length in front.
    fn read(&self, source: &dyn Source, job: &Job<'_>, block: &mut Vec<u8>) -> Result<(), Outcome>;
    /// Compares two rows.
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering;
    /// The code of a file that the system does not let us read.
    fn refusal(&self) -> Code;
}

/// The rows of everything that is indexed, in order, and the files that could not be read.
struct Loaded {
    blocks: Vec<Block>,
    places: Vec<RowPlace>,
    unreadable: Vec<Unreadable>,
}

/// Reads the records of a tracker, with the help of the index in `place` and for the benefit of the next load.
///
/// Errors: the root cannot be listed. Single files and folders that cannot be read are in
/// [`Records::unreadable`].
pub fn load(source: &dyn Source, reader: &Reader<'_>, place: Option<&Place>) -> io::Result<Records> {
    let Loaded { blocks, places, unreadable } = load_rows(source, reader, place)?;
    Ok(Records::from_sorted(blocks, places, unreadable))
}

/// Reads the events of all histories, with the help of the index in `place` and for the benefit of the next load.
///
/// Of a stream that only grew since the last load only the new lines are parsed.
///
/// Errors: the folder of the histories cannot be listed. Single streams that cannot be read are in
/// [`Events::unreadable`].
pub fn load_events(source: &dyn Source, place: Option<&Place>) -> io::Result<Events> {
    let Loaded { blocks, places, unreadable } = load_rows(source, &Streams, place)?;
    Ok(Events::from_sorted(blocks, places, unreadable))
}

/// Measures all history streams that can be read: the size of each with its id, in the order of ids; with the help of
/// the index in `place` and for the benefit of the next load.
///
/// Errors: the folder of the histories cannot be listed.
pub fn load_sizes(source: &dyn Source, place: Option<&Place>) -> io::Result<Vec<(String, StreamSize)>> {
    let Loaded { blocks, places, .. } = load_rows(source, &Sizes, place)?;
    let sizes = places.iter().map(|place| stream_sizes::of_row(row_in(&blocks, *place)));
    Ok(sizes.map(|(id, size)| (id.to_owned(), size)).collect())
}

fn load_rows(source: &dyn Source, indexed: &dyn Indexed, place: Option<&Place>) -> io::Result<Loaded> {
    let fingerprint = fingerprint(source, indexed);
    let known = place.map(|place| Known::open(place, indexed, &fingerprint, Check::All)).unwrap_or_default();
    // Milliseconds will do: the racy rule allows for much more.
    let now_ns = Clock::System.now().saturating_mul(1_000_000);
    let listings = indexed.scan(source, &|folder, stamp| known.recall(folder, stamp))?;
    let mut snapshot = Snapshot::compare(indexed, &known, &listings, now_ns);
    snapshot.read(source);
    let order = snapshot.order();
    if let Some(place) = place
        && snapshot.differs()
    {
        snapshot.write(place, &fingerprint, &order);
    }
    let (places, unreadable) = (snapshot.places(&order), snapshot.unreadable());
    let fresh = snapshot.blocks;
    let mut blocks = known.into_blocks();
    blocks.extend(fresh.into_iter().map(|block| Box::new(block) as Block));
    Ok(Loaded { blocks, places, unreadable })
}

/// Looks at the records as the last load left them, when no item was created, moved or removed since: it takes
/// the stamps of the folders, not of the files, so that it costs the same however many items there are.
///
/// Which items there are is right; what is in them may be older than an edit in place. Good for completing and finding
/// ids, never for answers about items. `None` when there is no such index: then [`load`].
pub fn glance<T>(
    source: &dyn Source,
    reader: &Reader<'_>,
    place: &Place,
    look: impl FnOnce(&Records) -> T,
) -> Option<T> {
    let known = Known::open(place, reader, &fingerprint(source, reader), Check::RowsLater);
    let unchanged = known.folders().iter().all(|folder| {
        folder.stamp != Stamp::default() && source.folder_stamp(&folder.path) == Some(folder.stamp)
    });
    if known.folders().is_empty() || !unchanged {
        return None;
    }
    let places = known.places(reader)?;
    let records = Records::from_sorted(known.into_blocks(), places, Vec::new()).unchecked();
    let seen = look(&records);
    (!records.is_damaged()).then_some(seen)
}

fn fingerprint(source: &dyn Source, indexed: &dyn Indexed) -> Fingerprint {
    let mut digest = Sha256::new();
    digest.update(concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")));
    digest.update(FORMAT.to_le_bytes());
    source.identity().iter().for_each(|part| digest.update(part.to_le_bytes()));
    digest.update(indexed.key());
    digest.finalize().into()
}

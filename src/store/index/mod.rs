//! The index: the records of a tracker without reading its files again (stack.md §3, product.md §6).
//!
//! A file's row is kept together with the file's stamp. Every load lists every folder and takes the stamp of every
//! file, and reads those files whose stamp differs; so an answer never depends on the index, only its speed does.
//! The index is a cache: bytes that are not exactly what we wrote are ignored, and written anew.
//!
//! - A stamp that is so young that a later change might bear the same one is not trusted (Git's racy rule).
//! - Few changes go into a delta file beside the base, so that one edit among many items stays cheap.
//! - Readers take no lock: files are replaced by rename. Of several writers one writes, the others do without.

mod known;
mod layout;
mod place;
mod reading;
mod snapshot;

use std::io;

use sha2::{Digest, Sha256};

use crate::clock::Clock;
use crate::codec::item::Rules;
use crate::model::records::{Block, Records};
use crate::store::source::{Source, Stamp};

use known::Known;
use layout::{Check, FORMAT, Fingerprint};
pub use place::Place;
use snapshot::Snapshot;

/// How item files are to be read.
pub struct Reader<'a> {
    /// What the decoder must know.
    pub rules: &'a Rules<'a>,
    /// Names those rules: an index made by rules of another key is of no use.
    pub key: &'a [u8],
}

/// Reads the records of a tracker, with the help of the index in `place` and for the benefit of the next load.
///
/// Errors: the root cannot be listed. Single files and folders that cannot be read are in
/// [`Records::unreadable`].
pub fn load(source: &dyn Source, reader: &Reader<'_>, place: Option<&Place>) -> io::Result<Records> {
    let fingerprint = fingerprint(source, reader.key);
    let known = place.map(|place| Known::open(place, &fingerprint, Check::All)).unwrap_or_default();
    // Milliseconds will do: the racy rule allows for much more.
    let now_ns = Clock::System.now().saturating_mul(1_000_000);
    let listings = source.scan(&|folder, stamp| known.recall(folder, stamp))?;
    let mut snapshot = Snapshot::compare(&known, &listings, now_ns);
    snapshot.read(source, reader.rules);
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
    Ok(Records::from_sorted(blocks, places, unreadable))
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
    let known = Known::open(place, &fingerprint(source, reader.key), Check::RowsLater);
    let unchanged = known.folders().iter().all(|folder| {
        folder.stamp != Stamp::default() && source.folder_stamp(&folder.path) == Some(folder.stamp)
    });
    if known.folders().is_empty() || !unchanged {
        return None;
    }
    let places = known.places()?;
    let records = Records::from_sorted(known.into_blocks(), places, Vec::new()).unchecked();
    let seen = look(&records);
    (!records.is_damaged()).then_some(seen)
}

fn fingerprint(source: &dyn Source, key: &[u8]) -> Fingerprint {
    let mut digest = Sha256::new();
    digest.update(concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")));
    digest.update(FORMAT.to_le_bytes());
    source.identity().iter().for_each(|part| digest.update(part.to_le_bytes()));
    digest.update(key);
    digest.finalize().into()
}

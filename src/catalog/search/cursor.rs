//! A cursor names the last hit of a page and belongs to one query: the next page begins after that hit's place, wherever
//! it stands now, or where it would stand when it is gone. There is no offset, so nothing is skipped when the catalog
//! was built anew in between.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use sha2::{Digest as _, Sha256};

use super::query::Query;
use super::rank::{Hit, Kind};
use super::refusal::cursor_refused;
use crate::codec::json;
use crate::error::Result;

const VERSION: u8 = 1;

/// Bytes of the hash of the query, and of the checksum at the end.
const BOUND: usize = 8;

/// The longest cursor that is looked at; a slug has 63 characters.
const LONGEST: usize = 400;

/// The hit that a cursor names.
#[derive(Debug, PartialEq)]
pub(super) struct After {
    rank: u32,
    kind: Kind,
    name: String,
}

/// The cursor after a hit.
pub(super) fn write(hit: &Hit<'_>, query: &Query) -> String {
    let mut bytes = vec![VERSION];
    bytes.extend(bound(query));
    bytes.extend(hit.rank.to_be_bytes());
    bytes.push(hit.kind as u8);
    bytes.extend(hit.name.as_bytes());
    bytes.extend(digest(&bytes));
    BASE64.encode(bytes)
}

/// The first bytes of the hash of some bytes.
fn digest(bytes: &[u8]) -> [u8; BOUND] {
    let hash = Sha256::digest(bytes);
    std::array::from_fn(|n| hash[n])
}

fn bound(query: &Query) -> [u8; BOUND] {
    digest(json::stable(&query.normal()).as_bytes())
}

/// What a cursor names.
///
/// Errors: `CURSOR_REFUSED` for what is none, is of another version, or belongs to another query.
pub(super) fn read(text: &str, query: &Query) -> Result<After> {
    let decoded = if text.len() > LONGEST { None } else { BASE64.decode(text).ok() };
    let Some((version, rest)) = decoded.as_deref().and_then(<[u8]>::split_first) else {
        return Err(cursor_refused(text, "is none of those that a search gave"));
    };
    if *version != VERSION {
        return Err(cursor_refused(text, "is of another version; begin again without it"));
    }
    let bytes = decoded.as_deref().unwrap_or_default();
    let whole = bytes.len().checked_sub(BOUND).map(|at| bytes.split_at(at));
    let intact = whole.filter(|(content, sum)| digest(content)[..] == **sum).is_some();
    let parts = rest.len().checked_sub(BOUND).filter(|_| intact).map(|end| &rest[..end]);
    let Some((query_of, place)) = parts.and_then(|parts| parts.split_at_checked(BOUND)) else {
        return Err(cursor_refused(text, "is damaged"));
    };
    if query_of != bound(query) {
        return Err(cursor_refused(text, "belongs to another query; begin again without it"));
    }
    let after = place.split_first_chunk::<4>().and_then(|(rank, rest)| {
        let (kind, name) = rest.split_first()?;
        let kind = [Kind::Topic, Kind::Runbook].into_iter().find(|known| *known as u8 == *kind)?;
        Some(After {
            rank: u32::from_be_bytes(*rank),
            kind,
            name: std::str::from_utf8(name).ok()?.to_owned(),
        })
    });
    after.ok_or_else(|| cursor_refused(text, "is damaged"))
}

/// Where the page after a hit begins.
pub(super) fn place(hits: &[Hit<'_>], after: &After) -> usize {
    match hits.iter().position(|hit| hit.kind == after.kind && hit.name == after.name) {
        Some(at) => at + 1,
        None => hits.partition_point(|hit| hit.compare(after.rank, &after.name, after.kind).is_lt()),
    }
}

//! The index of item files: one row an item, by folded id.

use std::cmp::Ordering;
use std::io;

use super::Indexed;
use super::reading::{Job, Outcome};
use crate::codec::front;
use crate::codec::item::{self, Format, ItemError, MAX_ITEM_BYTES, Rules};
use crate::error::Code;
use crate::model::checksum::checksum;
use crate::model::front::Front;
use crate::model::records::{compare_rows, write_row};
use crate::store::source::{FileKind, Listing, ReadError, Recall, Source};

/// How item files are to be read.
pub struct Reader<'a> {
    /// What the decoder must know.
    pub rules: &'a Rules<'a>,
    /// Names those rules: an index made by rules of another key is of no use.
    pub key: &'a [u8],
}

/// The names of this index.
pub(super) const FILES: [&str; 2] = ["index-v1.bin", "index-v1.delta"];

impl Indexed for Reader<'_> {
    fn files(&self) -> [&'static str; 2] {
        FILES
    }

    fn key(&self) -> &[u8] {
        self.key
    }

    fn scan(&self, source: &dyn Source, recall: &Recall<'_>) -> io::Result<Vec<Listing>> {
        source.scan(recall)
    }

    fn read(&self, source: &dyn Source, job: &Job<'_>, block: &mut Vec<u8>) -> Result<(), Outcome> {
        let path = job.path();
        let refuse = |code, problem: String, retry| Err(Outcome::Unreadable { code, problem, retry });
        if job.kind == FileKind::Symlink {
            return refuse(Code::ItemFileUnreadable, ReadError::Symlink.to_string(), true);
        }
        let bytes = match source.read(&path, MAX_ITEM_BYTES) {
            Ok(bytes) => bytes,
            Err(ReadError::NotFound) => return Err(Outcome::Gone),
            Err(error @ ReadError::TooLarge { .. }) => {
                return refuse(Code::ItemDocumentInvalid, error.to_string(), false);
            }
            Err(error) => return refuse(Code::ItemFileUnreadable, error.to_string(), true),
        };
        let format = if path.ends_with(".md") { Format::JsonMarkdown } else { Format::Toon };
        if format == Format::Toon
            && let Some(front) = front::scan(&bytes, self.rules)
        {
            if let Some(problem) = item::misnamed(&path, front.text("id").unwrap_or_default()) {
                return refuse(Code::ItemDocumentInvalid, problem, false);
            }
            write_row(&path, &front, checksum(&bytes), block);
            return Ok(());
        }
        match item::decode(&bytes, format, self.rules) {
            Ok(decoded) => {
                if let Some(problem) = item::misnamed(&path, decoded.item.id()) {
                    return refuse(Code::ItemDocumentInvalid, problem, false);
                }
                write_row(&path, &Front::from_item(&decoded.item), checksum(&bytes), block);
                Ok(())
            }
            Err(error) => {
                let code = match error {
                    ItemError::ConflictMarkers { .. } => Code::MergeConflictMarkers,
                    ItemError::UnknownFields { .. } => Code::ItemUnknownSchemaFields,
                    ItemError::Invalid { .. } => Code::ItemDocumentInvalid,
                };
                refuse(code, error.to_string(), false)
            }
        }
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        compare_rows(a, b)
    }

    fn refusal(&self) -> Code {
        Code::ItemFileUnreadable
    }
}

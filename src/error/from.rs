//! From each lower error to [`Error`]: the one place that decides whose fault it is.

use super::{Code, Error};
use crate::codec::item::ItemError;

impl From<ItemError> for Error {
    fn from(error: ItemError) -> Error {
        let code = match &error {
            ItemError::ConflictMarkers { .. } => Code::MergeConflictMarkers,
            ItemError::Invalid { .. } => Code::ItemDocumentInvalid,
        };
        Error::new(code, error.to_string()).because(error)
    }
}

//! From each lower error to [`Error`]: the one place that decides whose fault it is.

use super::{Code, Error};
use crate::codec::item::ItemError;
use crate::store::LockError;
use crate::store::git::GitError;
use crate::store::paths::PlaceError;

impl From<ItemError> for Error {
    fn from(error: ItemError) -> Error {
        let code = match &error {
            ItemError::ConflictMarkers { .. } => Code::MergeConflictMarkers,
            ItemError::UnknownFields { .. } => Code::ItemUnknownSchemaFields,
            ItemError::Invalid { .. } => Code::ItemDocumentInvalid,
        };
        let mut refused = Error::new(code, error.to_string());
        if let ItemError::UnknownFields { keys } = &error {
            refused = refused.fact("unknown_fields", keys.clone());
            let plain = |key: &&String| {
                key.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
            };
            refused = keys
                .iter()
                .filter(plain)
                .fold(refused, |refused, key| refused.hint(format!("pm schema add-field {key}")));
            refused = refused.hint("pm config set schema-unknown-field-policy warn");
        }
        refused.because(error)
    }
}

impl From<PlaceError> for Error {
    fn from(error: PlaceError) -> Error {
        let code = match &error {
            PlaceError::Nowhere(_) | PlaceError::BareRepository(_) | PlaceError::NotATracker(_) => {
                Code::TrackerNotInitialized
            }
            PlaceError::Missing(_) => Code::TrackerRootMissing,
            PlaceError::NotAFolder(_) => Code::TrackerRootNotDirectory,
            PlaceError::Unreadable(_) => Code::TrackerRootUnreadable,
        };
        let hint = match &error {
            PlaceError::Nowhere(_) => Some("pm init".to_owned()),
            PlaceError::BareRepository(_) => Some("git worktree add ../work".to_owned()),
            PlaceError::NotATracker(path) | PlaceError::Missing(path) => {
                Some(format!("pm --pm-path '{}' init", path.display()))
            }
            PlaceError::NotAFolder(_) | PlaceError::Unreadable(_) => None,
        };
        let failed = Error::new(code, error.to_string()).because(error);
        hint.into_iter().fold(failed, Error::hint)
    }
}

impl From<LockError> for Error {
    fn from(error: LockError) -> Error {
        let message = error.to_string();
        match error {
            LockError::Held { id, waited, .. } => {
                let waited = u64::try_from(waited.as_millis()).unwrap_or(u64::MAX);
                Error::new(Code::LockConflict, message)
                    .at(format!("locks/{id}.lock"))
                    .fact("retry_after_ms", 250)
                    .fact("waited_ms", waited)
                    .hint("pm health --check-only")
            }
            LockError::Stale { id, .. } => {
                Error::new(Code::LockStale, format!("{message}; `--force` takes it over"))
                    .at(format!("locks/{id}.lock"))
            }
            LockError::Io { source, .. } => Error::new(Code::Internal, message).because(source),
        }
    }
}

impl From<GitError> for Error {
    fn from(error: GitError) -> Error {
        let code = match error {
            GitError::Unavailable(_) => Code::GitUnavailable,
            GitError::Refused(_) => Code::RepositoryUnreadable,
        };
        Error::new(code, error.to_string()).because(error)
    }
}

//! The folders in which the client works.

use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a call waits for the client to name its folders.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is known of them.
#[derive(Default)]
pub(super) struct Roots {
    state: Mutex<State>,
    told: Condvar,
}

#[derive(Default)]
struct State {
    /// The client was asked and has not answered.
    asked: bool,
    folders: Vec<PathBuf>,
}

impl Roots {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The client is asked for them.
    pub(super) fn ask(&self) {
        self.state().asked = true;
    }

    /// The client has answered; nothing when it could not.
    pub(super) fn tell(&self, uris: Option<Vec<String>>) {
        let mut state = self.state();
        state.asked = false;
        if let Some(uris) = uris {
            state.folders = uris.iter().filter_map(|uri| folder(uri)).collect();
        }
        drop(state);
        self.told.notify_all();
    }

    /// The folders; waits a moment when the client was asked for them and has not answered.
    pub(super) fn folders(&self) -> Vec<PathBuf> {
        let waited = self.told.wait_timeout_while(self.state(), PATIENCE, |state| state.asked);
        let (mut state, late) = waited.unwrap_or_else(PoisonError::into_inner);
        if late.timed_out() {
            state.asked = false;
        }
        state.folders.clone()
    }
}

/// The folder of a `file://` address.
fn folder(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://")?;
    let path = &path[path.find('/')?..];
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        bytes.push(match byte {
            b'%' => u8::try_from(digit(rest.next())? * 16 + digit(rest.next())?).ok()?,
            other => other,
        });
    }
    // `file:///C:/work` on the systems that have drives.
    let path = String::from_utf8(bytes).ok()?;
    let drive = path.as_bytes().get(2) == Some(&b':');
    Some(PathBuf::from(if drive { &path[1..] } else { &path }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_folders() {
        assert_eq!(folder("file:///a%20b/c"), Some(PathBuf::from("/a b/c")));
        assert_eq!(folder("file://host/c"), Some(PathBuf::from("/c")));
        assert_eq!(folder("file:///C:/work"), Some(PathBuf::from("C:/work")));
        assert_eq!(folder("https://x/y"), None);
    }

    #[test]
    fn an_answer_ends_the_wait() {
        let roots = Roots::default();
        assert!(roots.folders().is_empty());
        roots.ask();
        roots.tell(Some(vec!["file:///a".to_owned(), "https://x".to_owned()]));
        assert_eq!(roots.folders(), [PathBuf::from("/a")]);
        roots.ask();
        roots.tell(None);
        assert_eq!(roots.folders(), [PathBuf::from("/a")]);
    }
}

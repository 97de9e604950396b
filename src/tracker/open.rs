//! Opening a tracker: find it, look at what it says about itself.

use std::cell::{OnceCell, RefCell};

use super::Tracker;
use crate::clock::Clock;
use crate::environment::Env;
use crate::error::{Code, Error, Result};
use crate::ids::Tokens;
use crate::store::fault::Fault;
use crate::store::paths::{self, Place, Search};
use crate::store::{WorkTree, recovery, settings};

/// Where programs are looked for when `PATH` does not say.
const SEARCH: &str = if cfg!(windows) { "" } else { "/bin:/usr/bin" };

/// What is needed to open a tracker.
#[derive(Clone, Debug)]
pub struct Opening<'a> {
    /// `--pm-path`.
    pub pm_path: Option<&'a str>,
    /// The surroundings: `PM_PATH`, `PM_SEED`, `PM_LOCK_WAIT_MS`, the working directory.
    pub env: &'a Env,
    /// The clock of the call.
    pub clock: &'a Clock,
}

impl Opening<'_> {
    /// Where the tracker is, or would be.
    pub fn place(&self) -> Place {
        let option = self.pm_path.map(str::trim).filter(|path| !path.is_empty());
        paths::locate(&Search { cwd: &self.env.cwd, option, variable: self.env.get("PM_PATH") })
    }
}

impl Tracker {
    /// Finds and opens the tracker of a call.
    ///
    /// Errors: `tracker_not_initialized`, `tracker_root_missing`, `tracker_root_not_directory`,
    /// `tracker_root_unreadable` (storage.md §1.1); `invalid_argument_value` for a `PM_LOCK_WAIT_MS` that is no
    /// number.
    pub fn open(opening: &Opening<'_>) -> Result<Tracker> {
        let place = opening.place();
        place.check()?;
        let mut tree = WorkTree::open(&place.root).map_err(|error| {
            let root = place.root.display();
            Error::new(Code::TrackerRootUnreadable, format!("`{root}` cannot be read")).because(error)
        })?;
        let env = opening.env;
        let configuration = settings::read(&tree);
        tree.claim(configuration.schema.kinds.iter().map(|kind| kind.folder.as_str()));
        let seed = match opening.clock {
            Clock::System => None,
            Clock::Fixed { .. } => env.raw("PM_SEED"),
        };
        let tracker = Tracker {
            program: env.program.clone(),
            search_path: env.raw("PATH").unwrap_or(SEARCH).to_owned(),
            lock_wait_ms: lock_wait(env)?,
            fault: Fault::at(env.get("PM_FAULT")),
            place,
            tree,
            configuration,
            clock: opening.clock.clone(),
            tokens: Tokens::new(seed),
            records: OnceCell::new(),
            listing: OnceCell::new(),
            folders: OnceCell::new(),
            landed: RefCell::default(),
            promised: RefCell::default(),
            fence: RefCell::default(),
            merge: OnceCell::new(),
        };
        recovery::recover(tracker.root(), &tracker.lock_terms("recovery", false));
        Ok(tracker)
    }
}

fn lock_wait(env: &Env) -> Result<Option<u64>> {
    let Some(text) = env.get("PM_LOCK_WAIT_MS") else { return Ok(None) };
    text.parse().map(Some).map_err(|_| {
        Error::new(
            Code::InvalidArgumentValue,
            format!("`PM_LOCK_WAIT_MS` is no count of milliseconds: `{text}`"),
        )
        .at("PM_LOCK_WAIT_MS")
        .rejecting(text)
    })
}

//! Dying on purpose, so that tests can look at what is left: only in builds with debug assertions.

/// The points at which a write can be made to die, in the order in which a transaction reaches them.
pub const POINTS: &[&str] = &[
    "locked",
    "journal_written",
    "temporary_written",
    "append_torn",
    "appended",
    "renamed",
    "removed",
    "applied",
    "journal_removed",
];

/// Where this process is to die, if anywhere.
#[derive(Clone, Debug, Default)]
pub struct Fault {
    #[cfg(debug_assertions)]
    point: Option<String>,
}

impl Fault {
    /// Arms the point of this name; release builds ignore it.
    #[cfg_attr(not(debug_assertions), expect(unused_variables, reason = "nothing dies in a release build"))]
    pub fn at(point: Option<&str>) -> Fault {
        Fault {
            #[cfg(debug_assertions)]
            point: point.map(str::to_owned),
        }
    }

    /// Whether this point is armed.
    #[cfg(debug_assertions)]
    pub(crate) fn is(&self, point: &str) -> bool {
        debug_assert!(POINTS.contains(&point), "{point} is no known point");
        self.point.as_deref() == Some(point)
    }

    /// Whether this point is armed.
    #[cfg(not(debug_assertions))]
    pub(crate) fn is(&self, _: &str) -> bool {
        false
    }

    /// Dies here, as `kill -9` would have it, when this point is armed.
    pub(crate) fn reach(&self, point: &str) {
        if self.is(point) {
            die();
        }
    }
}

/// Ends the process at once: no destructor runs, nothing is flushed.
pub(crate) fn die() -> ! {
    #[cfg(unix)]
    {
        let me = rustix::process::getpid();
        let _ = rustix::process::kill_process(me, rustix::process::Signal::KILL);
    }
    std::process::abort()
}

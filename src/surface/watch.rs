//! Who waits for a call, where somebody does: they hear how far it is, and may go.

use std::fmt;
use std::sync::Arc;

use super::Context;
use crate::error::{Code, Error, Result};

/// Somebody who waits for the answer of a call.
pub trait Caller: Send + Sync {
    /// So many steps of so many are done, and this one is next.
    fn hears(&self, done: usize, total: usize, next: &str);
    /// The answer is wanted no more.
    fn has_gone(&self) -> bool;
}

/// The caller of a call, if it listens; a process has none.
#[derive(Clone, Default)]
pub struct Watch(Option<Arc<dyn Caller>>);

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Watch({})", if self.0.is_some() { "a caller" } else { "nobody" })
    }
}

impl Watch {
    /// This caller listens.
    pub fn of(caller: impl Caller + 'static) -> Watch {
        Watch(Some(Arc::new(caller)))
    }

    /// Whether there was a caller, and it does not want the answer any more.
    pub fn has_gone(&self) -> bool {
        self.0.as_ref().is_some_and(|caller| caller.has_gone())
    }

    /// Says how far the work is.
    pub fn tell(&self, done: usize, total: usize, next: &str) {
        if let Some(caller) = &self.0 {
            caller.hears(done, total, next);
        }
    }
}

impl Context {
    /// Before a step of long work that changes nothing yet: says how far it is, and ends it when nobody waits for it.
    /// Work that has changed something calls [`Watch::tell`] alone: it goes on to its end.
    ///
    /// Errors: `call_cancelled`.
    pub fn step(&self, done: usize, total: usize, next: &str) -> Result<()> {
        self.wanted()?;
        self.watch.tell(done, total, next);
        Ok(())
    }

    /// Whether the answer is still wanted.
    ///
    /// Errors: `call_cancelled`.
    pub fn wanted(&self) -> Result<()> {
        if self.watch.has_gone() {
            return Err(Error::new(
                Code::CallCancelled,
                "the caller took the call back; nothing was changed",
            ));
        }
        Ok(())
    }
}

//! The thread on which calls run, one at a time, in the order in which they were handed over.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use tokio::sync::mpsc::UnboundedSender;

use crate::surface::Caller;

/// A call, ready to run.
pub(super) type Job = Box<dyn FnOnce() + Send>;

/// Starts the thread; it ends when nobody can hand over any more.
pub(super) fn start() -> (JoinHandle<()>, Sender<Job>) {
    let (hand_over, jobs) = channel::<Job>();
    let thread = std::thread::spawn(move || {
        for job in jobs {
            // A call that panics has no answer; the next one has nothing to do with it.
            let _ = catch_unwind(AssertUnwindSafe(job));
        }
    });
    (thread, hand_over)
}

/// How far a call is: steps done, steps in all, what is next.
pub(super) type Step = (usize, usize, String);

/// The client as a call knows it.
pub(super) struct Waiting {
    gone: Arc<AtomicBool>,
    steps: Mutex<UnboundedSender<Step>>,
    percent: AtomicUsize,
}

/// Held as long as the client waits for a call.
pub(super) struct Interest(Arc<AtomicBool>);

impl Drop for Interest {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The two ends of a call's wait: who holds the first one waits, the second one is told of it.
pub(super) fn wait(steps: UnboundedSender<Step>) -> (Interest, Waiting) {
    let gone = Arc::new(AtomicBool::new(false));
    let waiting =
        Waiting { gone: gone.clone(), steps: Mutex::new(steps), percent: AtomicUsize::new(usize::MAX) };
    (Interest(gone), waiting)
}

impl Caller for Waiting {
    /// A hundred steps are told one by one; of more, those that make a new percent.
    fn hears(&self, done: usize, total: usize, next: &str) {
        let percent = done.saturating_mul(100) / total.max(1);
        if self.percent.swap(percent, Ordering::Relaxed) != percent || total <= 100 {
            let steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = steps.send((done, total, next.to_owned()));
        }
    }

    fn has_gone(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_run_in_order_and_one_that_panics_stops_none() {
        let (thread, jobs) = start();
        let seen = Arc::new(Mutex::new(Vec::new()));
        for n in 0..5 {
            let seen = seen.clone();
            let job: Job = Box::new(move || {
                assert!(n != 2, "a call that panics");
                seen.lock().unwrap().push(n);
            });
            jobs.send(job).unwrap();
        }
        drop(jobs);
        thread.join().unwrap();
        assert_eq!(*seen.lock().unwrap(), [0, 1, 3, 4]);
    }

    #[test]
    fn many_steps_are_told_by_the_percent() {
        let (send, mut steps) = tokio::sync::mpsc::unbounded_channel();
        let (interest, waiting) = wait(send);
        (0..1000).for_each(|done| waiting.hears(done, 1000, "x"));
        assert!(!waiting.has_gone());
        drop(interest);
        assert!(waiting.has_gone());
        drop(waiting);
        let told = std::iter::from_fn(|| steps.try_recv().ok()).count();
        assert_eq!(told, 100);
    }
}

//! What a finished process used: shared by the programs that `scripts/bench` starts.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use wait4::Wait4;

/// One finished process, or the medians of several.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// Milliseconds from start to end.
    pub(crate) wall: f64,
    /// Milliseconds on a processor, in the program and in the kernel for it, child processes included.
    pub(crate) cpu: f64,
    /// The most memory it held, in MiB.
    pub(crate) peak: f64,
    /// Its exit code, -1 when a signal ended it.
    pub(crate) code: i32,
}

impl Run {
    /// Runs a command with no standard streams.
    ///
    /// Errors: it does not start.
    pub(crate) fn of(mut command: Command) -> std::io::Result<Run> {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let start = Instant::now();
        let used = command.spawn()?.wait4()?;
        let wall = start.elapsed();
        let ms = |time: Duration| time.as_secs_f64() * 1000.0;
        Ok(Run {
            wall: ms(wall),
            cpu: ms(used.rusage.utime + used.rusage.stime),
            peak: used.rusage.maxrss as f64 / (1024.0 * 1024.0),
            code: used.status.code().unwrap_or(-1),
        })
    }

    /// The median of each figure; none of no runs.
    pub(crate) fn median(runs: &[Run]) -> Option<Run> {
        let median = |of: fn(&Run) -> f64| {
            let mut values: Vec<f64> = runs.iter().map(of).collect();
            values.sort_unstable_by(f64::total_cmp);
            values.get(values.len() / 2).copied()
        };
        let code = runs.iter().map(|run| run.code).find(|code| *code != 0).unwrap_or(0);
        Some(Run { wall: median(|r| r.wall)?, cpu: median(|r| r.cpu)?, peak: median(|r| r.peak)?, code })
    }
}

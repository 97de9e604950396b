//! The one road from a command's answer to bytes (seed 001).
//!
//! ```text
//! OutputArgs --resolve--> Controls --want--> command --> Answer
//!      Answer --project--> page (cursor, amount) --> session --> measure --> compact --> receipts --> render
//! ```
//!
//! [`resolve`] comes before the command runs and refuses what cannot hold; [`deliver`] comes after. What is measured
//! is what is written: the estimate of a receipt is `ceil(bytes / 4)` of the text it stands in. Nothing here knows an
//! item; a stage sees fields, rows and paths.

mod args;
mod compact;
mod controls;
mod cursor;
mod environment;
mod fingerprint;
mod frame;
mod hint;
mod page;
mod project;
mod receipt;
mod render;
mod repeat;
mod run;
mod session;
#[cfg(test)]
mod tests;
mod tree;
mod view;

pub use args::{Defaults, OutputArgs, Typed};
pub use controls::{Amount, BudgetSource, Ceiling, Controls, Envelope, resolve};
pub use cursor::Cursor;
pub use environment::Environment;
pub use fingerprint::{FingerprintPolicy, PM_READ_OUTPUT_CONTINUATION_FINGERPRINT_POLICIES};
pub use hint::migration;
pub use receipt::resolve_read_output_recovery_budget;
pub use render::Format;
pub use session::Session;

use crate::answer::Answer;
use crate::contract::{ReadOutput, surfaces};
use crate::error::{Code, Error, Result};
use compact::Verdict;
use frame::Frame;
use run::{Measure, Run};

/// An answer as it leaves the process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delivered {
    /// Standard output.
    pub bytes: Vec<u8>,
    /// The exit code: the command's own, or 2 when nothing useful fitted.
    pub exit_code: u8,
    /// The ids that the page really tells of, in order; none when the result was omitted.
    pub served_ids: Vec<String>,
    /// The ceiling left no useful result.
    pub omitted: bool,
    /// One line for standard error where the view has no place for it: how a cut csv goes on.
    pub note: Option<String>,
}

/// Turns an answer into bytes.
///
/// Errors: those of selectors and cursors, `read_output_session_exhausted`, and whatever making a row raises.
pub fn deliver(answer: Answer<'_>, controls: &Controls, environment: &Environment) -> Result<Delivered> {
    if let Some(text) = answer.raw.as_ref().filter(|_| controls.format != Format::Json) {
        let bytes = text.clone().into_bytes();
        return Ok(Delivered { bytes, exit_code: answer.exit_code, ..Delivered::default() });
    }
    let Some(surface) = &controls.surface else {
        return plain(answer, controls, environment);
    };
    let mut frame = Frame::new(answer, controls);
    project::project(&mut frame, controls, surface)?;
    page::page(&mut frame, controls, surface)?;
    let mut run = Run::new(frame, controls, surface, environment);
    run.refer();
    match run.settle()? {
        Verdict::Fits => finish(&run),
        Verdict::Omitted(useful) => omit(&run, useful),
    }
}

fn finish(run: &Run<'_, '_>) -> Result<Delivered> {
    let needed = run.binding.tokens.is_some() || run.controls.session.is_some() || run.has_receipt()?;
    let measure = if needed { run.measure()? } else { Measure::default() };
    let around = run.around(measure.tokens)?;
    let mut text = run.text(&around);
    pad(&mut text, measure);
    let (served, _) = run.served();
    Ok(Delivered {
        note: view::note(run.controls.format, &run.entries(&around)),
        bytes: text.into_bytes(),
        exit_code: run.frame.exit_code,
        served_ids: served.into_iter().collect(),
        omitted: false,
    })
}

fn omit(run: &Run<'_, '_>, useful: u64) -> Result<Delivered> {
    let measure =
        run.fixed_point(|run, estimate| Ok(run.alone(&run.omission(estimate, useful)).len() as u64))?;
    if let Some(session) = &run.controls.session
        && measure.tokens > session.remaining()
    {
        return Err(Error::new(
            Code::ReadOutputSessionExhausted,
            format!(
                "{} tokens are left in the output session, its receipts alone need {}; start a new session \
                 with a larger token_budget",
                session.remaining(),
                measure.tokens
            ),
        )
        .at("--output-session")
        .fact("remaining_tokens", session.remaining())
        .fact("needed_tokens", measure.tokens));
    }
    let mut text = run.alone(&run.omission(measure.tokens, useful));
    pad(&mut text, measure);
    Ok(Delivered {
        bytes: text.into_bytes(),
        exit_code: if run.frame.exit_code == 0 { 2 } else { run.frame.exit_code },
        omitted: true,
        ..Delivered::default()
    })
}

fn pad(text: &mut String, measure: Measure) {
    for _ in 0..measure.padding {
        text.push('\n');
    }
}

/// An answer that is no read: the whole of it, in the encoding that was asked for.
fn plain(answer: Answer<'_>, controls: &Controls, environment: &Environment) -> Result<Delivered> {
    const MUTATION: ReadOutput = surfaces::COMMENTS;
    let mut run = Run::new(Frame::new(answer, controls), controls, &MUTATION, environment);
    run.frame.counted = None;
    run.fill()?;
    let text = run.text(&run.around(0)?);
    Ok(Delivered { bytes: text.into_bytes(), exit_code: run.frame.exit_code, ..Delivered::default() })
}

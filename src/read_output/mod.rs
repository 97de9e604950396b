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

mod accounting;
mod args;
mod chain;
mod compact;
mod controls;
mod cursor;
mod cut;
pub mod discovery;
mod environment;
mod facts;
mod fingerprint;
mod frame;
mod hint;
mod intent;
mod ledger;
mod library;
mod narrow;
mod nested;
mod options;
mod page;
mod project;
mod receipt;
mod render;
mod repeat;
mod retain;
mod run;
mod search;
mod session;
#[cfg(test)]
mod tests;
mod told;
mod tree;
mod unread;
mod view;

pub use accounting::account;
pub use args::{Defaults, OutputArgs, Typed, camel};
pub use controls::{Amount, BudgetSource, Ceiling, Controls, Envelope, resolve};
pub use cursor::Cursor;
pub use environment::{Environment, Titles};
pub use fingerprint::{FingerprintPolicy, PM_READ_OUTPUT_CONTINUATION_FINGERPRINT_POLICIES};
pub use hint::migration;
pub use library::{
    Applied, PM_READ_OUTPUT_SURFACE_CONTRACTS, PmReadOutputBudgetExceeded, ServeReceipt, apply,
    apply_read_output_dimensions, arguments, is_read_output_budget_exceeded,
    read_output_include_mode_options, read_output_surface, resolve_read_output_dimensions,
};
pub use options::{Bound, ReadOutputOptions};
pub use receipt::resolve_read_output_recovery_budget;
pub use render::Format;
pub use session::Session;
pub(crate) use session::schema as session_schema;

use crate::answer::Answer;
use crate::contract::{ReadOutput, surfaces};
use crate::error::{Code, Error, Result};
use compact::Verdict;
use frame::Frame;
use run::{Around, Measure, Run, Standing};
use tree::Ref;

/// An answer as it leaves the process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delivered {
    /// Standard output.
    pub bytes: Vec<u8>,
    /// The exit code: the command's own, or 2 when nothing useful fitted.
    pub exit_code: u8,
    /// The ids that the page really tells of, in order; none when the result was omitted.
    pub served_ids: Vec<String>,
    /// For usage feedback after a ranking read.
    pub serve: Option<ServeReceipt>,
    /// The ceiling left no useful result.
    pub omitted: bool,
    /// One line for standard error where the view has no place for it: how a cut csv goes on.
    pub note: Option<String>,
}

/// Turns an answer into bytes.
///
/// Errors: those of selectors and cursors, `read_output_session_exhausted`, and whatever making a row raises.
pub fn deliver(answer: Answer<'_>, controls: &Controls, environment: &Environment<'_>) -> Result<Delivered> {
    if let Some(text) =
        answer.raw.as_ref().filter(|_| !matches!(controls.format, Format::Json | Format::Compact))
    {
        let bytes = text.clone().into_bytes();
        return Ok(Delivered { bytes, exit_code: answer.exit_code, ..Delivered::default() });
    }
    let end = whole(answer, controls, environment)?;
    let mut text = end.text();
    pad(&mut text, end.measure);
    debug_assert!(
        end.measure == Measure::default() || (text.len() as u64).div_ceil(4) == end.measure.tokens,
        "{:?} for {} bytes: {text}",
        end.measure,
        text.len()
    );
    let served_ids = end.served_ids();
    Ok(Delivered {
        bytes: text.into_bytes(),
        exit_code: end.exit_code(),
        note: view::note(controls.format, &end.entries()),
        omitted: end.omitted,
        serve: end.serve_receipt(&served_ids),
        served_ids,
    })
}

/// Turns an answer into an envelope.
fn structured(answer: Answer<'_>, controls: &Controls, environment: &Environment<'_>) -> Result<Applied> {
    let end = whole(answer, controls, environment)?;
    let served_ids = end.served_ids();
    let value = end.entries().into_iter().map(|(key, place)| (key.to_owned(), place.to_value())).collect();
    Ok(Applied {
        value: serde_json::Value::Object(value),
        exit_code: end.exit_code(),
        serve: end.serve_receipt(&served_ids),
        served_ids,
    })
}

/// All stages; a refusal of the cursor names the flag that it was given to.
fn whole<'a, 'c>(
    answer: Answer<'a>,
    controls: &'c Controls,
    environment: &'c Environment<'c>,
) -> Result<End<'a, 'c>> {
    begin(answer, controls, environment).and_then(end).map_err(|error| match &controls.given_cursor {
        Some(given) if cursor::is_refusal(error.code) => given.blame(error),
        _ => error,
    })
}

/// The stages before the measure.
fn begin<'a, 'c>(
    answer: Answer<'a>,
    controls: &'c Controls,
    environment: &'c Environment<'c>,
) -> Result<Run<'a, 'c>> {
    let surface = controls.surface.as_ref().unwrap_or(&MUTATION);
    if let Some(given) = &controls.unread_cursor {
        cursor::parse(given)?;
    }
    if controls.is_retrieval() && controls.item_cursor.is_some() {
        return Err(cursor::mismatch("list", surface.surface));
    }
    let mut frame = Frame::new(answer, controls);
    if controls.surface.is_none() {
        frame.counted = None;
    }
    project::project(&mut frame, controls, surface)?;
    retain::order(&mut frame, surface)?;
    page::page(&mut frame, controls, surface)?;
    let mut run = Run::new(frame, controls, surface, environment);
    run.refer();
    Ok(run)
}

/// A read at its end: everything that is written.
struct End<'a, 'c> {
    run: Run<'a, 'c>,
    around: Around,
    measure: Measure,
    omitted: bool,
}

/// The stages from the measure on.
fn end<'a, 'c>(mut run: Run<'a, 'c>) -> Result<End<'a, 'c>> {
    match run.settle()? {
        Verdict::Fits => {
            let told = run.binding.tokens.is_some() || run.has_receipt();
            let Standing { measure, served } = match told {
                true => run.measured()?,
                false => Standing { measure: Measure::default(), served: run.served_to_session() },
            };
            let around = run.around(measure.tokens, &served, &run.cut_as_told())?;
            Ok(End { run, around, measure, omitted: false })
        }
        Verdict::Omitted(useful) => {
            let text = |run: &Run<'_, '_>, estimate| run.alone(&run.omission(estimate, useful)).len() as u64;
            let measure = run.fixed_point(|run, estimate| Ok(text(run, estimate)))?;
            affordable(&run, measure)?;
            let around = run.omission(measure.tokens, useful);
            Ok(End { run, around, measure, omitted: true })
        }
    }
}

/// Refuses an omission that not even the session can pay.
fn affordable(run: &Run<'_, '_>, measure: Measure) -> Result<()> {
    let Some(session) = run.controls.session.as_ref().filter(|session| measure.tokens > session.remaining())
    else {
        return Ok(());
    };
    let remaining = session.remaining();
    Err(Error::new(
        Code::ReadOutputSessionExhausted,
        format!(
            "{remaining} tokens are left in the output session, its receipts alone need {}; start a new session \
             with a larger token_budget",
            measure.tokens
        ),
    )
    .at("--output-session")
    .fact("remaining_tokens", remaining)
    .fact("needed_tokens", measure.tokens))
}

impl End<'_, '_> {
    fn entries(&self) -> Vec<(&str, Ref<'_>)> {
        if self.omitted {
            return self.around.tail.iter().map(|(key, value)| (*key, Ref::Value(value))).collect();
        }
        self.run.entries(&self.around)
    }

    fn text(&self) -> String {
        if self.omitted { self.run.alone(&self.around) } else { self.run.text(&self.around, self.measure) }
    }

    fn exit_code(&self) -> u8 {
        match (self.omitted, self.run.frame.exit_code) {
            (true, 0) => 2,
            (_, code) => code,
        }
    }

    fn served_ids(&self) -> Vec<String> {
        if self.omitted { Vec::new() } else { self.run.served_in_order() }
    }

    fn serve_receipt(&self, served: &[String]) -> Option<ServeReceipt> {
        ServeReceipt::of(self.run.surface, served, self.omitted)
    }
}

fn pad(text: &mut String, measure: Measure) {
    for _ in 0..measure.padding {
        text.push('\n');
    }
}

/// What an answer that is no read is held against: nothing of it binds.
const MUTATION: ReadOutput = ReadOutput { row_keys: &[], ..surfaces::COMMENTS };

//! Views of the envelope for people and for other programs: pure functions of what the contract's encodings show.

use super::environment::Environment;
use super::render::Format;
use super::tree::Ref;

/// Writes a view of an envelope.
pub(super) fn write(
    out: &mut String,
    format: Format,
    entries: &[(&str, Ref<'_>)],
    environment: &Environment,
    surface: &str,
) {
    let _ = (format, environment, surface);
    super::render::write(out, Format::Toon, false, entries);
}

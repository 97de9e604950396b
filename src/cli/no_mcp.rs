//! `pm mcp` of a build without the feature `mcp`.

use std::sync::mpsc::Receiver;

use crate::environment::Env;
use crate::error::{Code, Error, Result};

/// Refuses: nothing here speaks the protocol.
pub(super) fn serve(_: &Env, _: &str, _: Receiver<Vec<u8>>, _: &mut dyn FnMut(&[u8]) -> bool) -> Result<()> {
    Err(Error::new(Code::FeatureMissing, "this pm was built without the feature `mcp`")
        .hint("cargo install --path . --features mcp"))
}

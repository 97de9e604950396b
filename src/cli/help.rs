//! Help, made of the declarations.

use crate::error::Result;
use crate::grammar;
use crate::surface::Catalog;

use super::argv;

/// The help of the command with these words, or of the program.
pub(super) fn page(words: &[String], catalog: Catalog, _json: bool) -> Result<String> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if words.is_empty() {
        return Ok(grammar::root(catalog).render_help().to_string());
    }
    let surface = argv::resolve(&words, catalog).ok_or_else(|| argv::unknown(&words, catalog))?;
    Ok(grammar::parser(surface).render_help().to_string())
}

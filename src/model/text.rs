//! White space and case as the reference's language treats them.

/// The characters that the reference trims: Unicode white space and the byte order mark.
pub(crate) fn is_space(c: char) -> bool {
    match c {
        '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ' => true,
        c if c.is_ascii() => false,
        '\u{a0}'
        | '\u{1680}'
        | '\u{2000}'..='\u{200a}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{202f}'
        | '\u{205f}' => true,
        '\u{3000}' | '\u{feff}' => true,
        _ => false,
    }
}

/// The text without white space around it.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// The owned text without white space around it; no copy when there is none.
pub(crate) fn into_trimmed(text: String) -> String {
    let trimmed = trim(&text);
    if trimmed.len() == text.len() { text } else { trimmed.to_owned() }
}

/// Trimmed and in lower case.
pub(crate) fn trim_lower(text: &str) -> String {
    let trimmed = trim(text);
    if trimmed.is_ascii() { trimmed.to_ascii_lowercase() } else { trimmed.to_lowercase() }
}

//! Item ids: a prefix and a token (storage.md §3).

/// The longest id that can name a file on every system (`.toon` included).
pub const MAX_ID_BYTES: usize = 200;

/// Tokens that stand for "no item" in arguments, and so cannot be ids.
pub const PLACEHOLDERS: [&str; 3] = ["none", "null", "undefined"];

/// The normal form of a prefix: `Acme Co` is `acme-co-`; nothing usable is `pm-`.
pub fn normalise_prefix(prefix: &str) -> String {
    let mut out = String::new();
    for c in prefix.trim().to_lowercase().chars() {
        if c.is_ascii_lowercase() || c.is_ascii_digit() {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    if out.is_empty() {
        return "pm-".to_owned();
    }
    if !out.ends_with('-') {
        out.push('-');
    }
    out
}

/// What a user typed, as ids are compared: trimmed, lower case, without one leading `#`.
pub fn normalise_typed(typed: &str) -> String {
    let lower = typed.trim().to_lowercase();
    lower.strip_prefix('#').unwrap_or(&lower).to_owned()
}

/// Why a text is no id that a new item can get.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// It has characters other than letters, digits and inner hyphens, or none at all.
    #[error("ids are letters, digits and hyphens between them")]
    Characters,
    /// It is longer than [`MAX_ID_BYTES`].
    #[error("ids have at most {MAX_ID_BYTES} characters")]
    TooLong,
    /// It is a word that stands for "no item".
    #[error("the word stands for no item")]
    Placeholder,
}

/// The full id for one given with `--id`: lower case, the prefix added when it is absent.
pub fn explicit(typed: &str, prefix: &str) -> Result<String, IdError> {
    let token = normalise_typed(typed);
    if PLACEHOLDERS.contains(&token.as_str()) {
        return Err(IdError::Placeholder);
    }
    let id = if token.starts_with(prefix) { token } else { format!("{prefix}{token}") };
    if !is_canonical(&id) || id == prefix {
        return Err(IdError::Characters);
    }
    if id.len() > MAX_ID_BYTES {
        return Err(IdError::TooLong);
    }
    Ok(id)
}

/// Whether a text has the form of an id that this program makes.
pub fn is_canonical(id: &str) -> bool {
    let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    id.bytes().all(inner) && !id.is_empty() && !id.starts_with('-') && !id.ends_with('-')
}

/// Whether a text can name an item's files at all: imported ids may hold more than ours do, but nothing that
/// leads out of a folder or that a terminal would act upon.
pub fn is_file_name(id: &str) -> bool {
    !id.is_empty()
        && id.len() <= MAX_ID_BYTES
        && !id.starts_with('.')
        && !id.contains(['/', '\\', ':'])
        && !id.contains(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_normalised() {
        for (prefix, want) in [
            ("pm-", "pm-"),
            ("Acme Co", "acme-co-"),
            ("", "pm-"),
            ("--", "pm-"),
            ("X__y!", "x-y-"),
            ("a", "a-"),
        ] {
            assert_eq!(normalise_prefix(prefix), want);
        }
    }

    #[test]
    fn explicit_ids_get_the_prefix() {
        assert_eq!(explicit(" #FSBI ", "pm-").unwrap(), "pm-fsbi");
        assert_eq!(explicit("pm-a-1", "pm-").unwrap(), "pm-a-1");
        for (typed, error) in [
            ("a b", IdError::Characters),
            ("", IdError::Characters),
            ("pm-", IdError::Characters),
            ("a-", IdError::Characters),
            ("../x", IdError::Characters),
            ("ü", IdError::Characters),
            ("NULL", IdError::Placeholder),
        ] {
            assert_eq!(explicit(typed, "pm-"), Err(error), "{typed:?}");
        }
        assert_eq!(explicit(&"x".repeat(300), "pm-"), Err(IdError::TooLong));
    }

    #[test]
    fn hostile_ids_name_no_file() {
        for id in ["", "..", "../../etc/passwd", "a/b", "a\\b", "a\0b", ".hidden", "c:x", &"x".repeat(5000)] {
            assert!(!is_file_name(id), "{id:?}");
        }
        assert!(is_file_name("gh#12 ünï"));
    }
}

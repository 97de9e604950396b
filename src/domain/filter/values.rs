//! The grammar of values that may be given several times or joined by commas (surfaces.md §3.1).

use crate::error::{Code, Error, Result};
use crate::nearest;

/// A value outside a closed set: the sentence names the nearest legal ones, `allowed_values` all of them, nearest first.
pub fn illegal(flag: &str, value: &str, legal: &[&str]) -> Error {
    let ordered = nearest::order(value, legal);
    let shown = ordered.iter().take(12).copied().collect::<Vec<_>>().join(", ");
    let more = if ordered.len() > 12 { ", ..." } else { "" };
    Error::new(
        Code::InvalidArgumentValue,
        format!("`{flag}` does not take `{value}`; it takes {shown}{more}"),
    )
    .at(flag)
    .rejecting(value)
    .fact("allowed_values", ordered)
}

/// Splits each value at commas, trims the tokens and drops repeated ones; `\,` is a comma, `\\` a backslash.
///
/// Errors: `invalid_argument_value` when a token is empty.
pub fn split(flag: &str, values: &[String]) -> Result<Vec<String>> {
    let mut tokens: Vec<String> = Vec::new();
    for value in values {
        for token in tokens_of(value) {
            let token = token.trim();
            if token.is_empty() {
                return Err(Error::new(
                    Code::InvalidArgumentValue,
                    format!("`{flag}` needs a value on each side of a comma"),
                )
                .at(flag)
                .rejecting(value.clone()));
            }
            if !tokens.iter().any(|t| t == token) {
                tokens.push(token.to_owned());
            }
        }
    }
    Ok(tokens)
}

fn tokens_of(value: &str) -> Vec<String> {
    let mut tokens = vec![String::new()];
    let mut rest = value.chars().peekable();
    while let Some(c) = rest.next() {
        let token = tokens.last_mut().expect("there is always a last token");
        match c {
            '\\' if matches!(rest.peek(), Some(',' | '\\')) => token.extend(rest.next()),
            ',' => tokens.push(String::new()),
            _ => token.push(c),
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_split_and_backslashes_escape_them() {
        let split = |v: &[&str]| {
            split("--tag", &v.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>())
                .map_err(|e| e.code.as_str())
        };
        assert_eq!(split(&["a,b", "c"]), Ok(vec!["a".into(), "b".into(), "c".into()]));
        assert_eq!(split(&[" a , b ", "a"]), Ok(vec!["a".into(), "b".into()]));
        assert_eq!(split(&[r"x\,y,z\\"]), Ok(vec!["x,y".into(), r"z\".into()]));
        assert_eq!(split(&[r"a\b"]), Ok(vec![r"a\b".into()]));
        assert_eq!(split(&["a,,b"]), Err("invalid_argument_value"));
        assert_eq!(split(&["  "]), Err("invalid_argument_value"));
        assert_eq!(split(&[]), Ok(vec![]));
    }
}

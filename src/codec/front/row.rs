//! Tokens and table rows exactly as the encoder writes them; `None` for anything else.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use crate::model::front::Escaped;

/// A token of one line.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// A text: bare, or what stands between the quotes, with none but the usual escapes.
    Bare(&'a str),
    Quoted(&'a str),
    Null,
    /// A number or a boolean, as written.
    Other(&'a str),
}

impl<'a> Token<'a> {
    /// The token that a line, or the rest of one, is.
    pub(super) fn whole(text: &'a str) -> Option<Token<'a>> {
        match Token::first(text)? {
            (token, "") => Some(token),
            _ => None,
        }
    }

    /// The token in front, and what follows it: nothing, or a comma and more.
    fn first(text: &'a str) -> Option<(Token<'a>, &'a str)> {
        if let Some(quoted) = text.strip_prefix('"') {
            let end = closing_quote(quoted)?;
            return Some((Token::Quoted(&quoted[..end]), &quoted[end + 1..]));
        }
        let end = memchr(b',', text.as_bytes()).unwrap_or(text.len());
        let (bare, rest) = text.split_at(end);
        Some((Token::bare(bare)?, rest))
    }

    fn bare(text: &'a str) -> Option<Token<'a>> {
        let bytes = text.as_bytes();
        let (first, last) = (*bytes.first()?, *bytes.last()?);
        if first == b' ' || last == b' ' || first == b'#' || bytes.iter().any(|b| b":\"\\[]{}".contains(b)) {
            return None;
        }
        Some(match text {
            "null" => Token::Null,
            "true" | "false" => Token::Other(text),
            // What begins like a number is one, or a text that only the decoder tells from one.
            _ if first == b'-' => number(bytes).then_some(Token::Other(text))?,
            _ if first.is_ascii_digit() && number(bytes) => Token::Other(text),
            _ => Token::Bare(text),
        })
    }

    /// The text that it is.
    pub(super) fn text(&self) -> Option<Cow<'a, str>> {
        match self {
            Token::Bare(text) => Some(Cow::Borrowed(text)),
            Token::Quoted(text) if memchr(b'\\', text.as_bytes()).is_none() => Some(Cow::Borrowed(text)),
            Token::Quoted(text) => Some(Cow::Owned(Escaped::new(text).resolve().to_owned())),
            Token::Null | Token::Other(_) => None,
        }
    }
}

/// Where the quote ends that was opened before this text; `None` also when an escape in it is unknown, or the rare `\u`.
fn closing_quote(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at);
        }
        if !matches!(bytes.get(at + 1), Some(b'n' | b'r' | b't' | b'"' | b'\\')) {
            return None;
        }
        at += 2;
    }
}

/// Whether a token is a number of the decoder's grammar, which is JSON's.
fn number(token: &[u8]) -> bool {
    let digits = |from: usize| token[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut at = usize::from(token.first() == Some(&b'-'));
    let whole = digits(at);
    if whole == 0 || (whole > 1 && token[at] == b'0') {
        return false;
    }
    at += whole;
    if token.get(at) == Some(&b'.') {
        let fraction = digits(at + 1);
        if fraction == 0 {
            return false;
        }
        at += 1 + fraction;
    }
    if matches!(token.get(at), Some(b'e' | b'E')) {
        at += 1 + usize::from(matches!(token.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits(at.min(token.len()));
        if exponent == 0 {
            return false;
        }
        at += exponent;
    }
    at == token.len()
}

/// The tokens of a row, or of an inline list; a `None` among them ends the scan of the block.
pub(super) fn tokens(line: &str) -> impl Iterator<Item = Option<Token<'_>>> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let text = rest?;
        rest = None;
        let Some((token, after)) = Token::first(text) else { return Some(None) };
        if let Some(more) = after.strip_prefix(',') {
            rest = Some(more);
        } else if !after.is_empty() {
            return Some(None);
        }
        Some(Some(token))
    })
}

//! The lines of `allowed_signers` and `revoked_keys`, read as OpenSSH reads them (ssh-keygen(1), ALLOWED SIGNERS).
//!
//! Two things are ours: a time without a zone is UTC, so that a line means the same everywhere, and lines with
//! `cert-authority` make no key valid, since certificates are not understood.

use jiff::civil::{Date, DateTime, Time};
use ssh_key::PublicKey;
use ssh_key::public::KeyData;

use super::pattern::fits_list;

/// A line that could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// `allowed_signers` or `revoked_keys`.
    pub file: &'static str,
    /// The line, from 1; 0 for the whole file.
    pub line: usize,
    /// What is wrong with it.
    pub problem: &'static str,
}

const ALLOWED: &str = "allowed_signers";
const REVOKED: &str = "revoked_keys";

/// A line of `allowed_signers`: whose key it is, and what it may sign.
#[derive(Clone, Debug)]
pub(super) struct Signer {
    principals: String,
    key: KeyData,
    options: Options,
}

#[derive(Clone, Debug, Default)]
struct Options {
    /// The key signs certificates, not statements.
    authority: bool,
    namespaces: Option<String>,
    /// In seconds since the epoch.
    after: Option<i64>,
    before: Option<i64>,
}

impl Signer {
    /// Whether the line is about this key.
    pub(super) fn holds(&self, key: &PublicKey) -> bool {
        !self.options.authority && self.key == *key.key_data()
    }

    /// Whether the line is about this principal.
    pub(super) fn speaks_for(&self, principal: &str) -> bool {
        fits_list(principal, &self.principals)
    }

    /// Whether the key may sign for this namespace at this time, in milliseconds.
    pub(super) fn covers(&self, namespace: &str, at: i64) -> bool {
        let seconds = at.div_euclid(1_000);
        self.options.namespaces.as_deref().is_none_or(|list| fits_list(namespace, list))
            && self.options.after.is_none_or(|after| seconds >= after)
            && self.options.before.is_none_or(|before| seconds <= before)
    }
}

/// Reads `allowed_signers`.
pub(super) fn signers(bytes: &[u8], faults: &mut Vec<Fault>) -> Vec<Signer> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        faults.push(Fault { file: ALLOWED, line: 0, problem: "it is no UTF-8 text" });
        return Vec::new();
    };
    let mut signers = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let line = line.trim_start_matches(BLANKS);
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        // OpenSSH passes over a line that it cannot read, and so do we.
        match signer(line) {
            Ok(signer) => signers.push(signer),
            Err(problem) => faults.push(Fault { file: ALLOWED, line: n + 1, problem }),
        }
    }
    signers
}

const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// The first field, which may be quoted, and what follows it.
fn principals(line: &str) -> Option<(String, &str)> {
    let end = line.find(|c: char| c == '"' || BLANKS.contains(&c)).unwrap_or(line.len());
    let (head, rest) = line.split_at(end);
    match rest.strip_prefix('"') {
        None => Some((head.to_owned(), rest.trim_start_matches(BLANKS))),
        Some(quoted) => {
            let (inside, rest) = quoted.split_once('"')?;
            Some((format!("{head}{inside}"), rest.trim_start_matches(BLANKS)))
        }
    }
}

/// `principals [options] key [comment]`.
fn signer(line: &str) -> Result<Signer, &'static str> {
    let (principals, text) = principals(line).ok_or("the principals have no closing quote")?;
    if let Some(key) = key(text) {
        return Ok(Signer { principals, key, options: Options::default() });
    }
    let end = end_of_options(text)?;
    let (options, rest) = text.split_at(end);
    let rest = rest.trim_start_matches([' ', '\t']);
    if rest.is_empty() {
        return Err("there is no key");
    }
    let key = key(rest).ok_or("the key cannot be read")?;
    let options = read_options(options)?;
    Ok(Signer { principals, key, options })
}

/// A public key at the beginning of a text; a comment may follow.
fn key(text: &str) -> Option<KeyData> {
    let mut words = text.split(BLANKS).filter(|word| !word.is_empty());
    let (kind, blob) = (words.next()?, words.next()?);
    PublicKey::from_openssh(&format!("{kind} {blob}")).ok().map(|key| key.key_data().clone())
}

/// Where the options end: at the first blank outside of quotes.
fn end_of_options(text: &str) -> Result<usize, &'static str> {
    let bytes = text.as_bytes();
    let (mut at, mut quoted) = (0, false);
    while at < bytes.len() && (quoted || !matches!(bytes[at], b' ' | b'\t')) {
        match bytes[at] {
            b'\\' if bytes.get(at + 1) == Some(&b'"') => at += 1,
            b'"' => quoted = !quoted,
            _ => {}
        }
        at += 1;
    }
    if quoted { Err("the options have no closing quote") } else { Ok(at) }
}

fn read_options(text: &str) -> Result<Options, &'static str> {
    let mut options = Options::default();
    let mut rest = text;
    while !rest.is_empty() {
        rest = read_option(rest, &mut options)?;
        rest = match rest.strip_prefix(',') {
            Some("") => return Err("the options end with a comma"),
            Some(next) => next,
            None if rest.is_empty() => rest,
            None => return Err("there is an unknown option"),
        };
    }
    match (options.after, options.before) {
        (Some(after), Some(before)) if before < after => Err("valid-before is earlier than valid-after"),
        _ => Ok(options),
    }
}

/// Takes one option; returns what follows it.
fn read_option<'t>(text: &'t str, options: &mut Options) -> Result<&'t str, &'static str> {
    let is = |name: &str| text.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name));
    let value_of = |name: &str| is(name) && text[name.len()..].starts_with('=');
    if is("cert-authority") {
        options.authority = true;
        return Ok(&text["cert-authority".len()..]);
    }
    if value_of("namespaces") {
        let (value, rest) = unquoted(&text["namespaces=".len()..])?;
        return match options.namespaces.replace(value) {
            None => Ok(rest),
            Some(_) => Err("namespaces stands twice"),
        };
    }
    for (name, before) in [("valid-after", false), ("valid-before", true)] {
        if value_of(name) {
            let (value, rest) = unquoted(&text[name.len() + 1..])?;
            let seconds = time(&value).ok_or("the time is none: YYYYMMDD[HHMM[SS]][Z]")?;
            let place = if before { &mut options.before } else { &mut options.after };
            return match place.replace(seconds) {
                None => Ok(rest),
                Some(_) => Err("a time stands twice"),
            };
        }
    }
    Err("there is an unknown option")
}

/// A value in quotes, `\"` for a quote, and what follows it.
fn unquoted(text: &str) -> Result<(String, &str), &'static str> {
    let inner = text.strip_prefix('"').ok_or("a value has no quotes")?;
    let mut value = String::new();
    let mut letters = inner.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Ok((value, &inner[at + 1..])),
            '\\' if letters.peek().is_some_and(|(_, next)| *next == '"') => {
                value.push('"');
                letters.next();
            }
            _ => value.push(letter),
        }
    }
    Err("a value has no closing quote")
}

/// A time in seconds since the epoch; without a zone it is UTC.
fn time(text: &str) -> Option<i64> {
    let bare = ["Z", "UTC"].iter().find_map(|zone| {
        let at = text.len().checked_sub(zone.len())?;
        text.get(at..).filter(|end| end.eq_ignore_ascii_case(zone)).and(text.get(..at))
    });
    let digits = bare.unwrap_or(text);
    if !matches!(digits.len(), 8 | 12 | 14) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let part = |from: usize, to: usize| digits.get(from..to).map_or(Some(0), |part| part.parse::<i8>().ok());
    let date = Date::new(digits[..4].parse().ok()?, part(4, 6)?, part(6, 8)?).ok()?;
    let time = Time::new(part(8, 10)?, part(10, 12)?, part(12, 14)?, 0).ok()?;
    let instant = jiff::tz::Offset::UTC.to_timestamp(DateTime::from_parts(date, time)).ok()?;
    Some(instant.as_second()).filter(|seconds| *seconds > 0)
}

/// The keys that no longer count.
#[derive(Clone, Debug, Default)]
pub(super) struct Revoked {
    keys: Vec<KeyData>,
    /// The file, or a line of it, cannot be read, so nobody knows which keys still count.
    all: bool,
}

impl Revoked {
    /// Whether a key is revoked.
    pub(super) fn holds(&self, key: &PublicKey) -> bool {
        self.all || self.keys.contains(key.key_data())
    }
}

/// Reads `revoked_keys`: a public key a line. A list in OpenSSH's binary form (KRL) is not understood.
pub(super) fn revoked(bytes: &[u8], faults: &mut Vec<Fault>) -> Revoked {
    let text = std::str::from_utf8(bytes).ok().filter(|text| !text.starts_with("SSHKRL"));
    let Some(text) = text else {
        let problem = "it is no list of public keys as text, so every key counts as revoked";
        faults.push(Fault { file: REVOKED, line: 0, problem });
        return Revoked { keys: Vec::new(), all: true };
    };
    let mut revoked = Revoked::default();
    for (n, line) in text.lines().enumerate() {
        let line = line.trim_start_matches(BLANKS);
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match key(line) {
            Some(key) => revoked.keys.push(key),
            // Somebody took a key back here; which one, nobody knows.
            None => {
                let problem = "the key cannot be read, so every key counts as revoked";
                faults.push(Fault { file: REVOKED, line: n + 1, problem });
                revoked.all = true;
            }
        }
    }
    revoked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_utc() {
        assert_eq!(time("20260301"), Some(1_772_323_200));
        assert_eq!(time("20260301Z"), Some(1_772_323_200));
        assert_eq!(time("202603011200utc"), Some(1_772_366_400));
        assert_eq!(time("20260301120030"), Some(1_772_366_430));
        for bad in [
            "",
            "Z",
            "2026",
            "20261301",
            "20260230",
            "2026030125",
            "202603012460",
            "19700101",
            "+2026030",
            "２０２６",
        ] {
            assert_eq!(time(bad), None, "{bad}");
        }
    }

    #[test]
    fn principals_may_be_quoted() {
        let split = |line| principals(line).map(|(who, rest)| (who, rest.to_owned()));
        let of = |who: &str, rest: &str| Some((who.to_owned(), rest.to_owned()));
        assert_eq!(split("a@b ssh-ed25519 K"), of("a@b", "ssh-ed25519 K"));
        assert_eq!(split("\"a@b,c d\"  key"), of("a@b,c d", "key"));
        assert_eq!(split("x\"y z\" key"), of("xy z", "key"));
        assert_eq!(split("\"a@b key"), None);
        assert_eq!(split("alone"), of("alone", ""));
    }

    #[test]
    fn options_are_read_and_what_is_unknown_is_refused() {
        let options =
            read_options("Namespaces=\"a,b\\\"c\",valid-after=\"20260101\",CERT-AUTHORITY").unwrap();
        assert_eq!(options.namespaces.as_deref(), Some("a,b\"c"));
        assert!(options.authority && options.after.is_some() && options.before.is_none());
        for bad in [
            "verify-required",
            "namespaces=a",
            "namespaces=\"a",
            "namespaces=\"a\",",
            "namespaces=\"a\",namespaces=\"b\"",
            "valid-after=\"tomorrow\"",
            "valid-after=\"20260102\",valid-before=\"20260101\"",
            "cert-authority extra",
        ] {
            assert!(read_options(bad).is_err(), "{bad}");
        }
    }
}

//! The arguments of one command in their canonical spelling.

use std::collections::HashMap;

use clap::Arg;

use crate::error::{Error, Result};
use crate::read_output::Typed;

use super::refusal;

/// The flags of one command, by spelling.
pub(super) struct Flags<'a> {
    longs: HashMap<&'a str, &'a Arg>,
    shorts: HashMap<char, &'a Arg>,
    positionals: Vec<&'a Arg>,
}

/// Arguments as the parser takes them, and what was typed in the words of the contract.
#[derive(Clone, Debug, Default)]
pub(super) struct Canonical {
    /// For the parser.
    pub(super) args: Vec<String>,
    /// Options by their long name, further words as `<name>`.
    pub(super) typed: Vec<Typed>,
    /// The positional arguments until all flags are known.
    words: Vec<String>,
}

impl Canonical {
    /// Adds the value of the flag that was added last. One that looks like a flag is joined to it, or the parser
    /// would take it for one: `--limit -1`.
    fn value(&mut self, arg: &Arg, value: &str) {
        match (arg.get_long(), self.args.last_mut()) {
            (Some(long), Some(last)) if value.starts_with('-') => *last = format!("--{long}={value}"),
            _ => self.args.push(value.to_owned()),
        }
    }
}

impl<'a> Flags<'a> {
    pub(super) fn of(parser: &'a clap::Command) -> Flags<'a> {
        let mut flags = Flags {
            longs: HashMap::new(),
            shorts: HashMap::new(),
            positionals: parser.get_positionals().collect(),
        };
        for arg in parser.get_arguments() {
            for long in arg.get_long().into_iter().chain(arg.get_all_aliases().into_iter().flatten()) {
                flags.longs.insert(long, arg);
            }
            for short in arg.get_short_and_visible_aliases().into_iter().flatten() {
                flags.shorts.insert(short, arg);
            }
        }
        flags
    }

    /// Rewrites arguments to declared spellings and refuses what is no flag of the command.
    ///
    /// Flags come first: a positional argument that may be given several times, and may begin with a dash, would take
    /// the flags behind it for more of its values.
    ///
    /// `refuse` makes the error for an unknown flag.
    pub(super) fn canonical(
        &self,
        args: &[String],
        refuse: &dyn Fn(&str, &[&str]) -> Error,
    ) -> Result<Canonical> {
        let mut out = Canonical::default();
        let mut words = 0;
        let mut rest = args.iter();
        while let Some(token) = rest.next() {
            if token == "--" {
                out.words.push(token.clone());
                for word in rest.by_ref() {
                    self.word(&mut out, word, &mut words);
                }
            } else if !is_flag(token) || self.excludes(token) {
                self.word(&mut out, token, &mut words);
            } else {
                self.flag(&mut out, token, &mut rest, refuse)?;
            }
        }
        out.args.append(&mut out.words);
        Ok(out)
    }

    /// Whether a token is a word to be left out of what is found: `search cache -stale`.
    fn excludes(&self, token: &str) -> bool {
        let mut letters = token.chars().skip(1);
        let first = letters.next().unwrap_or('-');
        first != '-'
            && letters.next().is_some()
            && !self.shorts.contains_key(&first)
            && self.positionals.last().is_some_and(|arg| arg.get_id() == "keywords")
    }

    /// Takes a positional argument.
    fn word(&self, out: &mut Canonical, word: &str, words: &mut usize) {
        if let Some(arg) = self.positionals.get(*words).or(self.positionals.last()) {
            let name = arg.get_id().as_str().replace('_', "-");
            out.typed.push(Typed { flag: format!("<{name}>"), value: Some(word.to_owned()) });
        }
        *words += 1;
        out.words.push(word.to_owned());
    }

    /// Takes a flag, and its value when that is a token of its own.
    fn flag(
        &self,
        out: &mut Canonical,
        token: &str,
        rest: &mut std::slice::Iter<'_, String>,
        refuse: &dyn Fn(&str, &[&str]) -> Error,
    ) -> Result<()> {
        let (name, joined) = match token.split_once('=') {
            Some((name, value)) if token.starts_with("--") => (name, Some(value)),
            _ => (token, None),
        };
        let unknown = || refuse(name, &self.longs.keys().copied().collect::<Vec<_>>());
        let long = name.strip_prefix("--");
        let arg = match long {
            Some(long) => self.long(long).ok_or_else(unknown)?,
            None => self.shorts.get(&name.chars().nth(1).unwrap_or('-')).copied().ok_or_else(unknown)?,
        };
        let spelling = arg.get_long().map_or_else(|| name.to_owned(), |long| format!("--{long}"));
        let mut value = joined.map(str::to_owned);
        out.args.push(match (long, joined) {
            (Some(_), Some(joined)) => format!("{spelling}={joined}"),
            (Some(_), None) => spelling.clone(),
            (None, _) => token.to_owned(),
        });
        let bundled = long.is_none() && name.chars().count() > 2;
        if bundled {
            value = name.char_indices().nth(2).map(|(at, _)| name[at..].trim_start_matches('=').to_owned());
        } else if arg.get_action().takes_values() && joined.is_none() && !requires_value(arg) {
            if let Some(next) = rest.clone().next().filter(|next| !is_flag(next)) {
                rest.next();
                out.value(arg, next);
                value = Some(next.clone());
            }
        } else if arg.get_action().takes_values() && joined.is_none() {
            match rest.next() {
                Some(next) if !self.declares(next) => {
                    out.value(arg, next);
                    value = Some(next.clone());
                }
                next => return Err(refusal::missing_value(arg, name, next.map(String::as_str))),
            }
        }
        out.typed.push(Typed { flag: spelling, value });
        Ok(())
    }

    /// A flag by its long name, in any case, with `_` for `-`.
    fn long(&self, long: &str) -> Option<&'a Arg> {
        let twin = || long.replace('_', "-").to_lowercase();
        self.longs.get(long).or_else(|| self.longs.get(twin().as_str())).copied()
    }

    /// Whether a token is a flag of this command.
    fn declares(&self, token: &str) -> bool {
        token
            .strip_prefix("--")
            .is_some_and(|long| self.longs.contains_key(long.split('=').next().unwrap_or(long)))
    }
}

/// Whether a token is meant as a flag: `-5`, `-7d`, `-` and `- a list` are not.
fn is_flag(token: &str) -> bool {
    let Some(name) = token.strip_prefix('-') else { return false };
    let before_value = token.split('=').next().unwrap_or(token);
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && !before_value.contains(char::is_whitespace)
}

fn requires_value(arg: &Arg) -> bool {
    arg.get_num_args().is_none_or(|range| range.min_values() > 0)
}

#[cfg(test)]
mod tests {
    use clap::ArgAction;

    use super::*;
    use crate::error::Code;

    fn parser() -> clap::Command {
        clap::Command::new("x")
            .arg(Arg::new("id"))
            .arg(Arg::new("text"))
            .arg(Arg::new("limit").long("limit").short('n').alias("max-rows"))
            .arg(Arg::new("updated_after").long("updated-after"))
            .arg(Arg::new("json").long("json").action(ArgAction::SetTrue))
    }

    fn canonical(line: &[&str]) -> Result<Canonical> {
        let args: Vec<String> = line.iter().map(|&word| word.to_owned()).collect();
        let parser = parser();
        Flags::of(&parser).canonical(&args, &|flag, longs| refusal::unknown_flag("x", flag, longs, false))
    }

    fn spelled(line: &[&str]) -> Vec<String> {
        canonical(line).unwrap().args
    }

    #[test]
    fn spellings_become_the_declared_ones() {
        assert_eq!(spelled(&["--updated_after", "-7d", "a"]), ["--updated-after=-7d", "a"]);
        assert_eq!(spelled(&["--LIMIT=3"]), ["--limit=3"]);
        assert_eq!(spelled(&["--max_rows", "3"]), ["--limit", "3"]);
        assert_eq!(spelled(&["-n", "3", "-5", "- a"]), ["-n", "3", "-5", "- a"]);
        assert_eq!(spelled(&["-n", "-5"]), ["--limit=-5"]);
        assert_eq!(spelled(&["a", "--", "--nosuch"]), ["a", "--", "--nosuch"]);
        assert_eq!(spelled(&["a", "b", "--json", "--", "-c"]), ["--json", "a", "b", "--", "-c"]);
    }

    #[test]
    fn what_was_typed_is_told_in_the_words_of_the_contract() {
        let typed = canonical(&["a", "-n3", "--json", "--max-rows=4", "b"]).unwrap().typed;
        let typed: Vec<(&str, Option<&str>)> =
            typed.iter().map(|typed| (typed.flag.as_str(), typed.value.as_deref())).collect();
        assert_eq!(
            typed,
            [
                ("<id>", Some("a")),
                ("--limit", Some("3")),
                ("--json", None),
                ("--limit", Some("4")),
                ("<text>", Some("b"))
            ]
        );
    }

    #[test]
    fn what_is_no_flag_is_refused_before_anything_runs() {
        assert_eq!(canonical(&["--nosuch"]).unwrap_err().code, Code::UnknownOption);
        assert_eq!(canonical(&["--limt", "3"]).unwrap_err().code, Code::FlagTypo);
        assert_eq!(canonical(&["-z"]).unwrap_err().code, Code::UnknownOption);
        assert_eq!(canonical(&["--limit", "--json"]).unwrap_err().rejected.as_deref(), Some("--json"));
        assert_eq!(canonical(&["--limit"]).unwrap_err().surface.as_deref(), Some("--limit"));
    }
}

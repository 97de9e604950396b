//! What was typed, put in order: which command it is, and its arguments in their canonical spelling.

use serde_json::{Map, Value};

use crate::contract::Contract;
use crate::error::{Code, Error, Result};
use crate::grammar::{self, DEPRECATED, Deprecated};
use crate::nearest;
use crate::read_output::{self, camel};
use crate::surface::{Catalog, Surface};

use super::refusal;

/// `pm help`, which is in no catalog: it says what the others are.
const HELP: Contract = Contract { path: &["help"], ..Contract::BASE };

/// A call that names a command.
#[derive(Debug)]
pub(super) struct Route {
    /// The command.
    pub(super) surface: &'static Surface,
    /// Its arguments; global flags that stood before its name come first.
    pub(super) args: Vec<String>,
    /// The older spelling that was used.
    pub(super) deprecated: Option<&'static Deprecated>,
}

/// Where a call leads.
#[derive(Debug)]
pub(super) enum Destination {
    /// To a command.
    Command(Route),
    /// To the help of these words; none of them: of the program.
    Help(Vec<String>),
    /// To the version.
    Version,
}

/// Splits a call into its command and the command's arguments.
pub(super) fn route(argv: &[String], catalog: Catalog) -> Result<Destination> {
    let Words { words, mut args } = Words::split(argv, catalog)?;
    let (lead, _) = args.split_at(args.iter().position(|arg| arg == "--").unwrap_or(args.len()));
    if lead.iter().any(|arg| arg == "--help" || arg == "-h") {
        // A question about a call, whatever else it says.
        let words = if words.first().is_some_and(|word| word == "help") { &words[1..] } else { &words };
        return Ok(Destination::Help(words.to_vec()));
    }
    let Some(first) = words.first() else {
        if lead.iter().any(|arg| arg == "--version" || arg == "-V") {
            return Ok(Destination::Version);
        }
        return Ok(Destination::Help(Vec::new()));
    };
    if first == "help" {
        help_takes(&args, catalog)?;
        return Ok(Destination::Help(words[1..].to_vec()));
    }
    let deprecated = DEPRECATED.iter().find(|old| old.word == first);
    if let Some(old) = deprecated {
        args.splice(0..0, old.argv[1..].iter().map(|&word| word.to_owned()));
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let surface = resolve(&words, catalog).ok_or_else(|| unknown(&words, &args, catalog))?;
    Ok(Destination::Command(Route { surface, args, deprecated }))
}

/// The command or group that a call names, if it names one, in its own words.
pub(super) fn named(argv: &[String], catalog: Catalog) -> Option<String> {
    let words = path(argv, catalog);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match resolve(&words, catalog) {
        Some(surface) => Some(surface.name()),
        None => (!words.is_empty() && !next_words(&words, catalog).is_empty()).then(|| words.join(" ")),
    }
}

/// The words of a call that name a command or a group.
pub(super) fn path(argv: &[String], catalog: Catalog) -> Vec<String> {
    Words::split(argv, catalog).map(|split| split.words).unwrap_or_default()
}

/// The words that name a command, and everything else in order.
struct Words {
    words: Vec<String>,
    args: Vec<String>,
}

impl Words {
    fn split(argv: &[String], catalog: Catalog) -> Result<Words> {
        let mut words: Vec<String> = Vec::new();
        let mut args = Vec::new();
        let mut rest = argv.iter();
        while let Some(token) = rest.next() {
            if let Some(flag) = token.strip_prefix("--").filter(|flag| !flag.is_empty()) {
                let name = flag.split('=').next().unwrap_or(flag).replace('_', "-");
                let takes_value = match grammar::global_takes_value(&name) {
                    Some(takes_value) => takes_value,
                    None if name == "help" || name == "version" => false,
                    None if words.is_empty() => return Err(misplaced(token, catalog)),
                    None => {
                        args.push(token.clone());
                        break;
                    }
                };
                args.push(token.clone());
                if takes_value && !flag.contains('=') {
                    args.extend(rest.next().cloned());
                }
                continue;
            }
            let is_word = !token.starts_with('-')
                && (words.is_empty() || words[0] == "help" || extends(&words, token, catalog));
            if is_word {
                words.push(token.clone());
                continue;
            }
            args.push(token.clone());
            if !token.starts_with('-') || !words.is_empty() {
                break;
            }
        }
        args.extend(rest.cloned());
        Ok(Words { words, args })
    }
}

/// Whether `token` goes on the path that `words` began.
fn extends(words: &[String], token: &str, catalog: Catalog) -> bool {
    catalog.iter().any(|surface| {
        let path = surface.contract.path;
        path.len() > words.len()
            && path.iter().zip(words).all(|(segment, word)| segment == word)
            && names(surface, words.len(), token)
    })
}

/// Whether `word` is segment `index` of a command's path, or for the last segment one of its aliases.
fn names(surface: &Surface, index: usize, word: &str) -> bool {
    let contract = surface.contract;
    contract.path.get(index).is_some_and(|&segment| segment == word)
        || (index + 1 == contract.path.len() && contract.aliases.contains(&word))
}

/// The command that these words name.
pub(super) fn resolve(words: &[&str], catalog: Catalog) -> Option<&'static Surface> {
    let mut words = words.to_vec();
    if let Some(old) = words.first().and_then(|first| DEPRECATED.iter().find(|old| old.word == *first)) {
        words[0] = old.argv[0];
    }
    catalog.iter().find(|surface| {
        surface.contract.path.len() == words.len()
            && words.iter().enumerate().all(|(index, word)| names(surface, index, word))
    })
}

/// Words that a caller may say at position `words.len()` after `words`.
pub(super) fn next_words(words: &[&str], catalog: Catalog) -> Vec<&'static str> {
    let mut next: Vec<&'static str> = Vec::new();
    for surface in catalog.iter() {
        let path = surface.contract.path;
        if path.len() > words.len() && path.iter().zip(words).all(|(segment, word)| segment == word) {
            let word = path[words.len()];
            if !next.contains(&word) {
                next.push(word);
            }
        }
    }
    next
}

/// No command has these words; `args` is what followed them.
pub(super) fn unknown(words: &[&str], args: &[String], catalog: Catalog) -> Error {
    let legal = next_words(words, catalog);
    let group = words.join(" ");
    if legal.is_empty() {
        let near = near_commands(&group, catalog);
        let mut message = format!("no command `{group}`");
        if !near.is_empty() {
            message.push_str(&format!("; near it: {}", near.join(", ")));
        }
        return Error::new(Code::UnknownCommand, message).at(group).fact("suggestions", near);
    }
    let Some(typed) = args.iter().find(|arg| !arg.starts_with('-')) else {
        let message = format!("`pm {group}` needs one more word: {}", legal.join(", "));
        let missing = Error::new(Code::MissingRequiredArgument, message).at("subcommand");
        return missing.fact("missing", vec!["subcommand"]).fact("allowed_values", legal);
    };
    let ordered = nearest::order(typed, &legal);
    let message = format!("`pm {group}` has no subcommand `{typed}`; it has {}", ordered.join(", "));
    Error::new(Code::UnknownSubcommand, message).at(group).rejecting(typed).fact("allowed_values", ordered)
}

/// Commands that may have been meant (surfaces.md §28): one of their words is it, begins with it, holds it, or is
/// a slip away from it. A group stands for its commands, unless one of their own words is meant.
fn near_commands(typed: &str, catalog: Catalog) -> Vec<String> {
    let typed = typed.to_lowercase();
    let mut near: Vec<(usize, String)> = Vec::new();
    for surface in catalog.iter() {
        let contract = surface.contract;
        let (first, last) = (contract.path[0], contract.path[contract.path.len() - 1]);
        let of_first = first.split('-').chain([first]).filter_map(|word| nearness(&typed, word)).min();
        let of_last = last.split('-').chain([last]).chain(contract.aliases.iter().copied());
        let of_last = of_last.filter_map(|word| nearness(&typed, word)).min();
        match (of_first, of_last) {
            (Some(rank), of_last) if of_last.is_none_or(|last| rank <= last) => {
                near.push((rank, first.to_owned()))
            }
            (_, Some(rank)) => near.push((rank, surface.name())),
            _ => {}
        }
    }
    // Of equally near ones, a command of its own comes before one of a group.
    near.sort_by_cached_key(|(rank, name)| (*rank, name.matches(' ').count(), name.clone()));
    near.dedup_by(|a, b| a.1 == b.1);
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

/// How near a word is to what was typed, in lower case; `None` when it is not.
fn nearness(typed: &str, word: &str) -> Option<usize> {
    let allowed = if typed.chars().count() < 5 { 1 } else { 2 };
    let distance = strsim::damerau_levenshtein(typed, word);
    match () {
        () if word == typed => Some(1),
        () if typed.len() > 2 && word.starts_with(typed) => Some(2),
        () if typed.len() > 2 && word.contains(typed) => Some(3),
        () if distance <= allowed => Some(4 + distance),
        () => None,
    }
}

/// Refuses what `pm help` has no use for: it is a command of its own, which reads nothing.
fn help_takes(args: &[String], catalog: Catalog) -> Result<()> {
    let mut rest = args.iter();
    let mut controls = Map::new();
    while let Some(token) = rest.next() {
        let flag = token.split('=').next().unwrap_or(token);
        let long = flag.trim_start_matches('-').replace('_', "-");
        let takes_value = grammar::global_takes_value(&long).filter(|_| flag.starts_with("--"));
        let Some(takes_value) = takes_value else {
            let longs: Vec<&str> = grammar::global_longs().collect();
            return Err(refusal::unknown_flag("help", flag, &longs, grammar::declares(catalog, flag)));
        };
        let own = token.split_once('=').map(|(_, value)| value);
        let value = match own {
            None if takes_value => rest.next().map_or("", String::as_str),
            own => own.unwrap_or_default(),
        };
        if grammar::is_output_control(&long) {
            let value = if takes_value { Value::from(value) } else { true.into() };
            controls.insert(camel(&long), value);
        }
    }
    // What a control may say, and which belong to reads alone, is said where all calls are asked.
    read_output::resolve(&HELP, &read_output::arguments(&controls)?).map(|_| ())
}

/// A flag before the command that is no global flag.
fn misplaced(token: &str, catalog: Catalog) -> Error {
    let flag = token.split('=').next().unwrap_or(token);
    let longs: Vec<&str> = grammar::global_longs().collect();
    refusal::unknown_flag("", flag, &longs, grammar::declares(catalog, flag))
}

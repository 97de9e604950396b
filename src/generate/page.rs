//! One command as its reader sees it: the same facts for help, documentation and machines.

use clap::{Arg, ArgAction, Command};

use crate::contract::{Contract, Refusals};
use crate::grammar::{self, GLOBAL_HEADING, MUTATION_HEADING, OUTPUT_HEADING};
use crate::surface::{Catalog, Surface};

/// An argument or an option.
#[derive(Clone, Debug)]
pub struct Entry {
    /// As one types it: `-s, --status <STATUS>`, `<ID>`, `[TEXT]...`.
    pub flags: String,
    /// What it does, in one or several lines.
    pub help: String,
    /// The long name, without dashes.
    pub long: Option<String>,
    /// The short name, without its dash.
    pub short: Option<char>,
    /// The name of its value.
    pub value_name: Option<String>,
    /// Whether the value may be left out.
    pub value_optional: bool,
    /// Whether it may be given several times, or takes several values.
    pub repeats: bool,
    /// Whether it must be given.
    pub required: bool,
    /// Other long names that stand in help.
    pub aliases: Vec<String>,
    /// Other long names that are taken and do not stand in help.
    pub older: Vec<String>,
    /// The legal values, when they are a closed set.
    pub values: Vec<String>,
    /// The value when it is not given.
    pub default: Option<String>,
}

/// Entries under one heading.
#[derive(Clone, Debug)]
pub struct Section {
    /// The heading.
    pub heading: String,
    /// The entries, in the order declared.
    pub entries: Vec<Entry>,
}

/// Everything there is to say about a command.
#[derive(Clone, Debug)]
pub struct Page {
    /// The contract.
    pub contract: &'static Contract,
    /// Its words: `config get`.
    pub name: String,
    /// The line that shows how to call it.
    pub usage: String,
    /// The positional arguments.
    pub arguments: Vec<Entry>,
    /// Its own options first, then those of every change.
    pub options: Vec<Section>,
    /// The controls of the read output; empty when it is no read surface.
    pub output: Vec<Entry>,
    /// The options of all commands.
    pub globals: Vec<Entry>,
    /// The commands below it: the next word and what it does.
    pub subcommands: Vec<(&'static str, &'static str)>,
}

impl Page {
    /// The page of a command.
    pub fn of(surface: &Surface, catalog: Catalog) -> Page {
        Page::of_parser(surface, &grammar::parser(surface), catalog)
    }

    /// The page of a command whose parser has options beside the declared ones.
    pub fn of_parser(surface: &Surface, parser: &Command, catalog: Catalog) -> Page {
        let contract = surface.contract;
        let mut page = Page {
            contract,
            name: surface.name(),
            usage: String::new(),
            arguments: Vec::new(),
            options: Vec::new(),
            output: Vec::new(),
            globals: Vec::new(),
            subcommands: below(contract.path, catalog),
        };
        for arg in parser.get_arguments().filter(|arg| !arg.is_hide_set()) {
            let mut entry = Entry::of(arg);
            // This contract refuses a parameter that is said twice; only targets add up.
            let once = contract.refusals == Refusals::Catalog;
            entry.repeats &= !once || entry.long.as_deref() == Some("target");
            match arg.get_help_heading() {
                _ if arg.is_positional() => page.arguments.push(entry),
                Some(OUTPUT_HEADING) => page.output.push(entry),
                Some(GLOBAL_HEADING) => page.globals.push(entry),
                heading => page.add(heading.unwrap_or("Options"), entry),
            }
        }
        page.options.sort_by_key(|section| section.heading == MUTATION_HEADING);
        page.usage = page.usage_line();
        page
    }

    fn add(&mut self, heading: &str, entry: Entry) {
        match self.options.iter_mut().find(|section| section.heading == heading) {
            Some(section) => section.entries.push(entry),
            None => self.options.push(Section { heading: heading.to_owned(), entries: vec![entry] }),
        }
    }

    fn usage_line(&self) -> String {
        let mut usage = format!("pm {}", self.name);
        for argument in &self.arguments {
            usage.push(' ');
            usage.push_str(&argument.flags);
        }
        for option in
            self.options.iter().flat_map(|section| &section.entries).filter(|option| option.required)
        {
            let long = option.long.as_deref().unwrap_or_default();
            let value = option.value_name.as_deref().unwrap_or_default();
            usage.push_str(&format!(" --{long} <{value}>"));
        }
        usage.push_str(" [options]");
        usage
    }
}

/// The words that may follow a path, each with what it does.
pub fn below(path: &[&str], catalog: Catalog) -> Vec<(&'static str, &'static str)> {
    let mut words: Vec<(&'static str, &'static str)> = Vec::new();
    for surface in catalog.iter() {
        let contract = surface.contract;
        if contract.path.len() > path.len() && contract.path.starts_with(path) {
            let word = contract.path[path.len()];
            let own = contract.path.len() == path.len() + 1;
            let about =
                if own { contract.about } else { grammar::group_about(&contract.path[..=path.len()]) };
            match words.iter_mut().find(|(known, _)| *known == word) {
                // A command that is a group too speaks for itself.
                Some((_, known)) if own || known.is_empty() => *known = about,
                Some(_) => {}
                None => words.push((word, about)),
            }
        }
    }
    words
}

impl Entry {
    fn of(arg: &Arg) -> Entry {
        let range = arg.get_num_args();
        let takes_value = arg.get_action().takes_values();
        let many = matches!(arg.get_action(), ArgAction::Append)
            || range.is_some_and(|range| range.max_values() > 1);
        let names = arg.get_value_names().and_then(|names| names.first());
        let value_name = takes_value.then(|| match names {
            Some(name) => name.to_string(),
            None => arg.get_id().as_str().to_uppercase().replace('-', "_"),
        });
        let value_optional = range.is_some_and(|range| range.min_values() == 0);
        // A switch is said or not; the words of its parser are no values.
        let values = if takes_value { arg.get_possible_values() } else { Vec::new() };
        let default = arg.get_default_values().first().map(|value| value.to_string_lossy().into_owned());
        let mut entry = Entry {
            flags: String::new(),
            help: arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default(),
            long: arg.get_long().map(str::to_owned),
            short: arg.get_short(),
            value_name,
            value_optional,
            repeats: takes_value && many,
            required: arg.is_required_set(),
            aliases: arg.get_visible_aliases().unwrap_or_default().iter().map(ToString::to_string).collect(),
            older: older(arg),
            values: values.iter().filter(|v| !v.is_hide_set()).map(|v| v.get_name().to_owned()).collect(),
            default: default.filter(|_| takes_value && !arg.is_hide_default_value_set()),
        };
        entry.flags = entry.spelling(arg.is_positional());
        entry
    }

    fn spelling(&self, positional: bool) -> String {
        let value = self.value_name.as_deref().unwrap_or_default();
        if positional {
            let dots = if self.repeats { "..." } else { "" };
            return if self.required { format!("<{value}>{dots}") } else { format!("[{value}]{dots}") };
        }
        let mut names: Vec<String> = self.short.iter().map(|short| format!("-{short}")).collect();
        names.extend(self.long.iter().chain(&self.aliases).map(|long| format!("--{long}")));
        let names = names.join(", ");
        match (value.is_empty(), self.value_optional) {
            (true, _) => names,
            (false, true) => format!("{names} [{value}]"),
            (false, false) => format!("{names} <{value}>"),
        }
    }
}

/// The hidden aliases of an option, but for the spellings with `_`, which every option has.
fn older(arg: &Arg) -> Vec<String> {
    let visible = arg.get_visible_aliases().unwrap_or_default();
    let all = arg.get_all_aliases().unwrap_or_default();
    all.iter()
        .filter(|alias| !visible.contains(alias) && !alias.contains('_'))
        .map(ToString::to_string)
        .collect()
}

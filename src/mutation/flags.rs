//! The flags of `create` and `update`, made from the table of fields.

use std::collections::{BTreeMap, BTreeSet};
use std::marker::PhantomData;

use serde_json::{Map, Value};

use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::model::field::{FIELDS, Field, Form, LISTS, List, Use};

/// Which command the flags belong to.
pub trait Target {
    /// The command.
    const ON: Use;
}

/// The flags of `create`.
#[derive(Debug)]
pub enum OnCreate {}

/// The flags of `update`.
#[derive(Debug)]
pub enum OnUpdate {}

impl Target for OnCreate {
    const ON: Use = Use::Create;
}

impl Target for OnUpdate {
    const ON: Use = Use::Update;
}

/// The values that a call gives to the fields and lists of an item, by key.
#[derive(Debug)]
pub struct Flags<T> {
    /// Fields with a single value: what was typed, as often as it was.
    pub fields: BTreeMap<&'static str, Vec<String>>,
    /// Entries of lists.
    pub lists: BTreeMap<&'static str, Vec<String>>,
    /// Lists to be emptied.
    pub cleared: BTreeSet<&'static str>,
    /// Lists to be replaced by the entries given.
    pub replaced: BTreeSet<&'static str>,
    target: PhantomData<T>,
}

impl<T> Clone for Flags<T> {
    fn clone(&self) -> Flags<T> {
        Flags {
            fields: self.fields.clone(),
            lists: self.lists.clone(),
            cleared: self.cleared.clone(),
            replaced: self.replaced.clone(),
            target: PhantomData,
        }
    }
}

impl<T> Default for Flags<T> {
    fn default() -> Flags<T> {
        Flags {
            fields: BTreeMap::new(),
            lists: BTreeMap::new(),
            cleared: BTreeSet::new(),
            replaced: BTreeSet::new(),
            target: PhantomData,
        }
    }
}

fn field_arg(field: &Field) -> Arg {
    let mut arg = Arg::new(field.flag).long(field.flag).help(field.about).help_heading("Fields");
    arg = arg.visible_aliases(field.aliases.iter().copied());
    if let Some(letter) = field.short {
        arg = arg.short(letter);
    }
    match field.form {
        Form::Boolean => {
            arg.action(ArgAction::Set).num_args(0..=1).default_missing_value("true").value_name("BOOL")
        }
        Form::Criteria | Form::Tags => arg.action(ArgAction::Append).value_name("TEXT"),
        Form::Blocker => arg.action(ArgAction::Append).value_name(value_name(field.form)),
        form => arg.action(ArgAction::Set).value_name(value_name(form)),
    }
}

fn value_name(form: Form) -> &'static str {
    match form {
        Form::Type => "TYPE",
        Form::Status => "STATUS",
        Form::Priority => "PRIORITY",
        Form::Level | Form::Confidence => "LEVEL",
        Form::Minutes | Form::Integer => "NUMBER",
        Form::Instant => "TIME",
        Form::Item => "ID",
        Form::Blocker => "ID,...|REASON",
        _ => "TEXT",
    }
}

fn list_arg(list: &List) -> Arg {
    Arg::new(list.flag)
        .long(list.flag)
        .visible_aliases(list.aliases.iter().copied())
        .action(ArgAction::Append)
        .value_name("ENTRY")
        .help(list.about)
        .help_heading("Lists")
}

fn switch(name: &'static str, help: String) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help).help_heading("Lists")
}

impl<T: Target> clap::Args for Flags<T> {
    fn augment_args(mut command: Command) -> Command {
        for field in FIELDS.iter().filter(|field| field.on.on(T::ON)) {
            command = command.arg(field_arg(field));
        }
        for list in LISTS {
            command = command.arg(list_arg(list));
            let words = list.key.replace('_', " ");
            command = command.arg(switch(list.clear, format!("Empty the {words}")));
            if let (Use::Update, Some(replace)) = (T::ON, list.replace) {
                command =
                    command.arg(switch(replace, format!("Replace the {words} by those of --{}", list.flag)));
            }
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<T: Target> clap::FromArgMatches for Flags<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Flags<T>, clap::Error> {
        let mut flags = Flags::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let texts = |id: &str| -> Option<Vec<String>> {
            Some(matches.try_get_many::<String>(id).ok().flatten()?.cloned().collect())
        };
        let is_set = |id: &str| matches.try_get_one::<bool>(id).ok().flatten().copied().unwrap_or(false);
        for field in FIELDS {
            if let Some(values) = texts(field.flag) {
                self.fields.insert(field.key, values);
            }
        }
        for list in LISTS {
            if let Some(values) = texts(list.flag) {
                self.lists.insert(list.key, values);
            }
            if is_set(list.clear) {
                self.cleared.insert(list.key);
            }
            if list.replace.is_some_and(is_set) {
                self.replaced.insert(list.key);
            }
        }
        Ok(())
    }
}

impl<T: Target> Flags<T> {
    /// The last value of a field, as typed.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.fields.get(key)?.last().map(String::as_str)
    }

    /// What was given, by key, as text: plans and checkpoints of bulk calls quote it.
    pub fn echo(&self) -> Map<String, Value> {
        let single = self.given().map(|(field, texts)| (field.key.to_owned(), texts.join(",").into()));
        let lists = self.lists.iter().map(|(key, texts)| ((*key).to_owned(), texts.join(",").into()));
        let emptied = self.cleared.iter().map(|key| (format!("clear_{key}"), Value::Bool(true)));
        let replaced = self.replaced.iter().map(|key| (format!("replace_{key}"), Value::Bool(true)));
        single.chain(lists).chain(emptied).chain(replaced).collect()
    }

    /// The fields that were given, in the order of the table.
    pub fn given(&self) -> impl Iterator<Item = (&'static Field, &[String])> {
        FIELDS.iter().filter_map(|field| Some((field, self.fields.get(field.key)?.as_slice())))
    }
}

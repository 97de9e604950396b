//! The arguments of the five actions, made of their table.

use std::marker::PhantomData;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Map, Value, json};

use crate::kb::actions::{self, Parameter, Takes, Verb};

/// Says which action it is.
pub(crate) trait Act {
    /// The action.
    const VERB: Verb;
}

/// The parameters of a call, by name, in the types of the declaration as far as the words allow.
pub(crate) struct Given<A>(pub(crate) Map<String, Value>, PhantomData<A>);

impl<A: Act> clap::Args for Given<A> {
    fn augment_args(command: Command) -> Command {
        let action = A::VERB.action();
        let mut command = command;
        if let Some(subject) = &action.subject {
            let arg = Arg::new(subject.name).value_name(subject.name.to_uppercase()).help(subject.about);
            command = command.arg(arg.num_args(0..).action(ArgAction::Append));
        }
        for parameter in action.parameters {
            command = command.arg(arg(parameter, false));
        }
        if !action.many {
            // Understood, so that its refusal can say why, but not offered.
            for filter in actions::filters() {
                command = command.arg(arg(filter, true));
            }
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

fn arg(parameter: &Parameter, hidden: bool) -> Arg {
    let arg = Arg::new(parameter.name).long(parameter.flag).help(parameter.about).hide(hidden);
    let name = match parameter.takes {
        Takes::Switch => return arg.action(ArgAction::SetTrue),
        Takes::Text(_) => parameter.name.to_uppercase(),
        Takes::Count(_) => "COUNT".to_owned(),
        Takes::Boolean => "true|false".to_owned(),
        Takes::Word(words) => words.join("|"),
        Takes::Texts | Takes::Kinds | Takes::Integers | Takes::Tiers => {
            return arg.value_name("CSV").action(ArgAction::Append);
        }
    };
    arg.value_name(name).action(ArgAction::Set)
}

impl<A: Act> clap::FromArgMatches for Given<A> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let action = A::VERB.action();
        let mut given = Map::new();
        let mut take = |parameter: &Parameter| {
            if let Some(value) = value(parameter, matches) {
                given.insert(parameter.name.to_owned(), value);
            }
        };
        action.parameters.iter().for_each(&mut take);
        if !action.many {
            actions::filters().for_each(&mut take);
        }
        if let Some(subject) = &action.subject {
            let words: Vec<&String> =
                matches.get_many::<String>(subject.name).into_iter().flatten().collect();
            match words.as_slice() {
                [] => {}
                [one] => {
                    given.insert(subject.name.to_owned(), json!(one));
                }
                several => {
                    given.insert(subject.name.to_owned(), json!(several));
                }
            }
        }
        Ok(Given(given, PhantomData))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The words of a flag as a value: what is no number stays text and is refused with its reason.
fn value(parameter: &Parameter, matches: &ArgMatches) -> Option<Value> {
    let number = |text: &str| text.parse::<i64>().map_or_else(|_| json!(text), |n| json!(n));
    if parameter.takes == Takes::Switch {
        return matches.get_flag(parameter.name).then_some(Value::Bool(true));
    }
    let words: Vec<&str> = matches.get_many::<String>(parameter.name)?.map(String::as_str).collect();
    let list =
        || words.iter().flat_map(|word| word.split(',')).map(str::trim).filter(|word| !word.is_empty());
    Some(match parameter.takes {
        Takes::Text(_) | Takes::Word(_) | Takes::Switch => json!(words.last()?),
        Takes::Count(_) => number(words.last()?),
        Takes::Boolean => match *words.last()? {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            other => json!(other),
        },
        Takes::Texts | Takes::Kinds => list().map(|word| json!(word)).collect(),
        Takes::Integers => list().map(number).collect(),
        // `none` is how an empty list is spelled.
        Takes::Tiers => {
            let names: Vec<&str> = list().collect();
            if names == ["none"] { json!([]) } else { json!(names) }
        }
    })
}

//! An answer on its way to bytes: values, objects of values, and lists of which only a prefix is shown.

use serde_json::{Map, Value};

/// A part of the document.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    /// Something that is written as it is.
    Value(Value),
    /// An object of parts.
    Object(Vec<(String, Tree)>),
    /// A list, by its number in the document.
    List(usize),
}

/// A list that may be cut.
#[derive(Clone, Debug, Default)]
pub(super) struct List {
    /// Where it stands: `graph.nodes`, `items.0.tags`.
    pub(super) path: String,
    /// The keys of the entries when it is an object on the wire.
    pub(super) keys: Option<Vec<String>>,
    /// The columns when it is a table whose rows may lack fields.
    pub(super) columns: Option<Vec<String>>,
    /// Those of them that are left out when no shown row has them.
    pub(super) optional: Vec<String>,
    /// What there is, in the order in which it is kept.
    pub(super) items: Vec<Tree>,
    /// Whether it is written from the last kept to the first.
    pub(super) reversed: bool,
    /// How many items are shown.
    pub(super) shown: usize,
}

/// The document: its lists by number, and the parts at the top.
#[derive(Clone, Debug, Default)]
pub(super) struct Doc {
    pub(super) root: Vec<(String, Tree)>,
    pub(super) lists: Vec<List>,
}

/// A place in a document, as a writer sees it.
#[derive(Clone, Copy)]
pub(super) enum Ref<'d> {
    Value(&'d Value),
    Tree(&'d Tree, &'d [List]),
}

/// What stands at a place.
pub(super) enum View<'d> {
    Leaf(&'d Value),
    Object(Fields<'d>),
    Array(Items<'d>),
}

/// The fields of an object.
#[derive(Clone, Copy)]
pub(super) enum Fields<'d> {
    Map(&'d Map<String, Value>),
    Entries(&'d [(String, Tree)], &'d [List]),
    Keyed(&'d [String], Items<'d>),
}

/// The shown items of a list.
#[derive(Clone, Copy)]
pub(super) struct Items<'d> {
    source: Source<'d>,
    reversed: bool,
    /// The columns of a table.
    pub(super) columns: Option<&'d [String]>,
    /// Those of them that are left out when no item has them.
    pub(super) optional: &'d [String],
}

#[derive(Clone, Copy)]
enum Source<'d> {
    Values(&'d [Value]),
    Trees(&'d [Tree], &'d [List]),
}

impl<'d> Ref<'d> {
    /// What stands here.
    pub(super) fn view(self) -> View<'d> {
        match self {
            Ref::Value(Value::Array(values)) | Ref::Tree(Tree::Value(Value::Array(values)), _) => {
                View::Array(Items {
                    source: Source::Values(values),
                    reversed: false,
                    columns: None,
                    optional: &[],
                })
            }
            Ref::Value(Value::Object(map)) | Ref::Tree(Tree::Value(Value::Object(map)), _) => {
                View::Object(Fields::Map(map))
            }
            Ref::Value(value) | Ref::Tree(Tree::Value(value), _) => View::Leaf(value),
            Ref::Tree(Tree::Object(entries), lists) => View::Object(Fields::Entries(entries, lists)),
            Ref::Tree(Tree::List(number), lists) => {
                let list = &lists[*number];
                let items = Items {
                    source: Source::Trees(&list.items[..list.shown], lists),
                    reversed: list.reversed,
                    columns: list.columns.as_deref(),
                    optional: &list.optional,
                };
                match &list.keys {
                    Some(keys) => View::Object(Fields::Keyed(&keys[..list.shown], items)),
                    None => View::Array(items),
                }
            }
        }
    }

    /// The number of the list when it is one of the document's.
    pub(super) fn list(self) -> Option<usize> {
        match self {
            Ref::Tree(Tree::List(number), _) => Some(*number),
            _ => None,
        }
    }

    /// The value when it is neither an object nor an array.
    pub(super) fn leaf(self) -> Option<&'d Value> {
        match self.view() {
            View::Leaf(value) => Some(value),
            _ => None,
        }
    }

    /// A lower bound of the bytes that any encoding needs for it.
    pub(super) fn weight(self) -> u64 {
        match self.view() {
            View::Leaf(Value::String(text)) => text.len() as u64 + 1,
            View::Leaf(_) => 2,
            View::Object(fields) => {
                let mut sum = 1;
                fields.each(&mut |_, place| sum += place.weight());
                sum
            }
            View::Array(items) => 1 + (0..items.len()).map(|n| items.at(n).weight()).sum::<u64>(),
        }
    }

    /// The place as a value of its own.
    pub(super) fn to_value(self) -> Value {
        match self.view() {
            View::Leaf(value) => value.clone(),
            View::Object(fields) => {
                let mut map = Map::new();
                fields.each(&mut |key, place| {
                    map.insert(key.to_owned(), place.to_value());
                });
                Value::Object(map)
            }
            View::Array(items) => (0..items.len()).map(|n| items.at(n).to_value()).collect(),
        }
    }
}

impl<'d> Items<'d> {
    /// How many.
    pub(super) fn len(self) -> usize {
        match self.source {
            Source::Values(values) => values.len(),
            Source::Trees(trees, _) => trees.len(),
        }
    }

    /// The item at a position, in the order of the wire.
    pub(super) fn at(self, index: usize) -> Ref<'d> {
        let index = if self.reversed { self.len() - 1 - index } else { index };
        match self.source {
            Source::Values(values) => Ref::Value(&values[index]),
            Source::Trees(trees, lists) => Ref::Tree(&trees[index], lists),
        }
    }
}

impl<'d> Fields<'d> {
    /// How many.
    pub(super) fn len(self) -> usize {
        match self {
            Fields::Map(map) => map.len(),
            Fields::Entries(entries, _) => entries.len(),
            Fields::Keyed(keys, _) => keys.len(),
        }
    }

    /// Calls `f` with each field, in order.
    pub(super) fn each(self, f: &mut dyn FnMut(&'d str, Ref<'d>)) {
        match self {
            Fields::Map(map) => map.iter().for_each(|(key, value)| f(key, Ref::Value(value))),
            Fields::Entries(entries, lists) => {
                entries.iter().for_each(|(key, tree)| f(key, Ref::Tree(tree, lists)));
            }
            Fields::Keyed(keys, items) => {
                keys.iter().enumerate().for_each(|(n, key)| f(key, items.at(n)));
            }
        }
    }

    /// The field of this name.
    pub(super) fn get(self, name: &str) -> Option<Ref<'d>> {
        match self {
            Fields::Map(map) => map.get(name).map(Ref::Value),
            Fields::Entries(entries, lists) => {
                entries.iter().find(|(key, _)| key == name).map(|(_, tree)| Ref::Tree(tree, lists))
            }
            Fields::Keyed(keys, items) => keys.iter().position(|key| key == name).map(|n| items.at(n)),
        }
    }
}

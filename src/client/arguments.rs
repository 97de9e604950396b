//! What a call takes, from whatever a caller has at hand.

use serde_json::{Map, Value};

use crate::read_output::ReadOutputOptions;

/// The arguments of a call, by the names of its JSON Schema: `outputLimit`, `addTags`, ...
///
/// Made of pairs, of a map, of [`ReadOutputOptions`], or of pairs and options together:
///
/// ```
/// use pm::client::Arguments;
/// use pm::read_output::ReadOutputOptions;
/// use serde_json::json;
///
/// let page = ReadOutputOptions::new().limit(5);
/// let arguments = Arguments::from(([("tag", json!("web"))], page));
/// assert_eq!(serde_json::to_value(arguments.into_map()).unwrap(), json!({"tag": "web", "outputLimit": 5}));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments(Map<String, Value>);

impl Arguments {
    /// The same with one more, or another value of one.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Arguments {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    /// The same with those of another one after them; they are stronger.
    pub(super) fn over(mut self, others: Arguments) -> Arguments {
        self.0.extend(others.0);
        self
    }

    /// As a map.
    pub fn into_map(self) -> Map<String, Value> {
        self.0
    }
}

impl<const N: usize> From<[(&str, Value); N]> for Arguments {
    fn from(pairs: [(&str, Value); N]) -> Arguments {
        Arguments(pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }
}

impl From<Map<String, Value>> for Arguments {
    fn from(map: Map<String, Value>) -> Arguments {
        Arguments(map)
    }
}

impl From<ReadOutputOptions> for Arguments {
    fn from(options: ReadOutputOptions) -> Arguments {
        Arguments(options.to_map())
    }
}

impl<A: Into<Arguments>> From<(A, ReadOutputOptions)> for Arguments {
    fn from((own, options): (A, ReadOutputOptions)) -> Arguments {
        let mut all = own.into();
        all.0.extend(options.to_map());
        all
    }
}

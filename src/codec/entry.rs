//! A line of a history, read for what events tell of it: everything but its patch.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::model::events::Facts;

/// Reads a line. What is not of the kind that belongs there counts as absent, as it does in a whole entry; of a key
/// that stands twice the last counts.
///
/// Errors: it is no JSON, or no object.
pub(crate) fn facts(line: &[u8]) -> serde_json::Result<Facts<'_>> {
    // Values that are passed over are not looked at for this.
    let text = std::str::from_utf8(line).map_err(Error::custom)?;
    let mut reader = serde_json::Deserializer::from_str(text);
    let facts = reader.deserialize_any(EntryVisitor)?;
    reader.end()?;
    Ok(facts)
}

struct EntryVisitor;

impl<'de> Visitor<'de> for EntryVisitor {
    type Value = Facts<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Facts<'de>, A::Error> {
        let mut facts = Facts::default();
        while let Some(key) = map.next_key_seed(Text)? {
            match key.as_deref().unwrap_or_default() {
                "ts" => facts.ts = map.next_value_seed(Text)?.unwrap_or_default(),
                "op" => facts.op = map.next_value_seed(Text)?.unwrap_or_default(),
                "author" => facts.author = map.next_value_seed(Text)?.unwrap_or_default(),
                "message" => facts.message = map.next_value_seed(Text)?,
                "patch" => facts.patch_count = map.next_value_seed(Length)?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(facts)
    }
}

/// Reads a text; `None` for everything else.
#[derive(Clone, Copy)]
struct Text;

impl<'de> DeserializeSeed<'de> for Text {
    type Value = Option<Cow<'de, str>>;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_any(self)
    }
}

/// Reads the length of a list; 0 for everything else.
#[derive(Clone, Copy)]
struct Length;

impl<'de> DeserializeSeed<'de> for Length {
    type Value = u32;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_any(self)
    }
}

/// What a value of no interest counts as.
macro_rules! nothing_else {
    ($nothing:expr, $($method:ident: $kind:ty),*) => {
        $(fn $method<E: Error>(self, _: $kind) -> Result<Self::Value, E> {
            Ok($nothing)
        })*

        fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
            Ok($nothing)
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok($nothing)
        }

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a value")
        }
    };
}

impl<'de> Visitor<'de> for Text {
    type Value = Option<Cow<'de, str>>;

    nothing_else!(None, visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64);

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

impl<'de> Visitor<'de> for Length {
    type Value = u32;

    nothing_else!(0, visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut length = 0u32;
        while list.next_element::<IgnoredAny>()?.is_some() {
            length = length.saturating_add(1);
        }
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_read_for_what_it_tells() {
        let line = br#"{"ts":"t","author":"a\"b","op":"update","patch":[{"op":"add"},{"op":"x","value":[1]}],"message":"","x":{"y":[]}}"#;
        let facts = facts(line).unwrap();
        assert_eq!((&*facts.ts, &*facts.author, &*facts.op), ("t", "a\"b", "update"));
        assert_eq!((facts.message.as_deref(), facts.patch_count), (Some(""), 2));
    }

    #[test]
    fn values_of_another_kind_are_absent() {
        let facts =
            facts(br#"{"ts":1,"author":null,"op":["x"],"patch":{"a":1},"message":{"a":[1]},"op":true}"#);
        assert_eq!(facts.unwrap(), Facts::default());
        let twice = super::facts(br#"{"op":"a","op":"b"}"#).unwrap();
        assert_eq!(twice.op, "b");
    }

    #[test]
    fn what_is_no_object_is_refused_as_a_whole_parser_does() {
        for line in ["1", "[]", "\"x\"", "null", "{", "{\"a\":}", "{} {}", "{\"a\":01}", "{\"a\":\"\u{1}\"}"]
        {
            assert!(facts(line.as_bytes()).is_err(), "{line}");
        }
        assert!(facts(b"{\"a\":\"\xff\"}").is_err());
    }
}

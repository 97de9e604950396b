//! What the views know of the place where they are shown; the encodings of the contract depend on none of it.

use std::fmt;

use jiff::tz::TimeZone;

/// Tells the title of the item with a full id.
pub type Titles<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The surroundings of a rendering.
#[derive(Clone, Copy)]
pub struct Environment<'a> {
    /// The present instant, in milliseconds since the epoch; relative times refer to it.
    pub now: i64,
    /// The time zone of the reader, asked for only by views that tell days.
    pub zone: fn() -> TimeZone,
    /// The width of the terminal in columns, where there is one.
    pub width: Option<u16>,
    /// Colours are welcome: a terminal without `NO_COLOR`.
    pub color: bool,
    /// The human view names items that an answer knows by id only.
    pub titles: Option<Titles<'a>>,
}

impl Default for Environment<'_> {
    fn default() -> Self {
        Environment { now: 0, zone: || TimeZone::UTC, width: None, color: false, titles: None }
    }
}

impl fmt::Debug for Environment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Environment { now, width, color, .. } = self;
        write!(f, "Environment({now}, {width:?}, {color})")
    }
}

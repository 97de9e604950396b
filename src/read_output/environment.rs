//! What the views know of the place where they are shown; the encodings of the contract depend on none of it.

/// The surroundings of a rendering.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// The present instant, in milliseconds since the epoch; relative times refer to it.
    pub now: i64,
    /// The width of the terminal in columns, where there is one.
    pub width: Option<u16>,
    /// Colours are welcome: a terminal without `NO_COLOR`.
    pub color: bool,
}

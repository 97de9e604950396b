//! Instants on the wire: `YYYY-MM-DDTHH:MM:SS.mmmZ`, compared by the instant they name.

/// Writes an instant (milliseconds since the epoch) the way every file of a tracker does.
pub fn format(_ms: i64) -> String {
    todo!()
}

/// Reads an RFC 3339 or plain date text; `None` when it names no instant.
pub fn parse(_text: &str) -> Option<i64> {
    todo!()
}

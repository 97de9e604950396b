//! The one road from a command's answer to bytes (seed 001).

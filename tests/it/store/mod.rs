//! The store through the library: what the binary cannot show.

mod index;

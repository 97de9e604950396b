//! All tests of the binary and the library, in one test binary.

mod command_line;
mod corpus;
mod sandbox;
mod store;

//! All tests of the binary and the library, in one test binary.

mod architecture;
mod command_line;
mod config;
mod commands;
mod corpus;
mod fixture;
mod generated;
mod init;
mod sandbox;
mod store;

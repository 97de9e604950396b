//! All tests of the binary and the library, in one test binary.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod architecture;
mod cases;
mod catalog;
mod client;
mod command_line;
mod commands;
mod config;
mod corpus;
mod every_code;
mod examples;
mod fixture;
mod fixtures;
mod generated;
mod guidance;
mod hostile;
mod init;
mod json_schema;
mod kb;
mod mcp;
mod mcp_running;
mod parity;
mod read_output;
mod sandbox;
mod shells;
mod store;

//! Any text in any control: an answer within its budget or a refusal with a code, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../body.rs"]
mod body;

fuzz_target!(|input: body::Input| body::try_controls(input));

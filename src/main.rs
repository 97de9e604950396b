//! The `pm` binary: everything else is the library.

fn main() -> std::process::ExitCode {
    pm::cli::main()
}

//! Shell completions, made of the whole grammar.

use clap_complete::Generator;
use clap_complete::shells::{Bash, Fish, PowerShell, Zsh};

use crate::grammar;
use crate::surface::Catalog;

fn script(shell: impl Generator, catalog: Catalog) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut grammar::root(catalog), "pm", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// For bash.
pub fn bash(catalog: Catalog) -> String {
    script(Bash, catalog)
}

/// For zsh.
pub fn zsh(catalog: Catalog) -> String {
    script(Zsh, catalog)
}

/// For fish.
pub fn fish(catalog: Catalog) -> String {
    script(Fish, catalog)
}

/// For PowerShell.
pub fn powershell(catalog: Catalog) -> String {
    script(PowerShell, catalog)
}

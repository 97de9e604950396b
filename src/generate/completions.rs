//! What a shell reads once to complete `pm`: small, because it asks the program for the rest.

use clap_complete::env::{EnvCompleter, Shells};

use crate::surface::Catalog;

/// Shells with a script, as `pm completion` calls them.
pub const SHELLS: &[&str] = &["bash", "elvish", "fish", "powershell", "zsh"];

/// The script for a shell; `None` when we have none for it.
pub fn script(shell: &str) -> Option<String> {
    let shells = Shells::builtins();
    let completer: &dyn EnvCompleter = shells.completer(shell).filter(|_| SHELLS.contains(&shell))?;
    let mut script = Vec::new();
    completer.write_registration("PM_COMPLETE", "pm", "pm", "pm", &mut script).ok()?;
    let script = String::from_utf8_lossy(&script).trim().to_owned();
    Some(script + "\n")
}

/// completions/pm.bash.
pub fn bash(_: Catalog) -> String {
    script("bash").unwrap_or_default()
}

/// completions/_pm.
pub fn zsh(_: Catalog) -> String {
    script("zsh").unwrap_or_default()
}

/// completions/pm.fish.
pub fn fish(_: Catalog) -> String {
    script("fish").unwrap_or_default()
}

/// completions/pm.ps1.
pub fn powershell(_: Catalog) -> String {
    script("powershell").unwrap_or_default()
}

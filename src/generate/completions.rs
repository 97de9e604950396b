//! What a shell reads once to complete `pm`: small, because it asks the program for the rest.

use clap_complete::env::{EnvCompleter, Shells};

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

/// The name of a shell's script in completions/, and in a folder where the shell looks for it.
pub fn file(shell: &str) -> &'static str {
    match shell {
        "bash" => "pm.bash",
        "elvish" => "pm.elv",
        "fish" => "pm.fish",
        "powershell" => "pm.ps1",
        _ => "_pm",
    }
}

/// The checked-in scripts: path and content.
pub(super) fn files() -> impl Iterator<Item = (String, String)> {
    SHELLS.iter().map(|shell| (format!("completions/{}", file(shell)), script(shell).unwrap_or_default()))
}

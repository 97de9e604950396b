//! What a shell reads once to complete `pm`: small, because it asks the program for the rest.

use clap_complete::env::{EnvCompleter, Shells};

/// Shells with a script, as `pm completion` calls them.
pub const SHELLS: &[&str] = &["bash", "elvish", "fish", "powershell", "zsh"];

/// How the script for zsh ends.
const ZSH_END: &str = "compdef _clap_dynamic_completer_pm pm";

/// The same for a file that zsh may also read as the completer itself, the first time it is asked.
const ZSH_ENDS: &str = r#"if [[ ${funcstack[1]} == _pm ]]; then
    _clap_dynamic_completer_pm "$@"
else
    compdef _clap_dynamic_completer_pm pm
fi"#;

/// The script for a shell; `None` when we have none for it.
pub fn script(shell: &str) -> Option<String> {
    if shell == "bash" {
        // Ours joins what bash takes apart at `=` and `:`, and quotes what it inserts.
        return Some(include_str!("completions/pm.bash").to_owned());
    }
    let shells = Shells::builtins();
    let completer: &dyn EnvCompleter = shells.completer(shell).filter(|_| SHELLS.contains(&shell))?;
    let mut script = Vec::new();
    completer.write_registration("PM_COMPLETE", "pm", "pm", "pm", &mut script).ok()?;
    let script = String::from_utf8_lossy(&script).trim().to_owned();
    let script = match script.strip_suffix(ZSH_END) {
        Some(before) if shell == "zsh" => format!("{before}{ZSH_ENDS}"),
        _ => script,
    };
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

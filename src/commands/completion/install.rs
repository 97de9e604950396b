//! `pm completion install`.

use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example, Tier};
use crate::environment::Env;
use crate::error::{Code, Error, Result};
use crate::generate::completions;
use crate::store::userfile;
use crate::surface::{Command, Context};

/// Puts the script where the shell looks for it.
pub(in crate::commands) struct Install;

/// Arguments of `pm completion install`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// The shell; without it the one of `SHELL`
    #[arg(value_parser = PossibleValuesParser::new(completions::SHELLS))]
    shell: Option<String>,
}

impl Command for Install {
    const CONTRACT: Contract = Contract {
        path: &["completion", "install"],
        about: "Write the completion script where the shell looks for it",
        effect: Effect::Writes,
        expects: false,
        errors: &[Code::MissingRequiredArgument, Code::WriteFailed],
        examples: &[
            Example { about: "For the shell that you use", argv: &["completion", "install"] },
            Example {
                about: "Where would it go for zsh?",
                argv: &["completion", "install", "zsh", "--dry-run"],
            },
        ],
        tier: Tier::Full,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let shell = args.shell.or_else(|| of_environment(&context.env)).ok_or_else(|| {
            Error::new(Code::MissingRequiredArgument, "`SHELL` names no shell that pm has a script for")
                .at("SHELL")
                .fact("allowed_values", completions::SHELLS.to_vec())
                .hint("pm completion install bash")
        })?;
        let place = place(&shell, &context.env).ok_or_else(|| {
            Error::new(Code::WriteFailed, "there is no home folder to write to: `HOME` is not set")
                .hint(format!("pm completion {shell}"))
        })?;
        let script = completions::script(&shell).unwrap_or_default();
        let known = userfile::read_text(Path::new(""), &place.path.to_string_lossy()).ok();
        let changed = known.as_deref() != Some(script.as_str());
        if changed && !context.globals.dry_run {
            userfile::install(&place.path, script.as_bytes()).map_err(|error| {
                Error::new(
                    Code::WriteFailed,
                    format!("`{}` cannot be written: {error}", place.path.display()),
                )
                .because(error)
                .hint(format!("pm completion {shell}"))
            })?;
        }
        let mut answer = Answer::new()
            .value("shell", shell)
            .value("path", place.path.to_string_lossy().into_owned())
            .value("changed", changed);
        if context.globals.dry_run {
            answer = answer.value("dry_run", true);
        }
        Ok(match place.startup {
            Some(line) => answer.value("startup_line", line),
            None => answer,
        })
    }
}

/// The shell that a user works in, when it is one of ours.
fn of_environment(env: &Env) -> Option<String> {
    let shell = Path::new(env.get("SHELL")?).file_stem()?.to_str()?.to_owned();
    let shell = if shell == "pwsh" { "powershell".to_owned() } else { shell };
    completions::SHELLS.contains(&shell.as_str()).then_some(shell)
}

/// Where a script goes.
struct Place {
    path: PathBuf,
    /// What the shell's start-up file must hold, for a shell that looks nowhere by itself.
    startup: Option<String>,
}

/// The places that the shells themselves document; the XDG variables are respected by all but PowerShell.
fn place(shell: &str, env: &Env) -> Option<Place> {
    let home = env.get("HOME").or_else(|| env.get("USERPROFILE")).map(PathBuf::from);
    let folder = |variable: &str, below: &str| {
        env.get(variable).map(PathBuf::from).or_else(|| home.as_ref().map(|home| home.join(below)))
    };
    let data = || folder("XDG_DATA_HOME", ".local/share");
    let name = completions::file(shell);
    let (folder, name) = match shell {
        "bash" => match env.get("BASH_COMPLETION_USER_DIR") {
            Some(own) => (Path::new(own).join("completions"), "pm"),
            None => (data()?.join("bash-completion/completions"), "pm"),
        },
        "fish" => (folder("XDG_CONFIG_HOME", ".config")?.join("fish/completions"), name),
        "zsh" => (data()?.join("zsh/site-functions"), name),
        "elvish" => (data()?.join("elvish/lib"), "pm-completion.elv"),
        _ => (data()?.join("pm"), name),
    };
    let startup = match shell {
        "zsh" => Some(format!("fpath=('{}' $fpath)  # in ~/.zshrc, before compinit", folder.display())),
        "elvish" => Some("use pm-completion  # in rc.elv".to_owned()),
        "powershell" => Some(format!(". '{}'  # in $PROFILE", folder.join(name).display())),
        _ => None,
    };
    Some(Place { path: folder.join(name), startup })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(shell: &str, variables: &[(&str, &str)]) -> Option<String> {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let place = place(shell, &Env::new("/", variables))?;
        Some(place.path.to_string_lossy().replace('\\', "/"))
    }

    #[test]
    fn each_shell_has_its_place_below_the_home_folder() {
        let home = [("HOME", "/h")];
        for (shell, expected) in [
            ("bash", "/h/.local/share/bash-completion/completions/pm"),
            ("fish", "/h/.config/fish/completions/pm.fish"),
            ("zsh", "/h/.local/share/zsh/site-functions/_pm"),
            ("elvish", "/h/.local/share/elvish/lib/pm-completion.elv"),
            ("powershell", "/h/.local/share/pm/pm.ps1"),
        ] {
            assert_eq!(path(shell, &home).as_deref(), Some(expected));
            assert_eq!(path(shell, &[]), None);
        }
    }

    #[test]
    fn variables_of_the_shells_come_first() {
        let all = [
            ("HOME", "/h"),
            ("XDG_DATA_HOME", "/d"),
            ("XDG_CONFIG_HOME", "/c"),
            ("BASH_COMPLETION_USER_DIR", "/b"),
        ];
        assert_eq!(path("bash", &all).as_deref(), Some("/b/completions/pm"));
        assert_eq!(path("zsh", &all).as_deref(), Some("/d/zsh/site-functions/_pm"));
        assert_eq!(path("fish", &all).as_deref(), Some("/c/fish/completions/pm.fish"));
    }
}

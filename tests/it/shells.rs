//! The completion scripts in the shells themselves: installed with `pm completion install`, read by the shell, and asked
//! as the shell asks, by a key where it has one. A shell that is not there is said to be skipped.
#![cfg(target_os = "linux")]

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::corpus;
use crate::sandbox::Sandbox;

/// What is typed, the last word of it begun, and the word that it becomes.
const CASES: &[(&str, &str)] = &[
    // Of the declarations.
    ("pm li", "list"),
    ("pm graph anc", "ancestors"),
    ("pm workspace snap", "snapshot"),
    ("pm list --output-b", "--output-budget"),
    ("pm list --output-format js", "json"),
    ("pm list --sort pri", "priority"),
    ("pm --json li", "list"),
    // Of the tracker.
    ("pm get pm-fi", "pm-first"),
    ("pm close pm-s", "pm-second"),
    ("pm update pm-first --parent pm-s", "pm-second"),
    ("pm list --status in_p", "in_progress"),
    ("pm list --type Ep", "Epic"),
    ("pm list --tag we", "web"),
    ("pm list --tag web,ot", "web,other"),
    // Where some shells take words apart.
    ("pm list --status=in_p", "--status=in_progress"),
    ("pm list --tag area:", "area:ui"),
    ("pm list --tag=area:u", "--tag=area:ui"),
    ("pm list --type=Epic --status=in_p", "--status=in_progress"),
    ("pm list --sprint Spr", "Sprint 1"),
];

/// A tracker in a folder that is also the home, with what `CASES` complete.
fn place(shell: &str) -> Sandbox {
    let mut pm = Sandbox::tracker();
    let home = pm.path().to_string_lossy().into_owned();
    pm.set("HOME", &home).set("SHELL", shell);
    pm.ok(&[
        "create",
        "First: 'one', $HOME",
        "--id",
        "first",
        "--tags",
        "web,area:ui,other",
        "--sprint",
        "Sprint 1",
    ]);
    pm.ok(&["create", "Second", "--id", "second", "--type", "Epic"]);
    pm.write("bin/pm", format!("#!/bin/sh\nexec '{}' \"$@\"\n", env!("CARGO_BIN_EXE_pm")));
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(pm.path().join("bin/pm"), executable).expect("the mode can be set");
    pm
}

/// Whether a program is on the path.
fn there(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Whether all of these programs are there; says which one is not.
fn all_there(programs: &[&str]) -> bool {
    let missing = programs.iter().find(|program| !there(program));
    if let Some(program) = missing {
        corpus::skipped(program);
    }
    missing.is_none()
}

/// Runs a program in the sandbox, which `keys` are typed to; what it printed.
fn run(pm: &Sandbox, program: &[&str], keys: &[u8]) -> String {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut child = Command::new("timeout")
        .arg("120")
        .args(program)
        .env_clear()
        .current_dir(pm.path())
        .env("HOME", pm.path())
        .env("PATH", format!("{}:{path}", pm.path().join("bin").display()))
        .env("TERM", "xterm")
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the shell starts");
    // A shell that ended already reads no keys; what it printed says why.
    let _ = child.stdin.take().expect("it has an input").write_all(keys);
    let output = child.wait_with_output().expect("the shell ends");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text + &String::from_utf8_lossy(&output.stderr)
}

/// Installs the script: where it is, and the line of the start-up file.
fn installed(pm: &Sandbox, shell: &str) -> (String, String) {
    let said = pm.json(&["completion", "install", shell]);
    let text = |key: &str| said[key].as_str().unwrap_or_default().to_owned();
    (text("path"), text("startup_line"))
}

/// A shell with a line editor: each case is typed, completed by the tab key, and handed over by another key.
fn by_keys(pm: &Sandbox, program: &str) {
    let mut keys = Vec::new();
    for (typed, _) in CASES {
        keys.extend_from_slice(typed.as_bytes());
        keys.extend_from_slice(b"\t\x14");
    }
    keys.extend_from_slice(b"\nexit\n");
    let printed = run(pm, &["script", "-qec", program, "/dev/null"], &keys);
    let path = pm.path().join("lines");
    let lines =
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{program}: {error}: {printed}"));
    // The shells quote a blank in one way or another.
    let lines: Vec<String> = lines.lines().map(|line| line.replace('\\', "").trim().to_owned()).collect();
    let expected: Vec<String> = CASES.iter().map(|(typed, word)| whole(typed, word)).collect();
    assert_eq!(lines, expected, "{program}: {printed}");
}

/// The line with its last word completed.
fn whole(typed: &str, word: &str) -> String {
    let before = typed.rsplit_once(' ').map_or("", |(before, _)| before);
    format!("{before} {word}")
}

/// A shell that can be asked by a program: all candidates of each case, after its number.
fn by_answers(program: &str, printed: &str) {
    for (n, (typed, word)) in CASES.iter().enumerate() {
        let mark = format!("{n}\u{1f}");
        let candidates: Vec<&str> =
            printed.lines().filter_map(|line| line.trim_end().strip_prefix(&mark)).collect();
        assert_eq!(candidates, [*word], "{program}: `{typed}`: {printed}");
    }
}

#[test]
fn bash_completes() {
    if !all_there(&["bash", "script", "timeout"]) {
        return;
    }
    let pm = place("/bin/bash");
    let (path, _) = installed(&pm, "bash");
    pm.write(
        "rc",
        format!(
            "PS1=; source '{path}'\n\
             told() {{ printf '%s\\n' \"$READLINE_LINE\" >> lines; READLINE_LINE=; READLINE_POINT=0; }}\n\
             bind -x '\"\\C-t\": told'\nbind '\"\\t\": complete'\n"
        ),
    );
    by_keys(&pm, "bash --noprofile --rcfile rc -i");
}

#[test]
fn zsh_completes() {
    if !all_there(&["zsh", "script", "timeout"]) {
        return;
    }
    let zshrc = |load: &str| {
        format!(
            "{load}\nunsetopt automenu beep\nPROMPT=\n\
             told() {{ print -r -- \"$BUFFER\" >> lines; BUFFER=; }}\nzle -N told\n\
             bindkey '^T' told\nbindkey '^I' complete-word\n"
        )
    };
    let compinit = "autoload -Uz compinit; compinit -u";
    // By the line for the start-up file: zsh reads the script when it completes for the first time.
    let pm = place("/bin/zsh");
    let (_, line) = installed(&pm, "zsh");
    pm.write(".zshrc", zshrc(&format!("{line}\n{compinit}")));
    by_keys(&pm, "zsh -d -i");
    // Read at once.
    let pm = place("/bin/zsh");
    let (path, _) = installed(&pm, "zsh");
    pm.write(".zshrc", zshrc(&format!("{compinit}\nsource '{path}'")));
    by_keys(&pm, "zsh -d -i");
}

#[test]
fn fish_completes() {
    if !all_there(&["fish", "timeout"]) {
        return;
    }
    let pm = place("/usr/bin/fish");
    installed(&pm, "fish");
    // Nothing is sourced: fish finds the script itself.
    let asked: String = CASES
        .iter()
        .enumerate()
        .map(|(n, (typed, _))| {
            format!("for c in (complete -C '{typed}'); printf '{n}\\x1f%s\\n' (string split -f 1 \\t -- $c); end\n")
        })
        .collect();
    by_answers("fish", &run(&pm, &["fish", "-c", &asked], b""));
}

#[test]
fn elvish_completes() {
    if !all_there(&["elvish", "script", "timeout"]) {
        return;
    }
    let pm = place("/usr/bin/elvish");
    let (_, line) = installed(&pm, "elvish");
    let mut rc = format!("{line}\n");
    for (n, (typed, _)) in CASES.iter().enumerate() {
        rc += &format!(
            "$edit:completion:arg-completer[pm] {typed} | each {{|c| print \"{n}\\x1f\"(to-string $c)\"\\n\" >> answers }}\n"
        );
    }
    pm.write("rc.elv", rc + "exit\n");
    let printed = run(&pm, &["script", "-qec", "elvish -rc rc.elv", "/dev/null"], b"");
    let answers = std::fs::read_to_string(pm.path().join("answers"));
    by_answers("elvish", &answers.unwrap_or(printed));
}

#[test]
fn powershell_completes() {
    if !all_there(&["pwsh", "timeout"]) {
        return;
    }
    let pm = place("/usr/bin/pwsh");
    let (_, line) = installed(&pm, "powershell");
    let mut script = format!("{line}\n");
    for (n, (typed, _)) in CASES.iter().enumerate() {
        script += &format!(
            "[System.Management.Automation.CommandCompletion]::CompleteInput('{typed}', {}, $null).CompletionMatches | \
             ForEach-Object {{ \"{n}$([char]0x1f)$($_.CompletionText)\" }}\n",
            typed.len()
        );
    }
    pm.write("ask.ps1", script);
    let file = Path::new("ask.ps1").to_string_lossy().into_owned();
    by_answers("pwsh", &run(&pm, &["pwsh", "-NoProfile", "-File", &file], b""));
}

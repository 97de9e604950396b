//! What help and the documents show works as it stands: every example of every command, every line of their blocks.

mod answers;
mod documents;
mod prepared;

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use pm::commands::CATALOG;
use pm::contract::Example;

use crate::sandbox::Sandbox;

/// The exit code that a text promises: `... (exit 2)`, else 0.
fn promised(text: &str) -> i32 {
    let code = text.split("(exit ").nth(1).and_then(|rest| rest.split(')').next());
    code.and_then(|code| code.parse().ok()).unwrap_or(0)
}

/// Words as a shell sees them: double and single quotes hold several together.
pub(crate) fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote, mut any) = (Vec::new(), String::new(), None, false);
    for letter in line.chars() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '"' | '\'') => (quote, any) = (Some(letter), true),
            (None, letter) if letter.is_whitespace() => {
                if any {
                    words.push(std::mem::take(&mut word));
                }
                any = false;
            }
            (_, letter) => {
                word.push(letter);
                any = true;
            }
        }
    }
    words.extend(any.then_some(word));
    words
}

/// Runs an example; what is wrong with it.
fn run(pm: &Sandbox, example: &Example) -> Option<String> {
    if example.argv.starts_with(&["catalog", "serve"]) {
        return serve(pm, example.argv);
    }
    let output = pm.pm_with(example.argv, prepared::input(example.argv));
    let wanted = promised(example.about);
    (output.code != wanted).then(|| format!("exit {}, not {wanted}: {output:?}", output.code))
}

/// A server never ends by itself: it is there when it says where it listens.
fn serve(pm: &Sandbox, argv: &[&str]) -> Option<String> {
    // Whatever the port, it may be taken here.
    let argv: Vec<&str> = argv.iter().copied().map(|word| if word == "8080" { "0" } else { word }).collect();
    let argv = if argv.contains(&"--port") { argv } else { [&argv[..], &["--port", "0"]].concat() };
    let mut process = pm.process(&argv);
    let mut child = process.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("the binary runs");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("it is text");
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    (!line.starts_with("listening on http://127.0.0.1:")).then(|| format!("{argv:?}: {line}"))
}

#[test]
fn every_example_of_every_command_works() {
    let mut wrong = Vec::new();
    for surface in CATALOG.iter() {
        for example in surface.contract.examples {
            let pm = prepared::place(surface.contract);
            if let Some(problem) = run(&pm, example) {
                wrong.push(format!("pm {}\n    {}: {problem}", example.argv.join(" "), example.about));
            }
        }
    }
    assert!(wrong.is_empty(), "{} examples do not work:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_text_promises_its_exit_code() {
    assert_eq!((promised("It fails (exit 4)"), promised("It works"), promised("(exit x)")), (4, 0, 0));
}

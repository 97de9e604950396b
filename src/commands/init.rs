//! `pm init`.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::answer::{Answer, Rows};
use crate::contract::{Contract, Effect, Example, Tier};
use crate::domain::presets::kinds as kinds_of;
use crate::error::{Code, Error, Result};
use crate::model::id::normalise_prefix;
use crate::model::settings::{Settings, preset_values, presets};
use crate::store::fence::Fence;
use crate::store::paths::{self, Discovery, Place};
use crate::store::setup::{Prepared, Setup};
use crate::surface::{Command, Context};
use crate::tracker::{Document, Opening, Tracker, Write};

/// Makes a tracker.
pub(super) struct Init;

/// Arguments of `pm init`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The prefix of ids (`acme-`), or the tracker's own folder (`./tracker`)
    #[arg(value_name = "PREFIX_OR_PATH")]
    target: Option<String>,
    /// The prefix of ids
    #[arg(long, visible_alias = "id-prefix", value_name = "PREFIX")]
    prefix: Option<String>,
    /// How much governance a new tracker has
    #[arg(long, value_name = "PRESET", value_parser = clap::builder::PossibleValuesParser::new(presets()))]
    preset: Option<String>,
    /// Take the defaults and ask nothing; nothing is ever asked
    #[arg(long, short = 'y', visible_alias = "yes")]
    defaults: bool,
    /// Tell agents about the tracker in AGENTS.md
    #[arg(long, value_name = "MODE", value_parser = ["ask", "add", "skip", "status"])]
    agent_guidance: Option<String>,
    /// Kinds of items that such a team needs
    #[arg(long, value_name = "NAME", value_parser = ["agile", "ops", "research"])]
    type_preset: Option<String>,
    /// Accepted for compatibility; there are no packages to install
    #[arg(long)]
    with_packages: bool,
    /// Leave Git's merge drivers alone
    #[arg(long)]
    no_merge_fence: bool,
    /// The project's folder; the tracker is made in its .agents/pm
    #[arg(long, value_name = "DIR")]
    workspace: Option<String>,
    /// Show all settings
    #[arg(long)]
    verbose: bool,
}

impl Command for Init {
    const CONTRACT: Contract = Contract {
        path: &["init"],
        about: "Make a tracker in this folder, or complete one",
        effect: Effect::Writes,
        expects: false,
        errors: &[
            Code::InitExistingSettingsRequiresForce,
            Code::InitIdPrefixConflict,
            Code::InitIdPrefixPathLike,
            Code::InitGitignoreUnwritable,
            Code::WorkspaceRootPmPath,
            Code::UnsafeInitRecovery,
            Code::GitWorkTreeMissing,
        ],
        examples: &[
            Example { about: "A tracker for this project", argv: &["init"] },
            Example { about: "Ids like acme-7f3k", argv: &["init", "acme"] },
        ],
        tier: Tier::Core,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let (place, mode) = target(&args, context)?;
        guard(&place, context)?;
        let prefix = prefix(&args)?;
        let kinds = args.type_preset.as_deref().map(kinds_of).unwrap_or_default();
        let actor = context.actor()?;
        let asserted = if actor.source == "asserted" { actor.author.as_str() } else { "" };
        let dry_run = context.globals.dry_run;
        let existed = place.root.join("settings.json").exists();
        let mut prepared = Setup {
            place: &place,
            prefix: prefix.as_deref(),
            preset: args.preset.as_deref().unwrap_or("minimal"),
            author: asserted,
            kinds: &kinds,
            merge_fence: !args.no_merge_fence,
            program: &context.env.program,
            replace_broken: context.globals.force,
            dry_run,
        }
        .prepare()?;
        if existed && !prepared.wrote_settings {
            let wanted = wanted(&args, prefix.as_deref(), context);
            adjust(&place, &wanted, &kinds, &mut prepared, context)?;
        }
        let guidance = guidance(&place.workspace, args.agent_guidance.as_deref().unwrap_or("ask"), dry_run)?;
        if args.with_packages {
            prepared.warnings.push("packages_unsupported:nothing_was_installed".to_owned());
        }
        Ok(answer(&args, &place, mode, &prepared, guidance, context))
    }
}

/// Whether a word is meant as a path.
fn is_path_like(word: &str) -> bool {
    word.contains(['/', '\\']) || word.starts_with(['.', '~'])
}

/// Where the tracker is to be, and how that was said.
fn target(args: &Args, context: &Context) -> Result<(Place, &'static str)> {
    let cwd = &context.env.cwd;
    let pm_path = context.globals.pm_path.as_deref();
    let positional = args.target.as_deref().filter(|word| is_path_like(word));
    let named = [("--pm-path", pm_path), ("--workspace", args.workspace.as_deref()), ("PATH", positional)];
    let given: Vec<_> = named.iter().filter(|(_, value)| value.is_some()).collect();
    if let [(first, _), (second, value), ..] = given.as_slice() {
        return Err(Error::new(
            Code::ConflictingArguments,
            format!("`{first}` and `{second}` name two places"),
        )
        .at(*second)
        .rejecting(value.unwrap_or_default()));
    }
    if let Some(workspace) = &args.workspace {
        let root = paths::typed(cwd, workspace).join(".agents/pm");
        return Ok((paths::place(root, Discovery::Option), "workspace"));
    }
    if let Some(path) = positional {
        let opening = Opening { pm_path: Some(path), env: &context.env, clock: &context.clock };
        return Ok((opening.place(), "path"));
    }
    let place = Opening { pm_path, env: &context.env, clock: &context.clock }.place();
    let mode = match place.discovery {
        Discovery::Option | Discovery::Variable => "path",
        _ => "workspace-discovery",
    };
    // A repository inside a project is a project of its own.
    let nested = place.discovery == Discovery::Ancestor
        && cwd
            .ancestors()
            .take_while(|folder| *folder != place.workspace)
            .any(|folder| folder.join(".git").exists());
    let place = if nested { paths::place(cwd.join(".agents/pm"), Discovery::Nowhere) } else { place };
    Ok((place, mode))
}

/// Refuses places that are no good for a tracker.
fn guard(place: &Place, context: &Context) -> Result<()> {
    const SIGNS: [&str; 6] = [".git", "package.json", "Cargo.toml", "pyproject.toml", "go.mod", "pom.xml"];
    let root = &place.root;
    if let Some(repository) = paths::bare_repository(&place.workspace) {
        let problem = format!("`{}` is a Git repository without work tree", repository.display());
        return Err(Error::new(Code::GitWorkTreeMissing, problem).hint("git worktree add ../work"));
    }
    let is_project = root == &place.workspace && SIGNS.iter().any(|sign| root.join(sign).exists());
    if is_project && !paths::is_tracker(root) && !context.globals.force {
        let shown = root.display();
        return Err(Error::new(
            Code::WorkspaceRootPmPath,
            format!("`{shown}` looks like a project, and its files would lie among those of the tracker"),
        )
        .at("--pm-path")
        .rejecting(shown.to_string())
        .hint(format!("pm init --workspace '{shown}'")));
    }
    Ok(())
}

fn prefix(args: &Args) -> Result<Option<String>> {
    let positional = args.target.as_deref().filter(|word| !is_path_like(word));
    if let Some(prefix) = args.prefix.as_deref().filter(|prefix| is_path_like(prefix)) {
        return Err(Error::new(
            Code::InitIdPrefixPathLike,
            format!("`{prefix}` is a path, not a prefix of ids"),
        )
        .at("--prefix")
        .rejecting(prefix)
        .hint(format!("pm init '{prefix}'")));
    }
    match (positional, args.prefix.as_deref()) {
        (Some(one), Some(other)) if normalise_prefix(one) != normalise_prefix(other) => {
            Err(Error::new(Code::InitIdPrefixConflict, format!("`{one}` and `{other}` are two prefixes"))
                .at("--prefix")
                .rejecting(other)
                .hint(format!("pm init --prefix '{other}'")))
        }
        (one, other) => Ok(other.or(one).map(normalise_prefix)),
    }
}

/// The settings that this call asks for in so many words.
fn wanted(args: &Args, prefix: Option<&str>, context: &Context) -> Vec<(&'static str, Value)> {
    let mut wanted = Vec::new();
    wanted.extend(prefix.map(|prefix| ("id_prefix", prefix.into())));
    wanted.extend(context.globals.author.as_deref().map(|author| ("author_default", author.trim().into())));
    wanted.extend(args.preset.as_deref().and_then(preset_values).unwrap_or_default());
    wanted
}

/// Brings a tracker that is there already to what was asked for, with `--force`.
fn adjust(
    place: &Place,
    wanted: &[(&'static str, Value)],
    kinds: &[Value],
    prepared: &mut Prepared,
    context: &Context,
) -> Result<()> {
    let settings = prepared.settings.clone();
    let differs = |(path, value): &&(&str, Value)| match *path {
        "id_prefix" => *value != settings.id_prefix().as_str(),
        path => settings.get(path) != Some(value),
    };
    // Asked for a preset, what it writes elsewhere follows; only the preset itself can differ from a wish.
    let leading = |path: &str| matches!(path, "id_prefix" | "author_default" | "governance.preset");
    let different: Vec<_> = wanted.iter().filter(|(path, _)| leading(path)).filter(differs).collect();
    let root = place.root.to_string_lossy();
    let opening = Opening { pm_path: Some(&root), env: &context.env, clock: &context.clock };
    if let Some((path, value)) = different.first() {
        if !context.globals.force {
            let have = settings.get(path).cloned().unwrap_or_default();
            return Err(Error::new(
                Code::InitExistingSettingsRequiresForce,
                format!("this tracker has `{path}` {have}; `--force` makes it {value}"),
            )
            .at("--force")
            .hint(format!("pm config set {path} {value}")));
        }
        let mut edit = |document: Option<&Document>| {
            let own = Settings::from_document(document.cloned().unwrap_or_default());
            let set = |own: Settings, (path, value): &(&'static str, Value)| {
                Settings::from_document(own.with(path, Some(value.clone())))
            };
            Ok(wanted.iter().fold(own, set).document().cloned().unwrap_or_default())
        };
        let written = Tracker::open(&opening)?.change_document(
            "settings.json",
            &write(context, "settings:write")?,
            &mut edit,
        )?;
        prepared.settings = Settings::from_document(written.after);
        prepared.wrote_settings = !written.unchanged;
        prepared.warnings.extend(written.warnings);
    }
    if !kinds.is_empty() && (place.root.exists() || !context.globals.dry_run) {
        let mut edit = |document: Option<&Document>| Ok(with_kinds(document, kinds));
        let write = write(context, "schema:apply-preset")?;
        let tracker = Tracker::open(&opening)?;
        let written = tracker.change_document("schema/types.json", &write, &mut edit)?;
        prepared.warnings.extend(written.warnings);
        if !write.dry_run {
            prepared.warnings.extend(tracker.refresh_merge_fence());
        }
    }
    Ok(())
}

fn write<'a>(context: &'a Context, op: &'a str) -> Result<Write<'a>> {
    Ok(Write {
        op,
        actor: context.actor()?,
        message: None,
        context: None,
        if_hash: None,
        if_updated_at: None,
        dry_run: context.globals.dry_run,
        force: context.globals.force,
    })
}

/// A types file with these definitions; one that it has already stays as it is.
fn with_kinds(document: Option<&Document>, kinds: &[Value]) -> Document {
    let mut document = document.cloned().unwrap_or_default();
    let definitions = document.entry("definitions").or_insert_with(|| json!([]));
    if let Value::Array(definitions) = definitions {
        for kind in kinds {
            let same = |known: &Value| known.get("name") == kind.get("name");
            if !definitions.iter().any(same) {
                definitions.push(kind.clone());
            }
        }
    }
    document
}

/// The files in which agents look for guidance.
const GUIDANCE: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];

/// What became of the guidance for agents.
struct Guidance {
    mode: String,
    present: bool,
    applied: bool,
}

fn guidance(workspace: &Path, mode: &str, dry_run: bool) -> Result<Guidance> {
    let fence = Fence::guidance();
    let mut present = GUIDANCE.iter().any(|name| fence.is_in(&workspace.join(name)));
    let mut applied = false;
    if mode == "add" {
        let path = workspace.join(GUIDANCE[0]);
        applied = fence.write(&path, dry_run).map_err(|error| {
            Error::new(Code::WriteFailed, format!("`{}` cannot be written: {error}", path.display()))
                .because(error)
        })?;
        present = true;
    }
    Ok(Guidance { mode: mode.to_owned(), present, applied })
}

fn answer<'a>(
    args: &Args,
    place: &Place,
    mode: &str,
    prepared: &Prepared,
    guidance: Guidance,
    context: &Context,
) -> Answer<'a> {
    let show = |path: &Path| path.to_string_lossy().into_owned();
    let discovery = match place.discovery {
        Discovery::Nowhere => "current",
        found => found.as_str(),
    };
    let settings = &prepared.settings;
    let summary = if args.verbose {
        Value::Object(settings.effective())
    } else {
        json!({"id_prefix": settings.id_prefix(), "author_default": settings.text("author_default"),
            "token_length": settings.token_length()})
    };
    let below = |path: &PathBuf| Value::from(show(path.strip_prefix(&place.workspace).unwrap_or(path)));
    let created = prepared.created.iter().map(below).collect();
    let mut answer = Answer::new()
        .value("ok", true)
        .value("path", show(&place.root))
        .value(
            "target",
            json!({"mode": mode, "tracker_root": show(&place.root), "workspace_root": show(&place.workspace),
                "discovery": discovery}),
        )
        .echo("requested_cwd", show(&context.env.cwd))
        .value("settings", summary)
        .rows("created_dirs", Rows::values(created))
        .value("governance_preset", settings.preset());
    if context.globals.dry_run {
        answer = answer.value("dry_run", true);
    }
    let mut said = Map::new();
    said.insert("mode".to_owned(), guidance.mode.as_str().into());
    said.insert("present".to_owned(), guidance.present.into());
    said.insert("applied".to_owned(), guidance.applied.into());
    answer = if args.agent_guidance.is_some() || args.verbose {
        answer.value("agent_guidance", Value::Object(said))
    } else {
        answer.echo("agent_guidance", Value::Object(said))
    };
    let mut next = vec!["pm create \"<title>\""];
    if !guidance.present && guidance.mode == "ask" {
        answer = answer.warn("agent_guidance:missing_non_interactive");
        next.push("pm init --agent-guidance add");
    }
    for warning in &prepared.warnings {
        answer = answer.warn(warning);
    }
    answer.value("next_steps", next)
}

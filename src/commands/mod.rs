//! One file per command; this list is all that ties them together.

use crate::surface::{Catalog, Surface};

/// Declares the modules of the commands and the catalog at once: `list::List,` is the file `list.rs`,
/// `config::{get::Get, set::Set},` the folder `config/` with a file for each, and `graph::[lineage::Ancestors],` a
/// folder whose `mod.rs` declares its files itself, since they share something. Format with `.ci/run`, or
/// `rustfmt src/commands/**/*.rs`: rustfmt itself does not follow modules that a macro declares.
macro_rules! surfaces {
    (@ [$($known:path,)*]) => {
        /// Every command, in the order of help.
        pub const CATALOG: Catalog = Catalog(&[$(Surface::of::<$known>(),)*]);
    };
    (@ [$($known:path,)*] $module:ident :: $command:ident, $($rest:tt)*) => {
        mod $module;
        surfaces! { @ [$($known,)* $module::$command,] $($rest)* }
    };
    (@ [$($known:path,)*] $folder:ident :: { $($module:ident :: $command:ident),+ $(,)? }, $($rest:tt)*) => {
        mod $folder { $(pub(super) mod $module;)+ }
        surfaces! { @ [$($known,)* $($folder::$module::$command,)+] $($rest)* }
    };
    (@ [$($known:path,)*] $folder:ident :: [ $($module:ident :: $command:ident),+ $(,)? ], $($rest:tt)*) => {
        mod $folder;
        surfaces! { @ [$($known,)* $($folder::$module::$command,)+] $($rest)* }
    };
    ($($rest:tt)*) => { surfaces! { @ [] $($rest)* } };
}

surfaces! {
    activity::Activity,
    events::Events,
    get::Get,
    health::Health,
    history::History,
    list::List,
    validate::Validate,
    completion::{script::Script, install::Install},
    contracts::Contracts,
    create::Create,
    update::Update,
    update_many::UpdateMany,
    close_many::CloseMany,
    close::Close,
    delete::Delete,
    copy::Copy,
    restore::Restore,
    history_redact::HistoryRedact,
    history_compact::HistoryCompact,
    history_repair::HistoryRepair,
    history_author_acknowledge::HistoryAuthorAcknowledge,
    focus::Focus,
    item::{reopen::Reopen, complete::Complete, mutate::Mutate},
    plan::[
        create::Create,
        show::Show,
        steps::AddStep,
        steps::UpdateStep,
        steps::CompleteStep,
        steps::BlockStep,
        places::ReorderStep,
        places::RemoveStep,
        links::Link,
        links::Unlink,
        logs::Decision,
        logs::Discovery,
        logs::Validation,
        state::Approve,
        state::Resume,
        materialize::Materialize,
    ],
    profile::{list::List, show::Show, apply::Apply, lint::Lint},
    templates::{list::List, show::Show, save::Save, delete::Delete},
    workspace::[
        copies::Create,
        copies::Delete,
        views::List,
        views::Inspect,
        restore::Restore,
        claims::Claims,
    ],
    meet::Meet,
    event::Event,
    remind::Remind,
    claim::Claim,
    release::Release,
    start_task::StartTask,
    pause_task::PauseTask,
    close_task::CloseTask,
    append::Append,
    comments::Comments,
    notes::Notes,
    learnings::Learnings,
    comments_audit::CommentsAudit,
    files::{links::Files, discover::Discover, lookup::Lookup},
    docs::Docs,
    test::Test,
    test_all::TestAll,
    context::Context,
    deps::Deps,
    stats::Stats,
    aggregate::Aggregate,
    assurance::[list::List, show::Show, run::Run],
    duplicates::Duplicates,
    eval::Eval,
    next::Next,
    search::Search,
    version::Version,
    init::Init,
    import::[
        foreign::Beads,
        foreign::Backlog,
        foreign::Ticket,
        foreign::TodoTxt,
        foreign::Github,
        jsonl::Jsonl,
    ],
    export::{jsonl::Jsonl},
    config::Config,
    hooks::[list::List, decide::Allow, decide::Deny],
    gc::Gc,
    kb::[
        actions::Search,
        actions::Catalog,
        actions::Preflight,
        actions::Get,
        actions::Resolve,
        kinds::Kinds,
        lint::Lint,
        cost::Cost,
    ],
    catalog::[
        new::New,
        check::Check,
        build::Build,
        list::List,
        get::Get,
        search::Search,
        status::Status,
        attest::Attest,
        verify::Verify,
        run::Run,
        serve::Serve,
    ],
    man::Man,
    mcp::Mcp,
    merge::[install::Install, driver::Driver, status::Status, resolve::Resolve, reconcile::Reconcile, report::Report],
    schema::[
        overview::List,
        types::Show,
        statuses::ShowStatus,
        fields::ShowField,
        fields::ListFields,
        types::AddType,
        types::RemoveType,
        statuses::AddStatus,
        statuses::RemoveStatus,
        fields::AddField,
        fields::RemoveField,
        preset::ApplyPreset,
        migrations::RenameType,
        migrations::RenameField,
        migrations::RemapStatus,
    ],
    graph::[
        lineage::Ancestors,
        lineage::Descendants,
        lineage::Predecessors,
        lineage::Successors,
        routes::Paths,
        routes::Impact,
        routes::Dominators,
        overview::Analyze,
        audit::Audit,
        measures::Communities,
        measures::Redundancy,
        measures::Slack,
        measures::Centrality,
        measures::Articulation,
        plan::Plan,
        index::Index,
    ],
}

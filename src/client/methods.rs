//! A method for each command; what a command takes beside its subject are [`Arguments`].

use serde_json::Value;

use super::{Arguments, PmClient};
use crate::error::Result;

macro_rules! kind {
    (text) => { &str };
    (value) => { impl Into<Value> };
}

/// Declares methods: the name, the command, its subjects with the names of their arguments. `only`: nothing else is
/// taken; [`PmClient::call`] takes the rest.
macro_rules! methods {
    ($($(#[doc = $doc:expr])* $name:ident $($only:ident)? $command:literal ($($own:ident: $kind:ident = $key:literal),*);)*) => {
        /// Every command that has a method, by its words.
        pub const METHODS: &[&str] = &[$($command,)*];

        impl PmClient {
            $(methods! { @ $(#[doc = $doc])* $name $($only)? $command ($($own: $kind = $key),*) })*
        }
    };
    (@ $(#[doc = $doc:expr])* $name:ident $command:literal ($($own:ident: $kind:ident = $key:literal),*)) => {
        $(#[doc = $doc])*
        ///
        /// Errors: those of the command.
        pub fn $name(&self, $($own: kind!($kind),)* arguments: impl Into<Arguments>) -> Result<Value> {
            let own = Arguments::default()$(.with($key, $own))*;
            self.call($command, own.over(arguments.into()))
        }
    };
    (@ $(#[doc = $doc:expr])* $name:ident only $command:literal ($($own:ident: $kind:ident = $key:literal),*)) => {
        $(#[doc = $doc])*
        ///
        /// Errors: those of the command.
        pub fn $name(&self, $($own: kind!($kind)),*) -> Result<Value> {
            self.call($command, Arguments::default()$(.with($key, $own))*)
        }
    };
}

methods! {
    /// Show what happened lately, over all items.
    activity "activity" ();
    /// Show what happened, from old to new, to be continued at any time.
    events "events" ();
    /// Show items.
    get "get" (id: text = "id");
    /// Say whether the tracker is in order.
    health "health" ();
    /// Show what happened to an item.
    history "history" (id: text = "id");
    /// List items.
    list "list" ();
    /// Say what every command takes, costs and promises, for programs.
    contracts "contracts" ();
    /// Show how a plan stands.
    plan_show "plan show" (id: text = "id");
    /// List the profiles, and how much each brings.
    profile_list "profile list" ();
    /// Show everything that a profile brings.
    profile_show "profile show" (name: text = "name");
    /// Tell what of a profile the tracker lacks, or has otherwise.
    profile_lint "profile lint" (name: text = "name");
    /// List the templates of new items.
    templates_list "templates list" ();
    /// Show what a template gives to new items.
    templates_show "templates show" (name: text = "name");
    /// List the copies of the tracker, oldest first.
    workspace_snapshot_list "workspace snapshot list" ();
    /// Check a copy of the tracker and tell what differs from now.
    workspace_snapshot_inspect "workspace snapshot inspect" (target: text = "target");
    /// List the open items that somebody holds, who, and until when.
    workspace_claims "workspace claims" ();
    /// Show the latest comments of many items.
    comments_audit "comments-audit" ();
    /// Find the items that are linked to files.
    files_lookup "files lookup" (paths: value = "paths");
    /// Show where things stand.
    context "context" ();
    /// Show what an item depends on and what depends on it.
    deps "deps" (id: text = "id");
    /// Count items and histories.
    stats "stats" ();
    /// Count items in groups.
    aggregate "aggregate" ();
    /// List what the tracker promises about itself: measurements, assertions, gates.
    assurance_list "assurance list" ();
    /// Show one measurement, assertion or gate.
    assurance_show "assurance show" (kind: text = "kind", id: text = "id");
    /// Judge the assertions of a gate; exit 1 when one that blocks does not hold.
    assurance_run "assurance run" (gate: text = "gate");
    /// Find items that look like the same piece of work.
    duplicates "duplicates" ();
    /// Judge the search by questions whose answers are known.
    eval "eval" ();
    /// Search items.
    search "search" (query: text = "query");
    /// Show the version of this program.
    version "version" ();
    /// Give out every item whole, a line of JSON each, for pm import jsonl.
    export_jsonl "export jsonl" ();
    /// List the programs that run after changes, and whether they may here.
    hooks_list "hooks list" ();
    /// Let the hooks of the settings, with the files that they run as they are now, run in this clone.
    hooks_allow "hooks allow" ();
    /// Let no hook run in this clone.
    hooks_deny "hooks deny" ();
    /// Find documents that answer a query.
    kb_search "kb search" (query: text = "query");
    /// List the documents of a repository, or a slice of them.
    kb_catalog "kb catalog" ();
    /// Rank what to know before a task: constraints, definitions of done, what is relevant.
    kb_preflight "kb preflight" (task: text = "task");
    /// Show one document by its URI, path or item id.
    kb_get "kb get" (uri: text = "uri");
    /// Show the document that a URI leads to now, through aliases, renames and supersession.
    kb_resolve "kb resolve" (uri: text = "uri");
    /// Show the kinds of documents, the paths that stand for them, and how many there are.
    kb_kinds "kb kinds" ();
    /// Check documents: front matter, kinds, URIs, supersession, missing tiers.
    kb_lint "kb lint" ();
    /// Measure typical calls against one answer with all front matter.
    kb_cost "kb cost" ();
    /// Show what merges left undecided, and the values of each branch.
    merge_status "merge status" ();
    /// List what merges decided: receipts that nobody looked at, and with `--include-reconciled` the rest.
    merge_report "merge report" ();
    /// List the types, statuses and fields of this tracker.
    schema_list "schema list" ();
    /// Show what a type of items is.
    schema_show "schema show" (name: text = "name");
    /// Show what a status is.
    schema_show_status "schema show-status" (name: text = "name");
    /// Show what a declared field is.
    schema_show_field "schema show-field" (name: text = "name");
    /// List the fields that this tracker declares.
    schema_list_fields "schema list-fields" ();
    /// Show what contains an item, nearest first.
    graph_ancestors "graph ancestors" (id: text = "id");
    /// Show what an item contains, nearest first.
    graph_descendants "graph descendants" (id: text = "id");
    /// Show what must be done before an item.
    graph_predecessors "graph predecessors" (id: text = "id");
    /// Show what can only be done after an item.
    graph_successors "graph successors" (id: text = "id");
    /// Show the shortest ways from one item to another.
    graph_paths "graph paths" (id: text = "id", target: text = "target");
    /// Show what an item touches, nearest first, each with the way to it.
    graph_impact "graph impact" (id: text = "id");
    /// Show the items that others can only be reached through.
    graph_dominators "graph dominators" (id: text = "id");
    /// Show the shape of the graph: layers, critical path, components, hierarchy.
    graph_analyze "graph analyze" ();
    /// Check the links: missing items, cycles, contradictions, items without links.
    graph_audit "graph audit" ();
    /// Show groups of items that hang together.
    graph_communities "graph communities" ();
    /// Show links that other links imply.
    graph_redundancy "graph redundancy" ();
    /// Show the critical path and how much each item may slip.
    graph_slack "graph slack" ();
    /// Show the items that lie between the others.
    graph_centrality "graph centrality" ();
    /// Show the items and links whose loss would split the graph.
    graph_articulation "graph articulation" ();
    /// Plan the steps that would put the links in order; changes nothing.
    graph_plan "graph plan" ();
    /// Show, rebuild or clear the cache of items and links.
    graph_index "graph index" ();
    /// Check records of the work tree: schema, references, capabilities, evidence.
    catalog_check "catalog check" ();
    /// List the records at T2 and above, with their level and its expiry.
    catalog_list "catalog list" ();
    /// Show a record as it is served: steps, level, evidence.
    catalog_get "catalog get" (id: text = "id");
    /// Show how old the judgements are: levels, expiries, evidence, size of the search index.
    catalog_status "catalog status" ();
    /// Find procedures by symptom, by target, or by what can be run to its end.
    catalog_search "catalog search" ();
    /// Decide whether a record may be run here, and show the walk; nothing is started.
    catalog_run "catalog run" (name: text = "name");
    /// Say something about a record and sign it: publish, review, run, revoke.
    catalog_attest "catalog attest" (name: text = "name");
    /// Check a built catalog without its source: schemas, hashes, what is forced, paging, stability.
    catalog_verify "catalog verify" (dir: text = "dir");
    /// Begin a record: a folder with a runbook to fill in.
    catalog_new "catalog new" (slug: text = "slug");
    /// Write the catalog of a commit as static files.
    catalog_build "catalog build" ();
    /// Check the tracker.
    validate "validate" ();
    /// Create an item.
    create "create" (title: text = "title");
    /// Change fields of an item.
    update "update" (id: text = "id");
    /// Change fields of many items, with a checkpoint to go back to.
    update_many "update-many" ();
    /// Close many items for one reason, with a checkpoint to go back to.
    close_many "close-many" ();
    /// Close an item, with the reason.
    close only "close" (id: text = "id", reason: text = "reason");
    /// Delete an item; its history stays.
    delete "delete" (id: text = "id");
    /// Copy an item into a new one, open and unclaimed.
    copy "copy" (id: text = "id");
    /// Bring an earlier version of an item back, also of a deleted one.
    restore "restore" (id: text = "id", target: text = "target");
    /// Take a secret out of an item, every version of it, and all that the tracker keeps beside it.
    history_redact "history-redact" ();
    /// Shorten a history: one entry stands for the beginning, the rest stays.
    history_compact "history-compact" ();
    /// Mend a history that does not verify or does not end in its item.
    history_repair "history-repair" ();
    /// Record who stands behind history entries without a known author.
    history_author_acknowledge "history-author-acknowledge" ();
    /// Set, show or clear the item that new items go under.
    focus "focus" ();
    /// Open a closed item again, with the reason.
    item_reopen "item reopen" (id: text = "id", reason: text = "reason");
    /// Close an item with its evidence and give up the claim.
    item_complete "item complete" (id: text = "id", reason: text = "reason");
    /// Land several changes, given as JSON on standard input, all or none.
    item_mutate "item mutate" ();
    /// Create a plan.
    plan_create "plan create" (title: text = "title");
    /// Add a step at the end of a plan.
    plan_add_step "plan add-step" (id: text = "id", title: text = "title");
    /// Change a step of a plan.
    plan_update_step "plan update-step" (id: text = "id", place: value = "place");
    /// Complete a step of a plan, with what shows it.
    plan_complete_step "plan complete-step" (id: text = "id", place: value = "place");
    /// Mark a step of a plan as blocked, with the reason.
    plan_block_step "plan block-step" (id: text = "id", place: value = "place");
    /// Move a step of a plan to another place.
    plan_reorder_step "plan reorder-step" (id: text = "id", place: value = "place", new_order: value = "newOrder");
    /// Take a step out of a plan.
    plan_remove_step "plan remove-step" (id: text = "id", place: value = "place");
    /// Link a step of a plan with items.
    plan_link "plan link" (id: text = "id", place: value = "place");
    /// Take links out of a step of a plan.
    plan_unlink "plan unlink" (id: text = "id", place: value = "place");
    /// Log a decision in a plan.
    plan_decision "plan decision" (id: text = "id");
    /// Log a discovery in a plan.
    plan_discovery "plan discovery" (id: text = "id");
    /// Log in a plan what must hold, and the command that shows it.
    plan_validation "plan validation" (id: text = "id");
    /// Approve a plan, or set its state.
    plan_approve "plan approve" (id: text = "id");
    /// Record in a plan what somebody who takes it over must know.
    plan_resume "plan resume" (id: text = "id");
    /// Make items of the steps of a plan, below it and linked with them.
    plan_materialize "plan materialize" (id: text = "id");
    /// Bring what a profile has and the tracker lacks, all of it or nothing.
    profile_apply "profile apply" (name: text = "name");
    /// Keep options of create under a name, in place of those that it has.
    templates_save "templates save" (name: text = "name");
    /// Delete a template; the workspace history keeps it.
    templates_delete "templates delete" (name: text = "name");
    /// Copy the whole tracker, items and histories and settings, under a name.
    workspace_snapshot_create "workspace snapshot create" ();
    /// Forget a copy of the tracker, and remove its files when no other name stands for them.
    workspace_snapshot_delete "workspace snapshot delete" (target: text = "target");
    /// Make the tracker what it was when a copy was made; what is there now is copied first.
    workspace_snapshot_restore "workspace snapshot restore" (target: text = "target");
    /// Create a meeting with its time in one step.
    meet "meet" (title: text = "title");
    /// Create an event with its time in one step.
    event "event" (title: text = "title");
    /// Create a reminder with its time in one step.
    remind "remind" (title: text = "title");
    /// Claim an item for work.
    claim "claim" (id: text = "id");
    /// Give a claimed item back.
    release only "release" (id: text = "id");
    /// Claim an item and set it in progress.
    start_task "start-task" (id: text = "id");
    /// Set an item open and give up its claim.
    pause_task "pause-task" (id: text = "id");
    /// Close an item and give up its claim.
    close_task "close-task" (id: text = "id", reason: text = "reason");
    /// Add text at the end of an item's body.
    append "append" (id: text = "id", text: text = "text");
    /// List, add, edit or delete the comments of an item.
    comments "comments" (id: text = "id");
    /// List, add, edit or delete the notes of an item.
    notes "notes" (id: text = "id");
    /// List, add, edit or delete the learnings of an item.
    learnings "learnings" (id: text = "id");
    /// List, add or remove the files linked to an item.
    files "files" (id: text = "id");
    /// Find existing files that an item mentions, and link them on request.
    files_discover "files discover" (id: text = "id");
    /// List, add or remove the docs linked to an item.
    docs "docs" (id: text = "id");
    /// List, add, remove or run the tests linked to an item.
    test "test" (id: text = "id");
    /// Run the tests linked to many items, each distinct one once.
    test_all "test-all" ();
    /// Recommend what to work on.
    next "next" ();
    /// Make a tracker in this folder, or complete one.
    init "init" ();
    /// Take over the issues of Beads, with what they have and what they lose.
    import_beads "import beads" (source: text = "source");
    /// Take over the tasks of Backlog.md, with what they have and what they lose.
    import_backlog "import backlog" (source: text = "source");
    /// Take over the tickets of tk, with what they have and what they lose.
    import_ticket "import ticket" (source: text = "source");
    /// Take over the lines of todo.txt, with what they have and what they lose.
    import_todotxt "import todotxt" (source: text = "source");
    /// Take over issues and pull requests of GitHub from JSON, with what they have and what they lose.
    import_github "import github" (source: text = "source");
    /// Take over an export of a tracker, with histories where it has them.
    import_jsonl "import jsonl" (source: text = "source");
    /// Read and change settings.
    config "config" ();
    /// Remove caches, leftovers of dead processes, and records past their time.
    gc "gc" ();
    /// Let Git merge the files of this tracker with pm; each clone needs it once.
    merge_install "merge install" ();
    /// Decide what a merge left open: values of two branches, or a file that Git could not merge.
    merge_resolve "merge resolve" (id: text = "id");
    /// Bring items and histories together again after a merge, also one without the drivers.
    merge_reconcile "merge reconcile" ();
    /// Declare a type of items, or refine one.
    schema_add_type "schema add-type" (name: text = "name");
    /// Take a type out of the schema; --force even if items have it.
    schema_remove_type "schema remove-type" (name: text = "name");
    /// Declare a status, or refine one.
    schema_add_status "schema add-status" (name: text = "name");
    /// Take a status out of the schema that no item has.
    schema_remove_status "schema remove-status" (name: text = "name");
    /// Declare a field of items, or refine one.
    schema_add_field "schema add-field" (name: text = "name");
    /// Take a field out of the schema; items keep their values with --force.
    schema_remove_field "schema remove-field" (name: text = "name");
    /// Declare the types that agile, operations or research teams need.
    schema_apply_preset "schema apply-preset" (name: text = "name");
    /// Give a type another name, its items too; or move its items to another type.
    schema_rename_type "schema rename-type" (name: text = "name");
    /// Give a declared field another key, in every item too.
    schema_rename_field "schema rename-field" (name: text = "name");
    /// Move all items of a status to another one.
    schema_remap_status "schema remap-status" (name: text = "name");
}

impl PmClient {
    /// Adds a comment to an item.
    ///
    /// Errors: those of the command.
    pub fn comment(&self, id: &str, text: &str) -> Result<Value> {
        self.comments(id, [("add", text.into())])
    }
}

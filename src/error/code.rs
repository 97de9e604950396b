//! The stable codes, each declared once, and whose fault it tells of.

/// Whose fault an error is, and with it the exit code of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Something inside failed, or a file could not be used: exit 1.
    Failure,
    /// The call was refused before it did anything: exit 2.
    Usage,
    /// The named thing, or the tracker itself, is not there: exit 3.
    NotFound,
    /// Somebody or something else stands in the way: exit 4.
    Conflict,
    /// A program or service that the call needs failed: exit 5.
    Dependency,
    /// A bulk call matched nothing: exit 6.
    NoEffect,
    /// A bulk call did a part of its work: exit 7.
    PartialEffect,
}

impl Kind {
    /// The exit code of the process.
    pub fn exit_code(self) -> u8 {
        match self {
            Kind::Failure => 1,
            Kind::Usage => 2,
            Kind::NotFound => 3,
            Kind::Conflict => 4,
            Kind::Dependency => 5,
            Kind::NoEffect => 6,
            Kind::PartialEffect => 7,
        }
    }
}

/// Declares every error code once: its wire name, its kind, its meaning in one line.
macro_rules! codes {
    ($($(#[doc = $doc:expr])* $name:ident = $wire:literal, $kind:ident;)*) => {
        /// A stable error code; callers match on its wire name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Code { $($(#[doc = $doc])* $name,)* }

        impl Code {
            /// Every code, in declaration order.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// The name on the wire.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $wire,)* }
            }

            /// Whose fault it is.
            pub fn kind(self) -> Kind {
                match self { $(Code::$name => Kind::$kind,)* }
            }

            /// What it means, in one line.
            pub fn meaning(self) -> &'static str {
                match self { $(Code::$name => concat!($($doc),*).trim_ascii(),)* }
            }
        }
    };
}

codes! {
    /// A value of an argument is outside its domain.
    InvalidArgumentValue = "invalid_argument_value", Usage;
    /// A positional argument is missing.
    MissingRequiredArgument = "missing_required_argument", Usage;
    /// An option is missing.
    MissingRequiredOption = "missing_required_option", Usage;
    /// No command has this name.
    UnknownCommand = "unknown_command", Usage;
    /// The command has no subcommand of this name.
    UnknownSubcommand = "unknown_subcommand", Usage;
    /// The command has no such option.
    UnknownOption = "unknown_option", Usage;
    /// The option is a near miss of one that exists.
    FlagTypo = "flag_typo_requires_retry", Usage;
    /// Two arguments exclude each other.
    ConflictingArguments = "conflicting_arguments", Usage;
    /// A file that is to be merged cannot be read or is no file of its kind.
    MergeInputInvalid = "merge_input_invalid", Failure;
    /// The tracker lies in no work tree of Git.
    MergeRootNotFound = "merge_root_not_found", NotFound;
    /// Git's configuration of this clone does not take the merge drivers.
    MergeGitConfigUnwritable = "merge_git_config_unwritable", Dependency;
    /// No two versions of the file are known.
    MergeVersionsUnknown = "merge_versions_unknown", Failure;
    /// Fields have more than one value, and nobody said which one stands.
    MergeUndecided = "merge_undecided", Conflict;
    /// Receipts of merges name values that were thrown away, and nobody accepted that.
    MergeDiscards = "merge_reconcile_discards_require_acceptance", Conflict;
    /// The bulk command has no checkpoint of this name.
    CheckpointNotFound = "checkpoint_not_found", NotFound;
    /// The file of a checkpoint is none.
    CheckpointInvalid = "checkpoint_invalid", Failure;
    /// What a bulk call changed was changed again since, so that taking it back would lose that.
    RollbackConflict = "rollback_conflict", Conflict;
    /// No item has this id.
    ItemNotFound = "item_not_found", NotFound;
    /// A short id stands for several items.
    AmbiguousItemId = "ambiguous_item_id", NotFound;
    /// There is no tracker here.
    TrackerNotInitialized = "tracker_not_initialized", NotFound;
    /// The folder that was named as a tracker does not exist.
    TrackerRootMissing = "tracker_root_missing", NotFound;
    /// What was named as a tracker is no folder.
    TrackerRootNotDirectory = "tracker_root_not_directory", Usage;
    /// The tracker's folder cannot be read.
    TrackerRootUnreadable = "tracker_root_unreadable", Failure;
    /// A history does not verify, so no past state can be told from it.
    HistoryChainInvalid = "history_chain_invalid", Failure;
    /// A history stream holds the conflict markers of an unfinished merge.
    HistoryConflictMarkers = "history_merge_conflict_markers_detected", Failure;
    /// A history stream cannot be read, or one of its lines is no entry.
    HistoryStreamUnreadable = "history_stream_unreadable", Failure;
    /// Another process holds the lock.
    LockConflict = "lock_conflict", Conflict;
    /// A lock was left behind long ago, and this tracker wants `--force` to take it over.
    LockStale = "lock_stale", Conflict;
    /// The settings of the tracker that is there cannot be read, so making it anew could harm it.
    UnsafeInitRecovery = "unsafe_init_recovery", Failure;
    /// The tracker that is there has other settings than those asked for.
    InitExistingSettingsRequiresForce = "init_existing_settings_requires_force", Usage;
    /// The prefix is given twice, and differently.
    InitIdPrefixConflict = "init_id_prefix_conflict", Usage;
    /// The prefix looks like a path.
    InitIdPrefixPathLike = "init_id_prefix_path_like", Usage;
    /// The ignore file beside the tracker cannot be written.
    InitGitignoreUnwritable = "init_gitignore_unwritable", Failure;
    /// The folder looks like the root of a project, not like a tracker's own.
    WorkspaceRootPmPath = "workspace_root_pm_path", Usage;
    /// A Git repository without work tree has no place for a tracker.
    GitWorkTreeMissing = "git_work_tree_missing", Usage;
    /// The settings file is no JSON object.
    SettingsInvalidJson = "settings_read_invalid_json", Failure;
    /// Settings have values of a wrong shape.
    SettingsInvalidSchema = "settings_read_invalid_schema", Failure;
    /// A schema file is no JSON object.
    SchemaInvalidJson = "schema_read_invalid_json", Failure;
    /// An item has no history, and this tracker demands one.
    HistoryStreamMissing = "history_stream_missing", NotFound;
    /// The stream `_workspace` does not verify.
    WorkspaceHistoryChainInvalid = "workspace_history_chain_invalid", Conflict;
    /// Settings or schema were edited by hand since their last entry in `_workspace`.
    WorkspaceHistoryStateConflict = "workspace_history_state_conflict", Conflict;
    /// This tracker wants every change to have an author.
    MutationAuthorRequired = "mutation_author_required", Usage;
    /// A change holds what looks like a secret, and the tracker refuses those.
    SecretGuardBlocked = "mutation_secret_guard_blocked", Conflict;
    /// An item of this id exists already.
    ItemAlreadyExists = "item_already_exists", Conflict;
    /// Another file lies where the item's would go.
    ItemPathOccupied = "item_path_occupied", Conflict;
    /// The item's file has a newer format than this program writes.
    ItemFormatNewer = "item_format_newer", Failure;
    /// The item is not the one that `--if-hash` names.
    IfHashMismatch = "if_hash_mismatch", Conflict;
    /// The item changed after the time that `--if-updated-at` names.
    IfUpdatedAtMismatch = "if_updated_at_mismatch", Conflict;
    /// Somebody else holds the item, and this tracker keeps others off.
    OwnershipConflict = "ownership_conflict", Conflict;
    /// The tracker's folder cannot be written.
    TrackerReadOnly = "tracker_read_only", Failure;
    /// The disk is full.
    StorageFull = "storage_full", Failure;
    /// The system refused a write; everything is as it was.
    WriteFailed = "write_failed", Failure;
    /// An item file is no item document.
    ItemDocumentInvalid = "item_document_invalid", Failure;
    /// An item has fields that nobody declared, and the tracker refuses those.
    ItemUnknownSchemaFields = "item_unknown_schema_fields", Failure;
    /// An item file or folder cannot be read: a symbolic link, no regular file, or the system refuses.
    ItemFileUnreadable = "item_file_unreadable", Failure;
    /// A file holds the conflict markers of an unfinished merge.
    MergeConflictMarkers = "merge_conflict_markers_detected", Failure;
    /// Only one of `PM_CLOCK` and `PM_SEED` is set, or one of them has no meaning.
    InvalidReproducibleEnvironment = "invalid_reproducible_process_environment", Usage;
    /// A read-output control was given to a call that changes something.
    OutputControlNotApplicable = "output_control_not_applicable", Usage;
    /// A selector of `--output-include` names no field, section or mode.
    UnknownOutputIncludeSelector = "unknown_output_include_selector", Usage;
    /// Two projections were asked for.
    ProjectionOptionsMutuallyExclusive = "projection_options_mutually_exclusive", Usage;
    /// The session state is not one that can be carried on.
    InvalidReadOutputSession = "invalid_read_output_session", Usage;
    /// What is left of the session cannot hold even its receipts.
    ReadOutputSessionExhausted = "read_output_session_exhausted", Usage;
    /// The text is no cursor.
    ReadOutputCursorInvalid = "read_output_cursor_invalid", Usage;
    /// The cursor belongs to another command.
    ReadOutputCursorCommandMismatch = "read_output_cursor_command_mismatch", Usage;
    /// The collection is no longer the one that the cursor came from.
    ReadOutputCursorStale = "read_output_cursor_stale", Usage;
    /// The text is no cursor of events.
    InvalidEventCursor = "invalid_event_cursor", Usage;
    /// The cursor of events belongs to other filters.
    EventCursorQueryMismatch = "event_cursor_query_mismatch", Usage;
    /// Where events are to start is neither a time nor a cursor.
    InvalidEventSince = "invalid_event_since", Usage;
    /// So many events are not given out at once.
    InvalidEventLimit = "invalid_event_limit", Usage;
    /// There is no such way to give out cursors.
    InvalidEventCursorMode = "invalid_event_cursor_mode", Usage;
    /// Events cannot be looked for this often.
    InvalidEventFollowInterval = "invalid_event_follow_interval", Usage;
    /// The page cursor is none, or belongs to another question.
    InvalidQueryCursor = "invalid_query_cursor", Usage;
    /// Standard input cannot be read as text.
    StdinUnreadable = "stdin_unreadable", Usage;
    /// The new links would make items wait for each other in a circle.
    DependencyCycleCreated = "dependency_cycle_created", Conflict;
    /// No link of the item agrees with what is to be removed.
    DependencyRemoveNoMatch = "dependency_remove_no_match", NotFound;
    /// A link names an item that does not exist.
    DependencyTargetNotFound = "dependency_target_not_found", NotFound;
    /// A link that goes back in time names a younger item.
    DependencyTemporalOrderInvalid = "dependency_temporal_order_invalid", Usage;
    /// The new parent is below the item.
    HierarchyCycleCreated = "hierarchy_cycle_created", Conflict;
    /// An item would have two parents.
    HierarchyCardinalityCreated = "hierarchy_cardinality_created", Conflict;
    /// The parent field and a link would name different parents.
    HierarchyParentDivergenceCreated = "hierarchy_parent_divergence_created", Conflict;
    /// The parent does not exist.
    ParentNotFound = "parent_not_found", Usage;
    /// Other items point at the item that is to be deleted.
    ItemReferenced = "item_referenced", Conflict;
    /// An item that ends needs a reason.
    CloseReasonRequired = "close_reason_required", Usage;
    /// Fields that a closed item must have are missing.
    CloseValidationMissingFields = "close_validation_missing_fields", Usage;
    /// The canonical item of a duplicate does not exist.
    DuplicateTargetMissing = "duplicate_target_missing", Usage;
    /// An item cannot be a duplicate of itself.
    DuplicateTargetSelf = "duplicate_target_self", Usage;
    /// The canonical item is a duplicate itself.
    DuplicateTargetIsDuplicate = "duplicate_target_is_duplicate", Usage;
    /// The canonical item is a duplicate of this one.
    DuplicateTargetCircular = "duplicate_target_circular", Usage;
    /// An item much like the new one exists.
    LikelyDuplicate = "likely_duplicate", Usage;
    /// The item is over already.
    TerminalStateConflict = "terminal_state_conflict", Conflict;
    /// The workflow of the type does not allow this change of status.
    WorkflowTransitionNotAllowed = "workflow_transition_not_allowed", Usage;
    /// Somebody else holds the item.
    AlreadyClaimedBy = "already_claimed_by", Conflict;
    /// Nothing is ready to be claimed.
    NoAvailableNextItem = "no_available_next_item", NotFound;
    /// Others claimed every candidate first.
    NextItemsTaken = "next_items_taken", Conflict;
    /// There is no text to append.
    AppendEmptyBody = "append_empty_body", Usage;
    /// A message was given, and nothing that it could be about.
    AnnotationMessageWithoutText = "annotation_message_without_text", Usage;
    /// A structured note cannot be changed.
    StructuredEventImmutable = "structured_event_immutable", Usage;
    /// A structured note and another source of text exclude each other.
    StructuredEventInputConflict = "structured_event_input_conflict", Usage;
    /// A structured note is no JSON object.
    StructuredEventJsonInvalid = "structured_event_json_invalid", Usage;
    /// One path is both added and removed.
    LinkedArtifactMutationConflict = "linked_artifact_mutation_conflict", Usage;
    /// No linked test agrees with what is to be removed.
    LinkedTestRemoveNoMatch = "linked_test_remove_no_match", NotFound;
    /// A linked test failed.
    LinkedTestFailed = "linked_test_failed", Dependency;
    /// Standard input is no JSON object.
    StdinJsonInvalid = "stdin_json_invalid", Usage;
    /// The JSON document has a key that is no field.
    StdinJsonUnknownKey = "stdin_json_unknown_key", Usage;
    /// Acceptance criteria cannot be replaced and edited at once.
    AcceptanceCriteriaMutationConflict = "acceptance_criteria_mutation_conflict", Usage;
    /// A single criterion must not hold a semicolon.
    AcceptanceCriteriaSemicolon = "acceptance_criteria_semicolon_forbidden", Usage;
    /// No acceptance criterion has this text.
    AcceptanceCriteriaRemoveUnmatched = "acceptance_criteria_remove_unmatched", NotFound;
    /// The body is given twice.
    BodyFileConflictsWithBody = "body_file_conflicts_with_body", Usage;
    /// The file with the body cannot be read.
    BodyFileUnreadable = "body_file_unreadable", NotFound;
    /// A type was named and no title.
    CreatePositionalTypeWithoutTitle = "create_positional_type_without_title", Usage;
    /// No installed package declares this field.
    ExtensionItemFieldUnknown = "extension_item_field_unknown", Usage;
    /// The item is not over, so that it cannot come back.
    ItemAlreadyActive = "item_already_active", Conflict;
    /// The history has no such version, or nothing that old.
    HistoryTargetOutOfRange = "history_target_out_of_range", Usage;
    /// A field asked for by `--fields` is none that an item can have.
    UnknownFieldProjection = "unknown_field_projection", Usage;
    /// No intent of this name is declared for the command.
    UnknownContextIntent = "unknown_context_intent", Usage;
    /// There is no file of questions to judge the search by.
    EvalQueriesMissing = "eval_queries_missing", NotFound;
    /// The file of questions is none.
    EvalQueriesInvalid = "eval_queries_invalid", Usage;
    /// The registry of assurance cannot be read, or says what cannot be.
    AssuranceRegistryInvalid = "assurance_registry_invalid", Failure;
    /// The registry of assurance declares nothing of this name.
    AssuranceDeclarationNotFound = "assurance_declaration_not_found", NotFound;
    /// Some item files cannot be read, and the call wants all of them.
    ListSourceIncomplete = "list_source_incomplete", Failure;
    /// Another batch was landed under this name.
    TransactionIdReused = "transaction_id_reused", Conflict;
    /// A batch of this name was begun by another program and not finished.
    TransactionUnfinished = "transaction_unfinished", Conflict;
    /// This tracker has no type of this name.
    UnknownItemType = "unknown_item_type", NotFound;
    /// This tracker has no status of this name.
    UnknownStatus = "unknown_status", NotFound;
    /// This tracker declares no field of this name.
    UnknownField = "unknown_field", NotFound;
    /// Items, or the workflow, need what is to be taken out of the schema.
    SchemaDefinitionInUse = "schema_definition_in_use", Conflict;
    /// A migration of the schema needs the new name.
    SchemaMigrationInputRequired = "schema_migration_input_required", Usage;
    /// The item is of another type than the command is about.
    WrongItemType = "wrong_item_type", Usage;
    /// The plan is over.
    TerminalPlanMutation = "terminal_plan_mutation", Conflict;
    /// The plan has no such step.
    PlanStepNotFound = "plan_step_not_found", NotFound;
    /// Another step of the plan is in progress.
    PlanStepAlreadyActive = "plan_step_already_active", Conflict;
    /// The step belongs to the runbook that the plan was made of.
    PlanStepOfRunbook = "plan_step_of_runbook", Conflict;
    /// There is no list of steps of this name to begin a plan with.
    UnknownPlanTemplate = "unknown_plan_template", Usage;
    /// There is no template of this name for new items.
    TemplateNotFound = "template_not_found", NotFound;
    /// The file of a template is none.
    TemplateInvalid = "template_invalid", Failure;
    /// There is no copy of the tracker of this name.
    WorkspaceSnapshotNotFound = "workspace_snapshot_not_found", NotFound;
    /// A copy of the tracker of this name is there already, with other content.
    WorkspaceSnapshotExists = "workspace_snapshot_exists", Conflict;
    /// A copy of the tracker is not what it was.
    WorkspaceSnapshotDamaged = "workspace_snapshot_damaged", Failure;
    /// Bringing a copy of the tracker back replaces what is there, and nobody said that it may.
    WorkspaceRestoreRequiresForce = "workspace_snapshot_restore_requires_force", Usage;
    /// There is no profile of this name.
    UnknownProfile = "unknown_profile", Usage;
    /// There is no Git repository here.
    RepositoryMissing = "repository_missing", NotFound;
    /// Git could not read the repository.
    RepositoryUnreadable = "repository_unreadable", Failure;
    /// Git cannot be started.
    GitUnavailable = "git_unavailable", Dependency;
    /// The action may not show this tier, or there is no such tier.
    DisclosureFlagNotPermitted = "DISCLOSURE_FLAG_NOT_PERMITTED", Usage;
    /// More rows are asked for than the tiers allow.
    LimitExceedsFlagCap = "LIMIT_EXCEEDS_FLAG_CAP", Usage;
    /// A parameter has a value of the wrong type, or one that it does not take.
    InvalidParameter = "INVALID_PARAMETER", Usage;
    /// The action has no such parameter.
    UnknownParameter = "UNKNOWN_PARAMETER", Usage;
    /// A filter does not know this value.
    FilterValueNotPermitted = "FILTER_VALUE_NOT_PERMITTED", Usage;
    /// Tags narrow a slice, and there is none.
    TagsNeedStructuralFilter = "TAGS_NEED_STRUCTURAL_FILTER", Usage;
    /// The action's URI is its selector; it takes no filters.
    FilterNotAccepted = "FILTER_NOT_ACCEPTED", Usage;
    /// The action takes one URI.
    MultipleUrisNotPermitted = "MULTIPLE_URIS_NOT_PERMITTED", Usage;
    /// Git knows no such revision.
    RevisionNotFound = "REVISION_NOT_FOUND", NotFound;
    /// No document has this URI.
    UriNotFound = "URI_NOT_FOUND", NotFound;
    /// Several documents declare this URI.
    UriAmbiguous = "URI_AMBIGUOUS", NotFound;
    /// Documents supersede each other in a circle.
    CircularSupersession = "CIRCULAR_SUPERSESSION", Conflict;
    /// A chain of successors is too long.
    SupersessionTooDeep = "SUPERSESSION_TOO_DEEP", Conflict;
    /// The document has no such heading.
    SectionNotFound = "SECTION_NOT_FOUND", NotFound;
    /// The cursor does not belong to this call, or is none.
    CursorRefused = "CURSOR_REFUSED", Usage;
    /// A search was asked something that it cannot answer.
    ParameterRefused = "PARAMETER_REFUSED", Usage;
    /// The record is not what its catalog published, or breaks the contract.
    RecordInvalid = "RECORD_INVALID", Usage;
    /// The record was revoked.
    RecordRevoked = "RECORD_REVOKED", Usage;
    /// The record needs a runtime that enforces more.
    RuntimeProfileExceeded = "RUNTIME_PROFILE_EXCEEDED", Usage;
    /// The record needs a capability that is not allowed here.
    CapabilityNotAllowed = "CAPABILITY_NOT_ALLOWED", Usage;
    /// The record's level is too low here, or has expired.
    TrustBelowFloor = "TRUST_BELOW_FLOOR", Usage;
    /// A step needs the approval of a person.
    ApprovalRequired = "APPROVAL_REQUIRED", Usage;
    /// The approver is no person.
    ApprovalNotHuman = "APPROVAL_NOT_HUMAN", Usage;
    /// The approver is the agent itself.
    ApprovalBySelf = "APPROVAL_BY_SELF", Usage;
    /// The approval is of other content.
    ApprovalStale = "APPROVAL_STALE", Usage;
    /// The approval is none, or its signature does not count.
    ApprovalInvalid = "APPROVAL_INVALID", Usage;
    /// A server has handed out enough bodies for this minute.
    BodyRateLimited = "BODY_RATE_LIMITED", Dependency;
    /// This program was built without the part that does it.
    FeatureMissing = "feature_missing", Dependency;
    /// The caller took the call back before it was answered.
    CallCancelled = "call_cancelled", Conflict;
    /// The settings map a prefix to something that is no kind.
    KbConfigInvalidKind = "KB_CONFIG_INVALID_KIND", Usage;
    /// The settings of the catalog say what cannot be.
    CatalogSettingsInvalid = "catalog_settings_invalid", Failure;
    /// The files that say whom a catalog trusts cannot be read.
    CatalogTrustRootInvalid = "catalog_trust_root_invalid", Failure;
    /// Records of a catalog are not what they must be, so nothing was built.
    CatalogSourceInvalid = "catalog_source_invalid", Failure;
    /// The folder for a catalog holds what no build wrote.
    CatalogOutOccupied = "catalog_out_occupied", Conflict;
    /// A build from nothing gives other files than the one before.
    CatalogBuildDiffers = "catalog_build_differs", Failure;
    /// The catalog has no record of this id or slug.
    CatalogRecordNotFound = "catalog_record_not_found", NotFound;
    /// A record of this slug is there already.
    CatalogRecordExists = "catalog_record_exists", Conflict;
    /// The port for a catalog cannot be listened on.
    CatalogPortUnavailable = "catalog_port_unavailable", Failure;
    /// The key for a statement cannot be used.
    CatalogKeyUnusable = "catalog_key_unusable", Usage;
    /// The plan was made of other content than the record has now.
    CatalogPlanStale = "catalog_plan_stale", Conflict;
    /// The plan has open steps, so nobody knows how it ends.
    CatalogPlanUnfinished = "catalog_plan_unfinished", Conflict;
    /// The history of the plan does not show that anybody walked it, or not lately enough to count.
    CatalogPlanUnproven = "catalog_plan_unproven", Conflict;
    /// The folder is no catalog that was built.
    CatalogFolderInvalid = "catalog_folder_invalid", NotFound;
    /// What is to be imported cannot be read.
    ImportSourceUnreadable = "import_source_unreadable", NotFound;
    /// Nothing of that kind lies where it was looked for.
    ImportSourceEmpty = "import_source_empty", NotFound;
    /// What is to be imported is damaged: nothing of it was taken over.
    ImportSourceInvalid = "import_source_invalid", Usage;
    /// The entries, or what is said about them, are not those of the plan.
    HistoryAuthorPlanStale = "history_author_plan_stale", Conflict;
    /// Something inside failed in a way that has no code of its own.
    Internal = "internal_error", Failure;
}

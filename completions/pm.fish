# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_pm_global_optspecs
    string join \n h/help V/version
end

function __fish_pm_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_pm_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_pm_using_subcommand
    set -l cmd (__fish_pm_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c pm -n "__fish_pm_needs_command" -s h -l help -d 'Print help'
complete -c pm -n "__fish_pm_needs_command" -s V -l version -d 'Print version'
complete -c pm -n "__fish_pm_needs_command" -f -a "get" -d 'Show items'
complete -c pm -n "__fish_pm_needs_command" -f -a "fetch" -d 'Show items'
complete -c pm -n "__fish_pm_needs_command" -f -a "read" -d 'Show items'
complete -c pm -n "__fish_pm_needs_command" -f -a "show" -d 'Show items'
complete -c pm -n "__fish_pm_needs_command" -f -a "view" -d 'Show items'
complete -c pm -n "__fish_pm_needs_command" -f -a "list" -d 'List items'
complete -c pm -n "__fish_pm_needs_command" -f -a "version" -d 'Show the version of this program'
complete -c pm -n "__fish_pm_needs_command" -f -a "graph"
complete -c pm -n "__fish_pm_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pm -n "__fish_pm_using_subcommand get" -l depth -d 'How much to show: brief, standard, deep or full' -r
complete -c pm -n "__fish_pm_using_subcommand get" -l fields -d 'Show these fields and sections, joined by commas' -r
complete -c pm -n "__fish_pm_using_subcommand get" -l tree-depth -d 'How many levels of the tree to show' -r
complete -c pm -n "__fish_pm_using_subcommand get" -l at -d 'Show the item as it was: a version from 1 on, or a time' -r
complete -c pm -n "__fish_pm_using_subcommand get" -l for -d 'Show what a purpose needs: `inspect`' -r
complete -c pm -n "__fish_pm_using_subcommand get" -l token-budget -d 'The most tokens that the answer to `--for` may cost' -r
complete -c pm -n "__fish_pm_using_subcommand get" -l output-include -d 'Fields, sections or a named projection to keep' -r
complete -c pm -n "__fish_pm_using_subcommand get" -l output-limit -d 'Rows of each collection to keep, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand get" -l output-budget -d 'Most tokens that the answer may cost, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand get" -l output-format -d 'The encoding: toon or json' -r
complete -c pm -n "__fish_pm_using_subcommand get" -l output-session -d 'The state of a session as the last answer gave it' -r
complete -c pm -n "__fish_pm_using_subcommand get" -l output-cursor -d 'Continue where a cut answer ended' -r
complete -c pm -n "__fish_pm_using_subcommand get" -l author -d 'Who makes this change' -r
complete -c pm -n "__fish_pm_using_subcommand get" -l session -d 'Whose claims these are, when several sessions share one author' -r
complete -c pm -n "__fish_pm_using_subcommand get" -l pm-path -d 'The tracker\'s own folder, instead of the nearest .agents/pm' -r
complete -c pm -n "__fish_pm_using_subcommand get" -l path -d 'Older name of --pm-path' -r
complete -c pm -n "__fish_pm_using_subcommand get" -l format -d 'An encoding, or a view for people and other programs' -r -f -a "toon\t''
json\t''
table\t''
csv\t''
ndjson\t''
markdown\t''"
complete -c pm -n "__fish_pm_using_subcommand get" -l brief -d 'Show the fields only, collections counted'
complete -c pm -n "__fish_pm_using_subcommand get" -l full -d 'Show everything'
complete -c pm -n "__fish_pm_using_subcommand get" -l tree -d 'Show what lies below the item'
complete -c pm -n "__fish_pm_using_subcommand get" -l output-row-contract -d 'Add the machine-readable contract of the rows'
complete -c pm -n "__fish_pm_using_subcommand get" -l json -d 'Answer in JSON instead of TOON'
complete -c pm -n "__fish_pm_using_subcommand get" -l lean -d 'Leave nulls and empty containers out of JSON'
complete -c pm -n "__fish_pm_using_subcommand get" -l quiet -d 'Print nothing on standard output; the exit code tells'
complete -c pm -n "__fish_pm_using_subcommand get" -l full-envelope -d 'Repeat the question in the answer: filters, projection, sorting, time'
complete -c pm -n "__fish_pm_using_subcommand get" -l token-accounting -d 'Add what each section of the answer costs in tokens'
complete -c pm -n "__fish_pm_using_subcommand get" -l id-only -d 'After a change print only id and status'
complete -c pm -n "__fish_pm_using_subcommand get" -l full-changed-fields -d 'After a change print the whole item and the list of changed fields'
complete -c pm -n "__fish_pm_using_subcommand get" -l no-changed-fields -d 'After a change print the count of changed fields, never their names'
complete -c pm -n "__fish_pm_using_subcommand get" -l no-extensions -d 'Accepted for compatibility; there are no extensions to load'
complete -c pm -n "__fish_pm_using_subcommand get" -l no-pager -d 'Do not page help'
complete -c pm -n "__fish_pm_using_subcommand get" -l explain -d 'Give reasons and more examples, in help and in errors'
complete -c pm -n "__fish_pm_using_subcommand get" -l profile -d 'Print timings on standard error'
complete -c pm -n "__fish_pm_using_subcommand fetch" -l depth -d 'How much to show: brief, standard, deep or full' -r
complete -c pm -n "__fish_pm_using_subcommand fetch" -l fields -d 'Show these fields and sections, joined by commas' -r
complete -c pm -n "__fish_pm_using_subcommand fetch" -l tree-depth -d 'How many levels of the tree to show' -r
complete -c pm -n "__fish_pm_using_subcommand fetch" -l at -d 'Show the item as it was: a version from 1 on, or a time' -r
complete -c pm -n "__fish_pm_using_subcommand fetch" -l for -d 'Show what a purpose needs: `inspect`' -r
complete -c pm -n "__fish_pm_using_subcommand fetch" -l token-budget -d 'The most tokens that the answer to `--for` may cost' -r
complete -c pm -n "__fish_pm_using_subcommand fetch" -l output-include -d 'Fields, sections or a named projection to keep' -r
complete -c pm -n "__fish_pm_using_subcommand fetch" -l output-limit -d 'Rows of each collection to keep, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand fetch" -l output-budget -d 'Most tokens that the answer may cost, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand fetch" -l output-format -d 'The encoding: toon or json' -r
complete -c pm -n "__fish_pm_using_subcommand fetch" -l output-session -d 'The state of a session as the last answer gave it' -r
complete -c pm -n "__fish_pm_using_subcommand fetch" -l output-cursor -d 'Continue where a cut answer ended' -r
complete -c pm -n "__fish_pm_using_subcommand fetch" -l author -d 'Who makes this change' -r
complete -c pm -n "__fish_pm_using_subcommand fetch" -l session -d 'Whose claims these are, when several sessions share one author' -r
complete -c pm -n "__fish_pm_using_subcommand fetch" -l pm-path -d 'The tracker\'s own folder, instead of the nearest .agents/pm' -r
complete -c pm -n "__fish_pm_using_subcommand fetch" -l path -d 'Older name of --pm-path' -r
complete -c pm -n "__fish_pm_using_subcommand fetch" -l format -d 'An encoding, or a view for people and other programs' -r -f -a "toon\t''
json\t''
table\t''
csv\t''
ndjson\t''
markdown\t''"
complete -c pm -n "__fish_pm_using_subcommand fetch" -l brief -d 'Show the fields only, collections counted'
complete -c pm -n "__fish_pm_using_subcommand fetch" -l full -d 'Show everything'
complete -c pm -n "__fish_pm_using_subcommand fetch" -l tree -d 'Show what lies below the item'
complete -c pm -n "__fish_pm_using_subcommand fetch" -l output-row-contract -d 'Add the machine-readable contract of the rows'
complete -c pm -n "__fish_pm_using_subcommand fetch" -l json -d 'Answer in JSON instead of TOON'
complete -c pm -n "__fish_pm_using_subcommand fetch" -l lean -d 'Leave nulls and empty containers out of JSON'
complete -c pm -n "__fish_pm_using_subcommand fetch" -l quiet -d 'Print nothing on standard output; the exit code tells'
complete -c pm -n "__fish_pm_using_subcommand fetch" -l full-envelope -d 'Repeat the question in the answer: filters, projection, sorting, time'
complete -c pm -n "__fish_pm_using_subcommand fetch" -l token-accounting -d 'Add what each section of the answer costs in tokens'
complete -c pm -n "__fish_pm_using_subcommand fetch" -l id-only -d 'After a change print only id and status'
complete -c pm -n "__fish_pm_using_subcommand fetch" -l full-changed-fields -d 'After a change print the whole item and the list of changed fields'
complete -c pm -n "__fish_pm_using_subcommand fetch" -l no-changed-fields -d 'After a change print the count of changed fields, never their names'
complete -c pm -n "__fish_pm_using_subcommand fetch" -l no-extensions -d 'Accepted for compatibility; there are no extensions to load'
complete -c pm -n "__fish_pm_using_subcommand fetch" -l no-pager -d 'Do not page help'
complete -c pm -n "__fish_pm_using_subcommand fetch" -l explain -d 'Give reasons and more examples, in help and in errors'
complete -c pm -n "__fish_pm_using_subcommand fetch" -l profile -d 'Print timings on standard error'
complete -c pm -n "__fish_pm_using_subcommand read" -l depth -d 'How much to show: brief, standard, deep or full' -r
complete -c pm -n "__fish_pm_using_subcommand read" -l fields -d 'Show these fields and sections, joined by commas' -r
complete -c pm -n "__fish_pm_using_subcommand read" -l tree-depth -d 'How many levels of the tree to show' -r
complete -c pm -n "__fish_pm_using_subcommand read" -l at -d 'Show the item as it was: a version from 1 on, or a time' -r
complete -c pm -n "__fish_pm_using_subcommand read" -l for -d 'Show what a purpose needs: `inspect`' -r
complete -c pm -n "__fish_pm_using_subcommand read" -l token-budget -d 'The most tokens that the answer to `--for` may cost' -r
complete -c pm -n "__fish_pm_using_subcommand read" -l output-include -d 'Fields, sections or a named projection to keep' -r
complete -c pm -n "__fish_pm_using_subcommand read" -l output-limit -d 'Rows of each collection to keep, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand read" -l output-budget -d 'Most tokens that the answer may cost, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand read" -l output-format -d 'The encoding: toon or json' -r
complete -c pm -n "__fish_pm_using_subcommand read" -l output-session -d 'The state of a session as the last answer gave it' -r
complete -c pm -n "__fish_pm_using_subcommand read" -l output-cursor -d 'Continue where a cut answer ended' -r
complete -c pm -n "__fish_pm_using_subcommand read" -l author -d 'Who makes this change' -r
complete -c pm -n "__fish_pm_using_subcommand read" -l session -d 'Whose claims these are, when several sessions share one author' -r
complete -c pm -n "__fish_pm_using_subcommand read" -l pm-path -d 'The tracker\'s own folder, instead of the nearest .agents/pm' -r
complete -c pm -n "__fish_pm_using_subcommand read" -l path -d 'Older name of --pm-path' -r
complete -c pm -n "__fish_pm_using_subcommand read" -l format -d 'An encoding, or a view for people and other programs' -r -f -a "toon\t''
json\t''
table\t''
csv\t''
ndjson\t''
markdown\t''"
complete -c pm -n "__fish_pm_using_subcommand read" -l brief -d 'Show the fields only, collections counted'
complete -c pm -n "__fish_pm_using_subcommand read" -l full -d 'Show everything'
complete -c pm -n "__fish_pm_using_subcommand read" -l tree -d 'Show what lies below the item'
complete -c pm -n "__fish_pm_using_subcommand read" -l output-row-contract -d 'Add the machine-readable contract of the rows'
complete -c pm -n "__fish_pm_using_subcommand read" -l json -d 'Answer in JSON instead of TOON'
complete -c pm -n "__fish_pm_using_subcommand read" -l lean -d 'Leave nulls and empty containers out of JSON'
complete -c pm -n "__fish_pm_using_subcommand read" -l quiet -d 'Print nothing on standard output; the exit code tells'
complete -c pm -n "__fish_pm_using_subcommand read" -l full-envelope -d 'Repeat the question in the answer: filters, projection, sorting, time'
complete -c pm -n "__fish_pm_using_subcommand read" -l token-accounting -d 'Add what each section of the answer costs in tokens'
complete -c pm -n "__fish_pm_using_subcommand read" -l id-only -d 'After a change print only id and status'
complete -c pm -n "__fish_pm_using_subcommand read" -l full-changed-fields -d 'After a change print the whole item and the list of changed fields'
complete -c pm -n "__fish_pm_using_subcommand read" -l no-changed-fields -d 'After a change print the count of changed fields, never their names'
complete -c pm -n "__fish_pm_using_subcommand read" -l no-extensions -d 'Accepted for compatibility; there are no extensions to load'
complete -c pm -n "__fish_pm_using_subcommand read" -l no-pager -d 'Do not page help'
complete -c pm -n "__fish_pm_using_subcommand read" -l explain -d 'Give reasons and more examples, in help and in errors'
complete -c pm -n "__fish_pm_using_subcommand read" -l profile -d 'Print timings on standard error'
complete -c pm -n "__fish_pm_using_subcommand show" -l depth -d 'How much to show: brief, standard, deep or full' -r
complete -c pm -n "__fish_pm_using_subcommand show" -l fields -d 'Show these fields and sections, joined by commas' -r
complete -c pm -n "__fish_pm_using_subcommand show" -l tree-depth -d 'How many levels of the tree to show' -r
complete -c pm -n "__fish_pm_using_subcommand show" -l at -d 'Show the item as it was: a version from 1 on, or a time' -r
complete -c pm -n "__fish_pm_using_subcommand show" -l for -d 'Show what a purpose needs: `inspect`' -r
complete -c pm -n "__fish_pm_using_subcommand show" -l token-budget -d 'The most tokens that the answer to `--for` may cost' -r
complete -c pm -n "__fish_pm_using_subcommand show" -l output-include -d 'Fields, sections or a named projection to keep' -r
complete -c pm -n "__fish_pm_using_subcommand show" -l output-limit -d 'Rows of each collection to keep, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand show" -l output-budget -d 'Most tokens that the answer may cost, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand show" -l output-format -d 'The encoding: toon or json' -r
complete -c pm -n "__fish_pm_using_subcommand show" -l output-session -d 'The state of a session as the last answer gave it' -r
complete -c pm -n "__fish_pm_using_subcommand show" -l output-cursor -d 'Continue where a cut answer ended' -r
complete -c pm -n "__fish_pm_using_subcommand show" -l author -d 'Who makes this change' -r
complete -c pm -n "__fish_pm_using_subcommand show" -l session -d 'Whose claims these are, when several sessions share one author' -r
complete -c pm -n "__fish_pm_using_subcommand show" -l pm-path -d 'The tracker\'s own folder, instead of the nearest .agents/pm' -r
complete -c pm -n "__fish_pm_using_subcommand show" -l path -d 'Older name of --pm-path' -r
complete -c pm -n "__fish_pm_using_subcommand show" -l format -d 'An encoding, or a view for people and other programs' -r -f -a "toon\t''
json\t''
table\t''
csv\t''
ndjson\t''
markdown\t''"
complete -c pm -n "__fish_pm_using_subcommand show" -l brief -d 'Show the fields only, collections counted'
complete -c pm -n "__fish_pm_using_subcommand show" -l full -d 'Show everything'
complete -c pm -n "__fish_pm_using_subcommand show" -l tree -d 'Show what lies below the item'
complete -c pm -n "__fish_pm_using_subcommand show" -l output-row-contract -d 'Add the machine-readable contract of the rows'
complete -c pm -n "__fish_pm_using_subcommand show" -l json -d 'Answer in JSON instead of TOON'
complete -c pm -n "__fish_pm_using_subcommand show" -l lean -d 'Leave nulls and empty containers out of JSON'
complete -c pm -n "__fish_pm_using_subcommand show" -l quiet -d 'Print nothing on standard output; the exit code tells'
complete -c pm -n "__fish_pm_using_subcommand show" -l full-envelope -d 'Repeat the question in the answer: filters, projection, sorting, time'
complete -c pm -n "__fish_pm_using_subcommand show" -l token-accounting -d 'Add what each section of the answer costs in tokens'
complete -c pm -n "__fish_pm_using_subcommand show" -l id-only -d 'After a change print only id and status'
complete -c pm -n "__fish_pm_using_subcommand show" -l full-changed-fields -d 'After a change print the whole item and the list of changed fields'
complete -c pm -n "__fish_pm_using_subcommand show" -l no-changed-fields -d 'After a change print the count of changed fields, never their names'
complete -c pm -n "__fish_pm_using_subcommand show" -l no-extensions -d 'Accepted for compatibility; there are no extensions to load'
complete -c pm -n "__fish_pm_using_subcommand show" -l no-pager -d 'Do not page help'
complete -c pm -n "__fish_pm_using_subcommand show" -l explain -d 'Give reasons and more examples, in help and in errors'
complete -c pm -n "__fish_pm_using_subcommand show" -l profile -d 'Print timings on standard error'
complete -c pm -n "__fish_pm_using_subcommand view" -l depth -d 'How much to show: brief, standard, deep or full' -r
complete -c pm -n "__fish_pm_using_subcommand view" -l fields -d 'Show these fields and sections, joined by commas' -r
complete -c pm -n "__fish_pm_using_subcommand view" -l tree-depth -d 'How many levels of the tree to show' -r
complete -c pm -n "__fish_pm_using_subcommand view" -l at -d 'Show the item as it was: a version from 1 on, or a time' -r
complete -c pm -n "__fish_pm_using_subcommand view" -l for -d 'Show what a purpose needs: `inspect`' -r
complete -c pm -n "__fish_pm_using_subcommand view" -l token-budget -d 'The most tokens that the answer to `--for` may cost' -r
complete -c pm -n "__fish_pm_using_subcommand view" -l output-include -d 'Fields, sections or a named projection to keep' -r
complete -c pm -n "__fish_pm_using_subcommand view" -l output-limit -d 'Rows of each collection to keep, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand view" -l output-budget -d 'Most tokens that the answer may cost, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand view" -l output-format -d 'The encoding: toon or json' -r
complete -c pm -n "__fish_pm_using_subcommand view" -l output-session -d 'The state of a session as the last answer gave it' -r
complete -c pm -n "__fish_pm_using_subcommand view" -l output-cursor -d 'Continue where a cut answer ended' -r
complete -c pm -n "__fish_pm_using_subcommand view" -l author -d 'Who makes this change' -r
complete -c pm -n "__fish_pm_using_subcommand view" -l session -d 'Whose claims these are, when several sessions share one author' -r
complete -c pm -n "__fish_pm_using_subcommand view" -l pm-path -d 'The tracker\'s own folder, instead of the nearest .agents/pm' -r
complete -c pm -n "__fish_pm_using_subcommand view" -l path -d 'Older name of --pm-path' -r
complete -c pm -n "__fish_pm_using_subcommand view" -l format -d 'An encoding, or a view for people and other programs' -r -f -a "toon\t''
json\t''
table\t''
csv\t''
ndjson\t''
markdown\t''"
complete -c pm -n "__fish_pm_using_subcommand view" -l brief -d 'Show the fields only, collections counted'
complete -c pm -n "__fish_pm_using_subcommand view" -l full -d 'Show everything'
complete -c pm -n "__fish_pm_using_subcommand view" -l tree -d 'Show what lies below the item'
complete -c pm -n "__fish_pm_using_subcommand view" -l output-row-contract -d 'Add the machine-readable contract of the rows'
complete -c pm -n "__fish_pm_using_subcommand view" -l json -d 'Answer in JSON instead of TOON'
complete -c pm -n "__fish_pm_using_subcommand view" -l lean -d 'Leave nulls and empty containers out of JSON'
complete -c pm -n "__fish_pm_using_subcommand view" -l quiet -d 'Print nothing on standard output; the exit code tells'
complete -c pm -n "__fish_pm_using_subcommand view" -l full-envelope -d 'Repeat the question in the answer: filters, projection, sorting, time'
complete -c pm -n "__fish_pm_using_subcommand view" -l token-accounting -d 'Add what each section of the answer costs in tokens'
complete -c pm -n "__fish_pm_using_subcommand view" -l id-only -d 'After a change print only id and status'
complete -c pm -n "__fish_pm_using_subcommand view" -l full-changed-fields -d 'After a change print the whole item and the list of changed fields'
complete -c pm -n "__fish_pm_using_subcommand view" -l no-changed-fields -d 'After a change print the count of changed fields, never their names'
complete -c pm -n "__fish_pm_using_subcommand view" -l no-extensions -d 'Accepted for compatibility; there are no extensions to load'
complete -c pm -n "__fish_pm_using_subcommand view" -l no-pager -d 'Do not page help'
complete -c pm -n "__fish_pm_using_subcommand view" -l explain -d 'Give reasons and more examples, in help and in errors'
complete -c pm -n "__fish_pm_using_subcommand view" -l profile -d 'Print timings on standard error'
complete -c pm -n "__fish_pm_using_subcommand list" -l status -d 'Keep items in these statuses: status ids, `all`, or `blocked`, which includes what waits for others' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l type -d 'Keep items of these types' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l tag -d 'Keep items with any of these tags' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l tag-all -d 'Keep items with all of these tags' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l priority -d 'Keep items of these priorities, 0 (critical) to 4 (minimal)' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l assignee -d 'Keep items of these assignees' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l assignee-filter -d 'Keep items that are `assigned` or `unassigned`' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l parent -d 'Keep the direct children of this item' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l sprint -d 'Keep items of these sprints' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l release -d 'Keep items of these releases' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l ids -d 'Keep these items; unknown ids are left out' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l deadline-before -d 'Keep items due at or before this time' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l deadline-after -d 'Keep items due at or after this time' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l updated-after -d 'Keep items changed at or after this time (`-2h`, `-7d`, `2026-01-31`)' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l updated-before -d 'Keep items changed at or before this time' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l created-after -d 'Keep items created at or after this time' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l created-before -d 'Keep items created at or before this time' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l sort -d 'Order by priority, deadline, updated_at, created_at, title or parent' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l order -d '`asc` or `desc`; dates run from new to old unless told otherwise' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l tree-depth -d 'How many levels of the tree to show below its roots' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l limit -d 'Show at most so many items' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l offset -d 'Pass over the first so many items' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l after -d 'Continue after a page, with its `next_cursor`' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l fields -d 'Show these fields, joined by commas' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l for -d 'Show what a purpose needs: `triage`' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l token-budget -d 'The most tokens that the answer to `--for` may cost' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l output-include -d 'Fields, sections or a named projection to keep' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l output-limit -d 'Rows of each collection to keep, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l output-budget -d 'Most tokens that the answer may cost, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l output-format -d 'The encoding: toon or json' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l output-session -d 'The state of a session as the last answer gave it' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l output-cursor -d 'Continue where a cut answer ended' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l author -d 'Who makes this change' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l session -d 'Whose claims these are, when several sessions share one author' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l pm-path -d 'The tracker\'s own folder, instead of the nearest .agents/pm' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l path -d 'Older name of --pm-path' -r
complete -c pm -n "__fish_pm_using_subcommand list" -l format -d 'An encoding, or a view for people and other programs' -r -f -a "toon\t''
json\t''
table\t''
csv\t''
ndjson\t''
markdown\t''"
complete -c pm -n "__fish_pm_using_subcommand list" -l all -d 'Show items in every status'
complete -c pm -n "__fish_pm_using_subcommand list" -l today -d 'Keep items changed since local midnight'
complete -c pm -n "__fish_pm_using_subcommand list" -l recent -d 'Keep items changed in the last 7 days'
complete -c pm -n "__fish_pm_using_subcommand list" -l has-notes -d 'Keep items with notes'
complete -c pm -n "__fish_pm_using_subcommand list" -l no-notes -d 'Keep items without notes'
complete -c pm -n "__fish_pm_using_subcommand list" -l has-learnings -d 'Keep items with learnings'
complete -c pm -n "__fish_pm_using_subcommand list" -l no-learnings -d 'Keep items without learnings'
complete -c pm -n "__fish_pm_using_subcommand list" -l has-files -d 'Keep items with linked files'
complete -c pm -n "__fish_pm_using_subcommand list" -l no-files -d 'Keep items without linked files'
complete -c pm -n "__fish_pm_using_subcommand list" -l has-docs -d 'Keep items with linked documents'
complete -c pm -n "__fish_pm_using_subcommand list" -l no-docs -d 'Keep items without linked documents'
complete -c pm -n "__fish_pm_using_subcommand list" -l has-tests -d 'Keep items with linked tests'
complete -c pm -n "__fish_pm_using_subcommand list" -l no-tests -d 'Keep items without linked tests'
complete -c pm -n "__fish_pm_using_subcommand list" -l has-comments -d 'Keep items with comments'
complete -c pm -n "__fish_pm_using_subcommand list" -l no-comments -d 'Keep items without comments'
complete -c pm -n "__fish_pm_using_subcommand list" -l has-deps -d 'Keep items with dependencies'
complete -c pm -n "__fish_pm_using_subcommand list" -l no-deps -d 'Keep items without dependencies'
complete -c pm -n "__fish_pm_using_subcommand list" -l has-body -d 'Keep items with a body that is not blank'
complete -c pm -n "__fish_pm_using_subcommand list" -l empty-body -d 'Keep items without body that is not blank'
complete -c pm -n "__fish_pm_using_subcommand list" -l has-linked-command -d 'Keep items with a linked test that can be run'
complete -c pm -n "__fish_pm_using_subcommand list" -l no-linked-command -d 'Keep items without linked test that can be run'
complete -c pm -n "__fish_pm_using_subcommand list" -l filter-ac-missing -d 'Keep items without acceptance criteria'
complete -c pm -n "__fish_pm_using_subcommand list" -l filter-estimates-missing -d 'Keep items without an estimate'
complete -c pm -n "__fish_pm_using_subcommand list" -l filter-resolution-missing -d 'Keep finished items without a resolution'
complete -c pm -n "__fish_pm_using_subcommand list" -l filter-metadata-missing -d 'Keep items that miss criteria, estimate or resolution'
complete -c pm -n "__fish_pm_using_subcommand list" -l filter-reviewer-missing -d 'Keep items without a reviewer'
complete -c pm -n "__fish_pm_using_subcommand list" -l filter-risk-missing -d 'Keep items without a risk'
complete -c pm -n "__fish_pm_using_subcommand list" -l filter-confidence-missing -d 'Keep items without a confidence'
complete -c pm -n "__fish_pm_using_subcommand list" -l filter-sprint-missing -d 'Keep items without a sprint'
complete -c pm -n "__fish_pm_using_subcommand list" -l filter-release-missing -d 'Keep items without a release'
complete -c pm -n "__fish_pm_using_subcommand list" -l tree -d 'Show children below their parents'
complete -c pm -n "__fish_pm_using_subcommand list" -l no-truncate -d 'Show every item, whatever it costs'
complete -c pm -n "__fish_pm_using_subcommand list" -l brief -d 'Show id, status, type and title'
complete -c pm -n "__fish_pm_using_subcommand list" -l compact -d 'Show what one needs to choose'
complete -c pm -n "__fish_pm_using_subcommand list" -l full -d 'Show all fields'
complete -c pm -n "__fish_pm_using_subcommand list" -l include-body -d 'Add the body to each item'
complete -c pm -n "__fish_pm_using_subcommand list" -l strict-read -d 'Fail when an item file cannot be read'
complete -c pm -n "__fish_pm_using_subcommand list" -l stream -d 'With --json: one line for each item'
complete -c pm -n "__fish_pm_using_subcommand list" -l output-row-contract -d 'Add the machine-readable contract of the rows'
complete -c pm -n "__fish_pm_using_subcommand list" -l json -d 'Answer in JSON instead of TOON'
complete -c pm -n "__fish_pm_using_subcommand list" -l lean -d 'Leave nulls and empty containers out of JSON'
complete -c pm -n "__fish_pm_using_subcommand list" -l quiet -d 'Print nothing on standard output; the exit code tells'
complete -c pm -n "__fish_pm_using_subcommand list" -l full-envelope -d 'Repeat the question in the answer: filters, projection, sorting, time'
complete -c pm -n "__fish_pm_using_subcommand list" -l token-accounting -d 'Add what each section of the answer costs in tokens'
complete -c pm -n "__fish_pm_using_subcommand list" -l id-only -d 'After a change print only id and status'
complete -c pm -n "__fish_pm_using_subcommand list" -l full-changed-fields -d 'After a change print the whole item and the list of changed fields'
complete -c pm -n "__fish_pm_using_subcommand list" -l no-changed-fields -d 'After a change print the count of changed fields, never their names'
complete -c pm -n "__fish_pm_using_subcommand list" -l no-extensions -d 'Accepted for compatibility; there are no extensions to load'
complete -c pm -n "__fish_pm_using_subcommand list" -l no-pager -d 'Do not page help'
complete -c pm -n "__fish_pm_using_subcommand list" -l explain -d 'Give reasons and more examples, in help and in errors'
complete -c pm -n "__fish_pm_using_subcommand list" -l profile -d 'Print timings on standard error'
complete -c pm -n "__fish_pm_using_subcommand version" -l output-include -d 'Fields, sections or a named projection to keep' -r
complete -c pm -n "__fish_pm_using_subcommand version" -l output-limit -d 'Rows of each collection to keep, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand version" -l output-budget -d 'Most tokens that the answer may cost, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand version" -l output-format -d 'The encoding: toon or json' -r
complete -c pm -n "__fish_pm_using_subcommand version" -l output-session -d 'The state of a session as the last answer gave it' -r
complete -c pm -n "__fish_pm_using_subcommand version" -l output-cursor -d 'Continue where a cut answer ended' -r
complete -c pm -n "__fish_pm_using_subcommand version" -l author -d 'Who makes this change' -r
complete -c pm -n "__fish_pm_using_subcommand version" -l session -d 'Whose claims these are, when several sessions share one author' -r
complete -c pm -n "__fish_pm_using_subcommand version" -l pm-path -d 'The tracker\'s own folder, instead of the nearest .agents/pm' -r
complete -c pm -n "__fish_pm_using_subcommand version" -l path -d 'Older name of --pm-path' -r
complete -c pm -n "__fish_pm_using_subcommand version" -l format -d 'An encoding, or a view for people and other programs' -r -f -a "toon\t''
json\t''
table\t''
csv\t''
ndjson\t''
markdown\t''"
complete -c pm -n "__fish_pm_using_subcommand version" -l output-row-contract -d 'Add the machine-readable contract of the rows'
complete -c pm -n "__fish_pm_using_subcommand version" -l json -d 'Answer in JSON instead of TOON'
complete -c pm -n "__fish_pm_using_subcommand version" -l lean -d 'Leave nulls and empty containers out of JSON'
complete -c pm -n "__fish_pm_using_subcommand version" -l quiet -d 'Print nothing on standard output; the exit code tells'
complete -c pm -n "__fish_pm_using_subcommand version" -l full-envelope -d 'Repeat the question in the answer: filters, projection, sorting, time'
complete -c pm -n "__fish_pm_using_subcommand version" -l token-accounting -d 'Add what each section of the answer costs in tokens'
complete -c pm -n "__fish_pm_using_subcommand version" -l id-only -d 'After a change print only id and status'
complete -c pm -n "__fish_pm_using_subcommand version" -l full-changed-fields -d 'After a change print the whole item and the list of changed fields'
complete -c pm -n "__fish_pm_using_subcommand version" -l no-changed-fields -d 'After a change print the count of changed fields, never their names'
complete -c pm -n "__fish_pm_using_subcommand version" -l no-extensions -d 'Accepted for compatibility; there are no extensions to load'
complete -c pm -n "__fish_pm_using_subcommand version" -l no-pager -d 'Do not page help'
complete -c pm -n "__fish_pm_using_subcommand version" -l explain -d 'Give reasons and more examples, in help and in errors'
complete -c pm -n "__fish_pm_using_subcommand version" -l profile -d 'Print timings on standard error'
complete -c pm -n "__fish_pm_using_subcommand graph; and not __fish_seen_subcommand_from ancestors descendants predecessors successors paths impact dominators analyze audit communities redundancy slack centrality articulation plan help" -s h -l help -d 'Print help'
complete -c pm -n "__fish_pm_using_subcommand graph; and not __fish_seen_subcommand_from ancestors descendants predecessors successors paths impact dominators analyze audit communities redundancy slack centrality articulation plan help" -f -a "ancestors" -d 'Show what contains an item, nearest first'
complete -c pm -n "__fish_pm_using_subcommand graph; and not __fish_seen_subcommand_from ancestors descendants predecessors successors paths impact dominators analyze audit communities redundancy slack centrality articulation plan help" -f -a "descendants" -d 'Show what an item contains, nearest first'
complete -c pm -n "__fish_pm_using_subcommand graph; and not __fish_seen_subcommand_from ancestors descendants predecessors successors paths impact dominators analyze audit communities redundancy slack centrality articulation plan help" -f -a "predecessors" -d 'Show what must be done before an item'
complete -c pm -n "__fish_pm_using_subcommand graph; and not __fish_seen_subcommand_from ancestors descendants predecessors successors paths impact dominators analyze audit communities redundancy slack centrality articulation plan help" -f -a "successors" -d 'Show what can only be done after an item'
complete -c pm -n "__fish_pm_using_subcommand graph; and not __fish_seen_subcommand_from ancestors descendants predecessors successors paths impact dominators analyze audit communities redundancy slack centrality articulation plan help" -f -a "paths" -d 'Show the shortest ways from one item to another'
complete -c pm -n "__fish_pm_using_subcommand graph; and not __fish_seen_subcommand_from ancestors descendants predecessors successors paths impact dominators analyze audit communities redundancy slack centrality articulation plan help" -f -a "impact" -d 'Show what an item touches, nearest first, each with the way to it'
complete -c pm -n "__fish_pm_using_subcommand graph; and not __fish_seen_subcommand_from ancestors descendants predecessors successors paths impact dominators analyze audit communities redundancy slack centrality articulation plan help" -f -a "dominators" -d 'Show the items that others can only be reached through'
complete -c pm -n "__fish_pm_using_subcommand graph; and not __fish_seen_subcommand_from ancestors descendants predecessors successors paths impact dominators analyze audit communities redundancy slack centrality articulation plan help" -f -a "analyze" -d 'Show the shape of the graph: layers, critical path, components, hierarchy'
complete -c pm -n "__fish_pm_using_subcommand graph; and not __fish_seen_subcommand_from ancestors descendants predecessors successors paths impact dominators analyze audit communities redundancy slack centrality articulation plan help" -f -a "audit" -d 'Check the links: missing items, cycles, contradictions, items without links'
complete -c pm -n "__fish_pm_using_subcommand graph; and not __fish_seen_subcommand_from ancestors descendants predecessors successors paths impact dominators analyze audit communities redundancy slack centrality articulation plan help" -f -a "communities" -d 'Show groups of items that hang together'
complete -c pm -n "__fish_pm_using_subcommand graph; and not __fish_seen_subcommand_from ancestors descendants predecessors successors paths impact dominators analyze audit communities redundancy slack centrality articulation plan help" -f -a "redundancy" -d 'Show links that other links imply'
complete -c pm -n "__fish_pm_using_subcommand graph; and not __fish_seen_subcommand_from ancestors descendants predecessors successors paths impact dominators analyze audit communities redundancy slack centrality articulation plan help" -f -a "slack" -d 'Show the critical path and how much each item may slip'
complete -c pm -n "__fish_pm_using_subcommand graph; and not __fish_seen_subcommand_from ancestors descendants predecessors successors paths impact dominators analyze audit communities redundancy slack centrality articulation plan help" -f -a "centrality" -d 'Show the items that lie between the others'
complete -c pm -n "__fish_pm_using_subcommand graph; and not __fish_seen_subcommand_from ancestors descendants predecessors successors paths impact dominators analyze audit communities redundancy slack centrality articulation plan help" -f -a "articulation" -d 'Show the items and links whose loss would split the graph'
complete -c pm -n "__fish_pm_using_subcommand graph; and not __fish_seen_subcommand_from ancestors descendants predecessors successors paths impact dominators analyze audit communities redundancy slack centrality articulation plan help" -f -a "plan" -d 'Plan the steps that would put the links in order; changes nothing'
complete -c pm -n "__fish_pm_using_subcommand graph; and not __fish_seen_subcommand_from ancestors descendants predecessors successors paths impact dominators analyze audit communities redundancy slack centrality articulation plan help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l kind -d 'Follow links of these kinds only' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l max-depth -d 'Go at most so many links far' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l limit -d 'Show at most so many rows' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l after -d 'Continue after a page, with its `next_cursor`' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l output-include -d 'Fields, sections or a named projection to keep' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l output-limit -d 'Rows of each collection to keep, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l output-budget -d 'Most tokens that the answer may cost, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l output-format -d 'The encoding: toon or json' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l output-session -d 'The state of a session as the last answer gave it' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l output-cursor -d 'Continue where a cut answer ended' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l author -d 'Who makes this change' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l session -d 'Whose claims these are, when several sessions share one author' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l pm-path -d 'The tracker\'s own folder, instead of the nearest .agents/pm' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l path -d 'Older name of --pm-path' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l format -d 'An encoding, or a view for people and other programs' -r -f -a "toon\t''
json\t''
table\t''
csv\t''
ndjson\t''
markdown\t''"
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l include-closed -d 'Count closed and canceled items in'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l summary -d 'Show the counts, not the rows'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l full -d 'Show all there is'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l output-row-contract -d 'Add the machine-readable contract of the rows'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l json -d 'Answer in JSON instead of TOON'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l lean -d 'Leave nulls and empty containers out of JSON'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l quiet -d 'Print nothing on standard output; the exit code tells'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l full-envelope -d 'Repeat the question in the answer: filters, projection, sorting, time'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l token-accounting -d 'Add what each section of the answer costs in tokens'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l id-only -d 'After a change print only id and status'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l full-changed-fields -d 'After a change print the whole item and the list of changed fields'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l no-changed-fields -d 'After a change print the count of changed fields, never their names'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l no-extensions -d 'Accepted for compatibility; there are no extensions to load'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l no-pager -d 'Do not page help'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l explain -d 'Give reasons and more examples, in help and in errors'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from ancestors" -l profile -d 'Print timings on standard error'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l kind -d 'Follow links of these kinds only' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l max-depth -d 'Go at most so many links far' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l limit -d 'Show at most so many rows' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l after -d 'Continue after a page, with its `next_cursor`' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l output-include -d 'Fields, sections or a named projection to keep' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l output-limit -d 'Rows of each collection to keep, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l output-budget -d 'Most tokens that the answer may cost, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l output-format -d 'The encoding: toon or json' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l output-session -d 'The state of a session as the last answer gave it' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l output-cursor -d 'Continue where a cut answer ended' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l author -d 'Who makes this change' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l session -d 'Whose claims these are, when several sessions share one author' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l pm-path -d 'The tracker\'s own folder, instead of the nearest .agents/pm' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l path -d 'Older name of --pm-path' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l format -d 'An encoding, or a view for people and other programs' -r -f -a "toon\t''
json\t''
table\t''
csv\t''
ndjson\t''
markdown\t''"
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l include-closed -d 'Count closed and canceled items in'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l summary -d 'Show the counts, not the rows'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l full -d 'Show all there is'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l output-row-contract -d 'Add the machine-readable contract of the rows'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l json -d 'Answer in JSON instead of TOON'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l lean -d 'Leave nulls and empty containers out of JSON'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l quiet -d 'Print nothing on standard output; the exit code tells'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l full-envelope -d 'Repeat the question in the answer: filters, projection, sorting, time'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l token-accounting -d 'Add what each section of the answer costs in tokens'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l id-only -d 'After a change print only id and status'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l full-changed-fields -d 'After a change print the whole item and the list of changed fields'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l no-changed-fields -d 'After a change print the count of changed fields, never their names'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l no-extensions -d 'Accepted for compatibility; there are no extensions to load'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l no-pager -d 'Do not page help'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l explain -d 'Give reasons and more examples, in help and in errors'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from descendants" -l profile -d 'Print timings on standard error'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l kind -d 'Follow links of these kinds only' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l max-depth -d 'Go at most so many links far' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l limit -d 'Show at most so many rows' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l after -d 'Continue after a page, with its `next_cursor`' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l output-include -d 'Fields, sections or a named projection to keep' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l output-limit -d 'Rows of each collection to keep, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l output-budget -d 'Most tokens that the answer may cost, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l output-format -d 'The encoding: toon or json' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l output-session -d 'The state of a session as the last answer gave it' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l output-cursor -d 'Continue where a cut answer ended' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l author -d 'Who makes this change' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l session -d 'Whose claims these are, when several sessions share one author' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l pm-path -d 'The tracker\'s own folder, instead of the nearest .agents/pm' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l path -d 'Older name of --pm-path' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l format -d 'An encoding, or a view for people and other programs' -r -f -a "toon\t''
json\t''
table\t''
csv\t''
ndjson\t''
markdown\t''"
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l include-closed -d 'Count closed and canceled items in'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l summary -d 'Show the counts, not the rows'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l full -d 'Show all there is'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l output-row-contract -d 'Add the machine-readable contract of the rows'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l json -d 'Answer in JSON instead of TOON'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l lean -d 'Leave nulls and empty containers out of JSON'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l quiet -d 'Print nothing on standard output; the exit code tells'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l full-envelope -d 'Repeat the question in the answer: filters, projection, sorting, time'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l token-accounting -d 'Add what each section of the answer costs in tokens'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l id-only -d 'After a change print only id and status'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l full-changed-fields -d 'After a change print the whole item and the list of changed fields'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l no-changed-fields -d 'After a change print the count of changed fields, never their names'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l no-extensions -d 'Accepted for compatibility; there are no extensions to load'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l no-pager -d 'Do not page help'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l explain -d 'Give reasons and more examples, in help and in errors'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from predecessors" -l profile -d 'Print timings on standard error'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l kind -d 'Follow links of these kinds only' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l max-depth -d 'Go at most so many links far' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l limit -d 'Show at most so many rows' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l after -d 'Continue after a page, with its `next_cursor`' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l output-include -d 'Fields, sections or a named projection to keep' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l output-limit -d 'Rows of each collection to keep, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l output-budget -d 'Most tokens that the answer may cost, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l output-format -d 'The encoding: toon or json' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l output-session -d 'The state of a session as the last answer gave it' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l output-cursor -d 'Continue where a cut answer ended' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l author -d 'Who makes this change' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l session -d 'Whose claims these are, when several sessions share one author' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l pm-path -d 'The tracker\'s own folder, instead of the nearest .agents/pm' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l path -d 'Older name of --pm-path' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l format -d 'An encoding, or a view for people and other programs' -r -f -a "toon\t''
json\t''
table\t''
csv\t''
ndjson\t''
markdown\t''"
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l include-closed -d 'Count closed and canceled items in'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l summary -d 'Show the counts, not the rows'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l full -d 'Show all there is'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l output-row-contract -d 'Add the machine-readable contract of the rows'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l json -d 'Answer in JSON instead of TOON'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l lean -d 'Leave nulls and empty containers out of JSON'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l quiet -d 'Print nothing on standard output; the exit code tells'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l full-envelope -d 'Repeat the question in the answer: filters, projection, sorting, time'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l token-accounting -d 'Add what each section of the answer costs in tokens'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l id-only -d 'After a change print only id and status'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l full-changed-fields -d 'After a change print the whole item and the list of changed fields'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l no-changed-fields -d 'After a change print the count of changed fields, never their names'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l no-extensions -d 'Accepted for compatibility; there are no extensions to load'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l no-pager -d 'Do not page help'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l explain -d 'Give reasons and more examples, in help and in errors'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from successors" -l profile -d 'Print timings on standard error'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l max-paths -d 'Show at most so many paths' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l kind -d 'Follow links of these kinds only' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l direction -d 'Follow links `outgoing`, `incoming` or `both` ways' -r -f -a "outgoing\t'From an item to what it names'
incoming\t'From an item to what names it'
both\t'Either way'"
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l max-depth -d 'Go at most so many links far' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l limit -d 'Show at most so many rows' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l after -d 'Continue after a page, with its `next_cursor`' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l output-include -d 'Fields, sections or a named projection to keep' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l output-limit -d 'Rows of each collection to keep, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l output-budget -d 'Most tokens that the answer may cost, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l output-format -d 'The encoding: toon or json' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l output-session -d 'The state of a session as the last answer gave it' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l output-cursor -d 'Continue where a cut answer ended' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l author -d 'Who makes this change' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l session -d 'Whose claims these are, when several sessions share one author' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l pm-path -d 'The tracker\'s own folder, instead of the nearest .agents/pm' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l path -d 'Older name of --pm-path' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l format -d 'An encoding, or a view for people and other programs' -r -f -a "toon\t''
json\t''
table\t''
csv\t''
ndjson\t''
markdown\t''"
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l include-closed -d 'Count closed and canceled items in'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l summary -d 'Show the counts, not the rows'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l full -d 'Show all there is'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l output-row-contract -d 'Add the machine-readable contract of the rows'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l json -d 'Answer in JSON instead of TOON'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l lean -d 'Leave nulls and empty containers out of JSON'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l quiet -d 'Print nothing on standard output; the exit code tells'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l full-envelope -d 'Repeat the question in the answer: filters, projection, sorting, time'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l token-accounting -d 'Add what each section of the answer costs in tokens'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l id-only -d 'After a change print only id and status'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l full-changed-fields -d 'After a change print the whole item and the list of changed fields'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l no-changed-fields -d 'After a change print the count of changed fields, never their names'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l no-extensions -d 'Accepted for compatibility; there are no extensions to load'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l no-pager -d 'Do not page help'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l explain -d 'Give reasons and more examples, in help and in errors'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from paths" -l profile -d 'Print timings on standard error'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l kind -d 'Follow links of these kinds only' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l direction -d 'Follow links `outgoing`, `incoming` or `both` ways' -r -f -a "outgoing\t'From an item to what it names'
incoming\t'From an item to what names it'
both\t'Either way'"
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l max-depth -d 'Go at most so many links far' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l limit -d 'Show at most so many rows' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l after -d 'Continue after a page, with its `next_cursor`' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l output-include -d 'Fields, sections or a named projection to keep' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l output-limit -d 'Rows of each collection to keep, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l output-budget -d 'Most tokens that the answer may cost, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l output-format -d 'The encoding: toon or json' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l output-session -d 'The state of a session as the last answer gave it' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l output-cursor -d 'Continue where a cut answer ended' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l author -d 'Who makes this change' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l session -d 'Whose claims these are, when several sessions share one author' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l pm-path -d 'The tracker\'s own folder, instead of the nearest .agents/pm' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l path -d 'Older name of --pm-path' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l format -d 'An encoding, or a view for people and other programs' -r -f -a "toon\t''
json\t''
table\t''
csv\t''
ndjson\t''
markdown\t''"
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l include-closed -d 'Count closed and canceled items in'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l summary -d 'Show the counts, not the rows'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l full -d 'Show all there is'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l output-row-contract -d 'Add the machine-readable contract of the rows'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l json -d 'Answer in JSON instead of TOON'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l lean -d 'Leave nulls and empty containers out of JSON'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l quiet -d 'Print nothing on standard output; the exit code tells'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l full-envelope -d 'Repeat the question in the answer: filters, projection, sorting, time'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l token-accounting -d 'Add what each section of the answer costs in tokens'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l id-only -d 'After a change print only id and status'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l full-changed-fields -d 'After a change print the whole item and the list of changed fields'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l no-changed-fields -d 'After a change print the count of changed fields, never their names'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l no-extensions -d 'Accepted for compatibility; there are no extensions to load'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l no-pager -d 'Do not page help'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l explain -d 'Give reasons and more examples, in help and in errors'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from impact" -l profile -d 'Print timings on standard error'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l kind -d 'Follow links of these kinds only' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l direction -d 'Follow links `outgoing`, `incoming` or `both` ways' -r -f -a "outgoing\t'From an item to what it names'
incoming\t'From an item to what names it'
both\t'Either way'"
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l max-depth -d 'Go at most so many links far' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l limit -d 'Show at most so many rows' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l after -d 'Continue after a page, with its `next_cursor`' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l output-include -d 'Fields, sections or a named projection to keep' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l output-limit -d 'Rows of each collection to keep, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l output-budget -d 'Most tokens that the answer may cost, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l output-format -d 'The encoding: toon or json' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l output-session -d 'The state of a session as the last answer gave it' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l output-cursor -d 'Continue where a cut answer ended' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l author -d 'Who makes this change' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l session -d 'Whose claims these are, when several sessions share one author' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l pm-path -d 'The tracker\'s own folder, instead of the nearest .agents/pm' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l path -d 'Older name of --pm-path' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l format -d 'An encoding, or a view for people and other programs' -r -f -a "toon\t''
json\t''
table\t''
csv\t''
ndjson\t''
markdown\t''"
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l include-closed -d 'Count closed and canceled items in'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l summary -d 'Show the counts, not the rows'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l full -d 'Show all there is'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l output-row-contract -d 'Add the machine-readable contract of the rows'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l json -d 'Answer in JSON instead of TOON'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l lean -d 'Leave nulls and empty containers out of JSON'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l quiet -d 'Print nothing on standard output; the exit code tells'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l full-envelope -d 'Repeat the question in the answer: filters, projection, sorting, time'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l token-accounting -d 'Add what each section of the answer costs in tokens'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l id-only -d 'After a change print only id and status'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l full-changed-fields -d 'After a change print the whole item and the list of changed fields'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l no-changed-fields -d 'After a change print the count of changed fields, never their names'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l no-extensions -d 'Accepted for compatibility; there are no extensions to load'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l no-pager -d 'Do not page help'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l explain -d 'Give reasons and more examples, in help and in errors'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from dominators" -l profile -d 'Print timings on standard error'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from analyze" -l limit -d 'Show at most so many rows' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from analyze" -l after -d 'Continue after a page, with its `next_cursor`' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from analyze" -l output-include -d 'Fields, sections or a named projection to keep' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from analyze" -l output-limit -d 'Rows of each collection to keep, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from analyze" -l output-budget -d 'Most tokens that the answer may cost, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from analyze" -l output-format -d 'The encoding: toon or json' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from analyze" -l output-session -d 'The state of a session as the last answer gave it' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from analyze" -l output-cursor -d 'Continue where a cut answer ended' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from analyze" -l author -d 'Who makes this change' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from analyze" -l session -d 'Whose claims these are, when several sessions share one author' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from analyze" -l pm-path -d 'The tracker\'s own folder, instead of the nearest .agents/pm' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from analyze" -l path -d 'Older name of --pm-path' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from analyze" -l format -d 'An encoding, or a view for people and other programs' -r -f -a "toon\t''
json\t''
table\t''
csv\t''
ndjson\t''
markdown\t''"
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from analyze" -l include-closed -d 'Count closed and canceled items in'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from analyze" -l summary -d 'Show the counts, not the rows'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from analyze" -l full -d 'Show all there is'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from analyze" -l output-row-contract -d 'Add the machine-readable contract of the rows'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from analyze" -l json -d 'Answer in JSON instead of TOON'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from analyze" -l lean -d 'Leave nulls and empty containers out of JSON'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from analyze" -l quiet -d 'Print nothing on standard output; the exit code tells'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from analyze" -l full-envelope -d 'Repeat the question in the answer: filters, projection, sorting, time'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from analyze" -l token-accounting -d 'Add what each section of the answer costs in tokens'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from analyze" -l id-only -d 'After a change print only id and status'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from analyze" -l full-changed-fields -d 'After a change print the whole item and the list of changed fields'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from analyze" -l no-changed-fields -d 'After a change print the count of changed fields, never their names'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from analyze" -l no-extensions -d 'Accepted for compatibility; there are no extensions to load'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from analyze" -l no-pager -d 'Do not page help'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from analyze" -l explain -d 'Give reasons and more examples, in help and in errors'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from analyze" -l profile -d 'Print timings on standard error'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l sample -d 'Show at most so many items of each finding' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l exempt-isolate -d 'Items that may stand alone' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l exempt-isolate-type -d 'Types whose items may stand alone' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l limit -d 'Show at most so many rows' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l after -d 'Continue after a page, with its `next_cursor`' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l output-include -d 'Fields, sections or a named projection to keep' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l output-limit -d 'Rows of each collection to keep, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l output-budget -d 'Most tokens that the answer may cost, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l output-format -d 'The encoding: toon or json' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l output-session -d 'The state of a session as the last answer gave it' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l output-cursor -d 'Continue where a cut answer ended' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l author -d 'Who makes this change' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l session -d 'Whose claims these are, when several sessions share one author' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l pm-path -d 'The tracker\'s own folder, instead of the nearest .agents/pm' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l path -d 'Older name of --pm-path' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l format -d 'An encoding, or a view for people and other programs' -r -f -a "toon\t''
json\t''
table\t''
csv\t''
ndjson\t''
markdown\t''"
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l include-closed -d 'Count closed and canceled items in'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l summary -d 'Show the counts, not the rows'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l full -d 'Show all there is'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l output-row-contract -d 'Add the machine-readable contract of the rows'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l json -d 'Answer in JSON instead of TOON'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l lean -d 'Leave nulls and empty containers out of JSON'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l quiet -d 'Print nothing on standard output; the exit code tells'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l full-envelope -d 'Repeat the question in the answer: filters, projection, sorting, time'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l token-accounting -d 'Add what each section of the answer costs in tokens'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l id-only -d 'After a change print only id and status'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l full-changed-fields -d 'After a change print the whole item and the list of changed fields'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l no-changed-fields -d 'After a change print the count of changed fields, never their names'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l no-extensions -d 'Accepted for compatibility; there are no extensions to load'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l no-pager -d 'Do not page help'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l explain -d 'Give reasons and more examples, in help and in errors'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from audit" -l profile -d 'Print timings on standard error'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from communities" -l limit -d 'Show at most so many rows' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from communities" -l after -d 'Continue after a page, with its `next_cursor`' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from communities" -l output-include -d 'Fields, sections or a named projection to keep' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from communities" -l output-limit -d 'Rows of each collection to keep, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from communities" -l output-budget -d 'Most tokens that the answer may cost, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from communities" -l output-format -d 'The encoding: toon or json' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from communities" -l output-session -d 'The state of a session as the last answer gave it' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from communities" -l output-cursor -d 'Continue where a cut answer ended' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from communities" -l author -d 'Who makes this change' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from communities" -l session -d 'Whose claims these are, when several sessions share one author' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from communities" -l pm-path -d 'The tracker\'s own folder, instead of the nearest .agents/pm' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from communities" -l path -d 'Older name of --pm-path' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from communities" -l format -d 'An encoding, or a view for people and other programs' -r -f -a "toon\t''
json\t''
table\t''
csv\t''
ndjson\t''
markdown\t''"
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from communities" -l include-closed -d 'Count closed and canceled items in'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from communities" -l summary -d 'Show the counts, not the rows'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from communities" -l full -d 'Show all there is'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from communities" -l output-row-contract -d 'Add the machine-readable contract of the rows'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from communities" -l json -d 'Answer in JSON instead of TOON'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from communities" -l lean -d 'Leave nulls and empty containers out of JSON'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from communities" -l quiet -d 'Print nothing on standard output; the exit code tells'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from communities" -l full-envelope -d 'Repeat the question in the answer: filters, projection, sorting, time'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from communities" -l token-accounting -d 'Add what each section of the answer costs in tokens'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from communities" -l id-only -d 'After a change print only id and status'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from communities" -l full-changed-fields -d 'After a change print the whole item and the list of changed fields'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from communities" -l no-changed-fields -d 'After a change print the count of changed fields, never their names'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from communities" -l no-extensions -d 'Accepted for compatibility; there are no extensions to load'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from communities" -l no-pager -d 'Do not page help'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from communities" -l explain -d 'Give reasons and more examples, in help and in errors'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from communities" -l profile -d 'Print timings on standard error'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from redundancy" -l limit -d 'Show at most so many rows' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from redundancy" -l after -d 'Continue after a page, with its `next_cursor`' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from redundancy" -l output-include -d 'Fields, sections or a named projection to keep' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from redundancy" -l output-limit -d 'Rows of each collection to keep, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from redundancy" -l output-budget -d 'Most tokens that the answer may cost, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from redundancy" -l output-format -d 'The encoding: toon or json' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from redundancy" -l output-session -d 'The state of a session as the last answer gave it' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from redundancy" -l output-cursor -d 'Continue where a cut answer ended' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from redundancy" -l author -d 'Who makes this change' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from redundancy" -l session -d 'Whose claims these are, when several sessions share one author' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from redundancy" -l pm-path -d 'The tracker\'s own folder, instead of the nearest .agents/pm' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from redundancy" -l path -d 'Older name of --pm-path' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from redundancy" -l format -d 'An encoding, or a view for people and other programs' -r -f -a "toon\t''
json\t''
table\t''
csv\t''
ndjson\t''
markdown\t''"
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from redundancy" -l include-closed -d 'Count closed and canceled items in'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from redundancy" -l summary -d 'Show the counts, not the rows'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from redundancy" -l full -d 'Show all there is'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from redundancy" -l output-row-contract -d 'Add the machine-readable contract of the rows'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from redundancy" -l json -d 'Answer in JSON instead of TOON'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from redundancy" -l lean -d 'Leave nulls and empty containers out of JSON'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from redundancy" -l quiet -d 'Print nothing on standard output; the exit code tells'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from redundancy" -l full-envelope -d 'Repeat the question in the answer: filters, projection, sorting, time'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from redundancy" -l token-accounting -d 'Add what each section of the answer costs in tokens'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from redundancy" -l id-only -d 'After a change print only id and status'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from redundancy" -l full-changed-fields -d 'After a change print the whole item and the list of changed fields'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from redundancy" -l no-changed-fields -d 'After a change print the count of changed fields, never their names'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from redundancy" -l no-extensions -d 'Accepted for compatibility; there are no extensions to load'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from redundancy" -l no-pager -d 'Do not page help'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from redundancy" -l explain -d 'Give reasons and more examples, in help and in errors'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from redundancy" -l profile -d 'Print timings on standard error'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from slack" -l limit -d 'Show at most so many rows' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from slack" -l after -d 'Continue after a page, with its `next_cursor`' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from slack" -l output-include -d 'Fields, sections or a named projection to keep' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from slack" -l output-limit -d 'Rows of each collection to keep, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from slack" -l output-budget -d 'Most tokens that the answer may cost, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from slack" -l output-format -d 'The encoding: toon or json' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from slack" -l output-session -d 'The state of a session as the last answer gave it' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from slack" -l output-cursor -d 'Continue where a cut answer ended' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from slack" -l author -d 'Who makes this change' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from slack" -l session -d 'Whose claims these are, when several sessions share one author' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from slack" -l pm-path -d 'The tracker\'s own folder, instead of the nearest .agents/pm' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from slack" -l path -d 'Older name of --pm-path' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from slack" -l format -d 'An encoding, or a view for people and other programs' -r -f -a "toon\t''
json\t''
table\t''
csv\t''
ndjson\t''
markdown\t''"
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from slack" -l include-closed -d 'Count closed and canceled items in'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from slack" -l summary -d 'Show the counts, not the rows'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from slack" -l full -d 'Show all there is'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from slack" -l output-row-contract -d 'Add the machine-readable contract of the rows'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from slack" -l json -d 'Answer in JSON instead of TOON'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from slack" -l lean -d 'Leave nulls and empty containers out of JSON'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from slack" -l quiet -d 'Print nothing on standard output; the exit code tells'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from slack" -l full-envelope -d 'Repeat the question in the answer: filters, projection, sorting, time'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from slack" -l token-accounting -d 'Add what each section of the answer costs in tokens'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from slack" -l id-only -d 'After a change print only id and status'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from slack" -l full-changed-fields -d 'After a change print the whole item and the list of changed fields'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from slack" -l no-changed-fields -d 'After a change print the count of changed fields, never their names'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from slack" -l no-extensions -d 'Accepted for compatibility; there are no extensions to load'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from slack" -l no-pager -d 'Do not page help'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from slack" -l explain -d 'Give reasons and more examples, in help and in errors'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from slack" -l profile -d 'Print timings on standard error'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from centrality" -l limit -d 'Show at most so many rows' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from centrality" -l after -d 'Continue after a page, with its `next_cursor`' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from centrality" -l output-include -d 'Fields, sections or a named projection to keep' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from centrality" -l output-limit -d 'Rows of each collection to keep, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from centrality" -l output-budget -d 'Most tokens that the answer may cost, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from centrality" -l output-format -d 'The encoding: toon or json' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from centrality" -l output-session -d 'The state of a session as the last answer gave it' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from centrality" -l output-cursor -d 'Continue where a cut answer ended' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from centrality" -l author -d 'Who makes this change' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from centrality" -l session -d 'Whose claims these are, when several sessions share one author' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from centrality" -l pm-path -d 'The tracker\'s own folder, instead of the nearest .agents/pm' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from centrality" -l path -d 'Older name of --pm-path' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from centrality" -l format -d 'An encoding, or a view for people and other programs' -r -f -a "toon\t''
json\t''
table\t''
csv\t''
ndjson\t''
markdown\t''"
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from centrality" -l include-closed -d 'Count closed and canceled items in'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from centrality" -l summary -d 'Show the counts, not the rows'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from centrality" -l full -d 'Show all there is'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from centrality" -l output-row-contract -d 'Add the machine-readable contract of the rows'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from centrality" -l json -d 'Answer in JSON instead of TOON'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from centrality" -l lean -d 'Leave nulls and empty containers out of JSON'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from centrality" -l quiet -d 'Print nothing on standard output; the exit code tells'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from centrality" -l full-envelope -d 'Repeat the question in the answer: filters, projection, sorting, time'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from centrality" -l token-accounting -d 'Add what each section of the answer costs in tokens'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from centrality" -l id-only -d 'After a change print only id and status'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from centrality" -l full-changed-fields -d 'After a change print the whole item and the list of changed fields'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from centrality" -l no-changed-fields -d 'After a change print the count of changed fields, never their names'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from centrality" -l no-extensions -d 'Accepted for compatibility; there are no extensions to load'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from centrality" -l no-pager -d 'Do not page help'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from centrality" -l explain -d 'Give reasons and more examples, in help and in errors'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from centrality" -l profile -d 'Print timings on standard error'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from articulation" -l limit -d 'Show at most so many rows' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from articulation" -l after -d 'Continue after a page, with its `next_cursor`' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from articulation" -l output-include -d 'Fields, sections or a named projection to keep' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from articulation" -l output-limit -d 'Rows of each collection to keep, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from articulation" -l output-budget -d 'Most tokens that the answer may cost, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from articulation" -l output-format -d 'The encoding: toon or json' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from articulation" -l output-session -d 'The state of a session as the last answer gave it' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from articulation" -l output-cursor -d 'Continue where a cut answer ended' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from articulation" -l author -d 'Who makes this change' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from articulation" -l session -d 'Whose claims these are, when several sessions share one author' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from articulation" -l pm-path -d 'The tracker\'s own folder, instead of the nearest .agents/pm' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from articulation" -l path -d 'Older name of --pm-path' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from articulation" -l format -d 'An encoding, or a view for people and other programs' -r -f -a "toon\t''
json\t''
table\t''
csv\t''
ndjson\t''
markdown\t''"
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from articulation" -l include-closed -d 'Count closed and canceled items in'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from articulation" -l summary -d 'Show the counts, not the rows'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from articulation" -l full -d 'Show all there is'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from articulation" -l output-row-contract -d 'Add the machine-readable contract of the rows'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from articulation" -l json -d 'Answer in JSON instead of TOON'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from articulation" -l lean -d 'Leave nulls and empty containers out of JSON'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from articulation" -l quiet -d 'Print nothing on standard output; the exit code tells'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from articulation" -l full-envelope -d 'Repeat the question in the answer: filters, projection, sorting, time'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from articulation" -l token-accounting -d 'Add what each section of the answer costs in tokens'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from articulation" -l id-only -d 'After a change print only id and status'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from articulation" -l full-changed-fields -d 'After a change print the whole item and the list of changed fields'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from articulation" -l no-changed-fields -d 'After a change print the count of changed fields, never their names'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from articulation" -l no-extensions -d 'Accepted for compatibility; there are no extensions to load'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from articulation" -l no-pager -d 'Do not page help'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from articulation" -l explain -d 'Give reasons and more examples, in help and in errors'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from articulation" -l profile -d 'Print timings on standard error'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l exempt-isolate -d 'Items that may stand alone' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l exempt-isolate-type -d 'Types whose items may stand alone' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l limit -d 'Show at most so many rows' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l after -d 'Continue after a page, with its `next_cursor`' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l output-include -d 'Fields, sections or a named projection to keep' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l output-limit -d 'Rows of each collection to keep, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l output-budget -d 'Most tokens that the answer may cost, or unbounded' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l output-format -d 'The encoding: toon or json' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l output-session -d 'The state of a session as the last answer gave it' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l output-cursor -d 'Continue where a cut answer ended' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l author -d 'Who makes this change' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l session -d 'Whose claims these are, when several sessions share one author' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l pm-path -d 'The tracker\'s own folder, instead of the nearest .agents/pm' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l path -d 'Older name of --pm-path' -r
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l format -d 'An encoding, or a view for people and other programs' -r -f -a "toon\t''
json\t''
table\t''
csv\t''
ndjson\t''
markdown\t''"
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l include-closed -d 'Count closed and canceled items in'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l summary -d 'Show the counts, not the rows'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l full -d 'Show all there is'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l output-row-contract -d 'Add the machine-readable contract of the rows'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l json -d 'Answer in JSON instead of TOON'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l lean -d 'Leave nulls and empty containers out of JSON'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l quiet -d 'Print nothing on standard output; the exit code tells'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l full-envelope -d 'Repeat the question in the answer: filters, projection, sorting, time'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l token-accounting -d 'Add what each section of the answer costs in tokens'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l id-only -d 'After a change print only id and status'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l full-changed-fields -d 'After a change print the whole item and the list of changed fields'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l no-changed-fields -d 'After a change print the count of changed fields, never their names'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l no-extensions -d 'Accepted for compatibility; there are no extensions to load'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l no-pager -d 'Do not page help'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l explain -d 'Give reasons and more examples, in help and in errors'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from plan" -l profile -d 'Print timings on standard error'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from help" -f -a "ancestors" -d 'Show what contains an item, nearest first'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from help" -f -a "descendants" -d 'Show what an item contains, nearest first'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from help" -f -a "predecessors" -d 'Show what must be done before an item'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from help" -f -a "successors" -d 'Show what can only be done after an item'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from help" -f -a "paths" -d 'Show the shortest ways from one item to another'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from help" -f -a "impact" -d 'Show what an item touches, nearest first, each with the way to it'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from help" -f -a "dominators" -d 'Show the items that others can only be reached through'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from help" -f -a "analyze" -d 'Show the shape of the graph: layers, critical path, components, hierarchy'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from help" -f -a "audit" -d 'Check the links: missing items, cycles, contradictions, items without links'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from help" -f -a "communities" -d 'Show groups of items that hang together'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from help" -f -a "redundancy" -d 'Show links that other links imply'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from help" -f -a "slack" -d 'Show the critical path and how much each item may slip'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from help" -f -a "centrality" -d 'Show the items that lie between the others'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from help" -f -a "articulation" -d 'Show the items and links whose loss would split the graph'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from help" -f -a "plan" -d 'Plan the steps that would put the links in order; changes nothing'
complete -c pm -n "__fish_pm_using_subcommand graph; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pm -n "__fish_pm_using_subcommand help; and not __fish_seen_subcommand_from get list version graph help" -f -a "get" -d 'Show items'
complete -c pm -n "__fish_pm_using_subcommand help; and not __fish_seen_subcommand_from get list version graph help" -f -a "list" -d 'List items'
complete -c pm -n "__fish_pm_using_subcommand help; and not __fish_seen_subcommand_from get list version graph help" -f -a "version" -d 'Show the version of this program'
complete -c pm -n "__fish_pm_using_subcommand help; and not __fish_seen_subcommand_from get list version graph help" -f -a "graph"
complete -c pm -n "__fish_pm_using_subcommand help; and not __fish_seen_subcommand_from get list version graph help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pm -n "__fish_pm_using_subcommand help; and __fish_seen_subcommand_from graph" -f -a "ancestors" -d 'Show what contains an item, nearest first'
complete -c pm -n "__fish_pm_using_subcommand help; and __fish_seen_subcommand_from graph" -f -a "descendants" -d 'Show what an item contains, nearest first'
complete -c pm -n "__fish_pm_using_subcommand help; and __fish_seen_subcommand_from graph" -f -a "predecessors" -d 'Show what must be done before an item'
complete -c pm -n "__fish_pm_using_subcommand help; and __fish_seen_subcommand_from graph" -f -a "successors" -d 'Show what can only be done after an item'
complete -c pm -n "__fish_pm_using_subcommand help; and __fish_seen_subcommand_from graph" -f -a "paths" -d 'Show the shortest ways from one item to another'
complete -c pm -n "__fish_pm_using_subcommand help; and __fish_seen_subcommand_from graph" -f -a "impact" -d 'Show what an item touches, nearest first, each with the way to it'
complete -c pm -n "__fish_pm_using_subcommand help; and __fish_seen_subcommand_from graph" -f -a "dominators" -d 'Show the items that others can only be reached through'
complete -c pm -n "__fish_pm_using_subcommand help; and __fish_seen_subcommand_from graph" -f -a "analyze" -d 'Show the shape of the graph: layers, critical path, components, hierarchy'
complete -c pm -n "__fish_pm_using_subcommand help; and __fish_seen_subcommand_from graph" -f -a "audit" -d 'Check the links: missing items, cycles, contradictions, items without links'
complete -c pm -n "__fish_pm_using_subcommand help; and __fish_seen_subcommand_from graph" -f -a "communities" -d 'Show groups of items that hang together'
complete -c pm -n "__fish_pm_using_subcommand help; and __fish_seen_subcommand_from graph" -f -a "redundancy" -d 'Show links that other links imply'
complete -c pm -n "__fish_pm_using_subcommand help; and __fish_seen_subcommand_from graph" -f -a "slack" -d 'Show the critical path and how much each item may slip'
complete -c pm -n "__fish_pm_using_subcommand help; and __fish_seen_subcommand_from graph" -f -a "centrality" -d 'Show the items that lie between the others'
complete -c pm -n "__fish_pm_using_subcommand help; and __fish_seen_subcommand_from graph" -f -a "articulation" -d 'Show the items and links whose loss would split the graph'
complete -c pm -n "__fish_pm_using_subcommand help; and __fish_seen_subcommand_from graph" -f -a "plan" -d 'Plan the steps that would put the links in order; changes nothing'

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
complete -c pm -n "__fish_pm_needs_command" -f -a "version" -d 'Show the version of this program'
complete -c pm -n "__fish_pm_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
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
complete -c pm -n "__fish_pm_using_subcommand help; and not __fish_seen_subcommand_from version help" -f -a "version" -d 'Show the version of this program'
complete -c pm -n "__fish_pm_using_subcommand help; and not __fish_seen_subcommand_from version help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'

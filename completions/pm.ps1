
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'pm' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'pm'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'pm' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('version', 'version', [CompletionResultType]::ParameterValue, 'Show the version of this program')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pm;version' {
            [CompletionResult]::new('--output-include', '--output-include', [CompletionResultType]::ParameterName, 'Fields, sections or a named projection to keep')
            [CompletionResult]::new('--output-limit', '--output-limit', [CompletionResultType]::ParameterName, 'Rows of each collection to keep, or unbounded')
            [CompletionResult]::new('--output-budget', '--output-budget', [CompletionResultType]::ParameterName, 'Most tokens that the answer may cost, or unbounded')
            [CompletionResult]::new('--output-format', '--output-format', [CompletionResultType]::ParameterName, 'The encoding: toon or json')
            [CompletionResult]::new('--output-session', '--output-session', [CompletionResultType]::ParameterName, 'The state of a session as the last answer gave it')
            [CompletionResult]::new('--output-cursor', '--output-cursor', [CompletionResultType]::ParameterName, 'Continue where a cut answer ended')
            [CompletionResult]::new('--author', '--author', [CompletionResultType]::ParameterName, 'Who makes this change')
            [CompletionResult]::new('--session', '--session', [CompletionResultType]::ParameterName, 'Whose claims these are, when several sessions share one author')
            [CompletionResult]::new('--pm-path', '--pm-path', [CompletionResultType]::ParameterName, 'The tracker''s own folder, instead of the nearest .agents/pm')
            [CompletionResult]::new('--path', '--path', [CompletionResultType]::ParameterName, 'Older name of --pm-path')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'An encoding, or a view for people and other programs')
            [CompletionResult]::new('--output-row-contract', '--output-row-contract', [CompletionResultType]::ParameterName, 'Add the machine-readable contract of the rows')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Answer in JSON instead of TOON')
            [CompletionResult]::new('--lean', '--lean', [CompletionResultType]::ParameterName, 'Leave nulls and empty containers out of JSON')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print nothing on standard output; the exit code tells')
            [CompletionResult]::new('--full-envelope', '--full-envelope', [CompletionResultType]::ParameterName, 'Repeat the question in the answer: filters, projection, sorting, time')
            [CompletionResult]::new('--token-accounting', '--token-accounting', [CompletionResultType]::ParameterName, 'Add what each section of the answer costs in tokens')
            [CompletionResult]::new('--id-only', '--id-only', [CompletionResultType]::ParameterName, 'After a change print only id and status')
            [CompletionResult]::new('--full-changed-fields', '--full-changed-fields', [CompletionResultType]::ParameterName, 'After a change print the whole item and the list of changed fields')
            [CompletionResult]::new('--no-changed-fields', '--no-changed-fields', [CompletionResultType]::ParameterName, 'After a change print the count of changed fields, never their names')
            [CompletionResult]::new('--no-extensions', '--no-extensions', [CompletionResultType]::ParameterName, 'Accepted for compatibility; there are no extensions to load')
            [CompletionResult]::new('--no-pager', '--no-pager', [CompletionResultType]::ParameterName, 'Do not page help')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Give reasons and more examples, in help and in errors')
            [CompletionResult]::new('--profile', '--profile', [CompletionResultType]::ParameterName, 'Print timings on standard error')
            break
        }
        'pm;help' {
            [CompletionResult]::new('version', 'version', [CompletionResultType]::ParameterValue, 'Show the version of this program')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pm;help;version' {
            break
        }
        'pm;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}

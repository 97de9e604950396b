
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
            [CompletionResult]::new('get', 'get', [CompletionResultType]::ParameterValue, 'Show items')
            [CompletionResult]::new('fetch', 'fetch', [CompletionResultType]::ParameterValue, 'Show items')
            [CompletionResult]::new('read', 'read', [CompletionResultType]::ParameterValue, 'Show items')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show items')
            [CompletionResult]::new('view', 'view', [CompletionResultType]::ParameterValue, 'Show items')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List items')
            [CompletionResult]::new('version', 'version', [CompletionResultType]::ParameterValue, 'Show the version of this program')
            [CompletionResult]::new('graph', 'graph', [CompletionResultType]::ParameterValue, 'graph')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pm;get' {
            [CompletionResult]::new('--depth', '--depth', [CompletionResultType]::ParameterName, 'How much to show: brief, standard, deep or full')
            [CompletionResult]::new('--fields', '--fields', [CompletionResultType]::ParameterName, 'Show these fields and sections, joined by commas')
            [CompletionResult]::new('--tree-depth', '--tree-depth', [CompletionResultType]::ParameterName, 'How many levels of the tree to show')
            [CompletionResult]::new('--at', '--at', [CompletionResultType]::ParameterName, 'Show the item as it was: a version from 1 on, or a time')
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'Show what a purpose needs: `inspect`')
            [CompletionResult]::new('--token-budget', '--token-budget', [CompletionResultType]::ParameterName, 'The most tokens that the answer to `--for` may cost')
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
            [CompletionResult]::new('--brief', '--brief', [CompletionResultType]::ParameterName, 'Show the fields only, collections counted')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Show everything')
            [CompletionResult]::new('--tree', '--tree', [CompletionResultType]::ParameterName, 'Show what lies below the item')
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
        'pm;fetch' {
            [CompletionResult]::new('--depth', '--depth', [CompletionResultType]::ParameterName, 'How much to show: brief, standard, deep or full')
            [CompletionResult]::new('--fields', '--fields', [CompletionResultType]::ParameterName, 'Show these fields and sections, joined by commas')
            [CompletionResult]::new('--tree-depth', '--tree-depth', [CompletionResultType]::ParameterName, 'How many levels of the tree to show')
            [CompletionResult]::new('--at', '--at', [CompletionResultType]::ParameterName, 'Show the item as it was: a version from 1 on, or a time')
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'Show what a purpose needs: `inspect`')
            [CompletionResult]::new('--token-budget', '--token-budget', [CompletionResultType]::ParameterName, 'The most tokens that the answer to `--for` may cost')
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
            [CompletionResult]::new('--brief', '--brief', [CompletionResultType]::ParameterName, 'Show the fields only, collections counted')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Show everything')
            [CompletionResult]::new('--tree', '--tree', [CompletionResultType]::ParameterName, 'Show what lies below the item')
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
        'pm;read' {
            [CompletionResult]::new('--depth', '--depth', [CompletionResultType]::ParameterName, 'How much to show: brief, standard, deep or full')
            [CompletionResult]::new('--fields', '--fields', [CompletionResultType]::ParameterName, 'Show these fields and sections, joined by commas')
            [CompletionResult]::new('--tree-depth', '--tree-depth', [CompletionResultType]::ParameterName, 'How many levels of the tree to show')
            [CompletionResult]::new('--at', '--at', [CompletionResultType]::ParameterName, 'Show the item as it was: a version from 1 on, or a time')
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'Show what a purpose needs: `inspect`')
            [CompletionResult]::new('--token-budget', '--token-budget', [CompletionResultType]::ParameterName, 'The most tokens that the answer to `--for` may cost')
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
            [CompletionResult]::new('--brief', '--brief', [CompletionResultType]::ParameterName, 'Show the fields only, collections counted')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Show everything')
            [CompletionResult]::new('--tree', '--tree', [CompletionResultType]::ParameterName, 'Show what lies below the item')
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
        'pm;show' {
            [CompletionResult]::new('--depth', '--depth', [CompletionResultType]::ParameterName, 'How much to show: brief, standard, deep or full')
            [CompletionResult]::new('--fields', '--fields', [CompletionResultType]::ParameterName, 'Show these fields and sections, joined by commas')
            [CompletionResult]::new('--tree-depth', '--tree-depth', [CompletionResultType]::ParameterName, 'How many levels of the tree to show')
            [CompletionResult]::new('--at', '--at', [CompletionResultType]::ParameterName, 'Show the item as it was: a version from 1 on, or a time')
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'Show what a purpose needs: `inspect`')
            [CompletionResult]::new('--token-budget', '--token-budget', [CompletionResultType]::ParameterName, 'The most tokens that the answer to `--for` may cost')
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
            [CompletionResult]::new('--brief', '--brief', [CompletionResultType]::ParameterName, 'Show the fields only, collections counted')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Show everything')
            [CompletionResult]::new('--tree', '--tree', [CompletionResultType]::ParameterName, 'Show what lies below the item')
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
        'pm;view' {
            [CompletionResult]::new('--depth', '--depth', [CompletionResultType]::ParameterName, 'How much to show: brief, standard, deep or full')
            [CompletionResult]::new('--fields', '--fields', [CompletionResultType]::ParameterName, 'Show these fields and sections, joined by commas')
            [CompletionResult]::new('--tree-depth', '--tree-depth', [CompletionResultType]::ParameterName, 'How many levels of the tree to show')
            [CompletionResult]::new('--at', '--at', [CompletionResultType]::ParameterName, 'Show the item as it was: a version from 1 on, or a time')
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'Show what a purpose needs: `inspect`')
            [CompletionResult]::new('--token-budget', '--token-budget', [CompletionResultType]::ParameterName, 'The most tokens that the answer to `--for` may cost')
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
            [CompletionResult]::new('--brief', '--brief', [CompletionResultType]::ParameterName, 'Show the fields only, collections counted')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Show everything')
            [CompletionResult]::new('--tree', '--tree', [CompletionResultType]::ParameterName, 'Show what lies below the item')
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
        'pm;list' {
            [CompletionResult]::new('--status', '--status', [CompletionResultType]::ParameterName, 'Keep items in these statuses: status ids, `all`, or `blocked`, which includes what waits for others')
            [CompletionResult]::new('--type', '--type', [CompletionResultType]::ParameterName, 'Keep items of these types')
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'Keep items with any of these tags')
            [CompletionResult]::new('--tag-all', '--tag-all', [CompletionResultType]::ParameterName, 'Keep items with all of these tags')
            [CompletionResult]::new('--priority', '--priority', [CompletionResultType]::ParameterName, 'Keep items of these priorities, 0 (critical) to 4 (minimal)')
            [CompletionResult]::new('--assignee', '--assignee', [CompletionResultType]::ParameterName, 'Keep items of these assignees')
            [CompletionResult]::new('--assignee-filter', '--assignee-filter', [CompletionResultType]::ParameterName, 'Keep items that are `assigned` or `unassigned`')
            [CompletionResult]::new('--parent', '--parent', [CompletionResultType]::ParameterName, 'Keep the direct children of this item')
            [CompletionResult]::new('--sprint', '--sprint', [CompletionResultType]::ParameterName, 'Keep items of these sprints')
            [CompletionResult]::new('--release', '--release', [CompletionResultType]::ParameterName, 'Keep items of these releases')
            [CompletionResult]::new('--ids', '--ids', [CompletionResultType]::ParameterName, 'Keep these items; unknown ids are left out')
            [CompletionResult]::new('--deadline-before', '--deadline-before', [CompletionResultType]::ParameterName, 'Keep items due at or before this time')
            [CompletionResult]::new('--deadline-after', '--deadline-after', [CompletionResultType]::ParameterName, 'Keep items due at or after this time')
            [CompletionResult]::new('--updated-after', '--updated-after', [CompletionResultType]::ParameterName, 'Keep items changed at or after this time (`-2h`, `-7d`, `2026-01-31`)')
            [CompletionResult]::new('--updated-before', '--updated-before', [CompletionResultType]::ParameterName, 'Keep items changed at or before this time')
            [CompletionResult]::new('--created-after', '--created-after', [CompletionResultType]::ParameterName, 'Keep items created at or after this time')
            [CompletionResult]::new('--created-before', '--created-before', [CompletionResultType]::ParameterName, 'Keep items created at or before this time')
            [CompletionResult]::new('--sort', '--sort', [CompletionResultType]::ParameterName, 'Order by priority, deadline, updated_at, created_at, title or parent')
            [CompletionResult]::new('--order', '--order', [CompletionResultType]::ParameterName, '`asc` or `desc`; dates run from new to old unless told otherwise')
            [CompletionResult]::new('--tree-depth', '--tree-depth', [CompletionResultType]::ParameterName, 'How many levels of the tree to show below its roots')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most so many items')
            [CompletionResult]::new('--offset', '--offset', [CompletionResultType]::ParameterName, 'Pass over the first so many items')
            [CompletionResult]::new('--after', '--after', [CompletionResultType]::ParameterName, 'Continue after a page, with its `next_cursor`')
            [CompletionResult]::new('--fields', '--fields', [CompletionResultType]::ParameterName, 'Show these fields, joined by commas')
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'Show what a purpose needs: `triage`')
            [CompletionResult]::new('--token-budget', '--token-budget', [CompletionResultType]::ParameterName, 'The most tokens that the answer to `--for` may cost')
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
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Show items in every status')
            [CompletionResult]::new('--today', '--today', [CompletionResultType]::ParameterName, 'Keep items changed since local midnight')
            [CompletionResult]::new('--recent', '--recent', [CompletionResultType]::ParameterName, 'Keep items changed in the last 7 days')
            [CompletionResult]::new('--has-notes', '--has-notes', [CompletionResultType]::ParameterName, 'Keep items with notes')
            [CompletionResult]::new('--no-notes', '--no-notes', [CompletionResultType]::ParameterName, 'Keep items without notes')
            [CompletionResult]::new('--has-learnings', '--has-learnings', [CompletionResultType]::ParameterName, 'Keep items with learnings')
            [CompletionResult]::new('--no-learnings', '--no-learnings', [CompletionResultType]::ParameterName, 'Keep items without learnings')
            [CompletionResult]::new('--has-files', '--has-files', [CompletionResultType]::ParameterName, 'Keep items with linked files')
            [CompletionResult]::new('--no-files', '--no-files', [CompletionResultType]::ParameterName, 'Keep items without linked files')
            [CompletionResult]::new('--has-docs', '--has-docs', [CompletionResultType]::ParameterName, 'Keep items with linked documents')
            [CompletionResult]::new('--no-docs', '--no-docs', [CompletionResultType]::ParameterName, 'Keep items without linked documents')
            [CompletionResult]::new('--has-tests', '--has-tests', [CompletionResultType]::ParameterName, 'Keep items with linked tests')
            [CompletionResult]::new('--no-tests', '--no-tests', [CompletionResultType]::ParameterName, 'Keep items without linked tests')
            [CompletionResult]::new('--has-comments', '--has-comments', [CompletionResultType]::ParameterName, 'Keep items with comments')
            [CompletionResult]::new('--no-comments', '--no-comments', [CompletionResultType]::ParameterName, 'Keep items without comments')
            [CompletionResult]::new('--has-deps', '--has-deps', [CompletionResultType]::ParameterName, 'Keep items with dependencies')
            [CompletionResult]::new('--no-deps', '--no-deps', [CompletionResultType]::ParameterName, 'Keep items without dependencies')
            [CompletionResult]::new('--has-body', '--has-body', [CompletionResultType]::ParameterName, 'Keep items with a body that is not blank')
            [CompletionResult]::new('--empty-body', '--empty-body', [CompletionResultType]::ParameterName, 'Keep items without body that is not blank')
            [CompletionResult]::new('--has-linked-command', '--has-linked-command', [CompletionResultType]::ParameterName, 'Keep items with a linked test that can be run')
            [CompletionResult]::new('--no-linked-command', '--no-linked-command', [CompletionResultType]::ParameterName, 'Keep items without linked test that can be run')
            [CompletionResult]::new('--filter-ac-missing', '--filter-ac-missing', [CompletionResultType]::ParameterName, 'Keep items without acceptance criteria')
            [CompletionResult]::new('--filter-estimates-missing', '--filter-estimates-missing', [CompletionResultType]::ParameterName, 'Keep items without an estimate')
            [CompletionResult]::new('--filter-resolution-missing', '--filter-resolution-missing', [CompletionResultType]::ParameterName, 'Keep finished items without a resolution')
            [CompletionResult]::new('--filter-metadata-missing', '--filter-metadata-missing', [CompletionResultType]::ParameterName, 'Keep items that miss criteria, estimate or resolution')
            [CompletionResult]::new('--filter-reviewer-missing', '--filter-reviewer-missing', [CompletionResultType]::ParameterName, 'Keep items without a reviewer')
            [CompletionResult]::new('--filter-risk-missing', '--filter-risk-missing', [CompletionResultType]::ParameterName, 'Keep items without a risk')
            [CompletionResult]::new('--filter-confidence-missing', '--filter-confidence-missing', [CompletionResultType]::ParameterName, 'Keep items without a confidence')
            [CompletionResult]::new('--filter-sprint-missing', '--filter-sprint-missing', [CompletionResultType]::ParameterName, 'Keep items without a sprint')
            [CompletionResult]::new('--filter-release-missing', '--filter-release-missing', [CompletionResultType]::ParameterName, 'Keep items without a release')
            [CompletionResult]::new('--tree', '--tree', [CompletionResultType]::ParameterName, 'Show children below their parents')
            [CompletionResult]::new('--no-truncate', '--no-truncate', [CompletionResultType]::ParameterName, 'Show every item, whatever it costs')
            [CompletionResult]::new('--brief', '--brief', [CompletionResultType]::ParameterName, 'Show id, status, type and title')
            [CompletionResult]::new('--compact', '--compact', [CompletionResultType]::ParameterName, 'Show what one needs to choose')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Show all fields')
            [CompletionResult]::new('--include-body', '--include-body', [CompletionResultType]::ParameterName, 'Add the body to each item')
            [CompletionResult]::new('--strict-read', '--strict-read', [CompletionResultType]::ParameterName, 'Fail when an item file cannot be read')
            [CompletionResult]::new('--stream', '--stream', [CompletionResultType]::ParameterName, 'With --json: one line for each item')
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
        'pm;graph' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('ancestors', 'ancestors', [CompletionResultType]::ParameterValue, 'Show what contains an item, nearest first')
            [CompletionResult]::new('descendants', 'descendants', [CompletionResultType]::ParameterValue, 'Show what an item contains, nearest first')
            [CompletionResult]::new('predecessors', 'predecessors', [CompletionResultType]::ParameterValue, 'Show what must be done before an item')
            [CompletionResult]::new('successors', 'successors', [CompletionResultType]::ParameterValue, 'Show what can only be done after an item')
            [CompletionResult]::new('paths', 'paths', [CompletionResultType]::ParameterValue, 'Show the shortest ways from one item to another')
            [CompletionResult]::new('impact', 'impact', [CompletionResultType]::ParameterValue, 'Show what an item touches, nearest first, each with the way to it')
            [CompletionResult]::new('dominators', 'dominators', [CompletionResultType]::ParameterValue, 'Show the items that others can only be reached through')
            [CompletionResult]::new('analyze', 'analyze', [CompletionResultType]::ParameterValue, 'Show the shape of the graph: layers, critical path, components, hierarchy')
            [CompletionResult]::new('audit', 'audit', [CompletionResultType]::ParameterValue, 'Check the links: missing items, cycles, contradictions, items without links')
            [CompletionResult]::new('communities', 'communities', [CompletionResultType]::ParameterValue, 'Show groups of items that hang together')
            [CompletionResult]::new('redundancy', 'redundancy', [CompletionResultType]::ParameterValue, 'Show links that other links imply')
            [CompletionResult]::new('slack', 'slack', [CompletionResultType]::ParameterValue, 'Show the critical path and how much each item may slip')
            [CompletionResult]::new('centrality', 'centrality', [CompletionResultType]::ParameterValue, 'Show the items that lie between the others')
            [CompletionResult]::new('articulation', 'articulation', [CompletionResultType]::ParameterValue, 'Show the items and links whose loss would split the graph')
            [CompletionResult]::new('plan', 'plan', [CompletionResultType]::ParameterValue, 'Plan the steps that would put the links in order; changes nothing')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pm;graph;ancestors' {
            [CompletionResult]::new('--kind', '--kind', [CompletionResultType]::ParameterName, 'Follow links of these kinds only')
            [CompletionResult]::new('--max-depth', '--max-depth', [CompletionResultType]::ParameterName, 'Go at most so many links far')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--after', '--after', [CompletionResultType]::ParameterName, 'Continue after a page, with its `next_cursor`')
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
            [CompletionResult]::new('--include-closed', '--include-closed', [CompletionResultType]::ParameterName, 'Count closed and canceled items in')
            [CompletionResult]::new('--summary', '--summary', [CompletionResultType]::ParameterName, 'Show the counts, not the rows')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Show all there is')
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
        'pm;graph;descendants' {
            [CompletionResult]::new('--kind', '--kind', [CompletionResultType]::ParameterName, 'Follow links of these kinds only')
            [CompletionResult]::new('--max-depth', '--max-depth', [CompletionResultType]::ParameterName, 'Go at most so many links far')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--after', '--after', [CompletionResultType]::ParameterName, 'Continue after a page, with its `next_cursor`')
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
            [CompletionResult]::new('--include-closed', '--include-closed', [CompletionResultType]::ParameterName, 'Count closed and canceled items in')
            [CompletionResult]::new('--summary', '--summary', [CompletionResultType]::ParameterName, 'Show the counts, not the rows')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Show all there is')
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
        'pm;graph;predecessors' {
            [CompletionResult]::new('--kind', '--kind', [CompletionResultType]::ParameterName, 'Follow links of these kinds only')
            [CompletionResult]::new('--max-depth', '--max-depth', [CompletionResultType]::ParameterName, 'Go at most so many links far')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--after', '--after', [CompletionResultType]::ParameterName, 'Continue after a page, with its `next_cursor`')
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
            [CompletionResult]::new('--include-closed', '--include-closed', [CompletionResultType]::ParameterName, 'Count closed and canceled items in')
            [CompletionResult]::new('--summary', '--summary', [CompletionResultType]::ParameterName, 'Show the counts, not the rows')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Show all there is')
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
        'pm;graph;successors' {
            [CompletionResult]::new('--kind', '--kind', [CompletionResultType]::ParameterName, 'Follow links of these kinds only')
            [CompletionResult]::new('--max-depth', '--max-depth', [CompletionResultType]::ParameterName, 'Go at most so many links far')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--after', '--after', [CompletionResultType]::ParameterName, 'Continue after a page, with its `next_cursor`')
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
            [CompletionResult]::new('--include-closed', '--include-closed', [CompletionResultType]::ParameterName, 'Count closed and canceled items in')
            [CompletionResult]::new('--summary', '--summary', [CompletionResultType]::ParameterName, 'Show the counts, not the rows')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Show all there is')
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
        'pm;graph;paths' {
            [CompletionResult]::new('--max-paths', '--max-paths', [CompletionResultType]::ParameterName, 'Show at most so many paths')
            [CompletionResult]::new('--kind', '--kind', [CompletionResultType]::ParameterName, 'Follow links of these kinds only')
            [CompletionResult]::new('--direction', '--direction', [CompletionResultType]::ParameterName, 'Follow links `outgoing`, `incoming` or `both` ways')
            [CompletionResult]::new('--max-depth', '--max-depth', [CompletionResultType]::ParameterName, 'Go at most so many links far')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--after', '--after', [CompletionResultType]::ParameterName, 'Continue after a page, with its `next_cursor`')
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
            [CompletionResult]::new('--include-closed', '--include-closed', [CompletionResultType]::ParameterName, 'Count closed and canceled items in')
            [CompletionResult]::new('--summary', '--summary', [CompletionResultType]::ParameterName, 'Show the counts, not the rows')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Show all there is')
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
        'pm;graph;impact' {
            [CompletionResult]::new('--kind', '--kind', [CompletionResultType]::ParameterName, 'Follow links of these kinds only')
            [CompletionResult]::new('--direction', '--direction', [CompletionResultType]::ParameterName, 'Follow links `outgoing`, `incoming` or `both` ways')
            [CompletionResult]::new('--max-depth', '--max-depth', [CompletionResultType]::ParameterName, 'Go at most so many links far')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--after', '--after', [CompletionResultType]::ParameterName, 'Continue after a page, with its `next_cursor`')
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
            [CompletionResult]::new('--include-closed', '--include-closed', [CompletionResultType]::ParameterName, 'Count closed and canceled items in')
            [CompletionResult]::new('--summary', '--summary', [CompletionResultType]::ParameterName, 'Show the counts, not the rows')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Show all there is')
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
        'pm;graph;dominators' {
            [CompletionResult]::new('--kind', '--kind', [CompletionResultType]::ParameterName, 'Follow links of these kinds only')
            [CompletionResult]::new('--direction', '--direction', [CompletionResultType]::ParameterName, 'Follow links `outgoing`, `incoming` or `both` ways')
            [CompletionResult]::new('--max-depth', '--max-depth', [CompletionResultType]::ParameterName, 'Go at most so many links far')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--after', '--after', [CompletionResultType]::ParameterName, 'Continue after a page, with its `next_cursor`')
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
            [CompletionResult]::new('--include-closed', '--include-closed', [CompletionResultType]::ParameterName, 'Count closed and canceled items in')
            [CompletionResult]::new('--summary', '--summary', [CompletionResultType]::ParameterName, 'Show the counts, not the rows')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Show all there is')
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
        'pm;graph;analyze' {
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--after', '--after', [CompletionResultType]::ParameterName, 'Continue after a page, with its `next_cursor`')
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
            [CompletionResult]::new('--include-closed', '--include-closed', [CompletionResultType]::ParameterName, 'Count closed and canceled items in')
            [CompletionResult]::new('--summary', '--summary', [CompletionResultType]::ParameterName, 'Show the counts, not the rows')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Show all there is')
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
        'pm;graph;audit' {
            [CompletionResult]::new('--sample', '--sample', [CompletionResultType]::ParameterName, 'Show at most so many items of each finding')
            [CompletionResult]::new('--exempt-isolate', '--exempt-isolate', [CompletionResultType]::ParameterName, 'Items that may stand alone')
            [CompletionResult]::new('--exempt-isolate-type', '--exempt-isolate-type', [CompletionResultType]::ParameterName, 'Types whose items may stand alone')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--after', '--after', [CompletionResultType]::ParameterName, 'Continue after a page, with its `next_cursor`')
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
            [CompletionResult]::new('--include-closed', '--include-closed', [CompletionResultType]::ParameterName, 'Count closed and canceled items in')
            [CompletionResult]::new('--summary', '--summary', [CompletionResultType]::ParameterName, 'Show the counts, not the rows')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Show all there is')
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
        'pm;graph;communities' {
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--after', '--after', [CompletionResultType]::ParameterName, 'Continue after a page, with its `next_cursor`')
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
            [CompletionResult]::new('--include-closed', '--include-closed', [CompletionResultType]::ParameterName, 'Count closed and canceled items in')
            [CompletionResult]::new('--summary', '--summary', [CompletionResultType]::ParameterName, 'Show the counts, not the rows')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Show all there is')
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
        'pm;graph;redundancy' {
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--after', '--after', [CompletionResultType]::ParameterName, 'Continue after a page, with its `next_cursor`')
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
            [CompletionResult]::new('--include-closed', '--include-closed', [CompletionResultType]::ParameterName, 'Count closed and canceled items in')
            [CompletionResult]::new('--summary', '--summary', [CompletionResultType]::ParameterName, 'Show the counts, not the rows')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Show all there is')
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
        'pm;graph;slack' {
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--after', '--after', [CompletionResultType]::ParameterName, 'Continue after a page, with its `next_cursor`')
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
            [CompletionResult]::new('--include-closed', '--include-closed', [CompletionResultType]::ParameterName, 'Count closed and canceled items in')
            [CompletionResult]::new('--summary', '--summary', [CompletionResultType]::ParameterName, 'Show the counts, not the rows')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Show all there is')
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
        'pm;graph;centrality' {
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--after', '--after', [CompletionResultType]::ParameterName, 'Continue after a page, with its `next_cursor`')
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
            [CompletionResult]::new('--include-closed', '--include-closed', [CompletionResultType]::ParameterName, 'Count closed and canceled items in')
            [CompletionResult]::new('--summary', '--summary', [CompletionResultType]::ParameterName, 'Show the counts, not the rows')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Show all there is')
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
        'pm;graph;articulation' {
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--after', '--after', [CompletionResultType]::ParameterName, 'Continue after a page, with its `next_cursor`')
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
            [CompletionResult]::new('--include-closed', '--include-closed', [CompletionResultType]::ParameterName, 'Count closed and canceled items in')
            [CompletionResult]::new('--summary', '--summary', [CompletionResultType]::ParameterName, 'Show the counts, not the rows')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Show all there is')
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
        'pm;graph;plan' {
            [CompletionResult]::new('--exempt-isolate', '--exempt-isolate', [CompletionResultType]::ParameterName, 'Items that may stand alone')
            [CompletionResult]::new('--exempt-isolate-type', '--exempt-isolate-type', [CompletionResultType]::ParameterName, 'Types whose items may stand alone')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--after', '--after', [CompletionResultType]::ParameterName, 'Continue after a page, with its `next_cursor`')
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
            [CompletionResult]::new('--include-closed', '--include-closed', [CompletionResultType]::ParameterName, 'Count closed and canceled items in')
            [CompletionResult]::new('--summary', '--summary', [CompletionResultType]::ParameterName, 'Show the counts, not the rows')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Show all there is')
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
        'pm;graph;help' {
            [CompletionResult]::new('ancestors', 'ancestors', [CompletionResultType]::ParameterValue, 'Show what contains an item, nearest first')
            [CompletionResult]::new('descendants', 'descendants', [CompletionResultType]::ParameterValue, 'Show what an item contains, nearest first')
            [CompletionResult]::new('predecessors', 'predecessors', [CompletionResultType]::ParameterValue, 'Show what must be done before an item')
            [CompletionResult]::new('successors', 'successors', [CompletionResultType]::ParameterValue, 'Show what can only be done after an item')
            [CompletionResult]::new('paths', 'paths', [CompletionResultType]::ParameterValue, 'Show the shortest ways from one item to another')
            [CompletionResult]::new('impact', 'impact', [CompletionResultType]::ParameterValue, 'Show what an item touches, nearest first, each with the way to it')
            [CompletionResult]::new('dominators', 'dominators', [CompletionResultType]::ParameterValue, 'Show the items that others can only be reached through')
            [CompletionResult]::new('analyze', 'analyze', [CompletionResultType]::ParameterValue, 'Show the shape of the graph: layers, critical path, components, hierarchy')
            [CompletionResult]::new('audit', 'audit', [CompletionResultType]::ParameterValue, 'Check the links: missing items, cycles, contradictions, items without links')
            [CompletionResult]::new('communities', 'communities', [CompletionResultType]::ParameterValue, 'Show groups of items that hang together')
            [CompletionResult]::new('redundancy', 'redundancy', [CompletionResultType]::ParameterValue, 'Show links that other links imply')
            [CompletionResult]::new('slack', 'slack', [CompletionResultType]::ParameterValue, 'Show the critical path and how much each item may slip')
            [CompletionResult]::new('centrality', 'centrality', [CompletionResultType]::ParameterValue, 'Show the items that lie between the others')
            [CompletionResult]::new('articulation', 'articulation', [CompletionResultType]::ParameterValue, 'Show the items and links whose loss would split the graph')
            [CompletionResult]::new('plan', 'plan', [CompletionResultType]::ParameterValue, 'Plan the steps that would put the links in order; changes nothing')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pm;graph;help;ancestors' {
            break
        }
        'pm;graph;help;descendants' {
            break
        }
        'pm;graph;help;predecessors' {
            break
        }
        'pm;graph;help;successors' {
            break
        }
        'pm;graph;help;paths' {
            break
        }
        'pm;graph;help;impact' {
            break
        }
        'pm;graph;help;dominators' {
            break
        }
        'pm;graph;help;analyze' {
            break
        }
        'pm;graph;help;audit' {
            break
        }
        'pm;graph;help;communities' {
            break
        }
        'pm;graph;help;redundancy' {
            break
        }
        'pm;graph;help;slack' {
            break
        }
        'pm;graph;help;centrality' {
            break
        }
        'pm;graph;help;articulation' {
            break
        }
        'pm;graph;help;plan' {
            break
        }
        'pm;graph;help;help' {
            break
        }
        'pm;help' {
            [CompletionResult]::new('get', 'get', [CompletionResultType]::ParameterValue, 'Show items')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List items')
            [CompletionResult]::new('version', 'version', [CompletionResultType]::ParameterValue, 'Show the version of this program')
            [CompletionResult]::new('graph', 'graph', [CompletionResultType]::ParameterValue, 'graph')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pm;help;get' {
            break
        }
        'pm;help;list' {
            break
        }
        'pm;help;version' {
            break
        }
        'pm;help;graph' {
            [CompletionResult]::new('ancestors', 'ancestors', [CompletionResultType]::ParameterValue, 'Show what contains an item, nearest first')
            [CompletionResult]::new('descendants', 'descendants', [CompletionResultType]::ParameterValue, 'Show what an item contains, nearest first')
            [CompletionResult]::new('predecessors', 'predecessors', [CompletionResultType]::ParameterValue, 'Show what must be done before an item')
            [CompletionResult]::new('successors', 'successors', [CompletionResultType]::ParameterValue, 'Show what can only be done after an item')
            [CompletionResult]::new('paths', 'paths', [CompletionResultType]::ParameterValue, 'Show the shortest ways from one item to another')
            [CompletionResult]::new('impact', 'impact', [CompletionResultType]::ParameterValue, 'Show what an item touches, nearest first, each with the way to it')
            [CompletionResult]::new('dominators', 'dominators', [CompletionResultType]::ParameterValue, 'Show the items that others can only be reached through')
            [CompletionResult]::new('analyze', 'analyze', [CompletionResultType]::ParameterValue, 'Show the shape of the graph: layers, critical path, components, hierarchy')
            [CompletionResult]::new('audit', 'audit', [CompletionResultType]::ParameterValue, 'Check the links: missing items, cycles, contradictions, items without links')
            [CompletionResult]::new('communities', 'communities', [CompletionResultType]::ParameterValue, 'Show groups of items that hang together')
            [CompletionResult]::new('redundancy', 'redundancy', [CompletionResultType]::ParameterValue, 'Show links that other links imply')
            [CompletionResult]::new('slack', 'slack', [CompletionResultType]::ParameterValue, 'Show the critical path and how much each item may slip')
            [CompletionResult]::new('centrality', 'centrality', [CompletionResultType]::ParameterValue, 'Show the items that lie between the others')
            [CompletionResult]::new('articulation', 'articulation', [CompletionResultType]::ParameterValue, 'Show the items and links whose loss would split the graph')
            [CompletionResult]::new('plan', 'plan', [CompletionResultType]::ParameterValue, 'Plan the steps that would put the links in order; changes nothing')
            break
        }
        'pm;help;graph;ancestors' {
            break
        }
        'pm;help;graph;descendants' {
            break
        }
        'pm;help;graph;predecessors' {
            break
        }
        'pm;help;graph;successors' {
            break
        }
        'pm;help;graph;paths' {
            break
        }
        'pm;help;graph;impact' {
            break
        }
        'pm;help;graph;dominators' {
            break
        }
        'pm;help;graph;analyze' {
            break
        }
        'pm;help;graph;audit' {
            break
        }
        'pm;help;graph;communities' {
            break
        }
        'pm;help;graph;redundancy' {
            break
        }
        'pm;help;graph;slack' {
            break
        }
        'pm;help;graph;centrality' {
            break
        }
        'pm;help;graph;articulation' {
            break
        }
        'pm;help;graph;plan' {
            break
        }
        'pm;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}

complete --keep-order --exclusive --command pm --arguments "(PM_COMPLETE=fish pm -- (commandline --current-process --tokenize --cut-at-cursor) (commandline --current-token))"

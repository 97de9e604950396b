set edit:completion:arg-completer[pm] = { |@words|
    var index = (count $words)
    set index = (- $index 1)

    put (env _CLAP_IFS="\n" _CLAP_COMPLETE_INDEX=(to-string $index) PM_COMPLETE="elvish" pm -- $@words) | to-lines
}

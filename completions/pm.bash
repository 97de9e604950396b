# Completes pm by asking it. Bash takes words apart at `=` and `:`; pm wants them as they are typed.
_pm() {
    local -a words=()
    local word blank rest=$COMP_LINE before='' index=0 last=-1 i reply
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        word=${COMP_WORDS[i]}
        blank=${rest%%[![:space:]]*}
        rest=${rest#"$blank"}
        rest=${rest#"$word"}
        # A word begins behind a blank; else it goes on with the one before when one of the two is a separator.
        if ((i == 0)) || [[ -n $blank || -z $word || ( $word != [=:]* && ${words[last]} != *[=:] ) ]]; then
            last=$((last + 1))
            words[last]=''
        fi
        if ((i == COMP_CWORD)); then
            index=$last
            before=${words[last]}
            if [[ $word == [=:] ]]; then
                # Its value begins behind it.
                before+=$word
                word=''
            elif ((BASH_VERSINFO[0] < 4)); then
                before+=${word%"$2"}
                word=$2
            else
                # Without what stands behind the cursor.
                word=$2
            fi
            words[last]=$before${word//\\/}
        else
            words[last]+=$word
        fi
    done
    COMPREPLY=()
    local IFS=$'\013'
    read -r -d '' -a COMPREPLY < <(
        _CLAP_IFS=$IFS _CLAP_COMPLETE_INDEX=$index PM_COMPLETE=bash pm -- "${words[@]}" 2>/dev/null
    )
    for i in "${!COMPREPLY[@]}"; do
        reply=${COMPREPLY[i]#"$before"}
        # Between quotes everything stands as it is.
        if [[ ${COMP_WORDS[COMP_CWORD]} != [\'\"]* && $reply == *[[:space:]\'\"\\\$\`\&\|\;\<\>\(\)\*\?]* ]]; then
            printf -v reply '%q' "$reply"
        fi
        COMPREPLY[i]=$reply
    done
    if [[ ${COMPREPLY-} == *[=/:] ]]; then
        compopt -o nospace 2>/dev/null
    fi
    return 0
}
complete -o bashdefault -o nosort -F _pm pm 2>/dev/null || complete -o bashdefault -F _pm pm

# Completion of ftsh for fish. It asks the program itself, by its help, what there is.

# Options of a help text, with what each does.
function __ftsh_options
    string match -rg -- '^  ftsh (--[a-z]+) .*' $argv
    string replace -rf -- '^ +(-., )?(--[a-z][a-z-]+)(\[?=?[A-Z |…]*\]?)?  +(.*)$' '$2\t$4' $argv
end

# Succeeds if the word under the cursor stands before the script: what stands behind is for that.
function __ftsh_before_script
    set -l valued (command ftsh -h | string match -arg -- '(--[a-z][a-z-]+) [A-Z]')
    set -l value
    for word in (commandline -opc)[2..]
        if set -q value[1]
            set value
        else if contains -- $word $valued -c -f -l -t -k
            set value next
        else if not string match -q -- '-?*' $word
            return 1
        end
    end
end

complete -c ftsh -n __ftsh_before_script -a '(string match -q -- "-*" (commandline -ct); and __ftsh_options (command ftsh -h))'
complete -c ftsh -n __ftsh_before_script -s l -l log-level -x -a '0 5 10 20 30 40' -d 'what the log tells'
complete -c ftsh -n __ftsh_before_script -l log-format -x -a 'text json' -d 'lines or objects'
complete -c ftsh -n __ftsh_before_script -s k -l kill-mode -x -a 'strong weak' -d 'SIGKILL until all are gone, or once'
complete -c ftsh -n __ftsh_before_script -l undefined -x -a 'fail empty' -d 'what an undefined variable is'
complete -c ftsh -n __ftsh_before_script -l progress -x -a 'auto never always' -d 'show what is waited for'
complete -c ftsh -n __ftsh_before_script -l manual -x -a '(command ftsh --manual | string match -rg -- "^[ *] ([a-z-]+) .*")' -d 'read the manual'
complete -c ftsh -n __ftsh_before_script -s f -l log-file -r -F -d 'append the log to a file'
complete -c ftsh -n __ftsh_before_script -s c -l command -x -d 'run a text'

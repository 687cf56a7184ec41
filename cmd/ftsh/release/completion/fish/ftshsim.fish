# Completion of ftshsim for fish. It asks the program itself, by its help, what there is.

complete -c ftshsim -n __fish_use_subcommand -f -a '(command ftshsim help | string match -rg -- "^  (?:ftshsim )?([a-z]+) .*")'
complete -c ftshsim -n 'not __fish_use_subcommand; and string match -q -- "-*" (commandline -ct)' -a '(command ftshsim (commandline -opc)[2] --help | string replace -rf -- "^ +(-., )?(--[a-z][a-z-]+)( [^ ]+)?  +(.*)\$" "\$2\t\$4")'

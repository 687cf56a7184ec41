" Vim syntax of ftsh scripts. A word is a keyword only where a statement begins, and
" a clause only in the first line of a try.
if exists('b:current_syntax')
    finish
endif
syntax case match
syntax sync minlines=200

syntax match ftshComment /\%(^\|[ \t;]\)\@1<=#.*$/ contains=ftshTodo,@Spell
syntax keyword ftshTodo TODO FIXME contained
syntax match ftshEscape /\\./

" What stands for something else.
syntax match ftshReference /\$\%(\h\w*\|[0-9#@*$]\|(\h\w*)\)/
syntax region ftshReference start=/\${\S\@=/ end=/}/ contains=ftshReference,ftshSubstitution oneline
syntax region ftshSubstitution matchgroup=ftshReference start=/\${\_s\@=/ end=/}/ contains=ftshReference,ftshSubstitution,ftshString,ftshEscape,ftshPipe,ftshRedirection
syntax region ftshString start=/'/ skip=/\\./ end=/'/
syntax region ftshString start=/"/ skip=/\\./ end=/"/ contains=ftshReference,ftshSubstitution,ftshEscape,@Spell

syntax match ftshRedirection /=>\|[0-9]\?->>\?&\?\|[0-9]\?-<\|&>>\?\|>>\?&\|[0-9]\?<&\|[0-9]\?>>\?\|[0-9]\?</
syntax region ftshDocument matchgroup=ftshRedirection start=/<<-\?\s*\z(\h\w*\)/ end=/^\t*\z1$/ contains=ftshReference,ftshSubstitution
syntax region ftshDocument matchgroup=ftshRedirection start=/<<-\?\s*\(['"]\)\z(\h\w*\)\1/ end=/^\t*\z1$/
syntax match ftshPipe /|&\?/
syntax match ftshOperator /\%(^\|[ \t(]\)\@1<=\.\%(to\|step\|or\|and\|not\|eq\|ne\|eql\|neql\|lt\|le\|gt\|ge\|matches\|add\|sub\|mul\|div\|mod\|pow\|lines\|exists\|isr\|isw\|isx\|isfile\|isdir\|islink\|isblock\|ischar\|ispipe\|issock\|defined\|inorder\|hedge\|limit\|keepgoing\|grouped\)\./

" Statements.
syntax match ftshStatement /\%(^\|;\)\s*\zs\%(for\|forany\|forall\|while\|if\|else\|else if\|case\|when\|catch\|finally\|verify\|end\|return\|shift\|break\|continue\|export\|local\|secret\|source\|slots\|budget\|breaker\|sense\)\ze\%([ \t;]\|$\)/
syntax match ftshIn /\%(\%(^\|;\)\s*\%(for\|forany\|forall\)\s\+\h\w*\s\+\)\@<=in\ze\%(\s\|$\)/
syntax match ftshStatement /\%(\%(^\|;\)\s*\%(if\|else if\|while\)\s\+\)\@<=\%(not\s\+\)\?try\ze\s/
syntax match ftshDefinition /\%(^\|;\)\s*\zs\%(function\|resource\|on\)\ze\s/ nextgroup=ftshName skipwhite
syntax match ftshName /[[:alnum:]_.-]\+/ contained
syntax match ftshAssignment /\%(^\|;\)\s*\zs\h\w*\ze=>\@!/
syntax match ftshAssignment /\%(\%(^\|;\)\s*\%(local\|export\)\s\+\)\@<=\h\w*/
syntax match ftshBuiltin /\%(^\|;\)\s*\zs\%(absent\|cd\|echo\|exec\|exit\|failure\|false\|giveup\|pwd\|read\|retryafter\|set\|sleep\|success\|true\|umask\|unset\)\ze\%([ \t;]\|$\)/

" The first line of a try.
syntax region ftshHeader matchgroup=ftshStatement start=/\%(^\|;\)\s*\zstry\ze\%([ \t;]\|$\)/ skip=/\\$/ end=/\ze[;#]\|$/ contains=ftshClause,ftshPolicy,ftshUnit,ftshKind,ftshNumber,ftshReference,ftshSubstitution,ftshString,ftshOperator
syntax match ftshClause /\<\%(for\|or\|each\|every\|backoff\|from\|to\|by\|jitter\|only\|except\|unknown\|on\|matching\|times\|time\)\>/ contained
syntax match ftshClause /\<\%(via\|key\)\>/ contained nextgroup=ftshNamed skipwhite
syntax match ftshPolicy /\<\%(ethernet\|thain\|full\|equal\|decorrelated\|additive\|normal\|exact\|fixed\)\>/ contained
syntax match ftshKind /\<\%(exit\|signal\|missing\|system\|timeout\|cancelled\|redirect\|failure\|error\|lost\|memory\)\>/ contained
syntax match ftshNamed /[^ \t;"'$]\+/ contained
syntax match ftshUnit /\<\%(milliseconds\?\|ms\|seconds\?\|secs\?\|s\|minutes\?\|mins\?\|m\|hours\?\|hrs\?\|h\|days\?\|d\)\>/ contained
syntax match ftshNumber /\<\d\+\%(\.\d\+\)\?\>/ contained
syntax match ftshNumber /\<\%(\d\+\%(\.\d\+\)\?\%(ms\|secs\?\|mins\?\|hrs\?\|[smhd]\)\)\+\>/ contained

highlight default link ftshComment Comment
highlight default link ftshTodo Todo
highlight default link ftshEscape SpecialChar
highlight default link ftshReference Identifier
highlight default link ftshAssignment Identifier
highlight default link ftshNamed String
highlight default link ftshString String
highlight default link ftshDocument String
highlight default link ftshRedirection Special
highlight default link ftshPipe Special
highlight default link ftshOperator Operator
highlight default link ftshStatement Statement
highlight default link ftshIn Statement
highlight default link ftshDefinition Statement
highlight default link ftshName Function
highlight default link ftshBuiltin Function
highlight default link ftshClause Keyword
highlight default link ftshPolicy Constant
highlight default link ftshKind Constant
highlight default link ftshUnit Type
highlight default link ftshNumber Number

let b:current_syntax = 'ftsh'

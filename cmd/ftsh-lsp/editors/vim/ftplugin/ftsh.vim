" Settings for scripts of ftsh: the layout of ftsh --fmt, errors of ftsh --check in :make.
if exists('b:did_ftplugin')
    finish
endif
let b:did_ftplugin = 1
setlocal commentstring=#\ %s comments=:# expandtab shiftwidth=4 softtabstop=4
setlocal makeprg=ftsh\ --check\ % errorformat=%f:%l:%c:\ %trror\ %m,%f:%l:%c:\ %tarning\ %m,%-G%.%#
let b:undo_ftplugin = 'setlocal commentstring< comments< expandtab< shiftwidth< softtabstop< makeprg< errorformat<'

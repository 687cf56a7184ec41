" Scripts of ftsh by their names, and by the first line.
autocmd BufNewFile,BufRead *.ftsh setfiletype ftsh
autocmd BufNewFile,BufRead * if did_filetype() == 0 && getline(1) =~# '^#!.*\<ftsh\>' | setfiletype ftsh | endif

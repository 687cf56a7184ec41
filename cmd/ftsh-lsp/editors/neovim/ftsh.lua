-- Neovim 0.11 or later: copy to lsp/ftsh.lua of your configuration, and say
-- vim.lsp.enable('ftsh') in init.lua. The colours are those of ../vim.
vim.filetype.add({
  extension = { ftsh = 'ftsh' },
  pattern = {
    ['.*'] = {
      function(_, buffer)
        local first = vim.api.nvim_buf_get_lines(buffer, 0, 1, false)[1] or ''
        if first:match('^#!.*%f[%w]ftsh%f[%W]') then
          return 'ftsh'
        end
      end,
      { priority = -math.huge },
    },
  },
})

return {
  cmd = { 'ftsh-lsp' },
  filetypes = { 'ftsh' },
  root_markers = { '.git' },
}

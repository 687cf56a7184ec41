// node textmate.js GRAMMAR SCRIPT OUT: the innermost scope wherever it changes in a script.
const fs = require('fs');
const oniguruma = require('vscode-oniguruma');
const textmate = require('vscode-textmate');

async function main([grammarPath, scriptPath, out]) {
  const wasm = fs.readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm'));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => textmate.parseRawGrammar(fs.readFileSync(grammarPath, 'utf8'), grammarPath),
  });
  const grammar = await registry.loadGrammar('source.ftsh');
  let stack = textmate.INITIAL;
  const changes = [];
  fs.readFileSync(scriptPath, 'utf8').split('\n').forEach((line, index) => {
    const result = grammar.tokenizeLine(line, stack);
    let before = '';
    for (const token of result.tokens) {
      let scope = token.scopes[token.scopes.length - 1];
      if (scope === 'source.ftsh') scope = '';
      if (scope !== before) changes.push(`${index + 1}:${token.startIndex + 1} ${scope}`);
      before = scope;
    }
    stack = result.ruleStack;
  });
  fs.writeFileSync(out, changes.join('\n') + '\n');
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error);
  process.exit(1);
});

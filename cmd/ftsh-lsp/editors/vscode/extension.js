// Starts the language server for ftsh scripts.
const { workspace } = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

exports.activate = function () {
  const server = { command: workspace.getConfiguration('ftsh').get('server') };
  client = new LanguageClient('ftsh', 'ftsh', server, { documentSelector: [{ language: 'ftsh' }] });
  return client.start();
};

exports.deactivate = function () {
  return client && client.stop();
};

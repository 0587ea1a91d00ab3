#!/usr/bin/env node
/**
 * Runs a development tool or a file of ours for an npm script: `[node options] TOOL|FILE [arguments]`. A tool is named
 * as on the command line (`ava`, `tsc`); a file has a slash in its name. Its children find the same `node` on PATH.
 */
const fs = require('node:fs');
const path = require('node:path');
const launcher = require('./launcher.js');

runTool(process.argv.slice(2));

function runTool(words) {
  const at = words.findIndex((word) => !word.startsWith('-'));
  if (at === -1) {
    return launcher.refuse('usage: node bin/run.js [node options] TOOL|FILE [arguments]', 64);
  }
  const file = words[at].includes('/') ? path.resolve(words[at]) : findTool(words[at]);
  if (file === undefined)
    return launcher.refuse(`There is no ${words[at]} here: run "npm ci" first.`);
  const node = launcher.chooseNode();
  if (node === undefined) return;
  process.env.PATH = path.dirname(node) + path.delimiter + (process.env.PATH ?? '');
  // Every thread and child of a test run loads the same files: a third of its time.
  if (words[at] === 'ava') process.env.NODE_COMPILE_CACHE ??= launcher.compileCache(true);
  return launcher.takeOver(node, [...words.slice(0, at), file, ...words.slice(at + 1)], false);
}

function findTool(tool) {
  const directory = path.join(launcher.modules, tool === 'tsc' ? 'typescript' : tool);
  try {
    const { bin } = JSON.parse(fs.readFileSync(path.join(directory, 'package.json'), 'utf8'));
    return path.join(directory, typeof bin === 'string' ? bin : bin[tool]);
  } catch {
    return undefined;
  }
}

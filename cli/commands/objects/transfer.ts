import { existsSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { ObjectClient } from '../../../client/objects/index.ts';
import { ExitError, usageError } from '../../../model/exit-error.ts';
import { defineCommand } from '../../program/command.ts';
import { note, print } from '../../terminal/output.ts';
import { forTerminal, megabytes } from '../../terminal/text.ts';
import { showTransfer } from '../../terminal/transfer-bar.ts';

import { remoteNotes, remoteOptions, withClient } from './remote.ts';
import { checkOid } from './with-root.ts';

const notThere = 'The repository holds no such object, or you may not see it.';

const push = defineCommand({
  name: 'push',
  group: 'Files of a server:',
  summary: 'send files to a repository',
  description:
    'Sends files to a repository of an object server, and prints the oid of each. What it holds\nalready is not sent again.',
  arguments: '<file...>',
  options: { ...remoteOptions, '--json': 'print JSON' },
  notes: remoteNotes,
  run({ words: [files], options, isJson }) {
    const wrong = files.find((file) => !isFile(file));
    if (wrong !== undefined) {
      throw new ExitError(`There is no file ${forTerminal(wrong)}. Nothing was sent.`);
    }
    return withClient(options, async (client, signal) => {
      const all: SentFile[] = [];
      for (const file of files) {
        const one = await send(client, file, signal);
        all.push(one);
        if (isJson) continue;
        await print(`${one.oid}  ${forTerminal(file)}${one.sent ? '' : '  (was there)'}`);
      }
      return all;
    });
  },
});

interface SentFile {
  readonly file: string;
  readonly oid: string;
  readonly size: number;
  readonly sent: boolean;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

async function send(client: ObjectClient, file: string, signal: AbortSignal): Promise<SentFile> {
  const { identifyFile } = await import('../../../client/objects/index.ts');
  const object = await identifyFile(file, signal);
  const bar = await showTransfer(forTerminal(basename(file)), object.size);
  try {
    const { isSent } = await client.upload(file, object, { signal, onProgress: bar.show });
    return { file, ...object, sent: isSent };
  } finally {
    bar.hide();
  }
}

const pull = defineCommand({
  name: 'pull',
  summary: 'fetch an object',
  description:
    'Fetches an object into a file, checked by its hash. What was fetched before a break is kept\nin FILE.part, and the next pull goes on from there.',
  arguments: '<oid>',
  options: {
    ...remoteOptions,
    '--json': 'print JSON',
    '-o, --output <file>': 'where to; the oid by default',
  },
  notes: remoteNotes,
  async run({ words: [text], options }) {
    const oid = checkOid(text);
    const file = resolve(options.output ?? oid);
    if (existsSync(file)) throw usageError(`${forTerminal(file)} is there already.`);
    return withClient(options, async (client, signal) => {
      const object = await client.find(oid, { signal });
      if (object === undefined) throw new ExitError(notThere);
      const bar = await showTransfer(oid.slice(0, 8), object.size);
      try {
        await client.download(object, file, { signal, onProgress: bar.show });
      } finally {
        bar.hide();
      }
      return { oid, size: object.size, file };
    });
  },
  show: ({ size, file }) => print(`Fetched ${megabytes(size)} into ${forTerminal(file)}`),
});

const verify = defineCommand({
  name: 'verify',
  summary: 'ask whether a repository holds an object',
  description:
    'Asks whether a repository holds an object. The exit code is 1 when it does not, or does not for you.',
  arguments: '<oid>',
  options: { ...remoteOptions, '--json': 'print JSON' },
  notes: remoteNotes,
  async run({ words: [text], options }) {
    const oid = checkOid(text);
    const object = await withClient(options, (client, signal) => client.find(oid, { signal }));
    if (object === undefined) process.exitCode = 1;
    return { oid, size: object?.size };
  },
  json: ({ oid, size }) => ({ oid, held: size !== undefined }),
  show: ({ oid, size }) =>
    size === undefined ? note(notThere) : print(`${oid}  ${megabytes(size)}`),
});

/** `waypointd objects push|pull|verify` */
export const transferCommands = [push, pull, verify];

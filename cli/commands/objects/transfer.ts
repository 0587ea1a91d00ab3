import type { Command } from 'commander';
import { existsSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { ObjectClient } from '../../../client/objects/index.ts';
import { ExitError, usageError } from '../../../model/exit-error.ts';
import { note, print, printJson } from '../../terminal/output.ts';
import { forTerminal } from '../../terminal/table.ts';
import { megabytes } from '../../terminal/wording.ts';
import { withClient } from './remote-client.ts';
import { withRemoteOptions, type RemoteOptions } from './remote.ts';
import { showTransfer } from '../../terminal/transfer-bar.ts';
import { checkOid } from './upkeep.ts';

/** `waypointd objects push|pull|verify` */
export function registerTransfer(objects: Command): void {
  registerPush(objects);
  registerPull(objects);
  registerVerify(objects);
}

function registerPush(objects: Command): void {
  withRemoteOptions(objects.command('push <file...>'))
    .option('--json', 'print JSON')
    .summary('send files to a repository')
    .description(
      'Sends files to a repository of an object server, and prints the oid of each. What it holds\nalready is not sent again.',
    )
    .action(async (files: string[], options: RemoteOptions, _command: Command) => {
      const wrong = files.find((file) => !isFile(file));
      if (wrong !== undefined) {
        throw new ExitError(`There is no file ${forTerminal(wrong)}. Nothing was sent.`);
      }
      const sent: object[] = [];
      await withClient(options, async (client, signal) => {
        for (const file of files) sent.push(await push(client, file, options, signal));
      });
      if (options.json === true) await printJson(sent);
    });
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

async function push(
  client: ObjectClient,
  file: string,
  options: RemoteOptions,
  signal: AbortSignal,
): Promise<object> {
  const { identifyFile } = await import('../../../client/objects/index.ts');
  const object = await identifyFile(file, signal);
  const bar = await showTransfer(forTerminal(basename(file)), object.size);
  let isSent: boolean;
  try {
    ({ isSent } = await client.upload(file, object, { signal, onProgress: bar.show }));
  } finally {
    bar.hide();
  }
  if (options.json !== true) {
    await print(`${object.oid}  ${forTerminal(file)}${isSent ? '' : '  (was there)'}`);
  }
  return { file, ...object, sent: isSent };
}

interface PullOptions extends RemoteOptions {
  readonly output?: string;
}

function registerPull(objects: Command): void {
  withRemoteOptions(objects.command('pull <oid>'))
    .option('--json', 'print JSON')
    .summary('fetch an object')
    .description(
      'Fetches an object into a file, checked by its hash. What was fetched before a break is kept\nin FILE.part, and the next pull goes on from there.',
    )
    .option('-o, --output <file>', 'where to; the oid by default')
    .action(async (text: string, options: PullOptions, _command: Command) => {
      const oid = checkOid(text);
      const target = resolve(options.output ?? oid);
      if (existsSync(target)) throw usageError(`${forTerminal(target)} is there already.`);
      const size = await withClient(options, async (client, signal) => {
        const object = await client.find(oid, { signal });
        if (object === undefined) throw notThere();
        const bar = await showTransfer(oid.slice(0, 8), object.size);
        try {
          await client.download(object, target, { signal, onProgress: bar.show });
        } finally {
          bar.hide();
        }
        return object.size;
      });
      if (options.json === true) return printJson({ oid, size, file: target });
      await print(`Fetched ${megabytes(size)} into ${forTerminal(target)}`);
    });
}

function registerVerify(objects: Command): void {
  withRemoteOptions(objects.command('verify <oid>'))
    .option('--json', 'print JSON')
    .summary('ask whether a repository holds an object')
    .description(
      'Asks whether a repository holds an object. The exit code is 1 when it does not, or does not for you.',
    )
    .action(async (text: string, options: RemoteOptions, _command: Command) => {
      const oid = checkOid(text);
      const object = await withClient(options, (client, signal) => client.find(oid, { signal }));
      if (object === undefined) process.exitCode = 1;
      if (options.json === true) return printJson({ oid, held: object !== undefined });
      if (object === undefined) return note(notThere().message);
      await print(`${oid}  ${megabytes(object.size)}`);
    });
}

function notThere(): ExitError {
  return new ExitError('The repository holds no such object, or you may not see it.');
}

import type { Command } from 'commander';
import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { ObjectClient } from '../../../client/objects/index.ts';
import { CliError, usageError } from '../cli-error.ts';
import { endBySignal, watchSignals } from '../interrupts.ts';
import { note, print, printJson } from '../output.ts';
import { forTerminal } from '../table.ts';
import { megabytes } from '../wording.ts';
import { openClient, type RemoteOptions, withRemoteOptions } from './remote.ts';
import { showTransfer } from './transfer-bar.ts';
import { checkOid } from './upkeep.ts';

/** `waypointd objects push|pull|verify` */
export function registerTransfer(objects: Command): void {
  registerPush(objects);
  registerPull(objects);
  registerVerify(objects);
}

function registerPush(objects: Command): void {
  withRemoteOptions(objects.command('push <file...>'))
    .summary('send files to a repository')
    .description(
      'Sends files to a repository of an object server, and prints the oid of each. What it holds already is not\nsent again.',
    )
    .action(async (files: string[], options: RemoteOptions, _command: Command) => {
      const absent = files.find((file) => !existsSync(file));
      if (absent !== undefined) {
        throw new CliError(`There is no ${forTerminal(absent)}. Nothing was sent.`);
      }
      const sent: object[] = [];
      await withClient(options, async (client, signal) => {
        for (const file of files) sent.push(await push(client, file, options, signal));
      });
      if (options.json === true) await printJson(sent);
    });
}

async function push(
  client: ObjectClient,
  file: string,
  options: RemoteOptions,
  signal: AbortSignal,
): Promise<object> {
  const { identifyFile } = await import('../../../client/objects/index.ts');
  const object = await identifyFile(file, signal);
  const bar = showTransfer(forTerminal(basename(file)), object.size);
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
    .summary('fetch an object')
    .description(
      'Fetches an object into a file, checked by its hash. What was fetched before a break is kept in FILE.part, and\nthe next pull goes on from there.',
    )
    .option('-o, --output <file>', 'where to; the oid by default')
    .action(async (text: string, options: PullOptions, _command: Command) => {
      const oid = checkOid(text);
      const target = resolve(options.output ?? oid);
      if (existsSync(target)) throw usageError(`${forTerminal(target)} is there already.`);
      const size = await withClient(options, async (client, signal) => {
        const object = await client.find(oid, { signal });
        if (object === undefined) throw notThere();
        const bar = showTransfer(oid.slice(0, 8), object.size);
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

function notThere(): CliError {
  return new CliError('The repository holds no such object, or you may not see it.');
}

/** Uses a client until it is done or Ctrl-C; what the server or the network object to becomes a sentence. */
async function withClient<T>(
  options: RemoteOptions,
  use: (client: ObjectClient, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { ObjectClientError } = await import('../../../client/objects/index.ts');
  const stop = new AbortController();
  let stoppedBy: NodeJS.Signals | undefined;
  const stopWatching = watchSignals((signal, isFirst) => {
    if (!isFirst) endBySignal(signal);
    stoppedBy = signal;
    stop.abort();
  });
  try {
    return await use(await openClient(options), stop.signal);
  } catch (error) {
    if (stoppedBy !== undefined) endBySignal(stoppedBy);
    if (!(error instanceof ObjectClientError)) throw error;
    const { message, documentationUrl, requestId } = error;
    const more = [
      ...(documentationUrl === undefined ? [] : [`See ${documentationUrl}`]),
      ...(requestId === undefined ? [] : [`Request ID: ${requestId}`]),
    ];
    throw new CliError([message, ...more].map(forTerminal).join('\n'), 1, error);
  } finally {
    stopWatching();
  }
}

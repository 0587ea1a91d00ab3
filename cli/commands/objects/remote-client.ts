import type { ObjectClient } from '../../../client/objects/index.ts';
import { ExitError } from '../../../model/exit-error.ts';
import { endBySignal, watchSignals } from '../../terminal/interrupts.ts';
import { forTerminal } from '../../terminal/table.ts';
import { openClient, type RemoteOptions } from './remote.ts';

/**
 * Uses a client until it is done or Ctrl-C.
 * @throws ExitError with what the server or the network objects to, or the file system.
 */
export async function withClient<T>(
  options: RemoteOptions,
  use: (client: ObjectClient, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const client = await openClient(options);
  const stop = new AbortController();
  let stoppedBy: NodeJS.Signals | undefined;
  const stopWatching = watchSignals((signal, isFirst) => {
    if (!isFirst) endBySignal(signal);
    stoppedBy = signal;
    stop.abort();
  });
  try {
    return await use(client, stop.signal);
  } catch (error) {
    if (stoppedBy !== undefined) endBySignal(stoppedBy);
    throw await explain(error);
  } finally {
    stopWatching();
  }
}

async function explain(error: unknown): Promise<unknown> {
  const { ObjectClientError } = await import('../../../client/objects/index.ts');
  if (error instanceof ObjectClientError) {
    const { message, documentationUrl, requestId } = error;
    const lines = [
      message,
      ...(documentationUrl === undefined ? [] : [`See ${documentationUrl}`]),
      ...(requestId === undefined ? [] : [`Request ID: ${requestId}`]),
    ];
    return new ExitError(lines.map(forTerminal).join('\n'), 1, error);
  }
  const isOfFiles = error instanceof Error && 'code' in error && 'path' in error;
  if (!isOfFiles) return error;
  const [code, path] = [String(error.code), forTerminal(String(error.path))];
  return new ExitError(`${path} cannot be read or written (${code}).`, 1, error);
}

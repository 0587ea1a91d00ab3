import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { lstatSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import type { ApiClient } from '../../../client/waypoints/node/api-client.ts';
import { RequestFailure } from '../../../client/waypoints/request-failure.ts';
import { ExitError } from '../../../model/exit-error.ts';
import {
  importResultSchema,
  type ImportRequest,
  type ImportResult,
} from '../../../model/import.ts';
import { findProgram } from '../../terminal/access.ts';
import { note } from '../../terminal/output.ts';
import { forTerminal } from '../../terminal/text.ts';
import { converterOf } from './other-formats.ts';

/** A file takes a tenth of a second, and GPX has some ten times the bytes of other formats: what needs this is stuck. */
const usualBounds = { ms: 60_000, bytes: 16 * 2 ** 20 };
/** What larger files may take beside. */
const bytesPerMs = 1_000;
const growth = 64;

/** Why a file was not converted; fixed sentences. */
class NotConverted extends Error {}

/** @throws ExitError when gpsbabel is not installed. */
export function requireGpsbabel(): string {
  const program = findProgram('gpsbabel');
  if (program !== undefined) return program;
  throw new ExitError(
    'gpsbabel is not installed, or not in PATH; --convert needs it. Nothing was imported.',
  );
}

export interface ConvertOptions {
  readonly stopped: AbortSignal;
  /** Tests bring smaller ones. */
  readonly bounds?: typeof usualBounds;
  readonly tell?: (line: string) => void;
}

/**
 * Has gpsbabel convert what imports did not read, and imports what it makes of it: that goes to the daemon as it is written,
 * and lies nowhere else.
 * @returns the result of the import, and behind it those of the converted files.
 */
export async function convertUnread(
  client: ApiClient,
  program: string,
  { request, result }: { readonly request: ImportRequest; readonly result: ImportResult },
  options: ConvertOptions,
): Promise<ImportResult[]> {
  const { stopped, bounds = usualBounds, tell = note } = options;
  const converted = new Map<string, ImportResult>();
  for (const file of result.unsupported_files) {
    const format = converterOf(file);
    if (format === undefined || stopped.aborted) continue;
    try {
      const made = await convert(client, { program, format, request, file, bounds }, stopped);
      converted.set(file, { ...made, dir: result.dir });
    } catch (error) {
      // What was done before is told by the result.
      if (stopped.aborted) break;
      if (!(error instanceof NotConverted) && !(error instanceof RequestFailure)) throw error;
      tell(`${forTerminal(join(result.dir, file))} was not converted: ${sentenceOf(error)}`);
    }
  }
  return [without(result, converted), ...converted.values()];
}

interface Conversion {
  readonly program: string;
  readonly format: string;
  readonly request: ImportRequest;
  readonly file: string;
  readonly bounds: typeof usualBounds;
}

async function convert(
  client: ApiClient,
  conversion: Conversion,
  stopped: AbortSignal,
): Promise<ImportResult> {
  const { request, file } = conversion;
  const stats = lstatSync(join(request.dir, file), { throwIfNoEntry: false });
  if (stats?.isFile() !== true) throw new NotConverted('it is not a file that can be read.');
  let fault: unknown;
  const pieces = gpxOf(conversion, stats.size, stopped, (error) => (fault = error));
  try {
    return await client.ask(importResultSchema, 'PUT', '/api/imports', {
      query: {
        path: `${placeOf(request)}/${file.replaceAll(/[\\:]/g, '_')}.gpx`,
        // What was removed stays so.
        again: request.again ?? false,
      },
      bodyText: Readable.from(pieces),
      timeoutMs: 0,
    });
  } catch (error) {
    throw fault ?? error;
  }
}

/** What gpsbabel writes; ends only when that is whole, so that nothing else is imported. */
async function* gpxOf(
  { program, format, request, file, bounds }: Conversion,
  size: number,
  stopped: AbortSignal,
  onFault: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  const path = join(request.dir, file);
  const tooLong = AbortSignal.timeout(Math.round(bounds.ms + size / bytesPerMs));
  const child = spawn(
    program,
    ['-w', '-t', '-r', '-i', format, '-f', path, '-o', 'gpx', '-F', '-'],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
      signal: AbortSignal.any([tooLong, stopped]),
      killSignal: 'SIGKILL',
      // Without the time of the conversion, the same file becomes the same GPX each time.
      env: { ...process.env, GPSBABEL_FREEZE_TIME: '1' },
    },
  );
  const ended = once(child, 'close');
  // It is awaited below, unless something else fails before.
  ended.catch(() => {});
  try {
    let bytes = 0;
    for await (const piece of child.stdout as AsyncIterable<Uint8Array>) {
      bytes += piece.length;
      if (bytes > bounds.bytes + growth * size)
        throw new NotConverted('gpsbabel wrote far too much for it.');
      yield piece;
    }
    const [code] = await ended;
    if (code !== 0) throw new NotConverted('gpsbabel could not read it.');
  } catch (error) {
    const isTooLong = tooLong.aborted;
    const told = isTooLong ? new NotConverted('gpsbabel took too long.') : error;
    onFault(told);
    throw told;
  } finally {
    child.kill('SIGKILL');
    await ended.catch(() => undefined);
  }
}

/** A folder of the library for each folder of the user's, so that a file takes no other one's place. */
function placeOf({ dir, into }: ImportRequest): string {
  const digest = createHash('sha256').update(dir).digest('hex').slice(0, 6);
  const name = basename(dir).replaceAll(/[\\:]/g, '_').replace(/^\.+/, '');
  return [...(into === undefined ? [] : [into]), `${name} ${digest}`.trimStart()].join('/');
}

function without(result: ImportResult, converted: ReadonlyMap<string, unknown>): ImportResult {
  const isLeft = (file: string): boolean => !converted.has(file);
  const unsupported = result.unsupported_files.filter(isLeft);
  const skipped = result.skipped_files.filter(isLeft);
  return {
    ...result,
    unsupported_files: unsupported,
    unsupported: unsupported.length,
    skipped_files: skipped,
    skipped: skipped.length,
  };
}

function sentenceOf(error: Error): string {
  return error instanceof RequestFailure ? error.sentence : error.message;
}

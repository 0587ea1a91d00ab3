import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { RequestFailure } from '../../client/waypoints/request-failure.ts';
import { parseJson } from '../../model/parse-json.ts';
import { ExitError, usageError } from '../../model/exit-error.ts';
import { defineCommand } from '../program/command.ts';
import { requireDaemon } from '../program/connection.ts';
import { print, write } from '../terminal/output.ts';

const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'];
/** More than this is passed on as it comes: it is too long to read at a terminal, and indenting needs it whole. */
const maxPrettyBytes = 8_388_608;

export const command = defineCommand({
  name: 'api',
  summary: "call the running daemon's API",
  description:
    "Calls the running daemon's API with its token and prints the answer. The exit code is 1 for an error answer, whose message goes to standard error.",
  usage: 'PATH [-X METHOD] [-d DATA]\n       waypointd api METHOD PATH [-d DATA]',
  arguments: '<words...>',
  options: {
    '-X, --method <method>': 'GET unless there is data, then POST',
    '-d, --data <data>': 'the JSON to send: @FILE, - for standard input, or the text itself',
  },
  examples: [
    'api /api/version',
    'api "/api/clusters?zoom=3"',
    `api POST /api/history -d '{"query":"fini"}'`,
    'api DELETE /api/import',
    'api /api/openapi.json > openapi.json',
  ],
  async run({ context, words: [words], options }) {
    const { method, path } = readCall(words, options);
    const body = options.data === undefined ? undefined : await readData(options.data);
    const { client } = await requireDaemon(context);
    try {
      await show(client.texts(method, path, { body, silenceMs: 0 }));
    } catch (error) {
      if (!(error instanceof RequestFailure) || error.status === 0) throw error;
      const { status, code = 'unknown', sentence } = error;
      const field = error.field === undefined ? '' : ` (${error.field})`;
      throw new ExitError(`HTTP ${status} ${code}: ${sentence}${field}`);
    }
  },
});

function readCall(
  words: readonly string[],
  { method, data }: Readonly<Record<'method' | 'data', string | undefined>>,
) {
  const [first = '', second, ...others] = words;
  if (others.length > 0 || (second !== undefined && method !== undefined)) {
    throw usageError('Give one PATH, or METHOD PATH.');
  }
  const path = second ?? first;
  const chosen = second === undefined ? method : first;
  // Two slashes would name another host, and this request carries the token.
  if (!/^\/(?!\/)[\x21-\x7E]*$/u.test(path) || path.includes('\\')) {
    throw usageError('PATH begins with one slash, such as /api/version, and is URL-encoded.');
  }
  const name = (chosen ?? (data === undefined ? 'GET' : 'POST')).toUpperCase();
  if (!methods.includes(name)) throw usageError(`METHOD is one of ${methods.join(', ')}.`);
  return { method: name, path };
}

async function readData(data: string): Promise<string> {
  if (data === '-') return readAll(process.stdin);
  if (!data.startsWith('@')) return data;
  try {
    return await readFile(data.slice(1), 'utf8');
  } catch (cause) {
    throw new ExitError('The file named after @ cannot be read.', 1, cause);
  }
}

/** Indents JSON at a terminal; everything else passes through unchanged and is never held whole. */
async function show(pieces: AsyncIterable<string>): Promise<void> {
  let held: string | undefined = process.stdout.isTTY ? '' : undefined;
  for await (const piece of pieces) {
    if (held === undefined) {
      await write(piece);
    } else {
      held += piece;
      if (held.length <= maxPrettyBytes) continue;
      await write(held);
      held = undefined;
    }
  }
  if (held === undefined || held === '') return;
  const value = parseJson(held);
  await print(value === undefined ? held : JSON.stringify(value, null, 2));
}

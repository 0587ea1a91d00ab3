import { errorCode } from './error-code.ts';
import { packageUrl } from './program-files.ts';

const mostFrames = 8;
/** `file:line:column` at the end of a stack frame, maybe in brackets. */
const frameEnd = /^\s+at (?:.*\()?([^()]+):(\d+):(\d+)\)?$/;
const plainWord = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/** Words a log may hold about a foreign error. */
export interface ErrorDescription extends Record<string, string> {
  readonly error: string;
}

/** Gives the URL and line in the sources of a place in the bundle; undefined where it is in the sources already. */
type SourcePlaces = (url: string, line: number, column: number) => [string, number] | undefined;

let findSource: SourcePlaces = () => undefined;

/** Lets descriptions name sources where the bundle runs; how, only a module that reads files can know. */
export function nameSources(find: SourcePlaces): void {
  findSource = find;
}

/**
 * Describes an error without its message: the messages of SQLite, of the file system and of parsers can hold a path, a
 * name or a piece of input. What stays is its class, its code word and where in this program it rose.
 */
export function describeError(error: unknown): ErrorDescription {
  if (!(error instanceof Error)) return { error: typeof error };
  const at = ownFrames(error).join(' < ');
  const code = plain(errorCode(error));
  return {
    error: plain(Object.hasOwn(error, 'name') ? error.name : error.constructor.name) ?? 'Error',
    ...(code !== undefined && { error_code: code }),
    ...(at !== '' && { at }),
  };
}

function plain(value: unknown): string | undefined {
  return typeof value === 'string' && plainWord.test(value) ? value : undefined;
}

/** Frames inside this program, as `folder/file.ts:line`. */
function ownFrames({ stack = '', message }: Error): string[] {
  // The stack begins with the message, whose lines could look like frames.
  const messageStart = stack.indexOf(message);
  if (messageStart === -1) return [];
  const frames: string[] = [];
  for (const line of stack.slice(messageStart + message.length).split('\n')) {
    const [, file, lineNumber, column] = frameEnd.exec(line) ?? [];
    const url = file === undefined ? '' : urlOf(file);
    if (!url.startsWith(packageUrl.href)) continue;
    const place = findSource(url, Number(lineNumber), Number(column)) ?? [url, Number(lineNumber)];
    const path = ownPath(place[0]);
    if (path !== undefined && frames.length < mostFrames) frames.push(`${path}:${place[1]}`);
  }
  return frames;
}

/** Modules stand in a stack by their URL, CommonJS by its path. */
function urlOf(file: string): string {
  if (file.startsWith('file:')) return file;
  const path = encodeURI(file.replaceAll('\\', '/')).replaceAll('#', '%23').replaceAll('?', '%3F');
  return `file://${path.startsWith('/') ? '' : '/'}${path}`;
}

function ownPath(url: string): string | undefined {
  const path = decodeURI(url.slice(packageUrl.href.length));
  return path.startsWith('node_modules/') ? undefined : path;
}

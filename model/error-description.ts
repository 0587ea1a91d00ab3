/** With a slash at its end, like the places in stack frames a URL. */
const programRoot = new URL('..', import.meta.url).href;
const mostFrames = 8;
/** `file:line:column` at the end of a stack frame, maybe in brackets. */
const frameEnd = /^\s+at (?:.*\()?([^()]+):(\d+):\d+\)?$/;
const plainWord = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/** What a log may say about a foreign error. */
export interface ErrorDescription extends Record<string, string> {
  readonly error: string;
}

/**
 * Describes an error without its message: the messages of SQLite, of the file system and of parsers can hold a path, a
 * name or a piece of input. What stays is its class, its code word and where in this program it rose.
 */
export function describeError(error: unknown): ErrorDescription {
  if (!(error instanceof Error)) return { error: typeof error };
  const at = ownFrames(error).join(' < ');
  const code = 'code' in error ? plain(error.code) : undefined;
  return {
    error: plain(error.constructor.name) ?? 'Error',
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
    const [, place = '', lineNumber = ''] = frameEnd.exec(line) ?? [];
    const path = ownPath(place);
    if (path !== undefined && frames.length < mostFrames) frames.push(`${path}:${lineNumber}`);
  }
  return frames;
}

function ownPath(place: string): string | undefined {
  if (!place.startsWith(programRoot) || place.includes('node_modules')) return undefined;
  return decodeURI(place.slice(programRoot.length));
}

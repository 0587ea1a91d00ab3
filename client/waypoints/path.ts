/** Values of query parameters, those of a list with commas between; what is undefined is left out. */
export type Query = Readonly<
  Record<string, string | number | boolean | readonly (string | number)[] | undefined>
>;

export function withQuery(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** A path without its query and fragment: what it names, without what was asked. */
export function withoutQuery(path: string): string {
  return path.replace(/[?#].*$/su, '');
}

/**
 * Tells whether a caller's path stays on the origin of the API and below its base: exactly one slash at the begin, and
 * nothing that the parser of addresses would read as another host or a way up.
 */
export function staysOnOrigin(path: string): boolean {
  if (!path.startsWith('/') || path.startsWith('//')) return false;
  // The parser drops tabs and line feeds, so that "/\t/host" would be "//host", and takes a backslash for a slash.
  if (hiddenOrBackslash.test(path)) return false;
  return !withoutQuery(path)
    .split('/')
    .some((segment) => wayUp.test(segment));
}

// oxlint-disable-next-line no-control-regex -- these are what it looks for
const hiddenOrBackslash = /[\u0000-\u0020\u007F\\]/u;
/** `..`, however it is written. */
const wayUp = /^(?:\.|%2e){2}$/iu;

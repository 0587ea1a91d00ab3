import { refuseControls, UnfitText } from '../service-program.ts';

/**
 * Quotes the program of ExecStart=. Specifiers (`%`) are replaced in it and escapes understood, but `$` cannot be
 * written at all: systemd.service(5) replaces no variables there and knows no `$$`.
 */
export function programWord(path: string): string {
  if (path.includes('$')) {
    throw new UnfitText(`systemd cannot start a program whose path has a $ in it: ${path}`);
  }
  return quoted(path);
}

/** Quotes an argument of ExecStart=: also `$`, which would begin a variable. */
export function argumentWord(text: string): string {
  return quoted(text).replaceAll('$', '$$$$');
}

/** Quotes an assignment of Environment=, or any other word with C escapes. */
function quoted(text: string): string {
  refuseControls(text);
  const escaped = text.replaceAll('\\', String.raw`\\`).replaceAll('"', String.raw`\"`);
  return `"${escaped.replaceAll('%', '%%')}"`;
}

/**
 * Quotes a path of ReadWritePaths= and its like. A backslash is an ordinary character there, so a quotation mark cannot
 * be escaped; but a word may be made of several quoted parts.
 */
export function pathWord(path: string): string {
  refuseControls(path);
  const parts = path.replaceAll('%', '%%').split('"');
  return parts.map((part) => `"${part}"`).join(`'"'`);
}

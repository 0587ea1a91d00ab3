import { refuseControls, unfitText } from '../service-program.ts';

/**
 * Quotes the program of ExecStart=. Specifiers (`%`) are replaced in it and have to be doubled; quotation marks and
 * backslashes are refused by systemd however they are written, and a `$` finds no program.
 */
export function programWord(path: string): string {
  const refused = /["'\\$]/u.exec(path)?.[0];
  if (refused !== undefined) {
    throw unfitText(`systemd cannot start a program whose path has a ${refused} in it: ${path}`);
  }
  return quoted(path);
}

/** Quotes an argument of ExecStart=: also `$`, which would begin a variable. */
export function argumentWord(text: string): string {
  return quoted(text).replaceAll('$', '$$$$');
}

/** Quotes a path of ReadWritePaths= and its like. */
export function pathWord(path: string): string {
  return quoted(path);
}

/** Escapes of C are understood in quoted words, and specifiers replaced. */
function quoted(text: string): string {
  refuseControls(text);
  const escaped = text.replaceAll('\\', String.raw`\\`).replaceAll('"', String.raw`\"`);
  return `"${escaped.replaceAll('%', '%%')}"`;
}

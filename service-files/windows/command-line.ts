import { refuseControls, unfitText } from '../service-program.ts';

/**
 * Quotes a word for a Windows command line, as CommandLineToArgvW and the C runtime split it again: backslashes count
 * only in front of a quotation mark, and the one at the end stands in front of ours.
 */
function quoteWord(word: string): string {
  refuseControls(word);
  const escaped = word.replaceAll(/(\\*)"/gu, String.raw`$1$1\"`).replace(/(\\+)$/u, '$1$1');
  return `"${escaped}"`;
}

export function commandLine(words: readonly string[]): string {
  return words.map(quoteWord).join(' ');
}

/**
 * Windows replaces `%NAME%` in the command of a task or service, and Task Scheduler `$(Arg0)`, by what it knows of that
 * name, and neither can be escaped.
 * @throws ExitError
 */
export function refuseVariables(text: string): void {
  if (!/%[^%\\/:]+%|\$\(/u.test(text)) return;
  throw unfitText(
    `Windows would replace a part of this path, because %…% and $( have a meaning to it: ${text}`,
  );
}

/** One word: runs of bare text, of `"…"` and of `'…'` with nothing between them. A backslash is itself (Windows). */
const wordPattern = /\s*((?:[^\s"']|"[^"]*"|'[^']*')+)\s*/y;
const quotedPattern = /"([^"]*)"|'([^']*)'/g;

/**
 * Splits a command into its program and arguments at blanks outside quotes. Nothing is replaced in them: there is no
 * shell.
 * @returns undefined when there is no word, a quote is left open, or a NUL is in it.
 */
export function splitCommand(command: string): [program: string, ...words: string[]] | undefined {
  if (command.includes('\0')) return undefined;
  const words: string[] = [];
  wordPattern.lastIndex = 0;
  while (wordPattern.lastIndex < command.length) {
    const match = wordPattern.exec(command);
    if (match === null) return undefined;
    words.push(match[1]!.replace(quotedPattern, (_, double = '', single = '') => double + single));
  }
  const [program, ...rest] = words;
  return program === undefined || program === '' ? undefined : [program, ...rest];
}

import { shellWord } from '../terminal/invocation.ts';
import type { CommandLine } from './command-line.ts';

/** A command as a person would type it. */
export function commandText({ program, words }: CommandLine): string {
  return [program, ...words].map(shellWord).join(' ');
}

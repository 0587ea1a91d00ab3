import { parseJson } from '../../model/parse-json.ts';
import type { CommandLine } from '../command-line.ts';

/** A PowerShell script as a command: the older tools of Windows print in the user's language, it gives values. */
export function powershell(script: string): CommandLine {
  return {
    program: 'powershell.exe',
    words: ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', script],
  };
}

export function powershellText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export function tailCommand(file: string, lines: number, follow: boolean): CommandLine {
  const wait = follow ? ' -Wait' : '';
  return powershell(
    `Get-Content -Encoding UTF8 -Tail ${lines}${wait} -LiteralPath ${powershellText(file)}`,
  );
}

export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null ? { ...value } : undefined;
}

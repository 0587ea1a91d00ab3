import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { objectLimits } from '../../../model/objects.ts';
import { ExitError, usageError } from '../../../model/exit-error.ts';

/**
 * Reads a password: one line of standard input, or typed at the terminal without being shown. Never an argument, which
 * every user of the machine could read.
 * @throws ExitError
 */
export async function readPassword(isFromStdin: boolean): Promise<string> {
  if (isFromStdin) return checked(await readLine());
  if (!process.stdin.isTTY) {
    throw usageError('There is no terminal to ask for the password: give --password-stdin.');
  }
  return checked(await typeHidden('Password: '));
}

/** As {@link readPassword}, typed twice, and long enough. */
export async function readNewPassword(isFromStdin: boolean): Promise<string> {
  const first = await readPassword(isFromStdin);
  if ([...first].length < objectLimits.passwordCodePoints) {
    throw usageError(`A password has at least ${objectLimits.passwordCodePoints} characters.`);
  }
  if (isFromStdin) return first;
  if ((await typeHidden('Again: ')) !== first) {
    throw new ExitError('The two are not the same. Nothing was changed.');
  }
  return first;
}

function checked(password: string): string {
  if (password === '') throw usageError('An empty password is not accepted.');
  if (Buffer.byteLength(password) > objectLimits.passwordBytes / 2) {
    throw usageError('The password is too long.');
  }
  return password;
}

async function readLine(): Promise<string> {
  let text = '';
  for await (const piece of process.stdin.setEncoding('utf8')) {
    text += piece as string;
    if (text.includes('\n') || text.length > objectLimits.passwordBytes) break;
  }
  return text.split(/\r?\n/u, 1)[0] ?? '';
}

/** Reads a line that the terminal does not show: a line editor whose output goes nowhere. */
async function typeHidden(prompt: string): Promise<string> {
  const output = new Writable({ write: (_piece, _encoding, done) => done() });
  const editor = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  editor.once('line', resolve);
  editor.once('SIGINT', () => reject(new ExitError('Nothing was changed.')));
  // Ctrl-D ends an input that is then empty.
  editor.once('close', () => resolve(''));
  process.stderr.write(prompt);
  try {
    return await promise;
  } finally {
    editor.close();
    process.stderr.write('\n');
  }
}

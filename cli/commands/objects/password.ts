import { objectLimits } from '../../../model/objects.ts';
import { ExitError, usageError } from '../../../model/exit-error.ts';

const [interrupt, endOfInput, backspace, erase] = ['\u0003', '\u0004', '\u0008', '\u007F'];

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

/** As {@link readPassword}, typed twice. */
export async function readNewPassword(isFromStdin: boolean): Promise<string> {
  const first = await readPassword(isFromStdin);
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

function typeHidden(prompt: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(prompt);
  stdin.setRawMode(true).setEncoding('utf8').resume();
  return new Promise((resolve, reject) => {
    let typed = '';
    const finish = (settle: () => void): void => {
      stdin.off('data', onData).setRawMode(false).pause();
      stderr.write('\n');
      settle();
    };
    const onData = (keys: string): void => {
      for (const key of keys) {
        if (key === '\r' || key === '\n' || key === endOfInput) {
          finish(() => resolve(typed));
          return;
        }
        if (key === interrupt) {
          finish(() => reject(new ExitError('Nothing was changed.')));
          return;
        }
        typed = key === backspace || key === erase ? typed.slice(0, -1) : typed + key;
      }
    };
    stdin.on('data', onData);
  });
}

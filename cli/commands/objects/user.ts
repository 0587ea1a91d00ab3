import type { Command } from 'commander';
import { ExitError } from '../../../model/exit-error.ts';
import { note, print, printJson } from '../../terminal/output.ts';
import { readNewPassword } from './password.ts';
import {
  checkUserName,
  requireUser,
  withRoot,
  withRootOptions,
  type RootOptions,
} from './with-root.ts';

interface PasswordOptions extends RootOptions {
  readonly passwordStdin?: boolean;
}

/** `waypointd objects user add|passwd|list|rm` */
export function registerUser(objects: Command): void {
  const user = objects
    .command('user')
    .summary('who may log in')
    .description('Users of the object server. What each may do is granted with "objects grant".');
  registerAdd(user);
  registerPasswd(user);
  registerList(user);
  registerRemove(user);
}

function registerAdd(user: Command): void {
  withRootOptions(user.command('add <name>'))
    .description('Adds a user and asks for a password.')
    .option('--password-stdin', 'read the password from standard input')
    .action(async (name: string, options: PasswordOptions, command: Command) => {
      checkUserName(name);
      await withRoot(
        command,
        options,
        async ({ directory }) => {
          if ((await directory.findUser(name)) !== undefined)
            throw new ExitError(`There is a user ${name}.`);
          const stored = await hash(options);
          if (!(await directory.addUser(name, stored, Date.now()))) {
            throw new ExitError(`There is a user ${name}.`);
          }
        },
        true,
      );
      await tell(options, { user: name }, `Added ${name}.`);
    });
}

function registerPasswd(user: Command): void {
  withRootOptions(user.command('passwd <name>'))
    .description('Changes a password.')
    .option('--password-stdin', 'read the password from standard input')
    .action(async (name: string, options: PasswordOptions, command: Command) => {
      await withRoot(command, options, async (root) => {
        await requireUser(root, name);
        await root.directory.setPassword(name, await hash(options));
      });
      await tell(options, { user: name }, `Changed the password of ${name}.`);
    });
}

async function hash({ passwordStdin }: PasswordOptions): Promise<string> {
  const { hashPassword } = await import('../../../objects/passwords.ts');
  return hashPassword(await readNewPassword(passwordStdin === true));
}

function registerList(user: Command): void {
  withRootOptions(user.command('list'))
    .description('Lists the users.')
    .action(async (options: RootOptions, command: Command) => {
      const names = await withRoot(command, options, async ({ directory }) =>
        (await directory.users()).map(({ name }) => name),
      );
      if (options.json === true) return printJson(names);
      for (const name of names) await print(name);
      if (names.length === 0) note('There are no users yet: objects user add NAME');
    });
}

function registerRemove(user: Command): void {
  withRootOptions(user.command('rm <name>'))
    .description('Removes a user; the objects that the user has sent stay.')
    .action(async (name: string, options: RootOptions, command: Command) => {
      await withRoot(command, options, async (root) => {
        const { name: stored } = await requireUser(root, name);
        await root.directory.removeUser(stored);
      });
      await tell(options, { removed: name }, `Removed ${name}.`);
    });
}

async function tell(options: RootOptions, json: object, sentence: string): Promise<void> {
  await (options.json === true ? printJson(json) : print(sentence));
}

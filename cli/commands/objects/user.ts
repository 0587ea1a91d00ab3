import { ExitError } from '../../../model/exit-error.ts';
import { defineCommand } from '../../program/command.ts';
import { note, print } from '../../terminal/output.ts';
import { readNewPassword } from './password.ts';
import { checkUserName, requireUser, rootOptions, withRoot } from './with-root.ts';

const passwordOptions = {
  ...rootOptions,
  '--password-stdin': 'read the password from standard input',
} as const;

const add = defineCommand({
  name: 'add',
  description: 'Adds a user and asks for a password.',
  arguments: '<name>',
  options: passwordOptions,
  async run(call) {
    const user = checkUserName(call.words[0]);
    const taken = new ExitError(`There is a user ${user}.`);
    await withRoot(
      call,
      async ({ directory }) => {
        if ((await directory.findUser(user)) !== undefined) throw taken;
        const stored = await askForHash(call.options.passwordStdin);
        if (!(await directory.addUser(user, stored, Date.now()))) throw taken;
      },
      true,
    );
    return { user };
  },
  show: ({ user }) => print(`Added ${user}.`),
});

const passwd = defineCommand({
  name: 'passwd',
  description: 'Changes a password.',
  arguments: '<name>',
  options: passwordOptions,
  async run(call) {
    const [user] = call.words;
    await withRoot(call, async (root) => {
      await requireUser(root, user);
      await root.directory.setPassword(user, await askForHash(call.options.passwordStdin));
    });
    return { user };
  },
  show: ({ user }) => print(`Changed the password of ${user}.`),
});

async function askForHash(isFromStdin: boolean): Promise<string> {
  const { hashPassword } = await import('../../../objects/passwords.ts');
  return hashPassword(await readNewPassword(isFromStdin));
}

const list = defineCommand({
  name: 'list',
  description: 'Lists the users.',
  options: rootOptions,
  run: (call) =>
    withRoot(call, async ({ directory }) => (await directory.users()).map(({ name }) => name)),
  async show(names) {
    for (const name of names) await print(name);
    if (names.length === 0) note('There are no users yet: objects user add NAME');
  },
});

const remove = defineCommand({
  name: 'rm',
  description: 'Removes a user; the objects that the user has sent stay.',
  arguments: '<name>',
  options: rootOptions,
  async run(call) {
    const [removed] = call.words;
    await withRoot(call, async (root) => {
      await root.directory.removeUser((await requireUser(root, removed)).name);
    });
    return { removed };
  },
  show: ({ removed }) => print(`Removed ${removed}.`),
});

/** `waypointd objects user add|passwd|list|rm` */
export const user = defineCommand({
  name: 'user',
  group: 'Who and what:',
  summary: 'who may log in',
  description: 'Users of the object server. What each may do is granted with "objects grant".',
  commands: [add, passwd, list, remove],
});

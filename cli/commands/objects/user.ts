import { ExitError, usageError } from '../../../model/exit-error.ts';
import { defineCommand } from '../../program/command.ts';
import { note } from '../../terminal/output.ts';
import { tableLines } from '../../terminal/table.ts';
import { readNewPassword } from './password.ts';
import {
  checkUserName,
  requireRepository,
  requireUser,
  rootOptions,
  withRoot,
} from './with-root.ts';

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
    await withRoot({ ...call, mayCreate: true }, async ({ directory }) => {
      if ((await directory.findUser(user)) !== undefined) throw taken;
      const stored = await askForHash(call.options.passwordStdin);
      if (!(await directory.addUser(user, stored, Date.now()))) throw taken;
    });
    return { user };
  },
  show: ({ user }) => `Added ${user}.`,
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
  show: ({ user }) => `Changed the password of ${user}.`,
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
  show(names) {
    if (names.length === 0) note('There are no users yet: objects user add NAME');
    return names;
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
  show: ({ removed }) => `Removed ${removed}.`,
});

export const user = defineCommand({
  name: 'user',
  group: 'Who and what:',
  summary: 'who may log in',
  description: 'Users of the object server. What each may do is granted with "objects grant".',
  commands: [add, passwd, list, remove],
});

const grant = defineCommand({
  name: 'grant',
  summary: 'let a user read, or read and write',
  description: 'Lets a user read a repository, or read and write it.',
  arguments: '<user> <owner/name> <read|write>',
  options: rootOptions,
  async run(call) {
    const [user, repository, access] = call.words;
    if (access !== 'read' && access !== 'write') throw usageError('Access is read or write.');
    await withRoot(call, async (root) => {
      const { id } = await requireUser(root, user);
      await root.directory.grant(id, (await requireRepository(root, repository)).id, access);
    });
    return { user, repository, access };
  },
  show: ({ user, repository, access }) =>
    `${user} may ${access === 'write' ? 'read and write' : 'read'} ${repository}.`,
});

const revoke = defineCommand({
  name: 'revoke',
  summary: "revoke a user's access",
  description: "Revokes a user's access to a repository.",
  arguments: '<user> <owner/name>',
  options: rootOptions,
  async run(call) {
    const [user, repository] = call.words;
    await withRoot(call, async (root) => {
      const { id } = await requireRepository(root, repository);
      if (!(await root.directory.revoke((await requireUser(root, user)).id, id))) {
        throw new ExitError(`${user} was granted nothing in ${repository}.`);
      }
    });
    return { user, repository, access: null };
  },
  show: ({ user, repository }) => `Revoked ${user}'s access to ${repository}.`,
});

const access = defineCommand({
  name: 'access',
  summary: 'list who may do what',
  arguments: '[owner/name]',
  options: rootOptions,
  run: (call) =>
    withRoot(call, async (root) => {
      const [path] = call.words;
      const id = path === undefined ? undefined : (await requireRepository(root, path)).id;
      return root.directory.grants(id);
    }),
  show: (grants) =>
    tableLines(
      [
        { title: 'REPOSITORY', text: ({ repository }) => repository },
        { title: 'USER', text: ({ user }) => user },
        { title: 'ACCESS', text: (row) => row.access },
      ],
      grants,
      'Nobody was granted anything: objects grant USER OWNER/NAME read|write',
    ),
});

export const accessCommands = [grant, revoke, access];

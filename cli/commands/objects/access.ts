import { ExitError, usageError } from '../../../model/exit-error.ts';
import { defineCommand } from '../../program/command.ts';
import { note, print } from '../../terminal/output.ts';
import { printTable } from '../../terminal/table.ts';
import { requireRepository, requireUser, rootOptions, withRoot } from './with-root.ts';

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
    print(`${user} may ${access === 'write' ? 'read and write' : 'read'} ${repository}.`),
});

const revoke = defineCommand({
  name: 'revoke',
  summary: 'take that back',
  description: 'Takes back what a user was granted.',
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
  show: ({ user, repository }) => print(`${user} was let out of ${repository}.`),
});

const access = defineCommand({
  name: 'access',
  summary: 'list who may do what',
  description: 'Lists who may do what.',
  arguments: '[owner/name]',
  options: rootOptions,
  run: (call) =>
    withRoot(call, async (root) => {
      const [path] = call.words;
      const id = path === undefined ? undefined : (await requireRepository(root, path)).id;
      return root.directory.grants(id);
    }),
  show(grants) {
    if (grants.length === 0) {
      return note('Nobody was granted anything: objects grant USER OWNER/NAME read|write');
    }
    return printTable(
      [
        { title: 'REPOSITORY', text: ({ repository }) => repository },
        { title: 'USER', text: ({ user }) => user },
        { title: 'ACCESS', text: (row) => row.access },
      ],
      grants,
    );
  },
});

/** `waypointd objects grant|revoke|access` */
export const accessCommands = [grant, revoke, access];

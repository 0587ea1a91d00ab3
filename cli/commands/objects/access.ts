import type { Command } from 'commander';
import { ExitError, usageError } from '../../../model/exit-error.ts';
import { note, print, printJson, terminalWidth } from '../../terminal/output.ts';
import { layOut, tableLine, titleLine, type Column } from '../../terminal/table.ts';
import {
  requireRepository,
  requireUser,
  withRoot,
  withRootOptions,
  type RootOptions,
} from './with-root.ts';

const columns: readonly Column[] = [
  { title: 'REPOSITORY' },
  { title: 'USER' },
  { title: 'ACCESS' },
];

/** `waypointd objects grant|revoke|access` */
export function registerAccess(objects: Command): void {
  registerGrant(objects);
  registerRevoke(objects);
  registerShow(objects);
}

function registerGrant(objects: Command): void {
  withRootOptions(objects.command('grant <user> <owner/name> <read|write>'))
    .summary('let a user read, or read and write')
    .description('Lets a user read a repository, or read and write it.')
    .action(
      async (
        name: string,
        path: string,
        access: string,
        options: RootOptions,
        command: Command,
      ) => {
        if (access !== 'read' && access !== 'write') throw usageError('Access is read or write.');
        await withRoot(command, options, async (root) => {
          const user = await requireUser(root, name);
          const repository = await requireRepository(root, path);
          await root.directory.grant(user.id, repository.id, access);
        });
        const json = { user: name, repository: path, access };
        const may = access === 'write' ? 'read and write' : 'read';
        await (options.json === true ? printJson(json) : print(`${name} may ${may} ${path}.`));
      },
    );
}

function registerRevoke(objects: Command): void {
  withRootOptions(objects.command('revoke <user> <owner/name>'))
    .summary('take that back')
    .description('Takes back what a user was granted.')
    .action(async (name: string, path: string, options: RootOptions, command: Command) => {
      await withRoot(command, options, async (root) => {
        const repository = await requireRepository(root, path);
        const user = await requireUser(root, name);
        if (!(await root.directory.revoke(user.id, repository.id))) {
          throw new ExitError(`${name} was granted nothing in ${path}.`);
        }
      });
      const json = { user: name, repository: path, access: null };
      await (options.json === true ? printJson(json) : print(`${name} was let out of ${path}.`));
    });
}

function registerShow(objects: Command): void {
  withRootOptions(objects.command('access [owner/name]'))
    .summary('list who may do what')
    .description('Lists who may do what.')
    .action(async (path: string | undefined, options: RootOptions, command: Command) => {
      const grants = await withRoot(command, options, async (root) =>
        root.directory.grants(
          path === undefined ? undefined : (await requireRepository(root, path)).id,
        ),
      );
      if (options.json === true) return printJson(grants);
      if (grants.length === 0)
        return note('Nobody was granted anything: objects grant USER OWNER/NAME read|write');
      const lines = grants.map(({ repository, user, access }) => [repository, user, access]);
      const layout = layOut(columns, lines, terminalWidth());
      await print(titleLine(layout));
      for (const line of lines) await print(tableLine(layout, line));
    });
}

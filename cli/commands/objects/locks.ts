import { ExitError } from '../../../model/exit-error.ts';
import { objectLimits } from '../../../model/objects.ts';
import { defineCommand } from '../../program/command.ts';
import { tableLines } from '../../terminal/table.ts';
import { forTerminal } from '../../terminal/text.ts';
import { requireRepository, rootOptions, withRoot } from './with-root.ts';

export const locks = defineCommand({
  name: 'locks',
  summary: 'list locked files, or unlock one',
  description:
    'Lists the files of a repository that a user has locked ("git lfs lock"), or unlocks one, whoever holds it.',
  arguments: '<owner/name>',
  options: { ...rootOptions, '--unlock <path>': 'unlock this file' },
  run: (call) =>
    withRoot(call, async (root) => {
      const { id: repositoryId } = await requireRepository(root, call.words[0]);
      const path = call.options.unlock;
      if (path !== undefined) {
        const found = await root.locks.find({ repositoryId, path });
        const isGone = found && (await root.locks.remove({ repositoryId, id: found.id }));
        if (isGone !== true) throw new ExitError(`${forTerminal(path)} is not locked.`);
        return { unlocked: path };
      }
      const all = await root.locks.page({ repositoryId }, 0, objectLimits.locks);
      return all.map(({ lockedMs, path: locked, owner }) => ({
        path: locked,
        owner,
        locked_at: new Date(lockedMs).toISOString(),
      }));
    }),
  show(outcome) {
    if ('unlocked' in outcome) return `Unlocked ${outcome.unlocked}.`;
    return tableLines(
      [
        { title: 'PATH', text: ({ path }) => path },
        { title: 'USER', text: ({ owner }) => owner },
        { title: 'SINCE', text: (row) => row.locked_at },
      ],
      outcome,
      'Nothing is locked.',
    );
  },
});

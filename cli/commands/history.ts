import { limits } from '../../model/limits.ts';
import { usageError } from '../../model/exit-error.ts';
import { defineCommand } from '../program/command.ts';
import { withDaemon } from '../program/connection.ts';
import { note, print } from '../terminal/output.ts';
import { counted } from '../terminal/text.ts';

const clear = defineCommand({
  name: 'clear',
  summary: 'forget all searches, or one',
  description: 'Forgets all recent searches, or only one.',
  arguments: '[query]',
  run: ({ context, words: [query] }) =>
    withDaemon({ context }, async (client) => ({ deleted: await client.clearHistory(query) })),
  async show({ deleted }, { context }) {
    const { copiesWithHistory } = await import('../../storage/waypoints/history.ts');
    await print(`Forgot ${counted(deleted, 'search', 'searches')}.`);
    for (const copy of copiesWithHistory(context.paths.backups))
      note(
        `A copy from before an upgrade still holds searches; delete it if you need it no more: ${copy}`,
      );
  },
});

export const command = defineCommand({
  name: 'history',
  summary: 'print or clear the recent searches',
  description: 'Prints the recent searches of the programs that use the daemon, newest first.',
  options: {
    '-n, --limit <count>': {
      help: `how many, 1 to ${limits.recentMax}`,
      default: String(limits.recentDefault),
    },
  },
  notes: 'Nothing is remembered after: waypointd config set history false',
  commands: [clear],
  run({ context, options }) {
    const limit = options.limit.trim();
    if (!/^\d+$/u.test(limit) || Number(limit) < 1 || Number(limit) > limits.recentMax) {
      throw usageError(`--limit is a whole number from 1 to ${limits.recentMax}.`);
    }
    return withDaemon({ context }, (client) => client.getRecentSearches(Number(limit)));
  },
  show({ queries }) {
    if (queries.length === 0) note('There are no recent searches.');
    return queries;
  },
});

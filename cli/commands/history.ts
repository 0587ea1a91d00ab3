import type { Command } from 'commander';
import { limits } from '../../model/limits.ts';
import { deletedHistorySchema, recentSchema } from '../../model/search.ts';
import { usageError } from '../../model/exit-error.ts';
import { withDaemon } from '../program/connection.ts';
import { commandContext } from '../program/context.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { forTerminal } from '../terminal/table.ts';
import { counted } from '../terminal/wording.ts';

interface HistoryOptions {
  readonly limit?: string;
  readonly json?: boolean;
}

/** `waypointd history` and `history clear` */
export function registerHistory(program: Command): void {
  const history = program
    .command('history')
    .summary('print or clear the recent searches')
    .description('Prints the recent searches of the programs that use the daemon, newest first.')
    .option(
      '-n, --limit <count>',
      `how many, 1 to ${limits.recentMax}`,
      String(limits.recentDefault),
    )
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      `
Nothing is remembered after: waypointd config set history false`,
    )
    .action(async (options: HistoryOptions, command: Command) => {
      const limit = options.limit?.trim() ?? '';
      if (!/^\d+$/u.test(limit) || Number(limit) < 1 || Number(limit) > limits.recentMax) {
        throw usageError(`--limit is a whole number from 1 to ${limits.recentMax}.`);
      }
      const recent = await withDaemon(commandContext(command), (client) =>
        client.ask(recentSchema, 'GET', '/api/recent_suggest', { query: { limit } }),
      );
      if (options.json === true) return printJson(recent);
      if (recent.queries.length === 0) return note('There are no recent searches.');
      for (const query of recent.queries) await print(forTerminal(query));
    });

  history
    .command('clear [query]')
    .summary('forget all searches, or one')
    .description('Forgets all recent searches, or only one.')
    .option('--json', 'print the answer as JSON')
    .action(async (query: string | undefined, _: unknown, command: Command) => {
      const answer = await withDaemon(commandContext(command), (client) =>
        client.ask(deletedHistorySchema, 'DELETE', '/api/history', { query: { query } }),
      );
      const isJson = command.optsWithGlobals()['json'] === true;
      if (isJson) return printJson(answer);
      await print(`Forgot ${counted(answer.deleted, 'search', 'searches')}.`);
    });
}

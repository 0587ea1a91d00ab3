import { changeWords } from '../../model/change-words.ts';
import type { ChangeAnswer, ChangeDetail } from '../../model/change.ts';
import { usageError } from '../../model/exit-error.ts';
import { limits } from '../../model/limits.ts';
import { correctionText } from '../../model/timeline-words.ts';
import { defineCommand } from '../program/command.ts';
import { withDaemon } from '../program/connection.ts';
import { tableLines, type TableColumn } from '../terminal/table.ts';
import { forTerminal } from '../terminal/text.ts';

const columns: readonly TableColumn<ChangeAnswer>[] = [
  { title: 'ID', align: 'right', text: ({ id }) => String(id) },
  { title: 'WHEN', text: ({ at }) => at.replace('T', ' ').replace(/(?:\.\d+)?Z$/u, 'Z') },
  {
    title: 'WHAT',
    text: ({ kind, undoes }) => changeWords[kind] + (undoes === undefined ? '' : ` (${undoes})`),
  },
  { title: 'OF', canShrink: true, text: subjectOf },
  { title: 'UNDO', text: ({ undone, undoable }) => (undone ? 'undone' : undoable ? 'yes' : 'no') },
];

/** The bookmark, tag or file that a change is of, and how many more: `Camp`, `water of Spring and 3 more`. */
export function subjectOf({ details = [], count }: ChangeAnswer): string {
  const [first] = details;
  if (first === undefined) return count > 0 ? String(count) : '';
  const subject = nameOf(first);
  return forTerminal(count > 1 ? `${subject} and ${count - 1} more` : subject);
}

function nameOf({ path, correction, before, after }: ChangeDetail): string {
  if (path !== undefined) return path;
  if (correction !== undefined) return correctionText(correction);
  const { name = '', tag } = after ?? before ?? {};
  return tag === undefined ? name : `${tag} of ${name}`;
}

export const command = defineCommand({
  name: 'changes',
  summary: 'list what was changed, newest first',
  description:
    'Lists what was changed in the last 30 days, newest first. "waypointd undo ID" undoes one of them.',
  options: {
    '-n, --limit <count>': {
      help: `how many, 1 to ${limits.changesMax}`,
      default: String(limits.changesDefault),
    },
    '--details': 'with --json: names and positions, too',
  },
  run({ context, options, isJson }) {
    const limit = Number(options.limit.trim());
    if (!Number.isInteger(limit) || limit < 1 || limit > limits.changesMax) {
      throw usageError(`--limit is a whole number from 1 to ${limits.changesMax}.`);
    }
    const query = { limit, ...((options.details || !isJson) && { details: true }) };
    return withDaemon({ context }, (client) => client.getChanges(query));
  },
  show: ({ changes }) => tableLines(columns, changes, 'Nothing was changed in the last 30 days.'),
});

import {
  deletedBookmarkSchema,
  hiddenSchema,
  shownWaypointSchema,
  type HiddenAnswer,
} from '../../model/waypoint.ts';
import { ExitError } from '../../model/exit-error.ts';
import { normalizeText } from '../../model/text.ts';
import type { ApiClient } from '../../client/waypoints/node/api-client.ts';
import { defineCommand } from '../program/command.ts';
import { withDaemon } from '../program/connection.ts';
import { note } from '../terminal/output.ts';
import { tableLines } from '../terminal/table.ts';
import { degrees, forTerminal } from '../terminal/text.ts';
import { atOption, findPlace, nameColumns, parsePosition, tagsColumn } from './place.ts';

const list = defineCommand({
  name: 'list',
  summary: 'list hidden waypoints',
  description: 'Lists the imported waypoints that were hidden, newest first.',
  run: ({ context }) => withDaemon({ context }, allHidden),
  show: ({ hidden }) => tableLines([...nameColumns, tagsColumn], hidden, 'No waypoint is hidden.'),
});

const show = defineCommand({
  name: 'show',
  summary: 'show a hidden waypoint again',
  description: 'Shows a hidden waypoint again, with the tags it had.',
  arguments: '<name>',
  options: atOption,
  run: ({ context, words: [name], options: { at } }) =>
    withDaemon({ context }, async (client) => {
      const query =
        at === undefined ? await onlyHidden(client, name) : { name, ...parsePosition(at) };
      return client.ask(shownWaypointSchema, 'DELETE', '/api/hidden', { query });
    }),
  show: ({ name }) => `"${name}" shows again.`,
});

/** `waypointd hide`, `hide list` and `hide show` */
export const command = defineCommand({
  name: 'hide',
  summary: 'hide an imported waypoint, or show it again',
  description:
    'Hides an imported waypoint for good, also when its file is imported again. The file stays as it is.',
  arguments: '<name>',
  options: atOption,
  commands: [list, show],
  run: ({ context, words: [name], options: { at } }) =>
    withDaemon({ context, needsLibrary: true }, async (client) => {
      const { lat, lon, ...place } = await findPlace(client, name, { at });
      const query = { name: place.name, lat, lon };
      return client.ask(deletedBookmarkSchema, 'DELETE', '/api/waypoints', { query });
    }),
  show: ({ name }) => `Hid "${name}".`,
});

async function allHidden(client: ApiClient): Promise<HiddenAnswer> {
  const hidden: HiddenAnswer['hidden'] = [];
  let cursor: number | undefined;
  do {
    const query = { limit: 1_000, cursor };
    const page = await client.ask(hiddenSchema, 'GET', '/api/hidden', { query });
    hidden.push(...page.hidden);
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return { hidden };
}

async function onlyHidden(client: ApiClient, name: string) {
  const { hidden } = await allHidden(client);
  const found = hidden.filter((one) => one.name === normalizeText(name));
  const [only] = found;
  if (only === undefined)
    throw new ExitError(`No hidden waypoint is called "${forTerminal(name)}".`);
  if (found.length > 1) {
    for (const { lat, lon } of found) note(`  --at ${degrees(lat)},${degrees(lon)}`);
    throw new ExitError('Several have this name. Say which one with --at LAT,LON (above).');
  }
  return { name: only.name, lat: only.lat, lon: only.lon };
}

import type { HiddenAnswer } from '../../model/waypoint.ts';
import { ExitError } from '../../model/exit-error.ts';
import { normalizeText } from '../../model/text.ts';
import { defineCommand } from '../program/command.ts';
import { withDaemon } from '../program/connection.ts';
import type { DaemonClient } from '../program/daemon-client.ts';
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
      const place =
        at === undefined
          ? await onlyHidden(client, name)
          : { name: normalizeText(name), ...parsePosition(at) };
      return { shown: true, ...(await client.showWaypoint(place)) };
    }),
  show: ({ name }) => `"${name}" shows again.`,
});

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
      const place = await findPlace(client, name, { at });
      return { deleted: true, ...(await client.hideWaypoint(place)) };
    }),
  show: ({ name }) => `Hid "${name}".`,
});

async function allHidden(client: DaemonClient): Promise<HiddenAnswer> {
  const hidden: HiddenAnswer['hidden'] = [];
  let cursor: number | undefined;
  do {
    const page = await client.getHidden({ limit: 1_000, cursor });
    hidden.push(...page.hidden);
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return { hidden };
}

async function onlyHidden(client: DaemonClient, name: string) {
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

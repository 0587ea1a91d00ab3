import type { CorrectionAnswer, NewCorrection } from '../../model/correction.ts';
import { parseDate } from '../../model/calendar-date.ts';
import { isDuring, partAt } from '../../model/moment.ts';
import { ExitError, usageError } from '../../model/exit-error.ts';
import { formatTime } from '../../model/time.ts';
import { localTimeZone } from '../../model/time-zone.ts';
import { tripModes, type TripMode } from '../../model/timeline-result.ts';
import { correctionText } from '../../model/timeline-words.ts';
import { defineCommand } from '../program/command.ts';
import { untilMade } from '../program/polling.ts';
import { withDaemon } from '../program/connection.ts';
import type { CommandContext } from '../program/context.ts';
import { invocation } from '../terminal/invocation.ts';
import { tableLines, type TableColumn } from '../terminal/table.ts';
import { parsePosition } from './place.ts';
import { clockOf, instantOf } from './timeline/clock.ts';
import { timelineOf } from './timeline/run.ts';
import { parseMoment, periodAround } from './where.ts';

/** Days looked at before and after a moment: few trips and stays are longer. */
const daysAround = 60;

type Moment = NonNullable<Awaited<ReturnType<typeof momentOf>>>;

/** Reads a moment by the clock of the place, with the timeline around it. */
async function momentOf(context: CommandContext, text: string) {
  if (parseDate(text) !== undefined)
    throw usageError(`Say the time of day, too: ${text} 15:30, or ${text}T15:30Z.`);
  const { timeMs, hasZone } = parseMoment(text);
  const request = { ...periodAround(timeMs, daysAround), time_zone: localTimeZone };
  const result = await timelineOf(context, request);
  return result && { result, timeMs: hasZone ? timeMs : instantOf(result, timeMs) };
}

type Added = Awaited<ReturnType<typeof add>>;

/** @returns also the timeline before, which knows the clocks. */
async function add(context: CommandContext, { result }: Moment, asked: NewCorrection) {
  const correction = await withDaemon({ context }, (client) => client.addCorrection(asked));
  return { correction, result };
}

const json = ({ correction }: Added): CorrectionAnswer => correction;

function show({ correction, result }: Added): string {
  const clock = clockOf(result);
  const [start_utc, end_utc] = [clock(correction.start_utc), clock(correction.end_utc)];
  const text = correctionText({ ...correction, start_utc, end_utc });
  return `Corrected: ${text}, by the clock of the place. "${invocation()} correct rm ${correction.id}" deletes this correction.`;
}

const mode = defineCommand({
  name: 'mode',
  summary: 'say how a trip was made',
  description: `Says how the trip at a moment was made: ${tripModes.join(', ')}.`,
  arguments: '<mode> <time...>',
  options: { '--leg': 'only the leg at that moment, not the whole trip' },
  examples: ['correct mode train 2024-05-03 14:30', 'correct mode bike 2024-05-03T14:30Z --leg'],
  async run({ context, words: [word, time], options: { leg: isLeg } }) {
    const known = tripModes.find((one): one is TripMode => one === word);
    if (known === undefined) throw usageError(`A mode is one of ${tripModes.join(', ')}.`);
    const moment = await momentOf(context, time.join(' '));
    if (moment === undefined) return undefined;
    const { trips } = moment.result;
    const parts = isLeg ? trips.flatMap(({ legs }) => legs) : trips;
    const found = partAt(parts, moment.timeMs);
    if (found === undefined) throw new ExitError('There was no trip at that moment.');
    const { start_utc, end_utc } = found;
    return add(context, moment, { kind: 'mode', mode: known, start_utc, end_utc });
  },
  json,
  show,
});

const notAStay = defineCommand({
  name: 'not-a-stay',
  summary: 'say that a stay was none',
  description: 'Says that the stay at a moment was none: its time becomes part of a trip.',
  arguments: '<time...>',
  examples: ['correct not-a-stay 2024-05-03 14:30'],
  async run({ context, words: [time] }) {
    const moment = await momentOf(context, time.join(' '));
    if (moment === undefined) return undefined;
    const stay = moment.result.timeline.find(
      ({ kind, first_observation_utc: first, last_observation_utc: last }) =>
        kind === 'stay' && isDuring(moment.timeMs, first, last),
    );
    if (stay === undefined) throw new ExitError('There was no stay at that moment.');
    const { first_observation_utc: start_utc, last_observation_utc: end_utc } = stay;
    return add(context, moment, { kind: 'not_a_stay', start_utc, end_utc });
  },
  json,
  show,
});

/** A date and a time may be two words. */
function twoMoments([first, second, more]: readonly [string, string, string[]]): [string, string] {
  if (more.length === 0) return [first, second];
  if (more.length === 2) return [`${first} ${second}`, more.join(' ')];
  throw usageError('Say from when and to when: 2024-05-03 14:30 2024-05-03 16:00.');
}

const stay = defineCommand({
  name: 'stay',
  summary: 'say that you stayed somewhere',
  description:
    'Says that you stayed at one place from one moment to another: where the recordings of that time are, or at --at.',
  arguments: '<from> <to> [more...]',
  options: { '--at <lat,lon>': 'where: LAT,LON' },
  examples: [
    'correct stay 2024-05-03 14:30 2024-05-03 16:00',
    'correct stay 2024-05-03T14:30Z 2024-05-03T16:00Z --at 53.866,10.687',
  ],
  async run({ context, words, options: { at } }) {
    const [from, to] = twoMoments(words);
    const position = at === undefined ? {} : parsePosition(at);
    const [start, end] = [await momentOf(context, from), await momentOf(context, to)];
    if (start === undefined || end === undefined) return undefined;
    if (start.timeMs >= end.timeMs) throw usageError('The stay ends before it begins.');
    const [start_utc, end_utc] = [formatTime(start.timeMs), formatTime(end.timeMs)];
    return add(context, start, { kind: 'stay', start_utc, end_utc, ...position });
  },
  json,
  show,
});

const columns: readonly TableColumn<CorrectionAnswer>[] = [
  { title: 'ID', align: 'right', text: ({ id }) => String(id) },
  { title: 'WHAT', text: correctionText },
  {
    title: 'APPLIES',
    text: ({ applies }) => (applies === undefined ? '?' : applies ? 'yes' : 'no'),
  },
];

const list = defineCommand({
  name: 'list',
  summary: 'list corrections, the newest first',
  description:
    'Lists your corrections, the newest first. One does not apply where nothing is recorded any more that it could correct, or where later ones replace it.',
  run: ({ context }) =>
    withDaemon({ context, needsLibrary: true }, async (client) => {
      // Where all recordings were read, it is known what applies; where they cannot be, it is not.
      await untilMade(() => client.getPlaces({ limit: 1 })).catch(() => undefined);
      return client.getCorrections();
    }),
  show: ({ corrections }) => tableLines(columns, corrections, 'There are no corrections.'),
});

const remove = defineCommand({
  name: 'rm',
  summary: 'delete a correction',
  description: 'Deletes a correction: what the recordings say is told again.',
  arguments: '<id>',
  run({ context, words: [id] }) {
    if (!/^[1-9]\d{0,14}$/u.test(id)) {
      throw usageError('The number of a correction is a whole number; "correct list" shows them.');
    }
    return withDaemon({ context }, async (client) => ({
      deleted: true,
      id: await client.deleteCorrection(Number(id)),
    }));
  },
  show: ({ id }) => `Deleted correction ${id}.`,
});

export const command = defineCommand({
  name: 'correct',
  summary: 'say how a trip was made, or that a stay was none',
  description:
    'Corrects your history: what you say of a time holds in every later timeline, also when its files are imported anew. Times without a zone are those of the place. "waypointd undo" takes a correction back.',
  commands: [mode, notAStay, stay, list, remove],
});

import type { Summary } from './life.ts';
import { kilometres, stayTime } from './timeline-words.ts';

/** A summary in sentences, for the command line and the page. @param farthest the name of the farthest place. */
export function summaryLines(summary: Summary, farthest = ''): string[] {
  const { modes, countries, regions, towns, longest_trip: longest } = summary;
  const { nights_away: away, farthest: far, days_without_data: empty } = summary;
  return [
    `${kilometres(summary.distance_m)} km on the way.`,
    ...modes.map(
      ({ mode, trips, seconds, distance_m: metres }) =>
        `${mode}: ${kilometres(metres)} km in ${counted(trips, 'trip')}, ${stayTime(seconds)}.`,
    ),
    ...countries.map(
      ({ name, days, nights }) => `${name}: ${counted(days, 'day')}, ${counted(nights, 'night')}.`,
    ),
    `Stays in ${counted(regions, 'region')} and ${counted(towns, 'town')}.`,
    ...(away === undefined
      ? ['Home is not known: it takes ten visits and most nights there.']
      : [`${counted(away, 'night')} away from home.`]),
    ...(longest === undefined
      ? []
      : [
          `Longest trip: ${kilometres(longest.distance_m)} km${longest.mode === 'unknown' ? '' : ` by ${longest.mode}`}, ${minute(longest.start_utc)} to ${minute(longest.end_utc)} UTC.`,
        ]),
    ...(far === undefined
      ? []
      : [
          `Farthest from home: ${kilometres(far.distance_m)} km${farthest === '' ? '' : `, ${farthest}`}, on ${far.date}.`,
        ]),
    `${counted(empty, 'day')} without data.`,
  ];
}

function minute(time: string): string {
  return time.slice(0, 16).replace('T', ' ');
}

function counted(count: number, what: string): string {
  return `${count.toLocaleString('en-US')} ${what}${count === 1 ? '' : 's'}`;
}

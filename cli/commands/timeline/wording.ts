import type { TimelineResult } from '../../../model/timeline-result.ts';
import { localTimeZone } from '../../../model/time-zone.ts';
import { stayTime } from '../../../model/timeline-words.ts';
import { geodataRemedy, invocation } from '../../terminal/invocation.ts';
import { counted, dateOf, forTerminal, wrapText } from '../../terminal/text.ts';

/** An instant for reading, to the minute: `2024-05-04 09:10`. */
export function minuteOf(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)}`;
}

/** Ids of imports in a line. */
const shownIds = 8;
const halfDayMs = 43_200_000;

/** Cells of a line, on every terminal. */
export const noteWidth = 80;

/** The head of a table: period, time zone of its days, source of place names. */
export function headLines(result: TimelineResult): string[] {
  const { period, summary, dataset } = result;
  const { start, end } = daysOf(result);
  const days = start === end ? start : `${start} to ${end}`;
  const active = `data on ${summary.active_days.toLocaleString('en-US')} of ${counted(period.days, 'day')}`;
  return [
    `${days}: ${active}. ${zoneSentence(period.time_zone)}`,
    dataset === null
      ? `No geodata could be opened: stops have no names, and places no totals. ${geodataRemedy()}`
      : forTerminal(`Places: geodata ${dataset.dataset_version}, ${dataset.attribution}.`),
  ].flatMap((line) => wrapText(line, noteWidth));
}

export function zoneSentence(timeZone: string): string {
  if (timeZone === 'UTC') return 'Days and times are UTC.';
  const place = timeZone === localTimeZone ? 'the place' : forTerminal(timeZone);
  return `Days and times are those of ${place}.`;
}

export function footLines({ summary, timeline_truncated: isTruncated }: TimelineResult): string[] {
  const { recorded_observations: recorded, outlier_observations: outliers } = summary;
  const { unfollowed_observations: unfollowed } = summary;
  const { bridged_seconds: bridged, stop_seconds: inStops, silent_seconds: silent } = summary;
  const { stops_found: found, stops_returned: returned, places_dropped: dropped } = summary;
  const lines: readonly (readonly [isShown: boolean, line: string])[] = [
    [
      outliers > 0,
      `${outliers.toLocaleString('en-US')} of ${counted(recorded, 'point')} were ignored as errors (another device, spikes): docs/timelines.md`,
    ],
    [unfollowed > 0, unfollowedLine(summary)],
    [
      bridged > 0,
      `${stayTime(bridged)} of ${stayTime(inStops)} in stops are inferred: silence that began at a stop and ended at or near it.`,
    ],
    [
      silent > 0,
      `Nothing was recorded for ${stayTime(silent)} between stops; that time is not counted.`,
    ],
    [
      isTruncated,
      `Only ${returned.toLocaleString('en-US')} of ${counted(found, 'stop')} are listed: the longest, and the last of each place. Totals count all.`,
    ],
    [dropped > 0, `${counted(dropped, 'place')} with the least data are left out.`],
  ];
  return lines.flatMap(([isShown, line]) => (isShown ? wrapText(line, noteWidth) : []));
}

/** Which imports have a device that was elsewhere than the one that was followed. */
export function unfollowedLine({
  unfollowed_observations: count,
  unfollowed_sources: ids,
}: TimelineResult['summary']): string {
  const shown = ids.slice(0, shownIds).join(', ');
  const more = ids.length > shownIds ? ` and ${counted(ids.length - shownIds, 'other')}` : '';
  const imports =
    ids.length === 0 ? '' : ` (${ids.length === 1 ? 'import' : 'imports'} ${shown}${more})`;
  return `Not followed: ${counted(count, 'point')} of another device${imports}; --sources and --exclude-sources choose.`;
}

export function isEmpty({ summary, timeline, days }: TimelineResult): boolean {
  return summary.recorded_observations === 0 && timeline.length === 0 && days.length === 0;
}

export function emptyLines(result: TimelineResult): string[] {
  const { indexed_valid_times, indexed_missing_times, indexed_invalid_times } = result.summary;
  const { start, end } = daysOf(result);
  const days = start === end ? `on ${start}` : `from ${start} to ${end}`;
  const zone = result.period.time_zone === 'UTC' ? ' (UTC)' : '';
  const nothing = `Nothing was recorded ${days}${zone}.`;
  if (indexed_valid_times > 0) {
    return [
      nothing,
      `There are ${counted(indexed_valid_times, 'point')} of other days; "${invocation()} status" tells from when to when.`,
    ];
  }
  if (indexed_missing_times + indexed_invalid_times > 0) {
    return ['The imported tracks have no times, and a timeline is made of times.'];
  }
  return [`No tracks have been imported yet. Import some: ${invocation()} import ~/tracks -r`];
}

/** The first and the last day: that of their noon, near enough in every zone. */
function daysOf({ period }: TimelineResult): {
  readonly start: string;
  readonly end: string;
} {
  const start = dateOf(new Date(Date.parse(period.start_utc) + halfDayMs).toISOString());
  const end = dateOf(new Date(Date.parse(period.end_utc_exclusive) - halfDayMs).toISOString());
  return { start, end };
}

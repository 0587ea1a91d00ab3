/** Words of timelines that the command line and the page share. */
import type { NewCorrection } from './correction.ts';
import type { TimelineLeg, TimelineStop, TimelineTrip } from './timeline-result.ts';

/** The length of a stay, for reading: `40 s`, `12 min`, `4 h 12 min`, `3 d 4 h`. */
export function stayTime(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return two(hours, 'h', minutes % 60, 'min');
  return two(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

function two(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

/** A distance for reading, in km: `0.4`, `72`, `1,284`. */
export function kilometres(metres: number): string {
  const km = metres / 1_000;
  return (km < 10 ? Number(km.toFixed(1)) : Math.round(km)).toLocaleString('en-US');
}

type Names = Pick<TimelineStop, 'country' | 'region' | 'locality'> & {
  /** The user's own name for it. */
  readonly bookmark?: { readonly name: string } | undefined;
};

/**
 * Where something is, from small to large: `Viana do Castelo, Norte, Portugal`; equal neighbours are said once. What the user
 * has a name for is in its town: `Home, Lübeck`.
 */
export function placeOf({ bookmark, locality, region, country }: Names): string {
  const around = locality || region || country;
  if (bookmark !== undefined)
    return [bookmark.name, ...(around === '' || around === bookmark.name ? [] : [around])].join(
      ', ',
    );
  const names = [locality, region, country].filter((name) => name !== '');
  return names.filter((name, at) => name !== names[at - 1]).join(', ');
}

/** The shortest name of where something is. */
export function shortPlaceOf(names: Names): string {
  return names.bookmark?.name || names.locality || placeOf(names);
}

/** Confidence (0 to 1) from which a mode is printed without a question mark. */
const likely = 0.8;

/** The mode of a trip or leg; a guess that is hardly better than another has a question mark. */
export function modeText({
  mode,
  mode_confidence: confidence,
}: Pick<TimelineLeg, 'mode' | 'mode_confidence'>): string {
  return mode !== 'unknown' && confidence < likely ? `${mode}?` : mode;
}

/** Means of a trip: `car`, `car?`, `not recorded`. */
export function guessOf(trip: TimelineTrip): string {
  return trip.mode === 'unknown' ? meansOf(trip) : modeText(trip);
}

/** Between two recordings, perhaps weeks apart, is no trip that anything is known of. */
export function meansOf({ mode, recorded_observations: seen }: TimelineTrip): string {
  return mode === 'unknown' && seen === 0 ? 'not recorded' : mode;
}

/** A correction of a timeline: `train, 2024-05-03 14:00:00Z to 2024-05-03 16:30:00Z`. */
export function correctionText({
  kind,
  mode,
  lat,
  lon,
  start_utc,
  end_utc,
}: NewCorrection): string {
  const what = mode ?? (kind === 'stay' ? 'a stay' : 'no stay');
  const where = lat === undefined ? '' : ` at ${lat},${lon}`;
  return `${what}${where}, ${secondOf(start_utc)} to ${secondOf(end_utc)}`;
}

function secondOf(time: string): string {
  return time.replace('T', ' ').replace(/\.\d+Z/u, 'Z');
}
